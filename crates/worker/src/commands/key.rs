//! The common parts of file commands: keys, and the areas of records.
//!
//! Reference: CICS API reference, READ: RIDFLD, KEYLENGTH, GENERIC, LENGTH and
//! the RESP2 values of INVREQ (25, 26, 42) and LENGERR (10 to 14).

use cics::command::commands::inquire_file as row;
use cics::cvda;
use cics::file::{FileAccess, FileFault};
use cics::resp::{CommandFailure, Condition};
use link::{CommandOperands, FileKind};
use store::{MAX_KEY_BYTES, SeekKey};

use crate::cob::CommandOperand;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::files::TaskFiles;
use crate::worker::Worker;

/// The options that say which file a command means.
#[derive(Clone, Copy)]
pub struct FileOptions {
    pub file: u8,
    pub sysid: u8,
}

/// [`FileOptions`] of a command by the module of its options.
macro_rules! file_options {
    ($row:ident) => {
        $crate::commands::key::FileOptions {
            file: $row::FILE,
            sysid: $row::SYSID,
        }
    };
}
pub(super) use file_options;

/// The file that a command names, noted in EIBDS and EIBRSRCE. There are none
/// of other systems yet.
pub fn file(
    w: &mut Worker,
    call: &CommandCall<'_>,
    options: FileOptions,
    access: FileAccess,
) -> Result<usize, CommandStop> {
    let name = call.name::<8>(options.file).unwrap_or([b' '; 8]);
    let mut eib = w.task.level_mut().eib();
    eib.set_data_set(&name);
    eib.set_resource(&name);
    let here = [[b' '; 4], w.facts.sysid];
    if call
        .name::<4>(options.sysid)
        .is_some_and(|s| !here.contains(&s))
    {
        return condition(Condition::SysIdErr, 130);
    }
    Ok(usable(w, &name, access).map_err(CommandFailure::from)?)
}

/// The file of a name, if the command may touch it now.
pub fn usable(w: &mut Worker, name: &[u8; 8], access: FileAccess) -> Result<usize, FileFault> {
    let file = w.files.find(name).ok_or(FileFault::NotFound)?;
    let changes = w.services.file_changes();
    if w.files.is_outdated(file, changes) {
        refresh(w, file, name);
    }
    w.files.check(file, access)?;
    Ok(file)
}

/// Asks the region for a file's switches: SET FILE has changed some.
#[cold]
fn refresh(w: &mut Worker, file: usize, name: &[u8; 8]) {
    let entry = w.files.definition_mut(file);
    let switches: [(u8, &str, &mut bool); 7] = [
        (row::READ, "READABLE", &mut entry.permits.read),
        (row::UPDATE, "UPDATABLE", &mut entry.permits.update),
        (row::ADD, "ADDABLE", &mut entry.permits.add),
        (row::DELETE, "DELETABLE", &mut entry.permits.delete),
        (row::BROWSE, "BROWSABLE", &mut entry.permits.browse),
        (row::ENABLESTATUS, "DISABLED", &mut entry.enabled),
        (row::OPENSTATUS, "CLOSED", &mut entry.closed),
    ];
    let options = switches
        .iter()
        .fold(1 << row::FILE, |bits, (option, ..)| bits | 1u128 << option);
    let operands = CommandOperands::new(options).bytes(row::FILE, name.as_slice());
    let Ok(reply) = w.services.command(row::NUMBER, &operands) else {
        return;
    };
    for (option, cvda_name, switch) in switches {
        let value = cvda::value(cvda_name).map(i64::from);
        let is = reply.operands.get_int(option) == value;
        // Either all are returned, or the file is not known any more.
        *switch = if option == row::ENABLESTATUS { !is } else { is };
    }
}

/// A key of at most 255 bytes, copied out of the program's storage.
#[derive(Clone, Copy)]
pub struct Key {
    bytes: [u8; MAX_KEY_BYTES as usize],
    len: usize,
    /// The key is a generic one.
    pub generic: bool,
}

