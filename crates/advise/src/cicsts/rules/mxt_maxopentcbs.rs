//! Fewer open TCBs than tasks.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.mxt.maxopentcbs",
    summary: "MAXOPENTCBS is coded below MXT.",
    why: "A task that needs an L8 or L9 TCB waits when all are in use. Left out, CICS derives it \
          from MXT.",
    severity: Severity::Advice,
    effect: None,
    sources: &[cics::MAXOPENTCBS],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let (Some((document, open)), Some((sit, mxt))) =
        (documents.sit("MAXOPENTCBS"), documents.sit("MXT"))
    else {
        return;
    };
    if let (Some(most), Some(tasks)) = (open.number(), mxt.number())
        && most < tasks
    {
        findings.push(
            Finding::at(&RULE, document.place(open.at), open.text())
                .code(format!("MAXOPENTCBS={tasks}"))
                .needs("or leave it out: CICS TS 4.2 and later derive it from MXT")
                .because(sit.place(mxt.at), mxt.text()),
        );
    }
}
