//! Terminals of a simulated region: users who enter input, disconnect and return,
//! tasks that are started for terminals, and the data that the next task must get.
//!
//! Each task that saves data with RETURN saves its own number. A task that an input
//! begins must get the number that was saved last. After the death of the region it
//! may get the last number whose task got the answer that its unit is committed, or a
//! later one.
//!
//! Rules: no task begins while a unit in doubt changes the data that its terminal
//! keeps; afterwards the terminal has the data of the unit, or the data before it.

use cics::command::commands::{receive, ret, send, start};
use link::{CommandOperands, Name, TransId};

use super::SimWorld;
use super::decider::DecidingUnit;
use super::program::{self, call, key, number_in};
use crate::core::TaskKey;
use crate::kernel::{InternalStart, JobContinuation, StartEnd, StoreJob};
use crate::resources::facilities;
use crate::types::{FacilityDef, FacilityId, FacilityInput, FacilityLimits, InputRefused};
use base::SeededRandom;
use link::{CallOperation, WorkerCall};

/// Transactions that inputs begin: the data that the second saves outlive the region.
pub const ENTERED: [&str; 2] = ["TERM", "TKEP"];
/// Transaction of a START with a terminal.
pub const FOR_TERMINAL: &str = "TSTR";
/// The terminals; the last one belongs to a pool.
const NAMES: [&str; 3] = ["T001", "T002", "T003"];
const POOLED: usize = 2;
const USERS: [&str; 2] = ["ANNE", "BILL"];
/// Limits that histories reach.
pub const LIMITS: FacilityLimits = FacilityLimits {
    most: 4,
    bytes: 1 << 16,
    queued_starts: 3,
    queued_inputs: 2,
    kept_s: 86_400,
};

/// The data that the next task must get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ExpectedInput {
    #[default]
    Nothing,
    /// This number, and whether it outlives the region.
    Exactly(u64, bool),
    /// One of the numbers that the store may have.
    Any,
}

/// The change of a unit of work to the data saved at a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Conversation {
    /// The terminal.
    pub at: usize,
    before: ExpectedInput,
    after: ExpectedInput,
}

impl Conversation {
    /// The store decides from now on.
    pub fn region_died(&mut self) {
        (self.before, self.after) = (ExpectedInput::Any, ExpectedInput::Any);
    }

    /// The terminal disconnects: data in memory only are lost with either outcome.
    fn terminal_left(&mut self) {
        self.before = kept(self.before, self.at);
    }
}

/// A terminal.
#[derive(Debug, Clone, Default)]
struct Terminal {
    id: Option<FacilityId>,
    /// The start of the terminal's task.
    task: Option<u64>,
    left: ExpectedInput,
    /// The data kept until the terminal connects again.
    away: ExpectedInput,
    /// The data that its task got.
    given: ExpectedInput,
    /// An input began its task.
    entered: bool,
    /// The region has died since the terminal was connected.
    new_life: bool,
    /// The numbers that the store may have, the oldest first, by the task of the unit.
    stored: Vec<(TaskKey, Option<u64>)>,
}

/// All terminals.
#[derive(Debug, Clone)]
pub struct SimTerminals {
    all: [Terminal; 3],
    last_number: u64,
}

impl Default for SimTerminals {
    fn default() -> Self {
        let terminal = Terminal {
            stored: vec![(TaskKey::NO_TASK, None)],
            ..Terminal::default()
        };
        SimTerminals {
            all: [terminal.clone(), terminal.clone(), terminal],
            last_number: 0,
        }
    }
}

impl SimTerminals {
    /// A number that no task has left.
    pub fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// The terminal of a started task.
    pub fn of_start(&self, start: u64) -> Option<usize> {
        self.all.iter().position(|t| t.task == Some(start))
    }

    /// All terminals are connected and none has a task.
    pub fn is_idle(&self) -> bool {
        self.all.iter().all(|t| t.id.is_some() && t.task.is_none())
    }

    /// A unit of work was given to the store.
    pub fn note_job(&mut self, job: &StoreJob) {
        for (at, number) in saved_in(job) {
            self.all[at].stored.push((job.task, number));
        }
    }

    /// The kernel was informed that a unit is committed: earlier numbers are deleted.
    pub fn note_committed(&mut self, job: &StoreJob, stored: bool) {
        if !stored
            || !matches!(
                job.then,
                JobContinuation::Unit | JobContinuation::Applied(..)
            )
        {
            return;
        }
        for (at, number) in saved_in(job) {
            let list = &mut self.all[at].stored;
            if let Some(first) = list.iter().position(|s| *s == (job.task, number)) {
                list.drain(..first);
            }
        }
    }

