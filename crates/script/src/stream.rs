//! Answers that are sent in parts while the script runs.
//!
//! The first part takes the status and the headers with it. Few parts are under
//! way at a time: a script whose client reads slowly waits, and its task with
//! it, within the task's deadline. The end is sent after the unit of work is
//! committed. An answer whose task abends is cut off before it, so that the
//! client sees that it is incomplete. When the client disconnects, the task is
//! purged.
//!
//! Reference: RFC 9112, section 7.1 (chunked transfer coding).

use bytes::Bytes;
use region::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::engine::ScriptAnswer;
use crate::work::ScriptTask;

/// Parts on their way to a client.
const ON_THE_WAY: usize = 4;
/// Most bytes of a part.
const PART: usize = 64 << 10;

/// An answer that has begun.
#[derive(Debug)]
pub struct StreamedAnswer {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Its parts; `None` is its end. Closed before, some is missing.
    pub parts: mpsc::Receiver<Option<Bytes>>,
}

/// The client of a script, before and while the answer is sent.
pub struct Client {
    region: Handle,
    begun: Option<oneshot::Sender<StreamedAnswer>>,
    parts: Option<mpsc::Sender<Option<Bytes>>>,
    /// Dropped when nothing more is sent.
    over: Option<oneshot::Sender<()>>,
}

/// A client, and where its answer begins.
pub fn answer(region: Handle) -> (Client, oneshot::Receiver<StreamedAnswer>) {
    let (begun, receiver) = oneshot::channel();
    let client = Client {
        region,
        begun: Some(begun),
        parts: None,
        over: None,
    };
    (client, receiver)
}

impl Client {
    /// Sends a part, and waits while too many are on their way. False when the
    /// client has disconnected, or the task shall end.
    pub async fn send(&mut self, part: ScriptAnswer, task: &mut ScriptTask) -> bool {
        let ScriptAnswer {
            status,
            headers,
            body,
            ..
        } = part;
        if let Some(begun) = self.begun.take() {
            let (sender, parts) = mpsc::channel(ON_THE_WAY);
            let head = StreamedAnswer {
                status,
                headers,
                parts,
            };
            if begun.send(head).is_err() {
                return false;
            }
            self.over = Some(self.watch(sender.clone(), task.number()));
            self.parts = Some(sender);
        }
        tokio::select! {
            biased;
            () = task.until_purged() => false,
            sent = self.pass(body) => sent,
        }
    }

    /// Sends the rest of an answer that has begun, and its end, after the task
    /// ended.
    pub async fn end(&mut self, answer: &mut ScriptAnswer) {
        if self.parts.is_some()
            && self.pass(std::mem::take(&mut answer.body)).await
            && let Some(parts) = self.parts.take()
        {
            // A client that has disconnected misses nothing.
            let _ = parts.send(None).await;
        }
    }

    async fn pass(&self, body: Vec<u8>) -> bool {
        let Some(parts) = &self.parts else {
            return false;
        };
        let mut rest = Bytes::from(body);
        while !rest.is_empty() {
            let part = rest.split_to(rest.len().min(PART));
            if parts.send(Some(part)).await.is_err() {
                return false;
            }
        }
        !parts.is_closed()
    }

    /// Purges the task if its client disconnects before all is sent.
    fn watch(&self, parts: mpsc::Sender<Option<Bytes>>, task: u64) -> oneshot::Sender<()> {
        let (over, sent) = oneshot::channel();
        let region = self.region.clone();
        tokio::task::spawn_local(async move {
            tokio::select! {
                biased;
                // Dropped on purpose.
                _ = sent => {}
                () = parts.closed() => drop(region.purge(task, true)),
            }
        });
        over
    }
}
