//! The worker: one task at a time, its LINK levels, its way in and out.
//!
//! A level is entered through the C side and returns with a reason. XCTL
//! and an abend exit program repeat the level's loop with another program;
//! HANDLE ABEND LABEL repeats it with the same one. At a level's end the
//! storage of its programs is freed.
//!
//! Invariant: the state of a task is cleared when the next one
//! starts, and nothing on the way of a short task allocates.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use cics::abend;
use cics::eib::{EIB_BYTES, Eib};
use cics::resp::Condition;
use link::layout::{REQUEST_PIPELINE, REQUEST_STEPPED};
use link::stepping::StepPoint;
use link::terminal::TerminalData;
use link::trace::TraceWriter;
use link::{ContainerEntry, ProgramName, ProgramUses, Request, RunCounters, TransId, WorkerConfig};

use crate::abend::Abend;
use crate::channel::{ChannelId, TaskChannels};
use crate::clock::{Clock, ClockReading, monotonic_ns};
use crate::cob::{CobolRuntime, RunCode, StartError};
use crate::commands::terminal::TaskTerminal;
use crate::commands::{self, FetchedRecord};
use crate::conditions::FrameStack;
use crate::exec::{self, CommandStop, DispatchTable};
use crate::files::TaskFiles;
use crate::host::{ProgramId, ProgramTable, TakenInstance};
use crate::print;
use crate::services::{CrossingCounts, RegionFacts, SharedAreas, WorkerServices};
use crate::storage::TaskStorage;
use crate::timer::PostTimer;
use crate::transforms::TransformTable;
use crate::urp;

/// A worker: libcob, the program table and the task that runs.
pub struct Worker {
    pub(crate) rt: CobolRuntime,
    pub(crate) programs: ProgramTable,
    pub(crate) services: Box<dyn WorkerServices>,
    pub(crate) facts: RegionFacts,
    pub(crate) files: TaskFiles,
    pub(crate) dispatch: DispatchTable,
    pub(crate) clock: Clock,
    pub(crate) trace: TraceWriter,
    uses: ProgramUses,
    /// The names of hosts for programs.
    pub(crate) hosts: crate::eza::HostArea,
    /// Sockets of the task whose data it moves itself.
    pub(crate) sockets: crate::eza::OwnSockets,
    pub(crate) transforms: TransformTable,
    /// What is known of the maps of the task's terminal.
    pub(crate) maps: commands::KnownMaps,
    /// JSON and XML statements.
    pub(crate) markup: runtime::markup::StatementCache,
    pub(crate) task: Task,
}

/// The input of a program when it is entered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryArguments {
    pub commarea: *mut u8,
    pub bytes: usize,
    pub channel: Option<ChannelId>,
}

/// Why a level was left.
pub(crate) enum LevelExit {
    Returned,
    Again,
    Xctl(ProgramId, EntryArguments),
    AbendProgram([u8; 8]),
    Abend(Box<Abend>),
}

/// A LINK level.
pub(crate) struct LinkLevel {
    pub eib: Box<[u8; EIB_BYTES]>,
    pub name: [u8; 8],
    pub invoking: [u8; 8],
    pub passed: EntryArguments,
    /// Depth of its frame.
    pub base: i32,
    pub exit: LevelExit,
    quasi: bool,
    started: usize,
    taken: Vec<TakenInstance>,
}

