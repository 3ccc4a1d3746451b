//! Decisions on units of work with participants other than the store.
//!
//! The store's commit is the decision: a record of it is written in the unit's own
//! transaction, with the names of the prepared participants. The record stays until each of
//! them has reported its commit. A participant that reconnects, after it or the region was
//! away, reports the units that it has prepared and whose outcome it does not know. Units
//! with a record are committed; units without one are backed out, since every decided unit
//! has a record (presumed abort). A participant that could not commit because of its disk
//! stays connected, so the order is sent again until it has committed.
//!
//! ```text
//!   table decision
//!     unit, u64                 version 1 | (length, u8 | name)...
//! ```
//!
//! Reference: X/Open distributed transaction processing, "Presumed rollback";
//! CICS recovery and restart, "In-doubt units of work".

use std::collections::{BTreeMap, BTreeSet};

use store::{Table, UnitOfWork};

use super::effect::{KernelEffect, Order, ParticipantId, UnitId};
use super::timers::{AlarmTarget, TimerId};
use super::{Kernel, KernelContext, ResourceManagers, scan};

const TABLE: Table = Table::new("decision");
/// First byte of a record.
const VERSION: u8 = 1;
/// Longest name of a participant.
const MAX_NAME_BYTES: usize = 255;
/// Interval between orders to a participant that could not carry one out, in nanoseconds.
const AGAIN_NS: u64 = 5_000_000_000;

/// Decisions that some participants have not acknowledged.
#[derive(Debug, Default)]
pub struct OpenDecisions {
    /// The participants that have not reported their commit, by name.
    open: BTreeMap<UnitId, BTreeMap<String, NoticeState>>,
    /// Units whose decision may or may not be in the store: the outcome is unknown until the
    /// region starts again.
    pub(super) undecided: BTreeSet<UnitId>,
    /// The names of all participants, by their numbers.
    names: Vec<String>,
    /// Participants whose commit the task waits for.
    waited_for: BTreeSet<ParticipantId>,
    /// The timer for the next order to those that could not carry one out.
    again: Option<TimerId>,
    /// The number of the last unit.
    last: u64,
    /// Units of this run of the region have greater numbers.
    before: u64,
}

/// The state of a decision at one participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoticeState {
    /// The order was sent and has not been answered.
    Sent,
    /// The participant or the region was away: the order must be sent again.
    Missed,
}

