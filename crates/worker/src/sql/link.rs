//! A connection with its session, and how bytes go over it.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::rc::Rc;

use cics::resp::Condition;
use runtime::sql::{Session, SessionOptions, SqlTransport};
use sql::wire::{
    Client, ClientEvent, ClientLimits, LoginCredentials, StartupEvent, StartupExchange,
    TransactionState,
};

use super::{SqlGrant, SqlRefusal, settled};
use crate::connections::{LentConnections, WorkResult};
use crate::services::{CommandFailure, WorkerServices};

/// The connection of a unit of work.
#[derive(Debug)]
pub struct SqlLink {
    pub(crate) tag: u64,
    pub(crate) generation: u64,
    file: Rc<File>,
    pub(crate) session: Session,
    /// The unit of work at hand has it.
    pub(crate) has_unit: bool,
    /// Units of work that it has served.
    pub(crate) units: u64,
    /// The unit may have ended without this worker's doing: a program of the region
    /// ran.
    pub(crate) is_uncertain: bool,
    /// The region knows that there are cursors WITH HOLD.
    has_reported_holds: bool,
}

impl SqlLink {
    /// A link over a descriptor whose session is authenticated, set up and idle.
    pub(crate) fn new(tag: u64, generation: u64, file: Rc<File>, options: SessionOptions) -> Self {
        SqlLink {
            tag,
            generation,
            file,
            session: Session::new(options),
            has_unit: false,
            units: 0,
            is_uncertain: false,
            has_reported_holds: false,
        }
    }

    /// Whether this is the link that a grant names.
    pub(crate) fn is_of(&self, grant: &SqlGrant) -> bool {
        (self.tag, self.generation) == (grant.tag, grant.generation)
    }

    /// The region has given it to a unit of work.
    pub(crate) fn begin_unit(&mut self, grant: SqlGrant) {
        if self.has_unit && self.units != grant.units {
            // The unit that it had has ended. Without cursors WITH HOLD, which settle,
            // nothing is left.
            self.session.end_unit(false);
        }
        self.session.set_options(grant.options);
        self.units = grant.units;
        self.has_unit = true;
        self.is_uncertain = false;
    }

    /// Whether the region must get to know of cursors WITH HOLD; true once a unit.
    pub(super) fn must_report_holds(&mut self) -> bool {
        let holds = !self.has_reported_holds && self.session.holds_cursors();
        self.has_reported_holds |= holds;
        holds
    }

    /// A program of the region runs: it may end the unit.
    pub(crate) fn leave(&mut self) {
        self.is_uncertain = true;
    }

    pub(crate) fn file(&self) -> Rc<File> {
        self.file.clone()
    }

    /// Receives what the server still sends of a cursor: the region may use its copy
    /// of the connection then.
    pub(crate) fn quiet(&mut self) {
        let file = self.file();
        // The region finds a broken connection by itself, and so does the next
        // statement.
        let _ = self.session.quiet(&mut FileTransport(&file));
    }

    /// The unit of work is over.
    pub(crate) fn end_unit(&mut self, committed: bool) {
        // A unit that was settled and could not be committed closes all cursors.
        let had_unit = std::mem::take(&mut self.has_unit);
        if had_unit || !committed {
            self.session.end_unit(committed);
        }
        self.has_reported_holds = false;
    }

    /// The task is over.
    pub(crate) fn end_task(&mut self) {
        self.has_unit = false;
        self.is_uncertain = false;
        self.has_reported_holds = false;
        self.session.end_task();
    }
}

/// The bare connection. The region has a copy, so it may block or not.
pub(crate) struct FileTransport<'f>(pub &'f File);

impl FileTransport<'_> {
    fn wait(&self, events: libc::c_short) -> io::Result<()> {
        let mut poll = libc::pollfd {
            fd: self.0.as_raw_fd(),
            events,
            revents: 0,
        };
        // SAFETY: one entry.
        match unsafe { libc::poll(&mut poll, 1, -1) } {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == ErrorKind::Interrupted => Ok(()),
                error => Err(error),
            },
            _ => Ok(()),
        }
    }
}

impl SqlTransport for FileTransport<'_> {
    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut file = self.0;
            match file.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(libc::POLLOUT)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut file = self.0;
            match file.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(libc::POLLIN)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// The connection of a running task: while it waits the QR token is free.
pub(super) struct TaskTransport<'s> {
    file: Rc<File>,
    services: &'s mut dyn WorkerServices,
    holding: bool,
}

impl<'s> TaskTransport<'s> {
    pub fn new(file: Rc<File>, services: &'s mut dyn WorkerServices, holding: bool) -> Self {
        TaskTransport {
            file,
            services,
            holding,
        }
    }
}

impl SqlTransport for TaskTransport<'_> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        FileTransport(&self.file).send(bytes)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.holding {
            self.services.qr_give();
        }
        let received = FileTransport(&self.file).receive(buffer);
        if self.holding {
            self.services.qr_take();
        }
        received
    }
}

