//! A provider: programs of a mainframe's CICS.
//!
//! The gateway uses the CICS's own interfaces: its HTTP ([`web`]), where a program of
//! the site LINKs to the named one, or a sockets listener ([`sockets`]), whose
//! receiver runs one program with each message. Either transfers one COMMAREA
//! or one container in each direction, as bytes in the mainframe's code page;
//! the gateway lays out the records.
//!
//! Each thread of the gateway has connections of its own, which are kept open
//! between requests. A request is repeated only if that cannot run a
//! program twice: no byte of it was sent, or its method is idempotent and the
//! connection was an old one.
//!
//! Invariant: nothing here depends on the meaning of a record.

mod health;
mod pool;
mod sockets;
mod web;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use health::ConnectionHealth;
pub use health::MainframeStatus;
use pool::SessionPool;
use region::{
    Abend, CallFailure, ContainerName, NotStarted, ProgramCall, ProgramReply, ProgramTask,
    PutError, TaskRequest, TransId,
};
pub use sockets::SocketConnection;
pub use web::WebConnection;

/// The boundaries of messages in a stream of bytes.
pub trait MessageFraming: Send + Sync {
    /// Appends a message with its frame.
    ///
    /// # Errors Why the frame cannot represent it.
    fn emit(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), String>;

    /// The message that these bytes begin with. `searched` is what the look
    /// before said, 0 for the first.
    ///
    /// # Errors Why the bytes do not begin with a frame.
    fn first(&self, bytes: &[u8], searched: usize) -> Result<FirstFrame, String>;
}

/// The start of a stream of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstFrame {
    /// A message.
    Message {
        /// The message's bytes, without its frame.
        data: Range<usize>,
        /// The offset of the next message.
        next: usize,
    },
    /// A part of one.
    Part {
        /// Bytes that need not be searched again.
        searched: usize,
        /// How many bytes must be there before it is worth looking again.
        needed: usize,
    },
}

/// The settings of connections of either kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonSettings {
    /// CCSID of the code page of data there, where assets and policies name
    /// none.
    pub ccsid: u16,
    /// Most connections at a time, of all threads together; each thread has
    /// one at least.
    pub sessions: u32,
    /// Milliseconds that a request may wait for a session.
    pub session_wait_ms: u32,
    /// Milliseconds that connecting may take, TLS included.
    pub connect_timeout_ms: u32,
    /// Most bytes of an answer.
    pub max_bytes: usize,
    /// The container that an answer is, when it does not say so itself; that of
    /// the request when absent.
    pub answer_container: Option<ContainerName>,
    /// TLS; `None` for plain connections.
    pub tls: Option<TlsTrust>,
}

/// The trusted authorities of a connection with TLS, and its client
/// certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsTrust {
    /// Authorities in PEM; those of the system when absent.
    pub authorities: Option<PathBuf>,
    /// Certificate and key in PEM that are shown; takes `authorities`.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The name in the server's certificate; that of its address when absent.
    pub name: Option<String>,
}

/// All connections of a process by name.
#[derive(Default)]
pub struct MainframeConnections {
    connections: BTreeMap<String, Arc<Connection>>,
    /// Threads that share the sessions.
    threads: u32,
}

/// One connection to a mainframe.
struct Connection {
    name: String,
    common: CommonSettings,
    kind: Kind,
    dial: pool::DialSettings,
    health: ConnectionHealth,
}

enum Kind {
    Web(WebConnection),
    Sockets(SocketConnection),
}

/// A thread's end of the connections.
pub struct MainframeDoor {
    ways: BTreeMap<String, Rc<ConnectionSessions>>,
}

/// A connection with this thread's sessions.
struct ConnectionSessions {
    connection: Arc<Connection>,
    pool: SessionPool,
}

impl MainframeConnections {
    /// Connections for so many threads.
    pub fn new(threads: u32) -> MainframeConnections {
        MainframeConnections {
            connections: BTreeMap::new(),
            threads: threads.max(1),
        }
    }

    /// Adds a CICS that is called over its own HTTP.
    ///
    /// # Errors A setting that cannot be used.
    pub fn add_web(
        &mut self,
        name: &str,
        web: WebConnection,
        common: CommonSettings,
    ) -> Result<(), String> {
        let (host, port, secure) = web.target()?;
        let tls = match (secure, common.tls.clone()) {
            (true, tls) => Some(tls.unwrap_or_default()),
            (false, None) => None,
            (false, Some(_)) => return Err("TLS needs a url that begins with https://".into()),
        };
        self.add(name, Kind::Web(web), (&host, port, tls), common)
    }

    /// Adds a CICS whose sockets listener is called.
    ///
    /// # Errors A setting that cannot be used.
    pub fn add_sockets(
        &mut self,
        name: &str,
        sockets: SocketConnection,
        common: CommonSettings,
    ) -> Result<(), String> {
        let (host, port) = sockets.target()?;
        let tls = common.tls.clone();
        self.add(name, Kind::Sockets(sockets), (&host, port, tls), common)
    }

    fn add(
        &mut self,
        name: &str,
        kind: Kind,
        (host, port, tls): (&str, u16, Option<TlsTrust>),
        common: CommonSettings,
    ) -> Result<(), String> {
        copybook::CodePage::by_ccsid(common.ccsid).map_err(|e| e.to_string())?;
        let dial = pool::DialSettings::new(host, port, tls.as_ref(), common.connect_timeout_ms)?;
        let connection = Connection {
            name: name.to_owned(),
            health: ConnectionHealth::new(&dial.shown()),
            common,
            kind,
            dial,
        };
        self.connections
            .insert(name.to_owned(), Arc::new(connection));
        Ok(())
    }

