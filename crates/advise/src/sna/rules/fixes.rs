//! Rules over settings that work only with a fix of the product. A comment that
//! names the fix says that it is applied.
//!
//! Reference: the APPC tuning guide.

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::kind::DocumentKind;
use crate::rule::{RuleCheck, TuningRule};
use crate::sna::kinds::{aix, nsdos};
use crate::sna::source::{AIX, NSDOS};

/// A setting with the largest value that works without a fix.
struct FixTest {
    kind: &'static DocumentKind,
    verb: &'static str,
    names: &'static [&'static str],
    most: u32,
    /// The number of the fix, as comments name it.
    fix: &'static str,
    needs: &'static str,
}

impl RuleCheck for FixTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        for document in set.of(self.kind).filter(|d| !d.mentions(self.fix)) {
            let all = document.statements().iter();
            for statement in all.filter(|s| s.verb == self.verb) {
                let setting = CodedSetting::on(document, statement, self.names);
                if setting.number().is_some_and(|n| n > self.most) {
                    out.push(setting.finding(rule).needs(self.needs));
                }
            }
        }
    }
}

pub(super) static AIX_DLC_WINDOW: TuningRule = TuningRule {
    name: "sna.aix.dlc-fix",
    summary: "The transmit window count is above 10, which needs APAR IX41022.",
    why: "The token-ring driver of AIX 3.2.4 loses its link to NCP V6R2 when it sends with a window \
          above 10. APAR IX41022 mends it; a comment that names it says that it is applied.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[AIX],
    check: &FixTest {
        kind: &aix::KIND,
        verb: aix::LOGICAL_LINK,
        names: aix::TRANSMIT_COUNT,
        most: 10,
        fix: "IX41022",
        needs: "APAR IX41022 on AIX 3.2.4",
    },
};

pub(super) static NSDOS_FRAME: TuningRule = TuningRule {
    name: "sna.nsdos.frame-fix",
    summary: "TRMF is above 2,048 bytes, which needs PTF IC06030.",
    why: "Networking Services/DOS 1.0 sends frames of 2,048 bytes at most, whatever TRMF says, until \
          PTF IC06030 is applied. Look at a trace, or at the RU size of a live session. \
          A comment that names the PTF says that it is applied.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[NSDOS],
    check: &FixTest {
        kind: &nsdos::KIND,
        verb: "TRMF",
        names: &["", "SIZE", "MAXFRAME", "FRAME"],
        most: 2048,
        fix: "IC06030",
        needs: "PTF IC06030",
    },
};
