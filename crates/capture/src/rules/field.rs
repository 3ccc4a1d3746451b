//! What captures of strangers showed of each rule, and how sure it may be by that.
//!
//! The numbers are claims that were judged by their packets on captures chosen before they were
//! opened (docs/internals/capture-precision.md), for the rules as they stand: where a rule was
//! changed for what was wrong, from the change on.

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
    // Each time the path was gone for a while, whatever the size.
    ("tcp.pmtu.black-hole", of((0, 10), (0, 2))),
    ("tcp.ack.storm", of((0, 1), (0, 0))),
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
        assert_eq!(ceiling("tcp.reset"), Confidence::High);
        for (id, _) in RECORDS {
            assert!(rule(id).is_some(), "{id}");
        }
    }
}
