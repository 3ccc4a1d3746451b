//! OMPROUTE and the profile disagree about an interface's MTU.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.omproute-interface",
    summary: "OMPROUTE and the INTERFACE statement name different MTUs for one interface.",
    why: "OMPROUTE adds its routes with its own value (message EZZ8163I), so static and dynamic \
          routes over the interface differ.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[ip::EZZ8163I, ip::OMPROUTE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let interfaces = || {
        let all = documents.profiles();
        all.flat_map(|(d, p)| p.interfaces.iter().map(move |i| (d, i)))
    };
    for (document, config) in documents.omproutes() {
        for routed in &config.interfaces {
            let Some((mtu, at)) = routed.mtu else {
                continue;
            };
            let same = interfaces().find(|(_, i)| i.name == routed.name);
            if let Some((profile, stack)) = same
                && let Some((coded, coded_at)) = stack.mtu
                && coded != mtu
            {
                findings.push(
                    TuningFinding::at(&RULE, document.place(at), format!("MTU={mtu}"))
                        .code(format!("MTU={coded}"))
                        .because(
                            profile.place(coded_at),
                            format!("INTERFACE has MTU {coded}"),
                        ),
                );
            }
        }
    }
}
