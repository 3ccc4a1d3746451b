//! `net.ipv4.tcp_timestamps`.

use super::setting;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.timestamps",
    summary: "tcp_timestamps is off.",
    why: "Without time stamps round trips are measured less often, ports in TIME_WAIT cannot be \
          used again safely, and SYN cookies lose window scaling and SACK.",
    severity: Severity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    setting(
        documents,
        &RULE,
        "net.ipv4.tcp_timestamps",
        findings,
        |value| (value.number()? == 0).then(|| "1".to_owned()),
    );
}
