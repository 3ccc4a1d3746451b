//! A connection as a state machine, for either end.
//!
//! The caller sends requests, the server answers them. The owner passes received
//! bytes to [`Connection::handle_input`], takes events from
//! [`Connection::poll_event`], and takes output from [`Connection::gather`] and
//! [`Connection::pieces`]. Times are milliseconds of any monotonic clock.
//!
//! Invariant: a peer can use at most this much of this side's memory: the ungranted
//! bytes of all sessions, and the budget of granted messages.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

use crate::receiving::{ReceiveBuffer, ReceivedPart};
use crate::sending::SendQueue;
use crate::wire::{EndNotice, FrameKind, HelloMessage, VERSION};

/// Milliseconds that a greeting may take.
const GREETING_MS: u64 = 10_000;
/// Silence of so many keepalives ends a connection.
const SILENT: u64 = 3;
/// Shortest keepalive, in milliseconds.
const LEAST_KEEPALIVE_MS: u64 = 100;
/// Milliseconds during which a peer may read nothing of the pending output.
const STALLED_MS: u64 = 30_000;
/// Bytes of answers to control frames that may wait for a peer that does not
/// read.
const MOST_CONTROL: usize = 256 << 10;

/// The reason why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The peer violated the format.
    #[error("frame {frame}: {what}")]
    Violation {
        /// Which frame of the connection, from 1.
        frame: u64,
        /// The problem.
        what: String,
    },
    /// The two ends have no version in common.
    #[error("{0}")]
    Version(String),
    /// The peer says why it ends it.
    #[error("the partner reported: {}", .0.text())]
    Notified(EndNotice),
    /// The peer was silent, or read nothing, for too long.
    #[error("{0}")]
    Silent(&'static str),
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// A partner asks for a connection; answer with [`Connection::welcome`] or
    /// [`Connection::refuse`]. Server only.
    Greeted(HelloMessage),
    /// The server has let this side in. Caller alone.
    Open,
    /// A request has arrived. Server only.
    Request(u32, Vec<u8>),
    /// The caller cancelled a request and no longer waits for its reply. Server
    /// only.
    Cancelled(u32),
    /// The reply to a request. Caller alone.
    Reply(u32, Vec<u8>),
    /// The server acknowledged a cancellation: the request's session is free.
    /// Caller only.
    Freed(u32),
    /// The server takes nothing new. Caller alone.
    Draining,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionPhase {
    Greeting,
    /// The server has not decided yet.
    Greeted,
    Open,
    Over,
}

/// The progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestStage {
    /// Its message is being sent or received.
    Open,
    /// The caller has given it up.
    Cancelled,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    caller: bool,
    own: HelloMessage,
    peer: Option<HelloMessage>,
    phase: ConnectionPhase,
    sessions: usize,
    requests: HashMap<u32, RequestStage>,
    next: u32,
    draining: bool,
    sending: SendQueue,
    receiving: ReceiveBuffer,
    events: VecDeque<ConnectionEvent>,
    began_ms: u64,
    last_received_ms: u64,
    /// Time of the last write, and since when the peer reads nothing of the
    /// pending output.
    wrote_ms: u64,
    ready_ms: u64,
    /// A ping is under way.
    ping_pending: bool,
}

impl Connection {
    /// The caller's end. It greets.
    pub fn caller(own: HelloMessage, now_ms: u64) -> Connection {
        let mut made = Connection::new(true, own, now_ms);
        let payload = made.own.emit();
        made.sending.control(FrameKind::Hello, 0, &payload);
        made
    }

    /// The server's end. It waits for a greeting.
    pub fn server(own: HelloMessage, now_ms: u64) -> Connection {
        Connection::new(false, own, now_ms)
    }

    fn new(caller: bool, own: HelloMessage, now_ms: u64) -> Connection {
        let longest = own.max_message_bytes as usize;
        Connection {
            caller,
            peer: None,
            phase: ConnectionPhase::Greeting,
            sessions: 0,
            requests: HashMap::new(),
            next: 1,
            draining: false,
            sending: SendQueue::default(),
            // One of the longest, or several shorter ones.
            receiving: ReceiveBuffer::new(own.unasked_bytes as usize, longest, longest),
            events: VecDeque::new(),
            began_ms: now_ms,
            last_received_ms: now_ms,
            wrote_ms: now_ms,
            ready_ms: now_ms,
            ping_pending: false,
            own,
        }
    }

