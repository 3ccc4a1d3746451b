//! MAXOUT: frames that NCP sends before a station must acknowledge.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::vtam;
use crate::sna::source::{LINKS, NCP};

/// The most that modulo 8 counting allows.
const MODULO_8: u32 = 7;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ncp.maxout",
    summary: "MAXOUT is coded below 7.",
    why: "NCP stops after so many frames until the station acknowledges. Set it as large as the \
          link and the receiver allow: 7 with modulo 8, up to 127 with modulo 128. A noisy link is \
          the exception: what is outstanding must be sent again, so windows and frames stay small. \
          The guide promises values for each type of link and gives none; both its tables keep the \
          default.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[NCP, LINKS],
    check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for kind in [&vtam::NCP, &vtam::MAJOR] {
        for (document, pu) in documents.stated(kind, "PU") {
            let maxout = CodedSetting::on(document, pu, &["MAXOUT"]);
            if maxout.number().is_some_and(|n| n < MODULO_8) {
                out.push(
                    maxout
                        .finding(&RULE)
                        .code(maxout.line("7"))
                        .needs("a reliable link"),
                );
            }
        }
    }
}
