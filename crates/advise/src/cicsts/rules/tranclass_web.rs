//! Web work without a class.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tranclass.web",
    summary: "A URIMAP or TCPIPSERVICE starts a transaction that is in no class.",
    why: "Each request over HTTP is a CWXN task and one of this transaction. When requests come \
          faster than they end, tasks pile up to MXT and all work suffers. A class brings order.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, cics::TRANCLASS, cics::URIMAP],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let maps = documents
        .definitions("URIMAP")
        .filter(|(_, d)| d.is("USAGE", "SERVER") || d.is("USAGE", "PIPELINE"));
    let services = documents
        .definitions("TCPIPSERVICE")
        .filter(|(_, d)| !d.has("PROTOCOL") || d.is("PROTOCOL", "HTTP"));
    let mut reported: Vec<&str> = Vec::new();
    for (source, definition) in maps.chain(services) {
        let Some((name, at)) = definition.get("TRANSACTION") else {
            continue;
        };
        let mut transactions = documents.definitions("TRANSACTION");
        let Some((document, transaction)) = transactions.find(|(_, d)| d.name == name) else {
            continue;
        };
        if !transaction.has("TRANCLASS") && !reported.contains(&name) {
            reported.push(name);
            findings.push(
                TuningFinding::at(&RULE, document.place(transaction.at), "no TRANCLASS")
                    .code(transaction.alter("TRANCLASS(WEBCLASS)"))
                    .code(format!(
                        "DEFINE TRANCLASS(WEBCLASS) GROUP({}) MAXACTIVE(20) PURGETHRESH(200)",
                        transaction.group
                    ))
                    .needs("limits that fit the load; the names and numbers are examples")
                    .because(
                        source.place(at),
                        format!("{} {} starts it", definition.kind, definition.name),
                    ),
            );
        }
    }
}
