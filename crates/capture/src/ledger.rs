//! The ledger of wall-clock time: every instant of every exchange, once.
//!
//! The engine adds intervals, each with its reason and owner. At the end a sweep
//! over time assigns each instant to one interval: if several exchanges wait at
//! once, to the most specific reason. Think time and idle time are never added.
//!
//! Invariant: bounded memory. Past [`MOST_INTERVALS`] the shorter half is
//! folded into sums, whose instants may then be counted for several exchanges.

use crate::evidence::{DelayOwner, EvidenceKind, Reason};
use serde::{Serialize, Serializer};

/// A part of an exchange's time with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerInterval {
    /// Nanoseconds since 1970.
    pub from_ns: i64,
    /// The same.
    pub to_ns: i64,
    /// The reason of the wait.
    pub reason: Reason,
    /// The system that can shorten it.
    pub owner: DelayOwner,
    /// Numbers for the sentence of the reason.
    #[serde(skip)]
    pub(crate) numbers: [u32; 2],
    /// Packet before it.
    pub before: u64,
    /// Packet that ended it; 0 if none did.
    pub after: u64,
    /// Identity of its connection; 0 for a lookup over UDP.
    pub connection: u64,
    /// Waits that were joined in it.
    pub waits: u32,
    /// It counts only while another exchange waits (a lookup by another
    /// program).
    #[serde(skip)]
    pub(crate) only_inside: bool,
}

impl LedgerInterval {
    /// Its length.
    pub fn length_ns(&self) -> i64 {
        self.to_ns - self.from_ns
    }
}

/// Nanoseconds by kind of evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceTimes(pub [i64; EvidenceKind::COUNT]);

impl SliceTimes {
    /// The time of one kind.
    pub fn of(&self, kind: EvidenceKind) -> i64 {
        self.0[kind as usize]
    }

    /// Adds to one kind.
    pub fn add(&mut self, kind: EvidenceKind, ns: i64) {
        let sum = &mut self.0[kind as usize];
        *sum = sum.saturating_add(ns);
    }

    /// Adds every kind of `other`.
    pub fn merge(&mut self, other: &SliceTimes) {
        for kind in EvidenceKind::ALL {
            self.add(kind, other.of(kind));
        }
    }

    /// Sum over all kinds.
    pub fn total_ns(&self) -> i64 {
        self.0.iter().fold(0, |sum, ns| sum.saturating_add(*ns))
    }

    /// The kind with the most time, and that time.
    pub fn largest(&self) -> Option<(EvidenceKind, i64)> {
        let kinds = EvidenceKind::ALL
            .into_iter()
            .map(|kind| (kind, self.of(kind)));
        kinds.filter(|(_, ns)| *ns > 0).max_by_key(|(_, ns)| *ns)
    }
}

impl Serialize for SliceTimes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kinds = EvidenceKind::ALL.into_iter();
        serializer.collect_map(
            kinds
                .map(|kind| (kind.name(), self.of(kind)))
                .filter(|(_, ns)| *ns != 0),
        )
    }
}

/// Nanoseconds and waits of one reason and owner.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReasonSum {
    pub(crate) ns: i64,
    pub(crate) waits: u64,
}

/// Sums by reason and owner.
pub(crate) type ReasonSums = [[ReasonSum; DelayOwner::COUNT]; Reason::COUNT];

/// Intervals of one share of the connections, or of all.
#[derive(Debug)]
pub(crate) struct WaitLedger {
    intervals: Vec<LedgerInterval>,
    folded: Box<ReasonSums>,
}

impl Default for WaitLedger {
    fn default() -> WaitLedger {
        WaitLedger {
            intervals: Vec::new(),
            folded: Box::new([[ReasonSum::default(); DelayOwner::COUNT]; Reason::COUNT]),
        }
    }
}

impl WaitLedger {
    /// Enters an interval; one that continues the last one is joined to it.
    pub(crate) fn enter(&mut self, interval: LedgerInterval) {
        if interval.to_ns <= interval.from_ns {
            return;
        }
        if let Some(last) = self.intervals.last_mut()
            && last.to_ns == interval.from_ns
            && last.connection == interval.connection
            && (last.reason, last.owner) == (interval.reason, interval.owner)
            && last.reason.kind() != EvidenceKind::SlowPath
        {
            last.to_ns = interval.to_ns;
            last.after = interval.after;
            last.waits += interval.waits;
            last.numbers = interval.numbers;
            return;
        }
        self.intervals.push(interval);
        if self.intervals.len() >= MOST_INTERVALS {
            self.fold();
        }
    }

