//! RECEIVE, SEND and CONVERSE on the task's terminal, as data streams.
//!
//! The region has the terminal's input and output. Input longer than the
//! program's area is cut with LENGERR, or with NOTRUNCATE continues at the next
//! RECEIVE. Each input sets EIBAID and EIBCPOSN, also one without
//! data, and a label of HANDLE AID is taken after the command.
//!
//! Reference: CICS API reference, RECEIVE (3270 logical), SEND (3270 logical),
//! CONVERSE (3270 logical), HANDLE AID.

use cics::command::commands::{converse as converse_row, receive as row, send as send_row};
use cics::resp::Condition;
use link::terminal::{
    INPUT_AID, INPUT_CURSOR, INPUT_TAKEN, MapOutcome, MappedInput, ONLY_REPORT, PreparedInput,
    SIGNAL_RECEIVED, TerminalData,
};
use link::{CommandOperands, OperandValue};

use super::conversation::{ConversationOptions, from};
use super::forward;
use super::record::DataTarget;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

/// Map set and map.
pub type MapName = ([u8; 8], [u8; 8]);

/// The task's terminal.
#[derive(Debug, Default)]
pub struct TaskTerminal {
    /// The terminal's attributes from the region.
    pub data: TerminalData,
    /// The input that began the task, until a command takes it.
    given: Option<Vec<u8>>,
    /// What the door has prepared of it.
    prepared: Vec<u8>,
    /// A command has taken it, and the region does not know that yet.
    taken: bool,
    /// What is left of an input after a RECEIVE with NOTRUNCATE.
    rest: Vec<u8>,
    /// The input that began the task was not received yet.
    unread: bool,
    /// The task has sent something.
    sent: bool,
    /// Map set and map that it has sent last.
    pub sent_map: Option<MapName>,
    /// ATTN came before the command that is being served.
    signal: bool,
}

impl TaskTerminal {
    /// A terminal with the input that began the task, if its worker has that.
    pub fn new(data: TerminalData, given: Option<(&[u8], &[u8])>) -> Self {
        TaskTerminal {
            data,
            given: given.map(|(input, _)| input.to_vec()),
            prepared: given.map_or(Vec::new(), |(_, prepared)| prepared.to_vec()),
            taken: false,
            rest: Vec::new(),
            unread: data.aid != 0,
            sent: false,
            sent_map: None,
            signal: false,
        }
    }
}

impl TaskTerminal {
    /// Has commands ask the region for the input that began the task.
    pub fn forget_input(&mut self) {
        self.given = None;
        self.prepared = Vec::new();
    }

    /// The input that began the task, mapped by a map of this name, if no command has
    /// taken it.
    fn mapped(&self, set: [u8; 8], map: [u8; 8]) -> Option<MappedInput<'_>> {
        self.given.as_ref()?;
        let mapped = PreparedInput::parse(&self.prepared)?.mapped?;
        let same = *mapped.set.as_bytes() == set && *mapped.map.as_bytes() == map;
        same.then_some(mapped)
    }

    /// Counts the changes of the region's maps; `None` where a task was not begun by an
    /// input, or runs step by step.
    pub fn maps(&self) -> Option<u32> {
        PreparedInput::parse(&self.prepared).map(|prepared| prepared.maps)
    }
}

/// Takes the input that began the task as the door has mapped it, if it has by this
/// map. EIBAID and EIBCPOSN are set as by any input.
pub fn take_mapped(w: &mut Worker, set: [u8; 8], map: [u8; 8]) -> Option<(MapOutcome, Vec<u8>)> {
    let mapped = w.task.terminal.as_ref()?.mapped(set, map)?;
    let taken = (mapped.outcome, mapped.area.to_vec());
    take_given(w)?;
    Some(taken)
}

/// SET TERMINAL: may change which letters of an input become capitals.
pub fn set_terminal(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if let Some(terminal) = &mut w.task.terminal
        && let Some(maps) = terminal.maps()
    {
        terminal.prepared = PreparedInput { maps, mapped: None }.emit();
    }
    forward::serve(w, call)
}

