//! The memory that a receiver needs.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::SessionProduct;
use crate::sna::negotiate::{Flow, Window};
use crate::sna::session::pairs;
use crate::sna::source::GENERAL;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ru.memory",
    summary: "A station must be able to hold much data a session.",
    why: "A receiver keeps room for RU × window, a sender for one RU. Under fixed pacing up to 2N − 1 \
          RUs can be under way, because the next window may be granted when the first RU of one has \
          come, and what is set aside and not used is lost to others; adaptive pacing takes only \
          what is free.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[GENERAL],
    check: &check,
};

/// Bytes a session above which it is worth saying; our own choice, small for
/// DOS with its 640 KB.
fn worth_saying(product: SessionProduct) -> u64 {
    match product {
        SessionProduct::NsDos => 64 * 1024,
        _ => 1024 * 1024,
    }
}

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for pair in pairs(documents) {
        let received = [pair.won.1, pair.lost.1];
        let bytes = |f: &Flow| f.in_flight_bytes();
        let most = received
            .into_iter()
            .filter(|f| bytes(f).is_some())
            .max_by_key(bytes);
        let Some((flow, bytes)) = most.and_then(|f| Some((f, bytes(&f)?))) else {
            continue;
        };
        if bytes <= worth_saying(pair.mode.product) {
            continue;
        }
        let (ru, how) = (
            flow.ru.unwrap_or(0),
            match flow.window {
                Window::Fixed(n) => format!("(2 × {n} − 1) × "),
                Window::Adaptive(n) => format!("{n} × "),
                Window::Unpaced => String::new(),
            },
        );
        let value = format!(
            "mode {}: {} may have to hold {how}{ru} = {bytes} bytes a session",
            pair.mode.name,
            pair.mode.product.name()
        );
        let mut finding = TuningFinding::at(&RULE, pair.mode.place(), value);
        if matches!(flow.window, Window::Fixed(_)) {
            finding = finding.needs("a smaller receive window where memory is short");
        }
        out.push(finding);
    }
}
