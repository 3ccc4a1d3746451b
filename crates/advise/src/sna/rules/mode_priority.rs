//! Bulk data with the priority of inquiries.

use crate::document::{Documents, Place};
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::model::{bulk, host_modes, modes};
use crate::sna::source::GENERAL;

pub(super) static RULE: Rule = Rule {
    name: "sna.mode.priority",
    summary: "A mode for bulk data has the class of service of interactive work.",
    why: "Bulk data at high transmission priority delays everyone's inquiries. Give it a class of \
          service of medium or low priority; #BATCH is made for it.",
    severity: Severity::Advice,
    effect: None,
    sources: &[GENERAL],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let mut look = |mode: &str, cos: &str, place: Place, line: String| {
        let high = matches!(
            cos.trim().to_ascii_uppercase().as_str(),
            "#INTER" | "#INTERSC"
        );
        if bulk(mode) && high {
            let value = format!("mode {mode} has class of service {}", cos.trim());
            out.push(Finding::at(&RULE, place, value).code(line));
        }
    };
    for m in host_modes(documents) {
        if let Some(cos) = m.statement.operand("COS") {
            look(&m.name, &cos.value, m.place("COS"), "COS=#BATCH".to_owned());
        }
    }
    for m in modes(documents) {
        if let Some(cos) = m.cos {
            look(
                &m.name,
                &cos.value,
                m.document.place(cos.at),
                format!("{}(#BATCH)", cos.name),
            );
        }
    }
}
