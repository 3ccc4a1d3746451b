//! Date and time services.
//!
//! Lilian days count from 14 October 1582, Lilian seconds from its beginning.
//! Reference: z/OS Language Environment programming reference, CEEDAYS,
//! CEEDATE, CEEDATM, CEESECS, CEEISEC, CEESECI, CEELOCT, CEEGMT, CEEGMTO,
//! CEEDYWK, CEECBLDY, CEEQCEN, CEESCEN.

use cics::time::AbsTime;

use super::arguments::{CallArguments, ServiceHost};
use super::feedback::{self as fb, FeedbackCode};
use super::picture::{GregorianMoment, LAST_LILIAN, Picture, Reader, lilian_day, time_of_day};
use super::services::{ServiceResult, text};

/// Lilian day of 31 December 1600, the day before the first of those that
/// COBOL's integer dates count.
const COBOL_EPOCH: i64 = 6_653;
/// Years that a range of two-digit years begins before this one, unless
/// CEESCEN says another.
const CENTURY: i64 = 80;
/// Pictures of a service when the program gives none: those of the United
/// States.
const DATE: &[u8] = b"MM/DD/YY";
const TIMESTAMP: &[u8] = b"MM/DD/YY HH:MI:SS AP";
/// Characters that CEEDATE and CEEDATM can give back.
const OUTPUT_CHARACTERS: usize = 80;

fn picture(args: &dyn CallArguments, at: usize, default: &[u8]) -> Result<Picture, FeedbackCode> {
    let text = text(args, at);
    let blank = text.iter().all(|b| matches!(b, b' ' | 0));
    Picture::parse(if blank { default } else { &text })
}

/// First of the hundred years that a year of two digits may mean.
fn first_of_century(host: &mut dyn ServiceHost) -> i64 {
    let year = host.now().local.civil().year;
    year - host.settings().century.unwrap_or(CENTURY)
}

fn read(
    host: &mut dyn ServiceHost,
    args: &dyn CallArguments,
    reader: Reader,
) -> Result<GregorianMoment, FeedbackCode> {
    let default = if reader == Reader::Days {
        DATE
    } else {
        TIMESTAMP
    };
    let picture = picture(args, 1, default)?;
    picture.read(&text(args, 0), first_of_century(host), reader)
}

pub(super) fn days(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let read = read(host, args, Reader::Days);
    args.set_int(2, read.map_or(0, |m| m.lilian));
    Ok(read.map(drop)?)
}

pub(super) fn cobol_days(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let read = read(host, args, Reader::Days).and_then(|m| match m.lilian - COBOL_EPOCH {
        day @ 1.. => Ok(day),
        _ => Err(fb::OUT_OF_RANGE),
    });
    args.set_int(2, read.unwrap_or(0));
    Ok(read.map(drop)?)
}

pub(super) fn seconds(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let read = read(host, args, Reader::Seconds);
    args.set_double(2, read.map_or(0.0, GregorianMoment::seconds));
    Ok(read.map(drop)?)
}

/// Writes a moment into argument 2; an invalid one as blanks.
fn write(
    args: &dyn CallArguments,
    moment: Result<GregorianMoment, FeedbackCode>,
    default: &[u8],
    cut: FeedbackCode,
) -> ServiceResult {
    let text = moment.and_then(|m| Ok(picture(args, 1, default)?.format(m)));
    args.set_chars(2, text.as_deref().unwrap_or_default().as_bytes());
    let room = args.size(2).min(OUTPUT_CHARACTERS);
    match text {
        Ok(text) if text.len() > room => Err(cut.into()),
        other => Ok(other.map(drop)?),
    }
}

pub(super) fn date(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let lilian = args.int(0);
    let moment = match lilian {
        1..=LAST_LILIAN => Ok(GregorianMoment { lilian, ms: 0 }),
        _ => Err(fb::LILIAN_RANGE),
    };
    write(args, moment, DATE, fb::DATE_CUT)
}

pub(super) fn timestamp(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let moment = GregorianMoment::from_seconds(args.double(0)).ok_or(fb::SECONDS_RANGE);
    write(args, moment, TIMESTAMP, fb::TIMESTAMP_CUT)
}

pub(super) fn day_of_week(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    match args.int(0) {
        // Day 1 was a Friday; Sunday is 1.
        lilian @ 1..=LAST_LILIAN => {
            args.set_int(1, (lilian + 4) % 7 + 1);
            Ok(())
        }
        _ => {
            args.set_int(1, 0);
            Err(fb::LILIAN_RANGE.into())
        }
    }
}

fn set_now(args: &dyn CallArguments, now: GregorianMoment) {
    args.set_int(0, now.lilian);
    args.set_double(1, now.seconds());
}

pub(super) fn local(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let now = GregorianMoment::of(host.now().local);
    set_now(args, now);
    let gregorian = Picture::parse(b"YYYYMMDDHHMISS999")?.format(now);
    args.set_chars(2, gregorian.as_bytes());
    Ok(())
}

pub(super) fn utc(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let now = host.now();
    set_now(
        args,
        GregorianMoment::of(AbsTime(now.local.0 - now.zone_ms)),
    );
    Ok(())
}

pub(super) fn utc_offset(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let seconds = host.now().zone_ms / 1000;
    args.set_int(0, seconds / 3600);
    args.set_int(1, seconds % 3600 / 60);
    args.set_double(2, seconds as f64);
    Ok(())
}

pub(super) fn integers_to_seconds(
    _host: &mut dyn ServiceHost,
    args: &dyn CallArguments,
) -> ServiceResult {
    let [year, month, day, hour, minute, second, ms] = std::array::from_fn(|at| args.int(at));
    let date = match year {
        1582..=9999 => lilian_day(year, month, day).map_err(|wrong| match wrong {
            fb::DATE => fb::DAY,
            other => other,
        }),
        _ => Err(fb::YEAR),
    };
    let moment = date.and_then(|lilian| {
        time_of_day(hour, minute, second, ms).map(|ms| GregorianMoment { lilian, ms })
    });
    args.set_double(7, moment.map_or(0.0, GregorianMoment::seconds));
    Ok(moment.map(drop)?)
}

pub(super) fn seconds_to_integers(
    _host: &mut dyn ServiceHost,
    args: &dyn CallArguments,
) -> ServiceResult {
    let Some(moment) = GregorianMoment::from_seconds(args.double(0)) else {
        (1..8).for_each(|at| args.set_int(at, 0));
        return Err(fb::SECONDS_RANGE.into());
    };
    let c = moment.civil();
    args.set_int(1, c.year);
    let rest = [c.month, c.day, c.hour, c.minute, c.second, c.millisecond];
    for (at, value) in (2..).zip(rest) {
        args.set_int(at, i64::from(value));
    }
    Ok(())
}

pub(super) fn century(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    args.set_int(0, host.settings().century.unwrap_or(CENTURY));
    Ok(())
}

pub(super) fn set_century(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    match args.int(0) {
        years @ 0..=100 => {
            host.settings().century = Some(years);
            Ok(())
        }
        _ => Err(fb::CENTURY.into()),
    }
}
