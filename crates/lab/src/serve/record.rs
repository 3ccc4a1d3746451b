//! Monitoring records: a JSON line a task, read as the file grows.

use crate::error::LabError;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The fields of a task's record that experiments use. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Record {
    /// The task's number.
    #[serde(default)]
    pub task: u64,
    /// The transaction, with its trailing blanks.
    pub transid: String,
    /// Blank for a normal end.
    pub abend: String,
    /// From the request to the end of the task.
    pub response_ns: u64,
    /// Of this, waiting for admission and for a worker.
    pub admission_wait_ns: u64,
    /// CPU time of the program.
    pub general_cpu_ns: u64,
    /// CPU time of the door that ran it.
    #[serde(default)]
    pub offload_cpu_ns: u64,
    /// Waiting for the QR token.
    pub qr_wait_ns: u64,
    /// EXEC CICS commands on files.
    pub file_commands: u32,
    /// Changes between the QR and the open mode.
    pub mode_switches: u32,
}

/// The file of records, read from where the last reading ended.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    /// Up to where lines have been taken.
    offset: u64,
}

impl RecordFile {
    /// Records that will be in this file.
    pub fn of(path: &Path) -> RecordFile {
        RecordFile {
            path: path.to_owned(),
            offset: 0,
        }
    }

    /// The records that were added since the last call. A line that is not
    /// whole yet is left for the next one.
    pub fn take(&mut self) -> Result<Vec<Record>, LabError> {
        let what = || format!("monitoring records in {}", self.path.display());
        let text = match self.read() {
            Ok(text) => text,
            // The file is created with the first record.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(LabError::system(what())(error)),
        };
        let whole = text
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let lines = text[..whole]
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty());
        let records = lines
            .map(|line| {
                serde_json::from_slice(line)
                    .map_err(|error| LabError::Failed(format!("{}: {error}", what())))
            })
            .collect::<Result<Vec<Record>, LabError>>()?;
        self.offset += whole as u64;
        Ok(records)
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        file.read_to_end(&mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const LINE: &str = r#"{"task":1,"transid":"LABT","abend":"    ","response_ns":5,"admission_wait_ns":1,"general_cpu_ns":3,"qr_wait_ns":0,"file_commands":6,"mode_switches":12,"new":[]}"#;

    #[test]
    fn whole_lines_are_taken_once_and_half_a_line_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let mut records = RecordFile::of(&path);
        assert_eq!(records.take().unwrap(), []);
        let mut file = File::create(&path).unwrap();
        let (half, rest) = LINE.split_at(40);
        write!(file, "{LINE}\n{half}").unwrap();
        assert_eq!(records.take().unwrap()[0].mode_switches, 12);
        assert_eq!(records.take().unwrap(), []);
        writeln!(file, "{rest}").unwrap();
        assert_eq!(records.take().unwrap().len(), 1);
        writeln!(file, "nonsense").unwrap();
        let message = records.take().unwrap_err().to_string();
        assert!(message.contains("records.jsonl"), "{message}");
    }
}
