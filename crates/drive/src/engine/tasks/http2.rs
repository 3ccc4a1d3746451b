//! HTTP/2 by the library h2: each client has one connection to each of its targets,
//! with one stream at a time.
//!
//! Reference: RFC 9113.

use super::line::{Answer, Asked, Failed, LONGEST_KEPT, Meter, connect, refused};
use crate::clock;
use crate::engine::RequestFailure;
use crate::plan::{LoadTarget, Population};
use crate::tls::words_of_io;
use bytes::Bytes;
use h2::client::SendRequest;
use http::{Request, Uri};
use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A client's connections, one for each target.
pub(super) struct Line {
    connections: Vec<Option<Connection>>,
}

/// One connection, and its byte counts.
struct Connection {
    sender: SendRequest<Bytes>,
    traffic: Rc<TrafficCounts>,
}

/// Bytes between the library and its connection: frames with their headers, before
/// encryption.
#[derive(Default)]
struct TrafficCounts {
    sent: Cell<u64>,
    received: Cell<u64>,
}

/// Counts a request's bytes when it ends: with an answer, a failure, or a timeout.
struct RequestTally<'a> {
    traffic: Rc<TrafficCounts>,
    meter: &'a Meter<'a>,
}

/// A connection whose bytes are counted.
struct CountedStream<T> {
    stream: T,
    traffic: Rc<TrafficCounts>,
}

impl Line {
    /// A line without connections.
    pub fn new(population: &Population) -> Line {
        Line {
            connections: population.targets.iter().map(|_| None).collect(),
        }
    }

    pub async fn exchange(
        &mut self,
        asked: &Asked<'_>,
        meter: &Meter<'_>,
    ) -> Result<Answer, Failed> {
        let at = asked.step.target;
        // Taken out: if this future is dropped midway, the connection is
        // not reused.
        let kept = self.connections[at].take();
        let kept = kept.filter(|_| asked.target.keep_alive);
        let connection = match alive(kept).await {
            Some(connection) => connection,
            None => {
                let began = clock::now();
                let connection = open(asked.target, asked.client).await?;
                meter.connected(clock::now() - began);
                connection
            }
        };
        let traffic = connection.traffic.clone();
        let _tally = RequestTally { traffic, meter };
        self.converse(connection, asked).await
    }

    /// Sends one request on a connection, which is kept if the request
    /// succeeds.
    async fn converse(
        &mut self,
        connection: Connection,
        asked: &Asked<'_>,
    ) -> Result<Answer, Failed> {
        let Connection { sender, traffic } = connection;
        let Some((request, body)) = take_apart(asked.bytes, asked.target) else {
            let why = "the rendered request is not valid in HTTP/2";
            return Err((RequestFailure::Malformed, why.to_owned()));
        };
        let reset = failed_by;
        let mut sender = sender.ready().await.map_err(reset)?;
        let (response, mut stream) = sender
            .send_request(request, body.is_empty())
            .map_err(reset)?;
        if !body.is_empty() {
            stream.send_data(body, true).map_err(reset)?;
        }
        let response = response.await.map_err(reset)?;
        let (head, mut stream) = response.into_parts();
        let keep = asked.keeps_body();
        let mut answer = Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: Vec::new(),
            size: 0,
        };
        while let Some(piece) = stream.data().await {
            let piece = piece.map_err(reset)?;
            answer.size += piece.len() as u64;
            if keep && answer.body.len() < LONGEST_KEPT {
                answer.body.extend_from_slice(&piece);
            }
            stream
                .flow_control()
                .release_capacity(piece.len())
                .map_err(reset)?;
        }
        self.connections[asked.step.target] = Some(Connection { sender, traffic });
        Ok(answer)
    }

    /// Nothing to do: the connection was taken out and is dropped.
    pub fn give_up(&mut self) {}

    /// Nothing to do: connections outlive iterations.
    pub async fn end_iteration(&mut self, _: &Population) {}
}

