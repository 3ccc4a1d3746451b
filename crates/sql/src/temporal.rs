//! Dates, times and timestamps as text and as PostgreSQL's binary values.
//!
//! Db2 reads ISO, USA, EUR and JIS wherever a date is given as text; the server
//! can be set to one order of day and month only, so texts are read here.
//!
//! Reference: Db2 for z/OS SQL Reference, "String representations of datetime
//! values"; PostgreSQL 15, `date` is days and `timestamp` microseconds since
//! 2000-01-01.

use std::fmt;

use base::calendar::{civil_from_days, days_from_civil, days_in_month};

use crate::types::SqlType;

/// How dates and times become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateStyle {
    /// 2026-02-28, 13.45.59
    #[default]
    Iso,
    /// 02/28/2026, 01:45 PM
    Usa,
    /// 28.02.2026, 13.45.59
    Eur,
    /// 2026-02-28, 13:45:59
    Jis,
}

impl DateStyle {
    /// Db2's word for it.
    pub fn name(self) -> &'static str {
        match self {
            DateStyle::Iso => "ISO",
            DateStyle::Usa => "USA",
            DateStyle::Eur => "EUR",
            DateStyle::Jis => "JIS",
        }
    }

    /// The style of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            DateStyle::Iso,
            DateStyle::Usa,
            DateStyle::Eur,
            DateStyle::Jis,
        ];
        all.into_iter()
            .find(|s| s.name().eq_ignore_ascii_case(name))
    }
}

/// Why a text is not a date, time or timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DatetimeError {
    /// The text has none of the four forms.
    #[error("the text does not have the form of a date, time or timestamp")]
    Form,
    /// A month of 13, or the like.
    #[error("a part of the date, time or timestamp is out of range")]
    Range,
}

impl DatetimeError {
    /// -180 or -181.
    pub fn sqlcode(self) -> i32 {
        match self {
            DatetimeError::Form => -180,
            DatetimeError::Range => -181,
        }
    }
}

/// A day of the proleptic Gregorian calendar, years 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CivilDate {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to the month's last.
    pub day: u8,
}

/// A time of day, 00.00.00 to 24.00.00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CivilTime {
    /// 0 to 24.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
}

/// A date and a time with microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CivilTimestamp {
    /// The day.
    pub date: CivilDate,
    /// The time.
    pub time: CivilTime,
    /// 0 to 999,999.
    pub micros: u32,
}

impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for CivilTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }
}

impl fmt::Display for CivilTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{:06}", self.date, self.time, self.micros)
    }
}

/// Days from 1970-01-01 to 2000-01-01.
const EPOCH_DAYS: i64 = 10_957;
/// Microseconds of a day.
pub const DAY_MICROS: i64 = 86_400_000_000;

impl CivilDate {
    fn new(year: u16, month: u8, day: u8) -> Result<Self, DatetimeError> {
        let last = days_in_month(i64::from(year), u32::from(month));
        if year == 0 || day == 0 || u32::from(day) > last {
            return Err(DatetimeError::Range);
        }
        Ok(CivilDate { year, month, day })
    }

    /// Days since 2000-01-01.
    pub fn to_days(self) -> i32 {
        let (year, month, day) = (self.year.into(), self.month.into(), self.day.into());
        let days = days_from_civil(year, month, day) - EPOCH_DAYS;
        i32::try_from(days).unwrap_or(0)
    }

    /// The day this many days after 2000-01-01; `None` outside years 1 to 9999.
    pub fn from_days(days: i32) -> Option<Self> {
        let (year, month, day) = civil_from_days(i64::from(days) + EPOCH_DAYS);
        let year = u16::try_from(year).ok()?;
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        (1..=9999)
            .contains(&year)
            .then_some(CivilDate { year, month, day })
    }

