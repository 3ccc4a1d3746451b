//! One connection of a listener, until a transaction has taken it.

use std::future::pending;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ezasoket::{ClientId, Socket, SocketName};
use region::{StartRefusal, TransId};
use seats::{SeatHandle, SeatPhase};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::exit::{self, ConnectionAddresses, ServerTaskStart};
use super::header::{self, Header};
use super::message;
use super::refusal::{ClientRefusal, now};
use super::run::{Listener, ListenerThread, SocketNumber, set_low_water};
use crate::config::{MessageForm, MessageFormat, StartType, delay_ms};
use crate::native::{AcceptedConnection, ReceiverState};
use crate::stream::{ReadinessSocket, Stream};

/// Most bytes that are looked at for the first message.
const MESSAGE_BYTES: usize = 1024;
/// Bytes that are read and discarded after a refusal, so that closing does not
/// reset the connection before the client has read it.
const DRAINED_BYTES: usize = 64 * 1024;
/// How long that takes at most.
pub const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Serves a connection.
pub async fn serve(
    door: Rc<ListenerThread>,
    listener: Arc<Listener>,
    (stream, client, seat): (TcpStream, SocketAddr, SeatHandle),
    number: SocketNumber,
) {
    let connection = Connection {
        door,
        listener,
        client,
        seat,
        number: number.value,
        ebcdic: false,
        transid: String::new(),
    };
    connection.serve(stream).await;
    drop(number);
}

struct Connection {
    door: Rc<ListenerThread>,
    listener: Arc<Listener>,
    client: SocketAddr,
    /// Half-open until the first message has come.
    seat: SeatHandle,
    number: i64,
    /// The error message to the client is in EBCDIC.
    ebcdic: bool,
    /// The requested transaction, as far as it is known.
    transid: String,
}

