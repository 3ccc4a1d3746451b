//! The receivers of a region, and the way of a connection to its thread.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use region::{Handle, TransId, UserId};
use seats::{ConnectionHost, ConnectionSeat, ListenerSeats, SeatLimits, SeatPhase};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};

use super::config::PreparedReceiver;
use super::thread::{self, Order, ThreadConfig};
use crate::config::SocketsConfig;
use crate::listener::refusal::ClientRefusal;
use crate::service::StartError;
use crate::stream::DetachedConnection;
use crate::trace::CallTrace;

/// The receivers and their threads.
#[derive(Debug)]
pub struct ReceiverService {
    receivers: BTreeMap<TransId, Arc<ReceiverState>>,
    /// The receiver whose answers go out on a transaction's connections.
    senders: BTreeMap<TransId, Arc<ReceiverState>>,
    threads: Vec<UnboundedSender<Order>>,
    next: AtomicUsize,
    seats: ListenerSeats,
    most: usize,
    /// The threads accept no new messages and end after the running ones.
    ending: Arc<AtomicBool>,
    joins: Mutex<Vec<JoinHandle<()>>>,
}

/// A receiver and its counters.
#[derive(Debug)]
pub struct ReceiverState {
    /// As it is defined.
    pub receiver: PreparedReceiver,
    /// Its counters.
    pub counts: ReceiverCounters,
    /// The receiver accepts no connections and ends its open ones.
    pub stopped: AtomicBool,
}

/// The counters of a receiver.
#[derive(Debug, Default)]
pub struct ReceiverCounters {
    /// Connections now, senders included.
    pub connections: AtomicU64,
    /// Connections that came, senders included.
    pub accepted: AtomicU64,
    /// Messages.
    pub messages: AtomicU64,
    /// Bytes of messages and their frames.
    pub bytes_in: AtomicU64,
    /// Bytes of answers and their frames.
    pub bytes_out: AtomicU64,
    /// Connections that were not taken.
    pub refused: AtomicU64,
    /// Connections that were ended because something was wrong.
    pub failed: AtomicU64,
    /// Of these, those whose client was too slow or silent.
    pub timed_out: AtomicU64,
    /// Messages that had to wait because the region was full.
    pub held_up: AtomicU64,
    /// Answers that could not be sent, since their client had disconnected.
    pub unanswered: AtomicU64,
}

/// A receiver as an operator sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReceiverStatus {
    /// Its transaction.
    pub receiver: TransId,
    /// The program it runs.
    pub program: String,
    /// The transaction of the connections that answers go out on; blank for
    /// the same ones.
    pub answers: String,
    /// Whether it takes connections.
    pub started: bool,
    /// Connections now.
    pub connections: u64,
    /// Connections that came.
    pub accepted: u64,
    /// Messages.
    pub messages: u64,
    /// Bytes that came.
    pub bytes_in: u64,
    /// Bytes that went.
    pub bytes_out: u64,
    /// Connections that were not taken.
    pub refused: u64,
    /// Connections ended because something was wrong.
    pub failed: u64,
    /// Of these, by a limit of time.
    pub timed_out: u64,
    /// Messages that waited because the region was full.
    pub held_up: u64,
    /// Answers that could not be sent, since their client had disconnected.
    pub unanswered: u64,
}

/// A receiver's place for a connection, freed when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    /// Its place among those of all receivers.
    pub place: ConnectionSeat,
    served: Arc<ReceiverState>,
}

/// A connection on its way to a thread.
#[derive(Debug)]
pub struct AcceptedConnection {
    /// The connection.
    pub stream: DetachedConnection,
    /// Its client.
    pub client: SocketAddr,
    /// The receiver.
    pub served: Arc<ReceiverState>,
    /// Answers go out on it; otherwise messages come on it.
    pub is_sender: bool,
    /// Client-in-data, without blanks at its end.
    pub session: Vec<u8>,
    /// Its first message came in EBCDIC.
    pub ebcdic: bool,
    /// Its place.
    pub seat: ConnectionPermit,
}

