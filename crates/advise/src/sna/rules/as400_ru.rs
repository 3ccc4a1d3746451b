//! The RU size of an AS/400.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{SessionProduct, modes};
use crate::sna::source::{AS400, GENERAL};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.as400.ru",
    summary: "MAXLENRU of a mode description is not *CALC.",
    why: "OS/400 calculates the best RU for the frame size of the line, and calculates it again when \
          the line changes.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400, GENERAL],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::As400)
    {
        let coded = CodedSetting::on(mode.document, mode.statement, &["MAXLENRU"]);
        // *CALC is also the default.
        if coded.operand.is_some_and(|o| !o.is("*CALC")) {
            out.push(coded.finding(&RULE).code(coded.line("*CALC")));
        }
    }
}
