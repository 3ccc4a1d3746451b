//! The fix without which a large link window breaks the link.

use std::collections::HashSet;

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::source::AIX;

/// The largest window that works without the fix.
const LIMIT: u32 = 10;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.dlc-fix",
    summary: "The transmit window count is above 10, which needs APAR IX41022.",
    why: "The token-ring driver of AIX 3.2.4 loses its link to NCP V6R2 when it sends with a window \
          above 10. APAR IX41022 mends it; a comment that names it says that it is applied.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[AIX],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = documents.of(&aix::KIND);
    let fixed = all.filter(|d| d.mentions("IX41022"));
    let fixed: HashSet<&str> = fixed.map(|d| &*d.name).collect();
    for (document, profile) in documents.stated(&aix::KIND, aix::LOGICAL_LINK) {
        let coded = CodedSetting::on(document, profile, aix::TRANSMIT_COUNT);
        if coded.number().is_some_and(|n| n > LIMIT) && !fixed.contains(&*document.name) {
            out.push(coded.finding(&RULE).needs("APAR IX41022 on AIX 3.2.4"));
        }
    }
}
