//! A station's frames and the NCP's.

use super::stations;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::{aix, as400, cm2_lan, nsdos};
use crate::sna::model::{SessionProduct, link, ncp_frames};
use crate::sna::source::LINKS;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.frame.unlike",
    summary: "A station's frames are much larger than those its NCP takes.",
    why: "The lesser of the two ends' frame sizes is used, so the larger one is buffer space that \
          is never filled. Raise the smaller.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[LINKS],
    check: &check,
};

/// Frames that differ by less than this part are alike, in percent.
const ALIKE: u32 = 90;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    // With several rings the largest frame counts: a station may be on that
    // ring.
    let Some(ncp) = ncp_frames(documents).pop() else {
        return;
    };
    for product in stations::ALL {
        let Some(frame) = link(documents, product).frame else {
            continue;
        };
        if ncp.saturating_mul(100) >= frame.saturating_mul(ALIKE) {
            continue;
        }
        let kind = match product {
            SessionProduct::Cm2 => &cm2_lan::KIND,
            SessionProduct::NsDos => &nsdos::KIND,
            SessionProduct::SnaServices => &aix::KIND,
            SessionProduct::As400 => &as400::KIND,
        };
        let frame_text = frame.to_string();
        let said = documents.of(kind).find_map(|d| {
            let operands = d.statements().iter().flat_map(|s| &s.operands);
            let at = operands.into_iter().find(|o| o.value == frame_text)?.at;
            Some(d.place(at))
        });
        if let Some(place) = said {
            let value = format!("{} has frames of {frame}, NCP takes {ncp}", product.name());
            out.push(
                TuningFinding::at(&RULE, place, value).needs("a larger MAXTSL, see sna.ncp.maxtsl"),
            );
        }
    }
}
