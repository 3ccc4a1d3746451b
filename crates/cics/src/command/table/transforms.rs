//! TRANSFORM: records to XML and JSON and back.
//!
//! Reference: CICS API reference, TRANSFORM DATATOJSON for its conditions and
//! RESP2 values. The lists of the other three could not be read; they have the
//! values of DATATOJSON, whose options are the same by other names, and LENGERR
//! for data longer than its area.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::transform_datatojson::ROW,
    rows::transform_datatoxml::ROW,
    rows::transform_jsontodata::ROW,
    rows::transform_xmltodata::ROW,
];

pub(super) mod rows {
    command! {
        /// Makes JSON of a record.
        transform_datatojson 0x880E 0x2606 "TRANSFORM DATATOJSON" "TRANSFORM" ["DATATOJSON"] Web Worker;
        flag DATATOJSON;
        input CHANNEL(Name(16)) [required];
        input INCONTAINER(Name(16)) [required];
        input OUTCONTAINER(Name(16));
        input TRANSFORMER(Name(32)) [required];
        @conditions
            ChannelErr(1, 2), ContainerErr(3, 18), InvReq(1, 6, 8), NotFnd(1), NoStg;
    }

    command! {
        /// Makes XML of a record.
        transform_datatoxml 0x880F 0x2602 "TRANSFORM DATATOXML" "TRANSFORM" ["DATATOXML"] Web Worker;
        flag DATATOXML;
        input CHANNEL(Name(16)) [required];
        input DATCONTAINER(Name(16)) [required];
        output ELEMNAME(Area);
        update ELEMNAMELEN(Fullword);
        output ELEMNS(Area);
        update ELEMNSLEN(Fullword);
        output TYPENAME(Area);
        update TYPENAMELEN(Fullword);
        output TYPENS(Area);
        update TYPENSLEN(Fullword);
        input XMLCONTAINER(Name(16)) [required];
        input XMLTRANSFORM(Name(32)) [required];
        @rules
            OptionRule::Needs("ELEMNAME", &["ELEMNAMELEN"]), OptionRule::Needs("ELEMNS", &["ELEMNSLEN"]),
            OptionRule::Needs("TYPENAME", &["TYPENAMELEN"]), OptionRule::Needs("TYPENS", &["TYPENSLEN"]);
        @conditions
            ChannelErr(1, 2), ContainerErr(3, 18), InvReq(1, 6, 8), LengErr(1, 2, 3, 4), NotFnd(1),
            NoStg;
    }

    command! {
        /// Makes a record of JSON.
        transform_jsontodata 0x8810 0x2608 "TRANSFORM JSONTODATA" "TRANSFORM" ["JSONTODATA"] Web Worker;
        flag JSONTODATA;
        input CHANNEL(Name(16)) [required];
        input INCONTAINER(Name(16)) [required];
        input OUTCONTAINER(Name(16));
        input TRANSFORMER(Name(32)) [required];
        @conditions ChannelErr(1, 2), ContainerErr(3, 18), InvReq(1, 6), NotFnd(1), NoStg;
    }

    command! {
        /// Makes a record of XML, or returns the type of the XML.
        transform_xmltodata 0x8811 0x2604 "TRANSFORM XMLTODATA" "TRANSFORM" ["XMLTODATA"] Web Worker;
        flag XMLTODATA;
        input CHANNEL(Name(16)) [required];
        input DATCONTAINER(Name(16));
        output ELEMNAME(Area);
        update ELEMNAMELEN(Fullword);
        output ELEMNS(Area);
        update ELEMNSLEN(Fullword);
        input NSCONTAINER(Name(16));
        output TYPENAME(Area);
        update TYPENAMELEN(Fullword);
        output TYPENS(Area);
        update TYPENSLEN(Fullword);
        input XMLCONTAINER(Name(16)) [required];
        input XMLTRANSFORM(Name(32));
        @rules
            OptionRule::Needs("XMLTRANSFORM", &["DATCONTAINER"]),
            OptionRule::Needs("ELEMNAME", &["ELEMNAMELEN"]), OptionRule::Needs("ELEMNS", &["ELEMNSLEN"]),
            OptionRule::Needs("TYPENAME", &["TYPENAMELEN"]), OptionRule::Needs("TYPENS", &["TYPENSLEN"]);
        @conditions
            ChannelErr(1, 2), ContainerErr(3, 18), InvReq(1, 6), LengErr(1, 2, 3, 4), NotFnd(1),
            NoStg;
    }
}
