//! A route's MTU is larger than its interface's.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.interface",
    summary: "A static route names a larger MTU than the INTERFACE it uses.",
    why: "The smaller of the two holds, so the route's value is not what connections get.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::INTERFACE, ip::BEGINROUTES],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        for route in &profile.routes {
            let Some(mtu) = route.mtu else {
                continue;
            };
            let interface = profile.interfaces.iter().find(|i| i.name == route.link);
            if let Some((limit, at)) = interface.and_then(|i| i.mtu)
                && limit < mtu
            {
                let options = route.options.iter().map(|w| w.text.as_str());
                findings.push(
                    TuningFinding::at(&RULE, document.place(route.mtu_at), format!("MTU {mtu}"))
                        .code(route.statement(limit, options))
                        .because(document.place(at), format!("INTERFACE has MTU {limit}")),
                );
            }
        }
    }
}
