//! A queue that is not recoverable: its items, and the memory that they take.

use cics::command::commands::writeq_ts;
use link::TransId;

/// Most items of a queue.
pub const MAX_ITEMS: usize = 32_767;
/// Most bytes of an item.
pub const MAX_ITEM_BYTES: usize = writeq_ts::ROW.most_bytes(writeq_ts::FROM) as usize;
/// Bytes that an item takes in addition to its data.
pub const ITEM_OVERHEAD: u64 = 64;

/// Bytes that an item counts for.
pub fn cost(item: &[u8]) -> u64 {
    item.len() as u64 + ITEM_OVERHEAD
}

/// The command that made a queue.
#[derive(Debug, Default, Clone, Copy)]
pub struct QueueOrigin {
    /// The first WRITEQ TS did not specify MAIN.
    pub auxiliary: bool,
    /// The transaction that wrote the first item.
    pub transid: TransId,
}

/// A queue in memory.
#[derive(Debug, Default)]
pub struct Queue {
    items: Vec<Box<[u8]>>,
    bytes: u64,
    /// Number of the item that was read last, 0 for none.
    pub last_read: u16,
    /// The command that made the queue.
    pub origin: QueueOrigin,
    /// Time of the last use, nanoseconds of the region's clock.
    pub used_at: u64,
}

impl Queue {
    /// Bytes of the shortest and of the longest item.
    pub fn lengths(&self) -> (u16, u16) {
        let lengths = self.items.iter().map(|item| item.len() as u16);
        let (least, most) = (lengths.clone().min(), lengths.max());
        (least.unwrap_or(0), most.unwrap_or(0))
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Bytes that all items count for.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that all items count for, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub fn recount(&self) -> u64 {
        self.items.iter().map(|item| cost(item)).sum()
    }

    /// The item with a number, counted from 1.
    pub fn item(&self, number: i64) -> Option<&[u8]> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.items.get(at).map(|item| &**item)
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: &[u8]) {
        self.bytes += cost(item);
        self.items.push(item.into());
    }

    /// Replaces the item with a number. Returns false if it does not exist.
    pub fn replace(&mut self, number: i64, item: &[u8]) -> bool {
        let Some(before) = self.item(number).map(cost) else {
            return false;
        };
        self.bytes = self.bytes - before + cost(item);
        self.items[number as usize - 1] = item.into();
        true
    }
}
