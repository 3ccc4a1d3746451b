//! `net.ipv4.tcp_max_syn_backlog`.

use super::setting;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.max-syn-backlog",
    summary: "tcp_max_syn_backlog is below 1024, or below somaxconn.",
    why: "It bounds half-open connections of a listening socket. Over a long path many are \
          half-open at a time, and beyond the bound they are dropped or answered with cookies.",
    severity: Severity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let least = |documents: &Documents| {
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
