//! The result of negotiation: RU and window of each direction of each pair.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::negotiate::Flow;
use crate::sna::session::{Partner, pairs};
use crate::sna::source::{GENERAL, MODES};

pub(super) static RULE: Rule = Rule {
    name: "sna.session.effective",
    summary: "What negotiation gives the sessions of two nodes: RU size and window of each direction, won and lost sessions apart.",
    why: "Check these against what the products display for a live session. What is configured is \
          only where negotiation begins.",
    severity: Severity::Note,
    effect: None,
    sources: &[MODES, GENERAL],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for pair in pairs(documents) {
        let (station, partner) = (pair.mode.product.name(), pair.partner.name());
        let value = format!("mode {}: {station} and {partner}", pair.mode.name);
        let count = |n: Option<u32>| n.map_or(String::new(), |n| format!(" ({n} of the limit)"));
        let (won, lost) = (pair.counts().map(|c| c.0), pair.counts().map(|c| c.1));
        let reported = |who: &str, count: String, (out, back): (Flow, Flow)| {
            format!("{who} initiates{count}: {station} sends {out}; receives {back}")
        };
        let mut finding = Finding::at(&RULE, pair.mode.place(), value)
            .because(pair.mode.place(), reported(station, count(won), pair.won));
        let other = match &pair.partner {
            Partner::Host(host) => host.place(),
            Partner::Station(mode) => Some(mode.place()),
        };
        let other = other.unwrap_or_else(|| pair.mode.place());
        if let Some(ring) = pair.ring_taken() {
            finding = finding.needs(ring);
        }
        finding = finding.because(other, reported(&partner, count(lost), pair.lost));
        out.push(finding);
    }
}
