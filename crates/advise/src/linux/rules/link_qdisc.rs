//! One queue for all on a link.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.link.qdisc",
    summary: "A link queues with pfifo_fast.",
    why: "Short requests wait until a bulk transfer before them is sent, in one long queue. \
        fq_codel gives each flow its own.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_LINK, kernel::NET_SYSCTL],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, link) in documents.ip_links() {
        if let Some((qdisc, at)) = &link.qdisc
            && qdisc == "pfifo_fast"
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(*at), "qdisc pfifo_fast")
                    .code(format!("tc qdisc replace dev {} root fq_codel", link.name)),
            );
        }
    }
}
