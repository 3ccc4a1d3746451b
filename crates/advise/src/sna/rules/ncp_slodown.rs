//! SLODOWN: the share of free buffers at which NCP protects itself.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

/// Percent of buffers that stay free.
const PERCENT: u32 = 6;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.slodown",
    summary: "SLODOWN is not 6 percent.",
    why: "Below this share of free buffers NCP takes no more data from its stations. A high share \
          slows the network down while most buffers are still free; 6 percent are enough in the \
          busiest hour.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for slodown in coded(documents, &vtam::NCP, &["SLODOWN"], "BUILD") {
        if slodown.number() != Some(PERCENT) {
            out.push(slodown.finding(&RULE).code(slodown.line("6")));
        }
    }
}
