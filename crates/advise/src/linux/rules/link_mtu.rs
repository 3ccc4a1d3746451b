//! A small MTU on a link.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.link.mtu",
    summary: "An Ethernet link has an MTU below 1500.",
    why: "Every connection over the link has segments smaller than Ethernet carries. Tunnels have \
          their reasons and are passed over where `ip -d link` names them.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_LINK],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, link) in documents.ip_links().filter(|(_, l)| l.is_ethernet()) {
        if let Some((mtu, at)) = link.mtu
            && mtu < 1500
        {
            let finding = TuningFinding::at(&RULE, document.place(at), format!("mtu {mtu}"))
                .code(format!("ip link set dev {} mtu 1500", link.name));
            findings.push(match mtu {
                0..=576 => finding.severity(FindingSeverity::Warning),
                _ => finding,
            });
        }
    }
}
