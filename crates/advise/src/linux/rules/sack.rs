//! `net.ipv4.tcp_sack`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.sack",
    summary: "tcp_sack is off.",
    why: "The sender then mends one loss a round trip, and several losses in one window often \
          end in a timeout of 200 ms or more.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC2018],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_sack",
        findings,
        |n| n == 0,
        "1",
    );
}
