//! A window that is large one way only.

use super::coded::CodedSetting;
use crate::document::{DocumentSet, FilePlace};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{bulk, host_modes, modes};
use crate::sna::source::GENERAL;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.pacing.uneven",
    summary: "A mode for bulk data has different send and receive windows.",
    why: "Pacing is one window a direction. Raise both, or sending and receiving take different \
          times.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[GENERAL],
    check: &check,
};

/// The largest window of a BIND.
const MOST: u32 = 63;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut look = |name: &str, send: Option<u32>, receive: Option<u32>, place: FilePlace| {
        let (Some(send), Some(receive)) = (send, receive) else {
            return;
        };
        // A BIND carries 63 at most, and 0 for no pacing.
        let unlike = send.min(MOST) != receive.min(MOST);
        if bulk(name) && unlike {
            let value = format!("mode {name}: send window {send}, receive window {receive}");
            out.push(TuningFinding::at(&RULE, place, value));
        }
    };
    for m in modes(documents) {
        look(&m.name, m.send_window, m.receive_window, m.place());
    }
    for m in host_modes(documents) {
        let place = CodedSetting::on(m.document, m.statement, &["PSNDPAC"]).place();
        look(&m.name, m.pacing("PSNDPAC"), m.pacing("SSNDPAC"), place);
    }
}
