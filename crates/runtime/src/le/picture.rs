//! Picture strings of the date and time services: how a date is written.
//!
//! A picture is a row of terms (`YYYY`, `ZD`, `Mmm`, `HH` and so on) and
//! delimiters. [`Picture::format`] writes a date by it, [`Picture::read`]
//! finds a date in a text. Years of two digits are in a range of a hundred
//! years, as CEESCEN sets it.
//! Reference: z/OS Language Environment programming reference, "Date and time
//! services tables", CEEDATE, CEEDAYS, CEESECS.
//!
//! Invariant: eras (`<JJJJ>` and its like) are refused, never guessed.

use base::calendar::{days_from_civil, days_in_month, is_leap_year};
use cics::time::{AbsTime, CivilTime};

use super::feedback::{self as fb, FeedbackCode};

/// A term of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PictureTerm {
    Year(usize),
    /// Number of the month; whether a leading zero is left out.
    Month(bool),
    Roman(bool),
    MonthName(NameFormat),
    Day(bool),
    DayOfYear,
    Hour(bool),
    Minute,
    Second,
    Fraction(usize),
    Meridiem(&'static str, &'static str),
    Weekday(NameFormat),
    Delimiter(u8),
}

/// How a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NameFormat {
    width: usize,
    upper: bool,
    /// Blanks at its end are left out.
    trim: bool,
}

/// A picture, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picture(Vec<PictureTerm>);

/// A moment as days and seconds of the Gregorian calendar count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GregorianMoment {
    /// Days since 14 October 1582.
    pub lilian: i64,
    /// Milliseconds of the day.
    pub ms: i64,
}

/// Which service reads: it decides the feedback for text that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Days,
    Seconds,
}

impl GregorianMoment {
    /// The moment of an absolute time.
    pub(super) fn of(time: AbsTime) -> GregorianMoment {
        GregorianMoment {
            lilian: time.0.div_euclid(DAY_MS) + DAYS_TO_1900,
            ms: time.0.rem_euclid(DAY_MS),
        }
    }

    /// Seconds since the beginning of 14 October 1582.
    pub(super) fn seconds(self) -> f64 {
        self.lilian as f64 * 86_400.0 + self.ms as f64 / 1000.0
    }

    /// The moment of a number of Lilian seconds; none out of range.
    pub(super) fn from_seconds(seconds: f64) -> Option<GregorianMoment> {
        if !(86_400.0..(LAST_LILIAN + 1) as f64 * 86_400.0).contains(&seconds) {
            return None;
        }
        let ms = (seconds * 1000.0) as i64;
        Some(GregorianMoment {
            lilian: ms.div_euclid(DAY_MS),
            ms: ms.rem_euclid(DAY_MS),
        })
    }

    /// Its date and time of day.
    pub(super) fn civil(self) -> CivilTime {
        AbsTime((self.lilian - DAYS_TO_1900) * DAY_MS + self.ms).civil()
    }
}

/// The Lilian day of a date; none if there is no such day or it is out of
/// range.
pub(super) fn lilian_day(year: i64, month: i64, day: i64) -> Result<i64, FeedbackCode> {
    if !(1..=12).contains(&month) {
        return Err(fb::MONTH);
    }
    if !(1582..=9999).contains(&year) {
        return Err(fb::OUT_OF_RANGE);
    }
    let (month, day) = (month as u32, u32::try_from(day).unwrap_or(0));
    if !(1..=days_in_month(year, month)).contains(&day) {
        return Err(fb::DATE);
    }
    in_range(days_from_civil(year, month, day) - DAYS_TO_1582)
}

fn in_range(lilian: i64) -> Result<i64, FeedbackCode> {
    if (1..=LAST_LILIAN).contains(&lilian) {
        Ok(lilian)
    } else {
        Err(fb::OUT_OF_RANGE)
    }
}

