//! An adapter that interrupts rarely.

use crate::document::{DocumentSet, LineColumn};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::PlacedWord;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.inbperf",
    summary: "INBPERF MINCPU makes the adapter collect packets before it interrupts.",
    why: "Each packet may wait for others to arrive. Short requests pay that on every packet; \
          DYNAMIC adapts to what arrives.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::INTERFACE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        let interfaces = profile.interfaces.iter().map(|i| &i.words);
        for words in interfaces.chain(profile.links.iter().map(|l| &l.words)) {
            if let Some(at) = saves_cpu(words) {
                findings.push(
                    TuningFinding::at(&RULE, document.place(at), "INBPERF MINCPU")
                        .code("INBPERF DYNAMIC"),
                );
            }
        }
    }
}

fn saves_cpu(words: &[PlacedWord]) -> Option<LineColumn> {
    let mut pairs = words.windows(2);
    let pair = pairs.find(|p| p[0].is("INBPERF") && p[1].is("MINCPU"))?;
    Some(pair[0].at)
}
