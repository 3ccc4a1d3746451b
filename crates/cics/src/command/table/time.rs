//! Dates, times and waiting.

use crate::command::row::Command;

/// Rows with all their options.
pub(super) const SERVED: &[Command] = &[
    rows::asktime::ROW,
    rows::asktime_abstime::ROW,
    rows::formattime::ROW,
    rows::converttime::ROW,
    rows::delay::ROW,
    rows::post::ROW,
    rows::wait_event::ROW,
    rows::wait_external::ROW,
    rows::waitcics::ROW,
];

pub(super) mod rows {
    command! {
        /// Sets EIBDATE and EIBTIME.
        asktime 0x1002 eibfn "ASKTIME" "ASKTIME" Time Worker;
    }

    command! {
        /// Gives milliseconds since 1900, and sets EIBDATE and EIBTIME.
        asktime_abstime 0x4A02 eibfn "ASKTIME ABSTIME" "ASKTIME" ["ABSTIME"] Time Worker;
        output ABSTIME(Packed(15)) [required];
    }

    command! {
        /// Shows a time in one or more of its many forms.
        formattime 0x4A04 eibfn "FORMATTIME" "FORMATTIME" Time Worker;
        input ABSTIME(Packed(15)) [required];
        output DATE(Chars(8));
        output FULLDATE(Chars(10));
        output DATEFORM(Chars(6));
        input DATESEP(OptionArgument::Optional);
        output DATESTRING(Chars(64));
        output DAYCOUNT(Fullword);
        output DAYOFMONTH(Fullword);
        output DAYOFWEEK(Fullword);
        output DDMMYY(Chars(8));
        output DDMMYYYY(Chars(10));
        output MILLISECONDS(Fullword);
        output MMDDYY(Chars(8));
        output MMDDYYYY(Chars(10));
        output MONTHOFYEAR(Fullword);
        input STRINGFORMAT(Cvda);
        output STRINGZONE(Cvda);
        output TIME(Chars(8));
        input TIMESEP(OptionArgument::Optional);
        output YEAR(Fullword);
        output YYDDD(Chars(6));
        output YYDDMM(Chars(8));
        output YYMMDD(Chars(8));
        output YYYYDDD(Chars(8));
        output YYYYDDMM(Chars(10));
        output YYYYMMDD(Chars(10));
        @rules
            OptionRule::Needs("STRINGFORMAT", &["DATESTRING"]),
            OptionRule::Needs("STRINGZONE", &["DATESTRING"]);
        @conditions Error, InvReq(1, 2);
    }

    command! {
        /// Turns a date and time stamp into milliseconds since 1900.
        converttime 0x8411 0x4A06 "CONVERTTIME" "CONVERTTIME" Time Worker;
        input DATESTRING(Area) [required];
        output ABSTIME(Packed(15)) [required];
        @conditions InvReq(1, 2, 3, 4, 5, 6);
    }

    command! {
        /// Waits for a while or until a time.
        delay 0x1004 eibfn "DELAY" "DELAY" Time Region;
        input INTERVAL(HhMmSs);
        input TIME(HhMmSs);
        flag FOR;
        flag UNTIL;
        input HOURS(Fullword);
        input MINUTES(Fullword);
        input SECONDS(Fullword);
        input MILLISECS(Fullword);
        input REQID(Name(8));
        @rules
            OptionRule::AtMostOne(&["INTERVAL", "TIME", "FOR", "UNTIL"]),
            OptionRule::Needs("FOR", &["HOURS", "MINUTES", "SECONDS", "MILLISECS"]),
            OptionRule::Needs("UNTIL", &["HOURS", "MINUTES", "SECONDS"]),
            OptionRule::Needs("HOURS", &["FOR", "UNTIL"]),
            OptionRule::Needs("MINUTES", &["FOR", "UNTIL"]),
            OptionRule::Needs("SECONDS", &["FOR", "UNTIL"]),
            OptionRule::Needs("MILLISECS", &["FOR"]);
        @conditions Expired, InvReq(4, 5, 6, 7, 22);
    }

    command! {
        /// Has an event control area posted after a while or at a time.
        post 0x1006 eibfn "POST" "POST" Time Region;
        input INTERVAL(HhMmSs);
        input TIME(HhMmSs);
        flag AFTER;
        flag AT;
        input HOURS(Fullword);
        input MINUTES(Fullword);
        input SECONDS(Fullword);
        output SET(PtrRef) [required];
        input REQID(Name(8));
        @rules
            OptionRule::AtMostOne(&["INTERVAL", "TIME", "AFTER", "AT"]),
            OptionRule::Needs("AFTER", &["HOURS", "MINUTES", "SECONDS"]),
            OptionRule::Needs("AT", &["HOURS", "MINUTES", "SECONDS"]),
            OptionRule::Needs("HOURS", &["AFTER", "AT"]),
            OptionRule::Needs("MINUTES", &["AFTER", "AT"]),
            OptionRule::Needs("SECONDS", &["AFTER", "AT"]);
        @conditions Expired, InvReq(4, 5, 6);
    }

    command! {
        /// Waits until an event control area is posted.
        wait_event 0x1202 eibfn "WAIT EVENT" "WAIT" ["EVENT"] Time Region;
        flag EVENT;
        input ECADDR(PtrValue) [required];
        input NAME(Name(8));
        @conditions InvReq(2, 4);
    }

    command! {
        /// Waits until one of several event control blocks is posted.
        wait_external 0x8401 0x5E22 "WAIT EXTERNAL" "WAIT" ["EXTERNAL"] Time Worker;
        flag EXTERNAL;
        input ECBLIST(PtrValue) [required];
        input NUMEVENTS(Fullword) [required];
        flag PURGEABLE;
        input PURGEABILITY(Cvda);
        flag NOTPURGEABLE;
        input NAME(Name(8));
        @rules OptionRule::AtMostOne(&["PURGEABLE", "PURGEABILITY", "NOTPURGEABLE"]);
        @conditions InvReq(1, 3, 4, 5);
    }

    command! {
        /// Waits until one of several event control blocks is posted, by hand too.
        waitcics 0x8402 0x5E32 "WAITCICS" "WAITCICS" Time Worker;
        input ECBLIST(PtrValue) [required];
        input NUMEVENTS(Fullword) [required];
        flag PURGEABLE;
        input PURGEABILITY(Cvda);
        flag NOTPURGEABLE;
        input NAME(Name(8));
        @rules OptionRule::AtMostOne(&["PURGEABLE", "PURGEABILITY", "NOTPURGEABLE"]);
        @conditions InvReq(1, 3, 4, 5);
    }
}