impl ReceiverService {
    /// Starts the threads. Returns `None` without receivers.
    pub fn start(
        config: &SocketsConfig,
        region: &Handle,
        user: UserId,
        trace: &Arc<CallTrace>,
    ) -> Result<Option<ReceiverService>, StartError> {
        let mut receivers = BTreeMap::new();
        let mut senders = BTreeMap::new();
        for receiver in config.receivers_built() {
            let served = Arc::new(ReceiverState {
                counts: ReceiverCounters::default(),
                stopped: AtomicBool::new(false),
                receiver,
            });
            if let Some(sender) = served.receiver.answers {
                senders.insert(sender, served.clone());
            }
            receivers.insert(served.receiver.transid, served);
        }
        if receivers.is_empty() {
            return Ok(None);
        }
        let count = config.native.threads.max(1) as usize;
        let ending = Arc::new(AtomicBool::new(false));
        let (ticker, asked) = channel();
        let system = |what: &str| {
            let what = what.to_owned();
            |source| StartError::System { what, source }
        };
        // The thread ends when no other thread is left to ask.
        let clock = std::thread::Builder::new().name("tupelo-ticks".into());
        clock.spawn(|| tick(asked)).map_err(system("a thread"))?;
        let (mut threads, mut joins) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (sender, orders) = unbounded_channel();
            let (own, ticker) = (sender.downgrade(), ticker.clone());
            let none = || StartError::System {
                what: "receivers".into(),
                source: std::io::Error::other("the region has no free port for another thread"),
            };
            let setting = ThreadConfig {
                region: region.clone(),
                port: region.attach_port().ok_or_else(none)?,
                user,
                trace: trace.clone(),
                ending: ending.clone(),
                memory_bytes: (config.native.memory_mib.max(1) as usize) * (1 << 20) / count,
                request_tick: Box::new(move || drop(ticker.send(own.clone()))),
            };
            let thread = std::thread::Builder::new().name("tupelo-native".into());
            let join = thread.spawn(move || thread::run(setting, orders));
            joins.push(join.map_err(system("a thread"))?);
            threads.push(sender);
        }
        Ok(Some(ReceiverService {
            receivers,
            senders,
            threads,
            next: AtomicUsize::new(0),
            seats: ListenerSeats::new(SeatLimits {
                most: config.native.max_connections as usize,
                reserved: 0,
            }),
            most: config.native.max_connections as usize,
            ending,
            joins: Mutex::new(joins),
        }))
    }

    /// The receiver of a connection for which a transaction would be started,
    /// and whether answers go out on it; `None` if the transaction is to be
    /// started.
    pub fn serves(&self, transid: TransId) -> Option<(&Arc<ReceiverState>, bool)> {
        let receiver = self.receivers.get(&transid).map(|served| (served, false));
        receiver.or_else(|| self.senders.get(&transid).map(|served| (served, true)))
    }

    /// A place for a connection. If all are taken the one that has been idle for
    /// longest is closed.
    pub fn seat(&self, served: &Arc<ReceiverState>) -> Result<ConnectionPermit, ClientRefusal> {
        let refused = || served.counts.refused.fetch_add(1, Ordering::Relaxed);
        if served.stopped.load(Ordering::Relaxed) || self.ending.load(Ordering::Relaxed) {
            refused();
            return Err(ClientRefusal::Stopped);
        }
        let place = self.seats.enter();
        // Its first message has come already.
        place.enter(SeatPhase::Busy);
        while self.seats.taken() > self.most {
            if !self.seats.give_way(None) {
                refused();
                return Err(ClientRefusal::Full);
            }
            // Its thread closes it.
            self.check_connections();
        }
        served.counts.accepted.fetch_add(1, Ordering::Relaxed);
        served.counts.connections.fetch_add(1, Ordering::Relaxed);
        Ok(ConnectionPermit {
            place,
            served: served.clone(),
        })
    }

    /// Gives a connection to a thread: both of a session to the same.
    pub fn adopt(&self, adopted: AcceptedConnection) {
        let receiver = &adopted.served.receiver;
        let number = match receiver.answers {
            None => self.next.fetch_add(1, Ordering::Relaxed),
            Some(_) => {
                let mut hasher = DefaultHasher::new();
                (receiver.transid, &adopted.session).hash(&mut hasher);
                hasher.finish() as usize
            }
        };
        // A thread that has ended drops it, which closes it.
        let _ = self.threads[number % self.threads.len()].send(Order::Adopt(adopted));
    }

    /// Stops or starts a receiver. Returns `None` if no receiver has this name.
    pub fn control(&self, name: &str, stop: bool) -> Option<Result<(), String>> {
        let transid = name.to_uppercase().parse().ok()?;
        let served = self.receivers.get(&transid)?;
        let before = served.stopped.swap(stop, Ordering::Relaxed);
        self.check_connections();
        Some(if before != stop {
            Ok(())
        } else if before {
            Err(format!("receiver {name} is stopped already"))
        } else {
            Err(format!("receiver {name} is started already"))
        })
    }

    /// All receivers, by name.
    pub fn list(&self) -> Vec<ReceiverStatus> {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let all = self.receivers.values().map(|served| {
            let counts = &served.counts;
            ReceiverStatus {
                receiver: served.receiver.transid,
                program: served.receiver.program.to_string(),
                answers: served
                    .receiver
                    .answers
                    .map_or_else(String::new, |t| t.to_string()),
                started: !served.stopped.load(Ordering::Relaxed),
                connections: of(&counts.connections),
                accepted: of(&counts.accepted),
                messages: of(&counts.messages),
                bytes_in: of(&counts.bytes_in),
                bytes_out: of(&counts.bytes_out),
                refused: of(&counts.refused),
                failed: of(&counts.failed),
                timed_out: of(&counts.timed_out),
                held_up: of(&counts.held_up),
                unanswered: of(&counts.unanswered),
            }
        });
        all.collect()
    }

    /// Takes nothing new, ends idle connections at once, and waits, so long at
    /// most, until those at work have been answered.
    pub fn stop(&self, limit: Duration) {
        self.ending.store(true, Ordering::Relaxed);
        self.check_connections();
        let until = Instant::now() + limit;
        while self.seats.taken() > 0 && Instant::now() < until {
            std::thread::sleep(GLANCE);
        }
    }

    fn check_connections(&self) {
        for thread in &self.threads {
            // A thread that has ended has no connections to check.
            let _ = thread.send(Order::CheckConnections);
        }
    }

    /// Ends the threads with all their connections.
    pub fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
        for thread in &self.threads {
            let _ = thread.send(Order::End);
        }
        let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
        for join in joins.drain(..) {
            if join.join().is_err() {
                tracing::error!("a thread of the receivers has failed");
            }
        }
    }
}

