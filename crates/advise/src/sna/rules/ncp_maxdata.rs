//! MAXDATA must hold a frame of the ring.

use std::collections::HashSet;

use super::coded::{CodedSetting, once};
use super::rings::{self, NcpRing};
use super::tiers::tiers;
use crate::document::{Document, DocumentSet};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.maxdata",
    summary: "MAXDATA is below MAXTSL.",
    why: "What a station sends in one frame must fit between NCP and VTAM as well, and a PU that \
          takes less than the ring carries gets its data in pieces.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let rings = rings::rings(documents);
    let stations = rings.iter().filter(|r| !r.subarea());
    let frames = stations.filter_map(|r| Some((r.maxtsl()?, r)));
    let frames: Vec<_> = frames.collect();
    // PIUs between VTAM and NCP contain the frames of every ring.
    for (document, pccu) in documents.stated(&vtam::NCP, "PCCU") {
        let own = frames
            .iter()
            .filter(|(_, r)| r.document().name == document.name);
        let largest = own.max_by_key(|(n, _)| *n);
        let maxdata = CodedSetting::on(document, pccu, &["MAXDATA"]);
        if let Some((maxtsl, ring)) = largest
            && maxdata.number().is_some_and(|n| n < *maxtsl)
        {
            // It must hold more than a frame, see sna.ncp.piu-order.
            out.push(reported(&maxdata, "65535".to_owned(), *maxtsl, ring));
        }
    }
    // A station of a generation is compared with its own line: a line that is
    // not a ring has no MAXTSL.
    let mut once_told = HashSet::new();
    for (maxtsl, ring) in &frames {
        for maxdata in ring.settings("MAXDATA") {
            if maxdata.number().is_some_and(|n| n < *maxtsl) && once(&mut once_told, &maxdata) {
                out.push(reported(&maxdata, maxtsl.to_string(), *maxtsl, ring));
            }
        }
    }
    // A switched station may be on any of the rings.
    let Some((maxtsl, ring)) = frames.iter().min_by_key(|(n, _)| *n) else {
        return;
    };
    let switched = |d: &&Document| {
        let mut all = d.statements().iter();
        all.any(|s| s.verb == "VBUILD" && s.operand("TYPE").is_some_and(|o| o.is("SWNET")))
    };
    for document in documents.of(&vtam::MAJOR).filter(switched) {
        for tier in tiers(document).iter().filter(|t| t.independent) {
            let maxdata = CodedSetting::on(document, tier.statement, &["MAXDATA"]);
            if maxdata.number().is_some_and(|n| n < *maxtsl) {
                let finding = reported(&maxdata, maxtsl.to_string(), *maxtsl, ring);
                out.push(finding.needs("a station on NCP's ring; a telephone line has its own"));
            }
        }
    }
}

fn reported(
    maxdata: &CodedSetting<'_>,
    want: String,
    maxtsl: u32,
    ring: &NcpRing<'_>,
) -> TuningFinding {
    let finding = maxdata.finding(&RULE).code(maxdata.line(&want));
    let place = ring.coded("MAXTSL").place();
    finding.because(place, format!("MAXTSL={maxtsl}"))
}
