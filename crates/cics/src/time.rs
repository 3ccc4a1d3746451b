//! Absolute time: what ASKTIME, FORMATTIME and CONVERTTIME compute.
//!
//! An [`AbsTime`] counts milliseconds since 00:00 on 1 January 1900. CICS keeps
//! it in local time; the caller adds the zone's offset, since this module has
//! no clock and no zone.
//!
//! Reference: CICS TS API reference, ASKTIME, FORMATTIME and CONVERTTIME.

use base::calendar::{civil_from_days, days_from_civil, days_in_month};

/// Milliseconds since 00:00 on 1 January 1900.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AbsTime(pub i64);

/// A date and a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CivilTime {
    /// Year, such as 2003.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, 1 to 31.
    pub day: u32,
    /// Day of the year, 1 to 366.
    pub day_of_year: u32,
    /// Day of the week, Sunday is 0.
    pub day_of_week: u32,
    /// Hour, 0 to 23.
    pub hour: u32,
    /// Minute, 0 to 59.
    pub minute: u32,
    /// Second, 0 to 59.
    pub second: u32,
    /// Millisecond, 0 to 999.
    pub millisecond: u32,
}

/// The order of a date's parts, named as the options of FORMATTIME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateForm {
    /// 030401 is written YYMMDD.
    Yymmdd,
    /// YYDDMM
    Yyddmm,
    /// DDMMYY
    Ddmmyy,
    /// MMDDYY
    Mmddyy,
    /// YYDDD
    Yyddd,
    /// YYYYMMDD
    Yyyymmdd,
    /// YYYYDDMM
    Yyyyddmm,
    /// DDMMYYYY
    Ddmmyyyy,
    /// MMDDYYYY
    Mmddyyyy,
    /// YYYYDDD
    Yyyyddd,
}

impl AbsTime {
    /// From milliseconds since 1 January 1970.
    pub fn from_unix_ms(ms: i64) -> AbsTime {
        AbsTime(ms.saturating_add(UNIX_EPOCH_MS))
    }

    /// Milliseconds since 1 January 1970.
    pub fn unix_ms(self) -> i64 {
        self.0.saturating_sub(UNIX_EPOCH_MS)
    }

    /// The date and time of day.
    pub fn civil(self) -> CivilTime {
        let days = self.0.div_euclid(DAY_MS);
        let ms = self.0.rem_euclid(DAY_MS);
        let (year, month, day) = civil_from_days(days - UNIX_EPOCH_DAYS);
        let first = days_from_civil(year, 1, 1) + UNIX_EPOCH_DAYS;
        CivilTime {
            year,
            month,
            day,
            day_of_year: (days - first + 1) as u32,
            // 1 January 1900 was a Monday.
            day_of_week: (days + 1).rem_euclid(7) as u32,
            hour: (ms / 3_600_000) as u32,
            minute: (ms / 60_000 % 60) as u32,
            second: (ms / 1000 % 60) as u32,
            millisecond: (ms % 1000) as u32,
        }
    }

    /// The day's number; 1 January 1900 is day 1.
    pub fn day_count(self) -> i64 {
        self.0.div_euclid(DAY_MS) + 1
    }

    /// The time of day as FORMATTIME gives it: seconds rounded at 500
    /// milliseconds, never into the next day.
    pub fn time(self, separator: Option<char>) -> String {
        let ms = self.0.rem_euclid(DAY_MS);
        let seconds = ((ms + 500) / 1000).min(86_399);
        join(
            [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|n| format!("{n:02}")),
            separator,
        )
    }
}

impl CivilTime {
    /// The date in one of the orders, with a separator if one is asked for.
    pub fn date(&self, form: DateForm, separator: Option<char>) -> String {
        use DateForm::*;
        let year = match form {
            Yyyymmdd | Yyyyddmm | Ddmmyyyy | Mmddyyyy | Yyyyddd => format!("{:04}", self.year),
            _ => format!("{:02}", self.year.rem_euclid(100)),
        };
        let month = format!("{:02}", self.month);
        let day = format!("{:02}", self.day);
        match form {
            Yymmdd | Yyyymmdd => join([year, month, day], separator),
            Yyddmm | Yyyyddmm => join([year, day, month], separator),
            Ddmmyy | Ddmmyyyy => join([day, month, year], separator),
            Mmddyy | Mmddyyyy => join([month, day, year], separator),
            Yyddd | Yyyyddd => join([year, format!("{:03}", self.day_of_year)], separator),
        }
    }

