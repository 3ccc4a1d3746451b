//! DELAYACKS on a port or route undoes AUTODELAYACKS.

use super::coded_against;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::ip;
use crate::tcpip::Acknowledgement;

pub(super) static RULE: Rule = Rule {
    name: "tcpip.delayed-ack.forced",
    summary: "DELAYACKS on a port or route overrides AUTODELAYACKS on TCPCONFIG.",
    why: "AUTODELAYACKS lets the stack find the connections that delayed acknowledgements hurt. \
          Where DELAYACKS is coded on the port or the route, it does not look.",
    severity: Severity::Warning,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    coded_against(documents, &RULE, Acknowledgement::Automatic, findings);
}
