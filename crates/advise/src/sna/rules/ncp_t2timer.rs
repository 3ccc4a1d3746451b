//! T2TIMER on the lines of stations: when NCP acknowledges.

use super::coded::coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::Statement;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.t2timer",
    summary: "T2TIMER is not coded for peripheral stations, or its count is not 2.",
    why: "Towards peripheral stations NCP knows two windows only: without T2TIMER it acknowledges \
          every frame, with it every second one, whatever the count says. Stations that may send \
          more than one frame gain by it. The guide's text has (1,1,2); its table of tuned values \
          prints (1,1.8).",
    severity: Severity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for timer in coded(documents, &vtam::NCP, &["T2TIMER"], "BUILD") {
        if subarea(timer.statement) {
            continue;
        }
        let list = timer.operand.map(|o| o.list()).unwrap_or_default();
        // `1.8` stands in the table where `1,8` may have been meant.
        let tuned = matches!(list[..], [_, _, "2"])
            || matches!(list[..], [_, second] if second.contains('.'));
        if tuned {
            continue;
        }
        let finding = timer
            .finding(&RULE)
            .code(timer.noted("(1,1,2)", "the guide's text"))
            .code(timer.noted("(1,1.8)", "its table of tuned values, as printed"))
            .needs("stations with a send window above 1; where many have 1, leave T2TIMER out or keep the local time below 0.2 s");
        out.push(match timer.operand {
            Some(_) => finding.severity(Severity::Note),
            None => finding,
        });
    }
}

/// Whether a line says that it joins subareas.
pub(super) fn subarea(line: &Statement) -> bool {
    let named = line.operand("ECLTYPE").or(line.operand("NTRIECLT"));
    named.is_some_and(|o| o.value.to_ascii_uppercase().contains("SUBAREA"))
}
