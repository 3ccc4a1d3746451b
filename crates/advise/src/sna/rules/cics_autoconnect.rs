//! AUTOCONNECT(ALL): all sessions bound at the first contact.

use super::unlike;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::session::{Partner, pairs};
use crate::sna::source::{MATCHING, MODES};

pub(super) static RULE: Rule = Rule {
    name: "sna.cics.autoconnect",
    summary: "AUTOCONNECT(ALL) or (YES) binds sessions whose RU sizes depend on who initiates.",
    why: "At the first contact CICS binds sessions of the mode: with ALL every one, with YES those \
          that it wins. Those that CICS initiates get \
          the sizes of its own mode table, the others those of the station, and a conversation \
          takes whichever is free: the same transfer is fast one day and slow the next.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MATCHING, MODES],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for pair in pairs(documents) {
        let Partner::Host(host) = &pair.partner else {
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
        let finding = Finding::at(&RULE, place, format!("AUTOCONNECT({value})"))
            .code(sessions.alter("AUTOCONNECT(NO)"))
            .needs("or RU sizes that are the same for either initiator, see sna.session.unlike");
        out.push(finding.because(pair.mode.place(), unlike::told(&pair)));
    }
}
