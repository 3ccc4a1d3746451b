//! EXEC CICS: from a command block to the command's file and back.
//!
//! The C side calls in with the parameter fields of the calling module. The
//! block has a bit for each given option; operands follow in the order of their
//! index. A command's answer is put into the EIB and the RESP fields, and
//! becomes a label, an abend or nothing.
//!
//! Invariant: handlers return a [`Flow`]; no jump crosses a Rust frame.

use std::ffi::{CStr, c_char, c_int, c_void};

use cics::abi::{CommandBlock, FLAG_LABELS, FLAG_NOHANDLE, FLAG_RESP};
use cics::command::{self, Command, CommandDomain};
use cics::resp::{Condition, DefaultAction};
use cics::{abend, names::AbendCode};

use crate::abend::Abend;
use crate::cob::{CommandOperand, Field, Flow, WorkerHandlers};
use crate::commands::{COMMANDS, forward};
use crate::conditions::ConditionReaction;
use crate::le;
use crate::services::CommandFailure;
use crate::worker::{LevelExit, Worker, current};

/// A command's answer when it is not NORMAL.
#[derive(Debug)]
pub enum CommandStop {
    /// A condition with RESP2.
    Condition(Condition, u32),
    /// The task or an abend exit gets control.
    Abend(Box<Abend>),
    /// The level is left for its stored reason.
    Leave,
}

/// Result of a command.
pub type CommandResult = Result<(), CommandStop>;

/// A condition as a command's answer.
pub fn condition<T>(condition: Condition, resp2: u32) -> Result<T, CommandStop> {
    Err(CommandStop::Condition(condition, resp2))
}

impl From<CommandFailure> for CommandStop {
    fn from(failure: CommandFailure) -> Self {
        match failure {
            CommandFailure::Condition(condition, resp2) => CommandStop::Condition(condition, resp2),
            CommandFailure::Abend(code) => {
                let why = match &code {
                    b"AFCF" => "its wait for a record lasted too long, or could never end",
                    b"AKCS" => "its wait lasted too long, or could never end",
                    b"AEXY" => "the task was purged while it waited",
                    b"AKCT" => "its terminal sent no input in time",
                    b"ASP7" => "whether the unit of work is committed is not known",
                    _ => "ended by the region",
                };
                CommandStop::Abend(Abend::new(AbendCode(code), why))
            }
        }
    }
}

/// A command as the program gave it.
pub struct CommandCall<'c> {
    /// The command's row.
    pub row: &'static Command,
    /// Pairs of a condition or AID and a label.
    pub block: CommandBlock<'c>,
    pub(crate) options: u128,
    pub(crate) with_argument: u128,
    pub(crate) operands: &'c [*const Field],
}

impl<'c> CommandCall<'c> {
    /// The options that are there, by bit.
    pub fn options(&self) -> u128 {
        self.options
    }

    /// Whether the option is there.
    pub fn has(&self, option: u8) -> bool {
        self.options >> option & 1 != 0
    }

    /// The options that are there, in ascending order.
    pub fn each(&self) -> impl Iterator<Item = u8> + use<> {
        let mut rest = self.options;
        std::iter::from_fn(move || {
            let next = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            (next < 128).then_some(next)
        })
    }

    /// The operand of an option, if the option is there.
    pub fn arg(&self, option: u8) -> Option<CommandOperand<'c>> {
        let at = self.place(option)?;
        // SAFETY: libcob's fields for the arguments of this CALL.
        unsafe { CommandOperand::new(*self.operands.get(at)?) }
    }

    /// The index of an option's operand among all operands, if the option is given.
    pub(crate) fn place(&self, option: u8) -> Option<usize> {
        let bit = 1u128 << option;
        let there = self.options & self.with_argument;
        (there & bit != 0).then(|| (there & (bit - 1)).count_ones() as usize)
    }

    /// The operand of an option as a name.
    pub fn name<const N: usize>(&self, option: u8) -> Option<[u8; N]> {
        self.arg(option).map(|a| a.name())
    }

    /// The operand of an option as an integer.
    pub fn int(&self, option: u8) -> Option<i64> {
        self.arg(option).map(|a| a.int())
    }

    /// Stores an integer into an operand, if it is given.
    pub fn set_int(&self, option: u8, value: i64) {
        if let Some(arg) = self.arg(option) {
            arg.set_int(value);
        }
    }

    /// Stores characters into an operand, if it is given.
    pub fn set_chars(&self, option: u8, value: &[u8]) {
        if let Some(arg) = self.arg(option) {
            arg.set_chars(value);
        }
    }

    /// Fills an operand with binary zeros, if it is given.
    pub fn set_zeros(&self, option: u8) {
        if let Some(arg) = self.arg(option) {
            arg.set_zeros();
        }
    }

    /// Stores a pointer into an operand, if it is given.
    pub fn set_pointer(&self, option: u8, value: *mut u8) {
        if let Some(arg) = self.arg(option) {
            arg.set_pointer(value);
        }
    }
}

