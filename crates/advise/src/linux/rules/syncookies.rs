//! `net.ipv4.tcp_syncookies`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.syncookies",
    summary: "tcp_syncookies is off, or always on.",
    why: "Without cookies a full queue of half-open connections drops new ones, and clients wait \
          a second for their next SYN. 2 sends cookies always, which loses TCP options where \
          time stamps are missing; 1 sends them when the queue is full.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_syncookies",
        findings,
        |n| n != 1,
        "1",
    );
}
