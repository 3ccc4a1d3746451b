//! The largest RU of the adapter's profile.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::cm2_lan::{KIND, MAX_RU};
use crate::sna::source::{CM2, FIGURES_9_10};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.dlc-ru",
    summary: "The LAN profile of Communications Manager/2 limits RUs to other sizes than 7,168 or 16,384.",
    why: "This limit holds for every mode over the adapter. In the guide's measurements 7,168 was \
          best for files between OS/2 and DOS machines; 1,024, the default, did as well for \
          inquiries alone. The text asks for 16,384.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004, figure 9, all changes together: files 35 % faster between OS/2 machines, 41 % with DOS; inquiries 0 to 5.8 %, and 57 % with DOS",
    ),
    sources: &[FIGURES_9_10, CM2],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for profile in coded(documents, &KIND, &[MAX_RU], "") {
        if !matches!(profile.number(), Some(7168 | 16_384)) {
            let finding = profile.finding(&RULE);
            let finding =
                finding.code(profile.noted("7168", "figure 9: files; 1024 for inquiries alone"));
            out.push(finding.code(profile.noted("16384", "the guide's text")));
        }
    }
}
