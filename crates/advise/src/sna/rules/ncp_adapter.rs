//! The older of the two token-ring adapters.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::{LINKS, NCP};

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.adapter",
    summary: "The ring is on a TIC1.",
    why: "A TIC1 has 2,576 bytes of storage and runs at 4 Mb/s only; a TIC2 has 64 KB and runs at \
          16 Mb/s too. Frames stay below 1,108 bytes until the adapter is replaced.",
    severity: Severity::Note,
    effect: None,
    sources: &[NCP, LINKS],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for (document, line) in documents.stated(&vtam::NCP, "LINE") {
        let adapter = Coded::on(document, line, &["ADAPTER"]);
        if adapter.operand.is_some_and(|o| o.is("TIC1")) {
            out.push(
                adapter
                    .finding(&RULE)
                    .code(adapter.line("TIC2"))
                    .needs("the adapter itself"),
            );
        }
    }
}
