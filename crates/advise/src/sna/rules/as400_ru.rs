//! The RU size of an AS/400.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::model::{Product, modes};
use crate::sna::source::{AS400, GENERAL};

pub(super) static RULE: Rule = Rule {
    name: "sna.as400.ru",
    summary: "MAXLENRU of a mode description is not *CALC.",
    why: "OS/400 calculates the best RU for the frame size of the line, and calculates it again when \
          the line changes.",
    severity: Severity::Advice,
    effect: None,
    sources: &[AS400, GENERAL],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == Product::As400)
    {
        let coded = Coded::on(mode.document, mode.statement, &["MAXLENRU"]);
        // *CALC is also what holds where nothing is said.
        if coded.operand.is_some_and(|o| !o.is("*CALC")) {
            out.push(coded.finding(&RULE).code(coded.line("*CALC")));
        }
    }
}
