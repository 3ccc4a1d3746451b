//! The resources that tasks can name: one folder for each kind, all with the same structure.
//!
//! A resource manager has its state, its commands, and hooks for the ends of units and tasks and
//! for its alarms. To add one, write its folder and a row in [`managers!`] below. The rows of its
//! commands are in the command table; a worker sends a command by the number of the row, with the
//! operands by the index of their options.
//!
//! Commands of the region's services do not come here. Two more kinds are served by the shell,
//! outside of the kernel: conversations, each of which has a thread that waits for its partner,
//! and INQUIRE and SET, which also need tasks and definitions.

pub mod accounts;
pub mod children;
pub mod counters;
pub mod dump;
pub mod enqueue;
pub mod events;
pub mod facilities;
pub mod files;
pub mod interval;
pub mod journals;
pub mod operator;
pub mod outside;
mod recoverable;
#[cfg(test)]
mod reserve_tests;
pub mod spool;
pub mod storage;
pub mod system;
pub mod temporary_storage;
pub mod transient_data;
#[cfg(any(test, feature = "sim"))]
pub mod world;

use std::collections::HashMap;

use link::{CallAnswer, CallOperation, FileEntry, Name};
use store::{ReadError, ReadStore, Table, UnitOfWork};

pub use accounts::{AccountSums, GrowthAccount};

use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CallingTask, KernelContext, Request, ResourceManagers, SettleAction, StartEnd,
};
use crate::types::{FileKey, FileKind, KernelConfig, QueueDefinitions, RegionStatistics};

