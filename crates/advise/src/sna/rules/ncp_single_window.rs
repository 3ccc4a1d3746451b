//! T2TIMER and stations that send one frame at a time.

use std::collections::HashSet;

use super::coded::{CodedSetting, once};
use super::rings::rings;
use super::stations;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::model::{self, SessionProduct};
use crate::sna::source::NCP;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.single-window",
    summary: "T2TIMER makes stations wait that send one frame at a time.",
    why: "With T2TIMER, NCP acknowledges the second frame or the end of the time. A station with a \
          send window of 1 never sends the second, so it waits for the time at every frame.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[NCP],
    check: &check,
};

/// The local time below which the wait does not matter much, in seconds.
const SHORT_S: f64 = 0.2;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let build = documents.stated(&vtam::NCP, "BUILD");
    let build = build.map(|(d, s)| CodedSetting::on(d, s, &["T2TIMER"]));
    let rings = rings(documents);
    let of_stations = rings.iter().filter(|r| !r.subarea());
    let single = |p: &SessionProduct| model::link(documents, *p).send == Some(1);
    let single: Vec<_> = stations::ALL.into_iter().filter(single).collect();
    let mut reported = HashSet::new();
    for timer in build.chain(of_stations.map(|r| r.coded("T2TIMER"))) {
        let Some(operand) = timer.operand.filter(|_| once(&mut reported, &timer)) else {
            continue;
        };
        let local = operand.list().first().and_then(|t| t.parse::<f64>().ok());
        if local.is_some_and(|t| t < SHORT_S) {
            continue;
        }
        for product in &single {
            let line = timer.noted(
                "(0.1,1,2)",
                "a local time below 200 ms; or no T2TIMER at all",
            );
            let why = format!("{} has a send window of 1", product.name());
            let finding = timer.finding(&RULE).code(line).needs(why);
            out.push(
                finding.needs("the guide prints \"200 milliseconds (< 0.002)\"; 200 ms is 0.2 s"),
            );
        }
    }
}