    /// Whether there are no mainframe connections.
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// Whether there is one of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.connections.contains_key(name)
    }

    /// The end of the calling thread.
    pub fn door(&self) -> MainframeDoor {
        let ways = self.connections.iter().map(|(name, connection)| {
            let sessions = connection.common.sessions.div_ceil(self.threads).max(1);
            let way = ConnectionSessions {
                pool: SessionPool::new(sessions as usize),
                connection: connection.clone(),
            };
            (name.clone(), Rc::new(way))
        });
        MainframeDoor {
            ways: ways.collect(),
        }
    }

    /// Whether any connection could be reached when it was last tried.
    pub fn ready(&self) -> bool {
        let mut all = self.connections.values();
        all.any(|connection| connection.health.error().is_none())
    }

    /// Which of them could not be reached when they were last tried.
    pub fn impairment(&self) -> Option<String> {
        let down: Vec<String> = self
            .connections
            .values()
            .filter_map(|c| Some(format!("{} ({})", c.name, c.health.error()?)))
            .collect();
        (!down.is_empty()).then(|| format!("not reached: {}", down.join("; ")))
    }

    /// All of them as operators see them, by name.
    pub fn statuses(&self) -> Vec<MainframeStatus> {
        let all = self.connections.values().map(|c| {
            let kind = match c.kind {
                Kind::Web(_) => "HTTP",
                Kind::Sockets(_) => "SOCKETS",
            };
            c.health.status(&c.name, kind, c.common.sessions)
        });
        all.collect()
    }

    /// Appends figures in the Prometheus text format.
    pub fn metrics(&self, out: &mut String) {
        if self.is_empty() {
            return;
        }
        health::write(
            self.connections.values().map(|c| (&*c.name, &c.health)),
            out,
        );
    }
}

/// Appends what [`MainframeConnections::metrics`] can have, for the reference.
pub fn mainframe_metrics_sample(out: &mut String) {
    let health = ConnectionHealth::new("cics.example:80");
    health::write([("CICSA", &health)].into_iter(), out);
}

impl MainframeDoor {
    /// The CCSID of a connection. Returns `None` if no connection has this
    /// name.
    pub fn ccsid(&self, connection: &str) -> Option<u16> {
        Some(self.ways.get(connection)?.connection.common.ccsid)
    }

    /// Begins a call over a connection. Returns `None` if no connection has
    /// this name.
    pub fn begin(&self, connection: &str, call: &ProgramCall<'_>) -> Option<MainframeTask> {
        let way = self.ways.get(connection)?.clone();
        Some(MainframeTask {
            way,
            request: call.request,
            idempotent: call.idempotent,
            input: Input::default(),
        })
    }
}

/// The input of a program.
#[derive(Default)]
struct Input {
    bytes: Vec<u8>,
    /// The container that it is; a COMMAREA else.
    container: Option<ContainerName>,
}

/// A call whose input is being written.
pub struct MainframeTask {
    way: Rc<ConnectionSessions>,
    request: TaskRequest,
    idempotent: bool,
    input: Input,
}

impl MainframeTask {
    /// The transaction that the program is to see.
    fn transid(&self) -> TransId {
        if self.request.eib_transid.is_blank() {
            self.request.transid
        } else {
            self.request.eib_transid
        }
    }
}

/// The reply.
#[derive(Debug, Default)]
pub struct MainframeReply {
    bytes: Vec<u8>,
    container: Option<ContainerName>,
    abend: Option<Abend>,
}

impl ProgramTask for MainframeTask {
    type Reply = MainframeReply;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        if let Some(first) = &self.input.container {
            let connection = &self.way.connection.name;
            return Err(PutError::Form(format!(
                "the connection {connection} transfers one container, but the asset has {first} \
                 and {name}"
            )));
        }
        let mut bytes = vec![0; max];
        let length = fill(&mut bytes).map_err(PutError::Fill)?;
        bytes.truncate(length);
        self.input = Input {
            bytes,
            container: Some(name),
        };
        Ok(())
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.input.bytes = vec![0; len];
        fill(&mut self.input.bytes).map_err(PutError::Fill)
    }

    async fn run(self) -> Result<MainframeReply, CallFailure> {
        let way = self.way.clone();
        let connection = &way.connection;
        let mut under_way = connection.health.begins();
        let answered = match &connection.kind {
            Kind::Web(web) => web.call(&way, &self).await,
            Kind::Sockets(sockets) => sockets.call(&way, &self).await,
        };
        under_way.answered = answered.is_ok();
        let mut reply = answered?;
        let named = reply.container.or(connection.common.answer_container);
        reply.container = self.input.container.map(|own| named.unwrap_or(own));
        Ok(reply)
    }
}

impl ConnectionSessions {
    fn lost(&self, why: impl std::fmt::Display) -> CallFailure {
        CallFailure::Lost(format!("the connection {}: {why}", self.connection.name))
    }

    fn impossible(&self, why: impl std::fmt::Display) -> CallFailure {
        let name = &self.connection.name;
        CallFailure::NotStarted(NotStarted::Impossible(format!(
            "the connection {name}: {why}"
        )))
    }

    fn wait(&self) -> Duration {
        Duration::from_millis(self.connection.common.session_wait_ms.into())
    }
}

impl ProgramReply for MainframeReply {
    fn abend(&self) -> Option<&Abend> {
        self.abend.as_ref()
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        (self.container == Some(name)).then_some(&*self.bytes)
    }

    fn container_names(&self) -> Vec<ContainerName> {
        self.container.into_iter().collect()
    }

    fn commarea(&self) -> &[u8] {
        match self.container {
            None => &self.bytes,
            Some(_) => &[],
        }
    }
}
