//! The rows of a cursor that were received: one after the other in one buffer, so
//! that a row costs no allocation of its own.
//!
//! Invariant: dropped rows take less than half of the buffer.

use std::ops::Range;

/// Rows, the oldest first.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    bytes: Vec<u8>,
    /// Where each row ends in `bytes`.
    ends: Vec<usize>,
    /// Rows at the front that were dropped.
    gone: usize,
}

impl RowBuffer {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len() - self.gone
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> usize {
        self.bytes.len() - self.start(self.gone)
    }

    /// A row, counted from 0.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        self.bytes.get(self.range(at)?)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut [u8]> {
        let range = self.range(at)?;
        self.bytes.get_mut(range)
    }

    /// Adds a row after the others.
    pub fn push(&mut self, row: &[u8]) {
        if self.gone * 2 > self.ends.len() {
            self.compact();
        }
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }

    /// Drops the first row; false without rows.
    pub fn pop_front(&mut self) -> bool {
        let has_one = self.gone < self.ends.len();
        self.gone += usize::from(has_one);
        has_one
    }

    fn start(&self, index: usize) -> usize {
        match index.checked_sub(1) {
            Some(before) => self.ends[before],
            None => 0,
        }
    }

    fn range(&self, at: usize) -> Option<Range<usize>> {
        let index = at.checked_add(self.gone)?;
        let end = *self.ends.get(index)?;
        Some(self.start(index)..end)
    }

    fn compact(&mut self) {
        let cut = self.start(self.gone);
        self.bytes.drain(..cut);
        self.ends.drain(..self.gone);
        self.ends.iter_mut().for_each(|end| *end -= cut);
        self.gone = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_and_bytes_while_others_are_let_go() {
        let mut rows = RowBuffer::default();
        let (mut first, mut next) = (0u8, 0u8);
        for step in 0..200 {
            rows.push(&vec![next; usize::from(next % 7)]);
            next += 1;
            if step % 3 != 0 {
                assert!(rows.pop_front());
                first += 1;
            }
            for (at, value) in (first..next).enumerate() {
                assert_eq!(rows.get(at), Some(&vec![value; usize::from(value % 7)][..]));
            }
            assert_eq!(rows.len(), usize::from(next - first));
            let bytes: usize = (first..next).map(|value| usize::from(value % 7)).sum();
            assert_eq!(rows.bytes(), bytes);
        }
        while rows.pop_front() {}
        assert_eq!((rows.len(), rows.bytes(), rows.get(0)), (0, 0, None));
        rows.push(b"row");
        assert_eq!(rows.get_mut(0).map(|row| row.len()), Some(3));
    }
}