impl OpenDecisions {
    /// The number of a participant, by its name.
    pub fn participant(&mut self, name: &str) -> ParticipantId {
        assert!(name.len() <= MAX_NAME_BYTES, "{name} is too long a name");
        let known = self.names.iter().position(|n| n == name);
        ParticipantId(known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }))
    }

    /// Whether a task continues only after a participant has committed.
    pub fn is_waited_for(&self, participant: ParticipantId) -> bool {
        self.waited_for.contains(&participant)
    }

    /// Registers the number of a unit of an earlier run of the region.
    pub fn used(&mut self, unit: UnitId) {
        self.last = self.last.max(unit.0);
    }

    /// Begins a run of the region, after [`OpenDecisions::used`] has registered the numbers of
    /// earlier runs.
    fn begin(&mut self, unix_ns: u64) {
        self.last = self.last.max(unix_ns);
        self.before = self.last;
    }

    /// A new number for a unit: nanoseconds since 1970, and never used twice.
    pub fn next_unit(&mut self, unix_ns: u64) -> UnitId {
        self.last = unix_ns.max(self.last + 1);
        UnitId(self.last)
    }

    /// Adds the decision that a unit is committed to its changes.
    pub fn decide(&self, unit: UnitId, participants: &[ParticipantId], changes: &mut UnitOfWork) {
        let names = participants.iter().filter_map(|p| self.names.get(p.0));
        changes.put(TABLE, &unit.0.to_be_bytes(), &emit(names));
    }

    /// The decision is in the store, and its participants are being notified.
    pub fn decided(&mut self, unit: UnitId, participants: &[ParticipantId]) {
        let names = participants.iter().filter_map(|p| self.names.get(p.0));
        let asked = names.map(|name| (name.clone(), NoticeState::Sent));
        self.open.insert(unit, asked.collect());
    }

    /// A participant has committed a unit. Returns true if it was the last one.
    fn committed(&mut self, unit: UnitId, participant: ParticipantId) -> bool {
        let name = self.names.get(participant.0);
        let (Some(name), Some(open)) = (name, self.open.get_mut(&unit)) else {
            return false;
        };
        open.remove(name);
        let last = open.is_empty();
        if last {
            self.open.remove(&unit);
        }
        last
    }

    /// Restores a decision of the last run of the region.
    fn restore(&mut self, unit: UnitId, names: Vec<String>) {
        tracing::info!(%unit, ?names, "a unit of work is committed, and not all participants have acknowledged it");
        self.used(unit);
        let missed = names.into_iter().map(|name| (name, NoticeState::Missed));
        self.open.insert(unit, missed.collect());
    }

    /// The missed decisions of the participants that tasks wait for.
    fn missed(&self) -> impl Iterator<Item = (UnitId, ParticipantId)> {
        self.open.iter().flat_map(|(unit, open)| {
            let all = self.waited_for.iter().copied();
            let missed = all.filter(|p| {
                let name = self.names.get(p.0);
                name.and_then(|name| open.get(name)) == Some(&NoticeState::Missed)
            });
            missed.map(|participant| (*unit, participant))
        })
    }

    /// The state of a decision at a participant, if it is not complete.
    fn notice(&mut self, unit: UnitId, participant: ParticipantId) -> Option<&mut NoticeState> {
        let name = self.names.get(participant.0)?;
        self.open.get_mut(&unit)?.get_mut(name)
    }

    /// Decisions that are not acknowledged, and the participants.
    pub fn open(&self) -> impl Iterator<Item = (UnitId, &str)> {
        self.open.iter().flat_map(|(unit, open)| {
            let names = open.keys();
            names.map(|name| (*unit, name.as_str()))
        })
    }

    /// The name of a participant.
    pub fn name(&self, participant: ParticipantId) -> Option<&str> {
        self.names.get(participant.0).map(String::as_str)
    }
}

impl KernelContext<'_> {
    /// A participant reports whether it has committed a decided unit.
    pub(super) fn record_report(&mut self, unit: UnitId, participant: ParticipantId, yes: bool) {
        let decisions = &mut self.kernel.decisions;
        if yes {
            if decisions.committed(unit, participant) {
                let mut changes = UnitOfWork::new();
                changes.remove(TABLE, &unit.0.to_be_bytes());
                self.change_store(changes);
            }
            return;
        }
        if let Some(notice) = decisions.notice(unit, participant) {
            *notice = NoticeState::Missed;
            if decisions.again.is_none() && decisions.waited_for.contains(&participant) {
                let at = self.now + AGAIN_NS;
                decisions.again = Some(self.kernel.timers.set(at, AlarmTarget::Decisions));
            }
        }
    }

    /// Sends decisions again to participants that could not carry them out. One that is away
    /// answers no again.
    pub(super) fn resend_decisions(&mut self) {
        let decisions = &mut self.kernel.decisions;
        decisions.again = None;
        let missed: Vec<(UnitId, ParticipantId)> = decisions.missed().collect();
        for (unit, participant) in missed {
            if let Some(notice) = decisions.notice(unit, participant) {
                *notice = NoticeState::Sent;
            }
            let order = KernelEffect::Participant(unit, participant, Order::Commit);
            self.out.push(order);
        }
    }

    /// A participant is connected, for the first time or again. It has prepared these units and
    /// does not know their outcome. An order is sent for each that is not in progress.
    fn resolve(&mut self, participant: ParticipantId, in_doubt: &[UnitId]) {
        let decisions = &self.kernel.decisions;
        let Some(name) = decisions.names.get(participant.0) else {
            return;
        };
        for unit in in_doubt {
            let open = decisions.open.get(unit);
            let order = if open.is_some_and(|open| open.contains_key(name)) {
                Order::Commit
            } else if self.kernel.units.task_of(*unit).is_some()
                || decisions.undecided.contains(unit)
            {
                continue;
            } else {
                Order::BackOut
            };
            self.out
                .push(KernelEffect::Participant(*unit, participant, order));
        }
        // A missed decision that it does not ask for is committed there: only
        // its answer was lost.
        let missed = decisions.open.iter().filter(|(unit, open)| {
            open.get(name) == Some(&NoticeState::Missed) && !in_doubt.contains(unit)
        });
        let missed: Vec<UnitId> = missed.map(|(unit, _)| *unit).collect();
        for unit in missed {
            self.record_report(unit, participant, true);
        }
    }
}

