//! The Gregorian calendar, as days since 1 January 1970.
//!
//! Years are counted in eras of 400 that begin on 1 March, so that the leap day is the
//! last day of a year. Years before 1582 are counted by the same rules.
//!
//! Reference: Howard Hinnant, "chrono-compatible low-level date algorithms".
//! Invariant: no clock and no zone; the caller reads the one and adds the other.

/// Days from 1 January 1970 to a date: month from 1 to 12, day from 1.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_OF_ERA + day_of_era - DAYS_TO_1970
}

/// Year, month and day of a number of days since 1 January 1970.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + DAYS_TO_1970;
    let era = days.div_euclid(DAYS_OF_ERA);
    let day_of_era = days.rem_euclid(DAYS_OF_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = ((month_from_march + 2) % 12 + 1) as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Whether a year has a 29 February.
pub fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month from 1 to 12; zero for another month.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap_year(year)),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// `2003-04-01T10:01:02Z` of seconds since 1970.
pub fn rfc3339(unix_seconds: i64) -> String {
    let (year, month, day) = civil_from_days(unix_seconds.div_euclid(86_400));
    let second = unix_seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

const DAYS_OF_ERA: i64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const DAYS_TO_1970: i64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_each_others_reverse() {
        let mut expected = (1582, 10, 15);
        for days in days_from_civil(1582, 10, 15)..days_from_civil(2401, 3, 2) {
            let (year, month, day) = expected;
            assert_eq!(civil_from_days(days), expected);
            assert_eq!(days_from_civil(year, month, day), days);
            expected = match (month, day == days_in_month(year, month)) {
                (12, true) => (year + 1, 1, 1),
                (_, true) => (year, month + 1, 1),
                (_, false) => (year, month, day + 1),
            };
        }
    }

    #[test]
    fn known_days_have_their_numbers() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1900, 1, 1), -25_567),
            ((2000, 2, 29), 11_016),
            ((0, 3, 1), -719_468),
        ] {
            let (year, month, day) = date;
            assert_eq!(days_from_civil(year, month, day), days);
            assert_eq!(civil_from_days(days), date);
        }
        assert_eq!((days_in_month(1900, 2), days_in_month(2024, 2)), (28, 29));
        assert_eq!((days_in_month(2024, 0), days_in_month(2024, 13)), (0, 0));
        assert_eq!(rfc3339(1_049_191_262), "2003-04-01T10:01:02Z");
    }
}
