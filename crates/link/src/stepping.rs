//! A task that runs step by step: what its worker reports at each point, and what
//! the debugger answers.
//!
//! Both go as the operands of [`STEP_COMMAND`], which has no row in the command
//! table. The operands of the program's command are in them as bytes, by the index
//! of their option. A worker reports only for a task whose request has
//! [`crate::layout::REQUEST_STEPPED`].
//! Reference: CICS application programming, "Execution diagnostic facility".

use crate::operands::{CommandOperands, OperandValue};

/// Number of the command.
pub const STEP_COMMAND: u16 = 0xEDF0;

/// Bytes of an operand that are reported and can be changed.
pub const SHOWN_BYTES: usize = 512;

/// Bytes of storage in one report.
pub const STORAGE_BYTES: usize = 256;

/// The point at which a task stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepPoint {
    /// A program is about to get control.
    #[default]
    ProgramBegins,
    /// A command is about to be executed.
    CommandBegins,
    /// A command was executed.
    CommandEnds,
    /// A program has returned.
    ProgramEnds,
    /// An abend has occurred; an exit may get control.
    Abend,
    /// The task is over.
    TaskEnds,
    /// The task is over because of an abend.
    TaskAbends,
    /// An SQL statement is about to be executed.
    SqlBegins,
    /// An SQL statement was executed.
    SqlEnds,
}

impl StepPoint {
    const ALL: [StepPoint; 9] = [
        StepPoint::ProgramBegins,
        StepPoint::CommandBegins,
        StepPoint::CommandEnds,
        StepPoint::ProgramEnds,
        StepPoint::Abend,
        StepPoint::TaskEnds,
        StepPoint::TaskAbends,
        StepPoint::SqlBegins,
        StepPoint::SqlEnds,
    ];

    /// Whether the report is about a command.
    pub const fn is_command(self) -> bool {
        matches!(self, StepPoint::CommandBegins | StepPoint::CommandEnds)
    }
}

/// A worker's report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepReport {
    /// The point at which the task is.
    pub point: StepPoint,
    /// The program in control.
    pub program: [u8; 8],
    /// Line of its source, 0 if unknown.
    pub line: u32,
    /// The command, by the number of its row.
    pub command: u16,
    /// The operands of the command, cut to [`SHOWN_BYTES`], with its options by
    /// bit.
    pub operands: CommandOperands,
    /// The EIB.
    pub eib: Vec<u8>,
    /// The COMMAREA that the program was given, cut to [`SHOWN_BYTES`].
    pub commarea: Vec<u8>,
    /// The abend code, or zeros.
    pub abend: [u8; 4],
    /// Its message. At an SQL statement: its text, then a line for each value of the
    /// SQLCA that counts.
    pub message: String,
    /// Transaction of RETURN TRANSID, blank for none.
    pub next_transid: [u8; 4],
    /// Bytes of the program's working storage.
    pub storage_bytes: u32,
    /// The requested part of the storage, and its offset.
    pub storage: Option<(u32, Vec<u8>)>,
}

/// The debugger's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepAnswer {
    /// The next action of the task.
    pub action: StepAction,
    /// Operands that were changed, with their whole new bytes.
    pub operands: CommandOperands,
    /// The condition that the program gets, by its number.
    pub response: Option<u16>,
    /// Abend code of [`StepAction::Abend`].
    pub abend: [u8; 4],
    /// The storage to report next, or that is changed first.
    pub offset: u32,
    /// The bytes to write there.
    pub storage: Vec<u8>,
}

/// The action of a task after a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepAction {
    /// Goes on.
    #[default]
    Continue,
    /// Leaves the command out.
    Skip,
    /// Ends with an abend.
    Abend,
    /// Goes on and reports nothing more.
    Finish,
    /// Writes storage if the request has some, and reports again with a part of the storage.
    Storage,
}

impl StepAction {
    const ALL: [StepAction; 5] = [
        StepAction::Continue,
        StepAction::Skip,
        StepAction::Abend,
        StepAction::Finish,
        StepAction::Storage,
    ];
}

const POINT: u8 = 0;
const PROGRAM: u8 = 1;
const LINE: u8 = 2;
const COMMAND: u8 = 3;
const OPERANDS: u8 = 4;
const EIB: u8 = 5;
const COMMAREA: u8 = 6;
const ABEND: u8 = 7;
const MESSAGE: u8 = 8;
const NEXT: u8 = 9;
const STORAGE_SIZE: u8 = 10;
const STORAGE_AT: u8 = 11;
const STORAGE: u8 = 12;
const RESPONSE: u8 = 13;

