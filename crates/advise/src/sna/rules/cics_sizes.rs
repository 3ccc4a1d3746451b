//! Compares SENDSIZE and RECEIVESIZE with the sizes that stations request.

use crate::cicsts::CsdDefinition;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::bulk;
use crate::sna::source::{FIGURES_6_7, MATCHING};

/// The most that CICS takes.
pub(super) const MOST: u64 = 30_720;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cics.sizes",
    summary: "SENDSIZE or RECEIVESIZE of sessions for bulk data is below 30,720.",
    why: "CICS lowers the RU sizes of a session to these two, whatever mode table and station allow. \
          They must not be the smallest number in the path; 30,720 is the most they take.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[MATCHING, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = documents.definitions("SESSIONS");
    for (document, sessions) in all.filter(|(_, s)| serves_bulk(s)) {
        for name in ["SENDSIZE", "RECEIVESIZE"] {
            let size = sessions.number(name).map(|(n, _)| n);
            if size == Some(MOST) {
                continue;
            }
            let value = match size {
                Some(n) => format!("{name}({n})"),
                None => format!("{name} is not coded"),
            };
            let place = document.place(sessions.at(name));
            let line = sessions.alter(&format!("{name}(30720)"));
            out.push(TuningFinding::at(&RULE, place, value).code(line));
        }
    }
}

/// Whether sessions may carry bulk data over LU 6.2: not those of LU 6.1 and
/// MRO, and not those of a mode for inquiries. Without a mode name they serve
/// every mode, and APPC must be named.
pub(super) fn serves_bulk(sessions: &CsdDefinition) -> bool {
    let other = ["LU61", "EXCI"].iter().any(|p| sessions.is("PROTOCOL", p));
    match sessions.get("MODENAME") {
        Some((mode, _)) => !other && bulk(&mode.trim().to_ascii_uppercase()),
        None => sessions.is("PROTOCOL", "APPC"),
    }
}
