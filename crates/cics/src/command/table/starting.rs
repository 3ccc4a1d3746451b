//! Starting transactions, the data sent to them, and children that run at the
//! same time as their parent.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::start::ROW,
    rows::start_attach::ROW,
    rows::retrieve::ROW,
    rows::cancel::ROW,
    rows::run_transid::ROW,
    rows::fetch_child::ROW,
    rows::fetch_any::ROW,
    rows::free_child::ROW,
];

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
            OptionRule::AtMostOne(&["INTERVAL", "TIME", "AFTER", "AT"]),
            OptionRule::Needs("AFTER", &["HOURS", "MINUTES", "SECONDS"]),
            OptionRule::Needs("AT", &["HOURS", "MINUTES", "SECONDS"]),
            OptionRule::Needs("HOURS", &["AFTER", "AT"]),
            OptionRule::Needs("MINUTES", &["AFTER", "AT"]),
            OptionRule::Needs("SECONDS", &["AFTER", "AT"]),
            OptionRule::Needs("LENGTH", &["FROM"]),
            OptionRule::Needs("FMH", &["FROM"]),
            OptionRule::AtMostOne(&["TERMID", "USERID"]),
            OptionRule::Excludes("CHANNEL", &[
                "INTERVAL", "TIME", "AFTER", "AT", "REQID", "FROM", "FMH", "RTRANSID", "RTERMID",
                "QUEUE",
            ]);
        @conditions
            ChannelErr(1), InvReq(4, 5, 6), IoErr, LengErr, SysIdErr, TermIdErr, TransIdErr;
    }

    command! {
        /// Attaches a task at once; it cannot be cancelled.
        start_attach 0x8585 0x1008 "START ATTACH" "START" ["ATTACH"] Starting Region;
        flag ATTACH;
        input TRANSID(Name(4)) [required];
        input FROM(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        @rules OptionRule::Needs("LENGTH", &["FROM"]);
        @conditions LengErr, TransIdErr;
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
        @rules OptionRule::AtMostOne(&["INTO", "SET"]);
        @conditions EndData, EnvDefErr, InvReq, LengErr;
    }

    command! {
        /// Takes a START, a POST or a DELAY back.
        cancel 0x100C eibfn "CANCEL" "CANCEL" Starting Region;
        input REQID(Name(8));
        input SYSID(Name(4));
        input TRANSID(Name(4));
        @rules
            OptionRule::Needs("SYSID", &["REQID"]),
            OptionRule::Needs("TRANSID", &["REQID"]);
        @conditions NotFnd, SysIdErr;
    }

    command! {
        /// Starts a child task that runs at the same time as its parent.
        run_transid 0x8584 0x343E "RUN TRANSID" "RUN" ["TRANSID"] Starting Region;
        input TRANSID(Name(4)) [required];
        input CHANNEL(Name(16));
        output CHILD(Chars(16)) [required];
        @conditions ChannelErr(1), Disabled(1), TransIdErr(1);
    }

    command! {
        /// Gives what a child task came to, waiting for its end.
        fetch_child 0x8582 0x3442 "FETCH CHILD" "FETCH" ["CHILD"] Starting Region;
        input CHILD(Chars(16)) [required];
        output CHANNEL(Chars(16));
        output COMPSTATUS(Cvda) [required];
        output ABCODE(Chars(4));
        flag NOSUSPEND;
        input TIMEOUT(Fullword);
        @rules OptionRule::AtMostOne(&["NOSUSPEND", "TIMEOUT"]);
        @conditions InvReq(50, 51, 241), NotFinished(52, 53);
    }

    command! {
        /// Gives what any child task came to that was not fetched yet.
        fetch_any 0x8581 0x3444 "FETCH ANY" "FETCH" ["ANY"] Starting Region;
        output ANY(Chars(16)) [required];
        output CHANNEL(Chars(16));
        output COMPSTATUS(Cvda) [required];
        output ABCODE(Chars(4));
        flag NOSUSPEND;
        input TIMEOUT(Fullword);
        @rules OptionRule::AtMostOne(&["NOSUSPEND", "TIMEOUT"]);
        @conditions InvReq(52, 241), NotFinished(52, 53), NotFnd(1);
    }

    command! {
        /// Drops the results of a child task.
        free_child 0x8583 0x3446 "FREE CHILD" "FREE" ["CHILD"] Starting Region;
        input CHILD(Chars(16)) [required];
        @conditions InvReq(50);
    }
}
