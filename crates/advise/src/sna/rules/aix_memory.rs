//! Memory for communications on AIX: the options of `no`.

use super::coded::coded;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::aix;
use crate::sna::source::{AIX, FIGURES_6_7};

/// The options and their recommended values.
const OPTIONS: &[(&str, u32)] = &[
    ("THEWALL", 8192),
    ("LOWCLUST", 256),
    ("LOWMBUF", 256),
    ("MB_CL_HIWAT", 512),
];

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.aix.memory",
    summary: "thewall, lowclust, lowmbuf or mb_cl_hiwat is below the guide's value.",
    why: "SNA Services takes its buffers from mbufs and clusters. thewall (in KB) bounds them, the two \
          low marks keep some free for bursts, and mb_cl_hiwat is how many free clusters stay before \
          they go back to AIX: a low one makes memory come and go. Weigh them against the memory \
          that others on the machine need.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    for (name, least) in OPTIONS {
        for option in coded(documents, &aix::KIND, &[name], "") {
            if option.number().is_none_or(|n| n < *least) {
                out.push(option.finding(&RULE).code(option.line(&least.to_string())));
            }
        }
    }
}
