//! Starting transactions, and what they were sent.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[rows::start::ROW, rows::retrieve::ROW];

pub(super) mod rows {
    command! {
        /// Starts a task, now or at a time.
        start 0x1008 eibfn "START" "START" Starting Region;
        input TRANSID(Name(4)) [required];
        input INTERVAL(HhMmSs);
        input TIME(HhMmSs);
        flag AFTER;
        flag AT;
        input HOURS(Fullword);
        input MINUTES(Fullword);
        input SECONDS(Fullword);
        input REQID(Name(8));
        input FROM(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        flag FMH;
        input TERMID(Name(4));
        input USERID(Name(8));
        input SYSID(Name(4));
        input RTRANSID(Name(4));
        input RTERMID(Name(4));
        input QUEUE(Name(8));
        flag NOCHECK;
        flag PROTECT;
        input CHANNEL(Name(16));
        @rules
            Rule::AtMostOne(&["INTERVAL", "TIME", "AFTER", "AT"]),
            Rule::Needs("AFTER", &["HOURS", "MINUTES", "SECONDS"]),
            Rule::Needs("AT", &["HOURS", "MINUTES", "SECONDS"]),
            Rule::Needs("HOURS", &["AFTER", "AT"]),
            Rule::Needs("MINUTES", &["AFTER", "AT"]),
            Rule::Needs("SECONDS", &["AFTER", "AT"]);
        @conditions InvReq(4, 5, 6), LengErr, TransIdErr;
    }

    command! {
        /// Gives the data that came with a START.
        retrieve 0x100A eibfn "RETRIEVE" "RETRIEVE" Starting Region;
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update LENGTH(Halfword);
        output RTRANSID(Chars(4));
        output RTERMID(Chars(4));
        output QUEUE(Chars(8));
        flag WAIT;
        @rules Rule::AtMostOne(&["INTO", "SET"]);
        @conditions EndData, EnvDefErr, InvReq, IoErr, LengErr, NotFnd;
    }
}
