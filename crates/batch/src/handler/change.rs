//! WRITE, REWRITE and DELETE: changes in sequence or by key.
//!
//! Reference: IBM, *Enterprise COBOL for z/OS Language Reference*, WRITE,
//! REWRITE, DELETE and "File status key".

use store::rrn_key;

use super::{
    CallResult, Fault, FileOrganization, FileStatement, LineAdvance, Mode, OpenFile, OpenedFile,
    StoreRecords,
};
use super::{machine, number, of, too_large};
use crate::plain::PlainFile;
use crate::status::Status;

/// The record that is written, if its length is one that the program's
/// records have.
fn record<'c>(call: &'c FileStatement<'_>) -> Result<&'c [u8], Fault> {
    let fits = !call.is_variable || (call.min..=call.max).contains(&call.length);
    let bytes = call.area.get(..call.length).filter(|_| fits);
    bytes.ok_or_else(|| Status::BAD_LENGTH.into())
}

pub(super) fn write(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
    advance: LineAdvance,
) -> CallResult {
    let file = match &mut open.records {
        OpenedFile::Stored(file) => file,
        OpenedFile::Plain(PlainFile::Output(output)) => {
            output.write(record(call)?, advance).map_err(machine)?;
            return Ok(Status::OK);
        }
        OpenedFile::Plain(_) | OpenedFile::Absent => return Ok(Status::NOT_OUTPUT),
    };
    let store = of(store)?;
    file.def()
        .check_record(record(call)?)
        .map_err(|_| Status::BAD_LENGTH)?;
    match call.org {
        FileOrganization::Sequential | FileOrganization::Lines => {
            store.append(file, record(call)?)?;
            Ok(Status::OK)
        }
        FileOrganization::Relative if call.is_sequential => {
            let key = store.append(file, record(call)?)?;
            if too_large(call, &key) {
                store.delete(file, &key)?;
                return Ok(Status::NO_ROOM);
            }
            call.number = number(&key);
            Ok(Status::OK)
        }
        FileOrganization::Relative if call.number == 0 => Ok(Status::NO_ROOM),
        FileOrganization::Relative => store.insert(file, &rrn_key(call.number), record(call)?),
        FileOrganization::Indexed => {
            let key = file
                .def()
                .key_in(record(call)?)
                .ok_or(Status::BAD_LENGTH)?
                .to_vec();
            let ascends = open.last_key.as_ref().is_none_or(|last| *last < key);
            let in_order = call.is_sequential || open.mode == Mode::Extend;
            if in_order && open.last_key.as_ref() == Some(&key) {
                return Ok(Status::DUPLICATE);
            }
            if in_order && !ascends {
                return Ok(Status::SEQUENCE);
            }
            let status = store.insert(file, &key, record(call)?)?;
            open.last_key = Some(key);
            Ok(status)
        }
    }
}

pub(super) fn rewrite(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
    read_before: Option<Vec<u8>>,
) -> CallResult {
    let by_key = matches!(
        call.org,
        FileOrganization::Indexed | FileOrganization::Relative
    ) && !call.is_sequential;
    if !by_key && read_before.is_none() {
        return Ok(Status::NO_READ);
    }
    let file = match &mut open.records {
        OpenedFile::Stored(file) => file,
        OpenedFile::Plain(PlainFile::Update(update)) => {
            return Ok(if update.rewrite(record(call)?).map_err(machine)? {
                Status::OK
            } else {
                Status::BAD_LENGTH
            });
        }
        OpenedFile::Plain(_) | OpenedFile::Absent => return Ok(Status::NOT_UPDATE),
    };
    let own = file.def().key_in(record(call)?).map(<[u8]>::to_vec);
    let key = match (call.org, read_before) {
        (FileOrganization::Indexed, before) => {
            let key = own.ok_or(Status::BAD_LENGTH)?;
            if call.is_sequential && before.as_ref() != Some(&key) {
                return Ok(Status::SEQUENCE);
            }
            key
        }
        (FileOrganization::Relative, _) if by_key => rrn_key(call.number).to_vec(),
        (_, before) => before.ok_or(Status::NO_READ)?,
    };
    let status = of(store)?.replace(file, &key, record(call)?)?;
    release_lock(&mut open.held, &key);
    Ok(status)
}

/// A record that was changed stays locked until the change is committed, and no
/// longer.
fn release_lock(held: &mut Option<Vec<u8>>, key: &[u8]) {
    if held.as_deref() == Some(key) {
        *held = None;
    }
}

pub(super) fn delete(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
    read_before: Option<Vec<u8>>,
) -> CallResult {
    let OpenedFile::Stored(file) = &open.records else {
        return Ok(match open.records {
            OpenedFile::Absent if !call.is_sequential => Status::NOT_FOUND,
            _ => Status::LOGIC,
        });
    };
    let key = match read_before {
        None if call.is_sequential => return Ok(Status::NO_READ),
        Some(key) if call.is_sequential => key,
        _ if call.org == FileOrganization::Relative => rrn_key(call.number).to_vec(),
        _ => {
            // The key of the base, wherever a path's first key is.
            let whole = call.area.get(..).unwrap_or_default();
            file.def().key_in(whole).ok_or(Status::LOGIC)?.to_vec()
        }
    };
    of(store)?.delete(file, &key)?;
    release_lock(&mut open.held, &key);
    Ok(Status::OK)
}