impl Picture {
    /// Reads a picture.
    pub(super) fn parse(text: &[u8]) -> Result<Picture, FeedbackCode> {
        let mut terms = Vec::new();
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let (term, length) = term(first, rest).ok_or(fb::PICTURE)?;
            terms.push(term);
            rest = &rest[length..];
        }
        if terms.is_empty() {
            return Err(fb::PICTURE);
        }
        Ok(Picture(terms))
    }

    /// Writes a moment.
    pub(super) fn format(&self, moment: GregorianMoment) -> String {
        let c = moment.civil();
        let twelve = self
            .0
            .iter()
            .any(|t| matches!(t, PictureTerm::Meridiem(..)));
        let hour = match (twelve, c.hour % 12) {
            (true, 0) => 12,
            (true, hour) => hour,
            (false, _) => c.hour,
        };
        let two = |n: u32, zeros_out: bool| {
            if zeros_out {
                n.to_string()
            } else {
                format!("{n:02}")
            }
        };
        self.0
            .iter()
            .map(|term| match *term {
                PictureTerm::Year(4) => format!("{:04}", c.year),
                PictureTerm::Year(2) => format!("{:02}", c.year % 100),
                PictureTerm::Year(_) => format!("{}", c.year % 10),
                PictureTerm::Month(z) => two(c.month, z),
                PictureTerm::Roman(z) => {
                    let roman = ROMAN[c.month as usize - 1];
                    if z {
                        roman.to_owned()
                    } else {
                        format!("{roman:<4}")
                    }
                }
                PictureTerm::MonthName(name) => name.write(MONTHS[c.month as usize - 1]),
                PictureTerm::Day(z) => two(c.day, z),
                PictureTerm::DayOfYear => format!("{:03}", c.day_of_year),
                PictureTerm::Hour(z) => two(hour, z),
                PictureTerm::Minute => two(c.minute, false),
                PictureTerm::Second => two(c.second, false),
                PictureTerm::Fraction(n) => format!("{:03}", c.millisecond)[..n].to_owned(),
                PictureTerm::Meridiem(am, pm) => if c.hour < 12 { am } else { pm }.to_owned(),
                PictureTerm::Weekday(name) => name.write(WEEKDAYS[c.day_of_week as usize]),
                PictureTerm::Delimiter(b) => char::from(b).to_string(),
            })
            .collect()
    }

    /// Finds a moment in a text. `century` is the first year of those with two
    /// digits.
    pub(super) fn read(
        &self,
        text: &[u8],
        century: i64,
        reader: Reader,
    ) -> Result<GregorianMoment, FeedbackCode> {
        let mut cursor = Cursor { text, reader };
        let mut terms = self.0.as_slice();
        if terms.first() == Some(&PictureTerm::Delimiter(b' ')) {
            while let [PictureTerm::Delimiter(b' '), more @ ..] = terms {
                cursor.text = cursor.text.get(1..).unwrap_or_default();
                terms = more;
            }
        } else {
            cursor.skip_blanks(usize::MAX);
        }
        let mut found = DateParts::default();
        for term in terms {
            if cursor.text.is_empty() {
                break;
            }
            cursor.take(*term, century, &mut found)?;
        }
        found.moment(reader)
    }
}

fn term(first: u8, rest: &[u8]) -> Option<(PictureTerm, usize)> {
    let run = |b: u8| rest.iter().take_while(|&&c| c == b).count();
    let starts = |text: &str| rest.starts_with(text.as_bytes());
    Some(match first {
        b'Y' => match run(b'Y') {
            n @ (1 | 2 | 4) => (PictureTerm::Year(n), n),
            _ => return None,
        },
        b'Z' if starts("ZM") && !starts("ZMM") => (PictureTerm::Month(true), 2),
        b'Z' if starts("ZD") => (PictureTerm::Day(true), 2),
        b'Z' if starts("ZH") => (PictureTerm::Hour(true), 2),
        b'M' if starts("MI") => (PictureTerm::Minute, 2),
        b'M' if run(b'M') == 2 && rest.get(2) != Some(&b'm') => (PictureTerm::Month(false), 2),
        b'M' => name(rest).map(|(n, length)| (PictureTerm::MonthName(n), length))?,
        b'W' => name(rest).map(|(n, length)| (PictureTerm::Weekday(n), length))?,
        b'R' if starts("RRRR") => (PictureTerm::Roman(false), 4),
        b'R' if starts("RRRZ") => (PictureTerm::Roman(true), 4),
        b'D' => match run(b'D') {
            2 => (PictureTerm::Day(false), 2),
            3 => (PictureTerm::DayOfYear, 3),
            _ => return None,
        },
        b'H' if starts("HH") => (PictureTerm::Hour(false), 2),
        b'S' if starts("SS") => (PictureTerm::Second, 2),
        b'9' => match run(b'9') {
            n @ 1..=3 => (PictureTerm::Fraction(n), n),
            _ => return None,
        },
        b'A' if starts("AP") => (PictureTerm::Meridiem("AM", "PM"), 2),
        b'A' if starts("A.P.") => (PictureTerm::Meridiem("A.M.", "P.M."), 4),
        b'a' if starts("ap") => (PictureTerm::Meridiem("am", "pm"), 2),
        b'a' if starts("a.p.") => (PictureTerm::Meridiem("a.m.", "p.m."), 4),
        b'<' => return None,
        b if b.is_ascii_alphanumeric() => return None,
        b => (PictureTerm::Delimiter(b), 1),
    })
}

