//! Fewer sockets than tasks.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.mxt.maxsockets",
    summary: "MAXSOCKETS is below MXT.",
    why: "A persistent connection holds its socket while no task runs for it, so sockets are \
          many times the tasks. At the limit CICS closes idle connections, and clients connect \
          again.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::MAXSOCKETS_MXT, cics::MAXSOCKETS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let (Some((document, sockets)), Some((sit, mxt))) =
        (documents.sit("MAXSOCKETS"), documents.sit("MXT"))
    else {
        return;
    };
    if let (Some(most), Some(tasks)) = (sockets.number(), mxt.number())
        && most < tasks
    {
        findings.push(
            TuningFinding::at(&RULE, document.place(sockets.at), sockets.text())
                .code("MAXSOCKETS=65535")
                .needs("a MAXFILEPROC in BPXPRMxx, or FILEPROCMAX of the region's user, as large")
                .because(sit.place(mxt.at), mxt.text()),
        );
    }
}
