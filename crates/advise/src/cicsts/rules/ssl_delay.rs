//! No SSL session reuse.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.ssl-delay",
    summary: "SSLDELAY=0 keeps no session ids.",
    why: "Every new SSL connection then pays a full handshake with its public-key work. The \
          default keeps sessions for 600 seconds.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_002, cics::SSLDELAY],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    if let Some((document, parameter)) = documents.sit("SSLDELAY")
        && parameter.number() == Some(0)
    {
        let place = document.place(parameter.at);
        findings.push(TuningFinding::at(&RULE, place, parameter.text()).code("SSLDELAY=600"));
    }
}