/// A term for a name: its letter three to twenty times, the first a capital.
fn name(rest: &[u8]) -> Option<(NameFormat, usize)> {
    let upper = rest.get(1)?.is_ascii_uppercase();
    let letter = if upper {
        rest[0]
    } else {
        rest[0].to_ascii_lowercase()
    };
    let width = 1 + rest[1..].iter().take_while(|&&b| b == letter).count();
    let z = if upper { b'Z' } else { b'z' };
    // A Z in front of D, M or H belongs to the term that follows.
    let trim = rest.get(width) == Some(&z)
        && !(upper && rest.get(width + 1).is_some_and(|b| b"DMH".contains(b)));
    let name = NameFormat { width, upper, trim };
    (3..=20)
        .contains(&width)
        .then_some((name, width + usize::from(trim)))
}

impl NameFormat {
    fn write(self, name: &str) -> String {
        let text = if self.upper {
            name.to_uppercase()
        } else {
            name.to_owned()
        };
        if self.trim {
            return text;
        }
        let width = self.width;
        format!("{:<width$}", &text[..width.min(text.len())])
    }
}

/// What has been found of a date.
#[derive(Debug, Default)]
struct DateParts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: Option<i64>,
    minute: i64,
    second: i64,
    ms: i64,
    afternoon: Option<bool>,
}

impl DateParts {
    fn moment(&self, reader: Reader) -> Result<GregorianMoment, FeedbackCode> {
        let year = self.year.ok_or(fb::INSUFFICIENT)?;
        let lilian = match (self.day_of_year, self.month, self.day) {
            (Some(day), ..) => {
                if !(1582..=9999).contains(&year) {
                    return Err(fb::OUT_OF_RANGE);
                }
                if !(1..=365 + i64::from(is_leap_year(year))).contains(&day) {
                    return Err(fb::DATE);
                }
                in_range(days_from_civil(year, 1, 1) - DAYS_TO_1582 + day - 1)?
            }
            (None, Some(month), Some(day)) => lilian_day(year, month, day)?,
            _ => return Err(fb::INSUFFICIENT),
        };
        let ms = if reader == Reader::Days {
            0
        } else {
            self.time()?
        };
        Ok(GregorianMoment { lilian, ms })
    }

    fn time(&self) -> Result<i64, FeedbackCode> {
        let hour = self.hour.unwrap_or(0);
        let hour = match self.afternoon {
            Some(_) if !(1..=12).contains(&hour) => return Err(fb::HOURS),
            Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
            None => hour,
        };
        time_of_day(hour, self.minute, self.second, self.ms)
    }
}

