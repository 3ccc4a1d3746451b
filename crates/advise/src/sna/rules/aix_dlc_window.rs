//! The link windows of SNA Services/6000.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::source::{AIX, FIGURES_6_7};

/// The most that the profile takes.
const MOST: u32 = 127;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.dlc-window",
    summary: "The transmit or receive window count of the logical link is below 127.",
    why: "Frames sent and received before an acknowledgement; 127 is the most. The guide has 127 for \
          the link in its text and in its table.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.stated(&aix::KIND, aix::LOGICAL_LINK) {
        for names in [aix::TRANSMIT_COUNT, aix::RECEIVE_COUNT] {
            let coded = CodedSetting::on(document, profile, names);
            if coded.number() != Some(MOST) {
                let finding = coded.finding(&RULE).code(coded.line("127"));
                out.push(if names == aix::TRANSMIT_COUNT {
                    finding.needs("APAR IX41022 for a transmit window above 10")
                } else {
                    finding
                });
            }
        }
    }
}
