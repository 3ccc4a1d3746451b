//! Dumps of tasks and of the region: a readable file for each.
//!
//! The file's number is the DUMPID, and counts over restarts because no file is
//! ever written over.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use cics::resp::Condition;
use kernel::DumpAsk;
use link::{CallAnswer, CommandOperands};

/// DUMP TRANSACTION.
pub fn answer(ask: &DumpAsk) -> CallAnswer {
    let parts: Vec<&[u8]> = ask.parts.iter().map(Vec::as_slice).collect();
    match write(&ask.folder, &ask.code, &parts) {
        Ok(number) => {
            let id = CommandOperands::default().bytes(ask.dumpid, format!("1/{number:04}"));
            CallAnswer::of_data(id.emit())
        }
        Err(error) => {
            tracing::error!(%error, folder = %ask.folder.display(), "a dump could not be written");
            match error.kind() {
                io::ErrorKind::StorageFull => CallAnswer::of_condition(Condition::NoSpace, 4),
                _ => CallAnswer::of_condition(Condition::IoErr, 10),
            }
        }
    }
}

/// Writes a new file and returns its number.
pub fn write(folder: &Path, code: &str, parts: &[&[u8]]) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut number = last(folder)? + 1;
    loop {
        let path = folder.join(format!("{number:04}-{code}.txt"));
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => {
                parts.iter().try_for_each(|part| file.write_all(part))?;
                return Ok(number);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The highest number in the folder.
fn last(folder: &Path) -> io::Result<u64> {
    let mut last = 0;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.split_once('-').and_then(|(n, _)| n.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_numbered_on_and_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let dumps = folder.path().join("dumps");
        assert_eq!(write(&dumps, "AAAA", &[b"one"]).unwrap(), 1);
        assert_eq!(write(&dumps, "BBBB", &[b"two"]).unwrap(), 2);
        std::fs::write(dumps.join("0007-CCCC.txt"), "").unwrap();
        std::fs::write(dumps.join("notes"), "").unwrap();
        assert_eq!(write(&dumps, "DDDD", &[b"a", b"b"]).unwrap(), 8);
        assert_eq!(std::fs::read(dumps.join("0008-DDDD.txt")).unwrap(), b"ab");
        assert_eq!(std::fs::read(dumps.join("0001-AAAA.txt")).unwrap(), b"one");
    }
}
