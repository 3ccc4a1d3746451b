//! HTTP/2, from a library (h2): each client has one connection to each of its
//! targets, with one stream at a time.
//!
//! Reference: RFC 9113.

use super::line::{Answer, Asked, Failed, LONGEST_KEPT, Meter};
use crate::clock;
use crate::engine::Failure;
use crate::net;
use crate::plan::{Population, Target};
use crate::tls::words_of_io;
use bytes::Bytes;
use h2::client::SendRequest;
use http::{Request, Uri};
use std::io;

/// A client's connections, one a target.
pub(super) struct Line {
    connections: Vec<Option<SendRequest<Bytes>>>,
}

impl Line {
    /// A line without connections yet.
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
        // Taken out: what is dropped in the middle is not used again.
        let kept = self.connections[at].take();
        let sender = match kept.filter(|_| asked.target.keep_alive) {
            Some(sender) => sender,
            None => {
                let began = clock::now();
                let sender = connect(asked.target).await?;
                meter.connected(clock::now() - began);
                sender
            }
        };
        let Some((request, body)) = take_apart(asked.bytes, asked.target) else {
            let why = "the rendered request is not valid in HTTP/2";
            return Err((Failure::Malformed, why.to_owned()));
        };
        let reset = |e: h2::Error| (Failure::Reset, e.to_string());
        let mut sender = sender.ready().await.map_err(reset)?;
        let size = body.len() as u64;
        let (response, mut stream) = sender
            .send_request(request, body.is_empty())
            .map_err(reset)?;
        if !body.is_empty() {
            stream.send_data(body, true).map_err(reset)?;
        }
        meter.sent(size);
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
        self.connections[at] = Some(sender);
        Ok(answer)
    }

    /// Its connection was taken out and is gone.
    pub fn give_up(&mut self) {}

    /// Connections outlive iterations.
    pub async fn end_iteration(&mut self, _: &Population) {}
}

fn take_apart(text: &[u8], target: &Target) -> Option<(Request<()>, Bytes)> {
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
            // Connection management is HTTP/1's own.
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

async fn connect(target: &Target) -> Result<SendRequest<Bytes>, Failed> {
    let refused = |e: io::Error| (Failure::Connect, e.to_string());
    let source = target.sources.first().copied();
    let fd = net::connect(target.address, source, &target.knobs).map_err(refused)?;
    let stream = tokio::net::TcpStream::from_std(fd.into()).map_err(refused)?;
    stream.writable().await.map_err(refused)?;
    if let Some(error) = stream.take_error().map_err(refused)? {
        return Err(refused(error));
    }
    match &target.tls {
        None => handshake(stream).await,
        Some(tls) => {
            let connector = tokio_rustls::TlsConnector::from(tls.config.clone());
            let stream = connector.connect(tls.name.clone(), stream).await;
            let stream = stream.map_err(|e| (Failure::Tls, words_of_io(&e)))?;
            if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
                let why = "the server does not offer HTTP/2";
                return Err((Failure::Tls, why.to_owned()));
            }
            handshake(stream).await
        }
    }
}

async fn handshake<T>(stream: T) -> Result<SendRequest<Bytes>, Failed>
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let mut builder = h2::client::Builder::new();
    builder
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let made = builder.handshake(stream).await;
    let (sender, connection) = made.map_err(|e| (Failure::Malformed, e.to_string()))?;
    // Its end is seen by the request that is on it.
    tokio::task::spawn_local(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

/// Wide enough that large answers are not slowed by window updates.
const WINDOW: u32 = 8 << 20;
