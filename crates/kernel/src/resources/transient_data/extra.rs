//! Extrapartition queues: files of records, one way.
//!
//! The file is opened by the first command, on the thread for work that may
//! block, and stays open. Output without DISPOSITION(MOD) begins anew then.
//!
//! Invariant: nothing here is called under the kernel's lock but
//! [`Extra::set_open`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cics::command::commands::readq_td;
use cics::resp::Condition;
use link::{Answer, Operands};

use crate::types::{Opens, QueueFileFormat, TdKind};

/// A file of records.
#[derive(Debug)]
pub struct Extra {
    path: PathBuf,
    format: QueueFileFormat,
    record_bytes: usize,
    output: bool,
    append: bool,
    open: bool,
    file: Handle,
}

#[derive(Debug)]
enum Handle {
    Closed,
    Input(BufReader<File>),
    Output(File),
}

/// Bytes of a record descriptor word.
const RDW: usize = 4;

/// The file, whatever became of the one who had it before.
pub fn locked(file: &Mutex<Extra>) -> MutexGuard<'_, Extra> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Extra {
    /// The file of a definition; none when it is not of a file.
    pub fn new(kind: &TdKind, folder: &Path) -> Option<Extra> {
        let TdKind::Extrapartition {
            output,
            path,
            format,
            record_bytes,
            append,
            opens,
        } = kind
        else {
            return None;
        };
        Some(Extra {
            path: folder.join(path),
            format: *format,
            record_bytes: *record_bytes as usize,
            output: *output,
            append: *append,
            open: *opens == Opens::Initial,
            file: Handle::Closed,
        })
    }

    /// OPEN or CLOSE. The next command opens the file; input begins anew.
    pub fn set_open(&mut self, open: bool) {
        self.open = open;
        self.file = Handle::Closed;
    }

    /// Whether commands may use it.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// WRITEQ TD.
    pub fn write(&mut self, record: &[u8]) -> Answer {
        if !self.output {
            return Answer::of_condition(Condition::InvReq, 0);
        }
        if !self.fits(record.len()) {
            return Answer::of_condition(Condition::LengErr, 0);
        }
        let framed = self.framed(record);
        let path = self.path.clone();
        let file = match self.opened() {
            Ok(Handle::Output(file)) => file,
            Ok(_) => return Answer::of_condition(Condition::InvReq, 0),
            Err(answer) => return answer,
        };
        match file.write_all(&framed) {
            Ok(()) => Answer::default(),
            Err(error) => {
                tracing::error!(%error, path = %path.display(), "a record could not be written");
                let full = matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                );
                let condition = match full {
                    true => Condition::NoSpace,
                    false => Condition::IoErr,
                };
                Answer::of_condition(condition, 0)
            }
        }
    }

    /// READQ TD.
    pub fn read(&mut self) -> Answer {
        if self.output {
            return Answer::of_condition(Condition::InvReq, 0);
        }
        let (format, most) = (self.format, self.record_bytes);
        let path = self.path.clone();
        let file = match self.opened() {
            Ok(Handle::Input(file)) => file,
            Ok(_) => return Answer::of_condition(Condition::InvReq, 0),
            Err(answer) => return answer,
        };
        match next(file, format, most) {
            Ok(Some(record)) => {
                let given = Operands::default().bytes(readq_td::INTO, record);
                Answer::of_data(given.emit())
            }
            Ok(None) => Answer::of_condition(Condition::QZero, 0),
            Err(error) => {
                tracing::error!(%error, path = %path.display(), "a record could not be read");
                Answer::of_condition(Condition::IoErr, 0)
            }
        }
    }

    /// Whether a record may have this length.
    fn fits(&self, bytes: usize) -> bool {
        match self.format {
            QueueFileFormat::Fixed => bytes == self.record_bytes,
            QueueFileFormat::Lines => bytes <= self.record_bytes,
            QueueFileFormat::Variable => bytes + RDW <= self.record_bytes.max(RDW + 1),
        }
    }

    /// A record as it stands in the file.
    fn framed(&self, record: &[u8]) -> Vec<u8> {
        match self.format {
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

    fn opened(&mut self) -> Result<&mut Handle, Answer> {
        if !self.open {
            return Err(Answer::of_condition(Condition::NotOpen, 0));
        }
        if matches!(self.file, Handle::Closed) {
            match self.open_file() {
                Ok(file) => self.file = file,
                Err(error) => {
                    tracing::error!(%error, path = %self.path.display(), "the file of a transient data queue could not be opened");
                    return Err(Answer::of_condition(Condition::NotOpen, 0));
                }
            }
        }
        Ok(&mut self.file)
    }

    fn open_file(&self) -> io::Result<Handle> {
        if !self.output {
            let file = File::open(&self.path)?;
            return Ok(Handle::Input(BufReader::new(file)));
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true);
        match self.append {
            true => options.append(true),
            false => options.write(true).truncate(true),
        };
        options.open(&self.path).map(Handle::Output)
    }
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
            match line.len() <= record_bytes {
                true => Ok(Some(line)),
                false => Err(too_long()),
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
