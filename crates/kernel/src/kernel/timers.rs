//! Alarms on one heap.
//!
//! The owner of the clock asks for the first instant, sleeps until then, and takes the due
//! alarms. A cancelled alarm leaves an entry in the heap that is skipped at the top.
//!
//! Invariant: no clock; instants are nanoseconds from the caller.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::effect::UnitId;
use crate::core::TaskKey;

/// Identifies an alarm; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimerId(u64);

/// The target of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlarmTarget {
    /// A call of this task that waits.
    Wait(TaskKey),
    /// The wait for the participant that commits this unit is over.
    OnePhase(UnitId),
    /// The participant that decides this unit is asked again, or the store
    /// applies it again.
    Decider(UnitId),
    /// Orders are sent again to participants that could not carry a decision out.
    Decisions,
    /// A prepared unit that has waited for its coordinator long enough.
    Branch(TaskKey),
    /// A resource manager, by its place in the list, and a number of its own.
    Manager(usize, u64),
}

/// All alarms of a region.
#[derive(Debug, Default)]
pub struct TimerTable {
    heap: BinaryHeap<Reverse<(u64, TimerId)>>,
    live: HashMap<TimerId, (u64, AlarmTarget)>,
    last: u64,
}

impl TimerTable {
    /// Sets an alarm for an instant. Alarms of one instant go off in the order
    /// they were set.
    pub fn set(&mut self, at: u64, alarm: AlarmTarget) -> TimerId {
        self.last += 1;
        let id = TimerId(self.last);
        self.heap.push(Reverse((at, id)));
        self.live.insert(id, (at, alarm));
        id
    }

    /// Cancels an alarm. Returns false if it went off or was cancelled before.
    pub fn cancel(&mut self, id: TimerId) -> bool {
        let was = self.live.remove(&id).is_some();
        self.drop_dead();
        was
    }

    /// When the next alarm goes off.
    pub fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes the first alarm that is due.
    pub fn due(&mut self, now: u64) -> Option<AlarmTarget> {
        let Reverse((at, id)) = *self.heap.peek()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        let alarm = self.live.remove(&id).map(|(_, alarm)| alarm);
        self.drop_dead();
        alarm
    }

    /// Alarms that are set.
    #[cfg(test)]
    fn live(&self) -> usize {
        self.live.len()
    }

    /// Removes cancelled alarms from the top, so that no thread wakes for one, and keeps the heap
    /// within twice the live alarms.
    fn drop_dead(&mut self) {
        if self.heap.len() > 2 * self.live.len() + 64 {
            let live = &self.live;
            self.heap.retain(|Reverse((_, id))| live.contains_key(id));
        }
        while let Some(Reverse((_, id))) = self.heap.peek() {
            if self.live.contains_key(id) {
                return;
            }
            self.heap.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(n: u64) -> AlarmTarget {
        AlarmTarget::Manager(0, n)
    }

    #[test]
    fn alarms_go_off_in_the_order_of_their_instants() {
        let mut timers = TimerTable::default();
        timers.set(30, alarm(3));
        timers.set(10, alarm(1));
        timers.set(10, alarm(2));
        assert_eq!(timers.next(), Some(10));
        assert_eq!(timers.due(9), None);
        assert_eq!(timers.due(10), Some(alarm(1)));
        assert_eq!(timers.due(10), Some(alarm(2)));
        assert_eq!(timers.due(10), None);
        assert_eq!(timers.due(99), Some(alarm(3)));
        assert_eq!((timers.next(), timers.live()), (None, 0));
    }

    #[test]
    fn a_cancelled_alarm_does_not_go_off() {
        let mut timers = TimerTable::default();
        let first = timers.set(10, alarm(1));
        timers.set(20, alarm(2));
        assert!(timers.cancel(first));
        assert!(!timers.cancel(first));
        assert_eq!(timers.next(), Some(20));
        assert_eq!(timers.due(30), Some(alarm(2)));
    }

    #[test]
    fn alarms_set_and_cancelled_repeatedly_take_no_room() {
        let mut timers = TimerTable::default();
        timers.set(1, alarm(0));
        for n in 0..100_000 {
            let id = timers.set(1_000 + n, alarm(n));
            timers.cancel(id);
        }
        assert!(timers.heap.len() < 200);
    }
}
