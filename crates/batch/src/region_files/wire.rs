//! The messages between a job's process and a region.
//!
//! ```text
//!   request:  bytes u32 | what u8 | file u32 | key bytes u16 | key | record
//!   response: bytes u32 | status 2 | commits u64 | key bytes u16 | key | text
//! ```
//!
//! Numbers are little-endian; `bytes` is the length of what follows. An invalid
//! message ends the connection.

use std::io::{self, Read};

use crate::status::Status;

/// Version of the messages; a [`JobRequest::Hello`] of another is refused.
pub const VERSION: u32 = 3;

/// Most bytes of a message: a key, a record of the greatest length, and a bit.
const MOST_BYTES: usize = 64 << 10;

/// A request of a job. `file` is the store's number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobRequest<'a> {
    /// The first request: the version of the messages and the program's name.
    Hello {
        /// [`VERSION`].
        version: u32,
        /// The program's name.
        program: &'a [u8],
    },
    /// Locks a record that is to be changed.
    Hold {
        /// The file.
        file: u32,
        /// The record's key.
        key: &'a [u8],
    },
    /// Gives the lock of a record back.
    Free {
        /// The file.
        file: u32,
        /// The record's key.
        key: &'a [u8],
    },
    /// Adds a record.
    Insert {
        /// The file.
        file: u32,
        /// The record's key.
        key: &'a [u8],
        /// The record.
        record: &'a [u8],
    },
    /// Adds a record at the end of an ESDS or RRDS; returns its key.
    Append {
        /// The file.
        file: u32,
        /// The record.
        record: &'a [u8],
    },
    /// Replaces a record.
    Replace {
        /// The file.
        file: u32,
        /// The record's key.
        key: &'a [u8],
        /// The record.
        record: &'a [u8],
    },
    /// Deletes a record.
    Delete {
        /// The file.
        file: u32,
        /// The record's key.
        key: &'a [u8],
    },
    /// Commits pending changes.
    Flush,
    /// Asks for the number of commits only.
    Look,
    /// Changes are committed by [`JobRequest::Flush`] and [`JobRequest::Prepare`] only, from
    /// now on.
    HoldChanges,
    /// Keeps pending changes as prepared, and returns the token with which the SQL server is
    /// to commit; [`JobRequest::Outcome`] follows. Without a token nothing was pending.
    Prepare {
        /// The SQL server that decides.
        server: &'a [u8],
    },
    /// Whether the SQL server has committed; `None` if the job does not know.
    Outcome {
        /// The outcome.
        committed: Option<bool>,
    },
    /// Backs out pending changes.
    BackOut,
    /// Has an IDCAMS command of the catalogue done: DEFINE, BLDINDEX, DELETE.
    Command {
        /// The command.
        text: &'a [u8],
    },
}

/// The response of the region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The outcome for the program.
    pub status: Status,
    /// The number of commits of the job's changes before this one was made.
    pub commits: u64,
    /// The key of a record that was appended.
    pub key: Vec<u8>,
    /// The reason of a failure, for users.
    pub text: String,
}

impl JobRequest<'_> {
    /// Adds the message to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let (what, file, key, record): (u8, u32, &[u8], &[u8]) = match *self {
            JobRequest::Hello { version, program } => (1, version, program, &[]),
            JobRequest::Hold { file, key } => (2, file, key, &[]),
            JobRequest::Free { file, key } => (3, file, key, &[]),
            JobRequest::Insert { file, key, record } => (4, file, key, record),
            JobRequest::Append { file, record } => (5, file, &[], record),
            JobRequest::Replace { file, key, record } => (6, file, key, record),
            JobRequest::Delete { file, key } => (7, file, key, &[]),
            JobRequest::Flush => (8, 0, &[], &[]),
            JobRequest::Look => (9, 0, &[], &[]),
            JobRequest::Command { text } => (10, 0, &[], text),
            JobRequest::HoldChanges => (11, 0, &[], &[]),
            JobRequest::Prepare { server } => (12, 0, &[], server),
            JobRequest::Outcome { committed } => (13, outcome_number(committed), &[], &[]),
            JobRequest::BackOut => (14, 0, &[], &[]),
        };
        let bytes = 1 + 4 + 2 + key.len() + record.len();
        out.extend((bytes as u32).to_le_bytes());
        out.push(what);
        out.extend(file.to_le_bytes());
        out.extend((key.len() as u16).to_le_bytes());
        out.extend(key);
        out.extend(record);
    }

    /// Reads a message without its length.
    pub fn parse(bytes: &[u8]) -> Option<JobRequest<'_>> {
        let (&what, rest) = bytes.split_first()?;
        let (file, rest) = rest.split_first_chunk()?;
        let file = u32::from_le_bytes(*file);
        let (length, rest) = rest.split_first_chunk()?;
        let (key, record) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        Some(match what {
            1 => JobRequest::Hello {
                version: file,
                program: key,
            },
            2 => JobRequest::Hold { file, key },
            3 => JobRequest::Free { file, key },
            4 => JobRequest::Insert { file, key, record },
            5 => JobRequest::Append { file, record },
            6 => JobRequest::Replace { file, key, record },
            7 => JobRequest::Delete { file, key },
            8 => JobRequest::Flush,
            9 => JobRequest::Look,
            10 => JobRequest::Command { text: record },
            11 => JobRequest::HoldChanges,
            12 => JobRequest::Prepare { server: record },
            13 => JobRequest::Outcome {
                committed: outcome_of(file),
            },
            14 => JobRequest::BackOut,
            _ => return None,
        })
    }
}

