//! A limit of the receive buffer below the requested size.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.buffer.max",
    summary: "TCPMAXRCVBUFRSIZE is below its default of 256K or below TCPRCVBUFRSIZE.",
    why: "Applications that set their own receive buffer get no more than this, so their window \
          stays small without a word.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        let Some((most, at)) = profile.tcp.number("TCPMAXRCVBUFRSIZE") else {
            continue;
        };
        let usual = profile.tcp.number("TCPRCVBUFRSIZE");
        let mut finding = TuningFinding::at(
            &RULE,
            document.place(at),
            format!("TCPMAXRCVBUFRSIZE {most}"),
        );
        let least = DEFAULT_BYTES.max(usual.map_or(0, |(n, _)| n));
        if most >= least {
            continue;
        }
        if let Some((bytes, at)) = usual.filter(|(bytes, _)| *bytes > most) {
            finding = finding
                .severity(FindingSeverity::Warning)
                .because(document.place(at), format!("TCPRCVBUFRSIZE {bytes}"));
        }
        findings.push(finding.code(format!("TCPCONFIG TCPMAXRCVBUFRSIZE {least}")));
    }
}

/// The default, 256K.
const DEFAULT_BYTES: u64 = 262_144;