    /// The partner, once its greeting has arrived.
    pub fn peer(&self) -> Option<&HelloMessage> {
        self.peer.as_ref()
    }

    /// Sessions that both ends agreed on; 0 before.
    pub fn sessions(&self) -> usize {
        self.sessions
    }

    /// Requests under way.
    pub fn in_use(&self) -> usize {
        self.requests.len()
    }

    /// Whether a request can be sent now.
    pub fn is_free(&self) -> bool {
        self.phase == ConnectionPhase::Open && !self.draining && self.requests.len() < self.sessions
    }

    /// Longest message that the peer takes, in bytes.
    pub fn longest(&self) -> usize {
        self.peer
            .as_ref()
            .map_or(0, |p| p.max_message_bytes as usize)
    }

    /// Whether nothing of a request has been written.
    pub fn is_unsent(&self, id: u32) -> bool {
        self.sending.is_whole(id)
    }

    /// Whether it is draining and no request is in progress.
    pub fn is_drained(&self) -> bool {
        self.draining && self.requests.is_empty()
    }

    // Commands.

    /// Lets the caller in, with so many sessions at most.
    pub fn welcome(&mut self, most: usize) {
        let Some(peer) = self
            .peer
            .as_ref()
            .filter(|_| self.phase == ConnectionPhase::Greeted)
        else {
            return;
        };
        self.sessions = most.clamp(1, usize::from(peer.sessions));
        let welcome = HelloMessage {
            versions: (VERSION, VERSION),
            sessions: self.sessions as u16,
            ..self.own.clone()
        };
        self.sending.control(FrameKind::Welcome, 0, &welcome.emit());
        self.phase = ConnectionPhase::Open;
        if self.draining {
            self.sending.control(FrameKind::Drain, 0, &[]);
        }
    }

    /// Rejects the caller, or ends the connection, for this reason.
    pub fn refuse(&mut self, why: &EndNotice) {
        self.sending.control(FrameKind::Error, 0, &why.emit());
        self.phase = ConnectionPhase::Over;
    }

    /// Accepts no new request; those in progress are completed.
    pub fn drain(&mut self) {
        if !self.draining && !self.caller && self.phase == ConnectionPhase::Open {
            self.sending.control(FrameKind::Drain, 0, &[]);
        }
        self.draining = true;
    }

    /// Sends a request and returns its number. Returns `None` if
    /// [`Connection::is_free`] is false, or if the message is longer than
    /// [`Connection::longest`].
    pub fn request(&mut self, message: Bytes) -> Option<u32> {
        let peer = self.peer.as_ref()?;
        if !self.caller || !self.is_free() || message.len() > peer.max_message_bytes as usize {
            return None;
        }
        let mut id = self.next;
        while self.requests.contains_key(&id) || id == 0 {
            id = id.wrapping_add(1);
        }
        self.next = id.wrapping_add(1);
        self.requests.insert(id, RequestStage::Open);
        let unasked = peer.unasked_bytes as usize;
        self.sending
            .message(FrameKind::Request, id, message, unasked);
        Some(id)
    }

    /// Gives a request up. Its session is free when the server has said so, or
    /// at once when nothing of it had left.
    pub fn cancel(&mut self, id: u32) {
        if self.requests.get(&id) != Some(&RequestStage::Open) || !self.caller {
            return;
        }
        if self.sending.forget(id) {
            self.requests.remove(&id);
            return;
        }
        self.requests.insert(id, RequestStage::Cancelled);
        self.receiving.abandon(id);
        self.sending.control(FrameKind::Cancel, id, &[]);
    }

    /// Answers a request. The caller checks that the reply does not exceed the
    /// peer's limit.
    pub fn reply(&mut self, id: u32, message: Bytes) {
        if self.caller || self.requests.get(&id) != Some(&RequestStage::Open) {
            return;
        }
        let unasked = self.peer.as_ref().map_or(0, |p| p.unasked_bytes as usize);
        self.sending.message(FrameKind::Reply, id, message, unasked);
    }

    // Receiving.

