//! A long least retransmission timeout.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.rto-min",
    summary: "A route sets rto_min above 200 ms.",
    why: "A loss that acknowledgements do not reveal is mended after this time at the earliest; \
          the kernel's own least is 200 ms.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_ROUTE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        if let Some(word) = route.get("rto_min")
            && milliseconds(&word.text).is_some_and(|ms| ms > 200)
        {
            let value = format!("rto_min {}", word.text);
            findings.push(
                TuningFinding::at(&RULE, document.place(word.at), value)
                    .code(route.change("rto_min", None)),
            );
        }
    }
}

/// A time as ip-route writes it: seconds, or with `s` or `ms`.
fn milliseconds(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_suffix("ms") {
        return digits.parse().ok();
    }
    let digits = text.strip_suffix('s').unwrap_or(text);
    digits.parse::<u64>().ok()?.checked_mul(1000)
}
