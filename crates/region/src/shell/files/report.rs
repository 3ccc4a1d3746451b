//! A report of the spool as a file: its number, its records, its end.
//!
//! A report is written under another name until it is closed, so that no reader
//! finds half of one. A task that ends without SPOOLCLOSE leaves nothing.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use cics::command::commands::{spoolread, spoolwrite};
use cics::resp::Condition;
use kernel::QueueFileFormat;
use link::{CallAnswer, CommandOperands};

use super::queue::next as next_record;

/// Longest record of a report.
const MAX_RECORD_BYTES: i64 = spoolwrite::ROW.most_bytes(spoolwrite::FROM) as i64;
/// The ending of a report's name while it is written.
const PART: &str = "part";

/// A report that a task has open.
#[derive(Debug)]
pub enum OpenReport {
    /// Being written.
    Output {
        /// The file until the report is closed.
        part: UnfinishedFile,
        /// Its records.
        file: File,
        /// RECORDLENGTH.
        most: i64,
    },
    /// Being read.
    Input {
        /// The path of the file.
        path: PathBuf,
        /// Its records.
        file: BufReader<File>,
        /// A record that did not fit its area and is to be read again.
        again: Option<Vec<u8>>,
        /// The end was reported.
        ended: bool,
    },
}

/// The file of a report that is not closed; it is removed when its task ends.
#[derive(Debug)]
pub struct UnfinishedFile(PathBuf);

/// A condition and its RESP2.
type ReportRefusal = (Condition, u32);

impl OpenReport {
    /// Begins a report in a user's folder.
    pub fn create(folder: &Path, class: u8, most: i64) -> Result<OpenReport, ReportRefusal> {
        let made = fs::create_dir_all(folder).and_then(|()| {
            let after = numbers(folder)?.into_iter().map(|(n, _)| n).max();
            let mut number = after.unwrap_or(0) + 1;
            loop {
                let name = format!("{}.{number:08}.{PART}", char::from(class));
                let path = folder.join(name);
                match File::create_new(&path) {
                    Ok(file) => {
                        let part = UnfinishedFile(path);
                        return Ok(OpenReport::Output { part, file, most });
                    }
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                    Err(error) => return Err(error),
                }
            }
        });
        made.map_err(|error| failed(&error, folder, Condition::OpenErr))
    }

    /// Opens the first report of a user, of a class if one is given.
    pub fn first(folder: &Path, class: Option<u8>) -> Result<OpenReport, ReportRefusal> {
        let mut reports = match numbers(folder) {
            Ok(reports) => reports,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(&error, folder, Condition::OpenErr)),
        };
        let wanted = |path: &Path| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            let of_class = class.is_none_or(|class| name.first() == Some(&class));
            of_class && path.extension().is_some_and(|e| e.to_str() != Some(PART))
        };
        reports.retain(|(_, path)| wanted(path));
        let first = reports.into_iter().min();
        let (_, path) = first.ok_or((Condition::NotFnd, 4))?;
        match File::open(&path) {
            Ok(file) => Ok(OpenReport::Input {
                path,
                file: BufReader::new(file),
                again: None,
                ended: false,
            }),
            Err(error) => Err(failed(&error, &path, Condition::OpenErr)),
        }
    }

    /// SPOOLWRITE.
    pub fn write(&mut self, record: &[u8], length: i64) -> CallAnswer {
        let OpenReport::Output { part, file, most } = self else {
            return CallAnswer::of_condition(Condition::NotOpen, 8);
        };
        if !(1..=MAX_RECORD_BYTES).contains(&length) {
            return CallAnswer::of_condition(Condition::LengErr, 0);
        }
        if length > *most {
            return CallAnswer::of_condition(Condition::LengErr, (length - *most) as u32);
        }
        let word = ((record.len() + 4) as u16).to_be_bytes();
        let framed = [&word[..], &[0, 0], record].concat();
        match file.write_all(&framed) {
            Ok(()) => CallAnswer::default(),
            Err(error) => {
                let (condition, resp2) = failed(&error, &part.0, Condition::SpolErr);
                CallAnswer::of_condition(condition, resp2)
            }
        }
    }

    /// SPOOLREAD.
    pub fn read(&mut self, most: usize) -> CallAnswer {
        let OpenReport::Input {
            path,
            file,
            again,
            ended,
        } = self
        else {
            return CallAnswer::of_condition(Condition::NotOpen, 8);
        };
        if *ended {
            return CallAnswer::of_condition(Condition::InvReq, 12);
        }
        let record = match again.take() {
            Some(record) => Some(record),
            None => match next_record(file, QueueFileFormat::Variable, 0) {
                Ok(record) => record,
                Err(error) => {
                    let (condition, resp2) = failed(&error, path, Condition::SpolErr);
                    return CallAnswer::of_condition(condition, resp2);
                }
            },
        };
        let Some(record) = record else {
            *ended = true;
            return CallAnswer::of_condition(Condition::EndFile, 0);
        };
        let fits = record.len().min(most);
        let given = CommandOperands::default()
            .bytes(spoolread::INTO, &record[..fits])
            .int(spoolread::TOFLENGTH, record.len() as i64);
        let left = record.len() - fits;
        if left == 0 {
            return CallAnswer::of_data(given.emit());
        }
        *again = Some(record);
        let mut answer = CallAnswer::of_condition(Condition::LengErr, left as u32);
        answer.data = given.emit();
        answer
    }

    /// SPOOLCLOSE: `Some(true)` for KEEP, `Some(false)` for DELETE.
    pub fn close(self, keep: Option<bool>) -> CallAnswer {
        let (path, done) = match self {
            OpenReport::Output { mut part, .. } => {
                let path = std::mem::take(&mut part.0);
                let done = if keep.unwrap_or(true) {
                    fs::rename(&path, path.with_extension(""))
                } else {
                    fs::remove_file(&path)
                };
                (path, done)
            }
            OpenReport::Input { path, .. } => {
                let done = if keep.unwrap_or(false) {
                    Ok(())
                } else {
                    fs::remove_file(&path)
                };
                (path, done)
            }
        };
        match done {
            Ok(()) => CallAnswer::default(),
            Err(error) => {
                let (_, resp2) = failed(&error, &path, Condition::AllocErr);
                CallAnswer::of_condition(Condition::AllocErr, resp2)
            }
        }
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if self.0.as_os_str().is_empty() {
            return;
        }
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "an unfinished report could not be removed");
        }
    }
}

/// The reports of a folder by their numbers, finished or not.
fn numbers(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.split('.').nth(1).and_then(|n| n.parse().ok());
        if let Some(number) = number {
            found.push((number, path));
        }
    }
    Ok(found)
}

fn failed(error: &io::Error, path: &Path, condition: Condition) -> ReportRefusal {
    tracing::error!(%error, path = %path.display(), "the spool failed");
    (condition, 0)
}