    /// Handles received bytes. After an error it accepts no more input, but
    /// still sends the reason to the peer.
    pub fn handle_input(&mut self, now_ms: u64, mut bytes: &[u8]) -> Result<(), Fault> {
        self.last_received_ms = now_ms;
        self.ping_pending = false;
        while !bytes.is_empty() && self.phase != ConnectionPhase::Over {
            let (caller, phase) = (self.caller, self.phase);
            let (requests, sessions) = (&self.requests, self.sessions);
            let known = |kind: FrameKind, id: u32| match kind {
                FrameKind::Request => {
                    !caller && phase == ConnectionPhase::Open && !requests.contains_key(&id)
                }
                FrameKind::Reply => caller && requests.contains_key(&id),
                _ => false,
            };
            let came = self.receiving.take(&mut bytes, known);
            let came = came.map_err(|what| self.violated(what))?;
            match came {
                Some(ReceivedPart::Begins(_)) if self.requests.len() >= sessions => {
                    let what =
                        format!("a request exceeds the {sessions} sessions of the connection");
                    return Err(self.violated(what));
                }
                Some(ReceivedPart::Begins(id)) => {
                    self.requests.insert(id, RequestStage::Open);
                }
                Some(ReceivedPart::Message(kind, id, message)) => {
                    self.handle_message(kind, id, message)
                }
                Some(ReceivedPart::Control(header, payload)) => {
                    self.handle_control(header.kind, header.id, &payload)?;
                }
                None => {}
            }
            while let Some(id) = self.receiving.next_grant() {
                self.sending.control(FrameKind::Grant, id, &[]);
            }
        }
        if self.sending.control_bytes() > MOST_CONTROL {
            return Err(self.silent("the partner sends requests and does not read the answers"));
        }
        Ok(())
    }

    fn handle_message(&mut self, _: FrameKind, id: u32, message: Vec<u8>) {
        if self.caller {
            self.requests.remove(&id);
            self.events.push_back(ConnectionEvent::Reply(id, message));
        } else {
            self.events.push_back(ConnectionEvent::Request(id, message));
        }
    }

    fn handle_control(&mut self, kind: FrameKind, id: u32, payload: &[u8]) -> Result<(), Fault> {
        match (kind, self.phase) {
            (FrameKind::Error, _) => {
                self.phase = ConnectionPhase::Over;
                let notice = EndNotice::parse(payload).map_err(|e| self.violated(e.to_string()))?;
                return Err(Fault::Notified(notice));
            }
            (FrameKind::Hello, ConnectionPhase::Greeting) if !self.caller => {
                self.greeted(payload)?
            }
            (FrameKind::Welcome, ConnectionPhase::Greeting) if self.caller => {
                self.welcomed(payload)?
            }
            (_, ConnectionPhase::Greeting | ConnectionPhase::Greeted) => {
                return Err(self.violated(format!("{kind:?} before the end of the greeting")));
            }
            (FrameKind::Ping, _) => self.sending.control(FrameKind::Pong, 0, &[]),
            (FrameKind::Pong, _) => {}
            (FrameKind::Drain, _) if self.caller => {
                if !self.draining {
                    self.draining = true;
                    self.events.push_back(ConnectionEvent::Draining);
                }
            }
            // One may cross the end of its request.
            (FrameKind::Grant, _) => self.sending.grant(id),
            (FrameKind::Cancel, _) if self.caller => {
                if self.requests.get(&id) != Some(&RequestStage::Cancelled) {
                    return Err(self.violated(format!("request {id} was not cancelled")));
                }
                self.requests.remove(&id);
                self.receiving.forget(id);
                self.events.push_back(ConnectionEvent::Freed(id));
            }
            (FrameKind::Cancel, _) => self.cancelled(id),
            _ => return Err(self.violated(format!("unexpected frame {kind:?}"))),
        }
        Ok(())
    }

    fn greeted(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let hello = HelloMessage::parse(payload).map_err(|e| self.violated(e.to_string()))?;
        let (lowest, highest) = hello.versions;
        if !(lowest..=highest).contains(&VERSION) {
            let what = format!(
                "{} supports versions {lowest} to {highest}, this side version {VERSION}",
                hello.applid
            );
            self.refuse(&EndNotice::Version(what.clone()));
            return Err(Fault::Version(what));
        }
        self.phase = ConnectionPhase::Greeted;
        self.events
            .push_back(ConnectionEvent::Greeted(hello.clone()));
        self.peer = Some(hello);
        Ok(())
    }

