//! `net.ipv4.tcp_rmem`.

use super::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.tcp.rmem",
    summary: "tcp_rmem starts below 64K or ends below 4 MB.",
    why: "The third number bounds the window that a receiver may offer, and with it one \
          connection's throughput: window divided by round-trip time. The second is where it \
          starts.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    setting(documents, &RULE, "net.ipv4.tcp_rmem", findings, |value| {
        super::three(value, 65_536, 4_194_304)
    });
}
