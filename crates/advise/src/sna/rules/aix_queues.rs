//! The queues of the token-ring adapter.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::source::{AIX, FIGURES_6_7};

/// Frames in a queue.
const DEPTH: u32 = 150;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.queues",
    summary: "The transmit or receive queue of the adapter is below 150.",
    why: "A window of 127 frames does not fit a queue of 30: what does not fit is thrown away and \
          sent again.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for name in ["XMT_QUE_SIZE", "REC_QUE_SIZE"] {
        for queue in coded(documents, &aix::KIND, &[name], "") {
            if queue.number() != Some(DEPTH) {
                out.push(queue.finding(&RULE).code(queue.line("150")));
            }
        }
    }
}
