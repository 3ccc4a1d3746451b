//! File commands as they cross the link: one codec for all callers and for the
//! region that answers.
//!
//! A [`FileCall`] names a file by its number and the operation on it; it
//! crosses as an operation, eight integers and bytes ([`CallOperation`] has their
//! meaning). Its answer is written and read here, too. Scripts use the same
//! form without a link between.
//!
//! Invariant: all bytes of another process can be read; malformed ones are not
//! a call.

use cics::file::FileAccess;
use store::{FoundRecord, SeekKey};

use crate::call::{CallAnswer, CallOperation, WorkerCall};
use crate::directory::ProtocolViolation;
use crate::layout::AnswerHeader;

/// A command on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileCall<'a> {
    /// The file's number: its place in the definitions.
    pub file: u32,
    /// The command.
    pub command: FileCommand<'a>,
}

/// A command on a file. A command without a token applies to the last record that was
/// read for update without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCommand<'a> {
    /// READ, and each step of a browse.
    Read {
        /// Which record.
        seek: SeekKey<'a>,
        /// Which command it is: [`FileAccess::Read`], `StartBrowse` or
        /// `ContinueBrowse`.
        access: FileAccess,
    },
    /// READ UPDATE: the record is locked.
    ReadUpdate {
        /// Which record.
        seek: SeekKey<'a>,
        /// [`FileAccess::ReadUpdate`] or `UpdateInBrowse`.
        access: FileAccess,
        /// RECORDBUSY instead of a wait for a lock.
        nosuspend: bool,
    },
    /// WRITE.
    Write {
        /// The key of a record that does not hold it; else empty.
        key: &'a [u8],
        /// The whole record.
        record: &'a [u8],
        /// RECORDBUSY instead of a wait for a lock.
        nosuspend: bool,
    },
    /// REWRITE.
    Rewrite {
        /// Which record.
        token: Option<u32>,
        /// The new record.
        record: &'a [u8],
        /// RECORDBUSY instead of a wait for a lock.
        nosuspend: bool,
    },
    /// DELETE of a record that was read for update.
    DeleteHeld {
        /// Which record.
        token: Option<u32>,
    },
    /// DELETE by key.
    Delete {
        /// The key.
        key: &'a [u8],
        /// RECORDBUSY instead of a wait for a lock.
        nosuspend: bool,
    },
    /// DELETE GENERIC.
    DeleteGeneric {
        /// The prefix of the keys.
        prefix: &'a [u8],
        /// RECORDBUSY instead of a wait for a lock.
        nosuspend: bool,
    },
    /// UNLOCK.
    Unlock {
        /// Which record; `None` for all of the file's.
        token: Option<u32>,
    },
}

/// A call in the form in which it crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireCall<'a> {
    /// The operation.
    pub op: CallOperation,
    /// Its arguments.
    pub args: [u64; 8],
    /// Its data, one part after the other.
    pub data: [&'a [u8]; 2],
}

/// The arguments by their place.
const FILE: usize = 0;
const FLAGS: usize = 1;
const TOKEN: usize = 2;
const NOSUSPEND: usize = 3;
const ACCESS: usize = 4;

/// READ: the key is a generic one.
const READ_GENERIC: u64 = 1;
/// READ: the first record whose key is equal or greater.
const READ_GTEQ: u64 = 2;
/// READ and browses: lock the record for an update.
const READ_UPDATE: u64 = 4;
/// READ and browses: answer RECORDBUSY instead of waiting for a lock.
const READ_NOSUSPEND: u64 = 8;
/// DELETE: all records whose key begins with the data.
const DELETE_GENERIC: u64 = 1;
/// DELETE: the record of the last READ UPDATE, or of the token.
const DELETE_HELD: u64 = 2;

/// Browses: the direction, in the bits above the flags of READ.
const STEP_SHIFT: u32 = 8;
const FIRST: u64 = 0;
const AFTER: u64 = 1;
const AT_OR_BEFORE: u64 = 2;
const BEFORE: u64 = 3;
const LAST: u64 = 4;

/// Accesses by their number on the wire.
const ACCESSES: [FileAccess; 5] = [
    FileAccess::Read,
    FileAccess::StartBrowse,
    FileAccess::ContinueBrowse,
    FileAccess::ReadUpdate,
    FileAccess::UpdateInBrowse,
];

