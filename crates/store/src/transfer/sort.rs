//! Records in the order of their keys, with bounded memory.
//!
//! As long as the input is in order it passes through. If a record is out of order
//! before the first buffer is full, everything is sorted: sorted runs are written
//! to a scratch file and are merged at the end, so that keys reach the store in
//! ascending order and fill its pages. Records that are out of order later are sorted
//! apart and inserted at the end. Of records with one key the first read comes
//! first, either way.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

/// A record on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortRecord<'i> {
    /// Its number in the input, from 1.
    pub number: u64,
    pub key: &'i [u8],
    pub record: &'i [u8],
}

/// Takes records in any order and gives them in the order of their keys.
pub(crate) struct RecordSorter {
    memory_bytes: usize,
    /// Items one after the other, encoded.
    buffer: Vec<u8>,
    /// The start of each.
    starts: Vec<usize>,
    /// Whether all that came so far came in order.
    ordered: bool,
    /// Whether items in order pass through at once.
    streaming: bool,
    /// The key of the last item in order.
    last: Vec<u8>,
    scratch: Option<Scratch>,
}

/// Sorted runs in one file without a name.
struct Scratch {
    file: File,
    /// The end of each run, which is the start of the next.
    ends: Vec<u64>,
}

/// Bytes before an item's key: number, length of the key, length of the record.
const HEAD_BYTES: usize = 8 + 2 + 4;

/// Bytes of a run read at a time.
const READ_BYTES: usize = 64 << 10;

impl RecordSorter {
    /// A sorter that holds about this much in memory.
    pub fn new(memory_bytes: usize) -> Self {
        Self {
            memory_bytes,
            buffer: Vec::new(),
            starts: Vec::new(),
            ordered: true,
            streaming: false,
            last: Vec::new(),
            scratch: None,
        }
    }

    /// Takes an item; passes items whose order is final to `sink`.
    pub fn push<E: From<io::Error>>(
        &mut self,
        item: SortRecord<'_>,
        sink: &mut impl FnMut(SortRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let in_order = item.key > &self.last[..] || (self.last.is_empty() && item.key.is_empty());
        if in_order {
            self.last.clear();
            self.last.extend_from_slice(item.key);
            if self.streaming {
                return sink(item);
            }
        }
        self.ordered &= in_order;
        self.starts.push(self.buffer.len());
        encode(item, &mut self.buffer);
        if self.buffer.len() < self.memory_bytes {
            return Ok(());
        }
        if self.ordered && self.scratch.is_none() {
            self.streaming = true;
            self.starts
                .iter()
                .try_for_each(|start| sink(decode(&self.buffer[*start..]).0))?;
            self.clear();
            Ok(())
        } else {
            Ok(self.spill()?)
        }
    }

    /// Gives all that was held back, in order.
    pub fn finish<E: From<io::Error>>(
        mut self,
        sink: &mut impl FnMut(SortRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(scratch) = self.scratch.take() else {
            self.sort();
            return self
                .starts
                .iter()
                .try_for_each(|start| sink(decode(&self.buffer[*start..]).0));
        };
        self.scratch = Some(scratch);
        self.spill()?;
        match self.scratch {
            Some(scratch) => merge(&scratch, sink),
            None => Ok(()),
        }
    }

    fn sort(&mut self) {
        let Self { buffer, starts, .. } = self;
        // Stable, and the items came in the order of their numbers.
        starts.sort_by(|a, b| decode(&buffer[*a..]).0.key.cmp(decode(&buffer[*b..]).0.key));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let scratch = match &mut self.scratch {
            Some(scratch) => scratch,
            none => none.insert(Scratch {
                file: tempfile::tempfile()?,
                ends: Vec::new(),
            }),
        };
        let mut end = scratch.ends.last().copied().unwrap_or(0);
        let mut output = BufWriter::with_capacity(READ_BYTES, &scratch.file);
        for start in &self.starts {
            let (_, bytes) = decode(&self.buffer[*start..]);
            output.write_all(&self.buffer[*start..*start + bytes])?;
            end += bytes as u64;
        }
        output.flush()?;
        drop(output);
        scratch.ends.push(end);
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.buffer.clear();
        self.starts.clear();
    }
}

/// A run being read; the order is that of the heap, least key on top.
struct Run {
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    /// The offset in `buffer` of the item on top.
    start: usize,
}

impl Run {
    fn item(&self) -> SortRecord<'_> {
        decode(&self.buffer[self.start..]).0
    }

    /// Makes sure that a whole item is in the buffer; false at the run's end.
    fn fill(&mut self, file: &File) -> io::Result<bool> {
        loop {
            let rest = &self.buffer[self.start..];
            if item_bytes(rest).is_some_and(|bytes| bytes <= rest.len()) {
                return Ok(true);
            }
            if self.at == self.end {
                return Ok(false);
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            let held = self.buffer.len();
            let wanted = READ_BYTES.min((self.end - self.at) as usize);
            self.buffer.resize(held + wanted, 0);
            file.read_exact_at(&mut self.buffer[held..], self.at)?;
            self.at += wanted as u64;
        }
    }
}

impl Ord for Run {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.item(), other.item());
        (b.key, b.number).cmp(&(a.key, a.number))
    }
}

