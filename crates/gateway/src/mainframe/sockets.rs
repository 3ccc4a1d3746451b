//! A CICS reached by its sockets listener: one message is sent, one is
//! received.
//!
//! The first bytes name the transaction to the listener. Its program, a
//! receiver, runs one program with each message and sends the answer on the
//! same connection, in the same frame. An abend ends the connection, so it
//! looks like a lost answer.
//!
//! Reference: IP CICS Sockets Guide, "CICS listener input format".

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use region::CallFailure;

use super::pool::{Session, SessionStream, Stream};
use super::{ConnectionSessions, FirstFrame, MainframeReply, MainframeTask, MessageFraming};

/// A CICS that is called through its listener.
#[derive(Clone)]
pub struct SocketConnection {
    /// Host and port of the listener.
    pub address: String,
    /// The first message, such as `RECV\n`; `{program}` and `{transid}` in it
    /// are replaced. Empty if the listener takes messages at once.
    pub first: String,
    /// The framing of messages.
    pub frames: Arc<dyn MessageFraming>,
}

/// Bytes that are read at a time.
const PIECE: usize = 16 << 10;
/// Bytes of a frame beyond its message.
const FRAME: usize = 64;

/// A message that came back.
struct Answer {
    bytes: Vec<u8>,
    /// No data follows it.
    alone: bool,
}

/// Why there is no answer.
enum SocketReplyFailure {
    /// The connection ended before the first byte of an answer.
    Nothing(String),
    /// The connection is broken.
    Broken(String),
}

impl SocketConnection {
    pub(super) fn target(&self) -> Result<(String, u16), String> {
        let wrong = || format!("address: {:?} is not host:port", self.address);
        let (host, port) = self.address.rsplit_once(':').ok_or_else(wrong)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().map_err(|_| wrong())?;
        if host.is_empty() {
            Err(wrong())
        } else {
            Ok((host.to_owned(), port))
        }
    }

    pub(super) async fn call(
        &self,
        way: &ConnectionSessions,
        task: &MainframeTask,
    ) -> Result<MainframeReply, CallFailure> {
        let mut message = Vec::with_capacity(task.input.bytes.len() + FRAME);
        let framed = self.frames.emit(&task.input.bytes, &mut message);
        framed.map_err(|why| way.impossible(why))?;
        let first = self
            .first
            .replace("{program}", task.request.program.as_str());
        let first = first.replace("{transid}", task.transid().as_str());
        let name = &way.connection.name;
        let _room = way.pool.room(way.wait(), name).await?;
        while let Some(session) = way.pool.kept(&first) {
            let SessionStream::Raw(mut stream) = session.wire else {
                continue;
            };
            if !rests(&mut stream).await {
                continue;
            }
            match self.exchange(way, &mut stream, &message).await {
                Ok(answer) => return Ok(self.answered(way, first, stream, answer)),
                // The listener's side may have closed it before.
                Err(SocketReplyFailure::Nothing(_)) if task.idempotent => {}
                Err(SocketReplyFailure::Nothing(why) | SocketReplyFailure::Broken(why)) => {
                    return Err(way.lost(why));
                }
            }
        }
        let mut stream = way.connection.open().await?;
        let mut out = first.clone().into_bytes();
        out.extend_from_slice(&message);
        match self.exchange(way, &mut stream, &out).await {
            Ok(answer) => Ok(self.answered(way, first, stream, answer)),
            Err(SocketReplyFailure::Nothing(why) | SocketReplyFailure::Broken(why)) => {
                Err(way.lost(why))
            }
        }
    }

    fn answered(
        &self,
        way: &ConnectionSessions,
        key: String,
        stream: Box<dyn Stream>,
        answer: Answer,
    ) -> MainframeReply {
        // Bytes after it would be taken for the next answer.
        if answer.alone {
            way.pool.keep(Session {
                key,
                wire: SessionStream::Raw(stream),
            })
        } else {
            tracing::warn!(
                connection = way.connection.name,
                "the listener sent bytes after an answer: its connection is closed"
            )
        }
        MainframeReply {
            bytes: answer.bytes,
            ..MainframeReply::default()
        }
    }

    /// Sends a message and reads the one that comes back.
    async fn exchange(
        &self,
        way: &ConnectionSessions,
        stream: &mut Box<dyn Stream>,
        message: &[u8],
    ) -> Result<Answer, SocketReplyFailure> {
        let sent = stream.write_all(message).await;
        sent.map_err(|e| SocketReplyFailure::Nothing(e.to_string()))?;
        let most = way.connection.common.max_bytes;
        let mut bytes = Vec::new();
        let (mut looked, mut enough) = (0, 0);
        loop {
            let mut piece = [0; PIECE];
            let read = match stream.read(&mut piece).await {
                Ok(0) if bytes.is_empty() => {
                    return Err(SocketReplyFailure::Nothing(
                        "the listener closed the connection before the answer".into(),
                    ));
                }
                Ok(0) => {
                    return Err(SocketReplyFailure::Broken(
                        "the listener closed the connection within the answer".into(),
                    ));
                }
                Ok(read) => read,
                Err(e) if bytes.is_empty() => {
                    return Err(SocketReplyFailure::Nothing(e.to_string()));
                }
                Err(e) => return Err(SocketReplyFailure::Broken(e.to_string())),
            };
            bytes.extend_from_slice(&piece[..read]);
            if bytes.len() > most + FRAME {
                let why = format!("the answer is larger than {most} bytes");
                return Err(SocketReplyFailure::Broken(why));
            }
            if bytes.len() < enough {
                continue;
            }
            let first = self.frames.first(&bytes, looked);
            match first.map_err(SocketReplyFailure::Broken)? {
                FirstFrame::Message { data, next } => {
                    let alone = next >= bytes.len();
                    bytes.truncate(data.end);
                    bytes.drain(..data.start);
                    return Ok(Answer { bytes, alone });
                }
                FirstFrame::Part { searched, needed } => (looked, enough) = (searched, needed),
            }
        }
    }
}

/// Whether a connection that was kept is still open, and silent as it should
/// be.
async fn rests(stream: &mut Box<dyn Stream>) -> bool {
    let mut byte = [0];
    tokio::select! {
        biased;
        _ = stream.read(&mut byte) => false,
        () = std::future::ready(()) => true,
    }
}
