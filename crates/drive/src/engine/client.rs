//! One client: its connections, its position in the iteration, and its outstanding
//! request.

use crate::http1::Response;
use crate::message::Frame;
use crate::net::Stream;
use base::SeededRandom;
use std::sync::Arc;

/// A simulated user.
pub(super) struct Client {
    /// The index of its population.
    pub population: usize,
    /// Its number in the population, over all threads.
    pub number: u64,
    pub phase: ClientPhase,
    pub conns: Vec<TargetConnection>,
    pub step: usize,
    pub iteration: u64,
    /// When the schedule wanted the request to be sent.
    pub intended: u64,
    /// The earliest possible time: `intended`, or later if the bound on
    /// outstanding requests held it back.
    pub ready: u64,
    /// When it was sent.
    pub sent: u64,
    /// Whether the request counts: it was intended in the measured part.
    pub measured: bool,
    /// When the client last became free.
    pub freed: u64,
    /// The valid entry in the thread's queue of wake-ups.
    pub wake_at: u64,
    pub out: RequestBytes,
    pub rows: Vec<u64>,
    pub captured: Vec<Vec<u8>>,
    pub rng: SeededRandom,
    /// Consecutive connection failures; they determine the pause before the
    /// next attempt.
    pub refusals: u32,
}

/// The state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientPhase {
    /// Not taking part: not started yet, or finished.
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