/// Milliseconds of a time of day.
pub(super) fn time_of_day(
    hour: i64,
    minute: i64,
    second: i64,
    ms: i64,
) -> Result<i64, FeedbackCode> {
    for (value, limit, wrong) in [
        (hour, 24, fb::HOURS),
        (minute, 60, fb::MINUTES),
        (second, 60, fb::SECONDS),
        (ms, 1000, fb::MILLISECONDS),
    ] {
        if !(0..limit).contains(&value) {
            return Err(wrong);
        }
    }
    Ok(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

struct Cursor<'t> {
    text: &'t [u8],
    reader: Reader,
}

impl Cursor<'_> {
    fn mismatch(&self) -> FeedbackCode {
        match self.reader {
            Reader::Days => fb::DATE_TEXT,
            Reader::Seconds => fb::TIMESTAMP_TEXT,
        }
    }

    fn skip_blanks(&mut self, most: usize) {
        let blanks = self.text.iter().take_while(|&&b| b == b' ').count();
        self.text = &self.text[blanks.min(most)..];
    }

    fn digits(&mut self, most: usize) -> Result<i64, FeedbackCode> {
        let count = self
            .text
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_digit())
            .count();
        if count == 0 {
            return Err(self.mismatch());
        }
        let (digits, rest) = self.text.split_at(count);
        self.text = rest;
        Ok(digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    /// A word of letters, at most as wide as the name's term, and the blanks
    /// that fill it.
    fn word(&mut self, name: NameFormat) -> String {
        let most = if name.trim { usize::MAX } else { name.width };
        let count = self
            .text
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_alphabetic())
            .count();
        let word = self.text[..count].to_ascii_uppercase();
        self.text = &self.text[count..];
        if !name.trim {
            self.skip_blanks(name.width - count);
        }
        String::from_utf8_lossy(&word).into_owned()
    }

    fn take(
        &mut self,
        term: PictureTerm,
        century: i64,
        found: &mut DateParts,
    ) -> Result<(), FeedbackCode> {
        match term {
            PictureTerm::Year(1) => return Err(fb::PICTURE),
            PictureTerm::Year(2) => {
                let year = self.digits(2)?;
                found.year = Some(century + (year - century).rem_euclid(100));
            }
            PictureTerm::Year(_) => found.year = Some(self.digits(4)?),
            PictureTerm::Month(_) => found.month = Some(self.digits(2)?),
            PictureTerm::Day(_) => found.day = Some(self.digits(2)?),
            PictureTerm::DayOfYear => found.day_of_year = Some(self.digits(3)?),
            PictureTerm::Hour(_) => found.hour = Some(self.digits(2)?),
            PictureTerm::Minute => found.minute = self.digits(2)?,
            PictureTerm::Second => found.second = self.digits(2)?,
            PictureTerm::Fraction(n) => {
                let digits = self.text.len();
                let value = self.digits(n)?;
                let read = digits - self.text.len();
                found.ms = value * 10i64.pow(3 - read as u32);
            }
            PictureTerm::Roman(z) => {
                let word = self.word(NameFormat {
                    width: 4,
                    upper: true,
                    trim: z,
                });
                let at = ROMAN.iter().position(|r| *r == word);
                found.month = Some(at.ok_or(fb::MONTH)? as i64 + 1);
            }
            PictureTerm::MonthName(name) => {
                let word = self.word(name);
                let is = |m: &&str| {
                    let length = if name.trim {
                        m.len()
                    } else {
                        name.width.min(m.len())
                    };
                    m[..length].eq_ignore_ascii_case(&word)
                };
                let at = MONTHS.iter().position(is);
                found.month = Some(at.ok_or(fb::MONTH)? as i64 + 1);
            }
            PictureTerm::Weekday(name) => drop(self.word(name)),
            PictureTerm::Meridiem(am, _) => {
                let word: Vec<u8> = self.text.iter().take(am.len()).copied().collect();
                self.text = &self.text[word.len()..];
                match word.first().map(u8::to_ascii_uppercase) {
                    Some(b'A') => found.afternoon = Some(false),
                    Some(b'P') => found.afternoon = Some(true),
                    _ => return Err(self.mismatch()),
                }
            }
            PictureTerm::Delimiter(_) => {
                if self.text[0].is_ascii_alphanumeric() {
                    return Err(self.mismatch());
                }
                self.text = &self.text[1..];
            }
        }
        Ok(())
    }
}

