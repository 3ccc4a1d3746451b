//! The string formats that are checked: what a client can get wrong and a
//! program cannot mend.

use base::calendar::days_in_month;

/// The formats that are checked, those of numbers too.
pub(crate) const CHECKED: [&str; 9] = [
    "date",
    "date-time",
    "uuid",
    "ipv4",
    "ipv6",
    "email",
    "byte",
    "int32",
    "int64",
];
/// Formats that say how a value is kept or shown, and refuse none.
pub(crate) const HINTS: [&str; 5] = ["float", "double", "decimal", "password", "binary"];

/// Whether `text` has the form that `format` names; unknown formats accept all.
pub(crate) fn accepts(format: &str, text: &str) -> bool {
    match format {
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        "uuid" => is_uuid(text),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "email" => text
            .split_once('@')
            .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()),
        "byte" => is_base64(text),
        _ => true,
    }
}

/// A description of a format's texts, with its article.
pub(crate) fn described(format: &str) -> String {
    match format {
        "byte" => "base64 text".into(),
        "ipv4" | "ipv6" => format!("an {} address", format.replace("ip", "IP")),
        "email" => "an e-mail address".into(),
        "uuid" => "a UUID".into(),
        other => format!("a {other}"),
    }
}

/// RFC 4648, section 4: the standard alphabet, padded to whole groups.
fn is_base64(text: &str) -> bool {
    let content = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - content.len() <= 2
        && content
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

fn digits(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(y), Some(m), Some(d)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    if (y.len(), m.len(), d.len()) != (4, 2, 2) {
        return false;
    }
    let (Some(y), Some(m), Some(d)) = (digits(y), digits(m), digits(d)) else {
        return false;
    };
    (1..=days_in_month(y.into(), m)).contains(&d)
}

/// RFC 3339: date, `T`, time with optional fraction, `Z` or an offset.
fn is_date_time(text: &str) -> bool {
    let (Some(date), Some(rest)) = (text.get(..10), text.get(10..)) else {
        return false;
    };
    let Some(time) = rest.strip_prefix(['T', 't']) else {
        return false;
    };
    let zone = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let hms = |text: &str, parts: usize| {
        let fields: Vec<_> = text.split(':').collect();
        fields.len() == parts
            && fields
                .iter()
                .zip([23, 59, 60])
                .all(|(f, max)| f.len() == 2 && digits(f).is_some_and(|n| n <= max))
    };
    let zone_ok = matches!(zone, "Z" | "z")
        || zone
            .strip_prefix(['+', '-'])
            .is_some_and(|offset| hms(offset, 2));
    let fraction_ok = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    is_date(date) && hms(clock, 3) && fraction_ok && zone_ok
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn dates_are_real_days() {
        assert!(accepts("date", "2024-02-29"));
        assert!(!accepts("date", "2023-02-29"));
        assert!(!accepts("date", "2023-2-09"));
        assert!(accepts("date-time", "2024-02-29T23:59:60.5+01:00"));
        assert!(!accepts("date-time", "2024-02-29 23:59:00Z"));
        assert!(!accepts("date-time", "2024-02-29T23:59:00"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            for format in ["date", "date-time", "uuid", "ipv6", "email", "byte"] {
                let _ = accepts(format, &text);
            }
        }
    }
}
