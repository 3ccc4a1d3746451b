//! A batch of messages out, and its replies in.
//!
//! Each batch ends with one Sync, so a savepoint, a statement and the Sync leave in
//! one write. The batch is over with the server's ReadyForQuery. The rows of a cursor
//! are taken as they arrive: the batch stays open meanwhile.

use std::io;

use sql::code::ServerError;
use sql::wire::{Client, ClientEvent};

use super::report::SqlFailure;

/// The connection. Both calls wait; what a host does meanwhile is its own.
pub trait SqlTransport {
    /// Sends all bytes.
    ///
    /// # Errors
    /// The connection is broken.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Receives bytes, waiting for the first; 0 at the connection's end.
    ///
    /// # Errors
    /// The connection is broken.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Bytes that are received at once.
const BUFFER_BYTES: usize = 32 * 1024;

/// Takes the events of a batch; an error ends the statement, not the batch.
pub(super) type EventSink<'e> = dyn FnMut(ClientEvent<'_>) -> Result<(), SqlFailure> + 'e;

/// The outcome of a batch.
#[derive(Debug, Default)]
pub(super) struct BatchEnd {
    /// The server's first error.
    pub error: Option<Box<ServerError>>,
    /// What taking its events led to.
    pub failure: Option<SqlFailure>,
}

/// How long replies are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyWait {
    /// To the end of the batch.
    All,
    /// Until there are rows; what has arrived with them is taken, too.
    Rows,
}

/// The messages of a session.
#[derive(Debug)]
pub(super) struct Exchange {
    pub client: Client,
    buffer: Box<[u8]>,
}

impl Exchange {
    pub fn new(client: Client) -> Exchange {
        Exchange {
            client,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
        }
    }

    /// Ends the batch with a Sync, sends it, and takes its replies.
    pub fn finish(
        &mut self,
        transport: &mut dyn SqlTransport,
        events: &mut EventSink<'_>,
    ) -> Result<BatchEnd, SqlFailure> {
        self.start(transport)?;
        let mut end = BatchEnd::default();
        self.take_replies(transport, &mut end, events, ReplyWait::All)?;
        Ok(end)
    }

    /// Ends the batch with a Sync and sends it.
    pub fn start(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        self.client.sync();
        self.send(transport)
    }

    /// Takes replies of a batch that was sent; true when it is over.
    pub fn take_replies(
        &mut self,
        transport: &mut dyn SqlTransport,
        end: &mut BatchEnd,
        events: &mut EventSink<'_>,
        wait: ReplyWait,
    ) -> Result<bool, SqlFailure> {
        let mut taken = false;
        loop {
            match self.client.poll_event() {
                Ok(Some(ClientEvent::Ready(_))) => return Ok(true),
                Ok(Some(ClientEvent::Error(error))) => {
                    end.error.get_or_insert(error);
                }
                Ok(Some(event)) => {
                    taken |= matches!(event, ClientEvent::Row(_));
                    if end.failure.is_none()
                        && let Err(failure) = events(event)
                    {
                        end.failure = Some(failure);
                    }
                }
                Ok(None) if taken && wait == ReplyWait::Rows => return Ok(false),
                Ok(None) => {
                    if !self.client.output().is_empty() {
                        self.send(transport)?;
                    }
                    if let Err(why) = self.receive(transport) {
                        // The server says why it leaves.
                        return Err(match &end.error {
                            Some(error) => SqlFailure::lost(&error.message),
                            None => SqlFailure::lost(&why),
                        });
                    }
                }
                Err(error) => return Err(SqlFailure::lost(&error.to_string())),
            }
        }
    }

    fn send(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        let sent = transport.send(self.client.output());
        self.client.handle_sent(usize::MAX);
        // What the server said before it left can still be read.
        match sent {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(SqlFailure::lost(&error.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn receive(&mut self, transport: &mut dyn SqlTransport) -> Result<(), String> {
        match transport.receive(&mut self.buffer) {
            Ok(0) => Err("the server ended the connection".to_owned()),
            Ok(bytes) => {
                self.client.handle_bytes(&self.buffer[..bytes]);
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
