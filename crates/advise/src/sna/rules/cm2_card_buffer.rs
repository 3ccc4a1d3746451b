//! The buffers on a busmaster card.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::cm2_lan::{CARD_BUFFER, KIND};
use crate::sna::source::FIGURES_9_10;

/// The best size.
const BYTES: u32 = 2048;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.card-buffer",
    summary: "The buffers of a busmaster card are below 2,048 bytes.",
    why: "Files went best between two machines with buffers of 2,048 bytes on the card; for inquiries \
          the default of 1,032 does as well.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_9_10],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for buffer in coded(documents, &KIND, &[CARD_BUFFER], "") {
        if buffer.number().is_some_and(|n| n < BYTES) {
            out.push(buffer.finding(&RULE).code(buffer.line("2048")));
        }
    }
}
