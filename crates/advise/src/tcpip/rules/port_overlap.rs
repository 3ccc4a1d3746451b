//! One port on PORT and on PORTRANGE.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::Port;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.port.overlap",
    summary: "A PORTRANGE covers a port that another PORTRANGE or a PORT entry reserves.",
    why: "The stack ignores whichever comes second, with an error message, and with it its \
          NODELAYACKS.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[ip::PORT],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        for (i, later) in profile.ports.iter().enumerate() {
            let clash = |earlier: &&Port| {
                (earlier.range || later.range)
                    && earlier.protocol == later.protocol
                    && overlap(earlier, later)
            };
            if let Some(earlier) = profile.ports[..i].iter().find(clash) {
                let value = later.statement(std::iter::empty());
                findings.push(
                    TuningFinding::at(&RULE, document.place(later.at), value)
                        .code(earlier.statement(earlier.options.iter().map(|w| w.text.as_str())))
                        .because(
                            document.place(earlier.at),
                            "this entry comes first and holds; keep one of the two",
                        ),
                );
            }
        }
    }
}

fn overlap(a: &Port, b: &Port) -> bool {
    let end = |p: &Port| u32::from(p.first).saturating_add(p.count);
    u32::from(a.first) < end(b) && u32::from(b.first) < end(a)
}