    /// Adds the intervals of another share.
    pub(crate) fn merge(&mut self, other: WaitLedger) {
        self.intervals.extend(other.intervals);
        for (mine, theirs) in self.folded.iter_mut().zip(other.folded.iter()) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.ns = mine.ns.saturating_add(theirs.ns);
                mine.waits += theirs.waits;
            }
        }
    }

    /// A message says that the destination of a connection cannot be reached:
    /// its unanswered waits have that reason.
    pub(crate) fn mark_unreachable(&mut self, connection: u64, packet: u64) {
        let waits = self.intervals.iter_mut();
        for one in waits.filter(|one| one.connection == connection) {
            if matches!(
                one.reason,
                Reason::SynUnanswered | Reason::NeverAcknowledged
            ) {
                one.reason = Reason::Unreachable;
                one.after = packet;
            }
        }
    }

    /// Moves the shorter half of the intervals into the sums.
    fn fold(&mut self) {
        let mut lengths: Vec<i64> = self
            .intervals
            .iter()
            .map(LedgerInterval::length_ns)
            .collect();
        let middle = lengths.len() / 2;
        let (_, median_ns, _) = lengths.select_nth_unstable(middle);
        let median_ns = *median_ns;
        let mut room = middle;
        let folded = &mut self.folded;
        self.intervals.retain(|one| {
            let keep = one.length_ns() > median_ns && room > 0;
            if keep {
                room -= 1;
                return true;
            }
            if !one.only_inside {
                let sum = &mut folded[one.reason as usize][one.owner as usize];
                sum.ns = sum.ns.saturating_add(one.length_ns());
                sum.waits += u64::from(one.waits);
            }
            false
        });
    }

    /// Gives each instant to one interval. Returns the sums by reason and
    /// owner, and the intervals, the longest first.
    pub(crate) fn settle(mut self) -> (Box<ReasonSums>, Vec<LedgerInterval>) {
        let mut sums = std::mem::replace(&mut self.folded, Box::new(EMPTY));
        let mut events: Vec<(i64, bool, u32)> = Vec::with_capacity(self.intervals.len() * 2);
        for (index, one) in self.intervals.iter().enumerate() {
            sums[one.reason as usize][one.owner as usize].waits += u64::from(one.waits);
            events.push((one.from_ns, true, index as u32));
            events.push((one.to_ns, false, index as u32));
        }
        events.sort_unstable();
        let mut active: std::collections::BTreeSet<(Reason, u32)> = Default::default();
        let mut at_ns = i64::MIN;
        for (time_ns, begins, index) in events {
            if let Some(owner) = self.owner_of_instant(&active) {
                let one = &self.intervals[owner as usize];
                let sum = &mut sums[one.reason as usize][one.owner as usize];
                sum.ns = sum.ns.saturating_add(time_ns - at_ns);
            }
            at_ns = time_ns;
            let entry = (self.intervals[index as usize].reason, index);
            if begins {
                active.insert(entry);
            } else {
                active.remove(&entry);
            }
        }
        (self.intervals)
            .sort_by_key(|one| (std::cmp::Reverse(one.length_ns()), one.from_ns, one.before));
        (sums, self.intervals)
    }

    /// The interval that owns an instant in which `active` ones wait.
    fn owner_of_instant(&self, active: &std::collections::BTreeSet<(Reason, u32)>) -> Option<u32> {
        let inside = |index: u32| self.intervals[index as usize].only_inside;
        let any = active.iter().any(|(_, index)| !inside(*index));
        let first = active.iter().next().filter(|_| any)?;
        Some(first.1)
    }
}

const EMPTY: ReasonSums = [[ReasonSum { ns: 0, waits: 0 }; DelayOwner::COUNT]; Reason::COUNT];

/// Intervals kept of one share of the connections.
const MOST_INTERVALS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(from_ns: i64, to_ns: i64, reason: Reason) -> LedgerInterval {
        LedgerInterval {
            from_ns,
            to_ns,
            reason,
            owner: DelayOwner::Unknown,
            numbers: [0; 2],
            before: from_ns as u64,
            after: 0,
            connection: reason as u64,
            waits: 1,
            only_inside: false,
        }
    }

    #[test]
    fn an_instant_in_which_two_wait_belongs_to_the_more_specific_one() {
        let mut ledger = WaitLedger::default();
        ledger.enter(interval(0, 100, Reason::AnswerWait));
        ledger.enter(interval(40, 60, Reason::Timeout));
        ledger.enter(interval(50, 70, Reason::AnswerWait));
        let (sums, _) = ledger.settle();
        let of = |reason: Reason| sums[reason as usize][DelayOwner::Unknown as usize].ns;
        assert_eq!((of(Reason::AnswerWait), of(Reason::Timeout)), (80, 20));
    }

    #[test]
    fn folding_keeps_the_sum_of_intervals_that_do_not_overlap() {
        let mut ledger = WaitLedger::default();
        let mut total = 0;
        for at in 0..3 * MOST_INTERVALS as i64 {
            let length = at % 97 + 1;
            ledger.enter(interval(at * 100, at * 100 + length, Reason::AnswerWait));
            total += length;
        }
        let (sums, kept) = ledger.settle();
        let sum = sums[Reason::AnswerWait as usize][DelayOwner::Unknown as usize];
        assert_eq!((sum.ns, sum.waits), (total, 3 * MOST_INTERVALS as u64));
        assert!(kept.len() <= MOST_INTERVALS);
    }

    #[test]
    fn a_bystander_counts_only_while_something_else_waits() {
        let mut ledger = WaitLedger::default();
        ledger.enter(LedgerInterval {
            only_inside: true,
            ..interval(0, 100, Reason::LookupUnanswered)
        });
        ledger.enter(interval(50, 80, Reason::AnswerWait));
        let (sums, _) = ledger.settle();
        let of = |reason: Reason| sums[reason as usize][DelayOwner::Unknown as usize].ns;
        assert_eq!(
            (of(Reason::LookupUnanswered), of(Reason::AnswerWait)),
            (30, 0)
        );
    }
}
