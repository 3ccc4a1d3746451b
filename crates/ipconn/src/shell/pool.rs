//! The regions that a thread calls: the choice of a region, the queue for
//! sessions, and the repetition of requests.
//!
//! A request is sent again when nothing of it was sent, when the region did
//! not take it, or when it may be done twice (an idempotent method) and the
//! connection ended before its answer.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use bytes::Bytes;
use region::{CallFailure, NotStarted};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;

use super::client::{Client, LocalIdentity, PendingRequest};
use super::directory::ConnectionDirectory;
use super::linker::OpenCallback;
use super::tls::TlsError;
use super::waiting::SessionQueue;
use crate::IpconnConfig;
use crate::wire::{ReplyMessage, RequestEnding, is_order};

/// The maximum number of attempts for one request.
const ATTEMPTS: usize = 3;

/// The regions that a thread calls.
pub struct ConnectionPool {
    clients: Vec<Rc<Client>>,
    groups: HashMap<String, Rc<[usize]>>,
    waiting: Rc<SessionQueue>,
    patience: Duration,
    queue_limit: usize,
    tasks: Vec<JoinHandle<()>>,
    /// Where the next round-robin choice begins.
    turn: Cell<usize>,
    /// Orders on units of work go by it, too.
    has_orders: bool,
}

impl ConnectionPool {
    /// A pool for one of the process's `lanes` threads. It connects after
    /// [`ConnectionPool::start`].
    pub fn new(
        config: &IpconnConfig,
        folder: &Path,
        who: &LocalIdentity,
        lanes: u16,
        directory: &ConnectionDirectory,
    ) -> Result<ConnectionPool, TlsError> {
        let waiting = Rc::new(SessionQueue::default());
        let mut clients = Vec::new();
        let mut groups: HashMap<String, Rc<[usize]>> = HashMap::new();
        for (name, connection) in &config.connections {
            let Some(record) = directory.record(name) else {
                continue;
            };
            let number = clients.len();
            let limits = (lanes.max(1), config.max_message_mib.saturating_mul(1 << 20));
            let client = Client::new(
                number,
                (connection, folder),
                who,
                limits,
                record,
                waiting.clone(),
            )?;
            clients.push(Rc::new(client));
            groups.insert(name.clone(), Rc::from([number]));
        }
        for (group, members) in &config.groups {
            let of = |name: &String| clients.iter().position(|c| c.record.name == *name);
            groups.insert(group.clone(), members.iter().filter_map(of).collect());
        }
        Ok(ConnectionPool {
            clients,
            groups,
            waiting,
            patience: Duration::from_millis(u64::from(config.session_wait_ms)),
            queue_limit: config.queue_limit as usize,
            tasks: Vec::new(),
            turn: Cell::new(0),
            has_orders: false,
        })
    }

    /// Connects. To be called where `spawn_local` works.
    pub fn start(&mut self) {
        let tasks = self.clients.iter().map(|c| spawn_local(c.clone().run()));
        self.tasks = tasks.collect();
    }

    /// Registers a callback for each new connection. A pool that programs use
    /// for LINK reserves a session of each connection for orders on their units
    /// of work.
    pub fn on_open(&mut self, opened: &OpenCallback) {
        self.has_orders = true;
        for client in &self.clients {
            client.on_open(opened.clone());
        }
    }

    /// Whether there is a connection or a group of this name.
    pub fn has_region(&self, name: &str) -> bool {
        self.groups.contains_key(name)
    }

    /// Has a request answered by a connection or one of a group.
    pub async fn call(
        &self,
        name: &str,
        message: Bytes,
        idempotent: bool,
    ) -> Result<ReplyMessage, CallFailure> {
        let Some(group) = self.groups.get(name) else {
            return Err(NotStarted::Impossible(format!(
                "no connection or group of connections {name:?} in [ipconn]"
            ))
            .into());
        };
        let began = Instant::now();
        let mut avoid = None;
        for attempt in 1.. {
            let (client, requested) = self.send(group, &message, avoid, began).await?;
            if attempt > 1 {
                client.record.retried.fetch_add(1, Relaxed);
            }
            let again = attempt < ATTEMPTS;
            let failed = match requested.await {
                Ok(bytes) => match self.replied(client, bytes)? {
                    Ok(reply) => return Ok(reply),
                    Err(refused) if group.len() == 1 => return Err(refused),
                    Err(refused) => refused,
                },
                Err(lost) => {
                    client.record.lost.fetch_add(1, Relaxed);
                    let why = format!(
                        "{} ended the connection before its answer",
                        client.record.name
                    );
                    let failed = CallFailure::Lost(why);
                    if !lost.unsent && !idempotent {
                        return Err(failed);
                    }
                    failed
                }
            };
            if !again {
                return Err(failed);
            }
            avoid = self.clients.iter().position(|c| Rc::ptr_eq(c, client));
        }
        unreachable!("the last attempt returns")
    }

