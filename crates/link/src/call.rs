//! Mid-task calls: what a worker asks of its region while a task runs.
//!
//! A call has a number, eight integers and bytes; so has its answer. The
//! worker sleeps on the call area's word until the answer is there. While it
//! waits the region may ask it to run a program first (a nested run).

use cics::resp::Condition;

use crate::Name;
use crate::directory::Violation;
use crate::layout::AnswerHeader;

/// Operations, with the meaning of their arguments and data.
///
/// `file` is the file's number in the worker's configuration. A record's data
/// is the whole record; its key lies where the file's definition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Op {
    /// READ for a task that has pending changes, or with UPDATE.
    /// `args`: file, `READ_*` flags, token (0 none). Data: the key.
    /// Answer: `args[0]` token, `args[1]` 1 when another record with this
    /// alternate key follows, `args[2]` bytes of the key; data: the key (of a
    /// path: the position of a browse), then the record.
    Read = 1,
    /// One step of a browse. `args`: file, direction ([`Step`]). Data: the key
    /// or position to step from. Answer: as for READ.
    Browse = 2,
    /// WRITE. `args`: file, bytes of the key before the record (a relative
    /// record number; 0 otherwise), [`CHANGE_NOSUSPEND`]. Data: key and record. Answer: as for READ,
    /// without a record.
    Write = 3,
    /// REWRITE. `args`: file, token (0: the last READ UPDATE),
    /// [`CHANGE_NOSUSPEND`]. Data: the record.
    Rewrite = 4,
    /// DELETE. `args`: file, `DELETE_*` flags, token, [`CHANGE_NOSUSPEND`]. Data: the key, part of
    /// it, or nothing. Answer: `args[0]` number of records deleted.
    Delete = 5,
    /// UNLOCK. `args`: file, token (0: all of the file's).
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

/// LINK and nested runs: the data are a channel, not a COMMAREA.
pub const LINK_CHANNEL: u64 = 1;

/// WRITE, REWRITE and DELETE: the argument that is 1 to be answered RECORDBUSY
/// instead of waiting for a lock.
pub const CHANGE_NOSUSPEND: usize = 3;

/// READ: the key may be a generic one, shorter than the file's.
pub const READ_GENERIC: u64 = 1;
/// READ: the first record whose key is equal or greater.
pub const READ_GTEQ: u64 = 2;
/// READ: lock the record for an update.
pub const READ_UPDATE: u64 = 4;
/// READ: answer RECORDBUSY instead of waiting for a lock.
pub const READ_NOSUSPEND: u64 = 8;
/// DELETE: all records whose key begins with the data.
pub const DELETE_GENERIC: u64 = 1;
/// DELETE: the record of the last READ UPDATE, or of the token.
pub const DELETE_HELD: u64 = 2;

/// Direction of a browse step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Step {
    /// First record with a key equal or greater.
    AtOrAfter = 0,
    /// First record with a greater key.
    After = 1,
    /// Last record with a key equal or less.
    AtOrBefore = 2,
    /// Last record with a smaller key.
    Before = 3,
    /// Last record of the file; there is no key.
    Last = 4,
}

impl Op {
    /// The operation of a number.
    pub fn from_number(number: u16) -> Option<Self> {
        const ALL: [Op; 13] = [
            Op::Read,
            Op::Browse,
            Op::Write,
            Op::Rewrite,
            Op::Delete,
            Op::Unlock,
            Op::Syncpoint,
            Op::Rollback,
            Op::Link,
            Op::Log,
            Op::Converse,
            Op::Command,
            Op::Socket,
        ];
        ALL.into_iter().find(|op| *op as u16 == number)
    }
}

impl Step {
    /// The direction of a number.
    pub fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            0 => Step::AtOrAfter,
            1 => Step::After,
            2 => Step::AtOrBefore,
            3 => Step::Before,
            4 => Step::Last,
            _ => return None,
        })
    }
}

/// A call as the region reads it. The data has been copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What is asked.
    pub op: Op,
    /// Slot of the task that asks.
    pub slot: usize,
    /// Arguments.
    pub args: [u64; 8],
    /// Data.
    pub data: Vec<u8>,
}

/// An answer as the region gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// What EIBRESP holds after the command.
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

/// What a waiting worker heard. The data is read with `WorkerSide::call_data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEvent {
    /// The answer to its call.
    Answer(AnswerHeader),
    /// A program to run first; `WorkerSide::nested_done` goes on waiting.
    /// The data begins with the program's name (8 bytes), then its COMMAREA or,
    /// when `args[0]` is [`LINK_CHANNEL`], its channel.
    Run(AnswerHeader),
}

/// State of a worker's call area as the region sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// A call that waits for an answer.
    Call(Call),
    /// The results of a nested run; the call before it still waits.
    NestedDone(Answer),
    /// Something that no worker of ours writes.
    Violation(Violation),
}

impl Answer {
    /// A condition and nothing else.
    pub fn of_condition(condition: Condition, resp2: u32) -> Self {
        Answer {
            condition,
            resp2,
            ..Answer::default()
        }
    }

    /// The task shall end with an abend.
    pub fn of_abend(code: &[u8; 4]) -> Self {
        Answer {
            abend: Name::from_bytes(*code),
            ..Answer::default()
        }
    }

    /// Data and nothing else.
    pub fn of_data(data: Vec<u8>) -> Self {
        Answer {
            data,
            ..Answer::default()
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

impl AnswerHeader {
    /// The condition that the answer brings; ERROR for a number that no
    /// condition has.
    pub fn condition(&self) -> Condition {
        let number = u16::try_from(self.resp).ok();
        let known = number.and_then(Condition::from_number);
        known.unwrap_or(Condition::Error)
    }
}
