//! A job's connection with the region that owns its files. It is opened with the
//! first file that is opened for update. A lost connection is not opened again,
//! because the job does not know which changes the region had committed.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::socket::connect;
use super::wire::{FrameBuffer, JobRequest, Response, VERSION};
use crate::status::Status;
use crate::stored::Fault;

/// The region that has the store, asked when a file is to be changed.
pub struct Region {
    state: PathBuf,
    program: String,
    /// The process that has the store, as text.
    holder: String,
    open: Option<Connection>,
    /// The connection was open and has failed.
    lost: bool,
    /// How often it has committed this job's changes.
    commits: u64,
    /// Changes are committed when the job orders it only.
    holds_changes: bool,
}

struct Connection {
    stream: UnixStream,
    frames: FrameBuffer,
    out: Vec<u8>,
}

impl Region {
    /// The region of a state folder, the program that asks it, and the process that
    /// has the store, as text.
    pub fn new(state: PathBuf, program: &str, holder: String) -> Region {
        Region {
            state,
            program: program.to_owned(),
            holder,
            open: None,
            lost: false,
            commits: 0,
            holds_changes: false,
        }
    }

    /// Changes are committed when the job orders it only, from now on.
    pub fn hold_changes(&mut self) -> Result<(), Fault> {
        self.holds_changes = true;
        if self.open.is_some() {
            self.ask(&JobRequest::HoldChanges)?;
        }
        Ok(())
    }

    /// Sends a request and waits for the response.
    pub fn ask(&mut self, ask: &JobRequest<'_>) -> Result<Response, Fault> {
        self.connect()?;
        let reply = self.exchange(ask).inspect_err(|_| {
            self.open = None;
            self.lost = true;
        })?;
        self.commits = reply.commits;
        if reply.status.is_done() {
            Ok(reply)
        } else {
            Err(Fault {
                status: reply.status,
                text: reply.text,
            })
        }
    }

    /// The number of commits of this job's changes that the region has
    /// reported.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// Connects, unless it has.
    pub fn connect(&mut self) -> Result<(), Fault> {
        if self.lost {
            return Err(gone("the region has ended"));
        }
        if self.open.is_some() {
            return Ok(());
        }
        let stream = connect(&self.state).map_err(|error| Fault {
            status: Status::IN_USE,
            text: format!(
                "the files are in use by {}, which serves no jobs ({error}): INPUT only; stop it to \
                 change them",
                self.holder
            ),
        })?;
        self.open = Some(Connection {
            stream,
            frames: FrameBuffer::default(),
            out: Vec::new(),
        });
        let program = std::mem::take(&mut self.program);
        let response = self.exchange(&JobRequest::Hello {
            version: VERSION,
            program: program.as_bytes(),
        });
        self.program = program;
        let refused = match response {
            Ok(response) if response.status.is_done() => {
                if self.holds_changes {
                    self.exchange(&JobRequest::HoldChanges)?;
                }
                return Ok(());
            }
            Ok(response) => Fault {
                status: response.status,
                text: response.text,
            },
            Err(fault) => fault,
        };
        self.open = None;
        Err(refused)
    }

    fn exchange(&mut self, ask: &JobRequest<'_>) -> Result<Response, Fault> {
        let Some(connection) = &mut self.open else {
            return Err(gone("the region is not connected"));
        };
        let response = connection.exchange(ask).map_err(|error| {
            gone(&format!(
                "the region has ended ({error}); what it committed is in the files"
            ))
        })?;
        response.ok_or_else(|| gone("the region sent an invalid response"))
    }
}

impl Connection {
    fn exchange(&mut self, ask: &JobRequest<'_>) -> io::Result<Option<Response>> {
        self.out.clear();
        ask.emit(&mut self.out);
        let sent = self.stream.write_all(&self.out);
        loop {
            // A region that ends the connection says why before.
            match self.frames.next(&mut self.stream) {
                Ok(Some(frame)) => return Ok(Response::parse(frame)),
                Ok(None) => {}
                Err(error) => return sent.and(Err(error)),
            }
        }
    }
}

fn gone(text: &str) -> Fault {
    Fault {
        status: Status::PERMANENT,
        text: text.to_owned(),
    }
}
