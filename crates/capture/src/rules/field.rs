//! What captures of strangers showed of each rule, and how sure it may be by that.
//!
//! The numbers are claims that were judged by their packets on captures chosen before they were
//! opened (docs/internals/capture-precision.md). A change of a rule does not clear its record: that
//! what it was wrong in is mended, only the next captures can show.

use crate::Confidence;

/// Right and wrong claims of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Of high confidence.
    pub(super) high: (u32, u32),
    /// Of medium confidence.
    pub(super) medium: (u32, u32),
}

/// By rule; rules that are not here were not met. In the fifteenth to the seventeenth measure, and
/// of those that were seldom met in the ones before, too. Counted is whether the cause was right: a
/// false number in a true claim's sentence was wrong in the measure, and was mended.
const RECORDS: &[(&str, Record)] = &[
    ("tcp.syn.lost", of((23, 0), (14, 1))),
    // Each time the path was gone for a while, whatever the size.
    ("tcp.pmtu.black-hole", of((0, 10), (0, 2))),
    ("tcp.retransmit.spurious", of((0, 0), (4, 3))),
    // The time was the link's or the window's, or the segment was overtaken.
    ("tcp.retransmit.fast", of((12, 4), (10, 7))),
    ("tcp.rto", of((6, 0), (23, 4))),
    ("tcp.reordering", of((0, 0), (15, 0))),
    ("tcp.window.zero", of((13, 0), (0, 0))),
    ("tcp.window.full", of((5, 0), (14, 0))),
    ("tcp.nagle.write-write-read", of((13, 0), (9, 0))),
    ("tcp.nagle", of((3, 0), (8, 0))),
    ("tcp.ack.delayed", of((3, 0), (0, 3))),
    ("tcp.idle-restart", of((0, 0), (2, 0))),
    ("tcp.slow-start", of((25, 0), (14, 1))),
    ("tcp.congestion-window", of((0, 0), (5, 6))),
    ("tcp.sender.limited", of((0, 0), (0, 2))),
    ("server.think", of((0, 0), (10, 3))),
    ("client.think", of((0, 0), (15, 0))),
    ("tls.handshake.wait", of((0, 0), (29, 0))),
    ("tcp.mss.small", of((3, 0), (10, 1))),
    ("tcp.connection-per-request", of((48, 1), (15, 0))),
    ("tls.handshake-per-connection", of((0, 0), (7, 1))),
    ("tls.no-resumption", of((0, 0), (15, 0))),
    ("tcp.reset", of((140, 2), (7, 1))),
    ("tcp.reset.path", of((0, 0), (1, 0))),
    // Six in two captures of one course: the end had closed before the capture.
    ("tcp.half-close", of((91, 6), (4, 0))),
    ("app.tiny-writes", of((2, 0), (6, 0))),
    ("tcp.ack.storm", of((0, 1), (0, 0))),
    // Over all measures, wrong in another way each time.
    ("capture.duplicates", of((72, 8), (9, 1))),
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
        assert_eq!(ceiling("tcp.retransmit.fast"), Confidence::Medium);
        assert_eq!(ceiling("tcp.reset"), Confidence::High);
        for (id, _) in RECORDS {
            assert!(rule(id).is_some(), "{id}");
        }
    }
}
