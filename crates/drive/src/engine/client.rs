//! One client on the driver's own request path: its connections, its outstanding
//! request, and what it waits for. Its life is in [`super::life`].

use super::life::ClientLife;
use crate::http1::Response;
use crate::message::Frame;
use crate::net::Stream;
use crate::plan::RunPlan;
use std::sync::Arc;

/// A simulated user.
pub(super) struct Client {
    pub life: ClientLife,
    pub phase: ClientPhase,
    pub conns: Vec<TargetConnection>,
    /// When the client last became free for an arrival of the open loop.
    pub freed: u64,
    /// The valid entry in the thread's queue of wake-ups.
    pub wake_at: u64,
    pub out: RequestBytes,
}

impl Client {
    /// A client without connections.
    pub fn new(plan: &RunPlan, population: usize, number: u64) -> Client {
        let targets = plan.populations[population].targets.iter();
        Client {
            life: ClientLife::new(plan, population, number),
            phase: ClientPhase::Parked,
            conns: targets.map(|_| TargetConnection::default()).collect(),
            freed: 0,
            wake_at: 0,
            out: RequestBytes::default(),
        }
    }
}

/// What a client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientPhase {
    /// Between two iterations until `wake_at`, or retired.
    Parked,
    /// Open loop: free for the next arrival.
    Idle,
    /// Pausing until `wake_at`; then the current step begins.
    Thinking,
    /// The request waits for its connection.
    Connecting,
    /// Part of the request is written.
    Writing,
    /// Between two writes of one request, until `wake_at`.
    Pausing,
    /// The request is sent; the answer is outstanding.
    Waiting,
}

impl ClientPhase {
    /// Whether a request is outstanding.
    pub fn in_flight(self) -> bool {
        use ClientPhase::{Connecting, Pausing, Waiting, Writing};
        matches!(self, Connecting | Writing | Pausing | Waiting)
    }
}

/// The bytes of the current request.
#[derive(Default)]
pub(super) struct RequestBytes {
    /// Bytes shared by all clients. `None` if `own` has them.
    pub shared: Option<Arc<[u8]>>,
    pub own: Vec<u8>,
    pub at: usize,
    /// The index of the current write in the step's pattern.
    pub piece: usize,
    /// The end of the current write.
    pub piece_end: usize,
}

impl RequestBytes {
    /// Begins another request. Its bytes follow.
    pub fn restart(&mut self) {
        self.at = 0;
        self.piece = 0;
        self.piece_end = 0;
    }

    /// Makes `bytes` the request. The same request as last time needs no new
    /// reference.
    pub fn share(&mut self, bytes: &Arc<[u8]>) {
        let same = self.shared.as_ref().is_some_and(|b| Arc::ptr_eq(b, bytes));
        if !same {
            self.shared = Some(bytes.clone());
        }
    }

    pub fn bytes(&self) -> &[u8] {
        self.shared.as_deref().unwrap_or(&self.own)
    }
}

/// One connection of a client.
#[derive(Default)]
pub(super) struct TargetConnection {
    pub stream: Option<Stream>,
    pub connecting: bool,
    /// Whether epoll watches for writing.
    pub watching_write: bool,
    /// Incremented with every connection, so that an event of an earlier one is
    /// recognised.
    pub generation: u16,
    pub began: u64,
    pub response: Response,
    pub frame: Frame,
}

impl TargetConnection {
    /// Closes the connection, if it is open.
    pub fn close(&mut self) {
        self.stream = None;
        self.connecting = false;
        self.watching_write = false;
        self.generation = self.generation.wrapping_add(1);
    }
}

/// The data that epoll returns for a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub client: usize,
    pub conn: usize,
    pub generation: u16,
}

impl Token {
    pub fn pack(self) -> u64 {
        (self.client as u64) << 32 | (self.conn as u64 & 0xffff) << 16 | u64::from(self.generation)
    }

    pub fn unpack(packed: u64) -> Token {
        Token {
            client: (packed >> 32) as usize,
            conn: (packed >> 16) as usize & 0xffff,
            generation: packed as u16,
        }
    }
}
