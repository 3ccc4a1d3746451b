//! DELAYACKS where TCPCONFIG says NODELAYACKS.

use super::coded_against;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_002, ip};
use crate::tcpip::Acknowledgement;

pub(super) static RULE: Rule = Rule {
    name: "tcpip.delayed-ack.ignored",
    summary: "DELAYACKS is coded on a port or route although TCPCONFIG says NODELAYACKS.",
    why: "NODELAYACKS on TCPCONFIG is global and cannot be overridden, so the word has no \
        effect, although the profile looks as if it had.",
    severity: Severity::Note,
    effect: None,
    sources: &[PAPER_002, ip::TCPCONFIG],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    coded_against(documents, &RULE, Acknowledgement::Immediate, findings);
}
