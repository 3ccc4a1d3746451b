//! DELAYACKS on a port or route undoes AUTODELAYACKS.

use super::coded_against;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::AckPolicy;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.forced",
    summary: "DELAYACKS on a port or route overrides AUTODELAYACKS on TCPCONFIG.",
    why: "AUTODELAYACKS lets the stack find the connections that delayed acknowledgements hurt. \
          Where DELAYACKS is coded on the port or the route, it does not look.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    coded_against(documents, &RULE, AckPolicy::Automatic, findings);
}
