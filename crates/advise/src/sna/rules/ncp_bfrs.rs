//! BFRS: the length of NCP's own buffers.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

/// The largest value.
const MOST: u32 = 240;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.bfrs",
    summary: "BFRS is below 240 bytes.",
    why: "NCP chains its buffers for a frame; the fewer it needs, the less work a frame is. 240 is \
          the largest length it takes.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for bfrs in coded(documents, &vtam::NCP, &["BFRS"], "BUILD") {
        if bfrs.number() != Some(MOST) {
            out.push(bfrs.finding(&RULE).code(bfrs.line("240")));
        }
    }
}
