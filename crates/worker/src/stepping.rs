//! Tasks that run step by step: reports before and after commands, at the begin
//! and end of programs and of the task, and at abends.
//!
//! The region answers each report when the user of its debugger continues. Until
//! then the task waits, without the QR token. Arguments that are only read are
//! changed in a copy, because they may be constants.
//!
//! Invariant: a task whose request does not ask for it reports nothing, and a
//! report that fails is the last one.
//! Reference: CICS application programming, "Execution diagnostic facility".

use std::ffi::{c_int, c_void};

use cics::command::{DataDirection, OptionArgument, OptionRow, RESP, RESP2};
use cics::names::AbendCode;
use cics::resp::Condition;
use link::stepping::{
    SHOWN_BYTES, STEP_COMMAND, STORAGE_BYTES, StepAction, StepAnswer, StepPoint, StepReport,
};
use link::{CommandOperands, OperandValue};

use crate::abend::Abend;
use crate::cob::{Field, OwnedField};
use crate::exec::{CommandCall, CommandHandler, CommandResult, CommandStop};
use crate::services::CommandFailure;
use crate::worker::Worker;

impl Worker {
    /// Executes a command with a report before and after it.
    pub(crate) fn step_command(
        &mut self,
        call: &CommandCall<'_>,
        serve: CommandHandler,
    ) -> CommandResult {
        let answer = self.step(self.report(StepPoint::CommandBegins), Some(call));
        let outcome = match answer.action {
            StepAction::Abend => return Err(CommandStop::Abend(ended_by_user(answer.abend))),
            StepAction::Skip => Ok(()),
            StepAction::Continue | StepAction::Finish | StepAction::Storage => {
                let changed = ChangedArguments::of(call, &answer.operands);
                let pointers = changed.pointers(call);
                self.served_in_mode(&call.with_operands(&pointers), serve)
            }
        };
        self.step_outcome(call, outcome)
    }

    /// Reports a command that was executed. Returns what the program gets.
    fn step_outcome(&mut self, call: &CommandCall<'_>, outcome: CommandResult) -> CommandResult {
        let (condition, resp2) = match &outcome {
            Ok(()) => (Condition::Normal, 0),
            Err(CommandStop::Condition(condition, resp2)) => (*condition, *resp2),
            Err(CommandStop::Abend(_) | CommandStop::Leave) => return outcome,
        };
        if !self.task.stepped || self.task.over {
            return outcome;
        }
        let function = call.row.eibfn.unwrap_or(call.row.number);
        let mut eib = self.task.level_mut().eib();
        eib.set_response(function, condition, resp2);
        let answer = self.step(self.report(StepPoint::CommandEnds), Some(call));
        if answer.action == StepAction::Abend {
            return Err(CommandStop::Abend(ended_by_user(answer.abend)));
        }
        store_results(call, &answer.operands);
        match answer.response.and_then(Condition::from_number) {
            None => outcome,
            Some(Condition::Normal) => Ok(()),
            Some(other) => Err(CommandStop::Condition(other, 0)),
        }
    }

    /// Reports a program that begins or ends. Returns the abend that the user
    /// asks for.
    pub(crate) fn step_program(&mut self, point: StepPoint) -> Option<Box<Abend>> {
        let passed = self.task.level().passed;
        let shown = passed.bytes.min(SHOWN_BYTES);
        let mut commarea = Vec::new();
        if shown > 0 && !passed.commarea.is_null() {
            // SAFETY: the program's COMMAREA has that many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(passed.commarea, shown) };
            commarea = bytes.to_vec();
        }
        let report = StepReport {
            commarea,
            ..self.report(point)
        };
        let answer = self.step(report, None);
        (answer.action == StepAction::Abend).then(|| ended_by_user(answer.abend))
    }

    /// Reports an SQL statement before or after its execution. Returns the abend that the
    /// user asks for.
    pub(crate) fn step_sql(
        &mut self,
        point: StepPoint,
        line: u32,
        text: String,
    ) -> Option<Box<Abend>> {
        let report = self.report(point);
        let report = StepReport {
            line: if line == 0 { report.line } else { line },
            message: text,
            ..report
        };
        let answer = self.step(report, None);
        (answer.action == StepAction::Abend).then(|| ended_by_user(answer.abend))
    }

