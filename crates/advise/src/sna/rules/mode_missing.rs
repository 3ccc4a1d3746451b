//! A mode that is used but not defined everywhere.

use std::collections::{HashMap, HashSet};

use super::coded::entry;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{Mode, has_host, modes};
use crate::sna::session::{DEFAULT_RU, SessionPartner, pairs};
use crate::sna::source::MODES;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.mode.missing",
    summary: "A mode of one product is not defined in another that takes part in its sessions.",
    why: "A mode is a definition in every product that uses it. Where it is missing, defaults take \
          its place: VTAM binds such sessions with RUs of 256 bytes.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MODES],
    check: &check,
};

/// Modes that products bring along.
const ARCHITECTED: &[&str] = &[
    "", "#BATCH", "#BATCHSC", "#INTER", "#INTERSC", "SNASVCMG", "CPSVCMG",
];

/// Modes that are listed for each file at most; the others are counted.
const LISTED: usize = 100;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut reported: HashSet<&str> = HashSet::new();
    let pairs = pairs(documents);
    for pair in &pairs {
        let SessionPartner::Host(host) = &pair.partner else {
            continue;
        };
        let name = &pair.mode.name;
        if host.entry.is_some() || !host.table_known || name.is_empty() || !reported.insert(name) {
            continue;
        }
        let place = host.place().unwrap_or_else(|| pair.mode.place());
        let value = format!(
            "{} has no {name}: RUs of {DEFAULT_RU} bytes where the host initiates",
            host.table()
        );
        let because = format!("{} defines {name}", pair.mode.product.name());
        let finding = TuningFinding::at(&RULE, place, value).code(entry(name));
        out.push(finding.because(pair.mode.place(), because));
    }
    among_stations(documents, out);
}

/// Modes that a file of modes lacks and another one has.
fn among_stations(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = modes(documents);
    let mut files: HashMap<&str, (&Mode<'_>, HashSet<&str>)> = HashMap::new();
    for mode in &all {
        let file = files.entry(&mode.document.name);
        let (_, names) = file.or_insert_with(|| (mode, HashSet::new()));
        names.insert(&mode.name);
    }
    // With a host, the stations need not have sessions with each other.
    let severity = if has_host(documents) {
        FindingSeverity::Note
    } else {
        RULE.severity
    };
    for other in &documents.all {
        let Some((first, names)) = files.get(&*other.name) else {
            continue;
        };
        let mut reported: HashSet<&str> = HashSet::new();
        let lacking: Vec<_> = all
            .iter()
            .filter(|m| !ARCHITECTED.contains(&m.name.as_str()))
            .filter(|m| !names.contains(m.name.as_str()) && reported.insert(&m.name))
            .collect();
        let place = || other.place(first.statement.at);
        let product = first.product.name();
        for mode in lacking.iter().take(LISTED) {
            let value = format!("{product} has no mode {}", mode.name);
            let finding = TuningFinding::at(&RULE, place(), value).severity(severity);
            out.push(finding.because(mode.place(), format!("{} defines it", mode.product.name())));
        }
        if let Some(mode) = lacking.get(LISTED) {
            let more = lacking.len() - LISTED;
            let value = format!(
                "{product} lacks {more} more modes, the first is {}",
                mode.name
            );
            let finding = TuningFinding::at(&RULE, place(), value).severity(severity);
            out.push(finding.because(mode.place(), format!("{} defines it", mode.product.name())));
        }
    }
}
