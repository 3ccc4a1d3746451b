//! The packet size of an X.25 line.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::as400::KIND;
use crate::sna::source::AS400;

/// The largest packet that most networks offer.
const PACKET: u32 = 1024;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.as400.x25",
    summary: "The default packet size of an X.25 line is small.",
    why: "On X.25 the packet size of the line counts, not MAXFRAME. Take the largest that the network \
          offers. The guide calls the parameter DFTPFSIZE; the command has DFTPKTSIZE.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let lines = ["CRTLINX25", "CHGLINX25"].into_iter();
    for (document, line) in lines.flat_map(|verb| documents.stated(&KIND, verb)) {
        let packet = CodedSetting::on(document, line, &["DFTPKTSIZE"]);
        // One value, or one for each direction.
        let sizes = packet.operand.map_or("", |o| o.value.as_str());
        let small = sizes
            .split_whitespace()
            .filter_map(|n| n.parse::<u32>().ok())
            .any(|n| n < PACKET);
        // CRTLINX25 without it takes packets of 128 bytes.
        if small || (packet.operand.is_none() && line.verb.starts_with("CRT")) {
            let finding = packet.finding(&RULE).code(packet.line("1024 1024"));
            out.push(finding.needs("packets of this size in the network subscription"));
        }
    }
}