    /// A reply, or the refusal that it says.
    fn replied(
        &self,
        client: &Client,
        bytes: Vec<u8>,
    ) -> Result<Result<ReplyMessage, CallFailure>, CallFailure> {
        let name = &client.record.name;
        let reply = ReplyMessage::parse(bytes).map_err(|error| {
            CallFailure::Lost(format!("the answer of {name} is malformed: {error}"))
        })?;
        Ok(match reply.head.ending {
            RequestEnding::Later => {
                client.record.refused.fetch_add(1, Relaxed);
                Err(NotStarted::Busy(format!("{name}: {}", reply.head.text)).into())
            }
            _ => Ok(reply),
        })
    }

    /// Sends a request to the connection of a group with the fewest requests in
    /// progress, as soon as one has a free session.
    async fn send(
        &self,
        group: &Rc<[usize]>,
        message: &Bytes,
        avoid: Option<usize>,
        began: Instant,
    ) -> Result<(&Rc<Client>, PendingRequest), CallFailure> {
        let order = self.has_orders && is_order(message);
        loop {
            if let Some(client) = self.choose(group, avoid, order) {
                let longest = client.longest();
                if message.len() > longest {
                    return Err(CallFailure::TooLarge(format!(
                        "the message has {} bytes, but the region accepts at most {longest}",
                        message.len()
                    )));
                }
                if let Some(requested) = client.request(message.clone()) {
                    return Ok((client, requested));
                }
            }
            let left = self.patience.saturating_sub(began.elapsed());
            if left.is_zero() || self.hopeless(group) {
                return Err(self.why_not(group));
            }
            if self.waiting.len() >= self.queue_limit && !order {
                let why = format!("{} requests already wait for a session", self.queue_limit);
                return Err(NotStarted::Busy(why).into());
            }
            let _ = timeout(left, self.waiting.turn(group.clone(), order)).await;
        }
    }

    /// Chooses the connection with a free session and the fewest requests in
    /// progress, in turn among equals. `avoid` is used only if there is no
    /// other.
    fn choose(&self, group: &[usize], avoid: Option<usize>, order: bool) -> Option<&Rc<Client>> {
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        let free = group.iter().enumerate().filter_map(|(at, i)| {
            let load = if self.has_orders && !order {
                self.clients[*i].load_with_reserve()?
            } else {
                self.clients[*i].load()?
            };
            let equal = at.wrapping_sub(turn) % group.len();
            Some(((Some(*i) == avoid, load, equal), *i))
        });
        free.min().map(|(_, i)| &self.clients[i])
    }

    /// Whether no member of a group has been connected for longer than a
    /// request waits.
    fn hopeless(&self, group: &[usize]) -> bool {
        let mut all = group.iter().map(|i| self.clients[*i].down_since());
        all.all(|down| down.is_some_and(|since| since.elapsed() > self.patience))
    }

    fn why_not(&self, group: &[usize]) -> CallFailure {
        let all = || group.iter().map(|i| &self.clients[*i]);
        if all().all(|c| c.down_since().is_some()) {
            let why: Vec<String> = all().map(|c| c.record.error()).collect();
            return NotStarted::Unreachable(why.join("; ")).into();
        }
        let names: Vec<&str> = all().map(|c| c.record.name.as_str()).collect();
        let ms = self.patience.as_millis();
        let names = names.join(" or ");
        NotStarted::Busy(format!(
            "no session with {names} became free within {ms} ms"
        ))
        .into()
    }
}

impl Drop for ConnectionPool {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
