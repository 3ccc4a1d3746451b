//! MAXBFRU: how many host buffers NCP sets aside for a transfer.

use super::coded::{Coded, coded};
use super::{ncp_maxtsl, ncp_unitsz};
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP, NCP_DEFINITION};

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.maxbfru",
    summary: "MAXBFRU is more than the largest PIU fills, or too little for it.",
    why: "NCP waits until so many buffers of UNITSZ bytes are full before it passes data on; what \
          does not fill them waits for a timer. The right count is the largest PIU divided by \
          UNITSZ, rounded up. Sessions that fail with it need one more.",
    severity: Severity::Warning,
    effect: Some(
        "paper 004 names MAXBFRU and DELAY for NS/DOS to VTAM: 100,000 bytes in 31 s before all \
         changes, 0.53 s after",
    ),
    sources: &[NCP, FIGURES_6_7, NCP_DEFINITION],
    check,
};

/// The manual's spelling and the figures' other one.
pub(super) const NAMES: &[&str] = &["MAXBFRU", "MAXBUFRU"];

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for host in coded(documents, &vtam::NCP, NAMES, "HOST") {
        let (piu, from) = largest_piu(documents, &host);
        let want = piu.div_ceil(ncp_unitsz::BYTES).max(1);
        // One more is what failing sessions need.
        if host.number().is_some_and(|n| n == want || n == want + 1) {
            continue;
        }
        let mut finding = host
            .finding(&RULE)
            .code(host.line(&want.to_string()))
            .needs(format!(
                "UNITSZ=4000; {want} = {piu} / 4000 rounded up, {from}"
            ))
            .needs("one more where sessions fail");
        if host.operand.is_some_and(|o| o.name == "MAXBUFRU") {
            finding = finding.needs(
                "the guide spells the keyword MAXBFRU in its text and MAXBUFRU in its figures; NCP's \
                 HOST statement takes MAXBFRU",
            );
        }
        out.push(finding);
    }
}

/// The largest PIU of a generation: the largest frame that its stations will
/// send after MAXTSL is set as advised.
fn largest_piu(documents: &Documents, host: &Coded<'_>) -> (u32, String) {
    let lines = host
        .document
        .statements()
        .iter()
        .filter(|s| s.operand("MAXTSL").is_some());
    let most = lines.map(|s| ncp_maxtsl::advised(s).0).max();
    match most {
        Some(frame) => (frame, format!("the largest PIU is below MAXTSL of {frame}")),
        None => {
            let frame = super::stations::largest_frame(documents).unwrap_or(ncp_unitsz::BYTES);
            (
                frame,
                format!("the largest PIU is below a frame of {frame}"),
            )
        }
    }
}