/// The task that runs.
pub(crate) struct Task {
    pub number: u64,
    pub transid: [u8; 4],
    pub userid: [u8; 8],
    pub start_code: [u8; 2],
    /// The CICS program that links to the first program: that of an alias task or
    /// of a pipeline; blank for other tasks.
    pub linked_by: [u8; 8],
    pub priority: u8,
    /// The principal facility, blank for none.
    pub facility: [u8; 4],
    /// The principal facility, if it is a terminal.
    pub terminal: Option<TaskTerminal>,
    /// AID of the input that the command under way has received, as the data
    /// stream has it.
    pub key_read: Option<u8>,
    /// When it began; EIBTIME and EIBDATE.
    begun: ClockReading,
    levels: Vec<LinkLevel>,
    /// Levels in use.
    pub depth: usize,
    pub frames: FrameStack,
    pub channels: TaskChannels,
    pub storage: TaskStorage,
    /// What POST handed out.
    pub timer: PostTimer,
    pub abend: Option<Box<Abend>>,
    pub first_abend: [u8; 4],
    pub last_line: u32,
    pub next_transid: [u8; 4],
    /// `RESULT_RETURN` bits of a RETURN that the region carries out with the task's end.
    pub left_return: u32,
    /// It has ended a unit of work by a command.
    pub had_syncpoint: bool,
    /// No program of the task gets control back.
    pub over: bool,
    /// It runs step by step.
    pub stepped: bool,
    pub result: EntryArguments,
    pub counts: RunCounters,
    pub twa: Vec<u8>,
    /// The record that a file command last read.
    pub fetched: FetchedRecord,
    /// Programs that LOAD made addressable.
    pub loaded: Vec<[u8; 8]>,
    /// The web request that it serves, and the answer so far.
    pub web: crate::web::WebSide,
    /// What Language Environment services keep for the task.
    pub le: crate::le::ServiceSettings,
    /// The storage of calls of the API requester.
    pub requester: crate::baq::ApiAreas,
    /// The last time that ASKTIME stored into an item that was too small for it: the
    /// item's content, and the whole.
    pub cut_time: Option<(i64, i64)>,
    on_qr: bool,
}

/// How a task ended.
#[derive(Debug, Clone, Default)]
pub struct TaskEnd {
    /// The abend that ended it.
    pub abend: Option<Box<Abend>>,
    /// Transaction that RETURN TRANSID named, blank for none.
    pub next_transid: [u8; 4],
    /// `RESULT_RETURN` bits.
    pub left_return: u32,
    /// COMMAREA given back: its place in the arena and its bytes.
    pub commarea: (usize, usize),
    /// Name of the returned channel, blank for none.
    pub channel: [u8; 16],
    /// Answer to the web request: its place in the arena and its bytes.
    pub web: (usize, usize),
    /// Figures of the run.
    pub counts: RunCounters,
}

/// Most LINK levels of a task. Each level of a program that links to itself
/// takes an instance, with a descriptor and storage that stay.
const MAX_LEVELS: usize = 200;

static CURRENT: AtomicPtr<Worker> = AtomicPtr::new(std::ptr::null_mut());

/// The worker whose program is in control.
///
/// # Safety
/// To be called by handlers of the C side only, and the reference ends with
/// the handler.
pub(crate) unsafe fn current<'w>() -> Option<&'w mut Worker> {
    // SAFETY: `enter` stored a pointer from its exclusive reference, which it
    // does not use until the program is left.
    unsafe { CURRENT.load(Ordering::Relaxed).as_mut() }
}

impl Worker {
    /// Loads libcob and reads the configuration. Once a process, on the
    /// thread that will run the tasks.
    pub fn new(
        config: &WorkerConfig,
        services: Box<dyn WorkerServices>,
    ) -> Result<Self, StartError> {
        let rt = CobolRuntime::start(&exec::HANDLERS)?;
        Ok(Worker {
            programs: ProgramTable::new(config, &rt),
            rt,
            facts: RegionFacts {
                applid: *config.applid.as_bytes(),
                sysid: *config.sysid.as_bytes(),
                shared: SharedAreas::new(
                    services.shared().unwrap_or_default(),
                    config.cwa_bytes as usize,
                ),
                fc_qr_only: config.fc_qr_only,
                sockets: config.sockets,
                work_areas: work_areas(config),
            },
            services,
            files: TaskFiles::new(&config.files),
            dispatch: DispatchTable::new(),
            clock: Clock::default(),
            trace: TraceWriter::nowhere(),
            uses: ProgramUses::nowhere(),
            hosts: crate::eza::HostArea::default(),
            sockets: crate::eza::OwnSockets::default(),
            transforms: TransformTable::new(&config.transforms),
            maps: commands::KnownMaps::default(),
            markup: runtime::markup::StatementCache::default(),
            task: Task {
                storage: TaskStorage::bounded(config.confinement.task_bytes),
                ..Task::default()
            },
        })
    }

