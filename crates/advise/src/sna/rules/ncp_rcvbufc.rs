//! RCVBUFC: buffers for frames received from the ring.

use std::collections::HashSet;

use super::coded::once;
use super::rings::rings;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::source::{FIGURES_6_7, MATCHING, NCP};

/// The most that a TIC1 takes.
const TIC1: u32 = 4095;
/// The most that a TIC2 takes.
const TIC2: u32 = 32_000;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.rcvbufc",
    summary: "RCVBUFC does not hold two frames of MAXTSL bytes, or is more than the adapter takes.",
    why: "RCVBUFC must take two whole frames of a station. With less, stations are asked to send \
          again, and a frame larger than the buffer ends the connection. The guide asks for twice \
          MAXTSL, and its table of tuned values has four times (16,240 for 4,060).",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, MATCHING, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut reported = HashSet::new();
    for ring in rings(documents).iter().filter(|r| !r.subarea()) {
        let (maxtsl, rcvbufc) = (ring.coded("MAXTSL"), ring.coded("RCVBUFC"));
        // Not a number: its reader has said so.
        if [maxtsl, rcvbufc]
            .iter()
            .any(|c| c.operand.is_some() && c.number().is_none())
        {
            continue;
        }
        let most = if ring.old() { TIC1 } else { TIC2 };
        let frame = ring.frame();
        let twice = 2 * frame.min(most / 2);
        let bytes = rcvbufc.number();
        let largest = ring.maxtsl().unwrap_or(frame).max(frame).min(most / 2);
        let enough = |n: u32| n <= most && n >= largest.saturating_mul(2);
        // Without the operand an old adapter has its most.
        if bytes.map_or(ring.old(), enough) || !once(&mut reported, &rcvbufc) {
            continue;
        }
        let mut finding = rcvbufc.finding(&RULE).code(rcvbufc.noted(
            &twice.to_string(),
            &format!("twice MAXTSL={frame}, as the rule says"),
        ));
        if 4 * frame <= most {
            let four = (4 * frame).to_string();
            finding = finding.code(rcvbufc.noted(&four, "four times, as the guide's table has it"));
        }
        if ring.maxtsl().is_none_or(|coded| frame > coded) && !ring.old() {
            finding = finding.needs(format!("MAXTSL={frame}, see sna.ncp.maxtsl"));
        }
        if bytes.is_some_and(|n| n > most) {
            finding = finding
                .severity(FindingSeverity::Warning)
                .needs(format!("at most {most} with this adapter"));
        }
        let now = match ring.maxtsl() {
            Some(coded) => format!("MAXTSL={coded}"),
            None => "MAXTSL is not coded".to_owned(),
        };
        out.push(finding.because(maxtsl.place(), now));
    }
}
