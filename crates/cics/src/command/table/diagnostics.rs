//! Dumps, trace, monitoring and the operator.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::write_operator::ROW,
    rows::enter_tracenum::ROW,
    rows::monitor::ROW,
    rows::dump_transaction::ROW,
];

pub(super) mod rows {
    command! {
        /// Writes to the operator's console, and waits for a reply if asked.
        write_operator 0x6C02 eibfn "WRITE OPERATOR" "WRITE" ["OPERATOR"] Diagnostics Region;
        flag OPERATOR;
        input TEXT(Area) [required, length("TEXTLENGTH"), most(690)];
        input TEXTLENGTH(Fullword);
        input ROUTECODES(Area);
        input NUMROUTES(Fullword);
        flag EVENTUAL;
        flag CRITICAL;
        flag IMMEDIATE;
        input ACTION(Cvda);
        output REPLY(Area);
        input MAXLENGTH(Fullword);
        output REPLYLENGTH(Fullword);
        input TIMEOUT(Fullword);
        input CONSNAME(Name(8));
        @rules
            OptionRule::AtMostOne(&["ROUTECODES", "CONSNAME"]),
            OptionRule::AtMostOne(&["EVENTUAL", "CRITICAL", "IMMEDIATE", "ACTION", "REPLY"]),
            OptionRule::Needs("ROUTECODES", &["NUMROUTES"]),
            OptionRule::Needs("REPLY", &["MAXLENGTH"]),
            OptionRule::Needs("TIMEOUT", &["REPLY"]);
        @conditions Expired(7), InvReq(1, 2, 3, 4, 5, 6), LengErr(8);
    }

    command! {
        /// Makes an entry of the program's own in the trace.
        enter_tracenum 0x4802 eibfn "ENTER TRACENUM" "ENTER" ["TRACENUM"] Diagnostics Region;
        input TRACENUM(Halfword) [required];
        input FROM(Area) [length("FROMLENGTH"), most(4_000)];
        input FROMLENGTH(Halfword);
        input RESOURCE(Name(8));
        flag EXCEPTION;
        @rules OptionRule::Needs("FROMLENGTH", &["FROM"]);
        @conditions InvReq(1), LengErr(4);
    }

    command! {
        /// Notes in the task's monitoring record that it passed a point.
        monitor 0x4804 eibfn "MONITOR" "MONITOR" Diagnostics Region;
        input POINT(Halfword) [required];
        input DATA1(Fullword);
        input DATA2(Fullword);
        input ENTRYNAME(Name(8));
        @conditions InvReq(1);
    }

    command! {
        /// Writes a dump of the task's storage.
        dump_transaction 0x7E02 eibfn "DUMP TRANSACTION" "DUMP" ["TRANSACTION"] Diagnostics Region;
        flag TRANSACTION;
        input DUMPCODE(Name(4)) [required];
        input FROM(Area);
        input LENGTH(Halfword);
        input FLENGTH(Fullword);
        flag COMPLETE;
        flag TRT;
        input SEGMENTLIST(Area);
        input LENGTHLIST(Area);
        input NUMSEGMENTS(Fullword);
        flag TASK;
        flag STORAGE;
        flag PROGRAM;
        flag TERMINAL;
        flag TABLES;
        flag FCT;
        flag PCT;
        flag PPT;
        flag SIT;
        flag TCT;
        output DUMPID(Chars(9));
        @rules
            OptionRule::AtMostOne(&["LENGTH", "FLENGTH"]),
            OptionRule::AtMostOne(&["FROM", "SEGMENTLIST"]),
            OptionRule::Needs("FROM", &["LENGTH", "FLENGTH"]),
            OptionRule::Needs("SEGMENTLIST", &["LENGTHLIST"]),
            OptionRule::Needs("LENGTHLIST", &["NUMSEGMENTS"]);
        @conditions InvReq(13), IoErr(10), NoSpace(4), NotOpen(6), Suppressed(1);
    }
}
