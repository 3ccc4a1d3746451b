//! A class that limits nothing.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.mxt.tranclass",
    summary: "A TRANCLASS has a MAXACTIVE of MXT or more.",
    why: "MXT is reached first, and then every transaction waits, not only those of the class. A \
          class protects the others when its limit is well below MXT.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, cics::MXT, cics::TRANCLASS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some((sit, parameter)) = documents.sit("MXT") else {
        return;
    };
    let Some(mxt) = parameter.number() else {
        return;
    };
    for (document, class) in documents.definitions("TRANCLASS") {
        if let Some((active, at)) = class.number("MAXACTIVE")
            && active >= mxt
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("MAXACTIVE({active})"))
                    .code(class.alter(&format!("MAXACTIVE({})", (mxt / 2).max(1))))
                    .needs("a limit that fits the load: processors and files, not users, set it")
                    .because(sit.place(parameter.at), parameter.text()),
            );
        }
    }
}
