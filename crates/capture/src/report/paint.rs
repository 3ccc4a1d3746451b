//! The colour of each kind of evidence, the same in bars and pictures everywhere.

use page::chart::{ShareBar, SharePart};

use super::ms;
use crate::EvidenceKind;

/// The colour of a kind, a CSS value, and its opacity. Unexplained time is paler.
pub(super) fn paint(kind: EvidenceKind) -> (String, f64) {
    let colour = format!("var(--c{})", kind.colour());
    match kind {
        EvidenceKind::Unexplained => ("var(--faint)".to_owned(), 1.0),
        EvidenceKind::Chatty | EvidenceKind::MtuBlackHole => (colour, 0.6),
        _ => (colour, 1.0),
    }
}

/// The bar of an exchange or a capture: nanoseconds of each kind.
pub(super) fn share_bar(parts: impl IntoIterator<Item = (EvidenceKind, i64)>) -> ShareBar {
    let part = |(kind, ns): (EvidenceKind, i64)| {
        let (colour, opacity) = paint(kind);
        SharePart {
            name: kind.title().to_owned(),
            value: format!("{} ms", ms(ns)),
            size: ns as f64,
            colour,
            opacity,
        }
    };
    ShareBar {
        parts: parts.into_iter().map(part).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_look_the_same() {
        let paints = EvidenceKind::ALL.iter().map(|kind| paint(*kind));
        let mut paints: Vec<String> = paints.map(|paint| format!("{paint:?}")).collect();
        paints.sort_unstable();
        paints.dedup();
        assert_eq!(paints.len(), EvidenceKind::COUNT);
    }
}
