//! `net.core.default_qdisc`.

use super::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.default-qdisc",
    summary: "default_qdisc is pfifo_fast.",
    why: "One queue for all: short requests wait until a bulk transfer before them is sent. \
        fq_codel gives each flow its own queue and keeps queues short; fq also paces.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::NET_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    setting(
        documents,
        &RULE,
        "net.core.default_qdisc",
        findings,
        |value| (value.value == "pfifo_fast").then(|| "fq_codel".to_owned()),
    );
}
