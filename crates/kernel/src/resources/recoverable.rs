//! What the managers of recoverable queues share: the unit and the store under
//! it, and locks that last as long as the unit.

use cics::resp::Condition;
use store::{ReadError, ReadStore, UnitOfWork};

use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, LockLifetime, LockName, Request, log_unreadable,
};

/// The abend of a wait for a queue, or for space, that lasts too long or can
/// never end.
pub(super) const DEADLOCK: [u8; 4] = *b"AKCS";

/// A task's pending changes and the committed state under them.
pub(super) fn unit_and_store<'c>(
    cx: &'c mut KernelContext<'_>,
    task: TaskKey,
) -> Result<(&'c mut UnitOfWork, &'c mut (dyn ReadStore + Send)), CommandFailure> {
    let both = cx.unit_and_store(task);
    both.ok_or(CommandFailure::Condition(Condition::IoErr, 0))
}

/// What a queue command says when the store could not be read.
pub(super) fn unreadable(error: &ReadError) -> CommandFailure {
    match error {
        ReadError::Storage(error) => log_unreadable(error),
        other => tracing::error!(error = %other, "the store could not be read"),
    }
    CommandFailure::Condition(Condition::IoErr, 0)
}

/// Locks a name for the unit: `Some(true)` when it is new to the task, `None`
/// when the call ends with [`wait`].
pub(super) fn lock(
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: &LockName,
) -> Result<Option<bool>, CommandFailure> {
    cx.lock(request, name, LockLifetime::Unit, DEADLOCK)
}

/// The wait for such a lock.
pub(super) fn wait(cx: &mut KernelContext<'_>, request: &Request, name: LockName) -> CallResult {
    Ok(cx.wait_for_lock(request, name, DEADLOCK))
}
