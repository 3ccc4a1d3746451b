//! VTAM's IOBUF and NCP's UNITSZ have one length.

use super::coded::coded;
use super::keywords::UNIT_BYTES;
use super::vtam_iobuf;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.iobuf-unitsz",
    summary: "The buffer size in IOBUF is not UNITSZ.",
    why: "NCP cuts data for the host into units of UNITSZ, and VTAM receives them in buffers of \
          IOBUF. The two are one number, and 4,000 is the best one.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for iobuf in coded(documents, &vtam::START, &["IOBUF"], "START") {
        let Some(size) = vtam_iobuf::size(&iobuf) else {
            continue;
        };
        for unitsz in coded(documents, &vtam::NCP, &["UNITSZ"], "") {
            let Some(unit) = unitsz.number().filter(|unit| *unit != size) else {
                continue;
            };
            // The finding is at the other value.
            let (wrong, other, line) = match unit {
                UNIT_BYTES => (&iobuf, &unitsz, vtam_iobuf::line(&iobuf)),
                _ => (&unitsz, &iobuf, unitsz.line("4000")),
            };
            let mut finding =
                TuningFinding::at(&RULE, wrong.place(), reported(size, unit)).code(line);
            if ![size, unit].contains(&UNIT_BYTES) {
                finding = finding.code(vtam_iobuf::line(&iobuf));
            }
            out.push(finding.because(other.place(), "the other of the two"));
        }
    }
}

fn reported(size: u32, unit: u32) -> String {
    format!("buffers of {size} bytes in IOBUF, UNITSZ={unit}")
}
