//! One bar: the slices of an exchange or a capture, side by side, each kind in
//! its own colour everywhere.

use measure::report::escape;

use super::{ms, percent};
use crate::EvidenceKind;

/// A bar of parts, each with a kind, a name and nanoseconds.
pub(super) fn slice_bar(parts: &[(EvidenceKind, String, i64)]) -> String {
    let total: i64 = parts.iter().map(|(.., ns)| ns).sum();
    if total <= 0 {
        return String::new();
    }
    let mut bar = String::new();
    let mut keys = String::new();
    let mut x = 0.0;
    for (kind, name, ns) in parts {
        let width = percent(*ns, total) * WIDTH / 100.0;
        let fill = fill(*kind);
        let name = escape(name);
        bar += &format!(
            r#"<rect x="{x:.2}" y="0" width="{width:.2}" height="26" {fill}><title>{name}: {} ms</title></rect>"#,
            ms(*ns)
        );
        if percent(*ns, total) >= LEAST_PERCENT {
            keys += &format!(
                r#"<span class=key><svg viewBox="0 0 12 12" style="width:12px;display:inline-block;vertical-align:-1px;margin-right:5px"><rect width="12" height="12" {fill}/></svg>{name} {:.0} %</span> "#,
                percent(*ns, total)
            );
        }
        x += width;
    }
    format!(
        r#"<svg viewBox="0 0 {WIDTH} 26" preserveAspectRatio="none" style="height:26px">{bar}</svg><p>{keys}</p>"#
    )
}

/// The colour of a kind; unexplained time is paler.
fn fill(kind: EvidenceKind) -> String {
    let (colour, opacity) = paint(kind);
    format!(r#"style="fill:{colour}" opacity="{opacity}""#)
}

/// The colour of a kind and its opacity, the same in bars and pictures.
pub(super) fn paint(kind: EvidenceKind) -> (String, f64) {
    let colour = format!("var(--c{})", kind.colour());
    match kind {
        EvidenceKind::Unexplained => ("var(--faint)".to_owned(), 1.0),
        EvidenceKind::Chatty | EvidenceKind::MtuBlackHole => (colour, 0.6),
        _ => (colour, 1.0),
    }
}

/// Width in the picture's own units.
const WIDTH: f64 = 1000.0;

/// Smaller parts have no key.
const LEAST_PERCENT: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_look_the_same() {
        let mut fills: Vec<String> = EvidenceKind::ALL.iter().map(|kind| fill(*kind)).collect();
        fills.sort_unstable();
        fills.dedup();
        assert_eq!(fills.len(), EvidenceKind::COUNT);
    }
}