/// The input that began the task, if no command has taken it. EIBAID and EIBCPOSN are
/// set as by any input.
pub fn take_given(w: &mut Worker) -> Option<Vec<u8>> {
    let terminal = w.task.terminal.as_mut()?;
    let data = terminal.given.take()?;
    (terminal.taken, terminal.unread) = (true, false);
    let (aid, cursor) = (terminal.data.aid, terminal.data.cursor);
    let mut eib = w.task.level_mut().eib();
    eib.set_aid(aid);
    eib.set_cursor(cursor);
    w.task.key_read = Some(aid);
    Some(data)
}

/// Operands that report to the region that a command has taken the input that began
/// the task, unless the region knows.
pub fn report_taken(w: &mut Worker, mut operands: CommandOperands) -> CommandOperands {
    let terminal = w.task.terminal.as_mut();
    if terminal.is_some_and(|terminal| std::mem::take(&mut terminal.taken)) {
        operands.push(INPUT_TAKEN, OperandValue::Int(1));
    }
    operands
}

/// Leaves the terminal's input to the region, before something else than a program of
/// this worker runs for the task.
pub fn hand_over_input(w: &mut Worker) -> CommandResult {
    let Some(terminal) = &mut w.task.terminal else {
        return Ok(());
    };
    terminal.given = None;
    if std::mem::take(&mut terminal.taken) {
        let report = CommandOperands::default().int(INPUT_TAKEN, ONLY_REPORT);
        w.services.command(row::NUMBER, &report)?;
    }
    Ok(())
}

/// Whether a command is meant for the task's terminal.
pub fn is_for(w: &Worker, call: &CommandCall<'_>, named: &ConversationOptions) -> bool {
    let elsewhere = call.has(named.convid) || named.session.is_some_and(|option| call.has(option));
    w.task.terminal.is_some() && !elsewhere
}

/// Notes an output: it releases the input that began the task, so that the next
/// RECEIVE waits for the user.
pub fn note_output(w: &mut Worker) {
    if let Some(terminal) = &mut w.task.terminal {
        terminal.sent = true;
    }
}

/// Drops the input that began the task if an output came before any RECEIVE.
pub fn drop_released_input(w: &mut Worker) -> CommandResult {
    let Some(terminal) = &mut w.task.terminal else {
        return Ok(());
    };
    let released = terminal.unread && terminal.sent;
    if released && terminal.given.take().is_some() {
        (terminal.unread, terminal.taken) = (false, true);
        return Ok(());
    }
    terminal.unread = false;
    if released {
        // An input exists, so the command does not wait.
        let reply = w
            .services
            .command(row::NUMBER, &CommandOperands::default())?;
        // ATTN may have come before the program asks.
        note_signal(w, &reply);
    }
    Ok(())
}

pub(super) fn receive(
    w: &mut Worker,
    call: &CommandCall<'_>,
    target: &DataTarget,
) -> CommandResult {
    if call.has(row::BUFFER) {
        return condition(Condition::InvReq, 0);
    }
    let (limit, flags) = target.wanted(call)?;
    let rest = w
        .task
        .terminal
        .as_mut()
        .map(|t| std::mem::take(&mut t.rest));
    drop_released_input(w)?;
    let data = match rest.filter(|rest| !rest.is_empty()) {
        Some(rest) => rest,
        None => match take_given(w) {
            Some(data) => data,
            None => {
                let operands = report_taken(w, CommandOperands::new(call.options()));
                let reply = w.services.command(call.row.number, &operands)?;
                input(w, &reply, row::INTO)?
            }
        },
    };
    deliver(w, call, target, data, limit, flags != 0)
}

pub fn send(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let data = from(call, send_row::FROM, send_row::LENGTH, send_row::FLENGTH)?;
    let control = call.arg(send_row::CTLCHAR).map(|a| a.bytes().to_vec());
    let mut operands = CommandOperands::new(call.options());
    push(&mut operands, send_row::FROM, data.map(<[u8]>::to_vec));
    push(&mut operands, send_row::CTLCHAR, control);
    let reply = w.services.command(call.row.number, &operands)?;
    note_output(w);
    conclude(&reply)?;
    note_signal(w, &reply);
    report_signal(w)
}

