//! A region that is called: one connection of one thread, made again whenever
//! it ends.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use ::tls::ReloadingSettings;
use bytes::Bytes;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;

use super::directory::Record;
use super::drive::{ConnectionDriver, ConnectionEnd, Stream, drive};
use super::linker::OpenCallback;
use super::tls;
use super::waiting::SessionQueue;
use crate::ConnectionConfig;
use crate::connection::{Connection, ConnectionEvent};
use crate::wire::{EndNotice, HelloMessage, VERSION, WireName};

/// Timeout of connecting, including TLS.
const CONNECT: Duration = Duration::from_secs(5);
/// Pause before the next attempt, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// A connection that lasted so long was a good one.
const GOOD: Duration = Duration::from_secs(1);
/// Bytes of a reply that may arrive before the rest is granted.
const UNASKED: u32 = 256 << 10;

/// The identity of this process towards the regions that it calls.
#[derive(Debug, Clone, Copy)]
pub struct LocalIdentity {
    /// Its name.
    pub applid: WireName,
    /// Its short name, blank for none.
    pub sysid: region::Name<4>,
    /// A number that no other process has.
    pub instance: u64,
}

impl LocalIdentity {
    /// A process of these names.
    pub fn new(applid: WireName, sysid: region::Name<4>) -> LocalIdentity {
        let instance = RandomState::new().hash_one(std::process::id());
        LocalIdentity {
            applid,
            sysid,
            instance,
        }
    }
}

/// A region that is called.
pub struct Client {
    number: usize,
    address: String,
    applid: Option<WireName>,
    tls: Option<(ReloadingSettings<ClientConfig>, ServerName<'static>)>,
    hello: HelloMessage,
    /// Its state, as reports show it.
    pub record: Arc<Record>,
    link: RefCell<Option<Rc<Link>>>,
    down_since: Cell<Instant>,
    waiting: Rc<SessionQueue>,
    /// Called when it is connected.
    opened: RefCell<Option<OpenCallback>>,
}

/// A connection, and the requests that wait for replies.
struct Link {
    wire: ConnectionDriver,
    open: Cell<usize>,
    slots: RefCell<HashMap<u32, Rc<SessionSlot>>>,
}

#[derive(Debug, Default)]
struct SessionSlot {
    result: RefCell<Option<Result<Vec<u8>, ConnectionLost>>>,
    waker: RefCell<Option<Waker>>,
}

/// A connection ended before the reply arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLost {
    /// No byte of the request was sent.
    pub unsent: bool,
}

/// A request under way. Dropping it gives the request up.
pub struct PendingRequest {
    link: Rc<Link>,
    slot: Rc<SessionSlot>,
    id: u32,
    record: Arc<Record>,
    waiting: Rc<SessionQueue>,
    number: usize,
}

impl Client {
    /// One for a connection of the settings, as one of so many of its process.
    pub fn new(
        number: usize,
        (config, folder): (&ConnectionConfig, &Path),
        who: &LocalIdentity,
        (lanes, max_message_bytes): (u16, u32),
        record: Arc<Record>,
        waiting: Rc<SessionQueue>,
    ) -> Result<Client, tls::TlsError> {
        let tls = config.tls.as_ref();
        let tls = tls.map(|files| tls::connector(folder, files, &config.address));
        Ok(Client {
            number,
            address: config.address.clone(),
            applid: config.applid.as_deref().and_then(|a| WireName::new(a).ok()),
            tls: tls.transpose()?,
            hello: HelloMessage {
                versions: (VERSION, VERSION),
                sessions: config.sessions.div_ceil(lanes).max(1),
                lanes,
                keepalive_ms: config.keepalive_ms,
                unasked_bytes: UNASKED,
                max_message_bytes,
                instance: who.instance,
                applid: who.applid,
                sysid: who.sysid,
            },
            record,
            link: RefCell::default(),
            down_since: Cell::new(Instant::now()),
            waiting,
            opened: RefCell::new(None),
        })
    }

    /// Registers a callback for each new connection.
    pub fn on_open(&self, opened: OpenCallback) {
        *self.opened.borrow_mut() = Some(opened);
    }

    /// Requests under way, when one more can be sent.
    pub fn load(&self) -> Option<usize> {
        let link = self.link.borrow();
        let wire = &link.as_ref()?.wire;
        wire.with_connection(|c| c.is_free().then(|| c.in_use()))
    }

    /// The load if one session stays free for orders then, unless there is only
    /// one.
    pub fn load_with_reserve(&self) -> Option<usize> {
        let link = self.link.borrow();
        let sessions = link.as_ref()?.open.get();
        let last = |in_use: usize| sessions > 1 && in_use + 1 >= sessions;
        self.load().filter(|in_use| !last(*in_use))
    }

    /// Since when it is not connected. Returns `None` while it is connected.
    pub fn down_since(&self) -> Option<Instant> {
        let link = self.link.borrow();
        let open = link.as_ref().is_some_and(|l| l.open.get() > 0);
        (!open).then(|| self.down_since.get())
    }

