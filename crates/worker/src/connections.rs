//! Descriptors that the region lends this worker, and the work done on them
//! while a call waits.
//!
//! A service of the region has connected somewhere, passes the descriptor, and
//! asks the waiting worker to use it. A kind of work is a row in [`WORKS`].
//!
//! Invariant: nothing here connects, binds or opens; the sandbox forbids it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use cics::resp::Condition;

use crate::sql::{self, SQL_SETTLE, SqlLink};

/// Descriptors that this worker has, by the tag that the region gave them.
#[derive(Debug, Default)]
pub struct LentConnections {
    files: BTreeMap<u64, Rc<File>>,
    /// The connection of EXEC SQL, with its session; taken out while a statement runs.
    sql: Option<Box<SqlLink>>,
}

impl LentConnections {
    /// Adds one; an older one of its tag is closed.
    pub fn add(&mut self, tag: u64, fd: OwnedFd) {
        self.files.insert(tag, Rc::new(File::from(fd)));
    }

    /// The one of a tag, for reading and writing.
    pub fn get(&self, tag: u64) -> Option<&Rc<File>> {
        self.files.get(&tag)
    }

    /// Closes the connection with a tag; false if no connection has it.
    pub fn close(&mut self, tag: u64) -> bool {
        if self.sql.as_ref().is_some_and(|link| link.tag == tag) {
            self.sql = None;
        }
        self.files.remove(&tag).is_some()
    }

    /// Takes the connection of EXEC SQL for a statement.
    pub(crate) fn take_sql(&mut self) -> Option<Box<SqlLink>> {
        self.sql.take()
    }

    /// Gives it back.
    pub(crate) fn keep_sql(&mut self, link: Box<SqlLink>) {
        self.sql = Some(link);
    }

    /// The connection of EXEC SQL.
    pub(crate) fn sql_mut(&mut self) -> Option<&mut SqlLink> {
        self.sql.as_deref_mut()
    }
}

/// The result of a kind of work: a condition, and bytes.
pub type WorkResult = (Condition, Vec<u8>);

/// A kind of work: the descriptors, the tag, further arguments, bytes.
pub type ConnectionWork = fn(&mut LentConnections, u64, [u64; 4], &[u8]) -> WorkResult;

/// Takes over a descriptor that the region has passed. This operation comes before any
/// work is looked up.
pub const TAKE: u64 = runtime::sql::lending::TAKE;
/// Writes the bytes, and reads once, at most as many bytes as the first argument
/// says.
pub const EXCHANGE: u64 = 2;
/// Closes the descriptor.
pub const CLOSE: u64 = 3;

/// All kinds of work except [`TAKE`].
const WORKS: &[(u64, ConnectionWork)] = &[
    (EXCHANGE, exchange),
    (CLOSE, close),
    (SQL_SETTLE, sql::settle),
];

/// Does what the region asks for.
pub fn act(connections: &mut LentConnections, args: &[u64; 8], data: &[u8]) -> WorkResult {
    let [number, tag, a, b, c, d, ..] = *args;
    match WORKS.iter().find(|(of, _)| *of == number) {
        Some((_, work)) => work(connections, tag, [a, b, c, d], data),
        None => (Condition::InvReq, Vec::new()),
    }
}

fn exchange(
    connections: &mut LentConnections,
    tag: u64,
    [most, ..]: [u64; 4],
    data: &[u8],
) -> WorkResult {
    let Some(connection) = connections.get(tag) else {
        return (Condition::NotFnd, Vec::new());
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut answer = vec![0; most.min(link::layout::CALL_BYTES)];
    let mut connection: &File = connection;
    match connection
        .write_all(data)
        .and_then(|()| read_once(connection, &mut answer))
    {
        Ok(bytes) => {
            answer.truncate(bytes);
            (Condition::Normal, answer)
        }
        Err(_) => (Condition::IoErr, Vec::new()),
    }
}

/// Waits for bytes and reads them; the end of the connection is an error.
fn read_once(mut connection: &File, answer: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match connection.read(answer) {
            Ok(0) if !answer.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn close(connections: &mut LentConnections, tag: u64, _: [u64; 4], _: &[u8]) -> WorkResult {
    let condition = if connections.close(tag) {
        Condition::Normal
    } else {
        Condition::NotFnd
    };
    (condition, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_connection_is_used_until_it_is_closed_or_ended() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut connections = LentConnections::default();
        assert_eq!(
            exchange(&mut connections, 7, [9; 4], b"").0,
            Condition::NotFnd
        );
        connections.add(7, ours.into());
        theirs.write_all(b"reply").unwrap();
        let args = [EXCHANGE, 7, 64, 0, 0, 0, 0, 0];
        let got = act(&mut connections, &args, b"ask");
        assert_eq!(got, (Condition::Normal, b"reply".to_vec()));
        let mut asked = [0; 3];
        theirs.read_exact(&mut asked).unwrap();
        assert_eq!(&asked, b"ask");
        theirs.shutdown(std::net::Shutdown::Both).unwrap();
        assert_eq!(act(&mut connections, &args, b"").0, Condition::IoErr);
        let args = [CLOSE, 7, 0, 0, 0, 0, 0, 0];
        assert_eq!(act(&mut connections, &args, b"").0, Condition::Normal);
        assert_eq!(act(&mut connections, &[99; 8], b"").0, Condition::InvReq);
    }
}