pub(super) fn converse(
    w: &mut Worker,
    call: &CommandCall<'_>,
    target: &DataTarget,
) -> CommandResult {
    let (length, flength) = (converse_row::FROMLENGTH, converse_row::FROMFLENGTH);
    let data = from(call, converse_row::FROM, length, flength)?;
    let control = call.arg(converse_row::CTLCHAR).map(|a| a.bytes().to_vec());
    let (limit, flags) = target.wanted(call)?;
    let mut operands = CommandOperands::new(call.options());
    if let Some(terminal) = &mut w.task.terminal {
        // The region drops it too.
        (terminal.given, terminal.taken) = (None, false);
    }
    push(&mut operands, converse_row::FROM, data.map(<[u8]>::to_vec));
    push(&mut operands, converse_row::CTLCHAR, control);
    let reply = w.services.command(call.row.number, &operands)?;
    let data = input(w, &reply, converse_row::INTO)?;
    deliver(w, call, target, data, limit, flags != 0)
}

/// WAIT SIGNAL: waits for ATTN.
pub fn wait_signal(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let reply = w
        .services
        .command(call.row.number, &CommandOperands::default())?;
    conclude(&reply)?;
    note_signal(w, &reply);
    report_signal(w)
}

/// Takes an input over: its key into the EIB, its data for the program. Maps are
/// received on top of it.
pub fn input(w: &mut Worker, reply: &CommandReply, into: u8) -> Result<Vec<u8>, CommandStop> {
    conclude(reply)?;
    let key = |option| reply.operands.get_int(option).unwrap_or(0);
    let (aid, cursor) = (key(INPUT_AID) as u8, key(INPUT_CURSOR) as u16);
    let mut eib = w.task.level_mut().eib();
    eib.set_aid(aid);
    eib.set_cursor(cursor);
    w.task.key_read = Some(aid);
    if let Some(terminal) = &mut w.task.terminal {
        (terminal.data.aid, terminal.data.cursor) = (aid, cursor);
        terminal.unread = false;
    }
    note_signal(w, reply);
    Ok(reply.operands.get_bytes(into).unwrap_or_default().to_vec())
}

fn deliver(
    w: &mut Worker,
    call: &CommandCall<'_>,
    target: &DataTarget,
    mut data: Vec<u8>,
    limit: u64,
    notruncate: bool,
) -> CommandResult {
    let whole = data.len();
    let rest = data.split_off(whole.min(limit as usize));
    let cut = !rest.is_empty() && !notruncate;
    // With NOTRUNCATE the length is that of what was given.
    let length = if notruncate { data.len() } else { whole };
    target.store(w, call, &data, length as i64);
    if let (true, Some(terminal)) = (notruncate, w.task.terminal.as_mut()) {
        terminal.rest = rest;
    }
    if cut {
        return condition(Condition::LengErr, 0);
    }
    report_signal(w)
}

/// Notes whether ATTN came before a command, in EIBSIG too.
fn note_signal(w: &mut Worker, reply: &CommandReply) {
    let Some(terminal) = &mut w.task.terminal else {
        return;
    };
    terminal.signal |= reply.operands.get_int(SIGNAL_RECEIVED).is_some();
    let signal = terminal.signal;
    w.task.level_mut().eib().set_signal(signal);
}

/// SIGNAL, if ATTN came before the command.
fn report_signal(w: &mut Worker) -> CommandResult {
    let terminal = w.task.terminal.as_mut();
    if terminal.is_some_and(|terminal| std::mem::take(&mut terminal.signal)) {
        return condition(Condition::Signal, 0);
    }
    Ok(())
}

fn push(operands: &mut CommandOperands, option: u8, bytes: Option<Vec<u8>>) {
    if let Some(bytes) = bytes {
        operands.push(option, OperandValue::Bytes(bytes));
    }
}

fn conclude(reply: &CommandReply) -> CommandResult {
    match reply.condition {
        Condition::Normal => Ok(()),
        other => condition(other, reply.resp2),
    }
}
