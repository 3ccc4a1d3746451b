//! The application and its partners in one mode table.

use std::collections::HashSet;

use super::coded::CodedSetting;
use super::tiers::{NestedStatement, StatementIndex, key, tiers};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::applications::applications;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;
use crate::sna::syntax::statement::unquote;
use crate::sna::{KeywordOperand, Statement};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.mode.table",
    summary: "The application and the PU or LU of a partner name different mode tables, or the PU names none.",
    why: "Which table a session's values come from depends on who initiates it. With one table for \
          both, that makes no difference.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let appls = applications(documents).into_iter();
    let tables = appls.filter_map(|(d, s)| Some((d, s, s.operand("MODETAB")?)));
    let tables: Vec<_> = tables.collect();
    let Some((document, appl, table)) = tables.first() else {
        return;
    };
    let place = document.place(table.at);
    let because = format!("{} has MODETAB={}", appl.name, table.value);
    let mut report = |theirs: CodedSetting<'_>, severity: FindingSeverity| {
        let finding = theirs.finding(&RULE).code(theirs.line(&table.value));
        let finding = finding.severity(severity);
        out.push(finding.because(place.clone(), because.clone()));
    };
    let named: HashSet<String> = tables.iter().map(|(_, _, t)| folded(&t.value)).collect();
    let right = |o: &KeywordOperand| named.contains(&folded(&o.value));
    for kind in [&vtam::MAJOR, &vtam::NCP] {
        for d in documents.of(kind) {
            let tiers = tiers(d);
            let lus = StatementIndex::of(&tiers, "LU");
            for tier in tiers.iter().filter(|t| t.independent) {
                let theirs = CodedSetting::on(d, tier.statement, &["MODETAB"]);
                if theirs.operand.is_some_and(|o| !right(o)) && holds(tier, &lus, right) {
                    report(theirs, FindingSeverity::Warning);
                }
            }
            if *kind == vtam::MAJOR {
                for pu in without_table(&tiers) {
                    report(
                        CodedSetting::on(d, pu, &["MODETAB"]),
                        FindingSeverity::Advice,
                    );
                }
            }
        }
    }
}

/// A table's name in the form for comparison.
fn folded(name: &str) -> String {
    unquote(name).to_ascii_uppercase()
}

/// Whether a statement's setting applies to any LU of LU 6.2. It does not if each
/// of them has its own correct table.
fn holds(
    tier: &NestedStatement<'_>,
    lus: &StatementIndex<'_, '_>,
    right: impl Fn(&KeywordOperand) -> bool,
) -> bool {
    let lus = lus.below(tier.statement).filter(|t| t.independent);
    let mut tables = lus.map(|t| t.statement.operand("MODETAB")).peekable();
    tables.peek().is_none() || tables.any(|t| !t.is_some_and(&right))
}

/// Physical units with an LU of LU 6.2 for which no statement names a table:
/// not its own, not one above it. VTAM's own table holds.
fn without_table<'a>(tiers: &[NestedStatement<'a>]) -> Vec<&'a Statement> {
    let mut found: Vec<&Statement> = Vec::new();
    for lu in tiers
        .iter()
        .filter(|t| t.statement.verb == "LU" && t.independent)
    {
        let unit = lu.chain.iter().find(|s| s.verb == "PU");
        if let Some(pu) = unit
            && lu.operand("MODETAB").is_none()
            && found.last().is_none_or(|last| key(last) != key(pu))
        {
            found.push(pu);
        }
    }
    found
}
