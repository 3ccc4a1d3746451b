//! A small receive buffer.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.buffer.receive",
    summary: "TCPRCVBUFRSIZE is below 64K.",
    why: "The receive buffer is the window that a partner may fill before it must wait for an \
          acknowledgement: one buffer a round trip is all it can send. The default was 16K \
          before z/OS V2R1 and is 64K since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG, ip::MIGRATION_V2R1],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    small(documents, &RULE, "TCPRCVBUFRSIZE", findings);
}

/// A finding for a buffer size below the default.
pub(super) fn small(
    documents: &DocumentSet,
    rule: &'static TuningRule,
    name: &str,
    findings: &mut Vec<TuningFinding>,
) {
    for (document, profile) in documents.profiles() {
        if let Some((bytes, at)) = profile.tcp.number(name)
            && bytes < DEFAULT_BYTES
        {
            // At 10 ms a round trip carries one buffer, 100 times a second.
            let rate = bytes * 100 * 8 / 1_000_000;
            findings.push(
                TuningFinding::at(rule, document.place(at), format!("{name} {bytes}"))
                    .code(format!("TCPCONFIG {name} {DEFAULT_BYTES}"))
                    .effect(format!(
                        "at a round trip of 10 ms at most {rate} Mb/s a connection"
                    )),
            );
        }
    }
}

/// The default since z/OS V2R1.
const DEFAULT_BYTES: u64 = 65_536;
