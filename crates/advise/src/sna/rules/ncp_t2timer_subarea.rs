//! T2TIMER between subareas.

use std::collections::HashSet;

use super::coded::once;
use super::rings::rings;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::source::NCP;

/// The count from which trials start.
const START: u32 = 16;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.t2timer-subarea",
    summary: "T2TIMER of a subarea line acknowledges after fewer than 16 frames.",
    why: "Between subareas the count is the acknowledgement window. Start at (1,3,16), try 32, 64 \
          and 127, and stop where nothing improves: a larger window than the line needs only takes \
          storage.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut reported = HashSet::new();
    for ring in rings(documents).iter().filter(|r| r.subarea()) {
        let timer = ring.coded("T2TIMER");
        // Without its own timer, the line has its group's, where it is reported.
        let timer = match timer.operand {
            Some(_) => timer,
            None => ring.group("T2TIMER").unwrap_or(timer),
        };
        let count = timer
            .operand
            .and_then(|o| o.list().get(2)?.parse::<u32>().ok());
        if count.is_none_or(|n| n < START) && once(&mut reported, &timer) {
            let finding = timer.finding(&RULE).code(timer.line("(1,3,16)"));
            out.push(finding.needs("trials with (1,3,32), (1,3,64) and (1,3,127)"));
        }
    }
}
