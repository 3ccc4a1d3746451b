//! The event control blocks of SELECTEX, and the wait for them.
//!
//! SELECB is one block of four bytes, or a list of the addresses of blocks. The
//! manual distinguishes the two by the high-order bit of SELECB's own address,
//! which no COBOL program sets; here an item with room for an address is a list.
//! As in an ECBLIST of WAIT EXTERNAL its items have USAGE POINTER, and null is
//! passed over. The list ends with the item, or after the address whose
//! high-order bit is on, as the manual has it.
//!
//! While the call waits, blocks are looked at every few milliseconds, and the
//! task's own POST at its instant.
//!
//! Reference: IP CICS Sockets Guide, SELECTEX.

use std::time::{Duration, Instant};

use cics::command::commands::{suspend, wait_event};
use ezasoket::{CallReply, Errno, Request, SelectTimeout};
use link::CommandOperands;

use super::parameters::{CallFailure, ask};
use crate::cob::CommandOperand;
use crate::timer::{self, ECB_BYTES, is_readable};
use crate::worker::Worker;

/// Times between two looks, at first and at most.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(20);
/// Marks the last address of a list.
const LAST: usize = 1 << (usize::BITS - 1);

/// The blocks of a call: storage that can be read while it lasts.
#[derive(Default)]
pub(super) struct CallBlocks(Vec<*mut u8>);

impl CallBlocks {
    /// The blocks that SELECB names; EFAULT for a block without storage.
    pub fn of(selecb: Option<CommandOperand<'_>>) -> Result<CallBlocks, Errno> {
        let Some(item) = selecb else {
            return Ok(CallBlocks::default());
        };
        if item.size() < size_of::<*mut u8>() {
            let one = item.size() >= ECB_BYTES;
            return Ok(CallBlocks(one.then(|| item.data()).into_iter().collect()));
        }
        let mut blocks = Vec::new();
        for address in item.bytes().chunks_exact(size_of::<usize>()) {
            let address = usize::from_ne_bytes(address.try_into().unwrap_or_default());
            let block = std::ptr::with_exposed_provenance_mut::<u8>(address & !LAST);
            if !block.is_null() {
                if !is_readable(block, ECB_BYTES) {
                    return Err(Errno::EFAULT);
                }
                blocks.push(block);
            }
            if address & LAST != 0 {
                break;
            }
        }
        Ok(CallBlocks(blocks))
    }

    /// Whether one is posted now. Of the task's own POST the region knows when
    /// another task has cancelled it, which posts it.
    pub fn are_posted(&self, w: &mut Worker) -> Result<bool, CallFailure> {
        w.task.timer.post_if_due();
        if self.0.iter().any(|block| w.task.timer.is_at(*block)) {
            let looked = w
                .services
                .command(suspend::NUMBER, &CommandOperands::default());
            let reply = looked.map_err(|failure| CallFailure::Stop(failure.into()))?;
            if reply.operands.get_int(wait_event::ECADDR) == Some(1) {
                w.task.timer.post();
            }
        }
        // SAFETY: they were found readable, or are the call's own item, and the
        // program does not run meanwhile.
        let posted = |block: &*mut u8| unsafe { timer::is_posted(*block) };
        Ok(self.0.iter().any(posted))
    }

    /// Makes the call. A block that is posted while it waits ends it: RETCODE is
    /// 0 then, and no socket ready.
    pub fn ask_until_posted(
        &self,
        w: &mut Worker,
        request: &mut Request,
    ) -> Result<CallReply, CallFailure> {
        if self.0.is_empty() {
            return ask(w, request);
        }
        let [_, seconds, micros, _] = request.args;
        let until = match SelectTimeout::new(seconds, micros)? {
            SelectTimeout::Never => None,
            SelectTimeout::After(time) => Some(Instant::now() + time),
        };
        let mut slice = FIRST_LOOK;
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let mut time = left.map_or(slice, |left| left.min(slice));
            if let Some(due) = w.task.timer.remaining() {
                time = time.min(due);
            }
            request.args[1] = time.as_secs() as i64;
            request.args[2] = i64::from(time.subsec_micros());
            let reply = ask(w, request)?;
            let over = left.is_some_and(|left| left <= time);
            if reply.retcode > 0 || over || self.are_posted(w)? {
                return Ok(reply);
            }
            slice = (slice * 2).min(LAST_LOOK);
        }
    }
}
