//! What went wrong with a file command, as RESP and RESP2 say it.
//!
//! Reference: CICS API reference, the conditions of READ, WRITE, REWRITE,
//! DELETE, UNLOCK and SYNCPOINT.

use cics::resp::Condition;
use store::{ApplyError, ReadError, RecordError, UnitError};

use crate::kernel::{Failure, log_unreadable};

/// The condition of a change that was not made.
pub fn of_unit(error: &UnitError) -> Failure {
    match error {
        UnitError::Duplicate(_) | UnitError::DuplicateAlternate { .. } => {
            Failure::Condition(Condition::DupRec, 150)
        }
        UnitError::NoAddress => Failure::Condition(Condition::NoSpace, 100),
        UnitError::NotFound(_) => Failure::Condition(Condition::NotFnd, 80),
        UnitError::Record(error) => of_record(error),
        UnitError::Read(error) => of_read(error),
    }
}

/// The condition of a store that could not be read.
pub fn of_read(error: &ReadError) -> Failure {
    match error {
        ReadError::UnknownFile(_) | ReadError::NotBuilt(_) => {
            Failure::Condition(Condition::NotOpen, 60)
        }
        ReadError::Storage(error) => {
            log_unreadable(error);
            Failure::Condition(Condition::IoErr, 120)
        }
    }
}

/// The condition of a change that the store refused.
pub fn of_apply(error: &ApplyError) -> Failure {
    match error {
        ApplyError::Duplicate { .. } | ApplyError::DuplicateAlternate { .. } => {
            Failure::Condition(Condition::DupRec, 150)
        }
        ApplyError::NotFound { .. } => Failure::Condition(Condition::NotFnd, 80),
        ApplyError::UnknownFile(_) => Failure::Condition(Condition::NotOpen, 60),
        ApplyError::Storage(_) if error.is_full() => Failure::Condition(Condition::NoSpace, 100),
        ApplyError::Storage(_) => Failure::Condition(Condition::IoErr, 120),
    }
}

/// The condition of a record that breaks its file's definition.
pub fn of_record(error: &RecordError) -> Failure {
    match error {
        RecordError::TooLong { .. } => Failure::Condition(Condition::LengErr, 12),
        RecordError::NotFixedLength { .. } | RecordError::TooShort { .. } => {
            Failure::Condition(Condition::LengErr, 14)
        }
        RecordError::NotDeletable => Failure::Condition(Condition::InvReq, 21),
        RecordError::EntryLength { .. } => Failure::Condition(Condition::LengErr, 14),
        RecordError::KeyLength { .. } => Failure::Condition(Condition::InvReq, 26),
        RecordError::KeyDiffers { .. } => Failure::Condition(Condition::InvReq, 46),
        RecordError::RecordNumberZero => Failure::Condition(Condition::Illogic, 110),
    }
}