    /// The date as text of 10 characters.
    pub fn format(self, style: DateStyle) -> String {
        let CivilDate { year, month, day } = self;
        match style {
            DateStyle::Iso | DateStyle::Jis => self.to_string(),
            DateStyle::Usa => format!("{month:02}/{day:02}/{year:04}"),
            DateStyle::Eur => format!("{day:02}.{month:02}.{year:04}"),
        }
    }
}

impl CivilTime {
    fn new(hour: u8, minute: u8, second: u8) -> Result<Self, DatetimeError> {
        let end = hour == 24 && minute == 0 && second == 0;
        if (hour > 23 && !end) || minute > 59 || second > 59 {
            return Err(DatetimeError::Range);
        }
        Ok(CivilTime {
            hour,
            minute,
            second,
        })
    }

    /// Microseconds since midnight.
    pub fn to_micros(self) -> i64 {
        let seconds = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60;
        (seconds + i64::from(self.second)) * 1_000_000
    }

    /// The time of day, fractions of a second cut; `None` beyond 24 hours.
    pub fn from_micros(micros: i64) -> Option<Self> {
        if !(0..=DAY_MICROS).contains(&micros) {
            return None;
        }
        let seconds = micros / 1_000_000;
        Some(CivilTime {
            hour: u8::try_from(seconds / 3600).ok()?,
            minute: u8::try_from(seconds / 60 % 60).ok()?,
            second: u8::try_from(seconds % 60).ok()?,
        })
    }

    /// The time as text of 8 characters.
    pub fn format(self, style: DateStyle) -> String {
        let CivilTime {
            hour,
            minute,
            second,
        } = self;
        match style {
            DateStyle::Iso | DateStyle::Eur => format!("{hour:02}.{minute:02}.{second:02}"),
            DateStyle::Jis => self.to_string(),
            DateStyle::Usa => {
                let half = if (12..24).contains(&hour) { "PM" } else { "AM" };
                // Midnight is 00:00 AM, the end of a day 12:00 AM.
                let shown = match hour {
                    0 if minute == 0 => 0,
                    0 | 24 => 12,
                    13..=23 => hour - 12,
                    _ => hour,
                };
                format!("{shown:02}:{minute:02} {half}")
            }
        }
    }
}

impl CivilTimestamp {
    /// Microseconds since 2000-01-01.
    pub fn to_micros(self) -> i64 {
        let days = i64::from(self.date.to_days());
        days * DAY_MICROS + self.time.to_micros() + i64::from(self.micros)
    }

    /// The timestamp; `None` outside years 1 to 9999.
    pub fn from_micros(micros: i64) -> Option<Self> {
        let days = i32::try_from(micros.div_euclid(DAY_MICROS)).ok()?;
        let rest = micros.rem_euclid(DAY_MICROS);
        Some(CivilTimestamp {
            date: CivilDate::from_days(days)?,
            time: CivilTime::from_micros(rest)?,
            micros: u32::try_from(rest % 1_000_000).ok()?,
        })
    }

    /// The timestamp as Db2 writes it, with this many digits of a second.
    pub fn format(self, digits: usize) -> String {
        let time = self.time.format(DateStyle::Iso);
        let fraction = format!("{:06}000000", self.micros);
        let digits = digits.min(12);
        if digits == 0 {
            return format!("{}-{time}", self.date);
        }
        format!("{}-{time}.{}", self.date, &fraction[..digits])
    }
}

/// Numbers of a text and the characters between them.
fn parts(text: &str) -> Option<(Vec<(u32, usize)>, String)> {
    let mut numbers: Vec<(u32, usize)> = Vec::new();
    let mut marks = String::new();
    let mut open = false;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            if !open {
                numbers.push((0, 0));
            }
            let (value, length) = numbers.last_mut()?;
            *value = value.checked_mul(10)?.checked_add(digit)?;
            *length += 1;
            open = true;
        } else {
            marks.push(c);
            open = false;
        }
        if numbers.len() > 8 || marks.len() > 10 {
            return None;
        }
    }
    Some((numbers, marks))
}

