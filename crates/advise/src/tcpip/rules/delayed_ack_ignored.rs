//! DELAYACKS where TCPCONFIG says NODELAYACKS.

use super::coded_against;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, ip};
use crate::tcpip::AckPolicy;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.ignored",
    summary: "DELAYACKS is coded on a port or route although TCPCONFIG says NODELAYACKS.",
    why: "NODELAYACKS on TCPCONFIG is global and cannot be overridden, so the word has no \
        effect, although the profile looks as if it had.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_002, ip::TCPCONFIG],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    coded_against(documents, &RULE, AckPolicy::Immediate, findings);
}