    /// Reports an abend before an exit is looked for, or the end of the task.
    pub(crate) fn step_end(&mut self, point: StepPoint, abend: Option<&Abend>) {
        let report = self.report(point);
        let report = StepReport {
            abend: abend.map_or([0; 4], |abend| abend.code),
            message: abend.map_or_else(String::new, |abend| abend.message.clone()),
            line: abend.map_or(report.line, |abend| abend.line),
            ..report
        };
        self.step(report, None);
    }

    fn report(&self, point: StepPoint) -> StepReport {
        let (program, eib) = self.task.last_level();
        StepReport {
            point,
            program,
            line: self.task.last_line,
            eib: eib.to_vec(),
            next_transid: self.task.next_transid,
            storage_bytes: self.storage().map_or(0, |(_, bytes)| bytes as u32),
            ..StepReport::default()
        }
    }

    /// Reports, and repeats the report with storage while the user reads storage.
    fn step(&mut self, mut report: StepReport, call: Option<&CommandCall<'_>>) -> StepAnswer {
        loop {
            if let Some(call) = call {
                // Storage that was changed may be an operand's.
                report.command = call.row.number;
                report.operands = shown(call);
            }
            let answer = match self.services.command(STEP_COMMAND, &report.emit()) {
                Ok(reply) => StepAnswer::parse(&reply.operands),
                Err(CommandFailure::Condition(..)) => None,
                Err(CommandFailure::Abend(abend)) => {
                    // A purge ended the wait.
                    self.task.stepped = false;
                    return StepAnswer {
                        abend,
                        ..StepAnswer::of(StepAction::Abend)
                    };
                }
            };
            let answer = answer.unwrap_or(StepAnswer::of(StepAction::Finish));
            if answer.action == StepAction::Finish {
                self.task.stepped = false;
            }
            if answer.action != StepAction::Storage {
                return answer;
            }
            report.storage = Some(self.exchange_storage(&answer));
        }
    }

    /// Writes storage and reads the part that is asked for.
    fn exchange_storage(&self, answer: &StepAnswer) -> (u32, Vec<u8>) {
        let Some((start, bytes)) = self.storage() else {
            return (0, Vec::new());
        };
        let at = (answer.offset as usize).min(bytes);
        let written = answer.storage.len().min(bytes - at);
        let read = STORAGE_BYTES.min(bytes - at);
        // SAFETY: within the data of the module in control, which nothing else
        // uses while its program waits here.
        let part = unsafe {
            std::ptr::copy_nonoverlapping(answer.storage.as_ptr(), start.add(at), written);
            std::slice::from_raw_parts(start.add(at), read)
        };
        (at as u32, part.to_vec())
    }

    /// Working storage of the program in control: data of its module that have no
    /// initial value in the file.
    fn storage(&self) -> Option<(*mut u8, usize)> {
        let level = self.task.depth;
        if level == 0 {
            return None;
        }
        let program = self.programs.find(&self.task.level().name)?;
        let entry = self.programs.entry_at(program, level)?;
        data_of(entry)
    }
}

impl<'c> CommandCall<'c> {
    /// The same command with other operands.
    fn with_operands<'o>(&self, operands: &'o [*const Field]) -> CommandCall<'o>
    where
        'c: 'o,
    {
        CommandCall {
            row: self.row,
            block: self.block,
            options: self.options,
            with_argument: self.with_argument,
            operands,
        }
    }
}

/// Copies of arguments that the user has changed, by their place.
struct ChangedArguments(Vec<(usize, OwnedField)>);

impl ChangedArguments {
    fn of(call: &CommandCall<'_>, changes: &CommandOperands) -> ChangedArguments {
        let mut list = Vec::new();
        for (index, value) in changes.each() {
            let (Some(option), Some(arg), Some(place)) =
                (call.row.option(index), call.arg(index), call.place(index))
            else {
                continue;
            };
            if is_secret(option) {
                continue;
            }
            if option.direction != DataDirection::In {
                store(call, index, value);
                continue;
            }
            list.push(match value {
                OperandValue::Int(number) => {
                    (place, OwnedField::binary(number.to_ne_bytes().to_vec()))
                }
                OperandValue::Bytes(bytes) => {
                    let mut data = arg.bytes().to_vec();
                    let n = bytes.len().min(data.len());
                    data[..n].copy_from_slice(&bytes[..n]);
                    // A length beyond the item finds storage there.
                    let length = option.length.and_then(|name| call.row.index_of(name));
                    let length = length.and_then(|length| call.int(length)).unwrap_or(0);
                    let room = usize::try_from(length).unwrap_or(0).min(LONGEST_COPY);
                    data.resize(data.len().max(room), b' ');
                    let size = arg.size();
                    (place, OwnedField::characters(data).of_size(size))
                }
            });
        }
        ChangedArguments(list)
    }

