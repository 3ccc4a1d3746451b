//! IOBUF: VTAM's buffers for the channel.

use super::coded::{CodedSetting, coded};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, RESOURCE_DEFINITION, VTAM};
use crate::sna::syntax::statement::number;

/// Bytes of a buffer, here and in UNITSZ.
const BYTES: u32 = 4000;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.vtam.iobuf",
    summary: "The buffers of IOBUF are below 4,000 bytes.",
    why: "VTAM reads from and writes to channel-attached controllers in these buffers. The larger \
          they are, the less work bulk data is.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[VTAM, FIGURES_6_7, RESOURCE_DEFINITION],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for iobuf in coded(documents, &vtam::START, &["IOBUF"], "START") {
        if size(&iobuf).is_none_or(|n| n < BYTES) {
            let finding = iobuf.finding(&RULE).code(line(&iobuf));
            out.push(finding.needs("UNITSZ=4000 on NCP's HOST statement"));
        }
    }
}

/// The second value: the length of a buffer.
pub(super) fn size(iobuf: &CodedSetting<'_>) -> Option<u32> {
    number(iobuf.operand?.list().get(1)?)
}

/// The option with the length of 4,000 bytes and its other values as they are.
pub(super) fn line(iobuf: &CodedSetting<'_>) -> String {
    let mut list = iobuf.operand.map(|o| o.list()).unwrap_or_default();
    if list.len() < 2 {
        list.resize(2, "");
    }
    list[1] = "4000";
    iobuf.line(&format!("({})", list.join(",")))
}