    /// Runs a task from its first program to its last. `entries` are the
    /// containers of its request.
    pub fn run_task(&mut self, request: &Request, entries: &[ContainerEntry]) -> TaskEnd {
        let crossed = self.services.crossings();
        let now = self.clock.now();
        let arena = self.services.arena();
        let (base, used) = (arena.base, request.commarea_bytes as usize);
        let mut passed = EntryArguments {
            commarea: std::ptr::null_mut(),
            bytes: used,
            channel: None,
        };
        if used > 0 {
            // SAFETY: the link checked that the COMMAREA is in the arena.
            passed.commarea = unsafe { base.add(request.commarea as usize) };
        }
        let task = &mut self.task;
        task.begin(request);
        if request.terminal_bytes > 0 {
            // SAFETY: the link's region wrote it into the arena.
            task.terminal = unsafe { terminal_at(base, request) };
            if task.stepped
                && let Some(terminal) = &mut task.terminal
            {
                // The debugger follows what is asked of the region.
                terminal.forget_input();
            }
        }
        task.web.begin(request);
        self.trace.begin_task(request.task, request.transid);
        task.counts.started_ns = now.monotonic_ns;
        task.begun = now;
        if request.flags & link::layout::REQUEST_CHANNEL != 0 {
            passed.channel = Some(task.channels.adopt(request.channel.as_bytes(), entries));
        }
        task.result = passed;
        let twa = self.facts.twa_bytes(&task.transid);
        task.twa.clear();
        task.twa.resize(twa, 0);
        let abend = match self.programs.runnable(request.program.as_bytes()) {
            Ok(program) => match urp::run(self, program) {
                Some(ended) => ended,
                None => self.run_level(program, passed),
            },
            Err(fault) => Some(Abend::new(
                abend::APCT,
                format!("program {} {fault}", request.program),
            )),
        };
        self.switch(false);
        self.end_task(abend, base, crossed)
    }

    /// Traces commands there from now on.
    pub fn set_trace(&mut self, trace: TraceWriter) {
        self.trace = trace;
    }

    /// Counts runs of programs there from now on.
    pub fn set_uses(&mut self, uses: ProgramUses) {
        self.uses = uses;
    }

    /// Makes lines with their task of what programs print; false when there
    /// is no memory for it.
    pub fn print_lines(&self) -> bool {
        self.rt.print_lines()
    }

    /// Hands on what the task has printed.
    pub fn flush(&self) {
        self.rt.flush();
    }

    /// What this worker asks others through.
    pub fn services(&mut self) -> &mut dyn WorkerServices {
        &mut *self.services
    }

    /// The containers that go back with the task that ended.
    pub fn result_containers(&self) -> &[ContainerEntry] {
        match self.task.result.channel {
            Some(channel) => self.task.channels.entries(channel),
            None => &[],
        }
    }

    fn end_task(
        &mut self,
        abend: Option<Box<Abend>>,
        base: *mut u8,
        crossed: CrossingCounts,
    ) -> TaskEnd {
        if self.task.stepped {
            let point = match abend {
                Some(_) => StepPoint::TaskAbends,
                None => StepPoint::TaskEnds,
            };
            self.step_end(point, abend.as_deref());
        }
        self.leave_last_command();
        self.files.end_task();
        self.task.storage.end_task();
        self.sockets.clear();
        self.markup.end_task();
        self.rt.end_task();
        let crossings = self.services.crossings();
        let task = &mut self.task;
        task.counts.region_calls = crossings.calls - crossed.calls;
        task.counts.call_wait_ns = crossings.wait_ns - crossed.wait_ns;
        task.counts.qr_wait_ns = crossings.qr_wait_ns - crossed.qr_wait_ns;
        task.counts.ended_ns = monotonic_ns();
        let result = task.result;
        let at = if result.bytes == 0 {
            0
        } else {
            result.commarea as usize - base as usize
        };
        TaskEnd {
            abend,
            next_transid: task.next_transid,
            left_return: task.left_return,
            commarea: (at, result.bytes),
            channel: result.channel.map_or([b' '; 16], |c| task.channels.name(c)),
            web: task.web.end(),
            counts: task.counts,
        }
    }

    /// Puts the command that the region has not been asked for among the results. Where
    /// there is no room, the region is asked now.
    fn leave_last_command(&mut self) {
        let Some(later) = self.services.take_later() else {
            return;
        };
        if !self.task.web.keep_bytes(&later, self.services.arena()) {
            self.services.ask_taken(&later);
        }
    }

