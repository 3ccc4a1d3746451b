//! More sessions than tasks.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_003, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.mxt.sessions",
    summary: "IPIC sessions that receive add up to MXT or more.",
    why: "Each busy session runs one task. When partners use all sessions, MXT is reached and \
          no other task starts, not even one of an operator who looks for the cause.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_003, cics::MXT, cics::IPCONN],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some((sit, parameter)) = documents.sit("MXT") else {
        return;
    };
    let Some(mxt) = parameter.number() else {
        return;
    };
    let receive = || {
        let all = documents.definitions("IPCONN");
        all.filter_map(|(d, c)| Some((d, c, c.number("RECEIVECOUNT")?)))
    };
    let sum = receive().fold(0_u64, |sum, (_, _, (n, _))| sum.saturating_add(n));
    let Some((document, first, (_, at))) = receive().max_by_key(|(_, _, (n, _))| *n) else {
        return;
    };
    if sum >= mxt {
        let mut finding = TuningFinding::at(
            &RULE,
            document.place(at),
            format!("{sum} sessions, MXT={mxt}"),
        )
        .code(format!("MXT={}", sum.saturating_add(50).min(2000)))
        .needs("storage for the tasks; or fewer sessions, so that partners queue instead")
        .because(sit.place(parameter.at), parameter.text());
        for (d, c, (n, at)) in receive().filter(|(_, c, _)| !std::ptr::eq(*c, first)) {
            finding = finding.because(d.place(at), format!("IPCONN({}) has {n}", c.name));
        }
        findings.push(finding);
    }
}
