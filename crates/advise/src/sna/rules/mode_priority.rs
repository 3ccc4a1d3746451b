//! Bulk data with the priority of inquiries.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{bulk, host_modes, modes};
use crate::sna::source::GENERAL;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.mode.priority",
    summary: "A mode for bulk data has the class of service of interactive work.",
    why: "Bulk data at high transmission priority delays everyone's inquiries. Give it a class of \
          service of medium or low priority; #BATCH is made for it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[GENERAL],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut look = |mode: &str, cos: CodedSetting<'_>| {
        let Some(operand) = cos.operand.filter(|_| bulk(mode)) else {
            return;
        };
        if operand.is("#INTER") || operand.is("#INTERSC") {
            let class = operand.value.trim();
            let value = format!("mode {mode} has class of service {class}");
            let finding = TuningFinding::at(&RULE, cos.place(), value);
            out.push(finding.code(cos.line("#BATCH")));
        }
    };
    for m in host_modes(documents) {
        look(&m.name, CodedSetting::on(m.document, m.statement, &["COS"]));
    }
    for m in modes(documents) {
        look(
            &m.name,
            CodedSetting::on(m.document, m.statement, &["COS_NAME", "COS"]),
        );
    }
}
