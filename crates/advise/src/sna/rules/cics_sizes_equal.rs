//! SENDSIZE and RECEIVESIZE are one number.

use super::cics_sizes::{MOST, serves_bulk};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::source::MATCHING;

/// CICS's default if one of the two is not coded.
const DEFAULT: u64 = 4096;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cics.sizes-equal",
    summary: "SENDSIZE and RECEIVESIZE of sessions differ.",
    why: "The primary's sending size is the secondary's receiving size. Sessions that CICS initiates \
          and sessions that it receives then move data in different RUs, and the same transfer \
          takes different times.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[MATCHING],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = documents.definitions("SESSIONS");
    for (document, sessions) in all.filter(|(_, s)| serves_bulk(s)) {
        let size = |name| sessions.number(name).map(|(n, _)| n);
        let (send, receive) = match (size("SENDSIZE"), size("RECEIVESIZE")) {
            (None, None) => continue,
            (send, receive) => (send.unwrap_or(DEFAULT), receive.unwrap_or(DEFAULT)),
        };
        if send != receive {
            let value = format!("SENDSIZE({send}) RECEIVESIZE({receive})");
            let coded = if sessions.has("SENDSIZE") {
                "SENDSIZE"
            } else {
                "RECEIVESIZE"
            };
            let place = document.place(sessions.at(coded));
            let line = sessions.alter(&format!("SENDSIZE({MOST}) RECEIVESIZE({MOST})"));
            out.push(TuningFinding::at(&RULE, place, value).code(line));
        }
    }
}