    /// A unit of the task of `start` is committed: the data that its task got are used up.
    /// For a unit without other changes, this happens before the store has the unit, and
    /// also if the store refuses the unit.
    pub fn unit_committed(&mut self, start: Option<u64>) {
        if let Some(at) = start.and_then(|start| self.of_start(start)) {
            self.all[at].given = ExpectedInput::Nothing;
        }
    }

    /// The change of a unit of the task of `start` to the recoverable data of its terminal, if
    /// `returned` is the data of RETURN.
    pub fn changed_by(&self, start: u64, returned: Option<(u64, bool)>) -> Option<Conversation> {
        let at = self.of_start(start).filter(|at| *at != POOLED)?;
        let terminal = &self.all[at];
        let given = kept(terminal.given, at);
        let before = if given == ExpectedInput::Nothing {
            terminal.left
        } else {
            given
        };
        let after = match returned {
            Some((number, true)) => ExpectedInput::Exactly(number, true),
            _ => ExpectedInput::Nothing,
        };
        let replaces = returned.is_some() && kept(terminal.left, at) != ExpectedInput::Nothing;
        let changes =
            given != ExpectedInput::Nothing || after != ExpectedInput::Nothing || replaces;
        let mut conversation = Conversation { at, before, after };
        if terminal.id.is_none() {
            conversation.terminal_left();
        }
        changes.then_some(conversation)
    }

    /// The outcome of a unit that was in doubt is known.
    pub fn settled(&mut self, deciding: &DecidingUnit, committed: bool) {
        let alone = deciding.task == TaskKey::NO_TASK;
        let Some(conversation) = deciding.conversation.filter(|_| alone) else {
            return;
        };
        let Conversation { at, before, after } = conversation;
        let left = if committed { after } else { before };
        let terminal = &mut self.all[at];
        if terminal.id.is_some() {
            terminal.left = left;
        } else {
            terminal.away = kept(left, at);
        }
    }

    /// The region dies.
    pub fn region_died(&mut self) {
        for terminal in &mut self.all {
            *terminal = Terminal {
                new_life: true,
                stored: std::mem::take(&mut terminal.stored),
                ..Terminal::default()
            };
        }
    }
}

/// The data that a unit saves for terminals, or deletes.
fn saved_in(job: &StoreJob) -> Vec<(usize, Option<u64>)> {
    let rows = job.changes.changes_of(facilities::SAVED);
    let of = |(name, value): (&[u8], Option<&[u8]>)| {
        let at = NAMES.iter().position(|n| name.starts_with(n.as_bytes()));
        let number = value.map(|v| number_in(&facilities::saved_commarea(v)));
        (at.expect("a terminal"), number)
    };
    rows.map(of).collect()
}

