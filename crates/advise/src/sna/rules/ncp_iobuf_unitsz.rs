//! VTAM's IOBUF and NCP's UNITSZ have one length.

use super::coded::coded;
use super::vtam_iobuf;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.iobuf-unitsz",
    summary: "The buffer size in IOBUF is not UNITSZ.",
    why: "NCP cuts data for the host into units of UNITSZ, and VTAM receives them in buffers of \
          IOBUF. The two are one number, and 4,000 is the best one.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MATCHING],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for iobuf in coded(documents, &vtam::START, &["IOBUF"], "START") {
        let Some(size) = vtam_iobuf::size(&iobuf) else {
            continue;
        };
        for unitsz in coded(documents, &vtam::NCP, &["UNITSZ"], "") {
            if unitsz.number().is_some_and(|unit| unit != size) {
                let finding = unitsz.finding(&RULE).code(unitsz.line("4000"));
                let finding = finding.code(vtam_iobuf::line(&iobuf));
                out.push(
                    finding.because(iobuf.place(), format!("IOBUF has buffers of {size} bytes")),
                );
            }
        }
    }
}
