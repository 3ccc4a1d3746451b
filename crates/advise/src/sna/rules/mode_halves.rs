//! The two halves of RUSIZES.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{bulk, host_modes};
use crate::sna::source::MATCHING;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.mode.halves",
    summary: "The two halves of RUSIZES of a mode for bulk data differ.",
    why: "The first half bounds what the secondary sends, the second what the primary sends, and who \
          is primary depends on who initiates. With unequal halves the same transfer has two \
          speeds.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in host_modes(documents).into_iter().filter(|m| bulk(&m.name)) {
        if mode.primary != mode.secondary {
            let coded = CodedSetting::on(mode.document, mode.statement, &["RUSIZES"]);
            let size = |half: Option<u32>| half.map_or("no limit".to_owned(), |n| n.to_string());
            let value = format!(
                "{}: secondary {}, primary {}",
                coded.spell(coded.operand.map_or("", |o| &o.value)),
                size(mode.secondary),
                size(mode.primary)
            );
            out.push(TuningFinding::at(&RULE, coded.place(), value).code(coded.line("X'8D8D'")));
        }
    }
}
