//! The receive window of Communications Manager/2.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{SessionProduct, bulk, modes};
use crate::sna::source::{CM2, FIGURES_6_7, FIGURES_9_10};

/// The largest window.
const MOST: u32 = 63;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.receive-pacing",
    summary: "The receive window of a mode of Communications Manager/2 for bulk data is below 63.",
    why: "Pacing is adaptive: the window is a limit that is reached only while buffers are free. The \
          send window is not configured; the partner grants it. For inquiries alone figure 9 has 24.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[CM2, FIGURES_6_7, FIGURES_9_10],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in modes(documents) {
        if mode.product == SessionProduct::Cm2
            && bulk(&mode.name)
            && mode.receive_window != Some(MOST)
        {
            let coded = CodedSetting::on(mode.document, mode.statement, &["RECEIVE_PACING_WINDOW"]);
            out.push(coded.finding(&RULE).code(coded.line("63")));
        }
    }
}