/// The options of a command that name its resource for EIBRSRCE: the queue, the
/// transaction of interval control, or the map. Files and programs are noted where
/// their names are looked up.
///
/// Reference: CICS API reference, EXEC interface block fields, EIBRSRCE.
fn resource(row: &Command) -> [Option<u8>; 2] {
    match row.domain {
        CommandDomain::Queues => [row.index_of("QUEUE"), row.index_of("QNAME")],
        CommandDomain::Starting | CommandDomain::Time => [row.index_of("TRANSID"), None],
        CommandDomain::Maps => [row.index_of("MAP"), None],
        _ => [None, None],
    }
}

/// The function that serves a command.
pub type CommandHandler = fn(&mut Worker, &CommandCall<'_>) -> CommandResult;

/// Commands by number.
pub struct DispatchTable {
    /// Place in `served` and one more, by number.
    places: Vec<u16>,
    served: Vec<ServedCommand>,
}

struct ServedCommand {
    row: &'static Command,
    serve: CommandHandler,
    with_argument: u128,
    /// The options of which one names the resource for EIBRSRCE.
    resource: [Option<u8>; 2],
}

impl DispatchTable {
    /// The commands of this worker.
    pub fn new() -> Self {
        let mut places = vec![0; 1 << 16];
        let mut served = Vec::with_capacity(COMMANDS.len());
        let own = |row: &Command| COMMANDS.iter().find(|(n, _)| *n == row.number);
        for row in command::all() {
            let serve = match (own(row), row.served) {
                (Some((_, serve)), _) => *serve,
                (None, command::CommandSupport::Region) => forward::serve,
                (None, _) => continue,
            };
            let mut with_argument = 1u128 << command::RESP | 1u128 << command::RESP2;
            for (i, option) in row.options.iter().enumerate() {
                let passes = option.argument.is_allowed()
                    && option.argument != command::OptionArgument::Label
                    && option.alias_of.is_none();
                with_argument |= u128::from(passes) << i;
            }
            served.push(ServedCommand {
                row,
                serve,
                with_argument,
                resource: resource(row),
            });
            places[usize::from(row.number)] = served.len() as u16;
        }
        DispatchTable { places, served }
    }

    fn find(&self, number: u16) -> Option<&ServedCommand> {
        let place = self.places[usize::from(number)];
        self.served.get(usize::from(place).wrapping_sub(1))
    }
}

impl Default for DispatchTable {
    fn default() -> Self {
        DispatchTable::new()
    }
}

impl Worker {
    /// Executes the command of a block and its operands.
    pub(crate) fn exec(&mut self, operands: &[*const Field]) -> Flow {
        let Some((block, operands)) = split(operands) else {
            return self.take_exit(Abend::new(abend::AEXZ, "a command block is damaged"));
        };
        self.task.last_line = block.line();
        // A row that is not served gives no function, RESP or not.
        let Some(served) = self.dispatch.find(block.command()) else {
            let what = command::by_number(block.command()).map_or("an unknown command", |c| c.name);
            return self.take_exit(Abend::new(abend::AEY9, format!("{what} is not supported")));
        };
        let call = CommandCall {
            row: served.row,
            block,
            options: block.options(),
            with_argument: served.with_argument,
            operands,
        };
        let (serve, resource) = (served.serve, served.resource);
        if let Some(name) = resource.iter().find_map(|option| call.arg((*option)?)) {
            self.task.level_mut().eib().set_resource(name.bytes());
        }
        self.services.progress();
        self.task.timer.post_if_due();
        self.count(&call);
        self.trace.enter(call.row.number, self.waited_ns());
        let outcome = if self.task.stepped {
            self.step_command(&call, serve)
        } else {
            self.served_in_mode(&call, serve)
        };
        self.trace_outcome(call.row.number, &outcome);
        self.answer(&call, outcome)
    }

    /// Runs a command, under the QR token if the region requires it for files.
    pub(crate) fn served_in_mode(
        &mut self,
        call: &CommandCall<'_>,
        serve: CommandHandler,
    ) -> CommandResult {
        let qr = self.facts.fc_qr_only && call.row.domain == CommandDomain::Files && !self.on_qr();
        if !qr {
            return serve(self, call);
        }
        self.switch(true);
        let outcome = serve(self, call);
        self.switch(false);
        outcome
    }

    fn trace_outcome(&mut self, command: u16, outcome: &CommandResult) {
        let waited = self.waited_ns();
        match outcome {
            Ok(()) | Err(CommandStop::Leave) => self.trace.exit(command, 0, 0, waited),
            Err(CommandStop::Condition(raised, resp2)) => {
                self.trace.exit(command, raised.number(), *resp2, waited);
            }
            Err(CommandStop::Abend(abend)) => self.trace.abend(command, abend.code, waited),
        }
    }

    /// How long this worker's tasks have waited so far, for the region and for
    /// the QR token.
    fn waited_ns(&self) -> u64 {
        let crossings = self.services.crossings();
        crossings.wait_ns + crossings.qr_wait_ns
    }

    fn count(&mut self, call: &CommandCall<'_>) {
        use cics::command::commands::{link, xctl};
        let counts = &mut self.task.counts;
        counts.commands += 1;
        match call.row.domain {
            CommandDomain::Files => counts.file_commands += 1,
            CommandDomain::Channels => counts.container_commands += 1,
            CommandDomain::Programs if matches!(call.row.number, link::NUMBER | xctl::NUMBER) => {
                counts.program_commands += 1;
            }
            _ => {}
        }
    }

    fn answer(&mut self, call: &CommandCall<'_>, outcome: CommandResult) -> Flow {
        let (condition, resp2) = match outcome {
            Ok(()) => (Condition::Normal, 0),
            Err(CommandStop::Condition(condition, resp2)) => (condition, resp2),
            Err(CommandStop::Abend(abend)) => return self.take_exit(abend),
            Err(CommandStop::Leave) => return Flow::leave(self.task.level().base),
        };
        if self.task.over {
            self.task.level_mut().exit = LevelExit::Returned;
            return Flow::leave(self.task.level().base);
        }
        // NOTAUTH comes from the region's grants, before the command is looked at.
        let ungranted = condition == Condition::NotAuth;
        // A user may have chosen the condition.
        debug_assert!(
            ungranted || self.task.stepped || call.row.documents(condition, resp2),
            "{} does not answer {condition} with RESP2 {resp2}",
            call.row.name
        );
        let function = call.row.eibfn.unwrap_or(call.row.number);
        self.task
            .level_mut()
            .eib()
            .set_response(function, condition, resp2);
        let flags = call.block.flags();
        if flags & FLAG_RESP != 0 {
            call.set_int(command::RESP, i64::from(condition.number()));
            call.set_int(command::RESP2, i64::from(resp2));
        }
        let mut label = 0;
        let handles = flags & (FLAG_RESP | FLAG_NOHANDLE) == 0;
        let key = self.task.key_read.take().filter(|_| handles);
        if let Some(to) = key.and_then(|key| self.aid_label(key)) {
            // Before a condition of the same command.
            label = to;
        } else if condition != Condition::Normal && handles {
            match self.react(call, condition, resp2) {
                Ok(to) => label = to,
                Err(abend) => return self.take_exit(abend),
            }
        }
        if flags & FLAG_LABELS != 0 {
            self.set_label(label);
        }
        Flow::NEXT
    }

    /// The reaction to an unhandled condition: the label to go to (0 for none), or
    /// an abend.
    fn react(
        &mut self,
        call: &CommandCall<'_>,
        raised: Condition,
        resp2: u32,
    ) -> Result<u16, Box<Abend>> {
        let (depth, serial) = self.rt.frame();
        let code = match self.task.frames.at(depth, serial).handles.reaction(raised) {
            ConditionReaction::Label(label) => return Ok(label),
            ConditionReaction::Continue | ConditionReaction::Default(DefaultAction::Ignore) => {
                return Ok(0);
            }
            ConditionReaction::Default(DefaultAction::Suspend) => abend::AKCS,
            // A terminal that has disconnected has an abend of its own.
            ConditionReaction::Default(_)
                if raised == Condition::TermErr && self.task.has_terminal() =>
            {
                AbendCode(*b"ATNI")
            }
            ConditionReaction::Default(DefaultAction::Abend(code)) => code,
        };
        let text = format!("{} answered {raised} (RESP2 {resp2})", call.row.name);
        let mut abend = Abend::new(code, text);
        if call.block.source_file() == 0 {
            abend.line = call.block.line();
        }
        Err(abend)
    }

    /// The label of HANDLE AID for a key.
    fn aid_label(&mut self, key: u8) -> Option<u16> {
        let (depth, serial) = self.rt.frame();
        self.task.frames.at(depth, serial).handles.aid_label(key)
    }

    /// Stores the label at which the program continues after the command.
    fn set_label(&mut self, label: u16) {
        let (depth, serial) = self.rt.frame();
        let (module, item) = self.task.frames.at(depth, serial).program;
        if module != self.rt.module() {
            return;
        }
        // SAFETY: the module is in control, so its item is where it was.
        if let Some(item) = unsafe { CommandOperand::new(item) } {
            item.set_int(i64::from(label));
        }
    }

    /// A translated program begins, or is entered again.
    fn start(&mut self, operands: &[*const Field]) -> Flow {
        let Some((_, operands)) = split(operands) else {
            return self.take_exit(Abend::new(abend::AEXZ, "a command block is damaged"));
        };
        let (depth, serial) = self.rt.frame();
        let frame = self.task.frames.at(depth, serial);
        let resume = std::mem::take(&mut frame.resume);
        let operand = |i: usize| operands.get(i).copied().unwrap_or(std::ptr::null());
        frame.program = (self.rt.module(), operand(2));
        // SAFETY: libcob's fields for the arguments of this CALL.
        let (eib, code, label) = unsafe {
            (
                CommandOperand::new(operand(0)),
                CommandOperand::new(operand(1)),
                CommandOperand::new(operand(2)),
            )
        };
        if let Some(label) = label {
            label.set_int(0);
        }
        if let Some(eib) = eib {
            eib.set_pointer(self.task.level_mut().eib.as_mut_ptr());
        }
        if let Some(code) = code {
            code.set_int(i64::from(resume));
        }
        Flow::NEXT
    }

    /// CALL or CANCEL of a name.
    fn resolve(&mut self, name: &[u8], purpose: c_int) -> Result<*mut c_void, Flow> {
        const MUST: c_int = 1;
        const CANCEL: c_int = 2;
        let number = self.task.depth;
        let mut field = [b' '; 8];
        let program = (name.len() <= 8 && !name.is_empty())
            .then(|| {
                field[..name.len()].copy_from_slice(name);
                self.programs.find(&field)
            })
            .flatten();
        if purpose == CANCEL {
            let entry = program.and_then(|p| self.programs.entry_at(p, number));
            return Ok(entry.unwrap_or(std::ptr::null_mut()));
        }
        let shown: String = name.iter().map(|&b| char::from(b)).collect();
        let why = match program {
            Some(program) => {
                let level = self.task.level_mut();
                match self.programs.entry(program, number, level.taken()) {
                    Ok(entry) => return Ok(entry),
                    Err(e) => e.to_string(),
                }
            }
            None => match self.programs.routine(&shown) {
                Some(entry) => return Ok(entry),
                None => format!("CALL of {shown}, which is not a program of this region"),
            },
        };
        if purpose == MUST {
            return Err(self.take_exit(Abend::new(abend::APCT, why)));
        }
        Ok(std::ptr::null_mut())
    }

    fn stopped(&mut self, message: Option<String>) -> Flow {
        match message {
            Some(text) => {
                let code = if is_short_of_storage(&text) {
                    abend::AKCP
                } else {
                    abend::ASRA
                };
                let mut abend = Abend::new(code, text);
                abend.damaged = true;
                self.take_exit(abend)
            }
            None => {
                self.task.level_mut().exit = LevelExit::Returned;
                Flow::leave(self.task.level().base)
            }
        }
    }
}

/// Whether libcob ended the program because it could get no memory.
///
/// Reference: Language Environment programming guide, "CICS short-on-storage
/// condition": the transaction ends with AKCP.
fn is_short_of_storage(text: &str) -> bool {
    text.contains("cannot allocate") || text.contains("unable to allocate")
}

/// The block and the operands after it.
fn split<'c>(operands: &'c [*const Field]) -> Option<(CommandBlock<'c>, &'c [*const Field])> {
    let (first, rest) = operands.split_first()?;
    // SAFETY: libcob's field for the first argument of this CALL.
    let block = unsafe { CommandOperand::new(*first) }?;
    Some((CommandBlock::parse(block.bytes()).ok()?, rest))
}

