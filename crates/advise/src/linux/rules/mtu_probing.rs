//! `net.ipv4.tcp_mtu_probing`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.mtu-probing",
    summary: "tcp_mtu_probing is off.",
    why: "Where a router drops large packets and its message is filtered, a connection hangs at \
          its first full segment. 1 makes the kernel try smaller ones after a timeout.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC4821],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_mtu_probing",
        findings,
        |n| n == 0,
        "1",
    );
}
