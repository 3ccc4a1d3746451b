//! When something is to happen: the forms of time that interval control takes.
//!
//! Reference: CICS application programming, "Expiration times": a time of day
//! up to six hours ago has passed, any other one is still to come.

use cics::resp::Condition;
use link::CommandOperands;

use crate::kernel::{CommandFailure, KernelContext};

/// The indexes of a command's options that say when.
pub struct TimeOptions {
    /// INTERVAL, hhmmss from now.
    pub interval: u8,
    /// TIME, hhmmss of the day.
    pub time: u8,
    /// HOURS, MINUTES and SECONDS are a time of day, UNTIL or AT; without it
    /// they count from now.
    pub of_day: u8,
    /// HOURS.
    pub hours: u8,
    /// MINUTES.
    pub minutes: u8,
    /// SECONDS.
    pub seconds: u8,
    /// MILLISECS, where the command has it.
    pub millisecs: Option<u8>,
}

const SECOND_NS: u64 = 1_000_000_000;
const DAY_S: u64 = 24 * 3600;
/// A time of day that passed no longer ago than this has passed.
const RECENT_S: u64 = 6 * 3600;

impl TimeOptions {
    /// Whether the command names a time of day.
    pub fn is_of_day(&self, operands: &CommandOperands) -> bool {
        operands.has(self.time) || operands.has(self.of_day)
    }
}

/// The instant, in nanoseconds of the region's clock, that a command names;
/// now when it names none, and for a time of day that has passed.
pub fn when(
    operands: &CommandOperands,
    options: &TimeOptions,
    cx: &KernelContext<'_>,
) -> Result<u64, CommandFailure> {
    if let Some(time) = operands.get_int(options.time) {
        return of_day(hhmmss(time)?, cx);
    }
    if let Some(interval) = operands.get_int(options.interval) {
        return Ok(cx.now + hhmmss(interval)? * SECOND_NS);
    }
    let part = |option: u8| operands.get_int(option);
    let (h, m, s) = (
        part(options.hours),
        part(options.minutes),
        part(options.seconds),
    );
    let ms = options.millisecs.and_then(part);
    // A single part may be larger than one with other parts.
    let alone = [h, m, s, ms].iter().flatten().count() == 1;
    let checked = |value: Option<i64>, most: i64, resp2: u32| match value {
        None => Ok(0),
        Some(value) if (0..=most).contains(&value) => Ok(value as u64),
        Some(_) => Err(CommandFailure::Condition(Condition::InvReq, resp2)),
    };
    let hours = checked(h, 99, 4)?;
    let minutes = checked(m, if alone { 5_999 } else { 59 }, 5)?;
    let seconds = checked(s, if alone { 359_999 } else { 59 }, 6)?;
    let millisecs = checked(ms, if alone { 359_999_999 } else { 999 }, 22)?;
    let total = hours * 3600 + minutes * 60 + seconds;
    if operands.has(options.of_day) {
        return of_day(total, cx);
    }
    Ok(cx.now + total * SECOND_NS + millisecs * (SECOND_NS / 1000))
}

/// Seconds of an hhmmss number.
fn hhmmss(value: i64) -> Result<u64, CommandFailure> {
    let (h, m, s) = (value / 10_000, value / 100 % 100, value % 100);
    let wrong = |resp2| Err(CommandFailure::Condition(Condition::InvReq, resp2));
    match (h, m, s) {
        _ if value < 0 || h > 99 => wrong(4),
        (_, m, _) if m > 59 => wrong(5),
        (_, _, s) if s > 59 => wrong(6),
        _ => Ok((h * 3600 + m * 60 + s) as u64),
    }
}

/// A time of day. Hours above 23 mean a later day; any other time has passed
/// when it was at most six hours ago, before midnight or after.
fn of_day(seconds: u64, cx: &KernelContext<'_>) -> Result<u64, CommandFailure> {
    let day_ns = DAY_S * SECOND_NS;
    let local_ns = cx.kernel.settings.local_ns(cx.now);
    let of_day_ns = local_ns % day_ns;
    let named_ns = seconds * SECOND_NS;
    let wait_ns = if named_ns >= day_ns {
        named_ns - of_day_ns
    } else {
        let ago_ns = (of_day_ns + day_ns - named_ns) % day_ns;
        if ago_ns <= RECENT_S * SECOND_NS {
            return Ok(cx.now);
        }
        day_ns - ago_ns
    };
    // When the zone changes on the way, the clock on the wall shows another
    // time then than the one that was named.
    let at = cx.now + wait_ns;
    let shown_ns = cx.kernel.settings.local_ns(at) as i64;
    let ahead_ns = shown_ns - (local_ns + wait_ns) as i64;
    Ok(at.saturating_add_signed(-ahead_ns).max(cx.now))
}