impl StepReport {
    /// The operands of the command that reports.
    pub fn emit(&self) -> CommandOperands {
        let mut out = CommandOperands::default()
            .int(POINT, self.point as i64)
            .bytes(PROGRAM, self.program)
            .int(LINE, self.line.into())
            .int(COMMAND, self.command.into())
            .bytes(OPERANDS, self.operands.emit())
            .bytes(EIB, self.eib.clone())
            .bytes(COMMAREA, self.commarea.clone())
            .bytes(ABEND, self.abend)
            .bytes(MESSAGE, self.message.as_bytes())
            .bytes(NEXT, self.next_transid)
            .int(STORAGE_SIZE, self.storage_bytes.into());
        if let Some((offset, bytes)) = &self.storage {
            out.push(STORAGE_AT, OperandValue::Int((*offset).into()));
            out.push(STORAGE, OperandValue::Bytes(bytes.clone()));
        }
        out
    }

    /// Reads them. Returns `None` if something is missing.
    pub fn parse(from: &CommandOperands) -> Option<StepReport> {
        let at = |index| from.get_int(index).and_then(|at| u32::try_from(at).ok());
        let storage = at(STORAGE_AT).zip(from.get_bytes(STORAGE));
        Some(StepReport {
            point: choice(&StepPoint::ALL, from.get_int(POINT)?)?,
            program: from.get_name(PROGRAM)?,
            line: at(LINE)?,
            command: u16::try_from(at(COMMAND)?).ok()?,
            operands: CommandOperands::parse(from.get_bytes(OPERANDS)?).ok()?,
            eib: from.get_bytes(EIB)?.to_vec(),
            commarea: from.get_bytes(COMMAREA)?.to_vec(),
            abend: *from.get_bytes(ABEND)?.first_chunk()?,
            message: String::from_utf8_lossy(from.get_bytes(MESSAGE)?).into_owned(),
            next_transid: *from.get_bytes(NEXT)?.first_chunk()?,
            storage_bytes: at(STORAGE_SIZE)?,
            storage: storage.map(|(at, bytes)| (at, bytes.to_vec())),
        })
    }
}

impl StepAnswer {
    /// An answer without more.
    pub fn of(action: StepAction) -> StepAnswer {
        StepAnswer {
            action,
            ..StepAnswer::default()
        }
    }

    /// The operands of the answer.
    pub fn emit(&self) -> CommandOperands {
        let mut out = CommandOperands::default()
            .int(POINT, self.action as i64)
            .bytes(OPERANDS, self.operands.emit())
            .bytes(ABEND, self.abend)
            .int(STORAGE_AT, self.offset.into())
            .bytes(STORAGE, self.storage.clone());
        if let Some(response) = self.response {
            out.push(RESPONSE, OperandValue::Int(response.into()));
        }
        out
    }

    /// Reads them. Returns `None` if something is missing.
    pub fn parse(from: &CommandOperands) -> Option<StepAnswer> {
        let response = from.get_int(RESPONSE);
        Some(StepAnswer {
            action: choice(&StepAction::ALL, from.get_int(POINT)?)?,
            operands: CommandOperands::parse(from.get_bytes(OPERANDS)?).ok()?,
            response: response.and_then(|number| u16::try_from(number).ok()),
            abend: *from.get_bytes(ABEND)?.first_chunk()?,
            offset: u32::try_from(from.get_int(STORAGE_AT)?).ok()?,
            storage: from.get_bytes(STORAGE)?.to_vec(),
        })
    }
}

fn choice<T: Copy>(all: &[T], index: i64) -> Option<T> {
    all.get(usize::try_from(index).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_and_answers_read_back_as_they_were_written() {
        for point in StepPoint::ALL {
            let report = StepReport {
                point,
                program: *b"TELLER  ",
                line: 7,
                command: 0x0602,
                operands: CommandOperands::new(3).int(1, -5).bytes(2, *b"data"),
                eib: vec![1; 85],
                commarea: vec![2; 9],
                abend: *b"ASRA",
                message: "a data exception".to_owned(),
                next_transid: *b"NEXT",
                storage_bytes: 4_096,
                storage: Some((16, vec![3; 8])),
            };
            assert_eq!(StepReport::parse(&report.emit()), Some(report));
        }
        for action in StepAction::ALL {
            let answer = StepAnswer {
                action,
                operands: CommandOperands::default().int(4, 9),
                response: Some(13),
                abend: *b"EDF1",
                offset: 32,
                storage: vec![0xFF; 4],
            };
            assert_eq!(StepAnswer::parse(&answer.emit()), Some(answer));
        }
        assert_eq!(StepReport::parse(&CommandOperands::default()), None);
        assert_eq!(StepAnswer::parse(&CommandOperands::default()), None);
    }
}
