//! VPACING: the window between VTAM and the boundary of the network.

use super::coded::CodedSetting;
use super::tiers::tiers;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::applications::applications;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, VTAM};

/// The guide's window.
const WINDOW: u32 = 32;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.vtam.vpacing",
    summary: "VPACING is coded below 32.",
    why: "VPACING paces the first stage, between VTAM and the boundary. 0 means no pacing there, which \
          lets a fast host flood the boundary's buffers; a small window makes it wait. The guide's \
          measured network went from 0 to 32.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_6_7, VTAM],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut look = |vpacing: CodedSetting<'_>| {
        if vpacing.number().is_some_and(|n| n < WINDOW) {
            out.push(vpacing.finding(&RULE).code(vpacing.line("32")));
        }
    };
    for (document, appl) in applications(documents) {
        look(CodedSetting::on(document, appl, &["VPACING"]));
    }
    for kind in [&vtam::MAJOR, &vtam::NCP] {
        for document in documents.of(kind) {
            // Terminals and printers are paced by their own measure.
            for tier in tiers(document).iter().filter(|t| t.independent) {
                look(CodedSetting::on(document, tier.statement, &["VPACING"]));
            }
        }
    }
}
