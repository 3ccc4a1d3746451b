//! The frame size of Networking Services/DOS.

use super::coded::CodedSetting;
use super::stations::os2_and_dos;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::nsdos::KIND;
use crate::sna::source::{FIGURES_6_7, FIGURES_9_10, NSDOS};

/// The largest frame of the product over a ring of 4 Mb/s.
const RING_4: &str = "4464";
/// The frame size of the guide's measurement on a ring of 4 Mb/s.
const MEASURED_4: &str = "4100";
/// The frame size of the guide's measurement on a ring of 16 Mb/s.
const MEASURED_16: &str = "16393";

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.nsdos.frame",
    summary: "TRMF is below 4,100 bytes (16,393 with an OS/2 partner).",
    why: "The frame bounds the RU, since each RU is one frame. The guide's text says 4,464, its table \
          of tuned values 4,100 and its figure 10 16,393 (1,929 for inquiries alone); the last is \
          for a ring of 16 Mb/s.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "paper 004, figure 10, with the receive window: files 14.3 % faster, inquiries 74.5 % and 93.5 % (which its prose calls slight)",
    ),
    sources: &[NSDOS, FIGURES_6_7, FIGURES_9_10],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let lines = [
        (MEASURED_4, "figure 7, a ring of 4 Mb/s"),
        (RING_4, "the guide's text"),
        (
            MEASURED_16,
            "figure 10, a ring of 16 Mb/s; 1929 for inquiries alone",
        ),
    ];
    let pair = os2_and_dos(documents);
    let order = if pair { [2, 1, 0] } else { [0, 1, 2] };
    let least = if pair { 16_393 } else { 4100 };
    for (document, trmf) in documents.stated(&KIND, "TRMF") {
        let frame = CodedSetting::on(document, trmf, &["", "SIZE", "MAXFRAME", "FRAME"]);
        if frame.number().is_some_and(|n| n >= least) {
            continue;
        }
        let add =
            |finding: TuningFinding, i: usize| finding.code(frame.noted(lines[i].0, lines[i].1));
        let finding = order.into_iter().fold(frame.finding(&RULE), add);
        let finding = finding.needs("PTF IC06030 for frames above 2048");
        out.push(finding.needs("a partner that takes such frames (MAXTSL of NCP)"));
    }
}
