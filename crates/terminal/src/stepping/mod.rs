//! Stepping through tasks at a terminal, as CEDF does.
//!
//! A worker reports each point of a stepped task as a command. The report waits
//! here until the user of the debugging terminal continues; the answer says what
//! the task does next. The debugging terminal may be the task's own: its screens
//! are then interleaved with those of the program, which are kept meanwhile.
//!
//! Invariant: the table's lock is not held while a command is answered. A task
//! that is purged, or whose debugging terminal leaves, continues without reports.
//! Reference: CICS application programming, "Execution diagnostic facility".

mod saved;
mod screens;
mod session;
mod stops;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use link::CallAnswer;
use link::stepping::{StepAction, StepAnswer, StepReport};
use region::{FacilityId, Handle, Name, ServiceCommand, TransId};
use tn3270::InboundRecord;

use crate::page::PageTables;
pub use saved::SavedScreen;
use session::{SessionStep, StepSession};

/// A terminal and its number.
type StepPlace<'a> = (FacilityId, &'a dyn StepDisplay);

/// Which tasks are stepped through, and where.
#[derive(Debug, Default)]
pub struct StepTable(Mutex<StepState>);

#[derive(Debug, Default)]
struct StepState {
    /// The debugging terminal of the tasks of a terminal, with that one's name.
    terminals: HashMap<FacilityId, (FacilityId, Name<4>)>,
    /// The debugging terminal of tasks of a transaction without a terminal.
    transactions: HashMap<TransId, FacilityId>,
    /// The sessions of debugging terminals.
    sessions: HashMap<FacilityId, StepSession>,
    /// Number of the last report.
    reports: u64,
}

/// A terminal as the debugger uses it.
pub trait StepDisplay: Debug + Send + Sync {
    /// Its identifier, once it has one.
    fn terminal(&self) -> Option<Name<4>>;
    /// Its code page.
    fn page(&self) -> Arc<PageTables>;
    /// Keeps what programs show from now on.
    fn begin_saving(&self);
    /// Shows the user's own screen again and keeps it no more.
    fn end_saving(&self);
    /// Shows another screen in the place of the user's own.
    fn cover(&self, record: &[u8]);
    /// Shows the user's own screen again if another is in its place.
    fn uncover(&self);
    /// The user has entered something on a screen of a program.
    fn note_input(&self, record: &InboundRecord<'_>);
    /// Whether the user has not acknowledged what a program has written.
    fn shows_program_output(&self) -> bool;
    /// Whether the task waits for an input of the user.
    fn awaits_input(&self) -> bool;
    /// The user has pressed a key, which locks the keyboard.
    fn note_locked(&self);
    /// Unlocks the keyboard if no output has.
    fn unlock(&self);
}

/// Answers a report.
pub fn finish(command: ServiceCommand, answer: &StepAnswer) {
    command.answer(&CallAnswer::of_data(answer.emit().emit()));
}

impl StepTable {
    /// The debugging terminal of a task, by what it reports.
    pub fn console(&self, command: &ServiceCommand) -> Option<FacilityId> {
        self.lock().console(command)
    }

    /// A worker reports where its task is. Returns the number of the report if it
    /// waits for the user.
    pub fn report(
        &self,
        (console, display): (FacilityId, Arc<dyn StepDisplay>),
        applid: &str,
        mut command: ServiceCommand,
    ) -> Option<u64> {
        let Some(report) = StepReport::parse(&command.operands) else {
            finish(command, &StepAnswer::of(StepAction::Finish));
            return None;
        };
        let own = command.facility == Some(console);
        let mut table = self.lock();
        let session = table
            .sessions
            .entry(console)
            .or_insert_with(|| StepSession::new(display, applid.to_owned()));
        let action = if !session.takes(&command) {
            // Another task is stepped through there.
            Some(StepAction::Finish)
        } else if session.passes(&command, &report, own) {
            Some(StepAction::Continue)
        } else {
            None
        };
        command.report_end();
        if let Some(action) = action {
            drop(table);
            finish(command, &StepAnswer::of(action));
            return None;
        }
        command.later();
        table.reports += 1;
        let number = table.reports;
        if let Some(session) = table.sessions.get_mut(&console) {
            session.wait(command, report, number);
        }
        Some(number)
    }

    /// Ends the stepping of a task if a report still waits.
    pub fn give_up(&self, console: FacilityId, number: u64) {
        let waiting = {
            let mut table = self.lock();
            let session = table.sessions.get_mut(&console);
            session.and_then(|session| session.give_up(number))
        };
        if let Some(command) = waiting {
            finish(command, &StepAnswer::of(StepAction::Finish));
        }
    }

