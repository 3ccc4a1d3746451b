//! A door: one thread, one runtime, one listener, and its connections.
//!
//! A request never crosses to another thread: the connection, the request and
//! the answer of the region all belong to the door that accepted the
//! connection.

use super::body::ResponseBody;
use super::conn::{CloseCause, ConnectionTimer, DoorConnections, Limits, Open};
use super::frames::WireProtocol;
use super::gate::PeerAddress;
use super::relay::WakeRelay;
use super::serve::Server;
use super::service::{ServiceConnection, ServiceState};
use super::ticks::{DoorClock, TICK, ticks};
use super::tls::Server as Tls;
use super::watched::{self, TimedStream};
use super::{GatewayConfig, GatewayShared, HEADERS, StopOrder};
use crate::backend::ProgramBackend;
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use seats::ConnectionHost;
use socket2::SockRef;
use std::future::Future;
use std::net::TcpListener as StdListener;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio_rustls::TlsAcceptor;

/// Pause after an accept that failed for want of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Connections beyond the limit that may ask for health while all are at work.
const RESERVED: usize = 8;
/// Bytes of an answer that the kernel takes before they can be sent: what a
/// client does not read is not in its memory either.
const UNSENT: u32 = 256 << 10;
/// Bytes of buffers that a connection frees when it is idle.
const BUFFERS: usize = 16 << 10;
/// Bytes that a client may continue sending after its last answer.
const LINGER: usize = 32 << 20;
/// Streams that an HTTP/2 client may reset before they are begun.
const RESETS: usize = 20;

pub(super) struct DoorListeners {
    pub plain: StdListener,
    pub tls: Option<(StdListener, Arc<Tls>)>,
    /// The listeners of services with addresses of their own.
    pub services: Vec<(StdListener, Arc<ServiceState>)>,
}

/// The connections that a listener accepts.
struct AcceptSource {
    listener: StdListener,
    tls: Option<Arc<Tls>>,
    service: Option<Arc<ServiceState>>,
}

/// Runs a door to its end.
pub(super) fn run<B: ProgramBackend>(
    shared: Arc<GatewayShared<B>>,
    listeners: DoorListeners,
    stop: watch::Receiver<StopOrder>,
) {
    super::pin_to(&shared.config.cpus);
    let backend = shared.backend.clone();
    let entered = backend.enter(|door| {
        let server = Rc::new(Server::new(shared, door));
        serve(server, listeners, stop)
    });
    if let Err(e) = entered {
        tracing::error!(error = %e, "a gateway thread could not start");
    }
}

async fn serve<B: ProgramBackend>(
    server: Rc<Server<B>>,
    listeners: DoorListeners,
    mut stop: watch::Receiver<StopOrder>,
) {
    let connections = server.connections.clone();
    let config = &server.shared.config;
    let limits = Limits {
        idle: ticks(config.idle_timeout_ms),
        headers: ticks(config.request_timeout_ms),
        least: server.least_bytes(),
        window: server.rate_window(),
    };
    let mut all = vec![AcceptSource {
        listener: listeners.plain,
        tls: None,
        service: None,
    }];
    all.extend(listeners.tls.map(|(listener, tls)| AcceptSource {
        listener,
        tls: Some(tls),
        service: None,
    }));
    let services = listeners.services.into_iter();
    all.extend(services.map(|(listener, service)| AcceptSource {
        listener,
        tls: service.tls.clone(),
        service: Some(service),
    }));
    for accepting in all {
        spawn_local(accept(
            server.clone(),
            accepting,
            connections.clone(),
            stop.clone(),
        ));
    }
    let mut clock = DoorClock::new();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // A draining door checks more often whether it has ended.
    let mut look = tokio::time::interval(TICK / 25);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let memory = &server.shared.memory;
        let idle = connections.count() == 0 && !memory.wants_trimming();
        let stopping = *stop.borrow() != StopOrder::No;
        let rests = idle && !stopping;
        tokio::select! {
            // Without connections there is no limit to check.
            _ = connections.opened(), if rests => {}
            _ = tick.tick(), if !rests => {
                let now = clock.read();
                server.deadlines.look(now);
                let (ended, gave_way) = connections.look(now, &limits);
                let metrics = &server.shared.metrics;
                metrics.connections_timed_out.fetch_add(ended, Relaxed);
                metrics.connections_gave_way.fetch_add(gave_way, Relaxed);
                memory.trim();
            }
            changed = stop.changed() => {
                let state = *stop.borrow();
                if changed.is_err() || state == StopOrder::Now {
                    return;
                }
                connections.stop();
            }
            _ = look.tick(), if stopping => {}
        }
        if *stop.borrow() != StopOrder::No && connections.count() == 0 {
            return;
        }
    }
}

