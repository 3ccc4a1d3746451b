//! `net.ipv4.tcp_timestamps`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.timestamps",
    summary: "tcp_timestamps is off.",
    why: "Without time stamps round trips are measured less often, ports in TIME_WAIT cannot be \
          used again safely, and SYN cookies lose window scaling and SACK.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_timestamps",
        findings,
        |n| n == 0,
        "1",
    );
}
