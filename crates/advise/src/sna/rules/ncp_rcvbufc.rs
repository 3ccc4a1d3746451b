//! RCVBUFC: room for frames that come in from the ring.

use super::coded::{Coded, coded};
use super::ncp_maxtsl;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::{FIGURES_6_7, MATCHING, NCP};

/// The most that a TIC1 takes.
const TIC1: u32 = 4095;
/// The most that a TIC2 takes.
const TIC2: u32 = 32_000;

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.rcvbufc",
    summary: "RCVBUFC does not hold two frames of MAXTSL bytes, or is more than the adapter takes.",
    why: "RCVBUFC must take two whole frames of a station. With less, stations are asked to send \
          again, and a frame larger than the buffer ends the connection. The guide asks for twice \
          MAXTSL, and its table of tuned values has four times (16,240 for 4,060).",
    severity: Severity::Advice,
    effect: None,
    sources: &[NCP, MATCHING, FIGURES_6_7],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for frames in coded(documents, &vtam::NCP, &["MAXTSL"], "") {
        let (document, line) = (frames.document, frames.statement);
        let rcvbufc = Coded::on(document, line, &["RCVBUFC"]);
        let Some(maxtsl) = frames.number() else {
            continue;
        };
        let old = line.operand("ADAPTER").is_some_and(|o| o.is("TIC1"));
        let most = if old { TIC1 } else { TIC2 };
        let frame = ncp_maxtsl::advised(line).0;
        let twice = 2 * frame.min(most / 2);
        let bytes = rcvbufc.number().unwrap_or(0);
        if bytes <= most && bytes >= maxtsl.max(frame).min(most / 2).saturating_mul(2) {
            continue;
        }
        let mut finding = rcvbufc.finding(&RULE).code(rcvbufc.noted(
            &twice.to_string(),
            &format!("twice MAXTSL={frame}, as the rule says"),
        ));
        if 4 * frame <= most {
            let four = (4 * frame).to_string();
            finding = finding.code(rcvbufc.noted(&four, "four times, as the guide's table has it"));
        }
        if frame > maxtsl {
            finding = finding.needs(format!("MAXTSL={frame}, see sna.ncp.maxtsl"));
        }
        if bytes > most {
            finding = finding
                .severity(Severity::Warning)
                .needs(format!("at most {most} with this adapter"));
        }
        out.push(finding.because(frames.place(), format!("MAXTSL={maxtsl}")));
    }
}
