//! AUTOSES: sessions bound before anyone asks for them.

use super::coded::CodedSetting;
use super::unlike;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::session::pairs;
use crate::sna::source::MATCHING;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.vtam.autoses",
    summary: "AUTOSES binds sessions whose RU sizes depend on who initiates.",
    why: "With AUTOSES, VTAM binds the mode's sessions at the first contact. Those that the host \
          initiates get other sizes than those of the station, and a conversation takes whichever \
          is free.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

/// Modes that are listed for each application at most; the others are
/// counted.
const LISTED: usize = 32;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let pairs = pairs(documents);
    let unlike: Vec<_> = pairs
        .iter()
        .filter(|p| unlike::sizes(p).is_some())
        .collect();
    for (document, appl) in documents.stated(&vtam::MAJOR, "APPL") {
        let autoses = CodedSetting::on(document, appl, &["AUTOSES"]);
        if matches!(autoses.number(), None | Some(0)) {
            continue;
        }
        for (i, pair) in unlike.iter().take(LISTED).enumerate() {
            let finding = autoses.finding(&RULE);
            let mut finding = finding
                .needs("RU sizes that are the same for either initiator, see sna.session.unlike");
            if i + 1 == LISTED && unlike.len() > LISTED {
                let more = unlike.len() - LISTED;
                finding = finding.needs(format!("the same for {more} more modes of stations"));
            }
            out.push(finding.because(pair.mode.place(), unlike::difference_text(pair)));
        }
    }
}
