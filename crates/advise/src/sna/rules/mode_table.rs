//! The application and its partners in one mode table.

use super::coded::Coded;
use crate::document::{Document, Documents};
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::Statement;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: Rule = Rule {
    name: "sna.mode.table",
    summary: "The application and the PU or LU of a partner name different mode tables, or the PU names none.",
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
    let place = document.place(table.at);
    let because = format!("{} has MODETAB={}", appl.name, table.value);
    let mut tell = |theirs: Coded<'_>, severity: Severity| {
        let finding = theirs.finding(&RULE).code(theirs.line(&table.value));
        let finding = finding.severity(severity);
        out.push(finding.because(place.clone(), because.clone()));
    };
    for kind in [&vtam::MAJOR, &vtam::NCP] {
        for verb in ["GROUP", "LINE", "PU", "LU"] {
            for (d, s) in documents.stated(kind, verb) {
                let theirs = Coded::on(d, s, &["MODETAB"]);
                if theirs.operand.is_some_and(|o| !o.is(&table.value)) {
                    tell(theirs, Severity::Warning);
                }
            }
        }
    }
    for d in documents.of(&vtam::MAJOR) {
        for s in without_table(d) {
            tell(Coded::on(d, s, &["MODETAB"]), Severity::Advice);
        }
    }
}

/// Physical units for which no statement names a table: not their own, not
/// one above them, not one of their logical units. VTAM's own table holds.
fn without_table(document: &Document) -> Vec<&Statement> {
    let mut found = Vec::new();
    let mut above = false;
    let mut unit: Option<&Statement> = None;
    for s in document.statements() {
        let named = s.operand("MODETAB").is_some();
        match s.verb.as_str() {
            "GROUP" => above = named,
            "LINE" => above |= named,
            "PU" => unit = (!above && !named).then_some(s),
            "LU" => match (unit.take(), named) {
                (Some(pu), false) => found.push(pu),
                _ => continue,
            },
            _ => {}
        }
    }
    found
}