impl<'a> FileCall<'a> {
    /// The command's access to the file.
    pub fn access(&self) -> FileAccess {
        match self.command {
            FileCommand::Read { access, .. } | FileCommand::ReadUpdate { access, .. } => access,
            FileCommand::Write { .. } => FileAccess::Write,
            FileCommand::Rewrite { .. } => FileAccess::Rewrite,
            FileCommand::DeleteHeld { .. } => FileAccess::DeleteHeld,
            FileCommand::Delete { .. } | FileCommand::DeleteGeneric { .. } => FileAccess::Delete,
            FileCommand::Unlock { .. } => FileAccess::Unlock,
        }
    }

    /// Whether the command answers RECORDBUSY instead of waiting for a lock.
    pub fn is_nosuspend(&self) -> bool {
        match self.command {
            FileCommand::ReadUpdate { nosuspend, .. }
            | FileCommand::Write { nosuspend, .. }
            | FileCommand::Rewrite { nosuspend, .. }
            | FileCommand::Delete { nosuspend, .. }
            | FileCommand::DeleteGeneric { nosuspend, .. } => nosuspend,
            FileCommand::Read { .. }
            | FileCommand::DeleteHeld { .. }
            | FileCommand::Unlock { .. } => false,
        }
    }

    /// The form in which it crosses.
    pub fn emit(&self) -> WireCall<'a> {
        let mut args = [0; 8];
        args[FILE] = self.file.into();
        args[NOSUSPEND] = self.is_nosuspend().into();
        let (op, data): (CallOperation, [&[u8]; 2]) = match self.command {
            FileCommand::Read { seek, access } => {
                let (op, how, key) = emit_seek(seek);
                args[FLAGS] = how;
                args[ACCESS] = number_of(access);
                (op, [key, &[]])
            }
            FileCommand::ReadUpdate {
                seek,
                access,
                nosuspend,
            } => {
                let (op, how, key) = emit_seek(seek);
                args[FLAGS] = how | READ_UPDATE | if nosuspend { READ_NOSUSPEND } else { 0 };
                args[ACCESS] = number_of(access);
                (op, [key, &[]])
            }
            FileCommand::Write { key, record, .. } => {
                args[FLAGS] = key.len() as u64;
                (CallOperation::Write, [key, record])
            }
            FileCommand::Rewrite { token, record, .. } => {
                args[FLAGS] = token.unwrap_or(0).into();
                (CallOperation::Rewrite, [record, &[]])
            }
            FileCommand::DeleteHeld { token } => {
                args[FLAGS] = DELETE_HELD;
                args[TOKEN] = token.unwrap_or(0).into();
                (CallOperation::Delete, [&[], &[]])
            }
            FileCommand::Delete { key, .. } => (CallOperation::Delete, [key, &[]]),
            FileCommand::DeleteGeneric { prefix, .. } => {
                args[FLAGS] = DELETE_GENERIC;
                (CallOperation::Delete, [prefix, &[]])
            }
            FileCommand::Unlock { token } => {
                args[FLAGS] = token.unwrap_or(0).into();
                (CallOperation::Unlock, [&[], &[]])
            }
        };
        WireCall { op, args, data }
    }

    /// The meaning of a call that another process wrote.
    pub fn parse(
        op: CallOperation,
        args: &[u64; 8],
        data: &'a [u8],
    ) -> Result<FileCall<'a>, ProtocolViolation> {
        let number = |value: u64| u32::try_from(value).map_err(|_| ProtocolViolation::Operands);
        let token = |value: u64| Ok((value != 0).then_some(number(value)?));
        let nosuspend = args[NOSUSPEND] != 0;
        let flags = args[FLAGS];
        let command = match op {
            CallOperation::Read | CallOperation::Browse => parse_read(op, args, data)?,
            CallOperation::Write => {
                let key_bytes = number(flags)? as usize;
                let (key, record) = data
                    .split_at_checked(key_bytes)
                    .ok_or(ProtocolViolation::Operands)?;
                FileCommand::Write {
                    key,
                    record,
                    nosuspend,
                }
            }
            CallOperation::Rewrite => FileCommand::Rewrite {
                token: token(flags)?,
                record: data,
                nosuspend,
            },
            CallOperation::Delete if flags & DELETE_HELD != 0 => FileCommand::DeleteHeld {
                token: token(args[TOKEN])?,
            },
            CallOperation::Delete if flags & DELETE_GENERIC != 0 => FileCommand::DeleteGeneric {
                prefix: data,
                nosuspend,
            },
            CallOperation::Delete => FileCommand::Delete {
                key: data,
                nosuspend,
            },
            CallOperation::Unlock => FileCommand::Unlock {
                token: token(flags)?,
            },
            _ => return Err(ProtocolViolation::Operands),
        };
        Ok(FileCall {
            file: number(args[FILE])?,
            command,
        })
    }
}

