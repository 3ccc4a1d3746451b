//! The fix without which large frames stay small.

use std::collections::HashSet;

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::nsdos::KIND;
use crate::sna::source::NSDOS;

/// The largest frame that Networking Services/DOS 1.0 sends without the fix.
const LIMIT: u32 = 2048;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.nsdos.frame-fix",
    summary: "TRMF is above 2,048 bytes, which needs PTF IC06030.",
    why: "Networking Services/DOS 1.0 sends frames of 2,048 bytes at most, whatever TRMF says, until \
          PTF IC06030 is applied. Look at a trace, or at the RU size of a live session. \
          A comment that names the PTF says that it is applied.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[NSDOS],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = documents.of(&KIND);
    let fixed = all.filter(|d| d.mentions("IC06030"));
    let fixed: HashSet<&str> = fixed.map(|d| &*d.name).collect();
    for (document, trmf) in documents.stated(&KIND, "TRMF") {
        let frame = CodedSetting::on(document, trmf, &["", "SIZE", "MAXFRAME", "FRAME"]);
        if frame.number().is_some_and(|n| n > LIMIT) && !fixed.contains(&*document.name) {
            out.push(frame.finding(&RULE).needs("PTF IC06030"));
        }
    }
}