impl SimWorld {
    /// A user enters input, connects or disconnects.
    pub(super) fn terminal_step(&mut self, calm: bool) {
        let at = self.random.below(NAMES.len() as u64) as usize;
        let Some(id) = self.terminals.all[at].id else {
            self.terminal_comes(at, calm);
            return;
        };
        if !calm && self.random.one_in(12) {
            self.terminal_leaves(at, id);
            return;
        }
        let state = self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| resources.facilities.state(cx, id))
        });
        let waits = state.expect("it is registered").waits;
        if calm && !waits {
            return;
        }
        let entered = FacilityInput {
            aid: 0x7D,
            cursor: at as u16,
            data: vec![b'x'; 1 + at],
            transid: Name::new(ENTERED[self.random.below(2) as usize]).expect("a name"),
            ..FacilityInput::default()
        };
        let taken = self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| {
                facilities::input(resources, cx, id, entered)
            })
        });
        if self.is_held(at) && self.terminals.all[at].task.is_none() {
            assert_eq!(taken, Err(InputRefused::InDoubt), "{at}");
        }
        self.report.entered += u64::from(taken.is_ok());
    }

    /// Whether a unit in doubt changes the data saved at a terminal.
    fn is_held(&self, at: usize) -> bool {
        self.model.deciding.values().any(|d| d.holds(at))
    }

    fn terminal_comes(&mut self, at: usize, calm: bool) {
        if self.terminals.all[at].task.is_some() {
            return;
        }
        let stranger = !calm && self.random.one_in(6);
        let def = FacilityDef {
            terminal: Name::new(NAMES[at]).expect("a name"),
            pooled: at == POOLED,
            userid: Name::new(USERS[usize::from(stranger)]).expect("a name"),
            read_timeout_ms: if at == 1 { 60 } else { 0 },
            ..FacilityDef::default()
        };
        let terminal = &mut self.terminals.all[at];
        let left = match (terminal.new_life, at == POOLED) {
            (_, true) => ExpectedInput::Nothing,
            (false, _) => terminal.away,
            (true, _) => ExpectedInput::Any,
        };
        terminal.left = if stranger {
            ExpectedInput::Nothing
        } else {
            left
        };
        let id = self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| {
                // Before a task begins at it.
                let id = facilities::register_only(resources, cx, def);
                id.expect("its name is free")
            })
        });
        let state = self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| resources.facilities.state(cx, id))
        });
        let state = state.expect("it is there");
        let found = !state.next_transid.is_blank();
        let held = self.is_held(at);
        assert!(state.in_doubt || !held, "{at}: a unit in doubt is not seen");
        let terminal = &mut self.terminals.all[at];
        match terminal.left {
            // Given when the outcome is known.
            _ if state.in_doubt => assert!(!found, "{at}: what is in doubt is given"),
            ExpectedInput::Nothing => assert!(!found, "{at}: what was left for another is given"),
            ExpectedInput::Exactly(..) => assert!(found, "{at}: what was left is lost"),
            ExpectedInput::Any => {
                let may_be = |there: bool| terminal.stored.iter().any(|s| s.1.is_some() == there);
                assert!(may_be(found), "{at}: found {found}, {:?}", terminal.stored);
                if !found {
                    terminal.left = ExpectedInput::Nothing;
                }
            }
        }
        if stranger {
            // The user leaves again without a change.
            terminal.left = ExpectedInput::Nothing;
            self.kernel(|k, now, out| {
                k.with(now, out, |resources, cx| {
                    facilities::close(resources, cx, id)
                });
            });
            return;
        }
        if found {
            self.report.recovered += 1;
        }
        terminal.id = Some(id);
        (terminal.new_life, terminal.away) = (false, ExpectedInput::Nothing);
        self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| {
                facilities::begin_waiting_work(resources, cx, id)
            });
        });
    }

    fn terminal_leaves(&mut self, at: usize, id: FacilityId) {
        let terminal = &mut self.terminals.all[at];
        terminal.id = None;
        // A terminal with a task is removed when the task ends.
        if terminal.task.is_none() {
            let left = std::mem::take(&mut terminal.left);
            terminal.away = kept(left, at);
        }
        if at == POOLED {
            self.model.terminal_gone(at);
        }
        for deciding in self.model.deciding.values_mut() {
            let conversation = deciding.conversation.as_mut();
            if let Some(conversation) = conversation.filter(|c| c.at == at) {
                conversation.terminal_left();
            }
        }
        self.kernel(|k, now, out| {
            k.with(now, out, |resources, cx| {
                facilities::close(resources, cx, id)
            });
        });
    }

    /// A task begins at a terminal. Returns the number of its START request, if it has one.
    pub(super) fn begins_at_terminal(&mut self, begun: &InternalStart) -> Option<u64> {
        let name = begun.facility.as_str();
        let at = NAMES.iter().position(|n| *n == name).expect("a terminal");
        let terminal = &mut self.terminals.all[at];
        assert_eq!(terminal.task, None, "{name} has a task already");
        let mut deciding = self.model.deciding.values();
        assert!(!deciding.any(|d| d.holds(at)), "{name} is held");
        terminal.task = Some(begun.id);
        terminal.given = ExpectedInput::Nothing;
        terminal.entered = begun.transid.as_str() != FOR_TERMINAL;
        if !terminal.entered {
            let interval = &self.kernel.resources.interval;
            let request = interval.name_of(begun.id).expect("a request");
            return Some(number_in(&request[1..]));
        }
        let got = (!begun.commarea.is_empty()).then(|| number_in(&begun.commarea));
        terminal.given = std::mem::take(&mut terminal.left);
        match terminal.given {
            ExpectedInput::Nothing => assert_eq!(got, None, "{name}"),
            ExpectedInput::Exactly(number, _) => assert_eq!(got, Some(number), "{name}"),
            ExpectedInput::Any => {
                let may_be = terminal.stored.iter().any(|s| s.1 == got);
                assert!(may_be, "{name} got {got:?} of {:?}", terminal.stored);
                // Now it is known.
                terminal.given =
                    got.map_or(ExpectedInput::Nothing, |n| ExpectedInput::Exactly(n, true));
            }
        }
        None
    }

    /// A started task has ended, or could not begin; `returned` is the data of its RETURN.
    pub(super) fn over_at_terminal(
        &mut self,
        start: u64,
        ended: &StartEnd,
        returned: Option<(u64, bool)>,
    ) {
        let Some(at) = self.terminals.of_start(start) else {
            return;
        };
        let terminal = &mut self.terminals.all[at];
        terminal.task = None;
        let returned = returned.map(|(number, keeps)| ExpectedInput::Exactly(number, keeps));
        match ended {
            StartEnd::Ran(None, _) => terminal.left = returned.unwrap_or(terminal.left),
            StartEnd::Ran(Some(_), _) => {}
            StartEnd::Refused(_) if terminal.entered => terminal.left = terminal.given,
            StartEnd::Refused(_) => {}
        }
        if terminal.id.is_some() {
            return;
        }
        let left = kept(std::mem::take(&mut terminal.left), at);
        if left != ExpectedInput::Nothing {
            // If `left` is nothing, the outcome of the task's last unit has set `away`.
            terminal.away = left;
        }
    }

    /// Whether the terminal of a task is connected.
    pub(super) fn has_terminal(&self, start: u64) -> bool {
        let at = self.terminals.of_start(start);
        at.is_some_and(|at| self.terminals.all[at].id.is_some())
    }
}

