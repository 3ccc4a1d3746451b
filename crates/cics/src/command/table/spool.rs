//! The spool.
//!
//! The RESP2 values are the manual's; those of the spool's own failures are
//! codes of the system it runs on there, and 0 here.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::spoolclose::ROW,
    rows::spoolopen_input::ROW,
    rows::spoolopen_output::ROW,
    rows::spoolread::ROW,
    rows::spoolwrite::ROW,
];

pub(super) mod rows {
    command! {
        /// Ends a report, and keeps or deletes it.
        spoolclose 0x8941 0x5610 "SPOOLCLOSE" "SPOOLCLOSE" Spool Region;
        input TOKEN(Chars(8)) [required];
        flag KEEP;
        flag DELETE;
        @rules OptionRule::AtMostOne(&["KEEP", "DELETE"]);
        @conditions AllocErr, InvReq(4, 8, 40), NoSpool, NoStg, NotFnd, NotOpen(8), StrelErr;
    }

    command! {
        /// Begins to read the first report of a user.
        spoolopen_input 0x8942 0x5602 "SPOOLOPEN INPUT" "SPOOLOPEN" ["INPUT"] Spool Region;
        flag INPUT;
        output TOKEN(Chars(8)) [required];
        input USERID(Name(8)) [required];
        input CLASS(Name(1));
        @conditions
            AllocErr, Illogic(3), InvReq(4, 8, 16, 36, 40), NoSpool, NoStg, NotAuth, NotFnd(4),
            NotOpen, OpenErr, SpolBusy(4, 8), SpolErr, StrelErr;
    }

    command! {
        /// Begins a report.
        spoolopen_output 0x8943 0x5602 "SPOOLOPEN OUTPUT" "SPOOLOPEN" ["OUTPUT"] Spool Region;
        flag OUTPUT;
        output TOKEN(Chars(8)) [required];
        input USERID(Name(8)) [required];
        input NODE(Name(8)) [required];
        input CLASS(Name(1));
        input OUTDESCR(PtrValue);
        flag NOCC;
        flag ASA;
        flag MCC;
        flag PRINT;
        input RECORDLENGTH(Halfword);
        flag PUNCH;
        @rules
            OptionRule::AtMostOne(&["NOCC", "ASA", "MCC"]),
            OptionRule::AtMostOne(&["PRINT", "PUNCH"]),
            OptionRule::Needs("RECORDLENGTH", &["PRINT"]);
        @conditions
            AllocErr, Illogic(3), InvReq(4, 8, 16, 20, 36, 40), LengErr, NodeIdErr, NoSpool,
            NoStg, NotFnd, NotOpen, OpenErr, OutDescrErr, SpolBusy, StrelErr;
    }

    command! {
        /// Gives the next record of a report.
        spoolread 0x8944 0x5604 "SPOOLREAD" "SPOOLREAD" Spool Region;
        input TOKEN(Chars(8)) [required];
        output INTO(Area) [required];
        input MAXFLENGTH(Fullword);
        output TOFLENGTH(Fullword);
        @conditions
            AllocErr, EndFile, Illogic(3), InvReq(4, 8, 12, 24, 40), LengErr, NoSpool, NoStg,
            NotFnd, NotOpen(8), SpolBusy(4, 8), SpolErr, StrelErr;
    }

    command! {
        /// Adds a record to a report.
        spoolwrite 0x8945 0x5606 "SPOOLWRITE" "SPOOLWRITE" Spool Region;
        input TOKEN(Chars(8)) [required];
        input FROM(Area) [required, length("FLENGTH"), most(32_760)];
        input FLENGTH(Fullword);
        flag LINE;
        flag PAGE;
        @rules OptionRule::AtMostOne(&["LINE", "PAGE"]);
        @conditions
            AllocErr, InvReq(4, 8, 28, 40), LengErr, NoSpool, NoStg, NotAuth, NotOpen(8),
            SpolBusy, SpolErr, StrelErr;
    }
}
