//! What the kernel asks of resource managers. It is given them and knows none by
//! its name: the table stands in `resources`.

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

    /// The store has taken what a command has changed by itself, or refused it.
    fn settle(&mut self, cx: &mut KernelContext<'_>, settle: SettleAction, stored: bool);

    /// An alarm goes off that a manager has set, by its place in the table.
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

    /// A unit of work of the region's last life waits under a key. All else is
    /// restored.
    fn unit_restored(&mut self, cx: &mut KernelContext<'_>, key: TaskKey, changes: &UnitOfWork);

    /// A task that the region started is over, or could not begin.
    fn start_ended(&mut self, cx: &mut KernelContext<'_>, start: u64, ended: &StartEnd);

    /// What a task asked for a file is done, and the task is about to be answered.
    fn file_answered(
        &mut self,
        cx: &mut KernelContext<'_>,
        file: (FileKind, FileKey),
        answer: &CallAnswer,
    );

    /// The region starts over what is committed.
    fn restore(&mut self, cx: &mut KernelContext<'_>);

    /// The region ends normally: adds what the next start must find.
    fn keep(&mut self, cx: &mut KernelContext<'_>, changes: &mut UnitOfWork);

    /// Takes the definitions of files over.
    fn define_files(&mut self, reader: &mut dyn ReadStore, entries: &[FileEntry]);

    /// Puts definitions of files in the order of those in force, with what the
    /// store knows of them, where there is one.
    fn renumber_files(
        &self,
        reader: Option<&mut (dyn ReadStore + Send)>,
        entries: &[FileEntry],
    ) -> Vec<FileEntry>;

    /// Keeps the addresses that changes have at the ends of files from being given
    /// once more.
    ///
    /// # Errors
    /// A file could not be read.
    fn keep_ends(
        &mut self,
        reader: &mut dyn ReadStore,
        changes: &UnitOfWork,
    ) -> Result<(), ReadError>;
}

/// What a manager does in memory once the store has taken or refused a change of
/// no unit. The kernel carries it and does not look into it.
pub struct SettleAction(Box<dyn Any + Send>);

impl SettleAction {
    /// Something for the managers.
    pub fn new<T: Any + Send>(what: T) -> SettleAction {
        SettleAction(Box::new(what))
    }

    /// What it was made of. Panics if that is of another type: managers make and
    /// read only one.
    pub fn into_inner<T: Any>(self) -> T {
        let inner = self.0.downcast::<T>();
        *inner.expect("managers read what they have made")
    }
}
