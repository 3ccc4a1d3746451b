//! `net.ipv4.tcp_wmem`.

use super::setting;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.tcp.wmem",
    summary: "tcp_wmem starts below 16K or ends below 4 MB.",
    why: "The third number bounds what may be under way without an acknowledgement. Large \
          responses over long paths wait for it.",
    severity: Severity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    setting(documents, &RULE, "net.ipv4.tcp_wmem", findings, |value| {
        super::three(value, 16_384, 4_194_304)
    });
}