impl Connection {
    async fn serve(mut self, tcp: TcpStream) {
        self.note("ACCEPT");
        let limit = self.listener.config.reatime;
        // A client that does not finish its handshake in time cannot receive a
        // message.
        let Some(Some(mut stream)) = limited(limit, self.open(tcp)).await else {
            self.listener.counts.refused.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let first = match limited(limit, self.first_message(&mut stream)).await {
            Some(first) => first,
            None => Some(Err(ClientRefusal::TooLate)),
        };
        // The client went away before it said anything.
        let Some(first) = first else {
            return;
        };
        self.seat.enter(SeatPhase::Busy);
        let ready = match first {
            Ok((wanted, data)) => {
                let message = data.as_deref().unwrap_or_default();
                let permitted = self.permit(stream.tcp(), wanted, message).await;
                permitted.map(|wanted| (wanted, data))
            }
            Err(refused) => Err(refused),
        };
        match ready {
            Ok((wanted, data)) => match self.receiver(&wanted) {
                Some((served, is_sender)) => {
                    let session = data.unwrap_or(wanted.data);
                    self.give_to(&served, is_sender, session, stream).await;
                }
                None => match stream.into_plain() {
                    Ok(stream) => self.hand_over(stream, wanted, data).await,
                    Err(stream) => self.refuse(stream, &ClientRefusal::NoReceiver).await,
                },
            },
            Err(refused) => self.refuse(stream, &refused).await,
        }
    }

    /// The connection in the listener's form. Returns `None` when its handshake fails.
    async fn open(&self, tcp: TcpStream) -> Option<Stream> {
        let source = match (&self.door.tls, self.listener.config.tls) {
            (Some(source), true) => source,
            (None, true) => {
                let listener = self.listener.transid;
                tracing::warn!(%listener, "no TLS: the region started without a certificate");
                return None;
            }
            (_, false) => return Some(Stream::plain(tcp)),
        };
        match Stream::accept(tcp, source()).await {
            Ok(stream) => Some(stream),
            Err(error) => {
                let (listener, client) = (self.listener.transid, self.client);
                tracing::info!(%listener, %client, "no TLS connection: {error}");
                None
            }
        }
    }

    /// The client's first message; `None` if it has disconnected.
    async fn first_message(
        &mut self,
        stream: &mut Stream,
    ) -> Option<Result<(ServerTaskStart, Option<Vec<u8>>), ClientRefusal>> {
        let listener = self.listener.clone();
        let config = &listener.config;
        let mut buffer = vec![0; MESSAGE_BYTES];
        match config.format {
            MessageFormat::Standard => {
                let fewest = config.minmsgl as usize;
                let count = stream.peek(&mut buffer, fewest).await.ok();
                let count = count.filter(|n| *n > 0)?;
                let seen = &buffer[..count];
                // Bytes after a line end belong to the transaction.
                let length = header::line_end(seen).unwrap_or(count);
                let message = seen[..length].to_vec();
                stream.consume(length).await?;
                Some(self.standard(&message).map(|wanted| (wanted, None)))
            }
            MessageFormat::Enhanced => {
                let length = config.msglen as usize;
                let mut data = Vec::new();
                if length > 0 {
                    let count = stream
                        .peek(&mut buffer[..length.min(MESSAGE_BYTES)], length)
                        .await
                        .ok()?;
                    if count == 0 {
                        return None;
                    }
                    data.extend_from_slice(&buffer[..count]);
                    if !config.peekdata {
                        stream.consume(count).await?;
                    }
                }
                self.ebcdic = header::is_ebcdic(&data);
                self.transid = config.cstran.clone().unwrap_or_default();
                let wanted = ServerTaskStart {
                    transid: self.transid.clone(),
                    data: Vec::new(),
                    start: config.cssttyp,
                    delay_ms: match config.cssttyp {
                        StartType::Ic => delay_ms(&config.csdelay).unwrap_or(0),
                        _ => 0,
                    },
                    userid: self.door.user,
                };
                Some(Ok((wanted, Some(data))))
            }
        }
    }

    fn standard(&mut self, bytes: &[u8]) -> Result<ServerTaskStart, ClientRefusal> {
        let config = &self.listener.config;
        self.ebcdic = header::is_ebcdic(bytes);
        let header: Header = match header::parse(bytes, (config.trantrn, config.tranusr)) {
            Ok(header) => header,
            Err((error, shown)) => {
                self.transid = shown;
                return Err(ClientRefusal::Header(error));
            }
        };
        self.transid.clone_from(&header.transid);
        Ok(ServerTaskStart {
            transid: header.transid,
            data: header.data,
            start: header.start,
            delay_ms: header.delay_ms,
            userid: self.door.user,
        })
    }

    /// Asks the security exit, and looks whether the transaction can start.
    async fn permit(
        &mut self,
        stream: &TcpStream,
        wanted: ServerTaskStart,
        message: &[u8],
    ) -> Result<ServerTaskStart, ClientRefusal> {
        let mut wanted = wanted;
        if let Some(program) = &self.listener.config.secexit {
            let ends = ConnectionAddresses {
                client: self.client,
                listener: stream.local_addr().unwrap_or(self.client),
                socket: self.number,
            };
            let program = program.parse().unwrap_or_default();
            let who = (self.listener.transid, program);
            let door = &self.door;
            wanted = exit::run(&door.region, &door.port, who, (wanted, message), &ends).await?;
            self.transid.clone_from(&wanted.transid);
        }
        if wanted.start == StartType::Td {
            return Ok(wanted);
        }
        let transid = wanted.transid.parse().unwrap_or(TransId::BLANK);
        match self.door.region.transaction(transid) {
            Some(true) => Ok(wanted),
            Some(false) => Err(ClientRefusal::Disabled),
            None => Err(ClientRefusal::Unknown),
        }
    }

    /// The receiver that serves the connection instead of the transaction,
    /// and whether answers go out on it.
    fn receiver(&self, wanted: &ServerTaskStart) -> Option<(Arc<ReceiverState>, bool)> {
        let native = self.door.native.as_ref()?;
        let transid = wanted.transid.parse().ok()?;
        let (served, is_sender) = native.serves(transid)?;
        (wanted.start == StartType::Kc).then(|| (served.clone(), is_sender))
    }

    /// Gives the connection to a receiver.
    async fn give_to(
        self,
        served: &Arc<ReceiverState>,
        is_sender: bool,
        mut session: Vec<u8>,
        stream: Stream,
    ) {
        let Some(native) = self.door.native.clone() else {
            return;
        };
        let seat = match native.seat(served) {
            Ok(seat) => seat,
            Err(refused) => return self.refuse(stream, &refused).await,
        };
        let passed = set_low_water(stream.tcp(), 1).and_then(|()| stream.into_parts());
        let stream = match passed {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(listener = %self.listener.transid, %error, "a connection was lost");
                return;
            }
        };
        self.listener.counts.started.fetch_add(1, Ordering::Relaxed);
        self.note(&format!("GIVEN TO RECEIVER {}", served.receiver.transid));
        let end = session.iter().rposition(|b| !matches!(b, b' ' | 0));
        session.truncate(end.map_or(0, |end| end + 1));
        native.adopt(AcceptedConnection {
            stream,
            client: self.client,
            served: served.clone(),
            is_sender,
            session,
            ebcdic: self.ebcdic,
            seat,
        });
    }