impl Key {
    /// A key of these bytes; those beyond the longest key are cut.
    pub fn new(from: &[u8], generic: bool) -> Self {
        let mut bytes = [0; MAX_KEY_BYTES as usize];
        let len = from.len().min(bytes.len());
        bytes[..len].copy_from_slice(&from[..len]);
        Key {
            bytes,
            len,
            generic,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The seek of a command for this key, or for one at least as great.
    pub fn seek(&self, at_least: bool) -> SeekKey<'_> {
        match (at_least, self.generic) {
            (true, _) => SeekKey::AtLeast(self.bytes()),
            (false, true) => SeekKey::Prefix(self.bytes()),
            (false, false) => SeekKey::Equal(self.bytes()),
        }
    }
}

/// How a command states the kind of RIDFLD.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RidfldKind {
    /// A key.
    Key,
    /// RBA, a fullword.
    Rba,
    /// XRBA, a doubleword.
    Xrba,
    /// RRN, a fullword.
    Rrn,
}

/// The option numbers of a command that names a record.
pub struct RecordOptions {
    pub ridfld: u8,
    pub length: u8,
    /// GENERIC, where the command has it.
    pub generic: Option<u8>,
    /// RBA, RRN and XRBA.
    pub addresses: [u8; 3],
}

/// [`RecordOptions`] of a command by the module of its options.
macro_rules! named {
    ($row:ident) => {
        named!($row, Some($row::GENERIC))
    };
    ($row:ident, $generic:expr) => {
        $crate::commands::key::RecordOptions {
            ridfld: $row::RIDFLD,
            length: $row::KEYLENGTH,
            generic: $generic,
            addresses: [$row::RBA, $row::RRN, $row::XRBA],
        }
    };
}
pub(super) use named;

impl RecordOptions {
    /// Checks RIDFLD: its kind must be that of the file's records.
    pub fn addressing(
        &self,
        files: &TaskFiles,
        file: usize,
        call: &CommandCall<'_>,
    ) -> Result<RidfldKind, CommandStop> {
        let [rba, rrn, xrba] = self.addresses.map(|option| call.has(option));
        let kind = files.definition(file).kind;
        match (kind, rba, xrba, rrn) {
            (FileKind::Ksds | FileKind::Path, false, false, false) => Ok(RidfldKind::Key),
            (FileKind::Esds, true, false, false) => Ok(RidfldKind::Rba),
            (FileKind::Esds, false, true, false) => Ok(RidfldKind::Xrba),
            (FileKind::Rrds, false, false, true) => Ok(RidfldKind::Rrn),
            _ => condition(Condition::InvReq, 44),
        }
    }

    pub fn is_generic(&self, call: &CommandCall<'_>) -> bool {
        self.generic.is_some_and(|option| call.has(option))
    }

    /// The key that the command names.
    pub fn key(
        &self,
        files: &TaskFiles,
        file: usize,
        call: &CommandCall<'_>,
    ) -> Result<Key, CommandStop> {
        let (ridfld, length) = (call.arg(self.ridfld), call.int(self.length));
        match self.addressing(files, file, call)? {
            RidfldKind::Key => key(files, file, ridfld, length, self.is_generic(call)),
            by => address(ridfld, by),
        }
    }
}

/// The key in the store of a record that RIDFLD names by its address.
pub fn address(ridfld: Option<CommandOperand<'_>>, by: RidfldKind) -> Result<Key, CommandStop> {
    let Some(ridfld) = ridfld else {
        return condition(Condition::InvReq, 26);
    };
    let number = ridfld.int();
    Ok(match by {
        RidfldKind::Rrn => Key::new(&(number as u32).to_be_bytes(), false),
        // The highest RBA means the file's end, as the highest XRBA does.
        RidfldKind::Rba if number as u32 == u32::MAX => Key::new(&[0xFF; 8], false),
        RidfldKind::Rba => Key::new(&u64::from(number as u32).to_be_bytes(), false),
        RidfldKind::Xrba | RidfldKind::Key => Key::new(&(number as u64).to_be_bytes(), false),
    })
}

