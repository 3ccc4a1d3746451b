//! Routes by GATEWAY.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::ETHERNET_MTU;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.gateway",
    summary: "Static routes are coded with GATEWAY.",
    why: "The manual announces the end of GATEWAY and advises BEGINROUTES. GATEWAY cannot route \
          over an INTERFACE, and a packet size of DEFAULTSIZE or 0 means 576 bytes.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::GATEWAY],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        let routes: Vec<_> = profile.routes.iter().filter(|r| r.gateway).collect();
        let Some(first) = routes.first() else {
            continue;
        };
        let mut code = String::from("BEGINROUTES\n");
        for route in &routes {
            let options = route.options.iter().map(|w| w.text.as_str());
            let mtu = if route.mtu.is_none() && route.symbol.is_none() {
                ETHERNET_MTU.to_string()
            } else {
                route.mtu_text()
            };
            code += &format!("  {}\n", route.statement(mtu, options));
        }
        code += "ENDROUTES";
        let value = match routes.len() {
            1 => "one route".to_owned(),
            n => format!("{n} routes"),
        };
        findings.push(TuningFinding::at(&RULE, document.place(first.at), value).code(code));
    }
}