    /// Whether LINK may enter the program in this worker.
    pub(crate) fn can_run(&self, program: ProgramId) -> bool {
        let def = self.programs.definition(program);
        def.fault().is_none() && def.module.is_some()
    }

    /// Whether the region has the program run by a guest, such as a script.
    fn is_guest(&self, program: ProgramId) -> bool {
        let def = self.programs.definition(program);
        def.fault().is_none() && def.module.is_none()
    }

    /// Runs a program at a new level. Returns the abend that ended it, if one
    /// did.
    pub(crate) fn run_level(
        &mut self,
        program: ProgramId,
        passed: EntryArguments,
    ) -> Option<Box<Abend>> {
        if self.task.depth == MAX_LEVELS {
            let why = format!("more than {MAX_LEVELS} programs have linked to one another");
            return Some(Abend::new(abend::ASRA, why));
        }
        self.task.open_level(self.rt.started());
        let mut next = (program, passed);
        let mut fresh = true;
        let end = loop {
            if self.is_guest(next.0) {
                break self.run_guest(next.0, next.1);
            }
            let entry = match self.prepare(next.0, next.1, fresh) {
                Ok(entry) => entry,
                Err(abend) => break Some(abend),
            };
            if fresh
                && self.task.stepped
                && let Some(abend) = self.step_program(StepPoint::ProgramBegins)
            {
                break Some(abend);
            }
            // SAFETY: the entry is the program's; its LINKAGE items are the
            // level's EIB and the COMMAREA it was given.
            unsafe { self.enter(entry) };
            fresh = true;
            match std::mem::replace(&mut self.task.level_mut().exit, LevelExit::Returned) {
                LevelExit::Returned if self.task.stepped => {
                    break self.step_program(StepPoint::ProgramEnds);
                }
                LevelExit::Returned => break None,
                LevelExit::Abend(abend) => break Some(abend),
                LevelExit::Again => {
                    self.task.frames.hand_over(self.task.level().base);
                    fresh = false;
                }
                LevelExit::Xctl(program, passed) => {
                    self.end_program();
                    next = (program, passed);
                }
                LevelExit::AbendProgram(name) => {
                    let passed = self.task.level().passed;
                    self.end_program();
                    match self.programs.runnable(&name) {
                        Ok(program) => next = (program, passed),
                        Err(_) => break self.task.abend.take(),
                    }
                }
            }
        };
        self.end_program();
        self.task
            .channels
            .end_level(self.task.depth, self.services.arena().heap);
        self.task.depth -= 1;
        if self.task.depth > 0 {
            print::begin_program(self.task.level().name);
            self.switch(self.task.level().quasi);
        }
        end
    }

    /// Has a guest run the level's program, as LINK does. Returns its abend.
    fn run_guest(&mut self, program: ProgramId, passed: EntryArguments) -> Option<Box<Abend>> {
        let name = *self.programs.definition(program).name.as_bytes();
        self.become_program(name, passed);
        self.task.level_mut().quasi = false;
        self.fill_eib();
        self.switch(false);
        let mut abend = match commands::link_elsewhere(self, &name, passed) {
            Ok(()) | Err(CommandStop::Leave) => return None,
            Err(CommandStop::Abend(abend)) => abend,
            Err(CommandStop::Condition(condition, resp2)) => {
                let shown = String::from_utf8_lossy(&name);
                let why = match condition {
                    Condition::PgmIdErr => format!("program {} is not there", shown.trim_end()),
                    other => format!("program {}: {other}, RESP2 {resp2}", shown.trim_end()),
                };
                Abend::new(abend::APCT, why)
            }
        };
        if abend.program == [b' '; 8] {
            abend.program = name;
        }
        Some(abend)
    }

    /// The level's program is another from now on.
    fn become_program(&mut self, name: [u8; 8], passed: EntryArguments) {
        let number = self.task.depth;
        let invoking = if number > 1 {
            self.task.levels[number - 2].name
        } else {
            self.task.linked_by
        };
        let level = self.task.level_mut();
        level.invoking = if level.name == [0; 8] {
            invoking
        } else {
            level.name
        };
        level.name = name;
        level.passed = passed;
    }

