//! SENDSIZE and RECEIVESIZE are one number.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::source::MATCHING;

pub(super) static RULE: Rule = Rule {
    name: "sna.cics.sizes-equal",
    summary: "SENDSIZE and RECEIVESIZE of sessions differ.",
    why: "The primary's sending size is the secondary's receiving size. Sessions that CICS initiates \
          and sessions that it receives then move data in different RUs, and the same transfer \
          takes different times.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MATCHING],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for (document, sessions) in documents.definitions("SESSIONS") {
        let size = |name| sessions.number(name).map(|(n, _)| n);
        let (Some(send), Some(receive)) = (size("SENDSIZE"), size("RECEIVESIZE")) else {
            continue;
        };
        if send != receive {
            let most = send.max(receive);
            let value = format!("SENDSIZE({send}) RECEIVESIZE({receive})");
            let place = document.place(sessions.at("SENDSIZE"));
            let line = sessions.alter(&format!("SENDSIZE({most}) RECEIVESIZE({most})"));
            out.push(Finding::at(&RULE, place, value).code(line));
        }
    }
}