/// Reads a date in one of the four forms; blanks at its end are passed over.
pub fn parse_date(text: &str) -> Result<CivilDate, DatetimeError> {
    let text = text.trim_end();
    let (numbers, marks) = parts(text).ok_or(DatetimeError::Form)?;
    let [a, b, c] = numbers[..] else {
        // A timestamp's date counts where a date is wanted.
        return if numbers.len() > 5 {
            parse_timestamp(text).map(|t| t.date)
        } else {
            Err(DatetimeError::Form)
        };
    };
    let (year, month, day) = match marks.as_str() {
        "--" => (a, b, c),
        "//" => (c, a, b),
        ".." => (c, b, a),
        _ => return Err(DatetimeError::Form),
    };
    if year.1 != 4 || month.1 > 2 || day.1 > 2 {
        return Err(DatetimeError::Form);
    }
    let small = |n: u32| u8::try_from(n).unwrap_or(99);
    CivilDate::new(
        u16::try_from(year.0).unwrap_or(0),
        small(month.0),
        small(day.0),
    )
}

/// Reads a time in one of the four forms.
pub fn parse_time(text: &str) -> Result<CivilTime, DatetimeError> {
    let text = text.trim_end();
    let small = |n: u32| u8::try_from(n).unwrap_or(99);
    let upper = text.to_ascii_uppercase();
    let half = upper
        .strip_suffix("AM")
        .map(|t| (t, 0))
        .or(upper.strip_suffix("PM").map(|t| (t, 12)));
    if let Some((clock, more)) = half {
        let (numbers, marks) = parts(clock.trim_end()).ok_or(DatetimeError::Form)?;
        let (hour, minute) = match (&numbers[..], marks.as_str()) {
            ([hour], "") => (hour.0, 0),
            ([hour, minute], ":") => (hour.0, minute.0),
            _ => return Err(DatetimeError::Form),
        };
        // 00:00 AM is midnight, 12:00 AM the end of the day, 12:30 AM after midnight.
        let hour = match (hour, minute, more) {
            (0, 0, 0) => 0,
            (12, 0, 0) => 24,
            (12, _, more) => more,
            (h @ 1..=11, _, more) => h + more,
            _ => return Err(DatetimeError::Range),
        };
        return CivilTime::new(small(hour), small(minute), 0);
    }
    let (numbers, marks) = parts(text).ok_or(DatetimeError::Form)?;
    match (&numbers[..], marks.as_str()) {
        ([h, m], "." | ":") => CivilTime::new(small(h.0), small(m.0), 0),
        ([h, m, s], ".." | "::") => CivilTime::new(small(h.0), small(m.0), small(s.0)),
        _ if numbers.len() > 5 => parse_timestamp(text).map(|t| t.time),
        _ => Err(DatetimeError::Form),
    }
}

/// Reads a timestamp of either form; digits after the sixth are cut.
pub fn parse_timestamp(text: &str) -> Result<CivilTimestamp, DatetimeError> {
    let text = text.trim_end();
    let head = text.get(..19).unwrap_or(text);
    let rest = text.get(19..).unwrap_or("");
    let (numbers, marks) = parts(head).ok_or(DatetimeError::Form)?;
    let known = ["---..", "-- ::", "--T::", "-- ..", "---::"];
    let [y, mo, d, h, mi, s] = numbers[..] else {
        return parse_date(text).ok().filter(|_| numbers.len() == 3).map_or(
            Err(DatetimeError::Form),
            |date| {
                Ok(CivilTimestamp {
                    date,
                    time: CivilTime {
                        hour: 0,
                        minute: 0,
                        second: 0,
                    },
                    micros: 0,
                })
            },
        );
    };
    if !known.contains(&marks.as_str()) || y.1 != 4 {
        return Err(DatetimeError::Form);
    }
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    if digits.len() > 12 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(DatetimeError::Form);
    }
    let micros: u32 = format!("{digits:0<6}")[..6]
        .parse()
        .map_err(|_| DatetimeError::Form)?;
    let small = |n: (u32, usize)| u8::try_from(n.0).unwrap_or(99);
    let time = CivilTime::new(small(h), small(mi), small(s))?;
    if time.hour == 24 && micros > 0 {
        return Err(DatetimeError::Range);
    }
    Ok(CivilTimestamp {
        date: CivilDate::new(u16::try_from(y.0).unwrap_or(0), small(mo), small(d))?,
        time,
        micros,
    })
}

