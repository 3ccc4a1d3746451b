//! Durations and sizes as text: `500ms`, `1m30s`, `64k`.

use std::time::Duration;

/// Parses a duration: numbers each with a unit (`ns`, `us`, `ms`, `s`, `m`,
/// `h`), or one bare number of seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write 500ms, 10s or 1m30s");
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| wrong());
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, tail) = rest.split_at(digits.ok_or_else(wrong)?);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, tail) = tail.split_at(letters.unwrap_or(tail.len()));
        let scale = match unit {
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        total += number.parse::<f64>().map_err(|_| wrong())? * scale;
        rest = tail;
    }
    if text.is_empty() {
        Err(wrong())
    } else {
        Duration::try_from_secs_f64(total).map_err(|_| wrong())
    }
}

/// A number with four significant digits and no trailing zeros.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A duration in nanoseconds, capped at 64 bits.
pub fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 4)
}

/// Parses a number of bytes with an optional `k`, `m` or `g` (powers of 1024),
/// also written `KB` or `KiB`.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a size; write 512, 64k or 1m");
    let lower = text.to_ascii_lowercase();
    let lower = lower.strip_suffix('b').unwrap_or(&lower);
    let lower = lower.strip_suffix('i').unwrap_or(lower);
    let (number, scale) = match lower.strip_suffix(['k', 'm', 'g']) {
        Some(number) if lower.ends_with('k') => (number, 1 << 10),
        Some(number) if lower.ends_with('m') => (number, 1 << 20),
        Some(number) => (number, 1 << 30),
        None => (lower, 1),
    };
    let number: usize = number.parse().map_err(|_| wrong())?;
    number.checked_mul(scale).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people_have_four_digits() {
        for (value, text) in [
            (26.666666666666668, "26.67"),
            (200.0, "200"),
            (123456.7, "123457"),
            (0.5, "0.5"),
            (1e-3, "0.001"),
            (0.0, "0"),
            (9.99999, "10"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn durations_and_sizes_are_read() {
        let ms = |text| parse_duration(text).map(|d| d.as_millis());
        assert_eq!(ms("500ms"), Ok(500));
        assert_eq!(ms("1m30s"), Ok(90_000));
        assert_eq!(ms("2"), Ok(2000));
        assert_eq!(ms("0.5s"), Ok(500));
        for wrong in ["", "s", "5x", "-1s", "1s5", "nan", "1e999"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        for same in ["64K", "64kb", "64KiB", "65536"] {
            assert_eq!(parse_size(same), Ok(65_536));
        }
        assert!(parse_size("b").is_err());
        assert!(parse_size("99999999999999999999g").is_err());
        assert!(parse_size("k").is_err());
    }
}
