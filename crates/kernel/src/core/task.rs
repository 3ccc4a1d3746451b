//! Tasks as data.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;

use cics::csd::InDoubt;
use link::{ContainerEntry, Name, ProgramName, Request, TransId, UserId};

use super::open::OpenSide;
use super::worker::WorkerSlot;
use super::{CHILDREN, REQUESTS, STARTS};
use crate::types::{Abend, StartRefusal, UserPoint, WaitTimes};

/// Identifies a task; the key of an ended task finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskKey {
    index: u32,
    generation: u32,
}

impl TaskKey {
    fn index(self) -> usize {
        self.index as usize
    }

    /// The key that no task has.
    pub const NO_TASK: TaskKey = TaskKey {
        index: u32::MAX,
        generation: u32::MAX,
    };

    /// A key that no task has, for a unit that outlives its task.
    pub fn detached(number: u32) -> TaskKey {
        TaskKey {
            index: number,
            generation: u32::MAX,
        }
    }

    /// The number of a unit of work without a task, if this is its key.
    pub fn unit_number(self) -> Option<u64> {
        (self.generation == u32::MAX).then(|| 1 << 63 | u64::from(self.index))
    }

    /// A key outside of any table, with its number, for simulations without a table.
    #[cfg(any(test, feature = "sim"))]
    pub fn simulated(index: u32) -> Self {
        TaskKey {
            index,
            generation: 0,
        }
    }

    /// The number of such a key.
    #[cfg(any(test, feature = "sim"))]
    pub fn simulated_number(self) -> u32 {
        self.index
    }

    /// A key of no table.
    #[cfg(any(test, feature = "sim"))]
    pub fn for_test(index: u32) -> Self {
        TaskKey {
            index,
            generation: 0,
        }
    }
}

/// The attributes of a request for a task.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskSpec {
    /// Transaction.
    pub transid: TransId,
    /// Program, blank for the transaction's.
    pub program: ProgramName,
    /// User of the task.
    pub userid: UserId,
    /// Trace id.
    pub trace_id: [u8; 16],
    /// Added to the transaction's priority.
    pub priority: u8,
    /// Bytes of input expected.
    pub expected_bytes: usize,
    /// Time limit in nanoseconds, 0 for the transaction's.
    pub timeout_ns: u64,
    /// Port that is notified of the end.
    pub port: usize,
    /// The region itself starts the task, under this number.
    pub start: Option<u64>,
    /// A parent may wait for it (RUN TRANSID).
    pub is_child: bool,
    /// It runs on a gateway thread and needs no place in a worker.
    pub open: bool,
}

/// A call of a task that is served outside of the kernel. Either the answer or a purge ends
/// the call, whichever takes it first; the other one is dropped.
#[derive(Debug, Clone, Default)]
pub struct OutsideCall(Arc<AtomicBool>);

impl OutsideCall {
    /// Takes the call. Returns true for the first caller only.
    pub fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Whether the call has not been taken.
    pub fn is_out(&self) -> bool {
        !self.0.load(Ordering::Acquire)
    }
}

/// The stage of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskStage {
    /// Waits for its class.
    WaitClass,
    /// Waits for MXT.
    WaitMxt,
    /// Admitted; waits for a place in a worker. It has a request if its worker was lost before
    /// the task started.
    WaitPlace,
    /// Rejected while it waited; the shell has not collected the refusal yet.
    Refused(StartRefusal),
    /// Its input is being written.
    Building,
    /// In a worker's slot, queued or running.
    Submitted,
    /// Runs on a gateway thread.
    Open,
    /// The worker is done; the unit of work is being ended.
    Ending,
    /// Over: its results are in the slot, or `abend` has the reason.
    Done,
}

