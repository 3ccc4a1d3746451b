//! One session.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_003, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.ipconn.receivecount",
    summary: "An IPCONN has a RECEIVECOUNT of 1, coded or by default, and sends nothing.",
    why: "A session carries one request at a time, so the requests over the connection wait \
          for one another. The lesser of both ends holds.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_003, cics::IPCONN],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, ipconn) in documents.definitions("IPCONN") {
        let count = ipconn.number("RECEIVECOUNT");
        let sends = ipconn.number("SENDCOUNT").is_some_and(|(n, _)| n > 0);
        let coded = ipconn.has("RECEIVECOUNT");
        let one = if coded {
            count.is_some_and(|(n, _)| n == 1)
        } else {
            !sends
        };
        if one {
            findings.push(
                TuningFinding::at(
                    &RULE,
                    document.place(ipconn.at("RECEIVECOUNT")),
                    "RECEIVECOUNT(1)",
                )
                .code(ipconn.alter("RECEIVECOUNT(100)"))
                .needs("as many as requests run at a time, and an MXT above it")
                .effect("published runs used 500 sessions for up to 1,000 requests/s"),
            );
        }
    }
}
