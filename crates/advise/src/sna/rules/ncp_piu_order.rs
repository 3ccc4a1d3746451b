//! MAXDATA, the host's buffers and the largest PIU in their order.

use std::collections::HashMap;

use super::coded::{CodedSetting, each};
use super::keywords::UNIT_BYTES;
use super::{ncp_maxbfru, rings};
use crate::document::{Document, DocumentSet};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::NCP;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.piu-order",
    summary: "MAXDATA > UNITSZ × MAXBFRU > largest PIU does not hold.",
    why: "A PIU that the host's buffers cannot hold is lost with its session, and what VTAM and NCP \
          send each other must be allowed to be larger than those buffers.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[NCP],
    check: &check,
};

/// The common measure of all hosts of a generation.
struct Generation<'a> {
    /// The smallest MAXDATA of a PCCU.
    maxdata: Option<(u32, CodedSetting<'a>)>,
    /// The largest MAXTSL of a ring.
    maxtsl: Option<(u32, CodedSetting<'a>)>,
    /// The largest PIU after the advice.
    largest_piu: u32,
}

impl<'a> Generation<'a> {
    fn of(documents: &DocumentSet, document: &'a Document) -> Self {
        let pccu = numbers(document, "MAXDATA").filter(|(_, c)| c.statement.verb == "PCCU");
        let rings = rings::of(document);
        let frames = rings
            .iter()
            .filter_map(|r| Some((r.maxtsl()?, r.coded("MAXTSL"))));
        Generation {
            maxdata: pccu.min_by_key(|(n, _)| *n),
            maxtsl: frames.max_by_key(|(n, _)| *n),
            largest_piu: ncp_maxbfru::largest_piu(documents, document).0,
        }
    }
}

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let generations = documents.of(&vtam::NCP);
    let generations = generations.map(|d| (&*d.name, Generation::of(documents, d)));
    let generations: HashMap<&str, Generation<'_>> = generations.collect();
    for unitsz in each(documents, &vtam::NCP, &["UNITSZ"], "HOST") {
        let Some(generation) = generations.get(&*unitsz.document.name) else {
            continue;
        };
        let host = unitsz.statement;
        let count = host.any(ncp_maxbfru::NAMES).and_then(|o| o.number());
        let (Some(unit), Some(count)) = (unitsz.number(), count) else {
            continue;
        };
        let room = u64::from(unit) * u64::from(count);
        let finding = |text: String| TuningFinding::at(&RULE, unitsz.place(), text);
        if let Some((maxdata, at)) = &generation.maxdata
            && u64::from(*maxdata) <= room
        {
            let text = format!(
                "MAXDATA {maxdata} is not above UNITSZ × MAXBFRU = {unit} × {count} = {room}"
            );
            let finding = finding(text).code(at.line("65535"));
            out.push(finding.because(at.place(), format!("MAXDATA={maxdata}")));
        }
        // A PIU is somewhat smaller than the frame that brings it.
        if let Some((frame, maxtsl)) = &generation.maxtsl
            && room < u64::from(*frame)
        {
            let text = format!(
                "UNITSZ × MAXBFRU = {unit} × {count} = {room} does not hold the PIU of a frame of {frame} bytes"
            );
            let want = ncp_maxbfru::wanted(generation.largest_piu, host);
            let buffers = CodedSetting::on(unitsz.document, host, ncp_maxbfru::NAMES);
            let mut settings = unitsz.spell(&unit.max(UNIT_BYTES).to_string());
            if ![want, want + 1].contains(&count) {
                settings = format!("{},{settings}", buffers.spell(&want.to_string()));
            }
            let finding = finding(text).code(unitsz.with(&settings));
            out.push(finding.because(maxtsl.place(), format!("MAXTSL={frame}")));
        }
    }
}

/// Every number that a document codes for an operand.
fn numbers<'a>(
    document: &'a Document,
    name: &'static str,
) -> impl Iterator<Item = (u32, CodedSetting<'a>)> {
    let all = document.statements().iter();
    let coded = all.map(move |s| CodedSetting::on(document, s, &[name]));
    coded.filter_map(|c| Some((c.number()?, c)))
}
