//! The interface between the kernel and the resource managers. The kernel does not know them
//! by name: their table is in `resources`.

use std::any::Any;

use link::{CallAnswer, FileEntry};
use store::{ReadError, ReadStore, Table, UnitOfWork};

use super::{CallResult, CallingTask, KernelContext, Request, StartEnd};
use crate::core::TaskKey;
use crate::types::{FileKey, FileKind};

/// The resource managers of a region.
pub trait ResourceManagers {
    /// The tables that units of work change.
    fn tables() -> Vec<Table>;

    /// Whether a task need not wait until these changes are in the store.
    fn need_no_wait(changes: &UnitOfWork) -> bool;

    /// Serves a call of a task. Returns `None` if no manager serves it.
    fn serve(&mut self, cx: &mut KernelContext<'_>, request: &mut Request) -> Option<CallResult>;

    /// The store has accepted or refused the changes of a single command.
    fn settle(&mut self, cx: &mut KernelContext<'_>, settle: SettleAction, stored: bool);

    /// A manager's alarm goes off; `manager` is its index in the table.
    fn alarm(&mut self, cx: &mut KernelContext<'_>, manager: usize, number: u64);

    /// A task that the region started begins its first unit of work.
    fn task_begun(&mut self, cx: &mut KernelContext<'_>, caller: &CallingTask);

    /// A task is over; its unit of work was ended before.
    fn task_ended(&mut self, cx: &mut KernelContext<'_>, caller: &CallingTask);

    /// A unit of work is over: committed, or backed out.
    fn unit_ended(&mut self, cx: &mut KernelContext<'_>, task: TaskKey, committed: bool);

    /// A unit of work is prepared, or in doubt, and leaves its task for another
    /// key.
    fn unit_prepared(&mut self, cx: &mut KernelContext<'_>, task: TaskKey, to: TaskKey);

    /// A unit of work of the region's last run waits under a key. Everything else is restored.
    fn unit_restored(&mut self, cx: &mut KernelContext<'_>, key: TaskKey, changes: &UnitOfWork);

    /// A task that the region started is over, or could not begin.
    fn start_ended(&mut self, cx: &mut KernelContext<'_>, start: u64, ended: &StartEnd);

    /// A task's file request is complete, and the task is about to be answered.
    fn file_answered(
        &mut self,
        cx: &mut KernelContext<'_>,
        file: (FileKind, FileKey),
        answer: &CallAnswer,
    );

    /// The region starts with the committed state.
    fn restore(&mut self, cx: &mut KernelContext<'_>);

    /// The region ends normally: adds the changes that the next start needs.
    fn keep(&mut self, cx: &mut KernelContext<'_>, changes: &mut UnitOfWork);

    /// Takes the definitions of files over.
    fn define_files(&mut self, reader: &mut dyn ReadStore, entries: &[FileEntry]);

    /// Puts definitions of files in the order of those in force, with the store's attributes if
    /// there is a store.
    fn renumber_files(
        &self,
        reader: Option<&mut (dyn ReadStore + Send)>,
        entries: &[FileEntry],
    ) -> Vec<FileEntry>;

    /// Reserves the addresses that changes have at the ends of files, so that they are not
    /// assigned again.
    ///
    /// # Errors
    /// A file could not be read.
    fn keep_ends(
        &mut self,
        reader: &mut dyn ReadStore,
        changes: &UnitOfWork,
    ) -> Result<(), ReadError>;
}

/// An action of a manager in memory after the store has accepted or refused a change of no
/// unit. The kernel passes it on without examining it.
pub struct SettleAction(Box<dyn Any + Send>);

impl SettleAction {
    /// An action for the managers.
    pub fn new<T: Any + Send>(what: T) -> SettleAction {
        SettleAction(Box::new(what))
    }

    /// The wrapped value. Panics if it has another type: managers make and read only one.
    pub fn into_inner<T: Any>(self) -> T {
        let inner = self.0.downcast::<T>();
        *inner.expect("managers read the type that they make")
    }
}
