//! The older of the two token-ring adapters.

use std::collections::HashSet;

use super::coded::once;
use super::rings::rings;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::source::{LINKS, NCP};

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.adapter",
    summary: "The ring is on a TIC1.",
    why: "A TIC1 has 2,576 bytes of storage and runs at 4 Mb/s only; a TIC2 has 64 KB and runs at \
          16 Mb/s too. Frames stay below 1,108 bytes until the adapter is replaced.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[NCP, LINKS],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut reported = HashSet::new();
    for ring in rings(documents).iter().filter(|r| r.old()) {
        let adapter = ring.coded("ADAPTER");
        if once(&mut reported, &adapter) {
            out.push(
                adapter
                    .finding(&RULE)
                    .code(adapter.line("TIC2"))
                    .needs("the adapter itself"),
            );
        }
    }
}
