//! `net.ipv4.tcp_wmem`.

use super::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.wmem",
    summary: "tcp_wmem starts below 16K or ends below 4 MB.",
    why: "The third number bounds what may be under way without an acknowledgement. Large \
          responses over long paths wait for it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    setting(documents, &RULE, "net.ipv4.tcp_wmem", findings, |value| {
        super::three(value, 16_384, 4_194_304)
    });
}
