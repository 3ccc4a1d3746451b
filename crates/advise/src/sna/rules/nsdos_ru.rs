//! The RU size of Networking Services/DOS.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::nsdos::RU;
use crate::sna::model::{SessionProduct, bulk, modes};
use crate::sna::source::{FIGURES_6_7, NSDOS};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.nsdos.ru",
    summary: "A mode of Networking Services/DOS names an RU size instead of `*`.",
    why: "This product sends one RU a frame and never cuts one. With `*` it takes the largest that a \
          frame holds, and grows with the frame.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NSDOS, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::NsDos && bulk(&m.name))
    {
        let coded = CodedSetting::on(mode.document, mode.statement, &[RU]);
        if !coded.operand.is_some_and(|o| o.is("*")) {
            out.push(coded.finding(&RULE).code(coded.line("*")));
        }
    }
}
