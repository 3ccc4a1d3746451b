//! Rules over the link windows of OS/2 and DOS machines: 8, but 2 where they talk
//! to each other.
//!
//! Reference: the APPC tuning guide, figures 9 and 10.

use super::coded::CodedSetting;
use super::stations::os2_and_dos;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::kind::DocumentKind;
use crate::rule::{RuleCheck, TuningRule};
use crate::sna::kinds::{cm2_lan, nsdos};
use crate::sna::source::{self, FIGURES_6_7, FIGURES_9_10, LINKS};

/// The link windows of one of the two products.
struct WindowTest {
    kind: &'static DocumentKind,
    verb: &'static str,
    names: [&'static str; 2],
    /// Whether the default is good.
    default_is_good: bool,
    /// What windows of 2 are for where 8 is advised.
    small: &'static str,
    /// What windows of 8 are for where 2 is advised.
    large: &'static str,
}

impl RuleCheck for WindowTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let (wanted, needs) = if os2_and_dos(set) {
            (2, self.large)
        } else {
            (8, self.small)
        };
        for (document, statement) in set.stated(self.kind, self.verb) {
            for name in &self.names {
                let window = CodedSetting::on(document, statement, &[name]);
                let number = window.number();
                if number.map_or(!self.default_is_good, |n| n != wanted) {
                    let finding = window.finding(rule).code(window.line(&wanted.to_string()));
                    out.push(finding.needs(needs));
                }
            }
        }
    }
}

pub(super) static CM2: TuningRule = TuningRule {
    name: "sna.cm2.dlc-window",
    summary: "The link windows of Communications Manager/2 are not 8, or not 2 on a link to Networking Services/DOS.",
    why: "A sender that has used its window waits for an acknowledgement. 8 is the most the profile \
          takes. Links between OS/2 and DOS machines are the exception: 2 is best there.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004 names RU size and link window for OS/2 to VTAM: 1,000,000 bytes in 6.4 s before, 5.1 s after",
    ),
    sources: &[source::CM2, LINKS, FIGURES_6_7, FIGURES_9_10],
    check: &WindowTest {
        kind: &cm2_lan::KIND,
        verb: "PROFILE",
        names: [cm2_lan::SEND_WINDOW, cm2_lan::RECEIVE_WINDOW],
        default_is_good: true,
        small: "2 on a link to Networking Services/DOS",
        large: "8 on links to other partners than DOS machines",
    },
};

pub(super) static NSDOS: TuningRule = TuningRule {
    name: "sna.nsdos.dlc-window",
    summary: "MAXIN or MAXOUT on TRLD is not 8, or not 2 on a link to Communications Manager/2.",
    why: "MAXOUT frames are sent and MAXIN received before an acknowledgement. 8 is the most; with an \
          OS/2 partner 2 is better than the default of 4.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[source::NSDOS, LINKS, FIGURES_6_7, FIGURES_9_10],
    check: &WindowTest {
        kind: &nsdos::KIND,
        verb: "TRLD",
        names: ["MAXIN", "MAXOUT"],
        default_is_good: false,
        small: "2 on a link to Communications Manager/2",
        large: "8 on links to other partners than OS/2 machines",
    },
};
