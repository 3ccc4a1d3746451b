//! The session windows of SNA Services/6000.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::model::{SessionProduct, bulk, modes};
use crate::sna::source::{AIX, FIGURES_6_7};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.pacing",
    summary: "A session window of a mode profile of SNA Services/6000 for bulk data is below 63.",
    why: "RUs sent and received before a pacing response. The guide's text says 127 for the send \
          window, its table of tuned values 63 for both; a BIND carries 63 at most.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::SnaServices && bulk(&m.name))
    {
        for (names, text) in [(aix::SEND_PACING, Some("127")), (aix::RECEIVE_PACING, None)] {
            let coded = CodedSetting::on(mode.document, mode.statement, names);
            if matches!(coded.number(), Some(63 | 127)) {
                continue;
            }
            let mut finding = coded
                .finding(&RULE)
                .code(coded.noted("63", "the guide's table"));
            if let Some(value) = text {
                finding = finding.code(coded.noted(value, "the guide's text"));
            }
            out.push(finding);
        }
    }
}
