//! The frame size of SNA Services/6000.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::aix;
use crate::sna::source::{AIX, FIGURES_6_7};

pub(super) static RULE: Rule = Rule {
    name: "sna.aix.frame",
    summary: "The logical link names a frame size instead of SYSTEM_DEFINED.",
    why: "With SYSTEM_DEFINED the size follows from the link itself and is the best for it.",
    severity: Severity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for (document, profile) in documents.stated(&aix::KIND, aix::LOGICAL_LINK) {
        let coded = Coded::on(document, profile, aix::FRAME);
        if coded.operand.is_some_and(|o| !o.is("SYSTEM_DEFINED")) {
            out.push(coded.finding(&RULE).code(coded.line("system_defined")));
        }
    }
}
