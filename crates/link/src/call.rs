//! Mid-task calls: what a worker asks of its region while a task runs.
//!
//! A call has a number, eight integers and bytes; so has its answer. The
//! worker sleeps on the call area's word until the answer is there. While it
//! waits the region may ask it to run a program first (a nested run).

use cics::resp::{CommandFailure, Condition};

use crate::Name;
use crate::directory::ProtocolViolation;
use crate::layout::AnswerHeader;

/// Operations, with the meaning of their arguments and data. Operations on files are
/// written and read by [`crate::FileCall`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CallOperation {
    /// READ for a task that has pending changes, or with UPDATE.
    Read = 1,
    /// One step of a browse.
    Browse = 2,
    /// WRITE.
    Write = 3,
    /// REWRITE.
    Rewrite = 4,
    /// DELETE.
    Delete = 5,
    /// UNLOCK.
    Unlock = 6,
    /// SYNCPOINT.
    Syncpoint = 7,
    /// SYNCPOINT ROLLBACK.
    Rollback = 8,
    /// LINK to a program that the region runs. `args`: 1 when the data are a
    /// channel ([`crate::ChannelData`]), 0 for a COMMAREA. Data: program name
    /// (8), then the COMMAREA or channel. Answer data: the same without a name;
    /// its `args[1]`, as that of a nested run, is 1 when the unit of work has
    /// changes that the region alone sees.
    Link = 9,
    /// A line for the region's log. `args`: level (0 error … 4 trace). Data:
    /// text.
    Log = 10,
    /// A verb of an APPC conversation; see [`crate::conversation`].
    Converse = 11,
    /// A command that the region serves. `args`: its number in the command
    /// table. Data and answer data: [`crate::Operands`].
    Command = 12,
    /// A call of EZASOKET. The crate `ezasoket` has what `args` and data mean,
    /// there and in the answer.
    Socket = 13,
}

/// RESP2 of a nested request that is [`CallEvent::Act`], not a run.
pub const NESTED_ACT: u32 = 1;

/// LINK and nested runs: the data are a channel, not a COMMAREA.
pub const LINK_CHANNEL: u64 = 1;

impl CallOperation {
    /// The operation of a number.
    pub fn from_number(number: u16) -> Option<Self> {
        const ALL: [CallOperation; 13] = [
            CallOperation::Read,
            CallOperation::Browse,
            CallOperation::Write,
            CallOperation::Rewrite,
            CallOperation::Delete,
            CallOperation::Unlock,
            CallOperation::Syncpoint,
            CallOperation::Rollback,
            CallOperation::Link,
            CallOperation::Log,
            CallOperation::Converse,
            CallOperation::Command,
            CallOperation::Socket,
        ];
        ALL.into_iter().find(|op| *op as u16 == number)
    }
}

/// A call as the region reads it. The data has been copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCall {
    /// The operation.
    pub op: CallOperation,
    /// Slot of the task that asks.
    pub slot: usize,
    /// Arguments.
    pub args: [u64; 8],
    /// Data.
    pub data: Vec<u8>,
}

/// An answer as the region gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallAnswer {
    /// The value of EIBRESP after the command.
    pub condition: Condition,
    /// EIBRESP2 value.
    pub resp2: u32,
    /// Blank, or the abend code with which the task shall end.
    pub abend: Name<4>,
    /// Results.
    pub args: [u64; 8],
    /// Data, at most [`crate::layout::CALL_BYTES`].
    pub data: Vec<u8>,
}

/// The event that ends a worker's wait for an answer. The data is read with
/// `WorkerSide::call_data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEvent {
    /// The answer to its call.
    Answer(AnswerHeader),
    /// A program to run first; `WorkerSide::nested_done` continues the wait.
    /// The data begins with the program's name (8 bytes), then its COMMAREA or,
    /// when `args[0]` is [`LINK_CHANNEL`], its channel.
    Run(AnswerHeader),
    /// Work on a descriptor to do first: `args[0]` is the number of the work,
    /// the others and the data are the work's. `WorkerSide::nested_done`
    /// continues the wait.
    Act(AnswerHeader),
}

/// State of a worker's call area as the region sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallAreaState {
    /// No call.
    Nothing,
    /// A call that waits for an answer.
    Call(WorkerCall),
    /// The results of a nested run; the call before it still waits.
    NestedDone(CallAnswer),
    /// Bytes that no correct worker writes.
    Violation(ProtocolViolation),
}

impl CallAnswer {
    /// A condition and nothing else.
    pub fn of_condition(condition: Condition, resp2: u32) -> Self {
        CallAnswer {
            condition,
            resp2,
            ..CallAnswer::default()
        }
    }

    /// The task shall end with an abend.
    pub fn of_abend(code: &[u8; 4]) -> Self {
        CallAnswer {
            abend: Name::from_bytes(*code),
            ..CallAnswer::default()
        }
    }

    /// Data and nothing else.
    pub fn of_data(data: Vec<u8>) -> Self {
        CallAnswer {
            data,
            ..CallAnswer::default()
        }
    }

    pub(crate) fn header(&self) -> AnswerHeader {
        AnswerHeader {
            resp: u32::from(self.condition.number()),
            resp2: self.resp2,
            abend: self.abend,
            bytes: self.data.len() as u32,
            args: self.args,
        }
    }
}

impl From<CommandFailure> for CallAnswer {
    fn from(failure: CommandFailure) -> CallAnswer {
        match failure {
            CommandFailure::Condition(condition, resp2) => {
                CallAnswer::of_condition(condition, resp2)
            }
            CommandFailure::Abend(code) => CallAnswer::of_abend(&code),
        }
    }
}

impl AnswerHeader {
    /// The condition that the answer brings; ERROR for a number that no
    /// condition has.
    pub fn condition(&self) -> Condition {
        let number = u16::try_from(self.resp).ok();
        let known = number.and_then(Condition::from_number);
        known.unwrap_or(Condition::Error)
    }
}
