//! MAXDATA must hold a frame of the ring.

use super::coded::{Coded, coded};
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::MATCHING;

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.maxdata",
    summary: "MAXDATA is below MAXTSL.",
    why: "What a station sends in one frame must fit between NCP and VTAM as well, and a PU that \
          takes less than the ring carries gets its data in pieces.",
    severity: Severity::Warning,
    effect: None,
    sources: &[MATCHING],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let frames = coded(documents, &vtam::NCP, &["MAXTSL"], "").into_iter();
    let largest = frames
        .filter_map(|c| Some((c.number()?, c)))
        .max_by_key(|(n, _)| *n);
    let Some((maxtsl, at)) = largest else { return };
    for kind in [&vtam::NCP, &vtam::MAJOR] {
        for verb in ["PCCU", "GROUP", "LINE", "PU"] {
            for (document, statement) in documents.stated(kind, verb) {
                let maxdata = Coded::on(document, statement, &["MAXDATA"]);
                // A station is measured by its own line, where that says.
                let lines = document.statements().iter();
                let line = lines
                    .take_while(|s| s.at.line <= statement.at.line)
                    .filter(|s| verb == "PU" && s.verb == "LINE")
                    .last();
                let own = line.map(|line| Coded::on(document, line, &["MAXTSL"]));
                let (maxtsl, at) = match own.as_ref().and_then(|c| Some((c.number()?, c))) {
                    Some((maxtsl, own)) => (maxtsl, own),
                    None => (maxtsl, &at),
                };
                if maxdata.number().is_some_and(|n| n < maxtsl) {
                    let finding = maxdata.finding(&RULE).code(maxdata.line(&match verb {
                        // VTAM's own must hold more than a frame, see
                        // sna.ncp.piu-order.
                        "PCCU" => "65535".to_owned(),
                        _ => maxtsl.to_string(),
                    }));
                    out.push(finding.because(at.place(), format!("MAXTSL={maxtsl}")));
                }
            }
        }
    }
}