async fn accept<B: ProgramBackend>(
    server: Rc<Server<B>>,
    accepting: AcceptSource,
    connections: Rc<DoorConnections>,
    mut stop: watch::Receiver<StopOrder>,
) {
    let AcceptSource {
        listener,
        tls,
        service,
    } = accepting;
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return tracing::error!(error = %e, "a listener could not be used"),
    };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => return,
        };
        match accepted {
            Ok((stream, from)) => {
                let peer = PeerAddress {
                    address: from.ip(),
                    port: from.port(),
                    local: service.as_ref().and_then(|_| stream.local_addr().ok()),
                    service: service.clone().map(|s| Arc::new(ServiceConnection::new(s))),
                    ..PeerAddress::default()
                };
                let acceptor = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
                let newcomer = open(
                    &server,
                    (stream, peer),
                    acceptor,
                    &connections,
                    stop.clone(),
                );
                let places = DoorPlaces {
                    server: &server,
                    connections: &connections,
                };
                let limits = seats::SeatLimits {
                    most: server.shared.connections_a_door,
                    reserved: RESERVED,
                };
                seats::make_place(&places, &newcomer, limits).await;
            }
            Err(e) => {
                tracing::warn!(error = %e, "accept failed");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// The connections of a door, for the rule that makes places for new ones.
struct DoorPlaces<'d, B: ProgramBackend> {
    server: &'d Server<B>,
    connections: &'d DoorConnections,
}

impl<B: ProgramBackend> ConnectionHost for DoorPlaces<'_, B> {
    type Connection = Open;

    fn count(&self) -> usize {
        self.connections.count()
    }

    fn give_way(&self, spared: Option<&Open>) -> bool {
        let ended = self.connections.give_way(spared);
        let metrics = &self.server.shared.metrics;
        metrics
            .connections_gave_way
            .fetch_add(ended.into(), Relaxed);
        ended
    }

    async fn wait(&self, at_most: Duration) {
        tokio::time::sleep(at_most).await;
    }
}

/// Begins a connection.
fn open<B: ProgramBackend>(
    server: &Rc<Server<B>>,
    (stream, mut peer): (TcpStream, PeerAddress),
    acceptor: Option<TlsAcceptor>,
    connections: &Rc<DoorConnections>,
    stop: watch::Receiver<StopOrder>,
) -> Open {
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT);
    let timer = connections.timer();
    if let Some(connection) = &peer.service {
        let idle = connection.service.config.idle_timeout_ms;
        timer.idles(idle.filter(|ms| *ms > 0).map(ticks));
    }
    let (server, watched) = (server.clone(), timer.clone());
    let task = spawn_local(async move {
        let guard = CountedConnection::new(&server);
        match acceptor {
            None => connection(&server, stream, peer, watched, stop).await,
            Some(acceptor) => {
                // The handshake must end in the time of a header too.
                let config = &server.shared.config;
                let limit = config.handshake_timeout_ms.min(config.request_timeout_ms);
                let limit = Duration::from_millis(limit.into());
                watched.shakes_hands.set(true);
                let accept = Box::pin(acceptor.accept(stream));
                match tokio::time::timeout(limit, accept).await {
                    Ok(Ok(stream)) => {
                        watched.shakes_hands.set(false);
                        peer.secure = true;
                        peer.certificate = super::tls::client_name(&stream);
                        if peer.service.is_some() {
                            peer.shown = super::tls::client_certificate(&stream);
                        }
                        connection(&server, stream, peer, watched, stop).await;
                    }
                    // A client that talks nonsense is its own affair.
                    Ok(Err(_)) => {}
                    Err(_) => {
                        let metrics = &server.shared.metrics;
                        metrics.connections_timed_out.fetch_add(1, Relaxed);
                    }
                }
            }
        }
        drop(guard);
    });
    connections.add(&timer, task.abort_handle())
}