    /// The operands of the command with the copies in their places.
    fn pointers(&self, call: &CommandCall<'_>) -> Vec<*const Field> {
        let mut pointers = call.operands.to_vec();
        for (place, field) in &self.0 {
            pointers[*place] = field.field_or_null();
        }
        pointers
    }
}

/// Stores what the user has made of the results of a command.
fn store_results(call: &CommandCall<'_>, changes: &CommandOperands) {
    for (index, value) in changes.each() {
        let option = call.row.option(index);
        if option.is_some_and(|option| option.direction != DataDirection::In) {
            store(call, index, value);
        }
    }
}

fn store(call: &CommandCall<'_>, index: u8, value: &OperandValue) {
    match value {
        OperandValue::Int(number) => call.set_int(index, *number),
        OperandValue::Bytes(bytes) => {
            if let Some(arg) = call.arg(index) {
                arg.set_bytes(bytes, arg.size());
            }
        }
    }
}

/// The operands of a command as a report has them.
fn shown(call: &CommandCall<'_>) -> CommandOperands {
    let mut operands = CommandOperands::new(call.options());
    for index in call.each() {
        let (Some(option), Some(arg)) = (call.row.option(index), call.arg(index)) else {
            continue;
        };
        let value = match option.argument {
            _ if is_secret(option) => OperandValue::Bytes(Vec::new()),
            OptionArgument::PtrRef | OptionArgument::PtrValue => {
                OperandValue::Int(arg.pointer() as i64)
            }
            OptionArgument::Halfword
            | OptionArgument::Fullword
            | OptionArgument::Doubleword
            | OptionArgument::Packed(_)
            | OptionArgument::Cvda
            | OptionArgument::HhMmSs => OperandValue::Int(arg.int()),
            _ => OperandValue::Bytes(arg.bytes()[..arg.size().min(SHOWN_BYTES)].to_vec()),
        };
        operands.push(index, value);
    }
    operands.options &= !(1 << RESP | 1 << RESP2);
    operands
}

/// Passwords are in no report.
fn is_secret(option: &OptionRow) -> bool {
    ["PASSWORD", "PHRASE", "TOKEN"]
        .iter()
        .any(|word| option.name.contains(word) && !option.name.ends_with("LEN"))
}

fn ended_by_user(code: [u8; 4]) -> Box<Abend> {
    Abend::new(AbendCode(code), "ended at the debugging terminal")
}

/// The part without initial values of the data of the object that has an
/// address in its code: its start and its bytes.
fn data_of(address: *mut c_void) -> Option<(*mut u8, usize)> {
    struct ModuleSearch {
        address: usize,
        found: Option<(usize, usize)>,
    }
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader's description of one object, and our own search.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<ModuleSearch>()) };
        // SAFETY: the object's program headers.
        let headers =
            unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let base = info.dlpi_addr as usize;
        let loaded = || headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
        let is_in = |h: &&libc::Elf64_Phdr| {
            let start = base + h.p_vaddr as usize;
            (start..start + h.p_memsz as usize).contains(&search.address)
        };
        if loaded().find(is_in).is_none() {
            return 0;
        }
        let writable = loaded().find(|h| h.p_flags & libc::PF_W != 0);
        search.found = writable.map(|h| {
            let start = base + (h.p_vaddr + h.p_filesz) as usize;
            (start, (h.p_memsz - h.p_filesz) as usize)
        });
        1
    }
    let mut search = ModuleSearch {
        address: address as usize,
        found: None,
    };
    // SAFETY: the callback keeps nothing and ends with the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    let (start, bytes) = search.found?;
    (bytes > 0).then_some((start as *mut u8, bytes))
}

/// Most bytes of a copied argument whose length is beyond its item.
const LONGEST_COPY: usize = 64 << 10;
