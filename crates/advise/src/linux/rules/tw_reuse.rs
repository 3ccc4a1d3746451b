//! `net.ipv4.tcp_tw_reuse`.

use super::number;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.tw-reuse",
    summary: "tcp_tw_reuse is off.",
    why: "A client that connects for every request cannot use a port again for 60 s, though time \
          stamps make it safe. 2 allows it on loopback only, 1 everywhere. Persistent \
          connections are the better cure.",
    severity: Severity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_tw_reuse",
        findings,
        |n| n == 0,
        "1",
    );
}
