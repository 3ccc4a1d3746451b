//! A client's core: commands in, bytes out; bytes in, events out.
//!
//! Commands append messages to one buffer, so that a savepoint, a statement and
//! a Sync are sent in one write. The order of the commands gives the command of each
//! reply; after an error the server skips to the Sync, and so does the
//! core. Rows are views over the received bytes.
//!
//! Invariant: a reply that no command asked for is an error, whatever it says.

use std::collections::VecDeque;

use super::backend::{
    self, BackendMessage, MAX_MESSAGE_BYTES, ResultColumn, ResultRow, WireError, tag_rows,
};
use super::frontend::{self, Bind};
use crate::code::ServerError;

/// The server's state of the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionState {
    /// No transaction is open.
    Idle,
    /// A transaction is open.
    Open,
    /// A transaction is open, and only a rollback is accepted.
    Failed,
}

/// The limits of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientLimits {
    /// Bytes of one message of the server.
    pub message_bytes: usize,
    /// Commands without a reply.
    pub commands: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        ClientLimits {
            message_bytes: MAX_MESSAGE_BYTES,
            commands: 4096,
        }
    }
}

/// A command whose reply is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingCommand {
    Parse,
    Bind,
    Describe,
    Execute,
    Close,
    Query,
    Sync,
}

/// An event for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent<'a> {
    /// A statement is prepared.
    Parsed,
    /// Values are bound.
    Bound,
    /// Types of a described statement's parameters.
    Parameters(Vec<u32>),
    /// A result's columns.
    Columns(Vec<ResultColumn>),
    /// A described statement has no result.
    NoColumns,
    /// A row.
    Row(ResultRow<'a>),
    /// A statement is done, with this many rows.
    Complete(u64),
    /// The portal has more rows than were asked for.
    Suspended,
    /// A statement or portal is closed.
    Closed,
    /// A statement failed; what follows up to the Sync is skipped.
    Error(Box<ServerError>),
    /// The server is ready, all commands are answered up to a Sync.
    Ready(TransactionState),
}

/// A session after its start.
#[derive(Debug)]
pub struct Client {
    out: Vec<u8>,
    input: Vec<u8>,
    read: usize,
    pending: VecDeque<PendingCommand>,
    state: TransactionState,
    limits: ClientLimits,
    skipping: bool,
    copies: bool,
}

impl Client {
    /// A session in a state; [`TransactionState::Idle`] for a new one.
    pub fn new(state: TransactionState, limits: ClientLimits) -> Client {
        Client {
            out: Vec::new(),
            input: Vec::new(),
            read: 0,
            pending: VecDeque::new(),
            state,
            limits,
            skipping: false,
            copies: false,
        }
    }

    /// The state that the last ReadyForQuery had.
    pub fn state(&self) -> TransactionState {
        self.state
    }

    /// Takes back everything that was written and not sent. For a client that has
    /// all its replies.
    pub fn discard(&mut self) {
        self.out.clear();
        self.pending.clear();
    }

    /// Whether nothing is under way, so that the connection can be passed on.
    pub fn is_quiet(&self) -> bool {
        self.pending.is_empty() && self.out.is_empty() && self.read == self.input.len()
    }

    /// Bytes to send.
    pub fn output(&self) -> &[u8] {
        &self.out
    }

    /// This many bytes were sent.
    pub fn handle_sent(&mut self, bytes: usize) {
        self.out.drain(..bytes.min(self.out.len()));
    }

    fn push(&mut self, pending: PendingCommand) {
        self.pending.push_back(pending);
    }

    /// Whether another command may be sent before replies are read.
    pub fn has_room(&self) -> bool {
        self.pending.len() < self.limits.commands
    }

    /// Prepares a statement.
    pub fn parse(&mut self, name: &str, sql: &str, parameters: &[u32]) {
        frontend::parse(&mut self.out, name, sql, parameters);
        self.push(PendingCommand::Parse);
    }

    /// Asks for the types of a prepared statement.
    pub fn describe(&mut self, name: &str) {
        frontend::describe_statement(&mut self.out, name);
        self.push(PendingCommand::Describe);
    }

