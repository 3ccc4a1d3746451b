//! The status of a running node: links, sessions, modes and programs, as JSON
//! over HTTP on a loopback address.
//!
//! `GET /status` is the only request, one per connection. Any other request gets a
//! 404. The client parses the response with the same types.

use crate::host::SharedHost;
use crate::{Error, NodeHost};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Default address of a node's status.
pub const ADDRESS: &str = "127.0.0.1:9065";

/// Bytes of a request that are read at most.
const MAX_REQUEST_BYTES: usize = 8 * 1024;
/// The status of the most sessions that a node may have is shorter.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);
/// Questions that are read at once; one more is closed without an answer.
const MOST_AT_ONCE: usize = 64;

/// A node at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its logical unit.
    pub lu: String,
    /// Where DLSw partners connect.
    pub listening: Option<SocketAddr>,
    /// Its links.
    pub links: Vec<LinkStatus>,
    /// Its sessions.
    pub sessions: Vec<SessionStatus>,
    /// Its modes.
    pub modes: Vec<ModeStatus>,
    /// Programs that partners may attach.
    pub programs: BTreeSet<String>,
    /// Programs that run now.
    pub running: usize,
    /// Attaches since the start.
    pub attached: u64,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkStatus {
    /// `dlsw`, or `llc2` and the interface.
    pub kind: String,
    /// The partner's address.
    pub peer: String,
    /// The partner's name, if known.
    pub partner: String,
    /// `primary` or `secondary`.
    pub role: String,
    /// The largest basic transmission unit that the partner takes, in bytes.
    pub max_btu_bytes: u16,
    /// Whether sessions can use it.
    pub up: bool,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStatus {
    /// The partner logical unit.
    pub partner: String,
    /// The mode; blank for the blank mode.
    pub mode: String,
    /// Whether this side is the contention winner.
    pub winner: bool,
    /// Whether it is active: neither being activated nor being ended.
    pub active: bool,
    /// The largest RU each way, in bytes: sent, received.
    pub ru_bytes: (usize, usize),
    /// RUs that may leave before the partner grants more.
    pub credit: u32,
    /// Whether a conversation uses it.
    pub busy: bool,
}

/// A mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModeStatus {
    /// Its name; blank for the blank mode.
    pub name: String,
    /// The largest RU each way, in bytes: sent, received.
    pub ru_bytes: (usize, usize),
    /// The pacing windows each way, in RUs: sent, received.
    pub pacing: (u8, u8),
    /// `adaptive` or `fixed`.
    pub kind: String,
    /// Sessions at most.
    pub sessions: u16,
    /// Contention winners this side wants.
    pub winners: u16,
    /// Class of service.
    pub class_of_service: String,
}

impl From<sna::SessionInfo> for SessionStatus {
    fn from(session: sna::SessionInfo) -> SessionStatus {
        SessionStatus {
            partner: session.partner.to_string(),
            mode: session.mode.to_string(),
            winner: session.winner,
            active: session.active,
            ru_bytes: (session.send_ru_bytes, session.receive_ru_bytes),
            credit: session.credit,
            busy: session.conversation.is_some(),
        }
    }
}

impl From<&sna::Mode> for ModeStatus {
    fn from(mode: &sna::Mode) -> ModeStatus {
        let adaptive = mode.pacing == sna::mode::PacingMode::Adaptive;
        ModeStatus {
            name: mode.name.to_string(),
            ru_bytes: (mode.send_ru_bytes, mode.receive_ru_bytes),
            pacing: (mode.send_window, mode.receive_window),
            kind: if adaptive { "adaptive" } else { "fixed" }.into(),
            sessions: mode.session_limit,
            winners: mode.min_winners,
            class_of_service: mode.class_of_service.clone(),
        }
    }
}

/// Answers on `listener`, on its own thread, until the host has stopped. Each
/// connection has a thread, so that an idle one delays no other.
pub fn serve(host: &NodeHost, listener: TcpListener) -> Result<(), Error> {
    let host = host.weak();
    let asking = Arc::new(());
    thread(move || {
        for stream in listener.incoming() {
            let Some(host) = host.upgrade().filter(|host| !host.stopped()) else {
                return;
            };
            // This thread's, and one for each that asks.
            if Arc::strong_count(&asking) > MOST_AT_ONCE {
                continue;
            }
            let (host, asks) = (Arc::downgrade(&host), Arc::clone(&asking));
            let answered = stream.and_then(|stream| {
                thread(move || {
                    if let Err(error) = answer(&host, stream) {
                        tracing::debug!("status: {error}");
                    }
                    drop(asks);
                })
            });
            if let Err(error) = answered {
                tracing::debug!("status: {error}");
            }
        }
    })
    .map_err(|error| Error::Io("thread".into(), error))
}

fn thread(run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let named = std::thread::Builder::new().name("appc-admin".into());
    named.spawn(run).map(drop)
}

fn answer(host: &Weak<SharedHost>, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = question(&mut stream)?;
    let Some(host) = host.upgrade() else {
        return Ok(());
    };
    let (status, body) = match request.split_whitespace().collect::<Vec<_>>()[..] {
        ["GET", "/status", _] => ("200 OK", serde_json::to_string(&host.status())?),
        _ => ("404 Not Found", "{\"error\":\"GET /status\"}".into()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Reads the head of a request within [`PATIENCE`], even if it arrives in small
/// pieces.
fn question(stream: &mut TcpStream) -> std::io::Result<String> {
    let until = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.len() < MAX_REQUEST_BYTES {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => break,
            read => head.extend_from_slice(&piece[..read]),
        }
    }
    let head = String::from_utf8_lossy(&head);
    Ok(head.lines().next().unwrap_or_default().to_owned())
}

/// Asks the node whose status is at `address`.
pub fn query_status(address: SocketAddr) -> Result<Status, Error> {
    let connect = |why| Error::Connect { address, why };
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(connect)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(connect)?;
    let strange = "the answer is not a node's status; does another program use this port?";
    let wrong = || connect(std::io::Error::new(ErrorKind::InvalidData, strange));
    // A peer of another protocol may close the connection before it has read
    // the request.
    let failed = |why: std::io::Error| match why.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            let silent = format!("no answer within {} s", PATIENCE.as_secs());
            connect(std::io::Error::new(ErrorKind::TimedOut, silent))
        }
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => wrong(),
        _ => connect(why),
    };
    write!(
        stream,
        "GET /status HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .map_err(failed)?;
    let mut answer = Vec::new();
    let read = (&stream).take(MAX_ANSWER_BYTES).read_to_end(&mut answer);
    read.map_err(failed)?;
    let answer = std::str::from_utf8(&answer).map_err(|_| wrong())?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or_else(wrong)?;
    serde_json::from_str(body).map_err(|_| wrong())
}
