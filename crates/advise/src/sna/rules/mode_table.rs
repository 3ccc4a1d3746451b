//! The application and its partners in one mode table.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: Rule = Rule {
    name: "sna.mode.table",
    summary: "The application and the PU or LU of a partner name different mode tables.",
    why: "Which table a session's values come from depends on who initiates it. With one table for \
          both, that makes no difference.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MATCHING],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let appls = documents.stated(&vtam::MAJOR, "APPL");
    let mut tables = appls.filter_map(|(d, s)| Some((d, s, s.operand("MODETAB")?)));
    let Some((document, appl, table)) = tables.next() else {
        return;
    };
    for kind in [&vtam::MAJOR, &vtam::NCP] {
        for verb in ["PU", "LU"] {
            for (d, s) in documents.stated(kind, verb) {
                let theirs = Coded::on(d, s, &["MODETAB"]);
                let differs = theirs.operand.is_some_and(|o| !o.is(&table.value));
                if differs {
                    let because = format!("{} has MODETAB={}", appl.name, table.value);
                    let finding = theirs.finding(&RULE).code(theirs.line(&table.value));
                    out.push(finding.because(document.place(table.at), because));
                }
            }
        }
    }
}
