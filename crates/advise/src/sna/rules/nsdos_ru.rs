//! The RU size of Networking Services/DOS.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::nsdos::RU;
use crate::sna::model::{Product, bulk, modes};
use crate::sna::source::{FIGURES_6_7, NSDOS};

pub(super) static RULE: Rule = Rule {
    name: "sna.nsdos.ru",
    summary: "A mode of Networking Services/DOS names an RU size instead of `*`.",
    why: "This product sends one RU a frame and never cuts one. With `*` it takes the largest that a \
          frame holds, and grows with the frame.",
    severity: Severity::Advice,
    effect: None,
    sources: &[NSDOS, FIGURES_6_7],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == Product::NsDos && bulk(&m.name))
    {
        let coded = Coded::on(mode.document, mode.statement, &[RU]);
        if !coded.operand.is_some_and(|o| o.is("*")) {
            out.push(coded.finding(&RULE).code(coded.line("*")));
        }
    }
}
