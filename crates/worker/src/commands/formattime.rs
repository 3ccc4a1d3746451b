//! FORMATTIME: an absolute time in its many forms.
//!
//! Reference: CICS API reference, FORMATTIME. The region's own form (DATE,
//! FULLDATE, DATEFORM) is MMDDYY, the default of the DATFORM system parameter.

use cics::command::commands::formattime as row;
use cics::cvda;
use cics::resp::Condition;
use cics::time::{AbsTime, DateForm};

use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

/// Dates with a separator.
const DATES: &[(u8, DateForm)] = &[
    (row::DATE, DateForm::Mmddyy),
    (row::FULLDATE, DateForm::Mmddyyyy),
    (row::DDMMYY, DateForm::Ddmmyy),
    (row::DDMMYYYY, DateForm::Ddmmyyyy),
    (row::MMDDYY, DateForm::Mmddyy),
    (row::MMDDYYYY, DateForm::Mmddyyyy),
    (row::YYDDD, DateForm::Yyddd),
    (row::YYDDMM, DateForm::Yyddmm),
    (row::YYMMDD, DateForm::Yymmdd),
    (row::YYYYDDD, DateForm::Yyyyddd),
    (row::YYYYDDMM, DateForm::Yyyyddmm),
    (row::YYYYMMDD, DateForm::Yyyymmdd),
];

/// 9999-12-31 23:59:59.999, the last time that has four digits for its year.
const LAST_MS: i64 = 255_611_289_599_999;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let given = call.int(row::ABSTIME).unwrap_or(-1);
    let absolute = AbsTime(match w.task.cut_time {
        Some((kept, whole)) if kept == given => whole,
        _ => given,
    });
    if !(0..=LAST_MS).contains(&absolute.0) {
        return condition(Condition::InvReq, 1);
    }
    let civil = absolute.civil();
    let date_separator = separator(call, row::DATESEP, '/');
    for (option, form) in DATES {
        if call.has(*option) {
            call.set_chars(*option, civil.date(*form, date_separator).as_bytes());
        }
    }
    if call.has(row::TIME) {
        call.set_chars(
            row::TIME,
            absolute.time(separator(call, row::TIMESEP, ':')).as_bytes(),
        );
    }
    call.set_chars(row::DATEFORM, b"MMDDYY");
    call.set_int(row::DAYCOUNT, absolute.day_count());
    call.set_int(row::DAYOFMONTH, i64::from(civil.day));
    call.set_int(row::DAYOFWEEK, i64::from(civil.day_of_week));
    call.set_int(row::MONTHOFYEAR, i64::from(civil.month));
    call.set_int(row::YEAR, civil.year);
    call.set_int(row::MILLISECONDS, i64::from(civil.millisecond));
    if call.has(row::DATESTRING) {
        return date_string(w, call, absolute);
    }
    Ok(())
}

/// The separator of an option: the given character, or the manual's default. Returns
/// `None` without the option.
fn separator(call: &CommandCall<'_>, option: u8, default: char) -> Option<char> {
    if !call.has(option) {
        return None;
    }
    let named = call.arg(option).and_then(|a| a.bytes().first().copied());
    Some(named.map_or(default, char::from))
}

fn date_string(w: &mut Worker, call: &CommandCall<'_>, absolute: AbsTime) -> CommandResult {
    let format = call
        .int(row::STRINGFORMAT)
        .map(|f| u32::try_from(f).unwrap_or(0));
    let utc = AbsTime(absolute.0 - w.clock.now().zone_ms).civil();
    let text = match format.map(cvda::name) {
        None | Some(Some("RFC1123")) => utc.rfc1123(),
        Some(Some("RFC3339")) => utc.rfc3339(),
        _ => return condition(Condition::InvReq, 2),
    };
    call.set_chars(row::DATESTRING, text.as_bytes());
    if let Some(zone) = cvda::value("UTC") {
        call.set_int(row::STRINGZONE, i64::from(zone));
    }
    Ok(())
}
