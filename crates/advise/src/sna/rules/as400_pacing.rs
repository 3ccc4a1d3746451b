//! The session windows of an AS/400.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{SessionProduct, modes};
use crate::sna::source::AS400;

/// The guide's window; not 8 here.
const WINDOW: u32 = 7;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.as400.pacing",
    summary: "INPACING or OUTPACING of a mode description is not 7.",
    why: "7 is the AS/400's own best window in both directions, where other products start at 8.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::As400)
    {
        for name in ["INPACING", "OUTPACING"] {
            let coded = CodedSetting::on(mode.document, mode.statement, &[name]);
            // 7 is also the default of CRTMODD.
            if coded.operand.is_some() && coded.number() != Some(WINDOW) {
                out.push(coded.finding(&RULE).code(coded.line("7")));
            }
        }
    }
}
