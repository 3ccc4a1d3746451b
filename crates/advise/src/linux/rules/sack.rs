//! `net.ipv4.tcp_sack`.

use super::number;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.sack",
    summary: "tcp_sack is off.",
    why: "The sender then mends one loss a round trip, and several losses in one window often \
          end in a timeout of 200 ms or more.",
    severity: Severity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC2018],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_sack",
        findings,
        |n| n == 0,
        "1",
    );
}
