//! A thread of receivers: its connections and their time limits.
//!
//! No message arms a timer: it would be set and cancelled with each. While
//! there are connections another thread notifies when a second has passed, and
//! connections that have been in one phase for too long, by the clock, are
//! ended; so a limit of a second may take three. A notification only says that
//! it is time to look: the seconds are never counted by it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use region::engine::{self, EngineClass};
use region::{Handle, Port, UserId};
use seats::{SeatHandle, SeatPhase};
use tokio::sync::mpsc::UnboundedReceiver;

use super::connection;
use super::limits::{ConnectionPhase, PhaseTimer, is_over};
use super::memory::MessageMemory;
use super::reactor::{EpollReactor, SpawnedFuture};
use super::service::{AcceptedConnection, ConnectionPermit, ReceiverState};
use super::sessions::SessionTable;
use super::socket::Socket;
use crate::listener::header;
use crate::listener::refusal::{ClientRefusal, now};
use crate::listener::{DRAIN_TIME, last_words};
use crate::stream::Stream;
use crate::trace::CallTrace;

/// The configuration of a thread.
pub struct ThreadConfig {
    /// The region.
    pub region: Handle,
    /// The thread's port.
    pub port: Port,
    /// The user of tasks.
    pub user: UserId,
    /// Events for operators.
    pub trace: Arc<CallTrace>,
    /// No new message is started.
    pub ending: Arc<AtomicBool>,
    /// Most memory for messages.
    pub memory_bytes: usize,
    /// Asks for [`Order::Tick`] in a second.
    pub request_tick: Box<dyn Fn() + Send>,
}

/// A thread and its state.
pub struct ReceiverThread {
    pub setting: ThreadConfig,
    pub reactor: Rc<EpollReactor>,
    pub sessions: Rc<SessionTable<AnswerConnection>>,
    pub memory: Rc<MessageMemory>,
    /// A buffer for output that is written immediately.
    pub scratch: RefCell<Vec<u8>>,
    began: Instant,
    connections: RefCell<HashMap<u64, Rc<ConnectionWatch>>>,
    numbers: Cell<u64>,
    /// A tick has been asked for.
    ticks: Cell<bool>,
}

/// A connection that answers go out on.
#[derive(Debug)]
pub struct AnswerConnection {
    pub stream: Stream<Socket>,
    pub client: std::net::SocketAddr,
    pub ebcdic: bool,
    pub served: Arc<ReceiverState>,
    /// Held as long as it is open.
    pub seat: ConnectionPermit,
}

/// A connection as it is looked at.
pub struct ConnectionWatch {
    pub number: u64,
    served: Arc<ReceiverState>,
    seat: SeatHandle,
    timer: PhaseTimer,
    future: Cell<Option<SpawnedFuture>>,
}

/// Something for a thread.
#[derive(Debug)]
pub enum Order {
    /// A connection.
    Adopt(AcceptedConnection),
    /// A connection is to end: check at once.
    CheckConnections,
    /// A second has passed since this was requested.
    Tick,
    /// The thread ends, with all its connections.
    End,
}

impl ConnectionWatch {
    /// Its phase.
    pub fn phase(&self) -> ConnectionPhase {
        self.timer.phase()
    }

    /// The connection ends by a fault of this program.
    pub fn failed(&self) {
        self.served.counts.failed.fetch_add(1, Ordering::Relaxed);
        let (receiver, connection) = (self.served.receiver.transid, self.number);
        tracing::error!(%receiver, connection, "a connection was closed because of an internal error");
    }
}

/// The thread.
pub fn run(setting: ThreadConfig, mut orders: UnboundedReceiver<Order>) {
    engine::enter("receivers", EngineClass::Offload);
    let door = Arc::new((setting.region.clone(), setting.port.clone()));
    let entered = setting.port.enter(EngineClass::Offload);
    let reactor = match entered.and_then(|()| EpollReactor::new(door)) {
        Ok(reactor) => reactor,
        Err(error) => {
            tracing::error!(%error, "a thread of the receivers cannot start");
            return;
        }
    };
    let thread = Rc::new(ReceiverThread {
        sessions: Rc::default(),
        reactor: reactor.clone(),
        memory: MessageMemory::new(setting.memory_bytes),
        scratch: RefCell::default(),
        began: Instant::now(),
        connections: RefCell::default(),
        numbers: Cell::new(0),
        ticks: Cell::new(false),
        setting,
    });
    reactor.spawn(async move {
        let _ends = LoopGuard(thread.reactor.clone());
        while let Some(order) = orders.recv().await {
            match order {
                Order::Adopt(adopted) => thread.adopt(adopted),
                Order::CheckConnections => thread.check_connections(),
                Order::Tick => thread.tick(),
                Order::End => break,
            }
        }
    });
    reactor.run();
}

/// Ends the loop when the sender of orders is dropped, also by a panic.
struct LoopGuard(Rc<EpollReactor>);

