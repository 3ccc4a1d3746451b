//! What captures of strangers showed of each rule, and how sure it may be by that.
//!
//! The numbers are claims that were judged by their packets on captures chosen before they were
//! opened (docs/internals/capture-precision.md), with the strictness of those measures: a claim
//! whose cause was right and whose number was not is wrong. The lines between high, medium and low
//! are drawn here, by the record alone ([`Record::as_met`]), and nowhere else.

use crate::Confidence;

/// Claims that were judged, right and wrong; those that nobody can tell are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) right: u32,
    pub(super) wrong: u32,
}

impl Judged {
    /// Those of both.
    pub(super) const fn and(self, other: Judged) -> Judged {
        Judged {
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
        }
    }

    /// How many there are.
    pub(super) const fn count(self) -> u32 {
        self.right + self.wrong
    }

    /// Whether so few right, or fewer, come once in twenty at most where this share of all claims
    /// is right: a few claims tell that only where they were all wrong.
    fn is_below(self, share: f64) -> bool {
        let count = f64::from(self.count());
        let mut exactly = share.powf(count);
        let mut more = 0.0;
        for right in (self.right + 1..=self.count()).rev() {
            more += exactly;
            let right = f64::from(right);
            exactly *= right / (count - right + 1.0) * (1.0 - share) / share;
        }
        1.0 - more <= CHANCE
    }
}

/// The claims of one rule that were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Of high confidence, since what the rule must see to be sure was last changed.
    pub(super) present: Judged,
    /// Of high confidence, in the forms before.
    pub(super) before: Judged,
    /// Of medium confidence.
    pub(super) medium: Judged,
}

impl Record {
    /// How sure a claim may be by what strangers' captures showed of its rule: medium no more
    /// where that share of what was said like it would hardly have given so few right.
    fn as_met(self, said: Confidence) -> Confidence {
        let (sure, medium) = (self.is_sure(), self.medium);
        let alike = match sure {
            true => medium,
            false => self.present.and(self.before).and(medium),
        };
        match said {
            Confidence::High if sure => Confidence::High,
            Confidence::Low => Confidence::Low,
            _ if alike.is_below(MEDIUM_SHARE) => Confidence::Low,
            _ => Confidence::Medium,
        }
    }

    /// Whether strangers' captures let the rule be sure: of enough claims to tell, 98 of 100 were
    /// right. A change alone clears nothing: its own record counts by itself when it is large
    /// enough, and until then with all that was before it.
    fn is_sure(self) -> bool {
        let judged = match self.present.count() >= ENOUGH {
            true => self.present,
            false => self.present.and(self.before),
        };
        judged.count() >= ENOUGH && judged.right * 100 >= judged.count() * LEAST_SHARE
    }
}

/// Of a hundred claims of high confidence so many must be right.
const LEAST_SHARE: u32 = 98;

/// This share of the claims of medium confidence must be right.
const MEDIUM_SHARE: f64 = 0.85;

/// So few right as this chance allows are too few.
const CHANCE: f64 = 0.05;

/// So many claims tell how sure a rule may be; those of a changed rule stand by themselves then.
const ENOUGH: u32 = 20;

/// By rule; rules that are not here were not met. In the fifteenth to the twenty-third measure, and
/// of those that were seldom met in the ones before, too. What changes what a rule
/// must see to be sure moves `present` to `before`.
const RECORDS: &[(&str, Record)] = &[
    // The answer echoed the zero of the first one's clock.
    ("tcp.syn.lost", of((1, 0), (71, 1), (39, 2))),
    // Each time the path was gone for a while, whatever the size.
    ("tcp.pmtu.black-hole", of((0, 0), (0, 10), (0, 2))),
    // Nobody stood still for the copy.
    ("tcp.retransmit.spurious", of((0, 0), (0, 0), (4, 6))),
    // The time was the link's or the window's, or the segment was overtaken.
    ("tcp.retransmit.fast", of((2, 2), (12, 4), (21, 9))),
    // The way back stood still, and no word of a hole had come.
    ("tcp.rto", of((0, 0), (17, 1), (50, 9))),
    ("tcp.reordering", of((0, 0), (0, 0), (36, 1))),
    // The sender had nothing to send for the most of that time.
    ("tcp.window.zero", of((8, 1), (20, 1), (6, 1))),
    // The sender had heard of room long before.
    ("tcp.window.full", of((0, 0), (18, 1), (36, 1))),
    ("tcp.nagle.write-write-read", of((23, 0), (0, 0), (18, 0))),
    ("tcp.nagle", of((3, 0), (0, 0), (10, 2))),
    // A slow line's pace.
    ("tcp.ack.delayed", of((0, 0), (3, 3), (0, 4))),
    ("tcp.idle-restart", of((0, 0), (0, 0), (2, 0))),
    // The growth was there, and its numbers were not.
    ("tcp.slow-start", of((26, 1), (25, 3), (35, 9))),
    ("tcp.congestion-window", of((0, 0), (0, 0), (11, 7))),
    ("tcp.sender.limited", of((0, 0), (0, 0), (0, 2))),
    ("server.think", of((0, 0), (0, 0), (14, 7))),
    ("client.think", of((0, 0), (0, 0), (41, 5))),
    ("tls.handshake.wait", of((0, 0), (0, 0), (58, 2))),
    ("tcp.mss.small", of((2, 0), (3, 0), (11, 5))),
    // Since the twenty-first without connections that leave their protocol.
    ("tcp.connection-per-request", of((56, 1), (89, 3), (34, 1))),
    ("tls.handshake-per-connection", of((0, 0), (0, 0), (14, 6))),
    ("tls.no-resumption", of((0, 0), (0, 0), (33, 2))),
    // Counts that left out a refused client's own reset, probes, and what came before.
    ("tcp.reset", of((73, 0), (260, 6), (31, 1))),
    ("tcp.reset.path", of((0, 0), (0, 0), (1, 1))),
    // Six in two captures of one course: the end had closed before the capture. Then bytes that
    // were counted up to the answer of the FIN alone.
    ("tcp.half-close", of((35, 5), (90, 7), (37, 1))),
    // What TCP had cut was told as written in pieces.
    ("app.tiny-writes", of((2, 0), (2, 1), (18, 1))),
    ("tcp.ack.storm", of((0, 0), (0, 1), (0, 0))),
    // Over all measures, wrong in another way each time.
    ("capture.duplicates", of((0, 0), (78, 9), (24, 2))),
];