    fn prepare(
        &mut self,
        program: ProgramId,
        passed: EntryArguments,
        fresh: bool,
    ) -> Result<*mut c_void, Box<Abend>> {
        let def = self.programs.definition(program);
        let (name, quasi) = (*def.name.as_bytes(), !def.threadsafe);
        let number = self.task.depth;
        let base = self.rt.frame().0 + 1;
        if fresh {
            self.become_program(name, passed);
        }
        let level = self.task.level_mut();
        level.quasi = quasi;
        level.base = base;
        print::begin_program(level.name);
        let entry = self
            .programs
            .entry(program, number, &mut level.taken)
            .map_err(|e| {
                let mut abend = Abend::new(abend::APCT, e.to_string());
                abend.program = name;
                abend
            })?;
        if fresh {
            self.uses.count(ProgramName::from_bytes(name));
            self.fill_eib();
        }
        self.switch(quasi);
        Ok(entry)
    }

    fn fill_eib(&mut self) {
        let (time, date) = self.clock.eib(&self.task.begun);
        let number = self.task.depth;
        let above = (number > 1).then(|| *self.task.levels[number - 2].eib);
        let (transid, task_number) = (self.task.transid, self.task.number);
        let facility = self.task.facility;
        let key = self
            .task
            .terminal
            .as_ref()
            .map(|t| (t.data.aid, t.data.cursor));
        let level = self.task.level_mut();
        let bytes = level.passed.bytes;
        if let Some(above) = above {
            *level.eib = above;
        }
        let mut eib = Eib::new(&mut level.eib);
        if above.is_none() {
            eib.reset();
            eib.set_transid(&transid);
            eib.set_terminal(&facility);
            if let Some((aid, cursor)) = key {
                eib.set_aid(aid);
                eib.set_cursor(cursor);
            }
            eib.set_task_number((task_number % 10_000_000) as u32);
            eib.set_time(time);
            eib.set_date(date);
        }
        eib.set_commarea_length(bytes as u16);
    }

    /// # Safety
    /// `entry` is the entry of the current level's program.
    unsafe fn enter(&mut self, entry: *mut c_void) -> RunCode {
        let rt = self.rt;
        let level = self.task.level_mut();
        let eib = level.eib.as_mut_ptr();
        let commarea = level.passed.commarea;
        let me: *mut Worker = self;
        let before = CURRENT.swap(me, Ordering::Relaxed);
        // SAFETY: `self` is not used before the program is left, and handlers
        // reach it through the pointer that was derived from it.
        let code = unsafe { rt.run(entry, eib, commarea) };
        CURRENT.store(before, Ordering::Relaxed);
        code
    }

    /// Gives back the storage of what the level has run.
    fn end_program(&mut self) {
        let level = self.task.level_mut();
        self.rt.cancel_from(level.started);
        self.programs.give_back(&mut level.taken);
    }

    /// Goes to the quasi-reentrant or the open mode, counted when it changes.
    pub(crate) fn switch(&mut self, quasi: bool) {
        if self.task.on_qr == quasi {
            return;
        }
        self.task.on_qr = quasi;
        self.task.counts.mode_switches += 1;
        if quasi {
            self.services.qr_take();
        } else {
            self.services.qr_give();
        }
    }

    /// True while the task holds the QR token.
    pub(crate) fn on_qr(&self) -> bool {
        self.task.on_qr
    }
}

/// The attributes of the task's terminal from the region.
///
/// # Safety
/// `base` is the task's arena, and the request's extents are in it.
unsafe fn terminal_at(base: *const u8, request: &Request) -> Option<TaskTerminal> {
    // SAFETY: by the contract.
    let bytes = unsafe {
        let at = base.add(request.terminal as usize);
        std::slice::from_raw_parts(at, request.terminal_bytes as usize)
    };
    let data = TerminalData::parse(bytes)?;
    Some(TaskTerminal::new(data, TerminalData::input(bytes)))
}

/// The transactions that have a work area, in the order of their names.
fn work_areas(config: &WorkerConfig) -> Vec<(TransId, u32)> {
    let with_area = config.transactions.iter().filter(|t| t.twa_bytes > 0);
    let mut list: Vec<(TransId, u32)> = with_area.map(|t| (t.name, t.twa_bytes)).collect();
    list.sort_unstable();
    list
}