const DAY_MS: i64 = 86_400_000;
/// Days from 14 October 1582 to 1 January 1900, as day 115,861.
const DAYS_TO_1900: i64 = 115_861;
/// Days from 1 January 1970 back to 14 October 1582.
const DAYS_TO_1582: i64 = -141_428;
/// 31 December 9999.
pub(super) const LAST_LILIAN: i64 = 3_074_324;
const ROMAN: [&str; 12] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(picture: &str) -> String {
        let lilian = lilian_day(1988, 5, 16).unwrap();
        let ms = time_of_day(20, 42, 29, 46).unwrap();
        Picture::parse(picture.as_bytes())
            .unwrap()
            .format(GregorianMoment { lilian, ms })
    }

    fn days(text: &str, picture: &str) -> Result<i64, FeedbackCode> {
        let picture = Picture::parse(picture.as_bytes())?;
        picture
            .read(text.as_bytes(), 1946, Reader::Days)
            .map(|m| m.lilian)
    }

    #[test]
    fn the_manuals_day_has_the_manuals_number() {
        assert_eq!(lilian_day(1988, 5, 16), Ok(148_138));
        assert_eq!(lilian_day(1582, 10, 15), Ok(1));
        assert_eq!(lilian_day(9999, 12, 31), Ok(LAST_LILIAN));
        assert_eq!(lilian_day(1582, 10, 14), Err(fb::OUT_OF_RANGE));
        assert_eq!(
            GregorianMoment {
                lilian: 148_138,
                ms: 0
            }
            .civil()
            .day_of_year,
            137
        );
    }

    #[test]
    fn the_manuals_pictures_are_written() {
        for (picture, text) in [
            ("YYMMDD", "880516"),
            ("YYYY-MM-DD", "1988-05-16"),
            ("ZM/ZD/YY", "5/16/88"),
            ("MM/DD/Y", "05/16/8"),
            ("DD-RRRR-YY", "16-V   -88"),
            ("DD Mmmmmmmmmm YY", "16 May        88"),
            ("Mmmmmmmmmz ZD, YYYY", "May 16, 1988"),
            ("YYYY/DDD", "1988/137"),
            ("YYYYMMDDHHMISS", "19880516204229"),
            ("YYYY-MM-DD HH:MI:SS.999", "1988-05-16 20:42:29.046"),
            ("WWW, ZM/ZD/YY HH:MI AP", "MON, 5/16/88 08:42 PM"),
            (
                "Wwwwwwwwwz, DD Mmm YYYY, ZH:MI AP",
                "Monday, 16 May 1988, 8:42 PM",
            ),
        ] {
            assert_eq!(written(picture), text, "{picture}");
        }
    }

    #[test]
    fn dates_are_read_as_the_manual_reads_them() {
        let day = lilian_day(1988, 6, 2);
        for (text, picture) in [
            ("6/2/88", "MM/DD/YY"),
            ("06/02/88", "MM/DD/YY"),
            ("060288", "MMDDYY"),
            ("88154", "YYDDD"),
            ("   1988-6-2  ", "YYYY-MM-DD"),
            ("THU, 2 june 1988", "WWW, ZD Mmmmmmmmmz YYYY"),
            ("02-VI  -88", "DD-RRRR-YY"),
            ("880602 and more", "YYMMDD"),
        ] {
            assert_eq!(days(text, picture), day, "{text} by {picture}");
        }
        assert_eq!(days("010126", "MMDDYY"), lilian_day(2026, 1, 1));
    }

    #[test]
    fn what_is_wrong_has_the_manuals_feedback() {
        for (text, picture, wrong) in [
            ("1988", "YYYYMMDD", fb::INSUFFICIENT),
            ("19880230", "YYYYMMDD", fb::DATE),
            ("15820101", "YYYYMMDD", fb::OUT_OF_RANGE),
            ("19881301", "YYYYMMDD", fb::MONTH),
            ("19880101", "yyyyMMDD", fb::PICTURE),
            ("<a>", "<JJJJ> YY", fb::PICTURE),
            ("1988AB01", "YYYYMMDD", fb::DATE_TEXT),
        ] {
            assert_eq!(days(text, picture), Err(wrong), "{text} by {picture}");
        }
    }

    proptest! {
        #[test]
        fn no_text_and_no_picture_panics(text in any::<Vec<u8>>(), picture in "[YMDHSWRZ9AaPp.:/ mwiI<]{0,30}", any in any::<Vec<u8>>()) {
            for picture in [picture.as_bytes(), any.as_slice()] {
                if let Ok(picture) = Picture::parse(picture) {
                    let _ = picture.read(&text, 1946, Reader::Seconds);
                    let _ = picture.format(GregorianMoment { lilian: 1, ms: 0 });
                }
            }
        }

        #[test]
        fn a_date_that_is_written_is_read_back(lilian in 1..=LAST_LILIAN, ms in 0..86_400_000i64) {
            for picture in ["YYYYMMDDHHMISS999", "Www, DD Mmm YYYY HH:MI:SS.999", "YYYY.DDD ZH:MI:SS.999 AP"] {
                let picture = Picture::parse(picture.as_bytes()).unwrap();
                let moment = GregorianMoment { lilian, ms };
                let text = picture.format(moment);
                prop_assert_eq!(picture.read(text.as_bytes(), 1946, Reader::Seconds), Ok(moment), "{}", text);
            }
        }
    }
}
