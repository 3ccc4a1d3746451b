//! A small send buffer.

use super::buffer_receive::small;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.buffer.send",
    summary: "TCPSENDBFRSIZE is below 64K.",
    why: "The send buffer holds what is not yet acknowledged. A response larger than it makes \
          the application wait, and no more than one buffer is under way in a round trip. The \
          default was 16K before z/OS V2R1 and is 64K since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG, ip::MIGRATION_V2R1],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    small(documents, &RULE, "TCPSENDBFRSIZE", findings);
}
