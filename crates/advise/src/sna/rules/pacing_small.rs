//! Windows below eight.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{SessionProduct, bulk};
use crate::sna::negotiate::Window;
use crate::sna::session::{SessionPartner, pairs};
use crate::sna::source::{AS400, GENERAL};

/// The initial value of fixed windows, and the target of adaptive ones.
const GOAL: u32 = 8;
/// The AS/400's own best window.
const AS400_GOAL: u32 = 7;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.pacing.small",
    summary: "A session for bulk data has a pacing window below 8 (7 with an AS/400).",
    why: "A sender that has used its window waits for the network to bring a pacing response. With \
          fixed pacing start at 8 and stop where a larger window changes nothing; with adaptive \
          pacing allow the largest and see that it opens to 8.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[GENERAL, AS400],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents).into_iter().filter(|p| bulk(&p.mode.name)) {
        let other = match &pair.partner {
            SessionPartner::Station(mode) => Some(mode.product),
            SessionPartner::Host(_) => None,
        };
        let goal = if [Some(pair.mode.product), other].contains(&Some(SessionProduct::As400)) {
            AS400_GOAL
        } else {
            GOAL
        };
        let small = |w: Window| match w {
            Window::Fixed(n) | Window::Adaptive(n) => n < goal,
            Window::Unpaced => false,
        };
        let (station, partner) = (pair.mode.product.name(), pair.partner.name());
        for (from, to, flow) in [
            (station, partner.as_str(), pair.won.0),
            (partner.as_str(), station, pair.won.1),
        ] {
            if small(flow.window) {
                let value = format!("mode {}, {from} to {to}: {}", pair.mode.name, flow.window);
                let finding = TuningFinding::at(&RULE, pair.mode.place(), value);
                out.push(finding.needs(format!(
                    "send and receive windows of at least {goal} at both ends"
                )));
            }
        }
    }
}
