//! Web services: INVOKE SERVICE, faults, and the addressing of messages.
//!
//! Of WSACONTEXT and WSAEPR the options are the manual's; RESP2 1 and 2 of
//! CHANNELERR, 3 of NOTFND and 5 of DELETE's INVREQ too, as far as its pages
//! could be read. The other RESP2 values are this region's own.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::invoke_service::ROW,
    rows::invoke_webservice::ROW,
    rows::soapfault_add::ROW,
    rows::soapfault_create::ROW,
    rows::soapfault_delete::ROW,
    rows::wsacontext_build::ROW,
    rows::wsacontext_delete::ROW,
    rows::wsacontext_get::ROW,
    rows::wsaepr_create::ROW,
];

pub(super) mod rows {
    command! {
        /// Asks a web service.
        invoke_service 0x8809 0xC002 "INVOKE SERVICE" "INVOKE" ["SERVICE"] Web Region;
        input SERVICE(Name(32)) [required];
        input CHANNEL(Name(16));
        input OPERATION(Name(255));
        input URI(Name(255));
        input URIMAP(Name(8));
        input SCOPE(Area) [length("SCOPELEN")];
        input SCOPELEN(Fullword);
        @rules
            OptionRule::AtMostOne(&["URI", "URIMAP"]),
            OptionRule::Unserved(&["SCOPE", "SCOPELEN"], Condition::InvReq);
        @conditions ChannelErr(2), InvReq(1, 4, 5, 6, 7, 8, 10, 14, 15, 101, 107), NotFnd(1, 2, 3), NoStg, TimedOut(1);
    }

    command! {
        /// Asks a web service.
        invoke_webservice 0x880A 0xC002 "INVOKE WEBSERVICE" "INVOKE" ["WEBSERVICE"] Web Region;
        input WEBSERVICE(Name(32)) [required];
        input CHANNEL(Name(16));
        input OPERATION(Name(255));
        input URI(Name(255));
        input URIMAP(Name(8));
        input SCOPE(Area) [length("SCOPELEN")];
        input SCOPELEN(Fullword);
        @rules
            OptionRule::AtMostOne(&["URI", "URIMAP"]),
            OptionRule::Unserved(&["SCOPE", "SCOPELEN"], Condition::InvReq);
        @conditions ChannelErr(2), InvReq(1, 4, 5, 6, 7, 8, 10, 14, 15, 101, 107), NotFnd(1, 2, 3), NoStg, TimedOut(1);
    }

    command! {
        /// Adds a text or a subcode to a fault.
        soapfault_add 0x880B 0xC006 "SOAPFAULT ADD" "SOAPFAULT" ["ADD"] Web Region;
        flag ADD;
        input FAULTSTRING(Area) [length("FAULTSTRLEN")];
        input FAULTSTRLEN(Fullword);
        input NATLANG(Chars(8));
        input SUBCODESTR(Area) [length("SUBCODELEN")];
        input SUBCODELEN(Fullword);
        input FROMCCSID(Fullword);
        @rules
            OptionRule::ExactlyOne(&["FAULTSTRING", "SUBCODESTR"]),
            OptionRule::Needs("NATLANG", &["FAULTSTRING"]);
        @conditions CcsidErr(1), InvReq(2, 3), LengErr(1);
    }

    command! {
        /// Makes the fault that a web service answers with.
        soapfault_create 0x880C 0xC004 "SOAPFAULT CREATE" "SOAPFAULT" ["CREATE"] Web Region;
        flag CREATE;
        input FAULTCODE(Cvda);
        flag CLIENT;
        flag SERVER;
        flag SENDER;
        flag RECEIVER;
        input FAULTCODESTR(Area) [length("FAULTCODELEN")];
        input FAULTCODELEN(Fullword);
        input FAULTSTRING(Area) [required, length("FAULTSTRLEN")];
        input FAULTSTRLEN(Fullword);
        input NATLANG(Chars(8));
        input ROLE(Area) [length("ROLELENGTH")];
        input ROLELENGTH(Fullword);
        input FAULTACTOR(Area) [length("FAULTACTLEN")];
        input FAULTACTLEN(Fullword);
        input DETAIL(Area) [length("DETAILLENGTH")];
        input DETAILLENGTH(Fullword);
        input FROMCCSID(Fullword);
        @rules
            OptionRule::ExactlyOne(&["FAULTCODE", "CLIENT", "SERVER", "SENDER", "RECEIVER", "FAULTCODESTR"]);
        @conditions CcsidErr(1), InvReq(1, 3, 5), LengErr(1);
    }

    command! {
        /// Deletes the fault.
        soapfault_delete 0x880D 0xC008 "SOAPFAULT DELETE" "SOAPFAULT" ["DELETE"] Web Region;
        flag DELETE;
        @conditions InvReq(3), NotFnd(2);
    }

