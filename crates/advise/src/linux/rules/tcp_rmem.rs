//! `net.ipv4.tcp_rmem`.

use super::setting;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.rmem",
    summary: "tcp_rmem starts below 64K or ends below 4 MB.",
    why: "The third number bounds the window that a receiver may offer, and with it one \
          connection's throughput: window divided by round-trip time. The second is where it \
          starts.",
    severity: Severity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    setting(documents, &RULE, "net.ipv4.tcp_rmem", findings, |value| {
        super::three(value, 65_536, 4_194_304)
    });
}