impl Drop for LoopGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl ReceiverThread {
    fn adopt(self: &Rc<Self>, adopted: AcceptedConnection) {
        let AcceptedConnection {
            stream,
            client,
            served,
            is_sender,
            session,
            ebcdic,
            seat,
        } = adopted;
        // A client's small messages are answered at once.
        let _ = stream.set_nodelay();
        let stream = match stream.into_stream(|tcp| Socket::new(&self.reactor, tcp)) {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(receiver = %served.receiver.transid, %error, "a connection was lost");
                return;
            }
        };
        let own = AnswerConnection {
            stream,
            client,
            ebcdic,
            served: served.clone(),
            seat,
        };
        let name = (served.receiver.transid, session);
        if is_sender {
            match self.sessions.enter_sender(name, own, self.now()) {
                Ok(_) => self.await_tick(),
                Err(own) => own.refuse(self, &ClientRefusal::InUse),
            }
            return;
        }
        let part = match served.receiver.answers {
            None => None,
            Some(_) => match self.sessions.enter_receiver(name) {
                Some(part) => Some(part),
                None => return own.refuse(self, &ClientRefusal::InUse),
            },
        };
        let number = self.numbers.get() + 1;
        self.numbers.set(number);
        let watched = Rc::new(ConnectionWatch {
            number,
            served,
            seat: own.seat.place.handle(),
            timer: PhaseTimer::default(),
            future: Cell::new(None),
        });
        let serves = connection::serve(self.clone(), watched.clone(), own, part);
        watched.future.set(Some(self.reactor.spawn(serves)));
        self.connections.borrow_mut().insert(number, watched);
        self.await_tick();
    }

    /// The connection does something else now.
    pub fn enters(&self, watched: &ConnectionWatch, phase: ConnectionPhase) {
        watched.timer.enter(phase);
        watched.seat.mark(match phase {
            ConnectionPhase::Idle | ConnectionPhase::Message | ConnectionPhase::Pairing => {
                SeatPhase::Idle
            }
            ConnectionPhase::Writing | ConnectionPhase::Running => SeatPhase::Busy,
        });
    }

    /// Removes an ended connection.
    pub fn forget(&self, watched: &ConnectionWatch) {
        self.connections.borrow_mut().remove(&watched.number);
    }

    /// Whether a receiver takes nothing more.
    pub fn is_ending(&self, served: &ReceiverState) -> bool {
        self.setting.ending.load(Ordering::Relaxed) || served.stopped.load(Ordering::Relaxed)
    }

    /// The time since the thread began.
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Requests a notification when a second has passed.
    fn await_tick(&self) {
        if !self.ticks.replace(true) {
            (self.setting.request_tick)();
        }
    }

    /// A second has passed. If no connection is left to check, no further
    /// notification is requested.
    fn tick(&self) {
        self.ticks.set(false);
        self.check_connections();
        if !self.connections.borrow().is_empty() || !self.sessions.is_empty() {
            self.await_tick();
        }
    }

    /// Ends connections that have waited too long, or are idle and to end.
    fn check_connections(&self) {
        let now = self.now();
        let all: Vec<Rc<ConnectionWatch>> = self.connections.borrow().values().cloned().collect();
        for watched in all {
            let receiver = &watched.served.receiver;
            if watched.timer.is_new() {
                watched.seat.touch();
            }
            let exceeded = watched.timer.exceeded(now, &receiver.limits_s);
            let idle = matches!(
                watched.phase(),
                ConnectionPhase::Idle | ConnectionPhase::Message | ConnectionPhase::Pairing
            );
            let ends = idle && (self.is_ending(&watched.served) || watched.seat.is_given_away());
            if exceeded.is_none() && !ends {
                continue;
            }
            if let (Some(limit), false) = (exceeded, ends) {
                let counts = &watched.served.counts;
                counts.failed.fetch_add(1, Ordering::Relaxed);
                counts.timed_out.fetch_add(1, Ordering::Relaxed);
                tracing::info!(
                    receiver = %receiver.transid,
                    connection = watched.number,
                    phase = ?watched.phase(),
                    seconds = limit,
                    "a connection was closed at its time limit"
                );
            }
            self.forget(&watched);
            if let Some(future) = watched.future.take() {
                self.reactor.abort(future);
            }
        }
        let unwanted = self.sessions.expire(|sender: &AnswerConnection, since| {
            let limit = sender.served.receiver.limits_s[3];
            limit > 0 && is_over(now, since, limit) || self.is_ending(&sender.served)
        });
        for sender in unwanted {
            let why = if self.is_ending(&sender.served) {
                ClientRefusal::Stopped
            } else {
                ClientRefusal::Alone
            };
            sender.refuse(self, &why);
        }
    }
}

impl AnswerConnection {
    /// Sends the client the reason, and closes after the client has read it.
    pub fn refuse(self, thread: &ReceiverThread, refused: &ClientRefusal) {
        let counts = &self.served.counts;
        counts.refused.fetch_add(1, Ordering::Relaxed);
        let transid = self.served.receiver.transid;
        let Some(text) = refused.text(&transid.to_string(), self.client, &now()) else {
            return;
        };
        tracing::info!(receiver = %transid, "{text}");
        let text = format!("{text}\n").into_bytes();
        let text = if self.ebcdic {
            header::to_ebcdic(&text)
        } else {
            text
        };
        let reactor = thread.reactor.clone();
        thread.reactor.spawn(async move {
            let reported = last_words(self.stream, &text);
            // A client that does not read cannot receive it.
            let _ = reactor.within(DRAIN_TIME, reported).await;
            drop(self.seat);
        });
    }
}
