//! A pool smaller than its files.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.lsrpool.strings",
    summary: "An LSRPOOL has fewer STRINGS than one of its files.",
    why: "All files of the pool share its strings: the file never has as many requests at a time \
          as its own definition allows.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::LSRPOOL, cics::FILE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, pool) in documents.definitions("LSRPOOL") {
        let number = pool.pool_number();
        let Some((strings, at)) = pool.number("STRINGS") else {
            continue;
        };
        let file = documents
            .definitions("FILE")
            .filter(|(_, f)| f.pool_number() == number && !f.is_nsr())
            .filter_map(|(d, f)| Some((d, f, f.number("STRINGS")?)))
            .max_by_key(|(_, _, (n, _))| *n);
        if let Some((csd, file, (most, most_at))) = file
            && most > strings
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("STRINGS({strings})"))
                    .code(pool.alter(&format!("STRINGS({})", most.min(255))))
                    .because(
                        csd.place(most_at),
                        format!("{} has STRINGS({most})", file.name),
                    ),
            );
        }
    }
}