impl WireCall<'_> {
    /// A copy with its own data, in the form of the region's calls.
    pub fn to_call(&self) -> WorkerCall {
        WorkerCall {
            op: self.op,
            slot: 0,
            args: self.args,
            data: self.data.concat(),
        }
    }
}

fn number_of(access: FileAccess) -> u64 {
    let at = ACCESSES.iter().position(|a| *a == access);
    at.unwrap_or_default() as u64
}

fn emit_seek(seek: SeekKey<'_>) -> (CallOperation, u64, &[u8]) {
    let step = |step: u64| step << STEP_SHIFT;
    match seek {
        SeekKey::Equal(key) => (CallOperation::Read, 0, key),
        SeekKey::Prefix(key) => (CallOperation::Read, READ_GENERIC, key),
        SeekKey::AtLeast(key) => (CallOperation::Read, READ_GTEQ, key),
        SeekKey::Greater(key) => (CallOperation::Browse, step(AFTER), key),
        SeekKey::AtMost(key) => (CallOperation::Browse, step(AT_OR_BEFORE), key),
        SeekKey::Less(key) => (CallOperation::Browse, step(BEFORE), key),
        SeekKey::First => (CallOperation::Browse, step(FIRST), &[]),
        SeekKey::Last => (CallOperation::Browse, step(LAST), &[]),
    }
}

fn parse_read<'a>(
    op: CallOperation,
    args: &[u64; 8],
    key: &'a [u8],
) -> Result<FileCommand<'a>, ProtocolViolation> {
    let flags = args[FLAGS];
    let seek = match (op, flags >> STEP_SHIFT) {
        (CallOperation::Read, 0) if flags & READ_GTEQ != 0 => SeekKey::AtLeast(key),
        (CallOperation::Read, 0) if flags & READ_GENERIC != 0 => SeekKey::Prefix(key),
        (CallOperation::Read, 0) => SeekKey::Equal(key),
        (CallOperation::Browse, FIRST) => SeekKey::First,
        (CallOperation::Browse, AFTER) => SeekKey::Greater(key),
        (CallOperation::Browse, AT_OR_BEFORE) => SeekKey::AtMost(key),
        (CallOperation::Browse, BEFORE) => SeekKey::Less(key),
        (CallOperation::Browse, LAST) => SeekKey::Last,
        _ => return Err(ProtocolViolation::Operands),
    };
    let access = usize::try_from(args[ACCESS]).ok();
    let access = access.and_then(|number| ACCESSES.get(number));
    let access = *access.ok_or(ProtocolViolation::Operands)?;
    let locks = flags & READ_UPDATE != 0;
    let is_update = matches!(access, FileAccess::ReadUpdate | FileAccess::UpdateInBrowse);
    match (locks, is_update) {
        (false, false) => Ok(FileCommand::Read { seek, access }),
        (true, true) => Ok(FileCommand::ReadUpdate {
            seek,
            access,
            nosuspend: flags & READ_NOSUSPEND != 0,
        }),
        _ => Err(ProtocolViolation::Operands),
    }
}

impl CallAnswer {
    /// The record that a command found, and the token of its lock.
    pub fn of_found(found: &FoundRecord<&[u8]>, token: Option<u32>) -> CallAnswer {
        let mut answer = CallAnswer::of_data([found.position, found.record].concat());
        answer.args[0] = token.unwrap_or(0).into();
        answer.args[1] = found.more.into();
        answer.args[2] = found.position.len() as u64;
        answer
    }

    /// The key of a record that was added.
    pub fn of_key(key: Vec<u8>) -> CallAnswer {
        let mut answer = CallAnswer::of_data(key);
        answer.args[2] = answer.data.len() as u64;
        answer
    }

    /// How many records were deleted, and whether another record has the
    /// alternate key of the one.
    pub fn of_deleted(records: u64, more: bool) -> CallAnswer {
        let mut answer = CallAnswer::default();
        answer.args[0] = records;
        answer.args[1] = more.into();
        answer
    }