/// The data that are left when a terminal connects again.
fn kept(left: ExpectedInput, at: usize) -> ExpectedInput {
    match left {
        ExpectedInput::Exactly(_, true) | ExpectedInput::Any if at != POOLED => left,
        _ => ExpectedInput::Nothing,
    }
}

/// The steps of a task at a terminal.
pub fn script(random: &mut SeededRandom) -> Vec<program::TaskStep> {
    use program::TaskStep;
    let mut acts = Vec::new();
    if random.one_in(6) {
        acts.push(TaskStep::JoinDecider);
    }
    if random.one_in(2) {
        acts.push(TaskStep::Receive);
    }
    if random.one_in(2) {
        program::unit(random, &mut acts);
        if random.one_in(3) {
            acts.push(TaskStep::Syncpoint);
        }
    }
    if random.one_in(3) {
        acts.push(TaskStep::Send);
        acts.push(TaskStep::Receive);
        acts.push(TaskStep::Receive);
    }
    match random.below(8) {
        0 => acts.push(TaskStep::Abend),
        1 => {}
        2 | 3 => acts.push(TaskStep::Return(false)),
        _ => acts.push(TaskStep::Return(true)),
    }
    acts
}

/// RETURN TRANSID with a number in the COMMAREA.
pub fn return_call(number: u64, keeps: bool) -> WorkerCall {
    let operands = CommandOperands::new(1 << ret::TRANSID | 1 << ret::COMMAREA)
        .bytes(ret::TRANSID, ENTERED[usize::from(keeps)])
        .bytes(ret::COMMAREA, key(number));
    call(
        CallOperation::Command,
        [ret::NUMBER.into(), 0],
        operands.emit(),
    )
}

/// RECEIVE.
pub fn receive_call() -> WorkerCall {
    call(
        CallOperation::Command,
        [receive::NUMBER.into(), 0],
        CommandOperands::default().emit(),
    )
}

/// SEND.
pub fn send_call() -> WorkerCall {
    let operands = CommandOperands::new(1 << send::FROM).bytes(send::FROM, *b"a screen");
    call(
        CallOperation::Command,
        [send::NUMBER.into(), 0],
        operands.emit(),
    )
}

/// START for a terminal; with PROTECT if the request may outlive the region.
pub fn start_call(number: u64, at: usize, seconds: i64, protect: bool) -> WorkerCall {
    let mut options = 1 << start::TRANSID | 1 << start::AFTER | 1 << start::SECONDS;
    options |= 1 << start::TERMID | u128::from(protect) << start::PROTECT;
    let operands = CommandOperands::new(options)
        .bytes(start::TRANSID, FOR_TERMINAL)
        .int(start::SECONDS, seconds)
        .bytes(start::TERMID, NAMES[at])
        .bytes(start::REQID, format!("R{number:07}"));
    call(
        CallOperation::Command,
        [start::NUMBER.into(), 0],
        operands.emit(),
    )
}

/// A terminal for a START, and whether the START is protected.
pub fn choose(random: &mut SeededRandom) -> (usize, bool) {
    let at = random.below(NAMES.len() as u64) as usize;
    (at, at != POOLED && random.one_in(2))
}

/// The transactions of terminals, and whether their saved data outlive the region.
pub fn transactions() -> [(TransId, bool); 3] {
    [
        (ENTERED[0], false),
        (ENTERED[1], true),
        (FOR_TERMINAL, false),
    ]
    .map(|(name, keeps)| (Name::new(name).expect("a name"), keeps))
}
