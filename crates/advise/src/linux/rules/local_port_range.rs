//! `net.ipv4.ip_local_port_range`.

use super::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.ip-local-port-range",
    summary: "ip_local_port_range leaves fewer than 28,000 ports.",
    why: "Each closed connection keeps its port for 60 s. A client that connects for every \
          request runs out of ports at the range divided by 60 connections a second to one \
          server.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    setting(
        documents,
        &RULE,
        "net.ipv4.ip_local_port_range",
        findings,
        |value| {
            let numbers = value.numbers()?;
            let [low, high] = numbers[..] else {
                return None;
            };
            (high.saturating_sub(low) < 28_000).then(|| "15000 65000".to_owned())
        },
    );
}
