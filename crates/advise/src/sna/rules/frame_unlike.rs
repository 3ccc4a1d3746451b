//! A station's frames and the NCP's.

use super::stations;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::{aix, as400, cm2_lan, nsdos};
use crate::sna::model::{Product, link, ncp_frames};
use crate::sna::source::LINKS;

pub(super) static RULE: Rule = Rule {
    name: "sna.frame.unlike",
    summary: "A station's frames are much larger than those its NCP takes.",
    why: "The lesser of the two ends' frame sizes is used, so the larger one is buffer space that \
          is never filled. Raise the smaller.",
    severity: Severity::Note,
    effect: None,
    sources: &[LINKS],
    check,
};

/// Frames that differ by less than this part are alike, in percent.
const ALIKE: u32 = 90;

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    // With several rings, what the largest takes: a station may be on it.
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
            Product::Cm2 => &cm2_lan::KIND,
            Product::NsDos => &nsdos::KIND,
            Product::SnaServices => &aix::KIND,
            Product::As400 => &as400::KIND,
        };
        let frame_text = frame.to_string();
        let said = documents.of(kind).find_map(|d| {
            let operands = d.statements().iter().flat_map(|s| &s.operands);
            let at = operands.into_iter().find(|o| o.value == frame_text)?.at;
            Some(d.place(at))
        });
        if let Some(place) = said {
            let value = format!("{} has frames of {frame}, NCP takes {ncp}", product.name());
            out.push(Finding::at(&RULE, place, value).needs("a larger MAXTSL, see sna.ncp.maxtsl"));
        }
    }
}