/// Notifies threads a second after they have asked, or up to two if another has
/// asked before.
fn tick(asked: mpsc::Receiver<WeakUnboundedSender<Order>>) {
    while let Ok(first) = asked.recv() {
        std::thread::sleep(SECOND);
        for thread in waiting(first, &asked) {
            // One that has ended needs no clock.
            let _ = thread.upgrade().map(|thread| thread.send(Order::Tick));
        }
    }
}

/// All threads that have asked. They are taken before the first is answered: an answered
/// thread asks again at once, and would be answered again without a pause.
fn waiting<T>(first: T, asked: &mpsc::Receiver<T>) -> Vec<T> {
    std::iter::once(first).chain(asked.try_iter()).collect()
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let connections = &self.served.counts.connections;
        connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One tick of the threads' clocks.
const SECOND: Duration = Duration::from_secs(1);
/// How often the end of connections is looked for when all are to end.
const GLANCE: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_asks_again_while_all_are_answered_waits_for_the_next_round() {
        let (sender, asked) = channel();
        (1..4).for_each(|thread| sender.send(thread).unwrap());
        let mut answered = Vec::new();
        for thread in waiting(0, &asked) {
            answered.push(thread);
            sender.send(thread).unwrap();
            assert!(answered.len() < 100, "answered without a pause");
        }
        assert_eq!(answered, [0, 1, 2, 3]);
    }
}
