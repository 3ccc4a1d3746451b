//! GROUP, LINE, PU and LU with the statements above them, from which they inherit
//! operands (the sift-down effect), and those of them that carry LU 6.2 sessions.
//!
//! Reference: NCP, SSP and EP Resource Definition Reference and VTAM Resource
//! Definition Reference, sift-down effect; LU definition statement, LOCADDR.

use std::collections::{HashMap, HashSet};

use super::coded::CodedSetting;
use crate::document::{Document, LineColumn};
use crate::sna::{KeywordOperand, Statement};

/// Depths of the four statements.
const VERBS: [&str; 4] = ["GROUP", "LINE", "PU", "LU"];

/// A statement and those above it.
#[derive(Debug, Clone)]
pub(super) struct NestedStatement<'a> {
    /// Its document.
    pub document: &'a Document,
    /// The statement.
    pub statement: &'a Statement,
    /// Itself and those above it, itself first.
    pub chain: Vec<&'a Statement>,
    /// Whether sessions of LU 6.2 may run through it.
    pub independent: bool,
}

/// Every GROUP, LINE, PU and LU of a document in their order.
pub(super) fn tiers(document: &Document) -> Vec<NestedStatement<'_>> {
    let mut above: [Option<&Statement>; 4] = [None; 4];
    let mut found: Vec<NestedStatement<'_>> = Vec::new();
    for statement in document.statements() {
        let Some(depth) = VERBS.iter().position(|v| *v == statement.verb) else {
            continue;
        };
        above[depth] = Some(statement);
        above[depth + 1..].fill(None);
        found.push(NestedStatement {
            document,
            statement,
            chain: above[..=depth].iter().rev().filter_map(|s| *s).collect(),
            independent: false,
        });
    }
    let carrying = carrying(&found);
    for tier in &mut found {
        tier.independent = carrying.contains(&key(tier.statement));
    }
    found
}

impl<'a> NestedStatement<'a> {
    /// The setting that holds here: its own, or the nearest above.
    pub(super) fn coded(&self, names: &[&'a str]) -> CodedSetting<'a> {
        let all = self.chain.iter();
        let coded = all.map(|s| CodedSetting::on(self.document, s, names));
        let mut coded = coded.filter(|c| c.operand.is_some());
        let own = || CodedSetting::on(self.document, self.statement, names);
        coded.next().unwrap_or_else(own)
    }

    /// The operand that holds here.
    pub(super) fn operand(&self, name: &'a str) -> Option<&'a KeywordOperand> {
        self.coded(&[name]).operand
    }

    /// Whether a statement is above this one.
    pub(super) fn is_under(&self, statement: &Statement) -> bool {
        let mut above = self.chain.iter().skip(1);
        above.any(|s| key(s) == key(statement))
    }
}

/// The statements of a verb by those above them, so that no rule searches a
/// whole generation for each of its lines.
pub(super) struct StatementIndex<'t, 'a> {
    found: HashMap<LineColumn, Vec<&'t NestedStatement<'a>>>,
}

impl<'t, 'a> StatementIndex<'t, 'a> {
    /// Indexes the statements with this verb by the statements above them.
    pub(super) fn of(tiers: &'t [NestedStatement<'a>], verb: &str) -> Self {
        let mut found: HashMap<LineColumn, Vec<&NestedStatement<'_>>> = HashMap::new();
        for tier in tiers.iter().filter(|t| t.statement.verb == verb) {
            for above in tier.chain.iter().skip(1) {
                found.entry(key(above)).or_default().push(tier);
            }
        }
        StatementIndex { found }
    }

    /// The indexed statements below a statement, in their order.
    pub(super) fn below(
        &self,
        statement: &Statement,
    ) -> impl Iterator<Item = &'t NestedStatement<'a>> {
        self.found
            .get(&key(statement))
            .into_iter()
            .flatten()
            .copied()
    }
}

/// A statement's place, which no other statement of its document has.
pub(super) fn key(statement: &Statement) -> LineColumn {
    statement.at
}

/// The statements of LU 6.2 sessions: independent LUs (LOCADDR=0, the default),
/// physical units with such LUs, with dynamically defined LUs or without any LU,
/// and the statements above these. LUs with another LOCADDR are terminals and
/// printers.
fn carrying(tiers: &[NestedStatement<'_>]) -> HashSet<LineColumn> {
    let mut carrying = HashSet::new();
    for (i, tier) in tiers.iter().enumerate() {
        let carries = match tier.statement.verb.as_str() {
            "LU" => {
                let address = tier.statement.operand("LOCADDR");
                address.is_none_or(|o| o.number() == Some(0))
            }
            "PU" => {
                let other = tier
                    .operand("PUTYPE")
                    .is_some_and(|o| o.list().iter().all(|t| matches!(*t, "1" | "4" | "5")));
                let alone = tiers.get(i + 1).is_none_or(|t| t.statement.verb != "LU");
                let dynamic = tier.operand("DYNLU").is_some_and(|o| o.is("YES"));
                !other && (alone || dynamic)
            }
            _ => tiers.get(i + 1).is_none_or(|t| !t.is_under(tier.statement)),
        };
        if carries {
            carrying.extend(tier.chain.iter().map(|s| key(s)));
        }
    }
    carrying
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_carry_no_sessions_of_lu_6_2_and_operands_sift_down() {
        let text = " VBUILD TYPE=SWNET\n\
                    P1 PU ADDR=C1,VPACING=7\nT1 LU LOCADDR=2\nT2 LU LOCADDR=3,VPACING=1\n\
                    P2 PU ADDR=C1,VPACING=8\nT3 LU LOCADDR=2\nI1 LU LOCADDR=0\n\
                    P3 PU ADDR=C1,PUTYPE=2\nP4 PU ADDR=C1,PUTYPE=4\n";
        let document = Document::read("swnet", text, None).expect("read");
        let tiers = tiers(&document);
        let carrying: Vec<_> = tiers.iter().filter(|t| t.independent).collect();
        let names: Vec<_> = carrying.iter().map(|t| t.statement.name.as_str()).collect();
        assert_eq!(names, ["P2", "I1", "P3"]);
        let windows = |name: &str| {
            let tier = tiers.iter().find(|t| t.statement.name == name);
            tier.and_then(|t| t.coded(&["VPACING"]).number())
        };
        assert_eq!(
            ["T1", "T2", "I1", "P3"].map(windows),
            [Some(7), Some(1), Some(8), None]
        );
    }
}
