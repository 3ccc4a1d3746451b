//! The RU size of SNA Services/6000.

use super::coded::CodedSetting;
use super::ru_frames::StationFrames;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::model::{Ru, SessionProduct, bulk, modes};
use crate::sna::source::{AIX, FIGURES_6_7};

/// The most that version 1.2 takes.
pub(super) const MOST: u32 = 3840;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.ru",
    summary: "A mode profile of SNA Services/6000 for bulk data has RUs other than 3,840 bytes.",
    why: "3,840 is the most that version 1.2 takes, and it fits one frame on a 4 Mb/s ring.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004, all changes together: RS/6000 to VTAM, 1,000,000 bytes in 8.66 s before, 4.74 s after",
    ),
    sources: &[AIX, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let frames = StationFrames::of(documents);
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::SnaServices && bulk(&m.name))
    {
        // The value by sna.ru.frames is good as well.
        let fitted = frames.fitted(mode.product, MOST);
        if ![Ru::Bytes(MOST), Ru::Bytes(fitted)].contains(&mode.ru) {
            let coded = CodedSetting::on(mode.document, mode.statement, aix::RU);
            out.push(coded.finding(&RULE).code(coded.line("3840")));
        }
    }
}