impl<R: ResourceManagers> Kernel<R> {
    /// The number of a participant in units of work; its name is the same in every run of the
    /// region.
    pub fn participant(&mut self, name: &str) -> ParticipantId {
        self.state.decisions.participant(name)
    }

    /// Makes tasks continue only after a participant has committed a decision, or cannot be
    /// reached.
    pub fn wait_for(&mut self, participant: ParticipantId) {
        self.state.decisions.waited_for.insert(participant);
    }

    /// A participant is connected, for the first time or again. It has prepared these units and
    /// does not know their outcome.
    pub fn in_doubt(
        &mut self,
        now: u64,
        participant: ParticipantId,
        units: &[UnitId],
        out: &mut Vec<KernelEffect>,
    ) {
        self.with(now, out, |_, cx| cx.resolve(participant, units));
    }

    /// Units of this run of the region have greater numbers, independent of the clock.
    pub fn units_after(&self) -> UnitId {
        UnitId(self.state.decisions.before)
    }

    /// The units of earlier runs of the region have been restored.
    pub(super) fn begin_units(&mut self, now: u64) {
        let unix_ns = self.state.settings.unix_offset_ns + now;
        self.state.decisions.begin(unix_ns);
    }

    /// Restores the decisions of the last run of the region.
    pub(super) fn restore_decisions(&mut self) {
        let Some(reader) = &mut self.state.reader else {
            return;
        };
        let decisions = &mut self.state.decisions;
        let read = scan(reader.as_mut(), TABLE, &mut |key, record| match (
            key.try_into(),
            parse(record),
        ) {
            (Ok(unit), Some(names)) => {
                decisions.restore(UnitId(u64::from_be_bytes(unit)), names);
            }
            _ => tracing::error!(key = %key.escape_ascii(), "a decision is malformed"),
        });
        if let Err(error) = read {
            self.state
                .not_restored("the decisions on units of work", &error);
        }
    }
}

fn emit<'n>(names: impl Iterator<Item = &'n String>) -> Vec<u8> {
    let mut out = vec![VERSION];
    for name in names {
        out.push(name.len() as u8);
        out.extend(name.as_bytes());
    }
    out
}

fn parse(record: &[u8]) -> Option<Vec<String>> {
    let mut rest = record.strip_prefix(&[VERSION])?;
    let mut names = Vec::new();
    while let Some((bytes, after)) = rest.split_first() {
        let (name, after) = after.split_at_checked(usize::from(*bytes))?;
        names.push(String::from_utf8(name.to_vec()).ok()?);
        rest = after;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_unit_has_a_new_number_even_if_the_clock_stops_or_is_set_back() {
        let mut decisions = OpenDecisions::default();
        let units = [7, 7, 3, 9].map(|ns| decisions.next_unit(ns).0);
        assert_eq!(units, [7, 8, 9, 10]);
    }

    #[test]
    fn unit_numbers_of_a_run_are_higher_even_when_the_clock_is_set_back() {
        let mut decisions = OpenDecisions::default();
        decisions.used(UnitId(20));
        decisions.begin(9);
        let (before, first) = (decisions.before, decisions.next_unit(5).0);
        assert_eq!((before, first), (20, 21));
        let mut decisions = OpenDecisions::default();
        decisions.begin(9);
        assert_eq!((decisions.before, decisions.next_unit(5).0), (9, 10));
    }

    proptest! {
        #[test]
        fn a_record_is_read_back_unchanged(names in prop::collection::vec("[a-z]{0,20}", 0..5)) {
            prop_assert_eq!(parse(&emit(names.iter())), Some(names));
        }

        #[test]
        fn no_stored_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = parse(&bytes);
        }
    }
}
