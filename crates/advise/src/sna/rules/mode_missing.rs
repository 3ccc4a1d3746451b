//! A mode that is used but not defined everywhere.

use super::coded::entry;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::model::{has_host, modes};
use crate::sna::session::{DEFAULT_RU, Partner, pairs};
use crate::sna::source::MODES;

pub(super) static RULE: Rule = Rule {
    name: "sna.mode.missing",
    summary: "A mode of one product is not defined in another that takes part in its sessions.",
    why: "A mode is a definition in every product that uses it. Where it is missing, defaults take \
          its place: VTAM binds such sessions with RUs of 256 bytes.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MODES],
    check,
};

/// Modes that products bring along.
const ARCHITECTED: &[&str] = &[
    "", "#BATCH", "#BATCHSC", "#INTER", "#INTERSC", "SNASVCMG", "CPSVCMG",
];

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let mut told: Vec<String> = Vec::new();
    for pair in pairs(documents) {
        let Partner::Host(host) = &pair.partner else {
            continue;
        };
        let name = &pair.mode.name;
        if host.entry.is_some() || !host.table_known || name.is_empty() || told.contains(name) {
            continue;
        }
        told.push(name.clone());
        let place = host.place().unwrap_or_else(|| pair.mode.place());
        let value = format!(
            "{} has no {name}: RUs of {DEFAULT_RU} bytes where the host initiates",
            host.table()
        );
        let because = format!("{} defines {name}", pair.mode.product.name());
        let finding = Finding::at(&RULE, place, value).code(entry(name));
        out.push(finding.because(pair.mode.place(), because));
    }
    let all = modes(documents);
    for mode in all
        .iter()
        .filter(|m| !ARCHITECTED.contains(&m.name.as_str()))
    {
        for other in documents
            .all
            .iter()
            .filter(|d| d.name != mode.document.name)
        {
            let here: Vec<_> = all
                .iter()
                .filter(|m| m.document.name == other.name)
                .collect();
            let Some(first) = here.first() else { continue };
            let key = format!("{} {}", other.name, mode.name);
            if here.iter().all(|m| m.name != mode.name) && !told.contains(&key) {
                told.push(key);
                let value = format!("{} has no mode {}", first.product.name(), mode.name);
                let finding = Finding::at(&RULE, other.place(first.statement.at), value);
                // With a host, the stations need not speak with each other.
                let finding = match has_host(documents) {
                    true => finding.severity(Severity::Note),
                    false => finding,
                };
                out.push(
                    finding.because(mode.place(), format!("{} defines it", mode.product.name())),
                );
            }
        }
    }
}