    /// Binds values to a prepared statement; `write` fills the message, and on
    /// its error nothing is sent.
    pub fn bind<E>(
        &mut self,
        portal: &str,
        statement: &str,
        values: usize,
        write: impl FnOnce(&mut Bind<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bind = Bind::new(&mut self.out, portal, statement, values);
        if let Err(error) = write(&mut bind) {
            bind.abandon();
            return Err(error);
        }
        bind.finish();
        self.push(PendingCommand::Bind);
        Ok(())
    }

    /// Runs a portal for at most this many rows; 0 for all.
    pub fn execute(&mut self, portal: &str, rows: u32) {
        frontend::execute(&mut self.out, portal, rows);
        self.push(PendingCommand::Execute);
    }

    /// Closes a prepared statement.
    pub fn close_statement(&mut self, name: &str) {
        frontend::close_statement(&mut self.out, name);
        self.push(PendingCommand::Close);
    }

    /// Closes a portal.
    pub fn close_portal(&mut self, name: &str) {
        frontend::close_portal(&mut self.out, name);
        self.push(PendingCommand::Close);
    }

    /// Runs text by the simple protocol.
    pub fn query(&mut self, sql: &str) {
        frontend::query(&mut self.out, sql);
        self.push(PendingCommand::Query);
    }

    /// Has the server send the answers that it has, within a batch.
    pub fn flush(&mut self) {
        frontend::flush(&mut self.out);
    }

    /// Ends a batch of commands: errors end here.
    pub fn sync(&mut self) {
        frontend::sync(&mut self.out);
        self.push(PendingCommand::Sync);
    }

    /// Takes bytes of the server.
    pub fn handle_bytes(&mut self, bytes: &[u8]) {
        if self.read == self.input.len() {
            self.input.clear();
            self.read = 0;
        } else if self.read > self.input.len() / 2 {
            self.input.drain(..self.read);
            self.read = 0;
        }
        self.input.extend_from_slice(bytes);
    }

    /// The next event; `None` if more bytes are needed. After an error of the
    /// protocol the connection is not usable.
    pub fn poll_event(&mut self) -> Result<Option<ClientEvent<'_>>, WireError> {
        loop {
            let rest = &self.input[self.read..];
            let Some((tag, length)) = backend::frame(rest)? else {
                return Ok(None);
            };
            if length > self.limits.message_bytes {
                return Err(WireError::Length);
            }
            if rest.len() < length {
                return Ok(None);
            }
            let (from, to) = (self.read + 5, self.read + length);
            self.read = to;
            if tag == b'D' {
                self.expect_row()?;
                return ResultRow::parse(&self.input[from..to])
                    .map(|row| Some(ClientEvent::Row(row)));
            }
            // Everything but a row is taken out of the buffer.
            let event = {
                let body = std::mem::take(&mut self.input);
                let event = backend::parse(tag, &body[from..to]).and_then(|m| self.event(m));
                self.input = body;
                event?
            };
            if let Some(event) = event {
                return Ok(Some(event));
            }
        }
    }

    fn expect_row(&self) -> Result<(), WireError> {
        match self.pending.front() {
            Some(PendingCommand::Execute | PendingCommand::Query) if !self.skipping => Ok(()),
            _ => Err(WireError::Unexpected),
        }
    }

    fn take(&mut self, wanted: &[PendingCommand]) -> Result<(), WireError> {
        match self.pending.front() {
            Some(front) if wanted.contains(front) && !self.skipping => {
                self.pending.pop_front();
                Ok(())
            }
            _ => Err(WireError::Unexpected),
        }
    }