/// Counts a connection as open while it lives.
struct CountedConnection<B: ProgramBackend>(Rc<Server<B>>);

impl<B: ProgramBackend> CountedConnection<B> {
    fn new(server: &Rc<Server<B>>) -> Self {
        server.shared.metrics.connections_open.fetch_add(1, Relaxed);
        server
            .shared
            .metrics
            .connections_total
            .fetch_add(1, Relaxed);
        CountedConnection(server.clone())
    }
}

impl<B: ProgramBackend> Drop for CountedConnection<B> {
    fn drop(&mut self) {
        self.0.shared.metrics.connections_open.fetch_sub(1, Relaxed);
    }
}

async fn connection<B: ProgramBackend, S>(
    server: &Rc<Server<B>>,
    stream: S,
    peer: PeerAddress,
    timer: Rc<ConnectionTimer>,
    mut stop: watch::Receiver<StopOrder>,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let stream = watched::SharedStream::new(stream);
    let through: Rc<dyn watched::FinalWriter> = stream.clone();
    timer.speaks_through(Rc::downgrade(&through));
    drop(through);
    let peer = Rc::new(peer);
    let mut ahead = Bytes::new();
    // A connection lives from bytes to rest: while it is idle it has no buffers.
    loop {
        let mut watched = TimedStream {
            stream: stream.clone(),
            timer: timer.clone(),
            ahead: Bytes::new(),
        };
        if ahead.is_empty() {
            ahead = tokio::select! {
                biased;
                bytes = watched.first_bytes() => bytes.unwrap_or_default(),
                _ = stop.changed() => return,
            };
        }
        if ahead.is_empty() {
            return closed(stream, &timer, &stop).await;
        }
        let may_be_http2 = HTTP2.starts_with(&ahead[..ahead.len().min(HTTP2.len())]);
        watched.ahead = std::mem::take(&mut ahead);
        let io = TokioIo::new(watched);
        let service = hyper::service::service_fn(|request| {
            let (server, timer, peer) = (server.clone(), timer.clone(), peer.clone());
            timer.begin();
            async move {
                let guard = ResponseGuard(timer);
                let mut response = server.handle(request, &guard.0, &peer).await;
                response.body_mut().known(|| guard.0.streams());
                drop(guard);
                Ok::<_, std::convert::Infallible>(response)
            }
        });
        if may_be_http2 {
            either(io, service, &server.shared.config, &mut stop).await;
            return closed(stream, &timer, &stop).await;
        }
        match http1(io, service, (&timer, &server.shared.config), &mut stop).await {
            Some(begun) => {
                server.shared.memory.freed(BUFFERS);
                // Even an empty piece of a buffer would keep the whole buffer.
                if !begun.is_empty() {
                    timer.has_begun(begun.len());
                    ahead = begun;
                }
            }
            None => return closed(stream, &timer, &stop).await,
        }
    }
}

/// How long an idle connection of a gateway that ends waits for a request: a
/// client that sends one after another has it on the way already.
const LAST_REQUEST: Duration = Duration::from_millis(250);
/// The first bytes of HTTP/2, which distinguish it from HTTP/1.
const HTTP2: &[u8] = b"PRI";

/// Closes a connection that has ended; at shutdown immediately.
async fn closed<S>(
    stream: Rc<watched::SharedStream<S>>,
    timer: &ConnectionTimer,
    stop: &watch::Receiver<StopOrder>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    if *stop.borrow() == StopOrder::No {
        let http1 = timer.frames.borrow().protocol() == WireProtocol::Http1;
        stream.close(if http1 { LINGER } else { 0 }).await;
    }
}

