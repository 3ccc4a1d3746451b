//! `net.ipv4.tcp_window_scaling`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.window-scaling",
    summary: "tcp_window_scaling is off.",
    why: "The window cannot be more than 64K, so a connection carries at most 64K a round trip.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_window_scaling",
        findings,
        |n| n == 0,
        "1",
    );
}
