//! The link windows of Networking Services/DOS.

use super::coded::CodedSetting;
use super::stations::os2_and_dos;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::nsdos::KIND;
use crate::sna::source::{FIGURES_6_7, FIGURES_9_10, LINKS, NSDOS};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.nsdos.dlc-window",
    summary: "MAXIN or MAXOUT on TRLD is not 8, or not 2 on a link to Communications Manager/2.",
    why: "MAXOUT frames are sent and MAXIN received before an acknowledgement. 8 is the most; with an \
          OS/2 partner 2 is better than the default of 4.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NSDOS, LINKS, FIGURES_6_7, FIGURES_9_10],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let (want, other, remark) = if os2_and_dos(documents) {
        (2, 8, "links to other partners than OS/2 machines")
    } else {
        (8, 2, "a link to Communications Manager/2")
    };
    for (document, trld) in documents.stated(&KIND, "TRLD") {
        for name in ["MAXIN", "MAXOUT"] {
            let window = CodedSetting::on(document, trld, &[name]);
            if window.number() != Some(want) {
                let finding = window.finding(&RULE).code(window.line(&want.to_string()));
                out.push(finding.needs(format!("{other} on {remark}")));
            }
        }
    }
}