impl Task {
    fn begin(&mut self, request: &Request) {
        self.number = request.task;
        self.transid = *request.transid.as_bytes();
        self.userid = *request.userid.as_bytes();
        self.start_code = *request.start_code.as_bytes();
        self.linked_by = match (request.flags & REQUEST_PIPELINE, request.web_bytes) {
            (0, 0) => [b' '; 8],
            (0, _) => *b"DFHWBA  ",
            _ => *b"DFHPITP ",
        };
        self.priority = request.priority;
        self.facility = *request.facility.as_bytes();
        self.terminal = None;
        self.key_read = None;
        self.depth = 0;
        self.channels.clear();
        self.loaded.clear();
        self.le = crate::le::ServiceSettings::default();
        self.requester = crate::baq::ApiAreas::default();
        self.cut_time = None;
        self.timer.forget();
        self.abend = None;
        self.first_abend = [b' '; 4];
        self.last_line = 0;
        self.next_transid = [b' '; 4];
        (self.left_return, self.had_syncpoint) = (0, false);
        self.over = false;
        self.stepped = request.flags & REQUEST_STEPPED != 0;
        self.counts = RunCounters::default();
        self.on_qr = false;
    }

    /// Whether it has a terminal.
    pub fn has_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    fn open_level(&mut self, started: usize) {
        if self.levels.len() == self.depth {
            self.levels.push(LinkLevel {
                eib: Box::new([0; EIB_BYTES]),
                name: [0; 8],
                invoking: [b' '; 8],
                passed: EntryArguments::NOTHING,
                base: 0,
                exit: LevelExit::Returned,
                quasi: false,
                started: 0,
                taken: Vec::new(),
            });
        }
        self.depth += 1;
        let level = self.level_mut();
        level.started = started;
        level.name = [0; 8];
        level.exit = LevelExit::Returned;
    }

    /// The current level. Panics outside of a program.
    pub fn level(&self) -> &LinkLevel {
        &self.levels[self.depth - 1]
    }

    /// The current level. Panics outside of a program.
    pub fn level_mut(&mut self) -> &mut LinkLevel {
        &mut self.levels[self.depth - 1]
    }

    /// Name and EIB of the current level, or of the first one after its end.
    /// Blanks and nothing before the first program.
    pub fn last_level(&self) -> ([u8; 8], &[u8]) {
        let level = self.levels.get(self.depth.max(1) - 1);
        level.map_or(([b' '; 8], &[]), |level| (level.name, &level.eib[..]))
    }

    /// The level and the name of the program that gets control when the
    /// current one ends.
    pub fn return_program(&self) -> [u8; 8] {
        if self.depth > 1 {
            self.levels[self.depth - 2].name
        } else {
            *b"CICS    "
        }
    }
}

impl EntryArguments {
    /// No COMMAREA and no channel.
    pub const NOTHING: EntryArguments = EntryArguments {
        commarea: std::ptr::null_mut(),
        bytes: 0,
        channel: None,
    };
}

impl LinkLevel {
    /// The level's EIB.
    pub fn eib(&mut self) -> Eib<'_> {
        Eib::new(&mut self.eib)
    }

    /// An instance that CALL takes at this level belongs here.
    pub fn taken(&mut self) -> &mut Vec<TakenInstance> {
        &mut self.taken
    }
}

impl Default for Task {
    fn default() -> Self {
        Task {
            number: 0,
            transid: [b' '; 4],
            userid: [b' '; 8],
            start_code: [b' '; 2],
            linked_by: [b' '; 8],
            priority: 0,
            facility: [b' '; 4],
            terminal: None,
            key_read: None,
            begun: ClockReading::default(),
            levels: Vec::new(),
            depth: 0,
            frames: FrameStack::default(),
            channels: TaskChannels::default(),
            storage: TaskStorage::default(),
            timer: PostTimer::default(),
            abend: None,
            first_abend: [b' '; 4],
            last_line: 0,
            next_transid: [b' '; 4],
            left_return: 0,
            had_syncpoint: false,
            over: false,
            stepped: false,
            result: EntryArguments::NOTHING,
            counts: RunCounters::default(),
            twa: Vec::new(),
            fetched: FetchedRecord::default(),
            loaded: Vec::new(),
            web: crate::web::WebSide::default(),
            le: crate::le::ServiceSettings::default(),
            requester: crate::baq::ApiAreas::default(),
            cut_time: None,
            on_qr: false,
        }
    }
}
