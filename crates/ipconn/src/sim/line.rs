//! The connections from one region to the other: the newest, and older ones
//! whose ends have not both noticed the cut.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use base::SeededRandom;
use bytes::Bytes;

use crate::connection::{Connection, ConnectionEvent};
use crate::coordinating::MessageSubject;
use crate::wire::{HelloMessage, ReplyMessage};
use region::{CallFailure, NotStarted};

/// How long a message waits for a session, in nanoseconds.
const PATIENCE: u64 = 20_000_000;
/// The maximum number of attempts for a request of which nothing was sent.
const ATTEMPTS: u32 = 3;

type ServeFuture = Pin<Box<dyn Future<Output = Vec<u8>>>>;

/// The receiver of a reply.
#[derive(Debug, Clone)]
pub enum SimulatedReceiver {
    /// The program of a task that has made a LINK.
    Program(u32),
    /// The coordinator of units.
    About(MessageSubject),
}

/// A message that has no session yet.
struct WaitingMessage {
    until: u64,
    bytes: Bytes,
    waiter: SimulatedReceiver,
    attempt: u32,
}

/// A connection, both of its ends.
struct JointConnection {
    number: u64,
    caller: Connection,
    server: Connection,
    up: VecDeque<Vec<u8>>,
    down: VecDeque<Vec<u8>>,
    open: bool,
    /// No further bytes are sent.
    cut: bool,
    caller_left: bool,
    server_left: bool,
    pending: BTreeMap<u32, WaitingMessage>,
    served: Vec<(u32, ServeFuture)>,
}

/// Events at the ends of connections.
#[derive(Default)]
pub struct LineEvents {
    /// The caller's end is open.
    pub opened: bool,
    /// Received requests: their numbers, and those of their connections.
    pub requests: Vec<(u32, u64, Vec<u8>)>,
    /// Received replies, and requests that get none.
    pub replies: Vec<(SimulatedReceiver, Result<ReplyMessage, CallFailure>)>,
    /// Connections whose servers' ends have ended.
    pub left: Vec<u64>,
}

/// All of a direction.
#[derive(Default)]
pub struct SimulatedLine {
    joints: Vec<JointConnection>,
    waiting: Vec<WaitingMessage>,
}

impl SimulatedLine {
    /// Whether the caller considers itself connected.
    pub fn is_connected(&self) -> bool {
        self.joints.iter().any(|joint| !joint.caller_left)
    }

    pub fn connect(&mut self, number: u64, (caller, server): (&str, &str), sessions: u16) {
        let hello = |name: &str| HelloMessage {
            sessions,
            instance: number,
            ..HelloMessage::named(name).expect("a name")
        };
        self.joints.push(JointConnection {
            number,
            caller: Connection::caller(hello(caller), 0),
            server: Connection::server(hello(server), 0),
            up: VecDeque::new(),
            down: VecDeque::new(),
            open: false,
            cut: false,
            caller_left: false,
            server_left: false,
            pending: BTreeMap::new(),
            served: Vec::new(),
        });
    }

    /// Has a message sent as soon as there is a session.
    pub fn send(&mut self, now: u64, bytes: Vec<u8>, waiter: SimulatedReceiver) {
        self.waiting.push(WaitingMessage {
            until: now + PATIENCE,
            bytes: bytes.into(),
            waiter,
            attempt: 1,
        });
        self.hand_out();
    }

    fn hand_out(&mut self) {
        let joint = self.joints.iter_mut();
        let Some(joint) = joint.rev().find(|j| j.open && !j.caller_left) else {
            return;
        };
        let mut left = Vec::new();
        for waiting in self.waiting.drain(..) {
            match joint.caller.request(waiting.bytes.clone()) {
                Some(id) => drop(joint.pending.insert(id, waiting)),
                None => left.push(waiting),
            }
        }
        self.waiting = left;
    }

    pub fn give_up_waiting(&mut self, now: u64) -> Vec<(SimulatedReceiver, CallFailure)> {
        let connected = self.joints.iter().any(|j| j.open && !j.caller_left);
        let failed = || {
            if connected {
                NotStarted::Busy("no session is free".into()).into()
            } else {
                NotStarted::Unreachable("it is not connected".into()).into()
            }
        };
        let late = |waiting: &mut WaitingMessage| waiting.until <= now;
        let late = self.waiting.extract_if(.., late);
        late.map(|waiting| (waiting.waiter, failed())).collect()
    }

    /// Cuts the newest connection: a part of the data in transit arrives.
    pub fn cut(&mut self, random: &mut SeededRandom) {
        if let Some(joint) = self.joints.last_mut() {
            joint.cut(random);
        }
    }

    /// The region that calls has died.
    pub fn caller_died(&mut self, random: &mut SeededRandom) {
        self.waiting.clear();
        for joint in &mut self.joints {
            joint.cut(random);
            joint.caller_left = true;
            joint.pending.clear();
        }
    }

    /// The region that is called has.
    pub fn server_died(&mut self, random: &mut SeededRandom) {
        for joint in &mut self.joints {
            joint.cut(random);
            joint.server_left = true;
            joint.served.clear();
            joint.up.clear();
        }
    }