/// Whether a constant has the form of this type itself, so that it is read when
/// the statement is; others (a number of days, a timestamp) are the server's.
pub(crate) fn is_of_own_form(text: &str, sql_type: SqlType) -> bool {
    match sql_type {
        SqlType::Date => text.trim_end().len() <= 10 && text.contains(['-', '/', '.']),
        SqlType::Time => text.trim_end().len() <= 8 && text.contains(['.', ':']),
        _ => text.trim_end().len() >= 19,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_four_forms_are_one_day() {
        for text in [
            "2026-02-28",
            "02/28/2026",
            "28.02.2026",
            "2026-2-28  ",
            "28.2.2026",
        ] {
            assert_eq!(
                parse_date(text).unwrap().to_string(),
                "2026-02-28",
                "{text}"
            );
        }
        assert_eq!(parse_date("2026-13-01"), Err(DatetimeError::Range));
        assert_eq!(parse_date("30.02.2026"), Err(DatetimeError::Range));
        assert_eq!(parse_date("20260228"), Err(DatetimeError::Form));
    }

    #[test]
    fn days_count_from_the_year_2000_over_the_whole_calendar() {
        assert_eq!(parse_date("2000-01-01").unwrap().to_days(), 0);
        assert_eq!(parse_date("2026-11-28").unwrap().to_days(), 9828);
        for text in ["0001-01-01", "1600-02-29", "1999-12-31", "9999-12-31"] {
            let date = parse_date(text).unwrap();
            assert_eq!(CivilDate::from_days(date.to_days()), Some(date));
        }
        assert_eq!(CivilDate::from_days(i32::MAX), None);
    }

    #[test]
    fn times_of_four_forms_are_read_and_written() {
        let afternoon = parse_time("13.45.59").unwrap();
        assert_eq!(parse_time("13:45:59"), Ok(afternoon));
        assert_eq!(afternoon.format(DateStyle::Usa), "01:45 PM");
        assert_eq!(
            parse_time("01:45 PM").unwrap().format(DateStyle::Iso),
            "13.45.00"
        );
        assert_eq!(parse_time("24.00.00").unwrap().to_micros(), DAY_MICROS);
        assert_eq!(parse_time("24.00.01"), Err(DatetimeError::Range));
        assert_eq!(parse_time("12:30 AM").unwrap().hour, 0);
        assert_eq!(parse_time("12:00 AM").unwrap().hour, 24);
    }

    #[test]
    fn timestamps_keep_six_digits() {
        let stamp = parse_timestamp("2026-02-28-13.45.59.123456789012").unwrap();
        assert_eq!(stamp.format(6), "2026-02-28-13.45.59.123456");
        assert_eq!(
            parse_timestamp("2026-02-28 13:45:59").unwrap().format(0),
            "2026-02-28-13.45.59"
        );
        assert_eq!(CivilTimestamp::from_micros(stamp.to_micros()), Some(stamp));
        assert_eq!(
            parse_timestamp("2026-02-28-13.45"),
            Err(DatetimeError::Form)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "[0-9./: AMPT-]{0,32}|\\PC{0,24}") {
            let _ = (parse_date(&text), parse_time(&text), parse_timestamp(&text));
        }
    }
}