fn outcome_number(committed: Option<bool>) -> u32 {
    match committed {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    }
}

fn outcome_of(number: u32) -> Option<bool> {
    match number {
        1 => Some(true),
        2 => Some(false),
        _ => None,
    }
}

impl Response {
    /// A response of success.
    pub fn done(commits: u64) -> Response {
        Response::with(Status::OK, commits, String::new())
    }

    /// A status, and why.
    pub fn with(status: Status, commits: u64, text: String) -> Response {
        Response {
            status,
            commits,
            key: Vec::new(),
            text,
        }
    }

    /// Adds the message to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let bytes = 2 + 8 + 2 + self.key.len() + self.text.len();
        out.extend((bytes as u32).to_le_bytes());
        out.extend(self.status.0);
        out.extend(self.commits.to_le_bytes());
        out.extend((self.key.len() as u16).to_le_bytes());
        out.extend(&self.key);
        out.extend(self.text.as_bytes());
    }

    /// Reads a message without its length.
    pub fn parse(bytes: &[u8]) -> Option<Response> {
        let (status, rest) = bytes.split_first_chunk()?;
        let (commits, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (key, text) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        Some(Response {
            status: Status(*status),
            commits: u64::from_le_bytes(*commits),
            key: key.to_vec(),
            text: String::from_utf8(text.to_vec()).ok()?,
        })
    }
}

/// Splits a stream of bytes into messages.
#[derive(Debug, Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    /// Bytes of the message that was given last.
    given: usize,
}

impl FrameBuffer {
    /// The next message without its length. Returns `None` if the read times
    /// out, and an error if the stream has ended.
    pub fn next(&mut self, stream: &mut impl Read) -> io::Result<Option<&[u8]>> {
        self.bytes.drain(..std::mem::take(&mut self.given));
        loop {
            if let Some(end) = self.end()? {
                self.given = end;
                return Ok(Some(&self.bytes[4..end]));
            }
            let mut some = [0; 16 << 10];
            match stream.read(&mut some) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.bytes.extend(&some[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The end of the first message, if it is complete.
    fn end(&self) -> io::Result<Option<usize>> {
        let Some(length) = self.bytes.first_chunk() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok((self.bytes.len() >= 4 + length).then_some(4 + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A stream that gives a few bytes at a time, and nothing in between.
    struct DribbleStream<'a> {
        bytes: &'a [u8],
        rests: bool,
    }

    impl Read for DribbleStream<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.rests = !self.rests;
            if self.rests {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let n = self.bytes.len().min(3).min(to.len());
            to[..n].copy_from_slice(&self.bytes[..n]);
            self.bytes = &self.bytes[n..];
            Ok(n)
        }
    }

    #[test]
    fn messages_come_whole_out_of_a_stream_in_pieces() {
        let asks = [
            JobRequest::Hello {
                version: VERSION,
                program: b"LOADACCT",
            },
            JobRequest::Hold {
                file: 7,
                key: b"KEY",
            },
            JobRequest::Append {
                file: 7,
                record: b"RECORD",
            },
            JobRequest::Insert {
                file: 1,
                key: b"K",
                record: b"KR",
            },
            JobRequest::Command { text: b" DELETE A" },
            JobRequest::HoldChanges,
            JobRequest::Prepare { server: b"private" },
            JobRequest::Outcome { committed: None },
            JobRequest::Outcome {
                committed: Some(true),
            },
            JobRequest::Outcome {
                committed: Some(false),
            },
            JobRequest::BackOut,
            JobRequest::Flush,
        ];
        let mut bytes = Vec::new();
        asks.iter().for_each(|ask| ask.emit(&mut bytes));
        let mut stream = DribbleStream {
            bytes: &bytes,
            rests: false,
        };
        let mut frames = FrameBuffer::default();
        for ask in asks {
            let frame = loop {
                if let Some(frame) = frames.next(&mut stream).expect("a stream") {
                    break frame.to_vec();
                }
            };
            assert_eq!(JobRequest::parse(&frame), Some(ask));
        }
        let end = loop {
            match frames.next(&mut stream) {
                Ok(None) => {}
                Ok(Some(frame)) => panic!("{frame:?}"),
                Err(error) => break error,
            }
        };
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    proptest! {
        #[test]
        fn what_is_told_reads_back(commits: u64, key in prop::collection::vec(any::<u8>(), 0..300), text: String) {
            let response = Response { status: Status::IN_USE, commits, key, text };
            let mut bytes = Vec::new();
            response.emit(&mut bytes);
            prop_assert_eq!(Response::parse(&bytes[4..]), Some(response));
        }

        #[test]
        fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = JobRequest::parse(&bytes);
            let _ = Response::parse(&bytes);
            let mut frames = FrameBuffer::default();
            let mut stream = &bytes[..];
            while let Ok(Some(_)) = frames.next(&mut stream) {}
        }
    }
}