/// The worker's entries for the C side.
pub(crate) static HANDLERS: WorkerHandlers = WorkerHandlers {
    exec: on_exec,
    start: on_start,
    resolve: on_resolve,
    stop: on_stop,
    refuse: on_refuse,
    fault: le::on_fault,
    service_named: le::on_service_named,
    service: le::on_service,
};

/// # Safety
/// `fields` are `count` fields of the calling module.
pub(crate) unsafe fn fields<'c>(fields: *const *const Field, count: c_int) -> &'c [*const Field] {
    match usize::try_from(count) {
        // SAFETY: by the contract.
        Ok(count) if !fields.is_null() => unsafe { std::slice::from_raw_parts(fields, count) },
        _ => &[],
    }
}

unsafe extern "C" fn on_exec(params: *const *const Field, count: c_int) -> Flow {
    // SAFETY: called by the C side for the program in control.
    unsafe { current().map_or(Flow::NEXT, |w| w.exec(fields(params, count))) }
}

unsafe extern "C" fn on_start(params: *const *const Field, count: c_int) -> Flow {
    // SAFETY: called by the C side for the program in control.
    unsafe { current().map_or(Flow::NEXT, |w| w.start(fields(params, count))) }
}

unsafe extern "C" fn on_resolve(
    name: *const u8,
    len: usize,
    purpose: c_int,
    flow: *mut Flow,
) -> *mut c_void {
    // SAFETY: called by the C side with the bytes of a name and a place for
    // the answer.
    unsafe {
        let name = std::slice::from_raw_parts(name, len);
        match current().map(|w| w.resolve(name, purpose)) {
            Some(Ok(entry)) => entry,
            Some(Err(to)) => {
                *flow = to;
                std::ptr::null_mut()
            }
            None => std::ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn on_stop(is_error: c_int, message: *const c_char) -> Flow {
    // SAFETY: called by the C side for the program in control, with a C
    // string of its own.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy();
        let text = if text.is_empty() {
            "a run-time error".into()
        } else {
            text.into_owned()
        };
        current().map_or(Flow::NEXT, |w| w.stopped((is_error != 0).then_some(text)))
    }
}

unsafe extern "C" fn on_refuse(routine: *const c_char) -> Flow {
    // SAFETY: called by the C side for the program in control, with a C
    // string of its own.
    unsafe {
        let routine = CStr::from_ptr(routine).to_string_lossy();
        let abend = if routine.starts_with("cob_sys_") {
            Abend::new(
                abend::APCT,
                format!("CALL of the library routine {routine}, which programs may not use"),
            )
        } else {
            Abend::new(
                abend::ASRA,
                "a statement for a file of the file system; a region's programs have the region's files",
            )
        };
        current().map_or(Flow::NEXT, |w| w.take_exit(abend))
    }
}
