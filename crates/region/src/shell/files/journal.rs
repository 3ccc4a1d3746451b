//! The file of a journal.
//!
//! Records follow each other. All numbers are big-endian.
//!
//! ```text
//!    0   4  bytes of the record, these among them
//!    4   1  version, 1
//!    5   1  0
//!    6   2  JTYPEID
//!    8   8  microseconds since 1970, UTC
//!   16   8  number of the record in the file, from 1
//!   24   4  transaction
//!   28   4  number of the task
//!   32   8  user id
//!   40   2  bytes of the prefix
//!   42   6  0
//!   48      the prefix, then the data
//! ```
//!
//! A record that was not written whole when the region died is cut off when
//! the file is opened again. A file that is something else is left alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use cics::resp::Condition;
use kernel::JournalRecord;

/// Bytes before the prefix.
pub const HEADER: usize = 48;
const VERSION: u8 = 1;

/// A journal's file, opened by its first record.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: Option<File>,
    /// The end of the last whole record.
    end: u64,
    /// Number of the last record.
    last: u64,
    /// Some records may not be on the disk.
    unsynced: bool,
}

impl JournalFile {
    /// A file that is not open yet.
    pub fn new(path: PathBuf) -> Self {
        JournalFile {
            path,
            file: None,
            end: 0,
            last: 0,
            unsynced: false,
        }
    }

    /// Writes a record and returns its number; with `wait` it is on the disk
    /// then.
    pub fn write(&mut self, record: &JournalRecord, wait: bool) -> Result<u64, Condition> {
        if self.file.is_none() {
            self.open()
                .map_err(|e| self.failed(&e, Condition::NotOpen))?;
        }
        let bytes = frame(record, self.last + 1);
        let wrote = self.append(&bytes);
        if let Err(error) = wrote {
            // A part of the record is cut off when the file is opened again.
            self.file = None;
            return Err(self.failed(&error, Condition::IoErr));
        }
        self.end += bytes.len() as u64;
        self.last += 1;
        self.unsynced = true;
        if wait {
            self.sync()?;
        }
        Ok(self.last)
    }

    /// Brings all records to the disk.
    pub fn sync(&mut self) -> Result<(), Condition> {
        let Some(file) = self.file.as_ref().filter(|_| self.unsynced) else {
            return Ok(());
        };
        let synced = file.sync_data();
        synced.map_err(|e| self.failed(&e, Condition::IoErr))?;
        self.unsynced = false;
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.as_mut().ok_or(ErrorKind::NotFound)?;
        file.write_all(bytes)
    }

    fn open(&mut self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(&self.path)?;
        let bytes = file.metadata()?.len();
        let (end, last) = whole(&mut BufReader::new(&mut file), bytes)?;
        if end < bytes {
            tracing::warn!(path = %self.path.display(), bytes = bytes - end, "a journal record that was not written whole is cut off");
            file.set_len(end)?;
        }
        file.seek(SeekFrom::Start(end))?;
        (self.end, self.last, self.file) = (end, last, Some(file));
        Ok(())
    }

    fn failed(&self, error: &io::Error, condition: Condition) -> Condition {
        tracing::error!(%error, path = %self.path.display(), "a journal failed");
        condition
    }
}

/// A record in the format of the file.
pub fn frame(record: &JournalRecord, number: u64) -> Vec<u8> {
    let length = HEADER + record.prefix.len() + record.data.len();
    let mut out = Vec::with_capacity(length);
    out.extend((length as u32).to_be_bytes());
    out.extend([VERSION, 0]);
    out.extend(record.kind);
    out.extend(record.at_unix_us.to_be_bytes());
    out.extend(number.to_be_bytes());
    out.extend(record.transid);
    out.extend((record.task as u32).to_be_bytes());
    out.extend(record.userid);
    out.extend((record.prefix.len() as u16).to_be_bytes());
    out.extend([0; 6]);
    out.extend(&record.prefix);
    out.extend(&record.data);
    out
}

/// The end of the last whole record of a file of so many bytes, and its
/// number. An error when the file is not a journal.
pub fn whole(file: &mut (impl Read + Seek), bytes: u64) -> io::Result<(u64, u64)> {
    let (mut end, mut last) = (0, 0);
    while bytes - end >= HEADER as u64 {
        let mut header = [0; HEADER];
        file.read_exact(&mut header)?;
        let [a, b, c, d, version, ..] = header;
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        if version != VERSION || length < HEADER as u64 {
            let why = format!("the data at byte {end} is not a journal record");
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        if length > bytes - end {
            break;
        }
        end += length;
        last += 1;
        file.seek(SeekFrom::Start(end))?;
    }
    Ok((end, last))
}
