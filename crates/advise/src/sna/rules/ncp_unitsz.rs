//! UNITSZ: the host buffers that NCP fills.

use super::coded::each;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

/// Bytes of a buffer, here and in IOBUF.
pub(super) const BYTES: u32 = 4000;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.unitsz",
    summary: "UNITSZ is below 4,000 bytes.",
    why: "NCP hands data to the host in buffers of this length. Bulk data moves with less work in \
          large ones; IOBUF of VTAM has the same length.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for unitsz in each(documents, &vtam::NCP, &["UNITSZ"], "HOST") {
        if unitsz.number().is_none_or(|n| n < BYTES) {
            let finding = unitsz.finding(&RULE).code(unitsz.line("4000"));
            out.push(finding.needs("IOBUF of 4000 bytes in VTAM's start options"));
        }
    }
}