    /// `Tue, 01 Apr 2003 10:01:02 GMT`; the time must be UTC.
    pub fn rfc1123(&self) -> String {
        format!(
            "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
            &DAYS[self.day_of_week as usize][..3],
            self.day,
            MONTHS[self.month as usize - 1],
            self.year,
            self.hour,
            self.minute,
            self.second
        )
    }

    /// `2003-04-01T10:01:02.498Z`; the time must be UTC.
    pub fn rfc3339(&self) -> String {
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            self.year, self.month, self.day, self.hour, self.minute, self.second, self.millisecond
        )
    }
}

/// Reads a date and time stamp in one of the four forms CONVERTTIME knows:
/// RFC 1123, RFC 3339, RFC 850 and the C function `asctime`. The result is UTC.
/// Returns `None` if the text has another form.
pub fn parse_date_string(text: &str) -> Option<AbsTime> {
    let text = text.trim_matches([' ', '\0']);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        // Tue, 01 Apr 2003 10:01:02 +0000
        [day, date, month, year, time, zone] if day.ends_with(',') => {
            known_day(day)?;
            stamp(
                number(year, 4)?,
                month_of(month)?,
                number(date, 2)?,
                time,
                zone,
            )
        }
        // Tuesday, 01-Apr-03 10:01:02 GMT
        [day, date, time, zone] if day.ends_with(',') => {
            known_day(day)?;
            let parts: Vec<&str> = date.split('-').collect();
            let [date, month, year] = parts.as_slice() else {
                return None;
            };
            let year = number(year, 2)?;
            let century = if year < 70 { 2000 } else { 1900 };
            stamp(
                century + year,
                month_of(month)?,
                number(date, 2)?,
                time,
                zone,
            )
        }
        // Tue Apr 1 10:01:02 2003
        [day, month, date, time, year] => {
            known_day(day)?;
            let date = date.parse().ok().filter(|_| date.len() <= 2)?;
            stamp(number(year, 4)?, month_of(month)?, date, time, "GMT")
        }
        [word] => rfc3339_stamp(word),
        _ => None,
    }
}

fn rfc3339_stamp(text: &str) -> Option<AbsTime> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at(at);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let ms: i64 = format!("{fraction:0<3.3}").parse().ok()?;
    let base = stamp(
        number(year, 4)?,
        number(month, 2)?,
        number(day, 2)?,
        time,
        zone,
    )?;
    Some(AbsTime(base.0 + ms))
}

/// Puts a stamp together; the zone is GMT, UT, UTC, Z or an offset.
fn stamp(year: i64, month: i64, day: i64, time: &str, zone: &str) -> Option<AbsTime> {
    let parts: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else {
        return None;
    };
    let (hour, minute, second) = (number(hour, 2)?, number(minute, 2)?, number(second, 2)?);
    let valid = year >= 1900
        && (1..=12).contains(&month)
        && (1..=i64::from(days_in_month(year, month as u32))).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !valid {
        return None;
    }
    let days = days_from_civil(year, month as u32, day as u32) + UNIX_EPOCH_DAYS;
    let ms = ((hour * 60 + minute) * 60 + second) * 1000;
    Some(AbsTime(days * DAY_MS + ms - zone_offset_ms(zone)?))
}

