//! Few ports for outgoing connections.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.ports.ephemeral",
    summary: "EPHEMERALPORTS on TCPCONFIG leaves fewer than 10,000 ports.",
    why: "A client that opens a connection a request uses a port each time and leaves it in \
          TIME_WAIT. When the range is used up, connects fail.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        let Some(setting) = profile.tcp.last(&["EPHEMERALPORTS"]) else {
            continue;
        };
        let value = setting.value.as_deref().unwrap_or_default();
        let mut bounds = value.split_whitespace().map(|w| w.parse::<u64>().ok());
        if let (Some(Some(low)), Some(Some(high))) = (bounds.next(), bounds.next()) {
            let count = high.saturating_sub(low).saturating_add(1);
            if count < 10_000 {
                let wait = profile
                    .tcp
                    .number("TIMEWAITINTERVAL")
                    .map_or(60, |(s, _)| s.max(1));
                findings.push(
                    TuningFinding::at(
                        &RULE,
                        document.place(setting.at),
                        format!("{low} to {high}"),
                    )
                    .code("TCPCONFIG EPHEMERALPORTS 1024 65535")
                    .effect(format!(
                        "at most {} connections a second to one server, with {wait} s in \
                             TIME_WAIT",
                        count / wait
                    )),
                );
            }
        }
    }
}
