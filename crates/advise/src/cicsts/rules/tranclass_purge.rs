//! A queue without an end.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tranclass.purge",
    summary: "A TRANCLASS has PURGETHRESH(NO), coded or by default.",
    why: "Under overload its queue grows without a limit, and everyone in it waits longer. With \
          a threshold, new requests beyond it are refused at once and the waiting time stays \
          bounded.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, cics::TRANCLASS],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, class) in documents.definitions("TRANCLASS") {
        if !class.has("PURGETHRESH") || class.is("PURGETHRESH", "NO") {
            let active = class.number("MAXACTIVE").map_or(10, |(n, _)| n);
            let limit = active.saturating_mul(10).clamp(1, 1_000_000);
            findings.push(
                TuningFinding::at(
                    &RULE,
                    document.place(class.at("PURGETHRESH")),
                    "PURGETHRESH(NO)",
                )
                .code(class.alter(&format!("PURGETHRESH({limit})")))
                .needs("a threshold of what may wait in the time that users accept"),
            );
        }
    }
}
