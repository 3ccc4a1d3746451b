//! A route of Policy Agent with the default MTU.

use super::mtu_route::too_small;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.policy-route",
    summary: "A route of a Policy Agent route table has no MTU, DefaultSize, or 576 or less.",
    why: "Traffic that a routing rule sends this way gets an MSS of 536, whatever the profile's \
          own routes say.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, ip::POLICY],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, policy) in documents.policies() {
        for table in &policy.tables {
            for route in &table.routes {
                if let Some((value, mtu)) = too_small(documents, route) {
                    let options = route.options.iter().map(|w| w.text.as_str());
                    let code = route.statement(mtu, options).replacen("ROUTE", "Route", 1);
                    findings.push(
                        TuningFinding::at(&RULE, document.place(route.mtu_at), value)
                            .code(code)
                            .because(
                                document.place(table.at),
                                format!("RouteTable {}", table.name),
                            ),
                    );
                }
            }
        }
    }
}
