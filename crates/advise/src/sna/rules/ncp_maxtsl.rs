//! MAXTSL: the frames that NCP takes from the ring.

use std::collections::HashSet;

use super::coded::once;
use super::rings::{TIC1, rings};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::source::{FIGURES_6_7, NCP};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.maxtsl",
    summary: "MAXTSL is not what the ring's adapter does best.",
    why: "MAXTSL bounds the frames between NCP and its stations. A TIC1 must not exceed 1,108 bytes; \
          a TIC2 does best with 4,060 at 4 Mb/s and 16,000 at 16 Mb/s.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut reported = HashSet::new();
    for ring in rings(documents).iter().filter(|r| !r.subarea()) {
        let maxtsl = ring.coded("MAXTSL");
        let (want, adapter) = ring.advised();
        let good = match (maxtsl.operand, maxtsl.number()) {
            // The default of an old adapter is not too much.
            (None, _) => want == TIC1,
            // Not a number: its reader has said so.
            (Some(_), None) => true,
            (Some(_), Some(frame)) => frame == want || (want == TIC1 && frame < want),
        };
        if good || !once(&mut reported, &maxtsl) {
            continue;
        }
        let mut finding = maxtsl
            .finding(&RULE)
            .code(maxtsl.line(&want.to_string()))
            .needs(adapter);
        if want == TIC1 {
            finding = finding.severity(FindingSeverity::Warning);
        }
        out.push(finding.needs("partners that take frames of this length"));
    }
}
