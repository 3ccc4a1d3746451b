//! `net.ipv4.tcp_tw_reuse`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.tw-reuse",
    summary: "tcp_tw_reuse is off.",
    why: "A client that connects for every request cannot use a port again for 60 s, though time \
          stamps make it safe. 2 allows it on loopback only, 1 everywhere. Persistent \
          connections are the better cure.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_tw_reuse",
        findings,
        |n| n == 0,
        "1",
    );
}
