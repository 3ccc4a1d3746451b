//! PIUs that wait for a channel: the batching that DELAY and MAXBFRU control.
//!
//! A front end signals data to its host (the attention) when MAXBFRU buffers of
//! UNITSZ bytes are filled, or DELAY after the first PIU. VTAM delays its
//! output in the same way, and sends it early with output that may not wait, or
//! when an attention arrives.
//! Reference: z/OS Communications Server, *SNA Network Implementation Guide*,
//! "Guidelines for setting DELAY".
//! Invariant: a batch never holds more than MAXBFRU buffers.

use super::cost::buffers;
use std::collections::VecDeque;

/// PIUs on their way to a channel, in one direction.
#[derive(Debug)]
pub(super) struct ChannelBuffer {
    unit_bytes: usize,
    max_units: usize,
    delay_ns: u64,
    queue: VecDeque<Vec<u8>>,
    units: usize,
    /// The deadline of the batch.
    due: Option<u64>,
}

impl ChannelBuffer {
    /// An empty queue; `max_units` buffers of `unit_bytes` make a batch.
    pub(super) fn new(unit_bytes: usize, max_units: usize, delay_ns: u64) -> ChannelBuffer {
        ChannelBuffer {
            unit_bytes: unit_bytes.max(1),
            max_units: max_units.max(1),
            delay_ns,
            queue: VecDeque::new(),
            units: 0,
            due: None,
        }
    }

    /// Whether a PIU of this size can pass at all.
    pub(super) fn fits(&self, piu_bytes: usize) -> bool {
        self.units_of(piu_bytes) <= self.max_units
    }

    /// Adds a PIU. Returns the deadline if it is the first of a new batch;
    /// [`ChannelBuffer::is_due`] says whether the batch is due now.
    pub(super) fn push(&mut self, now: u64, piu: Vec<u8>) -> Option<u64> {
        self.units += self.units_of(piu.len());
        self.queue.push_back(piu);
        if self.due.is_none() {
            let due = now.saturating_add(self.delay_ns);
            self.due = Some(due);
            return Some(due);
        }
        None
    }

    /// Whether a batch is full or has waited long enough.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.units >= self.max_units || self.due.is_some_and(|due| due <= now)
    }

    /// Makes the held PIUs due at once.
    pub(super) fn release(&mut self, now: u64) {
        if self.due.is_some() {
            self.due = Some(now);
        }
    }

    /// Takes one batch. PIUs for which there are no buffers are due at once.
    pub(super) fn take(&mut self, now: u64) -> Vec<Vec<u8>> {
        let mut batch = Vec::new();
        let mut units = 0;
        while let Some(piu) = self.queue.front() {
            let more = self.units_of(piu.len());
            if !batch.is_empty() && units + more > self.max_units {
                break;
            }
            units += more;
            batch.extend(self.queue.pop_front());
        }
        self.units -= units;
        self.due = (!self.queue.is_empty()).then_some(now);
        batch
    }

    fn units_of(&self, piu_bytes: usize) -> usize {
        buffers(piu_bytes + SUBAREA_BYTES, self.unit_bytes)
    }
}

/// The additional length of a PIU on a subarea hop: a header of type 4 has 26
/// bytes, one of type 2 has 6.
pub const SUBAREA_BYTES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_waits_until_it_is_full_or_late() {
        let mut hold = ChannelBuffer::new(384, 6, 1000);
        assert_eq!(hold.push(10, vec![0; 960]), Some(1010));
        assert!(!hold.is_due(10));
        assert_eq!(hold.push(20, vec![0; 960]), None);
        assert!(hold.is_due(20), "two PIUs fill three buffers each");
        assert_eq!(hold.take(20).len(), 2);
        assert!(hold.queue.is_empty());
        hold.push(30, vec![0; 9]);
        assert!(!hold.is_due(1029));
        assert!(hold.is_due(1030));
    }

    #[test]
    fn what_does_not_fit_goes_with_the_next_batch() {
        let mut hold = ChannelBuffer::new(4000, 2, 1000);
        for _ in 0..3 {
            hold.push(0, vec![0; 3900]);
        }
        assert_eq!(hold.take(0).len(), 2);
        assert!(hold.is_due(0));
        assert_eq!(hold.take(0).len(), 1);
        assert!(hold.fits(7980) && !hold.fits(7981));
    }
}
