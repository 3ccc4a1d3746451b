//! Values that may not be larger than another one of their statement.

use base::{Diagnostic, Severity};

use super::judge::SILENT;
use super::rows::{MODD, Table};
use crate::sna::kinds::aix;
use crate::sna::syntax::Statement;
use crate::worlds::UnreadableValue;

/// A part and the whole that it is of.
struct PartWithinWhole {
    /// The statements that have both.
    on: &'static [&'static str],
    /// Spellings of the part.
    part: &'static [&'static str],
    /// Spellings of the whole; the first one counts.
    whole: &'static [&'static str],
}

/// Sessions that a side wins are some of the mode's sessions.
const ALL: &[PartWithinWhole] = &[
    PartWithinWhole {
        on: &[aix::MODE],
        part: aix::WINNERS,
        whole: aix::SESSIONS,
    },
    PartWithinWhole {
        on: &["DEFINE_MODE"],
        part: &["MIN_CONWINNERS_SOURCE"],
        whole: &["PLU_MODE_SESSION_LIMIT", "MAX_NEGOTIABLE_SESSION_LIMIT"],
    },
    PartWithinWhole {
        on: MODD,
        part: &["LCLCTLSSN"],
        whole: &["MAXSSN"],
    },
];

impl Table {
    /// Reports a part that is more than its whole. It is not known which of the
    /// two is wrong, so both are open.
    pub(super) fn report_within(
        &self,
        (s, statement): (usize, &Statement),
        open: &mut Vec<UnreadableValue>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let verb = statement.verb.as_str();
        for within in ALL.iter().filter(|w| w.on.contains(&verb)) {
            // Values that are wrong by themselves have been reported.
            let right = |names: &[&str]| {
                let found = statement.any(names)?;
                let o = statement
                    .operands
                    .iter()
                    .rposition(|o| o.name == found.name)?;
                let known = !open.iter().any(|w| (w.statement, w.operand) == (s, o));
                Some((o, found, found.number().filter(|_| known)?))
            };
            let (Some(part), Some(whole)) = (right(within.part), right(within.whole)) else {
                continue;
            };
            if part.2 <= whole.2 {
                continue;
            }
            let spelled = [part, whole].map(|(_, o, _)| self.style.spell(verb, &o.name, &o.value));
            let message = format!("{} is more than {}", spelled[0], spelled[1]);
            let mut diagnostic = part.1.at.diagnostic(Severity::Error, message);
            diagnostic.help = Some(SILENT.to_owned());
            diagnostics.push(diagnostic);
            for (operand, o, _) in [part, whole] {
                if let Some(row) = self.row(verb, &o.name) {
                    open.push(UnreadableValue {
                        statement: s,
                        operand,
                        samples: row.form.samples(""),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sna::values::tests::{errors, read, root};
    use crate::{DocumentSet, advise};

    #[test]
    fn more_winners_than_sessions_are_reported_and_no_rule_counts_them() {
        let folder = root().join("../../examples/advise/appc/baseline");
        let entries = std::fs::read_dir(folder).expect("the example is there");
        let set: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
        let rules = |right: &str, wrong: &str| {
            let mut diagnostics = Vec::new();
            let documents = set.iter().map(|path| {
                let text = std::fs::read_to_string(path).expect("text");
                let name = path.file_name().expect("a name").to_string_lossy();
                let kind = crate::kind::recognise(&text).expect("a kind fits").word;
                let document = read(&name, kind, &text.replace(right, wrong));
                diagnostics.extend(errors(&document));
                document
            });
            let documents = DocumentSet::new(documents.collect::<Vec<_>>());
            let all = advise(&documents, &["sna.session".to_owned()]);
            let said: Vec<_> = all.iter().map(|f| f.rule).collect();
            (diagnostics, said)
        };
        let (diagnostics, said) = rules("", "");
        assert!(diagnostics.is_empty() && said.contains(&"sna.session.unlike"));
        let (diagnostics, said) = rules(
            "minimum_contention_winners = 2",
            "minimum_contention_winners = 9",
        );
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        assert_eq!(
            diagnostics[0].1,
            "minimum_contention_winners = 9 is more than maximum_number_of_sessions = 4"
        );
        assert!(!said.contains(&"sna.session.unlike"), "{said:?}");
    }
}
