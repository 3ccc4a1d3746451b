//! `net.ipv4.tcp_slow_start_after_idle`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.slow-start-after-idle",
    summary: "tcp_slow_start_after_idle is on.",
    why: "A connection that rested for one retransmission timeout starts with a small congestion \
          window again. Clients that think between requests pay round trips for every large \
          response.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_SYSCTL, kernel::RFC2861],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_slow_start_after_idle",
        findings,
        |n| n != 0,
        "0",
    );
}
