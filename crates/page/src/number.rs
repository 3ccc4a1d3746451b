//! Numbers as reports show them, in tables, in tiles and on axes.

/// A number with few digits: "0.1", "1500", "12.5k", "1.2M".
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".into(),
        s if s >= 1e6 => format!("{:.1}M", value / 1e6),
        s if s >= 1e5 => format!("{:.0}k", value / 1e3),
        s if s >= 1e4 => format!("{:.1}k", value / 1e3).replace(".0k", "k"),
        s if s >= 100.0 => format!("{value:.0}"),
        s if s >= 1.0 => format!("{value:.2}"),
        s if s >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    };
    if text.contains('.') && !text.contains(['e', 'M', 'k']) {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (1.0, "1"),
            (2.5, "2.5"),
            (1500.0, "1500"),
            (20_000.0, "20k"),
            (12_500.0, "12.5k"),
            (130_000.0, "130k"),
            (0.00001, "1.0e-5"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
