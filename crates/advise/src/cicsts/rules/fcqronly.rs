//! File control on the QR TCB.

use crate::cicsts::CsdDefinition;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.fcqronly",
    summary: "File control is forced onto the QR TCB while threadsafe programs and LSR or RLS \
              files could do without.",
    why: "With FCQRONLY=YES, which is the default, each file command of a program on an open TCB \
          switches to the QR TCB and back. With NO, commands on local VSAM LSR and RLS files \
          stay where they are.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "published: about 12 switches between L8 and QR for each transaction, and none after",
    ),
    sources: &[
        PAPER_000,
        cics::FCQRONLY,
        cics::THREADSAFE_FILES,
        cics::PK45354,
    ],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let parameter = documents.sit("FCQRONLY");
    if parameter.is_some_and(|(_, p)| p.is("NO")) {
        return;
    }
    let local = |d: &CsdDefinition| !d.has("REMOTESYSTEM") && !d.is("TABLE", "CF");
    let file = documents
        .definitions("FILE")
        .find(|(_, d)| local(d) && (!d.is_nsr() || d.is("RLSACCESS", "YES")));
    let program = documents
        .definitions("PROGRAM")
        .find(|(_, d)| d.is("CONCURRENCY", "THREADSAFE") || d.is("CONCURRENCY", "REQUIRED"));
    let evidence = file.is_some() && program.is_some();
    let place = match (parameter, documents.first_sit()) {
        (Some((document, p)), _) => document.place(p.at),
        (None, Some(sit)) if evidence => sit.absent(),
        _ => return,
    };
    let value = parameter.map_or("FCQRONLY=YES by default".to_owned(), |(_, p)| p.text());
    let mut finding = TuningFinding::at(&RULE, place, value)
        .code("FCQRONLY=NO")
        .needs("CICS TS 3.2 with APAR PK45354, or a later release")
        .needs("z/OS 1.9 (with OA20352 and OA24071) or later for LSR files")
        .needs("local VSAM files in LSR pools, or RLS files: NSR and other files stay on QR")
        .needs("a region that is not a file owner reached by MRO or ISC, where YES is better");
    if let (Some((fd, file)), Some((pd, program))) = (file, program) {
        let concurrency = program.get("CONCURRENCY").map_or("", |(v, _)| v);
        finding = finding
            .because(
                pd.place(program.at("CONCURRENCY")),
                format!("{} is {concurrency}", program.name),
            )
            .because(
                fd.place(file.at),
                format!("{} is a local LSR or RLS file", file.name),
            );
    }
    findings.push(if evidence {
        finding
    } else {
        finding.severity(FindingSeverity::Advice)
    });
}
