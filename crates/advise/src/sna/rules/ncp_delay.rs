//! DELAY: how long data waits for company on the channel.

use super::coded::each;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, NCP};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.delay",
    summary: "DELAY is not 0.",
    why: "VTAM may hold data for so long before it sends it to NCP, to send more at once. \
          Pacing responses and confirmations are held with it, so every window and every inquiry waits. \
          Where DELAY is not coded, the default of the release holds; the guide does not say what \
          it was then, later releases have 0.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "paper 004 names DELAY and MAXBFRU for NS/DOS to VTAM: 100,000 bytes in 31 s before all \
         changes, 0.53 s after",
    ),
    sources: &[NCP, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for delay in each(documents, &vtam::NCP, &["DELAY"], "PCCU") {
        if delay.operand.is_some_and(|o| is_zero(&o.value)) {
            continue;
        }
        // With RNAME the NCP is reached over another one, not over a channel.
        if delay.statement.operand("RNAME").is_some() {
            continue;
        }
        let mut finding = delay.finding(&RULE).code(delay.line("0"));
        if delay.operand.is_none() {
            finding = finding.severity(FindingSeverity::Advice);
        }
        out.push(finding);
    }
}

/// `0`, `0.0` and `.0` are all no delay.
fn is_zero(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|b| matches!(b, b'0' | b'.'))
}
