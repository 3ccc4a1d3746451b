//! MAXBFRU: how many host buffers NCP sets aside for a transfer.

use std::collections::HashMap;

use super::coded::each;
use super::keywords::UNIT_BYTES;
use super::rings;
use crate::document::{Document, DocumentSet};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP, NCP_DEFINITION};
use crate::sna::{KeywordOperand, Statement};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.maxbfru",
    summary: "MAXBFRU is more than the largest PIU fills, or too little for it.",
    why: "NCP waits until so many buffers of UNITSZ bytes are full before it passes data on; what \
          does not fill them waits for a timer. The right count is the largest PIU divided by \
          UNITSZ, rounded up. Sessions that fail with it need one more.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "paper 004 names MAXBFRU and DELAY for NS/DOS to VTAM: 100,000 bytes in 31 s before all \
         changes, 0.53 s after",
    ),
    sources: &[NCP, FIGURES_6_7, NCP_DEFINITION],
    check: &check,
};

/// The manual's spelling and the figures' other one.
pub(super) const NAMES: &[&str] = &["MAXBFRU", "MAXBUFRU"];

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let generations = documents.of(&vtam::NCP);
    let generations = generations.map(|d| (&*d.name, largest_piu(documents, d)));
    let generations: HashMap<&str, (u32, String)> = generations.collect();
    for host in each(documents, &vtam::NCP, NAMES, "HOST") {
        // Not a number: its reader has said so.
        if host.operand.is_some() && host.number().is_none() {
            continue;
        }
        let Some((piu, from)) = generations.get(&*host.document.name) else {
            continue;
        };
        let unit = unit(host.statement);
        let want = wanted(*piu, host.statement);
        // Failing sessions need one more.
        if host.number().is_some_and(|n| n == want || n == want + 1) {
            continue;
        }
        let mut finding = host
            .finding(&RULE)
            .code(host.line(&want.to_string()))
            .needs(format!(
                "UNITSZ={unit}; {want} = {piu} / {unit} rounded up, {from}"
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

/// The length of a host's buffers after the advice: longer ones stay.
fn unit(host: &Statement) -> u32 {
    let coded = host.operand("UNITSZ").and_then(KeywordOperand::number);
    coded.unwrap_or(0).max(UNIT_BYTES)
}

/// The buffers that a PIU fills after the advice.
pub(super) fn wanted(piu: u32, host: &Statement) -> u32 {
    piu.div_ceil(unit(host)).max(1)
}

/// The largest PIU of a generation: the largest frame that its stations will
/// send after MAXTSL is set as advised.
pub(super) fn largest_piu(documents: &DocumentSet, document: &Document) -> (u32, String) {
    let most = rings::of(document).iter().map(|r| r.frame()).max();
    match most {
        Some(frame) => (frame, format!("the largest PIU is below MAXTSL of {frame}")),
        None => {
            let frame = super::stations::largest_frame(documents).unwrap_or(UNIT_BYTES);
            (
                frame,
                format!("the largest PIU is below a frame of {frame}"),
            )
        }
    }
}
