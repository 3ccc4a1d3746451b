//! `net.ipv4.tcp_timestamps`.

use super::number;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.timestamps",
    summary: "tcp_timestamps is off.",
    why: "Without time stamps round trips are measured less often, ports in TIME_WAIT cannot be \
          used again safely, and SYN cookies lose window scaling and SACK.",
    severity: Severity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_timestamps",
        findings,
        |n| n == 0,
        "1",
    );
}
