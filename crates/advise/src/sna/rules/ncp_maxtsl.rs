//! MAXTSL: the frames that NCP takes from the ring.

use super::coded::coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::Statement;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

/// The largest frame of an old adapter.
const TIC1: u32 = 1108;
/// The best frame of a TIC2 at 4 Mb/s.
const TIC2_4: u32 = 4060;
/// The best frame of a TIC2 at 16 Mb/s.
const TIC2_16: u32 = 16_000;

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.maxtsl",
    summary: "MAXTSL is not what the ring's adapter does best.",
    why: "MAXTSL bounds the frames between NCP and its stations. A TIC1 must not exceed 1,108 bytes; \
          a TIC2 does best with 4,060 at 4 Mb/s and 16,000 at 16 Mb/s.",
    severity: Severity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for maxtsl in coded(documents, &vtam::NCP, &["MAXTSL"], "") {
        let Some(frame) = maxtsl.number() else {
            continue;
        };
        let (want, adapter) = advised(maxtsl.statement);
        if frame == want || (want == TIC1 && frame < want) {
            continue;
        }
        let mut finding = maxtsl
            .finding(&RULE)
            .code(maxtsl.line(&want.to_string()))
            .needs(adapter);
        if want == TIC1 {
            finding = finding.severity(Severity::Warning);
        }
        out.push(finding.needs("partners that take frames of this length"));
    }
}

/// The frame size for a line, and what is taken for its adapter.
pub(super) fn advised(line: &Statement) -> (u32, &'static str) {
    let old = line.operand("ADAPTER").is_some_and(|o| o.is("TIC1"));
    let speed = line.operand("TRSPEED").and_then(|o| o.number());
    match (old, speed) {
        (true, _) => (TIC1, "ADAPTER=TIC1: at most 1108"),
        (false, Some(16)) => (TIC2_16, "a TIC2 at 16 Mb/s"),
        (false, Some(_)) => (TIC2_4, "a TIC2 at 4 Mb/s"),
        (false, None) => (
            TIC2_4,
            "a TIC2 at 4 Mb/s (TRSPEED is not coded); 16000 at 16 Mb/s",
        ),
    }
}