/// One task.
#[derive(Debug)]
pub struct TaskState {
    /// Task number.
    pub number: u64,
    /// Transaction.
    pub transid: TransId,
    /// First program.
    pub program: ProgramName,
    /// User of the task.
    pub userid: UserId,
    /// The program's number in the definitions that admitted it.
    pub pace: Option<usize>,
    pub(super) generation: u64,
    pub(super) class: Option<usize>,
    pub(super) priority: u8,
    pub(super) runaway_ns: u64,
    /// SPURGE(YES): it may be purged, also by a wait that lasts too long.
    pub purgeable: bool,
    /// Nanoseconds that the task waits for a record lock; `None` for the
    /// region's.
    pub lock_timeout_ns: Option<u64>,
    /// ACTION, WAIT and WAITTIME of its transaction.
    pub in_doubt: InDoubt,
    pub(super) small: bool,
    /// The queue for a place that the task is in, while it waits for one.
    pub(super) queue: usize,
    /// Counted among its worker's slow tasks.
    pub(super) slow: bool,
    /// Port that is notified of the end.
    pub port: usize,
    /// Its stage.
    pub stage: TaskStage,
    /// Its place, from [`TaskStage::Building`] on.
    pub place: Option<WorkerSlot>,
    pub(super) sequence: u32,
    pub(super) request: Request,
    pub(super) has_request: bool,
    pub(super) losses: u32,
    /// Number of times that it was moved to another worker.
    pub moves: u32,
    /// Its waits in the region, by kind.
    pub waits: WaitTimes,
    /// Points of its program's own that it passed.
    pub user_points: Vec<UserPoint>,
    /// USERCORRDATA of its origin, empty for none.
    pub correlation: Box<[u8]>,
    pub(super) deadline: Option<u64>,
    /// It must end; the reason.
    pub purging: Option<&'static str>,
    /// No client waits for the end.
    pub abandoned: bool,
    /// The kernel has state of the task, so its end goes through the kernel.
    pub in_kernel: bool,
    /// It has made socket calls: the socket service is notified of its end.
    pub has_sockets: bool,
    /// Services that have served commands of it are notified of its end.
    pub has_services: bool,
    /// Its last call that was passed to a service outside of the kernel.
    pub outside: Option<OutsideCall>,
    /// The start that it comes from.
    pub start: Option<u64>,
    /// A parent may wait for it.
    pub(super) is_child: bool,
    /// Set if it runs on a gateway thread.
    pub open: Option<Box<OpenSide>>,
    /// It is the run of a program for this open task, whose number, unit of
    /// work and place among the active tasks it shares.
    pub run_of: Option<TaskKey>,
    /// CPU time of guests that its programs linked to, in nanoseconds.
    pub guest_cpu_ns: u64,
    /// It waits for a child.
    pub(super) lends: bool,
    /// Why it ended without results, or with results in spite of an abend.
    pub abend: Option<Abend>,
    /// When it was requested.
    pub begun: u64,
    /// When it got its place.
    pub placed: u64,
    /// When its input was complete.
    pub submitted: u64,
    /// When the end of its work in the worker was noticed.
    pub completion_ns: u64,
    /// When its unit of work was over.
    pub ended: u64,
    /// The waker for changes of the stage; owned by the shell.
    pub waker: Option<Waker>,
    /// A directory's memory, kept from task to task.
    pub entries: Vec<ContainerEntry>,
}

impl TaskState {
    /// Whether the task waits for a service outside of the kernel.
    pub fn waits_outside(&self) -> bool {
        self.outside.as_ref().is_some_and(OutsideCall::is_out)
    }

    /// A task with default values.
    pub(super) fn blank(now: u64) -> Self {
        TaskState {
            number: 0,
            transid: TransId::BLANK,
            program: ProgramName::BLANK,
            userid: UserId::BLANK,
            pace: None,
            generation: 0,
            class: None,
            priority: 0,
            runaway_ns: 0,
            purgeable: false,
            lock_timeout_ns: None,
            in_doubt: InDoubt::default(),
            small: true,
            queue: 0,
            slow: false,
            port: 0,
            stage: TaskStage::WaitPlace,
            place: None,
            sequence: 0,
            request: Request::default(),
            has_request: false,
            losses: 0,
            moves: 0,
            waits: WaitTimes::default(),
            user_points: Vec::new(),
            correlation: Box::default(),
            deadline: None,
            purging: None,
            abandoned: false,
            in_kernel: false,
            has_sockets: false,
            has_services: false,
            outside: None,
            start: None,
            is_child: false,
            open: None,
            run_of: None,
            guest_cpu_ns: 0,
            lends: false,
            abend: None,
            begun: now,
            placed: 0,
            submitted: 0,
            completion_ns: 0,
            ended: 0,
            waker: None,
            entries: Vec::new(),
        }
    }

    /// The task in the box of an ended task, with the memory of its directory, if there is
    /// one.
    #[inline]
    pub(super) fn boxed(mut self, spare: Option<Box<TaskState>>) -> Box<TaskState> {
        match spare {
            Some(mut spare) => {
                self.entries = std::mem::take(&mut spare.entries);
                *spare = self;
                spare
            }
            None => Box::new(self),
        }
    }

    /// Drops all buffers except the task's own memory and that of its directory.
    fn release_buffers(&mut self) {
        self.user_points = Vec::new();
        self.correlation = Box::default();
        self.outside = None;
        self.open = None;
        self.abend = None;
        self.waker = None;
        self.entries.clear();
    }

