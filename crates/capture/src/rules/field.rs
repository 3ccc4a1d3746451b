//! What captures of strangers showed of each rule, and how sure it may be by that.
//!
//! The numbers are claims that were judged by their packets on captures chosen before they were
//! opened (docs/internals/capture-precision.md): since the rule last changed, or in its last measures.

use crate::Confidence;

/// Right and wrong claims of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Of high confidence.
    pub(super) high: (u32, u32),
    /// Of medium confidence.
    pub(super) medium: (u32, u32),
}

/// By rule; rules that are not here were not met.
const RECORDS: &[(&str, Record)] = &[
    ("tcp.syn.lost", of((13, 0), (7, 1))),
    // Each time the path was gone for a while, whatever the size.
    ("tcp.pmtu.black-hole", of((0, 10), (0, 2))),
    ("tcp.retransmit.spurious", of((0, 0), (5, 2))),
    ("tcp.retransmit.fast", of((11, 0), (8, 1))),
    ("tcp.rto", of((3, 0), (8, 1))),
    ("tcp.reordering", of((0, 0), (9, 0))),
    ("tcp.window.zero", of((10, 0), (0, 0))),
    ("tcp.window.full", of((4, 0), (6, 0))),
    ("tcp.nagle.write-write-read", of((10, 0), (8, 0))),
    ("tcp.nagle", of((0, 0), (8, 0))),
    ("tcp.ack.delayed", of((3, 0), (0, 2))),
    ("tcp.idle-restart", of((0, 0), (2, 0))),
    ("tcp.slow-start", of((8, 0), (8, 0))),
    ("tcp.congestion-window", of((0, 0), (3, 3))),
    ("server.think", of((0, 0), (3, 2))),
    ("client.think", of((0, 0), (9, 0))),
    ("tls.handshake.wait", of((0, 0), (17, 0))),
    ("tcp.mss.small", of((3, 0), (10, 1))),
    ("tcp.connection-per-request", of((22, 0), (9, 0))),
    ("tls.handshake-per-connection", of((0, 0), (7, 0))),
    ("tls.no-resumption", of((0, 0), (9, 0))),
    ("tcp.reset", of((131, 0), (3, 1))),
    ("tcp.reset.path", of((0, 0), (1, 0))),
    ("tcp.half-close", of((47, 1), (2, 0))),
    ("app.tiny-writes", of((1, 0), (4, 0))),
    ("tcp.ack.storm", of((0, 1), (0, 0))),
    // Over all measures, wrong in another way each time.
    ("capture.duplicates", of((72, 8), (0, 0))),
];

const fn of(high: (u32, u32), medium: (u32, u32)) -> Record {
    Record { high, medium }
}

/// The record of this rule.
pub(super) fn record(rule: &str) -> Record {
    let found = RECORDS.iter().find(|(id, _)| *id == rule);
    found.map_or(Record::default(), |(_, record)| *record)
}

/// The most that this rule may be sure: high only while captures of strangers do not speak
/// against it.
pub(crate) fn ceiling(rule: &str) -> Confidence {
    let (right, wrong) = record(rule).high;
    match u64::from(right) * 100 < u64::from(right + wrong) * LEAST_SHARE {
        true => Confidence::Medium,
        false => Confidence::High,
    }
}

/// Of a hundred claims of high confidence so many must be right.
const LEAST_SHARE: u64 = 95;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule;

    #[test]
    fn a_rule_that_was_wrong_in_the_field_is_never_sure() {
        assert_eq!(ceiling("tcp.pmtu.black-hole"), Confidence::Medium);
        assert_eq!(ceiling("capture.duplicates"), Confidence::Medium);
        assert_eq!(ceiling("tcp.reset"), Confidence::High);
        for (id, _) in RECORDS {
            assert!(rule(id).is_some(), "{id}");
        }
    }
}