    /// Longest message that the region takes, in bytes; 0 without one.
    pub fn longest(&self) -> usize {
        let link = self.link.borrow();
        link.as_ref()
            .map_or(0, |l| l.wire.with_connection(Connection::longest))
    }

    /// Sends a request. Returns `None` if no session is free.
    pub fn request(&self, message: Bytes) -> Option<PendingRequest> {
        let link = self.link.borrow().clone()?;
        let id = link.wire.with(|c| c.request(message))?;
        let slot = Rc::new(SessionSlot::default());
        link.slots.borrow_mut().insert(id, slot.clone());
        self.record.in_use.fetch_add(1, Relaxed);
        self.record.requests.fetch_add(1, Relaxed);
        Some(PendingRequest {
            link,
            slot,
            id,
            record: self.record.clone(),
            waiting: self.waiting.clone(),
            number: self.number,
        })
    }

    /// Connects, and again whenever the connection has ended, forever.
    pub async fn run(self: Rc<Self>) {
        let mut pause = PAUSE.0;
        loop {
            let began = Instant::now();
            let (why, opened) = match timeout(CONNECT, self.connect()).await {
                Ok(Ok(mut stream)) => self.serve(&mut *stream).await,
                Ok(Err(error)) => (error.to_string(), false),
                Err(_) => ("the partner did not answer in time".to_owned(), false),
            };
            if self.record.failed(&why) {
                tracing::warn!(target: "ipconn", "{}", self.record.error());
            }
            if opened && began.elapsed() >= GOOD {
                pause = PAUSE.0;
            }
            // Clients that lost the same region reconnect at different
            // times.
            let part = RandomState::new().hash_one(self.number) % 50;
            sleep(pause * (75 + part as u32) / 100).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    async fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        Ok(match &self.tls {
            Some((tls, name)) => {
                let connector = TlsConnector::from(tls.config());
                Box::new(connector.connect(name.clone(), stream).await?)
            }
            None => Box::new(stream),
        })
    }

    /// Serves a connection to its end; why it ended, and whether it was open.
    async fn serve(&self, stream: &mut dyn Stream) -> (String, bool) {
        let link = Rc::new(Link {
            wire: ConnectionDriver::new(Connection::caller(self.hello.clone(), 0)),
            open: Cell::new(0),
            slots: RefCell::default(),
        });
        *self.link.borrow_mut() = Some(link.clone());
        let mut wrong = None;
        let end = drive(stream, &link.wire, &mut |event| match event {
            ConnectionEvent::Open => {
                if let Err(why) = self.opened(&link) {
                    wrong = Some(why);
                }
            }
            ConnectionEvent::Reply(id, message) => {
                let slot = link.slots.borrow_mut().remove(&id);
                if let Some(slot) = slot {
                    slot.set(Ok(message));
                }
            }
            ConnectionEvent::Freed(_) => self.waiting.freed(self.number),
            _ => {}
        })
        .await;
        *self.link.borrow_mut() = None;
        let sessions = link.open.replace(0);
        if sessions > 0 {
            self.record.closed(sessions);
            self.down_since.set(Instant::now());
        }
        let slots = link.slots.take();
        for (id, slot) in slots {
            let unsent = link.wire.with_connection(|c| c.is_unsent(id));
            slot.set(Err(ConnectionLost { unsent }));
        }
        let why = match (wrong, end) {
            (Some(why), _) => why,
            (None, ConnectionEnd::Closed) if sessions == 0 => {
                "the connection was closed during the greeting".to_owned()
            }
            (None, end) => end.to_string(),
        };
        (why, sessions > 0)
    }

    /// The region has let this side in; an error when it is another one.
    fn opened(&self, link: &Link) -> Result<(), String> {
        let sessions = link.wire.with_connection(Connection::sessions);
        let applid = link.wire.with_connection(|c| c.peer().map(|p| p.applid));
        let applid = applid.unwrap_or(WireName::BLANK);
        if let Some(wanted) = self.applid
            && wanted != applid
        {
            let why = format!(
                "the partner is {applid}, not {wanted}; correct the connection's \
                address or applid"
            );
            link.wire
                .with(|c| c.refuse(&EndNotice::Refused(why.clone())));
            return Err(why);
        }
        link.open.set(sessions);
        self.record.opened(&applid.to_string(), sessions);
        tracing::info!(target: "ipconn", connection = %self.record.name, %applid, sessions, "connected");
        if let Some(opened) = &*self.opened.borrow() {
            opened(&self.record.name, applid.as_str());
        }
        for _ in 0..sessions {
            self.waiting.freed(self.number);
        }
        Ok(())
    }
}

impl SessionSlot {
    fn set(&self, result: Result<Vec<u8>, ConnectionLost>) {
        *self.result.borrow_mut() = Some(result);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Future for PendingRequest {
    type Output = Result<Vec<u8>, ConnectionLost>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.slot.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                *self.slot.waker.borrow_mut() = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if self.link.slots.borrow_mut().remove(&self.id).is_some() {
            self.link.wire.with(|c| c.cancel(self.id));
        }
        self.record.in_use.fetch_sub(1, Relaxed);
        self.waiting.freed(self.number);
    }
}
