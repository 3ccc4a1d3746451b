//! Containers of a channel.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::put_container::ROW,
    rows::get_container::ROW,
    rows::move_container::ROW,
    rows::delete_container::ROW,
    rows::delete_channel::ROW,
    rows::startbrowse_container::ROW,
    rows::getnext_container::ROW,
    rows::endbrowse_container::ROW,
    rows::query_channel::ROW,
];

pub(super) mod rows {
    command! {
        /// Makes, replaces or extends a container.
        put_container 0x8211 0x3416 "PUT CONTAINER (CHANNEL)" "PUT" ["CONTAINER"] Channels Worker;
        input CONTAINER(Name(16)) [required];
        input CHANNEL(Name(16));
        input FROM(Area) [required, length("FLENGTH")];
        input FLENGTH(Fullword);
        flag BIT;
        flag CHAR;
        input DATATYPE(Cvda);
        input FROMCCSID(Fullword);
        input FROMCODEPAGE(Name(56));
        flag APPEND;
        flag PREPEND;
        @rules
            OptionRule::AtMostOne(&["BIT", "CHAR", "DATATYPE"]),
            OptionRule::AtMostOne(&["FROMCCSID", "FROMCODEPAGE"]),
            OptionRule::AtMostOne(&["APPEND", "PREPEND"]),
            OptionRule::Excludes("BIT", &["FROMCCSID", "FROMCODEPAGE"]);
        @conditions
            CcsidErr(1, 2, 4), ChannelErr(1, 3), CodepageErr(1, 2), ContainerErr(18),
            InvReq(1, 2, 4, 30, 32, 33, 34), LengErr(1), NoStg;
    }

    command! {
        /// Reads a container, or only its length.
        get_container 0x8212 0x3414 "GET CONTAINER (CHANNEL)" "GET" ["CONTAINER"] Channels Worker;
        input CONTAINER(Name(16)) [required];
        input CHANNEL(Name(16));
        output INTO(Area) [length("FLENGTH")];
        output SET(PtrRef) [length("FLENGTH")];
        flag NODATA;
        update FLENGTH(Fullword);
        input BYTEOFFSET(Fullword);
        input INTOCCSID(Fullword);
        input INTOCODEPAGE(Name(56));
        input CONVERTST(Cvda);
        flag NOCONVERT;
        output CCSID(Fullword);
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET", "NODATA"]),
            OptionRule::Needs("SET", &["FLENGTH"]),
            OptionRule::Needs("NODATA", &["FLENGTH", "CCSID"]),
            OptionRule::AtMostOne(&["INTOCCSID", "INTOCODEPAGE", "CONVERTST", "NOCONVERT"]);
        @conditions
            CcsidErr(1, 2, 3, 4, 5), ChannelErr(2), CodepageErr(1, 2, 3, 4, 5), ContainerErr(10),
            InvReq(2, 4, 5, 6), LengErr(11, 12, 13), NoStg;
    }

    command! {
        /// Renames a container or hands it to another channel.
        move_container 0x8213 0x3440 "MOVE CONTAINER (CHANNEL)" "MOVE" ["CONTAINER"] Channels Worker;
        input CONTAINER(Name(16)) [required];
        input AS(Name(16)) [required];
        input CHANNEL(Name(16));
        input TOCHANNEL(Name(16));
        @conditions ChannelErr(1, 2, 3), ContainerErr(10, 18), InvReq(4, 30, 31);
    }

    command! {
        /// Removes a container.
        delete_container 0x8214 0x3412 "DELETE CONTAINER (CHANNEL)" "DELETE" ["CONTAINER"] Channels Worker;
        input CONTAINER(Name(16)) [required];
        input CHANNEL(Name(16));
        @conditions ChannelErr(2), ContainerErr(10), InvReq(4, 30);
    }

    command! {
        /// Removes a channel that the program made, and its containers.
        delete_channel 0x8201 0x3458 "DELETE CHANNEL" "DELETE" ["CHANNEL"] Channels Worker;
        input CHANNEL(Name(16)) [required];
        @conditions ChannelErr(2, 4, 5, 6);
    }

    command! {
        /// Starts a browse over the containers of a channel.
        startbrowse_container 0x8215 0x9626 "STARTBROWSE CONTAINER (CHANNEL)" "STARTBROWSE" ["CONTAINER"]
            Channels Worker;
        flag CONTAINER;
        input CHANNEL(Name(16));
        output BROWSETOKEN(Fullword) [required];
        @conditions ChannelErr(2), InvReq(4);
    }

    command! {
        /// Names the next container of a browse.
        getnext_container 0x8216 0x9628 "GETNEXT CONTAINER (CHANNEL)" "GETNEXT" ["CONTAINER"] Channels Worker;
        output CONTAINER(Chars(16)) [required];
        input BROWSETOKEN(Fullword) [required];
        @conditions End(2), TokenErr(3);
    }

    command! {
        /// Ends a browse.
        endbrowse_container 0x8217 0x962A "ENDBROWSE CONTAINER (CHANNEL)" "ENDBROWSE" ["CONTAINER"]
            Channels Worker;
        flag CONTAINER;
        input BROWSETOKEN(Fullword) [required];
        @conditions TokenErr(3);
    }

    command! {
        /// Counts the containers of a channel.
        query_channel 0x8218 0x345A "QUERY CHANNEL" "QUERY" ["CHANNEL"] Channels Worker;
        input CHANNEL(Name(16)) [required];
        output CONTAINERCNT(Fullword);
        @conditions ChannelErr(2), InvReq(4);
    }
}