    /// The request's trace id.
    pub fn trace_id(&self) -> [u8; 16] {
        self.request.trace_id
    }

    /// Its principal facility, blank for none.
    pub fn facility(&self) -> Name<4> {
        self.request.facility
    }

    /// How it was started, as ASSIGN STARTCODE returns it.
    pub fn start_code(&self) -> [u8; 2] {
        *self.request.start_code.as_bytes()
    }

    /// Its priority, 0 to 255.
    pub fn priority(&self) -> u8 {
        self.priority
    }

    /// True before it is admitted.
    pub fn is_waiting(&self) -> bool {
        matches!(self.stage, TaskStage::WaitClass | TaskStage::WaitMxt)
            || (self.stage == TaskStage::WaitPlace && !self.has_request)
    }

    /// Whether the task counts as an active task. A run of a program for an open task does not count;
    /// its open task does.
    pub(super) fn counts(&self) -> bool {
        self.run_of.is_none()
    }

    /// The queue for MXT in which it waits.
    pub(super) fn mxt_queue(&self) -> usize {
        match self.start {
            _ if self.is_child => CHILDREN,
            Some(_) => STARTS,
            None => REQUESTS,
        }
    }

    /// The program's number when the definitions have not changed since.
    pub(super) fn pace_in(&self, generation: u64) -> Option<usize> {
        self.pace.filter(|_| self.generation == generation)
    }
}

/// All tasks. They are not moved, since a task has many fields.
#[derive(Debug, Default)]
pub struct TaskTable {
    rows: Vec<(u32, Option<Box<TaskState>>)>,
    free: Vec<u32>,
    /// Ended tasks, whose memory and directories' memory is reused.
    #[allow(clippy::vec_box, reason = "it is the boxes that are kept")]
    spare: Vec<Box<TaskState>>,
}

/// Most ended tasks whose memory is kept.
const SPARE: usize = 256;
/// Most entries of a directory whose memory is kept.
const SPARE_ENTRIES: usize = 256;

impl TaskTable {
    /// The memory of a task that is gone, for the next.
    pub fn spare(&mut self) -> Option<Box<TaskState>> {
        self.spare.pop()
    }

    /// Adds a task.
    pub fn insert(&mut self, task: Box<TaskState>) -> TaskKey {
        match self.free.pop() {
            Some(index) => {
                let row = &mut self.rows[index as usize];
                row.1 = Some(task);
                TaskKey {
                    index,
                    generation: row.0,
                }
            }
            None => {
                self.rows.push((0, Some(task)));
                TaskKey {
                    index: self.rows.len() as u32 - 1,
                    generation: 0,
                }
            }
        }
    }

    /// Removes a task.
    pub fn remove(&mut self, key: TaskKey) -> Option<Box<TaskState>> {
        let row = self.rows.get_mut(key.index())?;
        if row.0 != key.generation {
            return None;
        }
        let task = row.1.take()?;
        row.0 = row.0.wrapping_add(1);
        self.free.push(key.index);
        Some(task)
    }

    /// Removes a task and keeps its memory.
    pub fn forget(&mut self, key: TaskKey) {
        let Some(mut task) = self.remove(key) else {
            return;
        };
        if self.spare.len() < SPARE && task.entries.capacity() <= SPARE_ENTRIES {
            task.release_buffers();
            self.spare.push(task);
        }
    }

    /// Looks a task up.
    #[inline]
    pub fn get(&self, key: TaskKey) -> Option<&TaskState> {
        let row = self.rows.get(key.index())?;
        row.1.as_deref().filter(|_| row.0 == key.generation)
    }

    /// Looks a task up.
    #[inline]
    pub fn get_mut(&mut self, key: TaskKey) -> Option<&mut TaskState> {
        let row = self.rows.get_mut(key.index())?;
        if row.0 != key.generation {
            return None;
        }
        row.1.as_deref_mut()
    }

    /// All tasks.
    #[cfg(any(test, feature = "sim"))]
    pub fn iter(&self) -> impl Iterator<Item = &TaskState> {
        self.rows.iter().filter_map(|(_, task)| task.as_deref())
    }

    /// True when there is no task.
    pub fn is_empty(&self) -> bool {
        self.free.len() == self.rows.len()
    }

    /// Keys of all tasks.
    pub fn keys(&self) -> Vec<TaskKey> {
        let live = |(i, row): (usize, &(u32, Option<Box<TaskState>>))| {
            row.1.as_ref().map(|_| TaskKey {
                index: i as u32,
                generation: row.0,
            })
        };
        self.rows.iter().enumerate().filter_map(live).collect()
    }
}
