//! A short queue of connections.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.somaxconn",
    summary: "SOMAXCONN is below 1024.",
    why: "It caps the backlog of every listening socket without an error. A burst of new \
          connections beyond it is refused, and clients try again after seconds. The default was \
          10 before z/OS V2R1 and is 1024 since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, ip::SOMAXCONN, ip::MIGRATION_V2R1],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        if let Some((most, at)) = profile.somaxconn
            && most < DEFAULT
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("SOMAXCONN {most}"))
                    .code(format!("SOMAXCONN {DEFAULT}")),
            );
        }
    }
}

/// The default since z/OS V2R1.
const DEFAULT: u64 = 1024;
