//! Extrapartition queues: files of records, one way.
//!
//! The file is opened by the first command and stays open. Output without DISPOSITION(MOD) begins again then.
//!
//! Invariant: what may be written and read is decided before: here a file is
//! opened, read and written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};

use cics::command::commands::readq_td;
use cics::resp::Condition;
use kernel::{QueueFile, QueueFileFormat};
use link::{CallAnswer, CommandOperands};

/// A queue's file, which its first command opens.
#[derive(Debug)]
pub enum QueueHandle {
    /// The file is read.
    Input(BufReader<File>),
    /// The file is written.
    Output(File),
}

/// Bytes of a record descriptor word.
const RDW: usize = 4;

impl QueueHandle {
    /// Opens the file of a queue.
    pub fn open(def: &QueueFile) -> Result<QueueHandle, CallAnswer> {
        open_file(def).map_err(|error| {
            tracing::error!(%error, path = %def.path.display(), "the file of a transient data queue could not be opened");
            CallAnswer::of_condition(Condition::NotOpen, 0)
        })
    }

    /// WRITEQ TD.
    pub fn write(&mut self, def: &QueueFile, record: &[u8]) -> CallAnswer {
        let QueueHandle::Output(file) = self else {
            return CallAnswer::of_condition(Condition::InvReq, 0);
        };
        match file.write_all(&framed(def.format, record)) {
            Ok(()) => CallAnswer::default(),
            Err(error) => {
                tracing::error!(%error, path = %def.path.display(), "a record could not be written");
                let full = matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                );
                let condition = if full {
                    Condition::NoSpace
                } else {
                    Condition::IoErr
                };
                CallAnswer::of_condition(condition, 0)
            }
        }
    }

    /// READQ TD.
    pub fn read(&mut self, def: &QueueFile) -> CallAnswer {
        let QueueHandle::Input(file) = self else {
            return CallAnswer::of_condition(Condition::InvReq, 0);
        };
        match next(file, def.format, def.record_bytes) {
            Ok(Some(record)) => {
                let given = CommandOperands::default().bytes(readq_td::INTO, record);
                CallAnswer::of_data(given.emit())
            }
            Ok(None) => CallAnswer::of_condition(Condition::QZero, 0),
            Err(error) => {
                tracing::error!(%error, path = %def.path.display(), "a record could not be read");
                CallAnswer::of_condition(Condition::IoErr, 0)
            }
        }
    }
}

/// A record in the format of the file.
fn framed(format: QueueFileFormat, record: &[u8]) -> Vec<u8> {
    match format {
        QueueFileFormat::Fixed => record.to_vec(),
        QueueFileFormat::Lines => {
            let end = record
                .iter()
                .rposition(|b| *b != b' ')
                .map_or(0, |at| at + 1);
            let mut line = record[..end].to_vec();
            line.push(b'\n');
            line
        }
        QueueFileFormat::Variable => {
            let length = (record.len() + RDW) as u16;
            let word = [length.to_be_bytes(), [0, 0]].concat();
            [&word[..], record].concat()
        }
    }
}

fn open_file(def: &QueueFile) -> io::Result<QueueHandle> {
    if !def.output {
        let file = File::open(&def.path)?;
        return Ok(QueueHandle::Input(BufReader::new(file)));
    }
    if let Some(folder) = def.path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true);
    if def.append {
        options.append(true)
    } else {
        options.write(true).truncate(true)
    };
    options.open(&def.path).map(QueueHandle::Output)
}

/// The next record; none at the end.
pub fn next(
    file: &mut impl BufRead,
    format: QueueFileFormat,
    record_bytes: usize,
) -> io::Result<Option<Vec<u8>>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let too_long = || io::Error::new(io::ErrorKind::InvalidData, "it is longer than RECORDSIZE");
    match format {
        QueueFileFormat::Lines => {
            let mut line = Vec::new();
            // One more, and the end of the line.
            let most = record_bytes as u64 + 2;
            file.by_ref().take(most).read_until(b'\n', &mut line)?;
            if line.last() == Some(&b'\n') {
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
            }
            if line.len() <= record_bytes {
                Ok(Some(line))
            } else {
                Err(too_long())
            }
        }
        QueueFileFormat::Fixed => {
            let mut record = vec![0; record_bytes];
            file.read_exact(&mut record)?;
            Ok(Some(record))
        }
        QueueFileFormat::Variable => {
            let mut word = [0; RDW];
            file.read_exact(&mut word)?;
            let length = usize::from(u16::from_be_bytes([word[0], word[1]]));
            let Some(length) = length.checked_sub(RDW) else {
                let why = "its record descriptor word is less than 4";
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            };
            let mut record = vec![0; length];
            file.read_exact(&mut record)?;
            Ok(Some(record))
        }
    }
}
