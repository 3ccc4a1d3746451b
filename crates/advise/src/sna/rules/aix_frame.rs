//! The frame size of SNA Services/6000.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::source::{AIX, FIGURES_6_7};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.frame",
    summary: "The logical link names a frame size instead of SYSTEM_DEFINED.",
    why: "With SYSTEM_DEFINED the size follows from the link itself and is the best for it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.stated(&aix::KIND, aix::LOGICAL_LINK) {
        let coded = CodedSetting::on(document, profile, aix::FRAME);
        if coded.operand.is_some_and(|o| !o.is("SYSTEM_DEFINED")) {
            out.push(coded.finding(&RULE).code(coded.line("system_defined")));
        }
    }
}
