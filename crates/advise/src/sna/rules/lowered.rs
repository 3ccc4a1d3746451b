//! A station gets smaller RUs than its mode asks for.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{Ru, bulk};
use crate::sna::ru;
use crate::sna::session::{SessionPartner, pairs};
use crate::sna::source::{GENERAL, MATCHING};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.session.lowered",
    summary: "Negotiation lowers a station's RU below what its mode asks for.",
    why: "The configured size is not the one that data travels in. Raise the limit at the other end, \
          or what is configured here means nothing.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[GENERAL, MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents).into_iter().filter(|p| bulk(&p.mode.name)) {
        let Ru::Bytes(asked) = pair.mode.ru else {
            continue;
        };
        let flows = [pair.won.0, pair.won.1, pair.lost.0, pair.lost.1];
        let Some(least) = flows.iter().filter_map(|f| f.ru).min() else {
            continue;
        };
        if least >= ru::floor(asked) {
            continue;
        }
        let at = pair
            .mode
            .ru_operand
            .map_or(pair.mode.statement.at, |o| o.at);
        let value = format!(
            "mode {} asks for {asked}, sessions with {} have {least}",
            pair.mode.name,
            pair.partner.name()
        );
        let mut finding = TuningFinding::at(&RULE, pair.mode.document.place(at), value);
        if let Some(ring) = pair.ring_taken() {
            finding = finding.needs(ring);
        }
        let limit = match &pair.partner {
            SessionPartner::Host(host) => host.place(),
            SessionPartner::Station(mode) => Some(mode.place()),
        };
        if let Some(place) = limit {
            finding = finding.because(place, "the limit at the other end");
        }
        out.push(finding);
    }
}