    fn welcomed(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let hello = HelloMessage::parse(payload).map_err(|e| self.violated(e.to_string()))?;
        if hello.versions != (VERSION, VERSION) {
            let what = format!("{} uses version {}", hello.applid, hello.versions.0);
            return Err(Fault::Version(what));
        }
        if hello.sessions > self.own.sessions {
            let what = format!(
                "the partner granted {} sessions, more than requested",
                hello.sessions
            );
            return Err(self.violated(what));
        }
        self.sessions = usize::from(hello.sessions);
        self.peer = Some(hello);
        self.phase = ConnectionPhase::Open;
        self.events.push_back(ConnectionEvent::Open);
        Ok(())
    }

    /// The caller has given a request up. Its reply may have crossed that.
    fn cancelled(&mut self, id: u32) {
        self.sending.control(FrameKind::Cancel, id, &[]);
        if self.requests.remove(&id).is_some() {
            self.sending.forget(id);
            self.receiving.forget(id);
            self.events.push_back(ConnectionEvent::Cancelled(id));
        }
    }

    fn violated(&mut self, what: String) -> Fault {
        let fault = Fault::Violation {
            frame: self.receiving.frames(),
            what,
        };
        if self.phase != ConnectionPhase::Over {
            self.refuse(&EndNotice::Violation(fault.to_string()));
        }
        fault
    }

    fn silent(&mut self, what: &'static str) -> Fault {
        self.refuse(&EndNotice::Silent(what.into()));
        Fault::Silent(what)
    }

    // Sending.

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<ConnectionEvent> {
        self.events.pop_front()
    }

    /// Makes the next bytes ready. Returns `false` if there is nothing to be
    /// written.
    pub fn gather(&mut self, now_ms: u64) -> bool {
        let waited = self.is_writing();
        let some = self.sending.gather();
        if some && !waited {
            self.ready_ms = now_ms;
        }
        some
    }

    /// The bytes to be written next: both pieces in this order.
    pub fn pieces(&self) -> [&[u8]; 2] {
        self.sending.pieces()
    }

    /// So many bytes of the pieces were written.
    pub fn wrote(&mut self, bytes: usize, now_ms: u64) {
        self.wrote_ms = now_ms;
        self.ready_ms = now_ms;
        self.sending.wrote(bytes);
        for id in self.sending.take_left() {
            if !self.caller {
                self.requests.remove(&id);
            }
        }
    }

    /// When [`Connection::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> u64 {
        let keepalive = self.keepalive_ms();
        let stalled = if self.is_writing() {
            self.ready_ms + STALLED_MS
        } else {
            u64::MAX
        };
        let silent_since = match self.phase {
            ConnectionPhase::Greeting | ConnectionPhase::Greeted => self.began_ms + GREETING_MS,
            _ if self.caller && !self.ping_pending => self.quiet_ms() + keepalive,
            _ => self.last_received_ms + keepalive * SILENT,
        };
        silent_since.min(stalled)
    }

    /// Time has passed: asks whether the peer is there, or gives it up.
    pub fn handle_timeout(&mut self, now_ms: u64) -> Result<(), Fault> {
        let keepalive = self.keepalive_ms();
        if self.is_writing() && now_ms >= self.ready_ms + STALLED_MS {
            return Err(self.silent("the partner reads nothing"));
        }
        match self.phase {
            ConnectionPhase::Greeting | ConnectionPhase::Greeted
                if now_ms >= self.began_ms + GREETING_MS =>
            {
                Err(self.silent("no greeting arrived in time"))
            }
            ConnectionPhase::Open if now_ms >= self.last_received_ms + keepalive * SILENT => {
                Err(self.silent("the partner sent nothing, and did not answer a ping"))
            }
            ConnectionPhase::Open
                if self.caller && !self.ping_pending && now_ms >= self.quiet_ms() + keepalive =>
            {
                self.ping_pending = true;
                self.sending.control(FrameKind::Ping, 0, &[]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Milliseconds since one of the two directions was last active: a server
    /// receives nothing from a caller that only reads.
    fn quiet_ms(&self) -> u64 {
        self.last_received_ms.min(self.wrote_ms)
    }

    fn is_writing(&self) -> bool {
        let [head, tail] = self.pieces();
        !(head.is_empty() && tail.is_empty())
    }

    /// The caller asks, so its keepalive holds at both ends.
    fn keepalive_ms(&self) -> u64 {
        let of = match (self.caller, &self.peer) {
            (false, Some(peer)) => peer.keepalive_ms,
            _ => self.own.keepalive_ms,
        };
        u64::from(of).max(LEAST_KEEPALIVE_MS)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
