//! The link windows of Communications Manager/2.

use super::coded::CodedSetting;
use super::stations::os2_and_dos;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::cm2_lan::{KIND, RECEIVE_WINDOW, SEND_WINDOW};
use crate::sna::source::{CM2, FIGURES_6_7, FIGURES_9_10, LINKS};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.dlc-window",
    summary: "The link windows of Communications Manager/2 are not 8, or not 2 on a link to Networking Services/DOS.",
    why: "A sender that has used its window waits for an acknowledgement. 8 is the most the profile \
          takes. Links between OS/2 and DOS machines are the exception: 2 is best there.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004 names RU size and link window for OS/2 to VTAM: 1,000,000 bytes in 6.4 s before, 5.1 s after",
    ),
    sources: &[CM2, LINKS, FIGURES_6_7, FIGURES_9_10],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let (want, other, remark) = if os2_and_dos(documents) {
        (2, 8, "links to other partners than DOS machines")
    } else {
        (8, 2, "a link to Networking Services/DOS")
    };
    for (document, profile) in documents.stated(&KIND, "PROFILE") {
        for name in [SEND_WINDOW, RECEIVE_WINDOW] {
            let window = CodedSetting::on(document, profile, &[name]);
            if window.number().is_some_and(|n| n != want) {
                let finding = window.finding(&RULE).code(window.line(&want.to_string()));
                out.push(finding.needs(format!("{other} on {remark}")));
            }
        }
    }
}
