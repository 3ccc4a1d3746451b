//! A small send buffer.

use super::buffer_receive::small;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::ip;

pub(super) static RULE: Rule = Rule {
    name: "tcpip.buffer.send",
    summary: "TCPSENDBFRSIZE is below 64K.",
    why: "The send buffer holds what is not yet acknowledged. A response larger than it makes \
          the application wait, and no more than one buffer is under way in a round trip. The \
          default was 16K before z/OS V2R1 and is 64K since.",
    severity: Severity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG, ip::MIGRATION_V2R1],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    small(documents, &RULE, "TCPSENDBFRSIZE", findings);
}