/// The region asks before a unit of work ends: what cursors WITH HOLD still have is
/// read before a commit.
pub(crate) fn settle(
    connections: &mut LentConnections,
    tag: u64,
    [commit, ..]: [u64; 4],
    _: &[u8],
) -> WorkResult {
    let Some(link) = connections.sql_mut().filter(|link| link.tag == tag) else {
        return (Condition::NotFnd, Vec::new());
    };
    let commit = commit != 0;
    let file = link.file();
    let result = link.session.settle(&mut FileTransport(&file), commit);
    match result {
        Ok(done) => {
            link.has_unit = false;
            link.has_reported_holds = false;
            let state = match done.state {
                TransactionState::Idle => b'I',
                TransactionState::Open => b'T',
                TransactionState::Failed => b'E',
            };
            let mut flags = 0;
            if done.changed {
                flags |= settled::CHANGED;
            }
            if done.holds {
                flags |= settled::HOLDS;
            }
            (Condition::Normal, vec![state, flags])
        }
        Err(ca) if matches!(ca.sqlcode, -923 | -924) => (Condition::IoErr, Vec::new()),
        Err(_) => (Condition::NoSpace, Vec::new()),
    }
}

/// Connects to a server over its socket, for programs under test.
///
/// # Errors
/// There is no server, or it refuses the user.
pub fn connect(socket: &Path, user: &str, database: &str) -> io::Result<OwnedFd> {
    let mut stream = UnixStream::connect(socket)?;
    let credentials = LoginCredentials {
        user: user.to_owned(),
        database: database.to_owned(),
        password: None,
        settings: vec![("client_encoding".to_owned(), "UTF8".to_owned())],
    };
    let mut out = Vec::new();
    let mut start = StartupExchange::new(credentials, "dHVwZWxvIHByb2JlIG5vbmNl", &mut out);
    let mut bytes = [0; 4096];
    loop {
        stream.write_all(&out)?;
        out.clear();
        let count = stream.read(&mut bytes)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        match start.handle_bytes(&bytes[..count], &mut out) {
            Ok(StartupEvent::Waiting) => {}
            Ok(StartupEvent::Ready { .. }) => return Ok(stream.into()),
            Err(error) => return Err(io::Error::other(error.to_string())),
        }
    }
}

/// A connection of this process's own, for programs under test. Units of work end
/// over it as a region ends them over its copy.
#[derive(Debug, Default)]
pub(crate) struct SqlConnection {
    file: Option<Rc<File>>,
    options: SessionOptions,
    link: Option<Box<SqlLink>>,
}

impl SqlConnection {
    pub fn new(fd: OwnedFd, options: SessionOptions) -> SqlConnection {
        SqlConnection {
            file: Some(Rc::new(File::from(fd))),
            options,
            link: None,
        }
    }

    pub fn open(&mut self) -> Result<Box<SqlLink>, SqlRefusal> {
        if let Some(link) = self.link.take() {
            return Ok(link);
        }
        let Some(file) = self.file.clone() else {
            return Err(SqlRefusal::Failed(CommandFailure::Abend(*b"AEY9")));
        };
        Ok(Box::new(SqlLink::new(1, 1, file, self.options.clone())))
    }

    pub fn keep(&mut self, link: Box<SqlLink>) {
        self.link = Some(link);
    }

    /// Ends the unit of work; false if it was rolled back instead of committed.
    pub fn end_unit(&mut self, commit: bool) -> bool {
        let (Some(link), Some(file)) = (&mut self.link, &self.file) else {
            return true;
        };
        let settled = link.session.settle(&mut FileTransport(file), commit);
        let commit = commit && settled.is_ok();
        let verb = if commit { "COMMIT" } else { "ROLLBACK" };
        let ended = end_on_server(file, verb).is_ok();
        link.session.end_unit(commit && ended);
        settled.is_ok() && ended
    }

    pub fn end_task(&mut self) {
        self.end_unit(true);
        if let Some(link) = &mut self.link {
            link.end_task();
        }
    }
}

/// Sends a statement and reads to the end of its reply.
fn end_on_server(file: &File, sql: &str) -> io::Result<()> {
    let mut client = Client::new(TransactionState::Idle, ClientLimits::default());
    client.query(sql);
    let mut transport = FileTransport(file);
    transport.send(client.output())?;
    let mut bytes = [0; 4096];
    loop {
        match client.poll_event() {
            Ok(Some(ClientEvent::Ready(_))) => return Ok(()),
            Ok(Some(ClientEvent::Error(error))) => return Err(io::Error::other(error.message)),
            Ok(Some(_)) => {}
            Ok(None) => match transport.receive(&mut bytes)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => client.handle_bytes(&bytes[..count]),
            },
            Err(error) => return Err(io::Error::other(error.to_string())),
        }
    }
}
