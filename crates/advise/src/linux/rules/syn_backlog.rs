//! `net.ipv4.tcp_max_syn_backlog`.

use super::settings::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.max-syn-backlog",
    summary: "tcp_max_syn_backlog is below 1024, or below somaxconn.",
    why: "It bounds half-open connections of a listening socket. Over a long path many are \
          half-open at a time, and beyond the bound they are dropped or answered with cookies.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let least = |documents: &DocumentSet| {
        let found = documents
            .sysctls()
            .filter_map(|(_, s)| s.get("net.core.somaxconn")?.number());
        found.max().unwrap_or(0).clamp(1024, 4096)
    };
    let least = least(documents);
    setting(
        documents,
        &RULE,
        "net.ipv4.tcp_max_syn_backlog",
        findings,
        |value| (value.number()? < least).then(|| least.to_string()),
    );
}
