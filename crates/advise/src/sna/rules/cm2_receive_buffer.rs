//! The receive buffers of the adapter's driver.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::cm2_lan::{KIND, RECEIVE_BUFFER};
use crate::sna::source::FIGURES_9_10;

/// The best size on a Turbo card.
const TURBO: u32 = 2040;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.receive-buffer",
    summary: "The driver's receive buffers are below 2,040 bytes.",
    why: "A frame is received into a chain of these buffers; small ones make long chains. 2,040 was \
          best for files on a Turbo card, 2,048 (the default) on a Busmaster card. For inquiries \
          alone the default of 256 does as well.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_9_10],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for buffer in coded(documents, &KIND, &[RECEIVE_BUFFER], "") {
        if buffer.number().is_some_and(|n| n < TURBO) {
            let finding = buffer
                .finding(&RULE)
                .code(buffer.noted("2040", "Turbo card"));
            out.push(finding.code(buffer.noted("2048", "Busmaster card")));
        }
    }
}
