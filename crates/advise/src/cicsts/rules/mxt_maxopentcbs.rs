//! Fewer open TCBs than tasks.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.mxt.maxopentcbs",
    summary: "MAXOPENTCBS is coded below MXT.",
    why: "A task that needs an L8 or L9 TCB waits when all are in use. Left out, CICS derives it \
          from MXT.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::MAXOPENTCBS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let (Some((document, open)), Some((sit, mxt))) =
        (documents.sit("MAXOPENTCBS"), documents.sit("MXT"))
    else {
        return;
    };
    if let (Some(most), Some(tasks)) = (open.number(), mxt.number())
        && most < tasks
    {
        findings.push(
            TuningFinding::at(&RULE, document.place(open.at), open.text())
                .code(format!("MAXOPENTCBS={tasks}"))
                .needs("or leave it out: CICS TS 4.2 and later derive it from MXT")
                .because(sit.place(mxt.at), mxt.text()),
        );
    }
}