    /// Gives the socket and starts the transaction, then waits until it has
    /// taken it.
    async fn hand_over(self, stream: TcpStream, wanted: ServerTaskStart, data: Option<Vec<u8>>) {
        let counts = &self.listener.counts;
        // From now on the transaction reads: any byte counts.
        let adopted = set_low_water(&stream, 1)
            .and_then(|()| stream.into_std())
            .map_err(ezasoket::Errno::from)
            .and_then(|stream| Socket::adopt(stream.into()));
        let socket = match adopted {
            Ok(socket) => Arc::new(socket),
            Err(errno) => {
                tracing::warn!(listener = %self.listener.transid, errno = errno.0, "a connection was lost");
                return;
            }
        };
        let (taken, adopted) = oneshot::channel();
        let any_task = ClientId {
            task: [b' '; 8],
            ..self.listener.client
        };
        let given = &self.door.world.given;
        let me = (self.listener.client, self.number);
        let on_taken = Box::new(move || {
            // No task waits any more: the connection was given up.
            let _ = taken.send(());
        });
        if given.give(me, any_task, socket.clone(), on_taken).is_err() {
            return;
        }
        let name = SocketName(self.client);
        let tim = message::emit(self.number, &me.0, &wanted.data, &name, data.as_deref());
        if let Err(refused) = self.start(&wanted, tim) {
            given.take_back(&me.0, self.number);
            return self.refuse_given(socket, &refused).await;
        }
        counts.started.fetch_add(1, Ordering::Relaxed);
        counts.waiting.fetch_add(1, Ordering::Relaxed);
        self.note(&format!("GIVESOCKET TO {}", wanted.transid));
        let wait = match self.listener.config.givtime {
            0 => None,
            seconds => Some(
                Duration::from_secs(u64::from(seconds)) + Duration::from_millis(wanted.delay_ms),
            ),
        };
        let in_time = tokio::select! {
            adopted = adopted => adopted.is_ok(),
            () = time(wait) => false,
        };
        counts.waiting.fetch_sub(1, Ordering::Relaxed);
        if in_time {
            self.note("TAKEN");
        } else if given.take_back(&me.0, self.number) {
            counts.expired.fetch_add(1, Ordering::Relaxed);
            self.refuse_given(socket, &ClientRefusal::NotTaken).await;
        }
    }

    fn start(&self, wanted: &ServerTaskStart, message: Vec<u8>) -> Result<(), ClientRefusal> {
        let region = &self.door.region;
        let transid = wanted.transid.parse().unwrap_or(TransId::BLANK);
        if wanted.start == StartType::Td {
            return region
                .write_queue(transid, &message)
                .map_err(ClientRefusal::Queue);
        }
        let started = region.start(transid, wanted.userid, wanted.delay_ms, message);
        started.map_err(|refusal| match refusal {
            StartRefusal::Disabled(_) => ClientRefusal::Disabled,
            StartRefusal::ShuttingDown => ClientRefusal::Ending,
            _ => ClientRefusal::Unknown,
        })
    }

    /// Sends the client the reason, and closes after the client has read it.
    async fn refuse(&self, stream: Stream, refused: &ClientRefusal) {
        part_from(stream, &self.refusal_message(refused).unwrap_or_default()).await;
    }

    /// As above for a socket that was already given and not taken.
    async fn refuse_given(&self, socket: Arc<Socket>, refused: &ClientRefusal) {
        let descriptor = socket.duplicate();
        drop(socket);
        match descriptor.and_then(|descriptor| TcpStream::from_std(descriptor.into())) {
            Ok(stream) => self.refuse(Stream::plain(stream), refused).await,
            Err(error) => {
                tracing::warn!(listener = %self.listener.transid, %error, "a connection was lost");
            }
        }
    }

    /// The message for the client in its own code page; it is logged too.
    fn refusal_message(&self, refused: &ClientRefusal) -> Option<Vec<u8>> {
        self.listener.counts.refused.fetch_add(1, Ordering::Relaxed);
        let text = refused.text(&self.transid, self.client, &now())?;
        tracing::info!(listener = %self.listener.transid, "{text}");
        self.note(&text);
        let text = format!("{text}\n").into_bytes();
        let ebcdic = match self.listener.config.msgform {
            Some(form) => form == MessageForm::Ebcdic,
            None => self.ebcdic,
        };
        Some(if ebcdic {
            header::to_ebcdic(&text)
        } else {
            text
        })
    }

    fn note(&self, what: &str) {
        self.door
            .trace
            .event(self.listener.transid, self.number, what);
    }
}

/// Sends a last message to a client, and closes after the client has read it or
/// the time limit passed.
async fn part_from(stream: Stream, words: &[u8]) {
    let _ = timeout(DRAIN_TIME, last_words(stream, words)).await;
}

/// Sends a last message to a client, and waits until the client has read it.
pub async fn last_words<T: ReadinessSocket>(mut stream: Stream<T>, words: &[u8]) {
    // A client that has disconnected cannot receive it.
    let _ = stream.finish(words).await;
    let _ = set_low_water(stream.tcp(), 1);
    let _ = stream.consume(DRAINED_BYTES).await;
}

/// Waits at most this many seconds, 0 for ever; `None` after that.
async fn limited<T>(seconds: u32, what: impl Future<Output = T>) -> Option<T> {
    match seconds {
        0 => Some(what.await),
        seconds => timeout(Duration::from_secs(u64::from(seconds)), what)
            .await
            .ok(),
    }
}

async fn time(limit: Option<Duration>) {
    match limit {
        Some(limit) => sleep(limit).await,
        None => pending().await,
    }
}
