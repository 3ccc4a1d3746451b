//! RUSIZES of the modes for bulk data.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{bulk, host_modes};
use crate::sna::source::{FIGURES_6_7, VTAM};

/// 64 KB for both directions.
const MOST: u32 = 65_536;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.vtam.rusizes",
    summary: "A mode for bulk data allows RUs below 64 KB.",
    why: "The sizes in the mode table are where the host's negotiation begins, and nothing is \
          negotiated upwards. VTAM takes RUs of up to 64 KB; stations lower the size to what they \
          can do.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[VTAM, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in host_modes(documents).into_iter().filter(|m| bulk(&m.name)) {
        // X'00' sets no limit.
        let small = |half: Option<u32>| half.is_some_and(|n| n < MOST);
        let coded = CodedSetting::on(mode.document, mode.statement, &["RUSIZES"]);
        if coded.operand.is_none() || small(mode.primary) || small(mode.secondary) {
            out.push(
                coded
                    .finding(&RULE)
                    .code(coded.line("X'8D8D'"))
                    .needs("the mode table assembled and loaded again: MODIFY TABLES,OPTION=LOAD"),
            );
        }
    }
}
