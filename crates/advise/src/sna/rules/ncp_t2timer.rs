//! T2TIMER on the lines of stations: when NCP acknowledges.

use std::collections::HashSet;

use super::coded::{CodedSetting, once};
use super::{rings, stations};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.t2timer",
    summary: "T2TIMER is not coded for peripheral stations, or its count is not 2.",
    why: "Towards peripheral stations NCP knows two windows only: without T2TIMER it acknowledges \
          every frame, with it every second one, whatever the count says. Stations that may send \
          more than one frame gain by it. The guide's text has (1,1,2); its table of tuned values \
          prints (1,1.8).",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for document in documents.of(&vtam::NCP) {
        let rings = rings::of(document);
        let stations: Vec<_> = rings.iter().filter(|r| !r.subarea()).collect();
        // A generation without rings has no stations to wait for; a part of
        // one, without lines, shows nothing.
        let lines = document.statements().iter().any(|s| s.verb == "LINE");
        if stations.is_empty() && lines {
            continue;
        }
        let build = document.statements().iter().filter(|s| s.verb == "BUILD");
        let build: Vec<_> = build
            .map(|s| CodedSetting::on(document, s, &["T2TIMER"]))
            .collect();
        let of_rings: Vec<_> = stations.iter().map(|r| r.coded("T2TIMER")).collect();
        let is_coded = |c: &&CodedSetting<'_>| c.operand.is_some();
        let mut reported = HashSet::new();
        for timer in build.iter().chain(&of_rings).filter(is_coded) {
            if !tuned(timer) && once(&mut reported, timer) {
                let finding = advise(timer, "(1,1,2)");
                out.push(finding.severity(FindingSeverity::Note));
            }
        }
        if build.iter().any(|c| c.operand.is_some()) {
            continue;
        }
        // One finding for all rings, or one for each ring that differs.
        let lacking: Vec<_> = if of_rings.iter().any(|c| c.operand.is_some()) {
            of_rings.iter().filter(|c| c.operand.is_none()).collect()
        } else {
            build.iter().take(1).collect()
        };
        // Stations that send one frame at a time gain nothing.
        let single = stations::send_windows(documents);
        let time = match (single.contains(&1), single.iter().any(|n| *n > 1)) {
            (true, false) => continue,
            (true, true) => "(0.1,1,2)",
            (false, _) => "(1,1,2)",
        };
        out.extend(lacking.into_iter().map(|timer| advise(timer, time)));
    }
}

fn tuned(timer: &CodedSetting<'_>) -> bool {
    let list = timer.operand.map(|o| o.list()).unwrap_or_default();
    // The table has `1.8`, which may be a misprint of `1,8`.
    matches!(list[..], [_, _, "2"]) || matches!(list[..], [_, second] if second.contains('.'))
}

fn advise(timer: &CodedSetting<'_>, text: &str) -> TuningFinding {
    let remark = match text {
        "(1,1,2)" => "the guide's text",
        _ => "a local time below 200 ms for stations with a send window of 1",
    };
    let mut finding = timer.finding(&RULE).code(timer.noted(text, remark));
    if text == "(1,1,2)" {
        finding = finding.code(timer.noted("(1,1.8)", "its table of tuned values, as printed"));
    }
    finding.needs("stations with a send window above 1; where many have 1, leave T2TIMER out or keep the local time below 0.2 s")
}
