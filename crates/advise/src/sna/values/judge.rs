//! Statements against the table of their kind.

use base::{Diagnostic, Severity};

use super::keywords::ReportedKeywords;
use super::rows::{KeywordRow, Table};
use crate::document::LineColumn;
use crate::sna::syntax::Statement;
use crate::worlds::UnreadableValue;

/// The effect of a wrong value on rules.
pub(super) const SILENT: &str = "rules that depend on it are not applied";

impl Table {
    /// The row of a statement's keyword.
    pub(crate) fn row(&self, verb: &str, name: &str) -> Option<&'static KeywordRow> {
        self.rows.iter().find(|r| r.is(verb, name))
    }

    /// Checks every value of some statements. Returns those that are open.
    pub(crate) fn judge(
        &self,
        statements: &mut [Statement],
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<UnreadableValue> {
        let mut open = Vec::new();
        let mut passed = ReportedKeywords::default();
        for (s, statement) in statements.iter_mut().enumerate() {
            let cut = self.name_values(statement, findings);
            self.report_repeated(statement, findings);
            self.report_unlisted(statement, &mut passed, findings);
            for (o, operand) in statement.operands.iter().enumerate() {
                let Some(row) = self.row(&statement.verb, &operand.name) else {
                    continue;
                };
                let place = (statement.verb.as_str(), operand.name.as_str(), operand.at);
                let samples = if cut.binary_search(&o).is_ok() {
                    Some(row.form.samples(""))
                } else {
                    self.value(row, place, &operand.value, findings)
                };
                if let Some(samples) = samples {
                    open.push(UnreadableValue {
                        statement: s,
                        operand: o,
                        samples,
                    });
                }
            }
            self.report_within((s, statement), &mut open, findings);
        }
        open
    }

    /// Checks one value and reports an error. For a wrong or external value,
    /// returns the values that it may have.
    pub(crate) fn value(
        &self,
        row: &KeywordRow,
        (verb, name, at): (&str, &str, LineColumn),
        value: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Vec<String>> {
        let spelled = self.style.spell(verb, name, value);
        let (severity, message) = match row.form.fault(value) {
            _ if self.variables && value.contains('&') => {
                (Severity::Note, format!("{spelled} has its value elsewhere"))
            }
            Some(fault) => (Severity::Error, format!("{spelled}{fault}")),
            None => return None,
        };
        let mut diagnostic = at.diagnostic(severity, message);
        diagnostic.help = Some(SILENT.to_owned());
        findings.push(diagnostic);
        Some(row.form.samples(value))
    }
}