    fn event(
        &mut self,
        message: BackendMessage<'_>,
    ) -> Result<Option<ClientEvent<'static>>, WireError> {
        use PendingCommand as P;
        let front = self.pending.front().copied();
        Ok(Some(match message {
            BackendMessage::Parsed => {
                self.take(&[P::Parse])?;
                ClientEvent::Parsed
            }
            BackendMessage::Bound => {
                self.take(&[P::Bind])?;
                ClientEvent::Bound
            }
            BackendMessage::Closed => {
                self.take(&[P::Close])?;
                ClientEvent::Closed
            }
            // A description has two parts: the second ends it.
            BackendMessage::Parameters(types) if front == Some(P::Describe) => {
                ClientEvent::Parameters(types)
            }
            BackendMessage::NoData => {
                self.take(&[P::Describe])?;
                ClientEvent::NoColumns
            }
            BackendMessage::Columns(columns) => {
                if front != Some(P::Query) {
                    self.take(&[P::Describe])?;
                }
                ClientEvent::Columns(columns)
            }
            BackendMessage::Complete(tag) => {
                if front != Some(P::Query) {
                    self.take(&[P::Execute])?;
                }
                ClientEvent::Complete(tag_rows(tag))
            }
            BackendMessage::Empty => {
                if front != Some(P::Query) {
                    self.take(&[P::Execute])?;
                }
                ClientEvent::Complete(0)
            }
            BackendMessage::Suspended => {
                self.take(&[P::Execute])?;
                ClientEvent::Suspended
            }
            BackendMessage::Error(error) => {
                // An error that nothing asked for is the end of the session.
                self.skipping = front.is_some() && !error.fatal;
                ClientEvent::Error(error)
            }
            BackendMessage::Ready(state) => return self.ready(state).map(Some),
            BackendMessage::Copy => {
                // Once is enough: the server answers with an error.
                if std::mem::replace(&mut self.copies, true) {
                    return Err(WireError::Unexpected);
                }
                frontend::copy_fail(&mut self.out);
                return Ok(None);
            }
            BackendMessage::Parameter(..)
            | BackendMessage::Notice(_)
            | BackendMessage::Notification => return Ok(None),
            _ => return Err(WireError::Unexpected),
        }))
    }

    fn ready(&mut self, state: u8) -> Result<ClientEvent<'static>, WireError> {
        let end = match self.pending.front() {
            Some(PendingCommand::Query | PendingCommand::Sync) => 0,
            _ if self.skipping => {
                let sync = self
                    .pending
                    .iter()
                    .position(|p| matches!(p, PendingCommand::Sync | PendingCommand::Query));
                sync.ok_or(WireError::Unexpected)?
            }
            _ => return Err(WireError::Unexpected),
        };
        self.pending.drain(..=end);
        self.skipping = false;
        self.copies = false;
        self.state = match state {
            b'I' => TransactionState::Idle,
            b'T' => TransactionState::Open,
            _ => TransactionState::Failed,
        };
        Ok(ClientEvent::Ready(self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Client {
        Client::new(TransactionState::Idle, ClientLimits::default())
    }

    fn events(client: &mut Client, bytes: &[u8]) -> Vec<String> {
        client.handle_bytes(bytes);
        let mut list = Vec::new();
        while let Some(event) = client.poll_event().unwrap() {
            list.push(
                format!("{event:?}")
                    .chars()
                    .take_while(|c| c.is_alphanumeric())
                    .collect(),
            );
        }
        list
    }

    #[test]
    fn commands_leave_in_one_buffer_and_replies_come_in_their_order() {
        let mut c = client();
        c.parse("s", "SELECT 1", &[]);
        c.bind::<()>("", "s", 0, |_| Ok(())).unwrap();
        c.execute("", 2);
        c.sync();
        let tags: Vec<u8> = c
            .output()
            .iter()
            .copied()
            .filter(|b| b"PBES".contains(b))
            .collect();
        assert!(tags.starts_with(b"P") && tags.ends_with(b"S"));
        let sent = c.output().len();
        c.handle_sent(sent);
        let reply =
            b"1\0\0\0\x042\0\0\0\x04D\0\0\0\x0b\0\x01\0\0\0\x017C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05T";
        assert_eq!(
            events(&mut c, reply),
            ["Parsed", "Bound", "Row", "Complete", "Ready"]
        );
        assert_eq!(c.state(), TransactionState::Open);
        assert!(c.is_quiet());
    }

    #[test]
    fn an_error_skips_to_the_sync_and_the_next_batch_is_answered() {
        let mut c = client();
        c.execute("", 0);
        c.execute("", 0);
        c.sync();
        c.execute("", 0);
        c.sync();
        let reply = b"E\0\0\0\x0fC23505\0Mx\0\0Z\0\0\0\x05EC\0\0\0\x0dUPDATE 3\0Z\0\0\0\x05T";
        assert_eq!(
            events(&mut c, reply),
            ["Error", "Ready", "Complete", "Ready"]
        );
    }

    #[test]
    fn a_reply_that_no_command_asked_for_is_refused() {
        let mut c = client();
        c.handle_bytes(b"1\0\0\0\x04");
        assert_eq!(c.poll_event(), Err(WireError::Unexpected));
        let mut c = client();
        c.sync();
        c.handle_bytes(b"D\0\0\0\x06\0\0");
        assert_eq!(c.poll_event(), Err(WireError::Unexpected));
    }

    #[test]
    fn a_copy_is_refused_once() {
        let mut c = client();
        c.query("COPY t FROM STDIN");
        let sent = c.output().len();
        c.handle_sent(sent);
        assert_eq!(events(&mut c, b"G\0\0\0\x07\0\0\0"), Vec::<String>::new());
        assert_eq!(c.output()[0], b'f');
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..120)) {
            let mut c = client();
            c.describe("s");
            c.execute("", 0);
            c.sync();
            c.handle_bytes(&bytes);
            while let Ok(Some(_)) = c.poll_event() {}
        }
    }
}
