//! `net.ipv4.tcp_tw_recycle`.

use super::number;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.tw-recycle",
    summary: "tcp_tw_recycle is on.",
    why: "It drops connection requests of clients that share one translated address if their \
        time stamps differ: they see lost SYNs and wait a second or more. Kernels from 4.12 \
        no longer have it.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    number(
        documents,
        &RULE,
        "net.ipv4.tcp_tw_recycle",
        findings,
        |n| n != 0,
        "0",
    );
}
