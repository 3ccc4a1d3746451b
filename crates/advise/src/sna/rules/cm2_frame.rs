//! The frame size of Communications Manager/2.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::cm2_lan::{FRAME, KIND};
use crate::sna::source::{CM2, FIGURES_6_7, LINKS};

/// The size that the guide measured with on a 4 Mb/s ring.
const MEASURED: u32 = 4000;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.frame",
    summary: "The LAN frames of Communications Manager/2 are below 4,000 bytes.",
    why: "Every frame costs both machines the same work, whatever is in it. Make it as large as the \
          partner takes: 4,000 served the guide's 4 Mb/s ring, 16,393 holds an RU of 16,384 on a \
          16 Mb/s ring. A noisy link is the exception.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[CM2, LINKS, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for frame in coded(documents, &KIND, &[FRAME], "") {
        if frame.number().is_some_and(|n| n < MEASURED) {
            let finding = frame
                .finding(&RULE)
                .code(frame.noted("4000", "a ring of 4 Mb/s"));
            let finding = finding.code(frame.noted("16393", "a ring of 16 Mb/s"));
            out.push(finding.needs("a partner that takes such frames"));
        }
    }
}