/// Serves HTTP/1 until the connection has ended, or until it is idle: then
/// returns the bytes that were read of a next request.
async fn http1<S, V>(
    io: TokioIo<TimedStream<S>>,
    service: V,
    (timer, config): (&ConnectionTimer, &GatewayConfig),
    stop: &mut watch::Receiver<StopOrder>,
) -> Option<Bytes>
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    V: Service<http::Request<Incoming>, Response = http::Response<ResponseBody>>,
    V::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .half_close(true)
        .header_read_timeout(None)
        .max_buf_size(config.max_header_bytes);
    // Another number than hyper's own costs each request an allocation.
    if config.max_headers != HEADERS {
        builder.max_headers(config.max_headers);
    }
    // In a box, so that it takes no room while the connection rests.
    let mut connection = Box::new(builder.serve_connection(io, service));
    // The gateway's end is a turn, not a future: this is polled for each request.
    let mut relay = WakeRelay::default();
    let turn = std::future::poll_fn(|cx| {
        let mut within = Context::from_waker(relay.before(cx.waker()));
        // A client's disconnect or malformed data ends only its own connection.
        if Pin::new(&mut *connection).poll(&mut within).is_ready() {
            return Poll::Ready(None);
        }
        match timer.turn(cx) {
            None => Poll::Pending,
            turn => Poll::Ready(turn),
        }
    });
    match turn.await? {
        CloseCause::Rests => return Some(connection.into_parts().read_buf),
        CloseCause::Stops if *stop.borrow_and_update() == StopOrder::Now => return None,
        CloseCause::Stops => {}
    }
    tokio::select! {
        biased;
        () = last_request(&mut connection, timer) => {}
        _ = stop.changed() => {}
    }
    None
}

/// Serves the request that is under way, or one whose bytes may be under way,
/// with an answer that announces the end of the connection.
async fn last_request<S, V>(
    connection: &mut hyper::server::conn::http1::Connection<TokioIo<TimedStream<S>>, V>,
    timer: &ConnectionTimer,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    V: Service<http::Request<Incoming>, Response = http::Response<ResponseBody>>,
    V::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut patience = pin!(tokio::time::sleep(LAST_REQUEST));
    let mut reported = false;
    std::future::poll_fn(|cx| {
        if !reported && (timer.is_serving() || patience.as_mut().poll(cx).is_ready()) {
            Pin::new(&mut *connection).graceful_shutdown();
            reported = true;
        }
        let over = Pin::new(&mut *connection).poll(cx).is_ready();
        // The poll may have begun the request.
        if !reported && timer.is_serving() {
            Pin::new(&mut *connection).graceful_shutdown();
            reported = true;
        }
        if over { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Serves HTTP/1 or HTTP/2 until the connection has ended.
async fn either<S, V>(
    io: TokioIo<TimedStream<S>>,
    service: V,
    config: &GatewayConfig,
    stop: &mut watch::Receiver<StopOrder>,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    V: Service<http::Request<Incoming>, Response = http::Response<ResponseBody>>,
    V::Future: 'static,
    V::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    Local: hyper::rt::bounds::Http2ServerConnExec<V::Future, ResponseBody>,
{
    let mut builder = auto::Builder::new(Local);
    builder
        .http1()
        .half_close(true)
        .header_read_timeout(None)
        .max_buf_size(config.max_header_bytes)
        .max_headers(config.max_headers);
    builder
        .http2()
        .max_concurrent_streams(config.max_streams)
        .timer(hyper_util::rt::TokioTimer::new())
        .keep_alive_interval(Some(Duration::from_secs(20)))
        .keep_alive_timeout(Duration::from_secs(20))
        .max_pending_accept_reset_streams(RESETS)
        .max_header_list_size(config.max_header_bytes as u32);
    let mut connection = Box::pin(builder.serve_connection(io, service));
    loop {
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            changed = stop.changed() => {
                if changed.is_err() || *stop.borrow() == StopOrder::Now {
                    return;
                }
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Notifies a connection's timer that a request has its response.
struct ResponseGuard(Rc<ConnectionTimer>);

impl Drop for ResponseGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs a connection's streams on the door's own thread.
#[derive(Debug, Clone, Copy)]
struct Local;

impl<F: Future + 'static> Executor<F> for Local {
    fn execute(&self, future: F) {
        spawn_local(future);
    }
}