/// Returns the connection unless the server has sent GOAWAY since its last answer:
/// a graceful end between two requests fails none of them.
async fn alive(kept: Option<Connection>) -> Option<Connection> {
    let Connection { sender, traffic } = kept?;
    let sender = sender.ready().await.ok()?;
    Some(Connection { sender, traffic })
}

/// The kind of failure for an error of the library, with its message.
fn failed_by(error: h2::Error) -> Failed {
    let reason = error
        .reason()
        .map_or_else(String::new, |r| format!("{r:?}"));
    if error.is_io() {
        return (RequestFailure::Reset, error.to_string());
    }
    match (error.is_go_away(), error.is_remote()) {
        (true, true) => (
            RequestFailure::Reset,
            format!("the server ended the connection (GOAWAY, {reason})"),
        ),
        (false, true) => (
            RequestFailure::Reset,
            format!("the server reset the stream (RST_STREAM, {reason})"),
        ),
        _ => (
            RequestFailure::Malformed,
            format!("the server violates the HTTP/2 protocol ({reason})"),
        ),
    }
}

fn take_apart(text: &[u8], target: &LoadTarget) -> Option<(Request<()>, Bytes)> {
    let end = memchr::memmem::find(text, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&text[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?, first.next()?);
    let scheme = if target.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let mut authority = target.name.as_str();
    let mut builder = Request::builder().method(method);
    for line in lines {
        let (name, value) = line.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "host" => authority = value.trim(),
            // Connection management exists in HTTP/1 only.
            "connection" | "keep-alive" | "transfer-encoding" | "upgrade" => {}
            name => builder = builder.header(name, value.trim()),
        }
    }
    let uri: Uri = format!("{scheme}://{authority}{path}").parse().ok()?;
    let request = builder
        .uri(uri)
        .version(http::Version::HTTP_2)
        .body(())
        .ok()?;
    Some((request, Bytes::copy_from_slice(&text[end + 4..])))
}

async fn open(target: &LoadTarget, client: u64) -> Result<Connection, Failed> {
    let stream = connect(target, client).await;
    let stream = stream.map_err(|error| refused(&error))?;
    match &target.tls {
        None => handshake(stream).await,
        Some(tls) => {
            let connector = tokio_rustls::TlsConnector::from(tls.config.clone());
            let stream = connector.connect(tls.name.clone(), stream).await;
            let stream = stream.map_err(|e| (RequestFailure::Tls, words_of_io(&e)))?;
            if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
                let why = "the server does not offer HTTP/2";
                return Err((RequestFailure::Tls, why.to_owned()));
            }
            handshake(stream).await
        }
    }
}

async fn handshake<T>(stream: T) -> Result<Connection, Failed>
where
    T: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let traffic = Rc::new(TrafficCounts::default());
    let stream = CountedStream {
        stream,
        traffic: traffic.clone(),
    };
    let mut builder = h2::client::Builder::new();
    builder
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let made = builder.handshake(stream).await;
    let (sender, connection) = made.map_err(|e| (RequestFailure::Malformed, e.to_string()))?;
    // The request on the connection sees its end.
    tokio::task::spawn_local(async move {
        let _ = connection.await;
    });
    Ok(Connection { sender, traffic })
}

impl Drop for RequestTally<'_> {
    fn drop(&mut self) {
        self.meter.sent(self.traffic.sent.take());
        self.meter.received(self.traffic.received.take());
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for CountedStream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        add(&self.traffic.received, buffer.filled().len() - before);
        polled
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for CountedStream<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<T> CountedStream<T> {
    fn wrote(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(n)) = &polled {
            add(&self.traffic.sent, *n);
        }
        polled
    }
}

fn add(count: &Cell<u64>, bytes: usize) {
    count.set(count.get() + bytes as u64);
}

/// Large enough that big answers do not wait for window updates.
const WINDOW: u32 = 8 << 20;
