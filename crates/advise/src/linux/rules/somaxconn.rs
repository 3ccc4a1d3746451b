//! `net.core.somaxconn`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.somaxconn",
    summary: "somaxconn is below 4096.",
    why: "It caps the backlog of every listening socket without an error. A burst beyond it \
          loses connection requests, and each lost one waits a second. The default was 128 \
          before Linux 5.4 and is 4096 since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::NET_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.core.somaxconn",
        findings,
        |n| n < 4096,
        "4096",
    );
}