    /// Tasks of a terminal are stepped through at the console from the next one on,
    /// or no more.
    pub fn set_terminal(
        &self,
        region: &Handle,
        console: StepPlace<'_>,
        of: StepPlace<'_>,
        on: bool,
    ) {
        let Some(name) = of.1.terminal() else {
            return;
        };
        let waiting = if on {
            console.1.begin_saving();
            let entry = (console.0, name);
            self.lock().terminals.insert(of.0, entry);
            None
        } else {
            let mut table = self.lock();
            let old = table.terminals.remove(&of.0);
            old.and_then(|(at, _)| table.end_session(at))
        };
        region.step_terminal(name, on);
        if let Some(command) = waiting {
            finish(command, &StepAnswer::of(StepAction::Finish));
        }
        self.end_saving(console);
    }

    /// The same for tasks of a transaction that have no terminal.
    pub fn set_transaction(&self, region: &Handle, console: StepPlace<'_>, of: TransId, on: bool) {
        let waiting = if on {
            console.1.begin_saving();
            self.lock().transactions.insert(of, console.0);
            None
        } else {
            let mut table = self.lock();
            let old = table.transactions.remove(&of);
            old.and_then(|at| table.end_session(at))
        };
        region.step_transaction(of, on);
        if let Some(command) = waiting {
            finish(command, &StepAnswer::of(StepAction::Finish));
        }
        self.end_saving(console);
    }

    /// The user of a terminal has entered something. Returns whether it was for the
    /// debugger.
    pub fn input(&self, region: &Handle, console: FacilityId, bytes: &[u8]) -> bool {
        let mut table = self.lock();
        let Some(session) = table.sessions.get_mut(&console).filter(|s| s.takes_input()) else {
            return false;
        };
        session.display().note_locked();
        let Ok(record) = InboundRecord::parse(bytes, u16::MAX) else {
            session.display().unlock();
            return true;
        };
        if !session.is_waiting() {
            session.acknowledge(&record);
            return true;
        }
        let step = session.input(&record);
        let display = session.display().clone();
        let ended = match &step {
            SessionStep::Stay => return true,
            SessionStep::Answer(_, answer) => answer.action == StepAction::Finish,
            SessionStep::Close(..) => true,
        };
        let mut off = Vec::new();
        if ended {
            table.sessions.remove(&console);
            table.terminals.retain(|of, (at, name)| {
                let own = *at == console && *of == console;
                off.extend(own.then_some(*name));
                !own
            });
        }
        drop(table);
        for name in off {
            region.step_terminal(name, false);
        }
        if ended {
            display.uncover();
            self.end_saving((console, &*display));
        }
        let (SessionStep::Answer(command, answer) | SessionStep::Close(command, answer)) = step
        else {
            return true;
        };
        finish(command, &answer);
        true
    }

    /// A task is over.
    pub fn task_ended(&self, task: u64) {
        let mut table = self.lock();
        for session in table.sessions.values_mut() {
            session.task_ended(task);
        }
    }

    /// A terminal has left: its tasks, and those that it debugs, run without
    /// reports.
    pub fn terminal_left(&self, region: &Handle, id: FacilityId) {
        let mut table = self.lock();
        let waiting = table.end_session(id);
        let mut off = (Vec::new(), Vec::new());
        table.terminals.retain(|of, (at, name)| {
            let stays = *of != id && *at != id;
            off.0.extend((!stays).then_some(*name));
            stays
        });
        table.transactions.retain(|transid, at| {
            off.1.extend((*at == id).then_some(*transid));
            *at != id
        });
        drop(table);
        for name in off.0 {
            region.step_terminal(name, false);
        }
        for transid in off.1 {
            region.step_transaction(transid, false);
        }
        if let Some(command) = waiting {
            finish(command, &StepAnswer::of(StepAction::Finish));
        }
    }

    /// A terminal that debugs nothing more keeps no screen.
    fn end_saving(&self, console: StepPlace<'_>) {
        let used = {
            let table = self.lock();
            let terminals = table.terminals.values().any(|(at, _)| *at == console.0);
            terminals || table.transactions.values().any(|at| *at == console.0)
        };
        if !used {
            console.1.end_saving();
        }
    }

    fn lock(&self) -> MutexGuard<'_, StepState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StepState {
    /// Where a task is stepped through.
    fn console(&self, command: &ServiceCommand) -> Option<FacilityId> {
        match command.facility {
            Some(id) => self.terminals.get(&id).map(|(at, _)| *at),
            None => self.transactions.get(&command.transid).copied(),
        }
    }

    /// Ends the session of a debugging terminal. Returns the waiting report.
    fn end_session(&mut self, console: FacilityId) -> Option<ServiceCommand> {
        let mut session = self.sessions.remove(&console)?;
        session.take_command()
    }
}