    command! {
        /// Puts an addressing property into the context of messages to come.
        wsacontext_build 0x8827 0xC00A "WSACONTEXT BUILD" "WSACONTEXT" ["BUILD"] Web Region;
        flag BUILD;
        input CHANNEL(Name(16));
        input ACTION(Name(255));
        input MESSAGEID(Name(255));
        input RELATESURI(Name(255));
        input RELATESTYPE(Name(255));
        input EPRTYPE(Cvda);
        input EPRFIELD(Cvda);
        input EPRFROM(Area) [length("EPRLENGTH")];
        input EPRLENGTH(Fullword);
        input FROMCCSID(Fullword);
        input FROMCODEPAGE(Name(56));
        @rules
            OptionRule::AtLeastOne(&["ACTION", "MESSAGEID", "RELATESURI", "EPRTYPE"]),
            OptionRule::Needs("RELATESTYPE", &["RELATESURI"]),
            OptionRule::Needs("EPRTYPE", &["EPRFIELD"]),
            OptionRule::Needs("EPRTYPE", &["EPRFROM"]),
            OptionRule::Needs("EPRFIELD", &["EPRTYPE"]),
            OptionRule::Needs("EPRFROM", &["EPRTYPE"]),
            OptionRule::Needs("EPRLENGTH", &["EPRFROM"]),
            OptionRule::AtMostOne(&["FROMCCSID", "FROMCODEPAGE"]);
        @conditions CcsidErr(1), ChannelErr(1, 2), CodepageErr(1), InvReq(1, 2, 3, 4, 7), LengErr(1);
    }

    command! {
        /// Deletes the addressing context of a requester.
        wsacontext_delete 0x8828 0xC00D "WSACONTEXT DELETE" "WSACONTEXT" ["DELETE"] Web Region;
        flag DELETE;
        input CHANNEL(Name(16));
        @conditions ChannelErr(1, 2), InvReq(4, 5), NotFnd(3);
    }

    command! {
        /// Gives an addressing property of a request or of its response.
        wsacontext_get 0x8829 0xC00C "WSACONTEXT GET" "WSACONTEXT" ["GET"] Web Region;
        flag GET;
        input CONTEXTTYPE(Cvda) [required];
        input CHANNEL(Name(16));
        output ACTION(Chars(255));
        output MESSAGEID(Chars(255));
        output RELATESURI(Chars(255));
        output RELATESTYPE(Chars(255));
        input RELATESINDEX(Fullword);
        input EPRTYPE(Cvda);
        input EPRFIELD(Cvda);
        output EPRINTO(Area) [length("EPRLENGTH")];
        output EPRSET(PtrRef) [length("EPRLENGTH")];
        update EPRLENGTH(Fullword);
        input INTOCCSID(Fullword);
        input INTOCODEPAGE(Name(56));
        @rules
            OptionRule::AtLeastOne(&["ACTION", "MESSAGEID", "RELATESURI", "EPRTYPE"]),
            OptionRule::Needs("RELATESTYPE", &["RELATESURI"]),
            OptionRule::Needs("RELATESINDEX", &["RELATESURI"]),
            OptionRule::Needs("EPRTYPE", &["EPRFIELD"]),
            OptionRule::Needs("EPRTYPE", &["EPRINTO", "EPRSET"]),
            OptionRule::Needs("EPRFIELD", &["EPRTYPE"]),
            OptionRule::AtMostOne(&["EPRINTO", "EPRSET"]),
            OptionRule::AtMostOne(&["INTOCCSID", "INTOCODEPAGE"]);
        @conditions CcsidErr(1), ChannelErr(1, 2), CodepageErr(1), InvReq(1, 2, 3, 4), LengErr(1, 2), NotFnd(3, 4);
    }

    command! {
        /// Makes an endpoint reference.
        wsaepr_create 0x882A 0xC010 "WSAEPR CREATE" "WSAEPR" ["CREATE"] Web Region;
        flag CREATE;
        output EPRINTO(Area) [length("EPRLENGTH")];
        output EPRSET(PtrRef) [length("EPRLENGTH")];
        update EPRLENGTH(Fullword);
        input ADDRESS(Name(255));
        input REFPARMS(Area) [length("REFPARMSLEN")];
        input REFPARMSLEN(Fullword);
        input METADATA(Area) [length("METADATALEN")];
        input METADATALEN(Fullword);
        input FROMCCSID(Fullword);
        input FROMCODEPAGE(Name(56));
        @rules
            OptionRule::ExactlyOne(&["EPRINTO", "EPRSET"]),
            OptionRule::Needs("REFPARMSLEN", &["REFPARMS"]),
            OptionRule::Needs("METADATALEN", &["METADATA"]),
            OptionRule::AtMostOne(&["FROMCCSID", "FROMCODEPAGE"]);
        @conditions CcsidErr(1), CodepageErr(1), InvReq(3, 7), LengErr(1, 2);
    }
}
