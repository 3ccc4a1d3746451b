//! `net.ipv4.tcp_mtu_probing`.

use super::number;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.mtu-probing",
    summary: "tcp_mtu_probing is off.",
    why: "Where a router drops large packets and its message is filtered, a connection hangs at \
          its first full segment. 1 makes the kernel try smaller ones after a timeout.",
    severity: Severity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC4821],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_mtu_probing",
        findings,
        |n| n == 0,
        "1",
    );
}
