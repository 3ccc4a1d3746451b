//! The event queue: events by time, in integer nanoseconds.
//!
//! Two events of one instant happen in the order in which they were planned,
//! and the only source of chance is one seeded generator, so the same seed
//! gives the same run to the last nanosecond.
//! Invariant: no real clock, no thread, no hash map whose order could differ.

use base::SeededRandom;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Future events, the current time, and the random generator.
#[derive(Debug)]
pub(super) struct Clock<E> {
    now: u64,
    serial: u64,
    plans: BinaryHeap<Reverse<PlannedEvent<E>>>,
    /// Chance, by the seed alone.
    pub(super) random: SeededRandom,
}

#[derive(Debug)]
struct PlannedEvent<E> {
    at: u64,
    serial: u64,
    event: E,
}

impl<E> Clock<E> {
    /// An empty queue at instant zero.
    pub(super) fn new(seed: u64) -> Clock<E> {
        Clock {
            now: 0,
            serial: 0,
            plans: BinaryHeap::new(),
            random: SeededRandom::new(seed),
        }
    }

    /// The present instant, in nanoseconds.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Plans `event` for `delay_ns` from now.
    pub(super) fn after(&mut self, delay_ns: u64, event: E) {
        self.at(self.now.saturating_add(delay_ns), event);
    }

    /// Plans `event` for an instant; one that has passed means now.
    pub(super) fn at(&mut self, at: u64, event: E) {
        self.serial += 1;
        self.plans.push(Reverse(PlannedEvent {
            at: at.max(self.now),
            serial: self.serial,
            event,
        }));
    }

    /// Advances to the next event.
    pub(super) fn next(&mut self) -> Option<E> {
        let Reverse(plan) = self.plans.pop()?;
        self.now = plan.at;
        Some(plan.event)
    }
}

impl<E> PartialEq for PlannedEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.serial) == (other.at, other.serial)
    }
}

impl<E> Eq for PlannedEvent<E> {}

impl<E> PartialOrd for PlannedEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for PlannedEvent<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.serial).cmp(&(other.at, other.serial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_instant_keep_their_order() {
        let mut clock = Clock::new(1);
        clock.after(5, 'b');
        clock.after(1, 'a');
        clock.after(5, 'c');
        let order: Vec<_> = std::iter::from_fn(|| clock.next()).collect();
        assert_eq!(order, ['a', 'b', 'c']);
        assert_eq!(clock.now(), 5);
    }

    #[test]
    fn chance_depends_on_the_seed_alone() {
        let draw = |seed| {
            let mut clock = Clock::<()>::new(seed);
            (0..8).map(|_| clock.random.below(100)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
