//! A backlog that is cut.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{cics, ip};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.backlog-limit",
    summary: "A listener asks for a larger BACKLOG than SOMAXCONN, or the kernel, allows.",
    why: "The smaller value is used without a message: a burst is refused although the \
        definition has room for it.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::BACKLOG, ip::SOMAXCONN, cics::SOCKETS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let coded = documents
        .profiles()
        .filter_map(|(d, p)| Some((d, p.somaxconn?)));
    let Some((profile, (limit, limit_at))) = coded.last() else {
        return;
    };
    let services = documents.definitions("TCPIPSERVICE");
    let services = services.filter_map(|(d, s)| Some((d, s.number("BACKLOG")?)));
    let listeners = documents.socket_entries("LISTENER");
    let listeners = listeners.filter_map(|(d, l)| Some((d, l.number("BACKLOG")?)));
    for (document, (backlog, at)) in services.chain(listeners) {
        if backlog > limit {
            findings.push(
                TuningFinding::at(
                    &RULE,
                    document.place(at),
                    format!("BACKLOG {backlog}, cut to {limit}"),
                )
                .code(format!("SOMAXCONN {}", backlog.max(1024)))
                .because(profile.place(limit_at), format!("SOMAXCONN {limit}")),
            );
        }
    }
}