    /// Adds a received request that is being served.
    pub fn serve(&mut self, number: u64, id: u32, future: ServeFuture) {
        if let Some(joint) = self.joints.iter_mut().find(|j| j.number == number) {
            joint.served.push((id, future));
        }
    }

    /// Polls the requests being served. Returns `true` if one has ended.
    pub fn poll(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        let mut busy = false;
        for joint in &mut self.joints {
            let mut at = 0;
            while at < joint.served.len() {
                let (id, future) = &mut joint.served[at];
                match future.as_mut().poll(&mut cx) {
                    Poll::Ready(reply) => {
                        joint.server.reply(*id, reply.into());
                        drop(joint.served.swap_remove(at));
                        busy = true;
                    }
                    Poll::Pending => at += 1,
                }
            }
        }
        busy
    }

    /// One of the connections makes progress.
    pub fn move_bytes(&mut self, random: &mut SeededRandom, calm: bool) -> LineEvents {
        let mut moved = LineEvents::default();
        if self.joints.is_empty() {
            return moved;
        }
        let at = random.below(self.joints.len() as u64) as usize;
        let joint = &mut self.joints[at];
        for _ in 0..1 + random.below(4) {
            match random.below(4) {
                0 if !joint.cut && !joint.caller_left => push(&mut joint.caller, &mut joint.up),
                1 if !joint.cut && !joint.server_left => push(&mut joint.server, &mut joint.down),
                2 => joint.move_up(&mut moved),
                3 => joint.move_down(&mut moved),
                _ => {}
            }
        }
        if calm || random.one_in(3) {
            let again = joint.leave(&mut moved);
            self.waiting.extend(again);
        }
        self.joints.retain(|j| !j.caller_left || !j.server_left);
        self.hand_out();
        moved
    }

    pub fn rests(&self) -> bool {
        let idle =
            |j: &JointConnection| j.pending.is_empty() && j.served.is_empty() && j.open && !j.cut;
        self.waiting.is_empty() && self.joints.len() == 1 && self.joints.iter().all(idle)
    }

    pub fn describe(&self) -> String {
        let joints = self.joints.iter().map(|j| {
            let pending: Vec<&SimulatedReceiver> = j.pending.values().map(|w| &w.waiter).collect();
            format!(
                "connection {} open {} cut {} left {} {}: pending {pending:?}, {} served; ",
                j.number,
                j.open,
                j.cut,
                j.caller_left,
                j.server_left,
                j.served.len()
            )
        });
        let waiting = format!("{} waiting; ", self.waiting.len());
        std::iter::once(waiting).chain(joints).collect()
    }
}

impl JointConnection {
    fn cut(&mut self, random: &mut SeededRandom) {
        if !self.cut {
            self.cut = true;
            self.up
                .truncate(random.below(self.up.len() as u64 + 1) as usize);
            self.down
                .truncate(random.below(self.down.len() as u64 + 1) as usize);
        }
    }

    fn move_up(&mut self, moved: &mut LineEvents) {
        let Some(bytes) = self.up.pop_front().filter(|_| !self.server_left) else {
            return;
        };
        self.server.handle_input(0, &bytes).expect("sound frames");
        while let Some(event) = self.server.poll_event() {
            match event {
                ConnectionEvent::Greeted(hello) => self.server.welcome(hello.sessions.into()),
                ConnectionEvent::Request(id, message) => {
                    moved.requests.push((id, self.number, message))
                }
                _ => {}
            }
        }
    }

    fn move_down(&mut self, moved: &mut LineEvents) {
        let Some(bytes) = self.down.pop_front().filter(|_| !self.caller_left) else {
            return;
        };
        self.caller.handle_input(0, &bytes).expect("sound frames");
        while let Some(event) = self.caller.poll_event() {
            match event {
                ConnectionEvent::Open => {
                    self.open = true;
                    moved.opened = true;
                }
                ConnectionEvent::Reply(id, message) => {
                    let waiting = self.pending.remove(&id).expect("a request");
                    let reply = ReplyMessage::parse(message).expect("a reply");
                    moved.replies.push((waiting.waiter, Ok(reply)));
                }
                _ => {}
            }
        }
    }

    /// Notifies both ends of a cut connection after all bytes that still
    /// arrive. Returns the requests to be sent again.
    fn leave(&mut self, moved: &mut LineEvents) -> Vec<WaitingMessage> {
        let mut again = Vec::new();
        if self.cut && !self.caller_left && self.down.is_empty() {
            self.caller_left = true;
            for (id, mut waiting) in std::mem::take(&mut self.pending) {
                if self.caller.is_unsent(id) && waiting.attempt < ATTEMPTS {
                    waiting.attempt += 1;
                    again.push(waiting);
                } else {
                    let lost = CallFailure::Lost("the connection has ended".into());
                    moved.replies.push((waiting.waiter, Err(lost)));
                }
            }
        } else if self.cut && !self.server_left && self.up.is_empty() {
            self.server_left = true;
            self.served.clear();
            moved.left.push(self.number);
        }
        again
    }
}

/// Moves an end's output onto the line.
fn push(from: &mut Connection, to: &mut VecDeque<Vec<u8>>) {
    if from.gather(0) {
        let [a, b] = from.pieces();
        let bytes = [a, b].concat();
        from.wrote(bytes.len(), 0);
        to.push_back(bytes);
    }
}
