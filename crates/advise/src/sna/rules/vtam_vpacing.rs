//! VPACING: the window between VTAM and the boundary of the network.

use super::coded::Coded;
use super::tiers::tiers;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::applications::applications;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, VTAM};

/// The guide's window.
const WINDOW: u32 = 32;

pub(super) static RULE: Rule = Rule {
    name: "sna.vtam.vpacing",
    summary: "VPACING is coded below 32.",
    why: "VPACING paces the first stage, between VTAM and the boundary. 0 is no pacing there, which \
          lets a fast host flood the boundary's buffers; a small window makes it wait. The guide's \
          measured network went from 0 to 32.",
    severity: Severity::Advice,
    effect: None,
    sources: &[FIGURES_6_7, VTAM],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let mut look = |vpacing: Coded<'_>| {
        if vpacing.number().is_some_and(|n| n < WINDOW) {
            out.push(vpacing.finding(&RULE).code(vpacing.line("32")));
        }
    };
    for (document, appl) in applications(documents) {
        look(Coded::on(document, appl, &["VPACING"]));
    }
    for kind in [&vtam::MAJOR, &vtam::NCP] {
        for document in documents.of(kind) {
            // Terminals and printers are paced by their own measure.
            for tier in tiers(document).iter().filter(|t| t.independent) {
                look(Coded::on(document, tier.statement, &["VPACING"]));
            }
        }
    }
}
