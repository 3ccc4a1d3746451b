//! The link windows of an AS/400: LANMAXOUT and LANACKFRQ.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::as400::KIND;
use crate::sna::source::AS400;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.as400.dlc-window",
    summary: "LANMAXOUT or LANACKFRQ is neither *CALC nor one of the guide's pairs.",
    why: "*CALC (an acknowledgement for each frame, two outstanding) is best for most lines. A line \
          for bulk data alone may gain with LANACKFRQ(2) and LANMAXOUT(4); go back where it does \
          not. Where a fast adapter overruns a slow partner, with time-outs and retransmissions, \
          code LANMAXOUT(2) and LANACKFRQ(1).",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for document in documents.of(&KIND) {
        for statement in document.statements() {
            let max = CodedSetting::on(document, statement, &["LANMAXOUT"]);
            let frequency = CodedSetting::on(document, statement, &["LANACKFRQ"]);
            if max.operand.is_none() && frequency.operand.is_none() {
                continue;
            }
            let value = |c: &CodedSetting<'_>| {
                c.operand
                    .map_or("*CALC".to_owned(), |o| o.value.to_ascii_uppercase())
            };
            let pair = (value(&max), value(&frequency));
            let good = [("*CALC", "*CALC"), ("4", "2"), ("2", "1")];
            if good.iter().any(|(m, f)| pair.0 == *m && pair.1 == *f) {
                continue;
            }
            let at = if max.operand.is_some() {
                max
            } else {
                frequency
            };
            let text = format!("LANMAXOUT({}) LANACKFRQ({})", pair.0, pair.1);
            let finding = TuningFinding::at(&RULE, at.place(), text)
                .code(at.with("LANMAXOUT(*CALC) LANACKFRQ(*CALC)"))
                .code(format!(
                    "{}   /* a line for bulk data alone */",
                    at.with("LANMAXOUT(4) LANACKFRQ(2)")
                ));
            out.push(finding);
        }
    }
}
