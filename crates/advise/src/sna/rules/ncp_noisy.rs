//! Large windows on lines that are not a LAN.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::Statement;
use crate::sna::kinds::vtam;
use crate::sna::source::LINKS;

/// The most that modulo 8 counting allows.
const MODULO_8: u32 = 7;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.noisy-line",
    summary: "A link window above 7 is coded on an SDLC line.",
    why: "What is outstanding on a line when a frame is lost is sent again. On a reliable line a \
          large window is right, the larger the farther the partner; on one with many or changing \
          bit errors it undoes its own gain, as large frames do.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[LINKS],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for document in documents.of(&vtam::NCP) {
        let mut sdlc = false;
        for statement in document.statements() {
            match statement.verb.as_str() {
                "GROUP" => sdlc = is_sdlc(statement),
                "PU" if sdlc => {
                    let maxout = CodedSetting::on(document, statement, &["MAXOUT"]);
                    if maxout.number().is_some_and(|n| n > MODULO_8) {
                        let finding = maxout.finding(&RULE).code(maxout.line("7"));
                        out.push(
                            finding
                                .needs("a line that loses frames; a reliable one keeps its window"),
                        );
                    }
                }
                _ => {}
            }
        }
    }
}

/// A group of lines, not of a ring: those name an ECLTYPE.
fn is_sdlc(group: &Statement) -> bool {
    let lan = group.any(&["ECLTYPE", "NTRIECLT"]).is_some();
    !lan && group.operand("LNCTL").is_some_and(|o| o.is("SDLC"))
}