const fn of(present: (u32, u32), before: (u32, u32), medium: (u32, u32)) -> Record {
    const fn judged((right, wrong): (u32, u32)) -> Judged {
        Judged { right, wrong }
    }
    Record {
        present: judged(present),
        before: judged(before),
        medium: judged(medium),
    }
}

/// The record of this rule.
pub(super) fn record(rule: &str) -> Record {
    let found = RECORDS.iter().find(|(id, _)| *id == rule);
    found.map_or(Record::default(), |(_, record)| *record)
}

/// How sure a claim of this rule may be.
pub(crate) fn as_met(rule: &str, said: Confidence) -> Confidence {
    record(rule).as_met(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule;

    #[test]
    fn a_rule_is_sure_by_its_record_alone() {
        let sure = |present, before| of(present, before, (0, 0)).is_sure();
        // What was seldom met is not known to be right.
        assert!(!sure((0, 0), (0, 0)));
        assert!(!sure((19, 0), (0, 0)));
        assert!(sure((3, 0), (17, 0)));
        assert!(sure((98, 2), (0, 0)));
        assert!(!sure((97, 2), (0, 0)));
        // Nineteen claims of a new form do not stand by themselves; twenty do.
        assert!(!sure((19, 0), (32, 2)));
        assert!(sure((20, 0), (32, 2)));
        assert!(!sure((19, 1), (980, 0)));
    }

    #[test]
    fn a_rule_is_medium_unless_its_record_is_clearly_below_the_line() {
        let below = |right, wrong| Judged { right, wrong }.is_below(MEDIUM_SHARE);
        assert!(!below(0, 0));
        assert!(!below(0, 1));
        assert!(below(0, 2));
        assert!(!below(1, 1));
        assert!(!below(8, 4));
        assert!(below(11, 7));
        assert!(!below(85, 15));
        assert!(!below(850, 150));
        assert!(below(820, 180));
    }

    #[test]
    fn a_rule_that_was_wrong_in_the_field_is_never_sure() {
        let sure = |rule| as_met(rule, Confidence::High);
        assert_eq!(sure("tcp.pmtu.black-hole"), Confidence::Low);
        assert_eq!(sure("capture.duplicates"), Confidence::Medium);
        assert_eq!(sure("tcp.retransmit.fast"), Confidence::Low);
        assert_eq!(sure("tcp.slow-start"), Confidence::Medium);
        assert_eq!(sure("tcp.reset"), Confidence::High);
        assert_eq!(sure("tcp.window.full"), Confidence::Medium);
        assert_eq!(sure("tcp.syn.lost"), Confidence::High);
        assert_eq!(as_met("tcp.syn.lost", Confidence::Low), Confidence::Low);
        let medium = |rule| as_met(rule, Confidence::Medium);
        assert_eq!(medium("tcp.retransmit.spurious"), Confidence::Low);
        assert_eq!(medium("tcp.rto"), Confidence::Medium);
        assert_eq!(medium("tcp.ack.delayed"), Confidence::Low);
        assert_eq!(sure("tcp.ack.delayed"), Confidence::Low);
        assert_eq!(sure("tcp.mss.small"), Confidence::Medium);
        assert_eq!(sure("llc.not-ready"), Confidence::Medium);
        for (id, _) in RECORDS {
            assert!(rule(id).is_some(), "{id}");
        }
    }
}
