//! Quasi-reentrant programs in a threadsafe region.

use crate::cicsts::CsdDefinition;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.concurrency.quasirent",
    summary: "FCQRONLY=NO is set and programs are quasi-reentrant, coded or by default.",
    why: "A quasi-reentrant program runs on the QR TCB alone: only one of the region at a time, \
          and each return from DB2, MQ or sockets switches to QR. The default of the definition \
          is QUASIRENT.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_000, cics::PROGRAM, cics::THREADSAFE_FILES],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some((sit, parameter)) = documents.sit("FCQRONLY").filter(|(_, p)| p.is("NO")) else {
        return;
    };
    for (document, csd) in documents.csds() {
        let quasi = |d: &&CsdDefinition| {
            d.kind == "PROGRAM"
                && !d.has("REMOTESYSTEM")
                && (!d.has("CONCURRENCY") || d.is("CONCURRENCY", "QUASIRENT"))
                && !d.is("API", "OPENAPI")
        };
        let programs: Vec<&CsdDefinition> = csd.definitions.iter().filter(quasi).collect();
        let Some(first) = programs.first() else {
            continue;
        };
        let names: Vec<&str> = programs.iter().take(8).map(|d| d.name.as_str()).collect();
        let more = if programs.len() > 8 { ", …" } else { "" };
        let count = match programs.len() {
            1 => "1 program is".to_owned(),
            n => format!("{n} programs are"),
        };
        let value = format!("{count} QUASIRENT: {}{more}", names.join(", "));
        let mut finding = TuningFinding::at(&RULE, document.place(first.at("CONCURRENCY")), value)
            .needs(
                "that the program and all it calls share no storage unserialised: CWA, \
                    GETMAIN SHARED, loaded tables",
            )
            .because(sit.place(parameter.at), parameter.text());
        for program in programs {
            finding = finding.code(program.alter("CONCURRENCY(THREADSAFE)"));
        }
        findings.push(finding);
    }
}
