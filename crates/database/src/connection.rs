//! A connection of the region to the server: its start, and exchanges on it.
//!
//! The protocol is [`sql::wire`]'s; this file has the socket and the deadlines.
//! A connection that is lent to a worker stays here, too: the region sends what
//! decides a unit over its own copy.

use std::io;
use std::time::Instant;

use ring::rand::{SecureRandom, SystemRandom};
use sql::code::ServerError;
use sql::wire::{
    CancelKey, Client, ClientEvent, ClientLimits, LoginCredentials, ResultColumn, StartupError,
    StartupEvent, StartupExchange, TransactionState, WireError, frontend,
};

use crate::address::ServerAddress;
use crate::socket::DeadlineSocket;

/// Bytes that are read at a time.
const CHUNK: usize = 16 * 1024;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server cannot be reached.
    #[error("{address}: {source}")]
    Unreachable {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The server refused the session, or its authentication is not served.
    #[error(transparent)]
    Refused(#[from] StartupError),
}

/// Why an exchange has no result. The connection is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The socket failed, or the deadline passed.
    #[error("the connection to the server failed: {0}")]
    Socket(#[from] io::Error),
    /// The server, or a worker before, sent what does not belong there.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The server ended the session.
    #[error("the server ended the session: {}", .0.message)]
    Ended(Box<ServerError>),
}

/// What the server answered to a batch of commands.
#[derive(Debug, Default)]
pub struct Exchange {
    /// Columns of the last result.
    pub columns: Vec<ResultColumn>,
    /// Rows of all results.
    pub rows: Vec<Vec<Option<Vec<u8>>>>,
    /// Rows that each statement changed or returned.
    pub counts: Vec<u64>,
    /// The first error.
    pub error: Option<Box<ServerError>>,
}

/// A session with the server.
#[derive(Debug)]
pub struct Connection {
    socket: DeadlineSocket,
    client: Client,
    key: Option<CancelKey>,
    parameters: Vec<(String, String)>,
    is_local: bool,
}

impl Connection {
    /// Connects and authenticates.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or did not answer in time.
    pub fn open(
        address: &ServerAddress,
        credentials: LoginCredentials,
        deadline: Instant,
    ) -> Result<Connection, ConnectError> {
        let unreachable = |source| ConnectError::Unreachable {
            address: address.to_string(),
            source,
        };
        let socket = address.connect(deadline).map_err(unreachable)?;
        let mut out = Vec::new();
        let mut startup = StartupExchange::new(credentials, &nonce(), &mut out);
        let mut buffer = vec![0; CHUNK];
        loop {
            socket.send_all(&out, deadline).map_err(unreachable)?;
            out.clear();
            let got = socket.receive(&mut buffer, deadline).map_err(unreachable)?;
            if let StartupEvent::Ready { key, parameters } =
                startup.handle_bytes(&buffer[..got], &mut out)?
            {
                return Ok(Connection {
                    socket,
                    client: Client::new(TransactionState::Idle, ClientLimits::default()),
                    key,
                    parameters,
                    is_local: matches!(address, ServerAddress::Unix(_)),
                });
            }
        }
    }

    /// Its socket.
    pub fn socket(&self) -> &DeadlineSocket {
        &self.socket
    }

    /// Whether its Unix socket leads to the server itself: what the server has sent
    /// is there to be received, also after the server's end.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// What cancels its statements.
    pub fn cancel_key(&self) -> Option<CancelKey> {
        self.key
    }

    /// The server's version, such as 150018.
    pub fn version(&self) -> u32 {
        self.parameter("server_version").map_or(0, version_number)
    }

    /// What the server reported of a setting at the start.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The transaction's state after the last exchange.
    pub fn state(&self) -> TransactionState {
        self.client.state()
    }

    /// Sends commands that end with a Sync or are a query, and reads the answers.
    /// At most `most_rows` rows are taken.
    ///
    /// # Errors
    /// The connection is of no more use. An error of a statement is not an error here.
    pub fn exchange(
        &mut self,
        commands: impl FnOnce(&mut Client),
        most_rows: usize,
        deadline: Instant,
    ) -> Result<Exchange, ConnectionError> {
        commands(&mut self.client);
        let mut answer = Exchange::default();
        self.take_answers(&mut answer, most_rows, deadline)?;
        Ok(answer)
    }

    /// Sends what of these commands the socket takes at once. The rest, and the
    /// answers, are for [`Connection::take_answers`].
    pub fn send_now(&mut self, commands: impl FnOnce(&mut Client)) {
        commands(&mut self.client);
        // An error is found by who takes the answers.
        if let Ok(sent) = self.socket.send_now(self.client.output()) {
            self.client.handle_sent(sent);
        }
    }

    /// Sends what is left of the commands, and reads their answers. At most
    /// `most_rows` rows are taken.
    ///
    /// # Errors
    /// The connection is of no more use; `answer` has what came before.
    pub fn take_answers(
        &mut self,
        answer: &mut Exchange,
        most_rows: usize,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        let mut buffer = [0; CHUNK];
        loop {
            let sent = self.client.output().len();
            if sent > 0 {
                self.socket.send_all(self.client.output(), deadline)?;
                self.client.handle_sent(sent);
            }
            let got = self.socket.receive(&mut buffer, deadline)?;
            self.client.handle_bytes(&buffer[..got]);
            let mut is_ready = false;
            while let Some(event) = self.client.poll_event()? {
                is_ready = matches!(event, ClientEvent::Ready(_));
                answer.take(event, most_rows)?;
            }
            if is_ready && self.client.is_quiet() {
                return Ok(());
            }
        }
    }

    /// Runs text by the simple protocol.
    ///
    /// # Errors
    /// As [`Connection::exchange`].
    pub fn query(
        &mut self,
        sql: &str,
        most_rows: usize,
        deadline: Instant,
    ) -> Result<Exchange, ConnectionError> {
        self.exchange(|client| client.query(sql), most_rows, deadline)
    }

    /// Has the server cancel what it does for this session. The answer comes over
    /// the session, if at all.
    pub fn cancel(address: &ServerAddress, key: CancelKey, deadline: Instant) -> io::Result<()> {
        let socket = address.connect(deadline)?;
        let mut out = Vec::new();
        frontend::cancel(&mut out, key.process, key.secret);
        socket.send_all(&out, deadline)
    }
}

impl Exchange {
    fn take(&mut self, event: ClientEvent<'_>, most_rows: usize) -> Result<(), ConnectionError> {
        match event {
            ClientEvent::Row(row) => {
                if self.rows.len() >= most_rows {
                    return Err(WireError::Limit.into());
                }
                let values = row.values().map(|v| v.map(<[u8]>::to_vec));
                self.rows.push(values.collect());
            }
            ClientEvent::Columns(columns) => self.columns = columns,
            ClientEvent::Complete(count) => self.counts.push(count),
            ClientEvent::Error(error) if error.fatal => return Err(ConnectionError::Ended(error)),
            ClientEvent::Error(error) => {
                self.error.get_or_insert(error);
            }
            _ => {}
        }
        Ok(())
    }

    /// The text of a row's value.
    pub fn text(&self, row: usize, column: usize) -> Option<&str> {
        let value = self.rows.get(row)?.get(column)?.as_deref()?;
        std::str::from_utf8(value).ok()
    }
}

/// 32 random hexadecimal digits.
pub fn nonce() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has random numbers");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// `15.18 (Debian …)` is 150018, `9.6.24` 90624.
fn version_number(text: &str) -> u32 {
    let number = text.split_whitespace().next().unwrap_or_default();
    let mut parts = number.split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    });
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if major < 10 {
        return major * 10_000 + minor * 100 + parts.next().unwrap_or(0);
    }
    major * 10_000 + minor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_servers_become_numbers() {
        assert_eq!(version_number("15.18 (Debian 15.18-0+deb12u1)"), 150_018);
        assert_eq!(version_number("18beta1"), 180_000);
        assert_eq!(version_number("9.6.24"), 90_624);
    }
}