/// Puts into RIDFLD what names a record: its key, or its address.
pub fn set_ridfld(files: &TaskFiles, file: usize, ridfld: CommandOperand<'_>, key: &[u8]) {
    match (files.definition(file).kind, key) {
        (FileKind::Esds, &[.., a, b, c, d]) if ridfld.size() < 8 => {
            ridfld.set_int(u32::from_be_bytes([a, b, c, d]).into());
        }
        (FileKind::Esds, key) => {
            let wide = key.first_chunk().map_or(0, |k| u64::from_be_bytes(*k));
            ridfld.set_int(wide as i64);
        }
        (FileKind::Rrds, key) => {
            let number = key.first_chunk().map_or(0, |k| u32::from_be_bytes(*k));
            ridfld.set_int(number.into());
        }
        (FileKind::Ksds | FileKind::Path, key) => {
            let bytes = files.key_bytes(file).min(key.len());
            ridfld.write_at(0, &key[..bytes], bytes);
        }
    }
}

/// The key in RIDFLD with the length that the command gives it, else the file's. The item
/// may be shorter: programs name the first part of a key, and the rest follows it.
pub fn key(
    files: &TaskFiles,
    file: usize,
    ridfld: Option<CommandOperand<'_>>,
    length: Option<i64>,
    generic: bool,
) -> Result<Key, CommandStop> {
    let full = files.key_bytes(file);
    let bytes = match length {
        Some(..0) if generic => return condition(Condition::InvReq, 42),
        Some(n) if generic && n >= full as i64 => return condition(Condition::InvReq, 25),
        // A generic start of no bytes is the file's beginning.
        Some(n) if generic => n as usize,
        Some(n) if n != full as i64 => return condition(Condition::InvReq, 26),
        _ => full,
    };
    let Some(ridfld) = ridfld else {
        return condition(Condition::InvReq, 26);
    };
    // SAFETY: the program's storage; a key beyond the item is at the place that the
    // program names, and a wrong one can harm only its own process.
    let key = unsafe { std::slice::from_raw_parts(ridfld.data(), bytes) };
    Ok(Key::new(key, generic))
}

/// The option numbers of a command that gives records to the program.
pub struct RecordTarget {
    pub into: u8,
    pub set: u8,
    pub length: u8,
}

/// Gives a record to the program. With a condition the record has been given
/// all the same, cut where it does not fit.
pub fn deliver(
    w: &mut Worker,
    call: &CommandCall<'_>,
    target: &RecordTarget,
    file: usize,
    record: &[u8],
) -> Result<(), CommandStop> {
    let limit = call.int(target.length);
    call.set_int(target.length, record.len() as i64);
    if call.has(target.set) {
        let at = w.task.storage.area(file as u32, record);
        call.set_pointer(target.set, at);
        return Ok(());
    }
    let Some(into) = call.arg(target.into) else {
        return condition(Condition::LengErr, 10);
    };
    let room = into.room(limit);
    into.fill(record, room);
    if record.len() > room {
        return condition(Condition::LengErr, 11);
    }
    let def = w.files.definition(file);
    if !def.variable && limit.is_some_and(|l| l != i64::from(def.record_bytes)) {
        return condition(Condition::LengErr, 13);
    }
    Ok(())
}

/// The record in FROM with the length that the command gives it, and the
/// condition to answer once the record is in the file. A record that is too long
/// is cut to the file's maximum, written, and answered LENGERR. A record of a
/// variable file may be too short for its key: the caller compares it with RIDFLD.
pub fn record<'c>(
    files: &TaskFiles,
    file: usize,
    from: Option<CommandOperand<'c>>,
    length: Option<i64>,
) -> Result<(&'c [u8], CommandResult), CommandStop> {
    let Some(from) = from else {
        return condition(Condition::LengErr, 10);
    };
    let def = files.definition(file);
    let longest = def.record_bytes as usize;
    let bytes = length.unwrap_or(from.size() as i64);
    let Ok(bytes @ 1..) = usize::try_from(bytes) else {
        return condition(Condition::LengErr, 12);
    };
    if !def.variable && bytes < longest {
        return condition(Condition::LengErr, 14);
    }
    // SAFETY: the program's storage; a length beyond the item is the
    // program's error and can harm only its own process.
    let record = unsafe { std::slice::from_raw_parts(from.data(), bytes.min(longest)) };
    let condition_after = if bytes > longest {
        condition(Condition::LengErr, 12)
    } else {
        Ok(())
    };
    Ok((record, condition_after))
}

/// A record copied out of the store, so that it can be given to the program.
/// Kept by the worker, so that a READ allocates nothing.
#[derive(Debug, Default)]
pub struct FetchedRecord(pub Vec<u8>);