    /// The answer's data for [`FileAnswer`].
    pub fn on_file(&self) -> FileAnswer<'_> {
        FileAnswer {
            args: &self.args,
            data: &self.data,
        }
    }
}

/// The answer to a file command, to be read as what was asked.
#[derive(Debug, Clone, Copy)]
pub struct FileAnswer<'d> {
    args: &'d [u64; 8],
    data: &'d [u8],
}

impl<'d> FileAnswer<'d> {
    /// An answer that a worker received.
    pub fn new(header: &'d AnswerHeader, data: &'d [u8]) -> Self {
        FileAnswer {
            args: &header.args,
            data,
        }
    }

    /// The record. Of a path its own key is not among what crosses.
    pub fn found(&self) -> FoundRecord<&'d [u8]> {
        let bytes = (self.args[2] as usize).min(self.data.len());
        let (position, record) = self.data.split_at(bytes);
        FoundRecord {
            position,
            key_at: 0,
            record,
            more: self.args[1] != 0,
        }
    }

    /// The token of a record that is locked now.
    pub fn token(&self) -> u32 {
        self.args[0] as u32
    }

    /// The key of a record that was added.
    pub fn key(&self) -> &'d [u8] {
        self.data
    }

    /// Records that were deleted.
    pub fn deleted(&self) -> u64 {
        self.args[0]
    }

    /// Whether another record has the alternate key of the one that was
    /// deleted.
    pub fn more(&self) -> bool {
        self.args[1] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seek(kind: u8, key: &[u8]) -> SeekKey<'_> {
        match kind {
            0 => SeekKey::Equal(key),
            1 => SeekKey::Prefix(key),
            2 => SeekKey::AtLeast(key),
            3 => SeekKey::Greater(key),
            4 => SeekKey::AtMost(key),
            5 => SeekKey::Less(key),
            6 => SeekKey::First,
            _ => SeekKey::Last,
        }
    }

    fn command<'a>(
        kind: u8,
        (by, access): (u8, usize),
        token: Option<u32>,
        nosuspend: bool,
        key: &'a [u8],
        record: &'a [u8],
    ) -> FileCommand<'a> {
        match kind {
            0 => FileCommand::Read {
                seek: seek(by, key),
                access: ACCESSES[access % 3],
            },
            1 => FileCommand::ReadUpdate {
                seek: seek(by, key),
                access: ACCESSES[3 + access % 2],
                nosuspend,
            },
            2 => FileCommand::Write {
                key,
                record,
                nosuspend,
            },
            3 => FileCommand::Rewrite {
                token,
                record,
                nosuspend,
            },
            4 => FileCommand::DeleteHeld { token },
            5 => FileCommand::Delete { key, nosuspend },
            6 => FileCommand::DeleteGeneric {
                prefix: key,
                nosuspend,
            },
            _ => FileCommand::Unlock { token },
        }
    }

    proptest! {
        #[test]
        fn commands_read_back_as_they_were_written(
            file in any::<u32>(), kind in 0..8_u8, by in 0..8_u8, access in 0..6_usize,
            token in proptest::option::of(1..=u32::MAX), nosuspend in any::<bool>(),
            key in prop::collection::vec(any::<u8>(), 1..20),
            record in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let command = command(kind, (by, access), token, nosuspend, &key, &record);
            let sent = FileCall { file, command };
            let wire = sent.emit();
            let data = wire.data.concat();
            prop_assert_eq!(FileCall::parse(wire.op, &wire.args, &data), Ok(sent));
        }

        #[test]
        fn no_arguments_make_the_reader_panic(
            op in 0..14_u16, args in any::<[u64; 8]>(), small in any::<[u8; 8]>(),
            data in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            if let Some(op) = CallOperation::from_number(op) {
                let _ = FileCall::parse(op, &args, &data);
                let _ = FileCall::parse(op, &small.map(|n| u64::from(n % 16)), &data);
            }
        }
    }

    #[test]
    fn a_found_record_is_read_back_after_its_position() {
        let found = FoundRecord {
            position: &b"ALTKEY"[..],
            key_at: 3,
            record: &b"the record"[..],
            more: true,
        };
        let answer = CallAnswer::of_found(&found, Some(7));
        let read = answer.on_file();
        assert_eq!(read.found(), FoundRecord { key_at: 0, ..found });
        assert_eq!(read.token(), 7);
    }
}
