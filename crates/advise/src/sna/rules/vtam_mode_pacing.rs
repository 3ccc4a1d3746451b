//! The pacing counts of a mode entry.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{bulk, host_modes};
use crate::sna::source::{FIGURES_6_7, GENERAL, VTAM};

/// The largest window of a BIND.
const MOST: u32 = 63;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.vtam.mode-pacing",
    summary: "PSNDPAC, SSNDPAC or SRCVPAC of a mode for bulk data is below 63.",
    why: "Each end waits for a pacing response after so many RUs. With adaptive pacing the largest \
          window costs nothing: the receiver opens it as far as its buffers allow.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_6_7, GENERAL, VTAM],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in host_modes(documents).into_iter().filter(|m| bulk(&m.name)) {
        for name in ["PSNDPAC", "SSNDPAC", "SRCVPAC"] {
            // 0 means no pacing, which exceeds any window.
            if matches!(mode.pacing(name), Some(0 | MOST)) {
                continue;
            }
            let coded = CodedSetting::on(mode.document, mode.statement, &[name]);
            out.push(coded.finding(&RULE).code(coded.noted("X'3F'", "63")));
        }
    }
}