impl PartialOrd for Run {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Run {}

fn merge<E: From<io::Error>>(
    scratch: &Scratch,
    sink: &mut impl FnMut(SortRecord<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut heap = BinaryHeap::new();
    let mut at = 0;
    for &end in &scratch.ends {
        let mut run = Run {
            at,
            end,
            buffer: Vec::new(),
            start: 0,
        };
        at = end;
        if run.fill(&scratch.file)? {
            heap.push(run);
        }
    }
    while let Some(mut run) = heap.pop() {
        sink(run.item())?;
        run.start += decode(&run.buffer[run.start..]).1;
        if run.fill(&scratch.file)? {
            heap.push(run);
        }
    }
    Ok(())
}

fn encode(item: SortRecord<'_>, buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(&item.number.to_ne_bytes());
    buffer.extend_from_slice(&(item.key.len() as u16).to_ne_bytes());
    buffer.extend_from_slice(&(item.record.len() as u32).to_ne_bytes());
    buffer.extend_from_slice(item.key);
    buffer.extend_from_slice(item.record);
}

/// Bytes of the item that begins here, if its head is here.
fn item_bytes(bytes: &[u8]) -> Option<usize> {
    let head = bytes.first_chunk::<HEAD_BYTES>()?;
    let key = u16::from_ne_bytes([head[8], head[9]]);
    let record = u32::from_ne_bytes([head[10], head[11], head[12], head[13]]);
    Some(HEAD_BYTES + usize::from(key) + record as usize)
}

/// The item that begins here, whole, and its bytes.
fn decode(bytes: &[u8]) -> (SortRecord<'_>, usize) {
    let key = usize::from(u16::from_ne_bytes([bytes[8], bytes[9]]));
    let record = u32::from_ne_bytes([bytes[10], bytes[11], bytes[12], bytes[13]]) as usize;
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[..8]);
    let end = HEAD_BYTES + key + record;
    let item = SortRecord {
        number: u64::from_ne_bytes(number),
        key: &bytes[HEAD_BYTES..HEAD_BYTES + key],
        record: &bytes[HEAD_BYTES + key..end],
    };
    (item, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The output of a sorter with this much memory, and how much of it was ready
    /// before the input ended.
    fn sorted(memory_bytes: usize, keys: &[Vec<u8>]) -> (Vec<(Vec<u8>, u64)>, usize) {
        let mut sorter = RecordSorter::new(memory_bytes);
        let mut out = Vec::new();
        let mut sink = |item: SortRecord<'_>| {
            assert_eq!(item.record, [item.key, b"!"].concat());
            out.push((item.key.to_vec(), item.number));
            Ok::<_, io::Error>(())
        };
        for (at, key) in keys.iter().enumerate() {
            let record = [key, &b"!"[..]].concat();
            let item = SortRecord {
                number: at as u64 + 1,
                key,
                record: &record,
            };
            sorter.push(item, &mut sink).unwrap();
        }
        let mut late = Vec::new();
        sorter
            .finish(&mut |item: SortRecord<'_>| {
                late.push((item.key.to_vec(), item.number));
                Ok::<_, io::Error>(())
            })
            .unwrap();
        let early = out.len();
        out.extend(late);
        (out, early)
    }

    #[test]
    fn what_is_in_order_passes_through() {
        let keys: Vec<_> = (0..1000).map(|n| format!("{n:04}").into_bytes()).collect();
        let (out, early) = sorted(1000, &keys);
        assert_eq!(out.len(), 1000);
        assert!(out.is_sorted());
        assert!(early > 950, "{early} passed through");
    }

    #[test]
    fn runs_longer_than_what_is_read_at_a_time_are_merged() {
        let keys: Vec<_> = (0..20_000_u32)
            .map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes().to_vec())
            .collect();
        let (out, early) = sorted(200_000, &keys);
        assert_eq!((out.len(), early), (20_000, 0));
        assert!(out.is_sorted());
    }

    proptest! {
        #[test]
        fn every_record_comes_out_once_and_the_first_of_a_key_first(
            keys in proptest::collection::vec(proptest::collection::vec(0..4_u8, 1..4), 0..200),
            memory_bytes in 1..2000_usize,
        ) {
            let (out, early) = sorted(memory_bytes, &keys);
            prop_assert!(out[..early].is_sorted());
            prop_assert!(out[early..].is_sorted());
            for (key, _) in &out {
                let mut numbers = out.iter().filter(|(other, _)| other == key).map(|(_, n)| n);
                prop_assert!(numbers.by_ref().is_sorted());
            }
            let mut numbers: Vec<_> = out.iter().map(|(_, number)| *number).collect();
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (1..=keys.len() as u64).collect::<Vec<_>>());
        }
    }
}
