//! No SSL session reuse.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_002, cics};

pub(super) static RULE: Rule = Rule {
    name: "cics.ssl-delay",
    summary: "SSLDELAY=0 keeps no session ids.",
    why: "Every new SSL connection then pays a full handshake with its public-key work. The \
          default keeps sessions for 600 seconds.",
    severity: Severity::Warning,
    effect: None,
    sources: &[PAPER_002, cics::SSLDELAY],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    if let Some((document, parameter)) = documents.sit("SSLDELAY")
        && parameter.number() == Some(0)
    {
        let place = document.place(parameter.at);
        findings.push(Finding::at(&RULE, place, parameter.text()).code("SSLDELAY=600"));
    }
}
