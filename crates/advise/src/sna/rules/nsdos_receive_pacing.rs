//! The receive window of Networking Services/DOS.

use super::coded::CodedSetting;
use super::stations::os2_and_dos;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::nsdos::RECEIVE_PACING;
use crate::sna::model::{SessionProduct, bulk, modes};
use crate::sna::source::{FIGURES_6_7, FIGURES_9_10, NSDOS};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.nsdos.receive-pacing",
    summary: "The receive window of a mode of Networking Services/DOS for bulk data is below 8 (63 with OS/2 partners).",
    why: "The partner stops after so many RUs. 8 served the guide's measured network with a host, 63 \
          was best with an OS/2 partner (16 for inquiries alone). Under fixed pacing a larger window \
          costs memory; lower the receive window first where that is short. The send window is the \
          partner's mode's.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NSDOS, FIGURES_6_7, FIGURES_9_10],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let (least, lines) = if os2_and_dos(documents) {
        (
            63,
            [
                ("63", "figure 10: files; 16 for inquiries alone"),
                ("8", "figure 7: with a host"),
            ],
        )
    } else {
        (
            8,
            [
                ("8", "figure 7: with a host"),
                ("63", "figure 10: with an OS/2 partner"),
            ],
        )
    };
    for mode in modes(documents)
        .into_iter()
        .filter(|m| m.product == SessionProduct::NsDos && bulk(&m.name))
    {
        if mode.receive_window.is_some_and(|n| n >= least) {
            continue;
        }
        let coded = CodedSetting::on(mode.document, mode.statement, &[RECEIVE_PACING]);
        let add =
            |finding: TuningFinding, (value, remark)| finding.code(coded.noted(value, remark));
        out.push(lines.into_iter().fold(coded.finding(&RULE), add));
    }
}
