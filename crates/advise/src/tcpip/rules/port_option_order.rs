//! Options of PORT out of their order.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::{PORT_OPTIONS, PlacedWord, Port};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.port.option-order",
    summary: "Options of a PORT or PORTRANGE entry are in another order than the syntax \
              demands.",
    why: "NOAUTOLOG, DELAYACKS or NODELAYACKS, SHAREPORT, BIND and SAF must come in this order; \
          an entry in another order is in error, and its NODELAYACKS with it.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[ip::PORT],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        for port in &profile.ports {
            if let Some((word, code)) = out_of_order(port) {
                findings.push(
                    TuningFinding::at(&RULE, document.place(word.at), &*word.text).code(code),
                );
            }
        }
    }
}

/// The first option that should be further left, and the entry in order.
fn out_of_order(port: &Port) -> Option<(&PlacedWord, String)> {
    // BIND and SAF take the next word along.
    let mut groups: Vec<(usize, Vec<&PlacedWord>)> = Vec::new();
    for word in &port.options {
        let rank = PORT_OPTIONS.iter().position(|o| word.is(o));
        match (rank, groups.last_mut()) {
            (Some(rank), _) => groups.push((rank, vec![word])),
            (None, Some((_, words))) => words.push(word),
            (None, None) => return None,
        }
    }
    let wrong = groups.windows(2).find(|pair| pair[1].0 < pair[0].0)?;
    let word = wrong[1].1[0];
    groups.sort_by_key(|(rank, _)| *rank);
    let words = groups
        .iter()
        .flat_map(|(_, words)| words)
        .map(|w| w.text.as_str());
    Some((word, port.statement(words)))
}
