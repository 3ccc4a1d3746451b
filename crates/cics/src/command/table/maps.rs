//! Basic mapping support: maps and text on the task's terminal.
//!
//! The terminal's door serves these commands. Options of page building, of
//! partitions and of logical devices answer INVREQ; options for printers are
//! accepted and have no effect on a display.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::receive_map::ROW,
    rows::send_control::ROW,
    rows::send_map::ROW,
    rows::send_text::ROW,
];

pub(super) mod rows {
    command! {
        /// Receives what a user entered into a map.
        receive_map 0x1802 eibfn "RECEIVE MAP" "RECEIVE" ["MAP"] Maps Region;
        input MAP(Name(7)) [required];
        input MAPSET(Name(8));
        output INTO(Area);
        output SET(PtrRef);
        flag TERMINAL;
        input FROM(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        flag ASIS;
        input INPARTN(Name(2));
        flag MAPPINGDEV;
        @rules
            OptionRule::DefaultArea("INTO", "MAP", "I", &["SET"]),
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::Unserved(&["INPARTN", "MAPPINGDEV"], Condition::InvReq);
        @conditions
            InvMpSz, InvReq, MapFail, TermErr;
    }
    command! {
        /// Sends device controls without data.
        send_control 0x1812 eibfn "SEND CONTROL" "SEND" ["CONTROL"] Maps Region;
        flag CONTROL;
        flag ACCUM;
        input ACTPARTN(Name(2));
        flag ALARM;
        flag ALTERNATE;
        input CURSOR(Halfword) [bare_as("0")];
        flag DEFAULT;
        flag ERASE;
        flag ERASEAUP;
        flag FORMFEED;
        flag FREEKB;
        flag FRSET;
        flag HONEOM;
        flag LAST;
        input LDC(Name(2));
        flag L40;
        flag L64;
        flag L80;
        input MSR(Area);
        input OUTPARTN(Name(2));
        flag PAGING;
        flag PRINT;
        input REQID(Name(2));
        output SET(PtrRef);
        flag TERMINAL;
        flag WAIT;
        @rules
            OptionRule::AtMostOne(&["ERASE", "ERASEAUP"]),
            OptionRule::AtMostOne(&["DEFAULT", "ALTERNATE"]),
            OptionRule::Unserved(&["ACCUM", "ACTPARTN", "LDC", "MSR", "OUTPARTN", "PAGING", "REQID", "SET"], Condition::InvReq);
        @conditions
            InvReq, TermErr;
    }
    command! {
        /// Shows a map with a program's data.
        send_map 0x1804 eibfn "SEND MAP" "SEND" ["MAP"] Maps Region;
        input MAP(Name(7)) [required];
        flag ACCUM;
        input ACTPARTN(Name(2));
        flag ALARM;
        flag ALTERNATE;
        input CURSOR(Halfword) [bare_as("-1")];
        flag DATAONLY;
        flag DEFAULT;
        flag ERASE;
        flag ERASEAUP;
        input FMHPARM(Name(8));
        flag FORMFEED;
        flag FREEKB;
        input FROM(Area) [length("LENGTH")];
        flag FRSET;
        flag HONEOM;
        flag LAST;
        input LDC(Name(2));
        input LENGTH(Halfword);
        flag L40;
        flag L64;
        flag L80;
        flag MAPONLY;
        input MAPSET(Name(8));
        input MSR(Area);
        flag NLEOM;
        flag NOFLUSH;
        input OUTPARTN(Name(2));
        flag PAGING;
        flag PRINT;
        input REQID(Name(2));
        output SET(PtrRef);
        flag TERMINAL;
        flag WAIT;
        flag MAPPINGDEV;
        @rules
            OptionRule::DefaultArea("FROM", "MAP", "O", &["MAPONLY"]),
            OptionRule::AtMostOne(&["DATAONLY", "MAPONLY"]),
            OptionRule::AtMostOne(&["ERASE", "ERASEAUP"]),
            OptionRule::AtMostOne(&["DEFAULT", "ALTERNATE"]),
            OptionRule::Unserved(&["ACCUM", "ACTPARTN", "FMHPARM", "LDC", "MAPPINGDEV", "MSR", "OUTPARTN", "PAGING", "REQID", "SET"], Condition::InvReq);
        @conditions
            InvMpSz, InvReq, LengErr, TermErr;
    }
    command! {
        /// Shows text in lines.
        send_text 0x1806 eibfn "SEND TEXT" "SEND" ["TEXT"] Maps Region;
        flag TEXT;
        flag ACCUM;
        input ACTPARTN(Name(2));
        flag ALARM;
        flag ALTERNATE;
        input CURSOR(Halfword);
        flag DEFAULT;
        flag ERASE;
        input FMHPARM(Name(8));
        flag FORMFEED;
        flag FREEKB;
        input FROM(Area) [required, length("LENGTH")];
        input HEADER(Area);
        flag HONEOM;
        flag JUSFIRST;
        flag JUSLAST;
        input JUSTIFY(Halfword);
        flag LAST;
        input LDC(Name(2));
        input LENGTH(Halfword);
        flag L40;
        flag L64;
        flag L80;
        flag MAPPED;
        input MSR(Area);
        flag NLEOM;
        flag NOEDIT;
        input OUTPARTN(Name(2));
        flag PAGING;
        flag PRINT;
        input REQID(Name(2));
        output SET(PtrRef);
        flag TERMINAL;
        input TRAILER(Area);
        flag WAIT;
        @rules
            OptionRule::AtMostOne(&["DEFAULT", "ALTERNATE"]),
            OptionRule::Unserved(&["ACCUM", "ACTPARTN", "FMHPARM", "HEADER", "JUSFIRST", "JUSLAST", "JUSTIFY", "LDC", "MAPPED", "MSR", "NOEDIT", "OUTPARTN", "PAGING", "REQID", "SET", "TRAILER"], Condition::InvReq);
        @conditions
            InvReq, LengErr, TermErr;
    }
}
