//! Sessions of one mode whose RU sizes depend on the sender of the BIND.

use super::coded::entry;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::session::{DEFAULT_RU, SessionPair, SessionPartner, pairs};
use crate::sna::source::MODES;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.session.unlike",
    summary: "Sessions that one end wins have other RU sizes than sessions that it loses.",
    why: "The values of a session come from its initiator's mode and are only ever lowered. Where \
          the two ends' modes differ, or one end has no such mode, a conversation is fast or slow \
          by the session that happens to be free.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MODES],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents) {
        let Some((won, lost)) = sizes(&pair) else {
            continue;
        };
        let place = match &pair.partner {
            SessionPartner::Host(host) => host.place(),
            SessionPartner::Station(mode) => Some(mode.place()),
        };
        let value = difference_text(&pair);
        let mut finding =
            TuningFinding::at(&RULE, place.unwrap_or_else(|| pair.mode.place()), value);
        if let SessionPartner::Host(host) = &pair.partner {
            finding = match &host.entry {
                None if lost == DEFAULT_RU && !pair.mode.name.is_empty() => {
                    finding.code(entry(&pair.mode.name)).needs(format!(
                        "{} has no {}, so VTAM's default of {DEFAULT_RU} bytes holds",
                        host.table(),
                        pair.mode.name
                    ))
                }
                _ => finding.needs(format!(
                    "RUSIZES, SENDSIZE and RECEIVESIZE of {} bytes or more, both halves alike",
                    won.max(lost)
                )),
            };
        }
        if let Some(ring) = pair.ring_taken() {
            finding = finding.needs(ring);
        }
        out.push(finding.because(
            pair.mode.place(),
            format!("the {} side of the mode", pair.mode.product.name()),
        ));
    }
}

/// The RUs of won and lost sessions, in the direction with the largest difference.
/// Returns `None` if they are equal in both directions.
pub(super) fn sizes(pair: &SessionPair<'_>) -> Option<(u32, u32)> {
    let of = |won: Option<u32>, lost: Option<u32>| Some((won?, lost?)).filter(|(w, l)| w != l);
    let directions = [
        of(pair.won.0.ru, pair.lost.0.ru),
        of(pair.won.1.ru, pair.lost.1.ru),
    ];
    directions
        .into_iter()
        .flatten()
        .max_by_key(|(w, l)| w.abs_diff(*l))
}

/// The difference as text.
pub(super) fn difference_text(pair: &SessionPair<'_>) -> String {
    let (won, lost) = sizes(pair).unwrap_or_default();
    let (station, partner) = (pair.mode.product.name(), pair.partner.name());
    let count = |n: u32| match n {
        1 => "1 session".to_owned(),
        n => format!("{n} sessions"),
    };
    let counts = match pair.counts() {
        Some((w, l)) => format!(": {} of {won} bytes, {} of {lost}", count(w), count(l)),
        None => String::new(),
    };
    format!(
        "mode {}: RU {won} where {station} initiates, RU {lost} where {partner} initiates{counts}",
        pair.mode.name
    )
}
