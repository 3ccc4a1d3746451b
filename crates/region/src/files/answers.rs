//! What went wrong with a file command, as RESP and RESP2 say it.
//!
//! Reference: CICS API reference, the conditions of READ, WRITE, REWRITE,
//! DELETE, UNLOCK and SYNCPOINT.

use link::{Answer, Name};
use store::{ApplyError, ReadError, RecordError, StorageError, UnitError};

/// FILENOTFOUND.
pub const FILENOTFOUND: u32 = 12;
/// NOTFND.
pub const NOTFND: u32 = 13;
/// DUPREC.
pub const DUPREC: u32 = 14;
/// INVREQ.
pub const INVREQ: u32 = 16;
/// IOERR.
pub const IOERR: u32 = 17;
/// NOSPACE.
pub const NOSPACE: u32 = 18;
/// NOTOPEN.
pub const NOTOPEN: u32 = 19;
/// ENDFILE.
pub const ENDFILE: u32 = 20;
/// LENGERR.
pub const LENGERR: u32 = 22;
/// ROLLEDBACK.
pub const ROLLEDBACK: u32 = 82;
/// DISABLED.
pub const DISABLED: u32 = 84;
/// RECORDBUSY.
pub const RECORDBUSY: u32 = 101;

/// A condition.
pub fn condition(resp: u32, resp2: u32) -> Answer {
    Answer {
        resp,
        resp2,
        ..Answer::default()
    }
}

/// The task shall end with an abend.
pub fn abend(code: &[u8; 4]) -> Answer {
    Answer {
        abend: Name::from_bytes(*code),
        ..Answer::default()
    }
}

/// A record.
pub fn record(data: Vec<u8>) -> Answer {
    Answer {
        data,
        ..Answer::default()
    }
}

/// The condition of a change that was not made.
pub fn of_unit(error: &UnitError) -> Answer {
    match error {
        UnitError::Duplicate(_) | UnitError::DuplicateAlternate { .. } => condition(DUPREC, 150),
        UnitError::NoAddress => condition(NOSPACE, 100),
        UnitError::NotFound(_) => condition(NOTFND, 80),
        UnitError::Record(error) => of_record(error),
        UnitError::Read(error) => of_read(error),
    }
}

/// The condition of a store that could not be read.
pub fn of_read(error: &ReadError) -> Answer {
    match error {
        ReadError::UnknownFile(_) | ReadError::NotBuilt(_) => condition(NOTOPEN, 60),
        ReadError::Storage(error) => {
            tracing::error!(%error, "the store could not be read");
            condition(IOERR, 120)
        }
    }
}

/// The condition of a change that the store refused.
pub fn of_apply(error: &ApplyError) -> Answer {
    match error {
        ApplyError::Duplicate { .. } | ApplyError::DuplicateAlternate { .. } => {
            condition(DUPREC, 150)
        }
        ApplyError::NotFound { .. } => condition(NOTFND, 80),
        ApplyError::UnknownFile(_) => condition(NOTOPEN, 60),
        ApplyError::Storage(StorageError::MapFull { .. } | StorageError::DiskFull { .. }) => {
            condition(NOSPACE, 100)
        }
        ApplyError::Storage(_) => condition(IOERR, 120),
    }
}

fn of_record(error: &RecordError) -> Answer {
    match error {
        RecordError::TooLong { .. } => condition(LENGERR, 12),
        RecordError::NotFixedLength { .. } => condition(LENGERR, 14),
        RecordError::TooShort { .. } => condition(LENGERR, 14),
        RecordError::KeyLength { .. } => condition(INVREQ, 26),
        RecordError::KeyDiffers { .. } => condition(INVREQ, 46),
        _ => condition(INVREQ, 20),
    }
}