/// Serves a command of a task.
pub type CommandHandler = fn(&mut Resources, &mut KernelContext<'_>, &mut Request) -> CallResult;

/// A resource manager: its commands and hooks.
pub struct Manager {
    /// The commands that it serves, by the number of their row.
    pub commands: &'static [(u16, CommandHandler)],
    /// The tables that units of work change for it.
    pub tables: &'static [Table],
    /// A task that the region started is about to make its first call, to have a
    /// participant join, or to end without either: its first unit of work has
    /// begun.
    pub task_begun: fn(&mut Resources, &mut KernelContext<'_>, &CallingTask),
    /// Definitions come into force: at the start, and at each reload.
    pub define: fn(&mut Resources, &KernelConfig),
    /// A unit of work is over: committed, or backed out.
    pub unit_ended: fn(&mut Resources, &mut KernelContext<'_>, TaskKey, bool),
    /// A unit of work is prepared, or in doubt, and leaves its task: what is kept of
    /// it goes from the task's key to the other, under which it ends.
    pub unit_prepared: fn(&mut Resources, &mut KernelContext<'_>, TaskKey, TaskKey),
    /// The region has started, and a prepared unit of its last life waits under
    /// this key. Everything else is restored.
    pub unit_restored: fn(&mut Resources, &mut KernelContext<'_>, TaskKey, &UnitOfWork),
    /// A task is over; its unit of work was ended before.
    pub task_ended: fn(&mut Resources, &mut KernelContext<'_>, &CallingTask),
    /// An alarm that it set goes off.
    pub alarm: fn(&mut Resources, &mut KernelContext<'_>, u64),
    /// A START is due that names a terminal, by its number in interval control.
    pub start_waits: fn(&mut Resources, &mut KernelContext<'_>, Name<4>, u64),
    /// A task that the region started is over, or could not begin.
    pub start_ended: fn(&mut Resources, &mut KernelContext<'_>, u64, &StartEnd),
    /// What a task asked for a file is done.
    pub file_answered: fn(&mut Resources, &mut KernelContext<'_>, (FileKind, FileKey), &CallAnswer),
    /// The region has started: what is in the store comes back.
    pub restore: fn(&mut Resources, &mut KernelContext<'_>),
    /// The region ends normally: adds what the next start shall find.
    pub keep: fn(&mut Resources, &mut KernelContext<'_>, &mut UnitOfWork),
    /// Adds what it counts.
    pub count: fn(&Resources, &mut RegionStatistics),
}

impl Manager {
    /// A manager without commands and hooks.
    pub const IDLE: Manager = Manager {
        commands: &[],
        tables: &[],
        task_begun: |_, _, _| {},
        define: |_, _| {},
        unit_ended: |_, _, _, _| {},
        unit_prepared: |_, _, _, _| {},
        unit_restored: |_, _, _, _| {},
        task_ended: |_, _, _| {},
        alarm: |_, _, _| {},
        start_waits: |_, _, _, _| {},
        start_ended: |_, _, _, _| {},
        file_answered: |_, _, _, _| {},
        restore: |_, _| {},
        keep: |_, _, _| {},
        count: |_, _| {},
    };
}

/// Writes the structure of all managers' states and the list of managers. The
/// place in the list is what alarms name.
macro_rules! managers {
    ($($(#[$doc:meta])* $field:ident: $type:ident;)*) => {
        /// The states of all resource managers.
        #[derive(Default)]
        pub struct Resources {
            $($(#[$doc])* pub $field: $field::$type,)*
            commands: ServeTable,
        }

        /// All resource managers.
        const MANAGERS: &[Manager] = &[$($field::MANAGER,)*];

        #[allow(non_camel_case_types, reason = "named as the modules are")]
        enum Index { $($field,)* }

        $(impl $field::$type {
            /// Its place in the list, for alarms.
            #[allow(dead_code, reason = "not every manager sets alarms")]
            pub const INDEX: usize = Index::$field as usize;
        })*
    };
}

managers! {
    /// File control.
    files: RegionFiles;
    /// ENQ and DEQ.
    enqueue: EnqueueTable;
    /// Named counters.
    counters: CounterTable;
    /// Interval control: DELAY, START, RETRIEVE, CANCEL.
    interval: IntervalControl;
    /// POST and the waits for event control blocks.
    events: TaskPosts;
    /// The asynchronous API: RUN TRANSID and FETCH.
    children: ChildTasks;
    /// Journals.
    journals: JournalTable;
    /// The spool.
    spool: SpoolReports;
    /// Temporary storage.
    temporary_storage: TemporaryStorage;
    /// Transient data.
    transient_data: TransientData;
    /// Dumps of tasks.
    dump: DumpControl;
    /// Messages to the operator.
    operator: OperatorMessages;
    /// Shared storage.
    storage: SharedArea;
    /// INQUIRE and SET.
    system: SystemBrowses;
    /// Facilities that outlive tasks.
    facilities: FacilityTable;
    /// Accounts of what services keep for tasks.
    outside: OutsideAccounts;
}

/// The commands of all managers by number.
pub fn commands() -> impl Iterator<Item = (u16, CommandHandler)> {
    MANAGERS.iter().flat_map(|m| m.commands).copied()
}

/// What serves each command.
struct ServeTable(HashMap<u16, CommandHandler>);

impl Default for ServeTable {
    fn default() -> Self {
        ServeTable(commands().collect())
    }
}

/// The kernel over these managers.
pub type Kernel = crate::kernel::Kernel<Resources>;

/// Brings what a manager has in memory in line with the store, which has taken a
/// change over (`true`) or refused it.
type SettleFn = Box<dyn FnOnce(&mut Resources, &mut KernelContext<'_>, bool) + Send>;

/// What to do once the store has taken or refused a change.
fn settling(
    then: impl FnOnce(&mut Resources, &mut KernelContext<'_>, bool) + Send + 'static,
) -> SettleAction {
    let then: SettleFn = Box::new(then);
    SettleAction::new(then)
}

/// What is kept under one key is kept under another from now on.
fn hand_over<V>(kept: &mut HashMap<TaskKey, V>, from: TaskKey, to: TaskKey) {
    if let Some(value) = kept.remove(&from) {
        kept.insert(to, value);
    }
}

impl Resources {
    /// A disk has come down to its reserve, or has room again. Tasks that wait for
    /// room in queues look again.
    pub fn disk_changed(&mut self, cx: &mut KernelContext<'_>, is_short: bool) {
        cx.kernel.disk_is_short = is_short;
        if !is_short {
            cx.signal(temporary_storage::SPACE, b"");
        }
    }
}

impl ResourceManagers for Resources {
    fn tables() -> Vec<Table> {
        MANAGERS.iter().flat_map(|m| m.tables).copied().collect()
    }

    /// What is saved for the next input of terminals is not waited for.
    fn need_no_wait(changes: &UnitOfWork) -> bool {
        changes.is_in_tables(&[facilities::SAVED])
    }

    fn serve(&mut self, cx: &mut KernelContext<'_>, request: &mut Request) -> Option<CallResult> {
        let serve = match request.call.op {
            _ if request.of_job => files::serve_job,
            CallOperation::Command => *self.commands.0.get(&(request.call.args[0] as u16))?,
            _ => files::serve,
        };
        Some(serve(self, cx, request))
    }

    fn settle(&mut self, cx: &mut KernelContext<'_>, settle: SettleAction, stored: bool) {
        settle.into_inner::<SettleFn>()(self, cx, stored);
    }

    fn alarm(&mut self, cx: &mut KernelContext<'_>, manager: usize, number: u64) {
        (MANAGERS[manager].alarm)(self, cx, number);
    }

    fn task_begun(&mut self, cx: &mut KernelContext<'_>, caller: &CallingTask) {
        for manager in MANAGERS {
            (manager.task_begun)(self, cx, caller);
        }
    }

    fn task_ended(&mut self, cx: &mut KernelContext<'_>, caller: &CallingTask) {
        for manager in MANAGERS {
            (manager.task_ended)(self, cx, caller);
        }
    }

    fn unit_ended(&mut self, cx: &mut KernelContext<'_>, task: TaskKey, committed: bool) {
        for manager in MANAGERS {
            (manager.unit_ended)(self, cx, task, committed);
        }
    }

    fn unit_prepared(&mut self, cx: &mut KernelContext<'_>, task: TaskKey, to: TaskKey) {
        for manager in MANAGERS {
            (manager.unit_prepared)(self, cx, task, to);
        }
        // What has not gone with it is over.
        self.unit_ended(cx, task, true);
    }

    fn unit_restored(&mut self, cx: &mut KernelContext<'_>, key: TaskKey, changes: &UnitOfWork) {
        for manager in MANAGERS {
            (manager.unit_restored)(self, cx, key, changes);
        }
    }

    fn start_ended(&mut self, cx: &mut KernelContext<'_>, start: u64, ended: &StartEnd) {
        for manager in MANAGERS {
            (manager.start_ended)(self, cx, start, ended);
        }
    }

    fn file_answered(
        &mut self,
        cx: &mut KernelContext<'_>,
        file: (FileKind, FileKey),
        answer: &CallAnswer,
    ) {
        for manager in MANAGERS {
            (manager.file_answered)(self, cx, file, answer);
        }
    }

    fn restore(&mut self, cx: &mut KernelContext<'_>) {
        for manager in MANAGERS {
            (manager.restore)(self, cx);
        }
    }

    fn keep(&mut self, cx: &mut KernelContext<'_>, changes: &mut UnitOfWork) {
        for manager in MANAGERS {
            (manager.keep)(self, cx, changes);
        }
    }

    fn define_files(&mut self, reader: &mut dyn ReadStore, entries: &[FileEntry]) {
        self.files.define(reader, entries);
    }

    fn renumber_files(
        &self,
        reader: Option<&mut (dyn ReadStore + Send)>,
        entries: &[FileEntry],
    ) -> Vec<FileEntry> {
        let mut entries = self.files.renumber(entries);
        if let Some(reader) = reader {
            files::complete(reader, &mut entries);
        }
        entries
    }

    fn keep_ends(
        &mut self,
        reader: &mut dyn ReadStore,
        changes: &UnitOfWork,
    ) -> Result<(), ReadError> {
        self.files.keep_ends(reader, changes)
    }
}

impl Resources {
    /// Managers that hold nothing yet, with shared storage and a folder for dumps.
    pub fn new(storage: storage::SharedArea, dump: dump::DumpControl) -> Resources {
        Resources {
            storage,
            dump,
            ..Resources::default()
        }
    }

    /// Definitions come into force.
    pub fn define(&mut self, config: &KernelConfig) {
        for manager in MANAGERS {
            (manager.define)(self, config);
        }
        self.limit_accounts(&config.accounts);
    }

    /// A START is due that names a terminal.
    fn start_waits(&mut self, cx: &mut KernelContext<'_>, terminal: Name<4>, request: u64) {
        for manager in MANAGERS {
            (manager.start_waits)(self, cx, terminal, request);
        }
    }

    /// The queues, journals and models as they are defined now.
    pub fn queue_definitions(&self) -> QueueDefinitions {
        QueueDefinitions {
            models: self.temporary_storage.model_definitions().to_vec(),
            transient: self.transient_data.each().map(|q| q.def.clone()).collect(),
            journals: self.journals.models().to_vec(),
            enq_models: self.enqueue.model_definitions(),
        }
    }

    /// Adds what the managers count.
    pub fn count(&self, statistics: &mut RegionStatistics) {
        for manager in MANAGERS {
            (manager.count)(self, statistics);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::{CommandSupport, by_number};

    #[test]
    fn every_command_is_served_by_the_manager_that_its_row_names() {
        let numbers: Vec<u16> = commands().map(|(number, _)| number).collect();
        for number in &numbers {
            let row = by_number(*number).expect("a row of the command table");
            assert_eq!(row.served, CommandSupport::Region, "{}", row.name);
            let times = numbers.iter().filter(|n| *n == number).count();
            assert_eq!(times, 1, "{}", row.name);
        }
    }
}