fn zone_offset_ms(zone: &str) -> Option<i64> {
    if ["GMT", "UT", "UTC", "Z"]
        .iter()
        .any(|z| zone.eq_ignore_ascii_case(z))
    {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = zone[1..].replacen(':', "", 1);
    let (hours, minutes) = (number(digits.get(..2)?, 2)?, number(digits.get(2..)?, 2)?);
    if hours > 14 || minutes > 59 {
        return None;
    }
    Some(sign * (hours * 60 + minutes) * 60_000)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    if text.len() != digits || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn month_of(text: &str) -> Option<i64> {
    let at = MONTHS.iter().position(|m| m.eq_ignore_ascii_case(text))?;
    Some(at as i64 + 1)
}

fn known_day(text: &str) -> Option<()> {
    let name = text.trim_end_matches(',');
    DAYS.iter()
        .any(|d| d.eq_ignore_ascii_case(name) || d[..3].eq_ignore_ascii_case(name))
        .then_some(())
}

fn join<const N: usize>(parts: [String; N], separator: Option<char>) -> String {
    match separator {
        Some(c) => parts.join(c.encode_utf8(&mut [0; 4])),
        None => parts.concat(),
    }
}

const DAY_MS: i64 = 86_400_000;
/// Days from 1 January 1900 to 1 January 1970.
const UNIX_EPOCH_DAYS: i64 = 25_567;
const UNIX_EPOCH_MS: i64 = UNIX_EPOCH_DAYS * DAY_MS;
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manuals_example_is_formatted_as_in_the_manual() {
        let time = AbsTime(2_837_962_864_828);
        assert_eq!(time.civil().date(DateForm::Ddmmyy, Some('-')), "06-12-89");
        assert_eq!(time.time(Some(':')), "19:01:05");
        assert_eq!(time.time(None), "190105");
        assert_eq!(time.civil().second, 4);
    }

    #[test]
    fn dates_come_in_every_order() {
        let c = parse_date_string("2003-04-01T10:01:02.498Z")
            .unwrap()
            .civil();
        for (form, plain, dashed) in [
            (DateForm::Yymmdd, "030401", "03-04-01"),
            (DateForm::Yyddmm, "030104", "03-01-04"),
            (DateForm::Ddmmyy, "010403", "01-04-03"),
            (DateForm::Mmddyy, "040103", "04-01-03"),
            (DateForm::Yyddd, "03091", "03-091"),
            (DateForm::Yyyymmdd, "20030401", "2003-04-01"),
            (DateForm::Yyyyddmm, "20030104", "2003-01-04"),
            (DateForm::Ddmmyyyy, "01042003", "01-04-2003"),
            (DateForm::Mmddyyyy, "04012003", "04-01-2003"),
            (DateForm::Yyyyddd, "2003091", "2003-091"),
        ] {
            assert_eq!(c.date(form, None), plain);
            assert_eq!(c.date(form, Some('-')), dashed);
        }
        assert_eq!((c.day_of_week, c.millisecond), (2, 498));
    }

    #[test]
    fn every_stamp_the_manual_names_is_read() {
        let wanted = parse_date_string("2003-04-01T10:01:02Z").unwrap();
        for text in [
            "Tue, 01 Apr 2003 10:01:02 +0000",
            "Tue, 01 Apr 2003 10:01:02 GMT",
            "Tuesday, 01-Apr-03 10:01:02 GMT",
            "Tue Apr  1 10:01:02 2003",
            "2003-04-01T12:01:02+02:00",
            "2003-04-01T10:01:02Z\0\0\0   ",
        ] {
            assert_eq!(parse_date_string(text), Some(wanted), "{text}");
        }
        assert_eq!(wanted.civil().rfc1123(), "Tue, 01 Apr 2003 10:01:02 GMT");
        assert_eq!(wanted.civil().rfc3339(), "2003-04-01T10:01:02.000Z");
        let old = parse_date_string("Friday, 13-Feb-98 15:30:00 GMT").unwrap();
        assert_eq!(old.civil().year, 1998);
    }

    #[test]
    fn what_is_no_stamp_is_refused() {
        for text in [
            "",
            "yesterday",
            "2003-02-29T10:01:02Z",
            "2003-04-01T24:01:02Z",
            "2003-04-01T10:01:02",
            "2003-04-01T10:01:02.Z",
            "Tue, 01 Apr 2003 10:01 GMT",
            "Xxx, 01 Apr 2003 10:01:02 GMT",
            "2003-04-01T10:01:02+é",
        ] {
            assert_eq!(parse_date_string(text), None, "{text}");
        }
    }

    #[test]
    fn days_and_dates_agree_over_four_centuries() {
        for days in (-200_000..200_000).step_by(13) {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days);
        }
        assert_eq!(
            AbsTime(0).civil().date(DateForm::Yyyymmdd, None),
            "19000101"
        );
        assert_eq!(AbsTime(0).day_count(), 1);
        assert_eq!(AbsTime::from_unix_ms(0).civil().day_of_week, 4);
    }

    #[test]
    fn the_last_half_second_stays_in_its_day() {
        assert_eq!(AbsTime(DAY_MS - 1).time(None), "235959");
    }
}
