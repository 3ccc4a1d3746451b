//! The result of negotiation: RU and window of each direction of each pair.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::negotiate::Flow;
use crate::sna::session::{SessionPartner, pairs};
use crate::sna::source::{GENERAL, MODES};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.session.effective",
    summary: "What negotiation gives the sessions of two nodes: RU size and window of each direction, won and lost sessions apart.",
    why: "Check these against what the products display for a live session. What is configured is \
          only where negotiation begins.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[MODES, GENERAL],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents) {
        let (station, partner) = (pair.mode.product.name(), pair.partner.name());
        let value = format!("mode {}: {station} and {partner}", pair.mode.name);
        let count = |n: Option<u32>| n.map_or(String::new(), |n| format!(" ({n} of the limit)"));
        let (won, lost) = (pair.counts().map(|c| c.0), pair.counts().map(|c| c.1));
        let reported = |who: &str, count: String, (out, back): (Flow, Flow)| {
            format!("{who} initiates{count}: {station} sends {out}; receives {back}")
        };
        let mut finding = TuningFinding::at(&RULE, pair.mode.place(), value)
            .because(pair.mode.place(), reported(station, count(won), pair.won));
        let other = match &pair.partner {
            SessionPartner::Host(host) => host.place(),
            SessionPartner::Station(mode) => Some(mode.place()),
        };
        let other = other.unwrap_or_else(|| pair.mode.place());
        if let Some(ring) = pair.ring_taken() {
            finding = finding.needs(ring);
        }
        finding = finding.because(other, reported(&partner, count(lost), pair.lost));
        out.push(finding);
    }
}
