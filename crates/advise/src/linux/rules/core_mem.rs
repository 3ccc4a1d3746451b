//! `net.core.rmem_max`.

use super::setting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.core-mem",
    summary: "rmem_max or wmem_max is below 208K, the default.",
    why: "A program that sets its own socket buffers gets no more than this, and with SO_RCVBUF \
          set the kernel no longer grows the window by itself.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::NET_SYSCTL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for key in ["net.core.rmem_max", "net.core.wmem_max"] {
        setting(documents, &RULE, key, findings, |value| {
            (value.number()? < DEFAULT_BYTES).then(|| DEFAULT_BYTES.to_string())
        });
    }
}

/// The kernel's default.
const DEFAULT_BYTES: u64 = 212_992;
