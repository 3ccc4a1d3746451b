//! What went wrong with a file command, as RESP and RESP2 say it.
//!
//! Reference: CICS API reference, the conditions of READ, WRITE, REWRITE,
//! DELETE, UNLOCK and SYNCPOINT.

use cics::resp::Condition;
use store::{ApplyError, ReadError, RecordError, UnitError};

use crate::kernel::{CommandFailure, log_unreadable};

/// The condition of a change that was not made.
pub fn of_unit(error: &UnitError) -> CommandFailure {
    match error {
        UnitError::Duplicate(_) | UnitError::DuplicateAlternate { .. } => {
            CommandFailure::Condition(Condition::DupRec, 150)
        }
        UnitError::NoAddress => CommandFailure::Condition(Condition::NoSpace, 100),
        UnitError::NotFound(_) => CommandFailure::Condition(Condition::NotFnd, 80),
        UnitError::Record(error) => of_record(error),
        UnitError::Read(error) => of_read(error),
    }
}

/// The condition of a store that could not be read.
pub fn of_read(error: &ReadError) -> CommandFailure {
    match error {
        ReadError::UnknownFile(_) | ReadError::NotBuilt(_) => {
            CommandFailure::Condition(Condition::NotOpen, 60)
        }
        ReadError::Storage(error) => {
            log_unreadable(error);
            CommandFailure::Condition(Condition::IoErr, 120)
        }
    }
}

/// The condition of a change that the store refused.
pub fn of_apply(error: &ApplyError) -> CommandFailure {
    match error {
        ApplyError::Duplicate { .. } | ApplyError::DuplicateAlternate { .. } => {
            CommandFailure::Condition(Condition::DupRec, 150)
        }
        ApplyError::NotFound { .. } => CommandFailure::Condition(Condition::NotFnd, 80),
        ApplyError::UnknownFile(_) => CommandFailure::Condition(Condition::NotOpen, 60),
        ApplyError::Storage(_) if error.is_full() => {
            CommandFailure::Condition(Condition::NoSpace, 100)
        }
        ApplyError::Storage(_) => CommandFailure::Condition(Condition::IoErr, 120),
    }
}

/// The condition of a record that breaks its file's definition.
pub fn of_record(error: &RecordError) -> CommandFailure {
    match error {
        RecordError::TooLong { .. } => CommandFailure::Condition(Condition::LengErr, 12),
        RecordError::NotFixedLength { .. } | RecordError::TooShort { .. } => {
            CommandFailure::Condition(Condition::LengErr, 14)
        }
        RecordError::NotDeletable => CommandFailure::Condition(Condition::InvReq, 21),
        RecordError::EntryLength { .. } => CommandFailure::Condition(Condition::LengErr, 14),
        RecordError::KeyLength { .. } => CommandFailure::Condition(Condition::InvReq, 26),
        RecordError::KeyDiffers { .. } => CommandFailure::Condition(Condition::InvReq, 46),
        RecordError::RecordNumberZero => CommandFailure::Condition(Condition::Illogic, 110),
    }
}
