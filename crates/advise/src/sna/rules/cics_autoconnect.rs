//! AUTOCONNECT(ALL): all sessions bound at the first contact.

use super::unlike;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::session::{SessionPartner, pairs};
use crate::sna::source::{MATCHING, MODES};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cics.autoconnect",
    summary: "AUTOCONNECT(ALL) or (YES) binds sessions whose RU sizes depend on who initiates.",
    why: "At the first contact CICS binds sessions of the mode: with ALL every one, with YES those \
          that it wins. Those that CICS initiates get \
          the sizes of its own mode table, the others those of the station, and a conversation \
          takes whichever is free: the same transfer is fast one day and slow the next.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING, MODES],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents) {
        let SessionPartner::Host(host) = &pair.partner else {
            continue;
        };
        let Some((document, sessions)) = host.sessions else {
            continue;
        };
        let named = ["ALL", "YES"].into_iter();
        let Some(value) = named.into_iter().find(|v| sessions.is("AUTOCONNECT", v)) else {
            continue;
        };
        if unlike::sizes(&pair).is_none() {
            continue;
        }
        let place = document.place(sessions.at("AUTOCONNECT"));
        let finding = TuningFinding::at(&RULE, place, format!("AUTOCONNECT({value})"))
            .code(sessions.alter("AUTOCONNECT(NO)"))
            .needs("or RU sizes that are the same for either initiator, see sna.session.unlike");
        out.push(finding.because(pair.mode.place(), unlike::difference_text(&pair)));
    }
}
