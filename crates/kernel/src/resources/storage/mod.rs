//! Shared storage: the parts of the common area of all workers that GETMAIN SHARED has allocated.
//!
//! The region knows the allocated parts and never reads them. A block stays until FREEMAIN, by any
//! task.
//!
//! Reference: CICS API reference, GETMAIN (SHARED) and FREEMAIN.

use std::collections::HashMap;

use cics::command::commands::{freemain, getmain};
use cics::resp::Condition;
use link::{ArenaHeap, CommandOperands};

use super::{Manager, Resources};
use crate::kernel::{CallResult, KernelContext, Request, condition, done, done_with};
use crate::types::CountAndBytes;

/// The commands of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[(getmain::NUMBER, get), (freemain::NUMBER, free)],
    ..Manager::IDLE
};

/// The allocated blocks of the shared area.
#[derive(Debug, Default)]
pub struct SharedArea {
    heap: ArenaHeap,
    /// Bytes of each block by its offset.
    blocks: HashMap<usize, usize>,
    /// Bytes of all blocks.
    used_bytes: u64,
}

impl SharedArea {
    /// The blocks that are in use.
    pub(super) fn amount(&self) -> CountAndBytes {
        CountAndBytes {
            count: self.blocks.len() as u64,
            bytes: self.used_bytes,
        }
    }

    /// The blocks that are in use, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let blocks = self
            .blocks
            .values()
            .map(|bytes| CountAndBytes::one(*bytes as u64));
        blocks.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// An area of so many bytes, all free.
    pub fn new(bytes: usize) -> Self {
        SharedArea {
            heap: ArenaHeap::new(bytes),
            blocks: HashMap::new(),
            used_bytes: 0,
        }
    }
}

fn get(resources: &mut Resources, _: &mut KernelContext<'_>, request: &mut Request) -> CallResult {
    let storage = &mut resources.storage;
    let wanted = request.operands.get_int(getmain::FLENGTH);
    let bytes = wanted
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| *n > 0);
    let Some(bytes) = bytes else {
        return condition(Condition::LengErr, 1);
    };
    let Some(offset) = storage.heap.alloc(bytes) else {
        return condition(Condition::NoStg, 2);
    };
    storage.blocks.insert(offset, bytes);
    storage.used_bytes += bytes as u64;
    done_with(CommandOperands::default().int(getmain::SET, offset as i64))
}

fn free(resources: &mut Resources, _: &mut KernelContext<'_>, request: &mut Request) -> CallResult {
    let storage = &mut resources.storage;
    let offset = request.operands.get_int(freemain::DATAPOINTER);
    let offset = offset.and_then(|n| usize::try_from(n).ok());
    let Some((offset, bytes)) = offset.and_then(|o| storage.blocks.remove_entry(&o)) else {
        return condition(Condition::InvReq, 1);
    };
    storage.heap.free(offset, bytes);
    storage.used_bytes -= bytes as u64;
    done()
}
