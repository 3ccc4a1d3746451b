//! The process that ends units of work of a step at the SQL server.
//!
//! A step's process has a copy of its session; the process that started it has another, and
//! the session of the owner, which can ask for outcomes. So the step orders what decides a
//! unit, as a worker leaves it to its region.
//!
//! ```text
//!   step ──▶ what u8 | token (16)      C: commit with this token   F: forget it
//!   step ◀── outcome u8                of C: 1 committed, 2 backed out, 0 not known
//! ```

use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use kernel::UnitToken;

/// Bytes of a request.
const REQUEST_BYTES: usize = 17;

/// What ends units at the server.
pub trait UnitCommitter {
    /// Commits the step's transaction with a token. Returns whether it is committed; when it
    /// is not, it cannot be any more. `None` if that is not known.
    fn commit(&mut self, token: UnitToken) -> Option<bool>;

    /// The outcome of a token is not asked for any more.
    fn forget(&mut self, token: UnitToken);
}

/// Serves a step until its process has ended.
///
/// # Errors
/// Of the socket.
pub fn serve(mut stream: &UnixStream, committer: &mut dyn UnitCommitter) -> io::Result<()> {
    let mut request = [0; REQUEST_BYTES];
    loop {
        match stream.read_exact(&mut request) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let [what, token @ ..] = request;
        let token = UnitToken(token);
        if what == b'F' {
            committer.forget(token);
            continue;
        }
        let outcome = match committer.commit(token) {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        };
        stream.write_all(&[outcome])?;
    }
}

/// The step's end.
#[derive(Debug)]
pub struct UnitHost(UnixStream);

impl UnitHost {
    /// Over a descriptor that the process has inherited.
    ///
    /// # Safety
    /// No other code uses the descriptor.
    pub unsafe fn inherited(descriptor: i32) -> UnitHost {
        // SAFETY: by the contract.
        UnitHost(unsafe { OwnedFd::from_raw_fd(descriptor) }.into())
    }

    /// Has the transaction committed with a token; `None` if the outcome is not known.
    pub fn commit(&mut self, token: UnitToken) -> Option<bool> {
        let mut outcome = [0];
        self.send(b'C', token).ok()?;
        self.0.read_exact(&mut outcome).ok()?;
        match outcome {
            [1] => Some(true),
            [2] => Some(false),
            _ => None,
        }
    }

    /// The outcome of a token is not asked for any more.
    pub fn forget(&mut self, token: UnitToken) {
        // A row that stays does no harm.
        let _ = self.send(b'F', token);
    }

    fn send(&mut self, what: u8, token: UnitToken) -> io::Result<()> {
        let mut request = [what; REQUEST_BYTES];
        request[1..].copy_from_slice(token.as_bytes());
        self.0.write_all(&request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct TokenRecorder(Vec<UnitToken>, Vec<UnitToken>);

    impl UnitCommitter for TokenRecorder {
        fn commit(&mut self, token: UnitToken) -> Option<bool> {
            self.0.push(token);
            [None, Some(false), Some(true)].get(self.0.len()).copied()?
        }

        fn forget(&mut self, token: UnitToken) {
            self.1.push(token);
        }
    }

    #[test]
    fn orders_of_a_step_are_carried_out_and_answered() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut host = UnitHost(theirs);
        let serving = std::thread::spawn(move || {
            let mut recorder = TokenRecorder::default();
            serve(&ours, &mut recorder).unwrap();
            recorder
        });
        let token = |n| UnitToken([n; 16]);
        assert_eq!(host.commit(token(1)), Some(false));
        assert_eq!(host.commit(token(2)), Some(true));
        host.forget(token(2));
        assert_eq!(host.commit(token(3)), None);
        drop(host);
        let recorder = serving.join().unwrap();
        assert_eq!(recorder.0, [token(1), token(2), token(3)]);
        assert_eq!(recorder.1, [token(2)]);
    }

    #[test]
    fn an_order_to_a_process_that_has_ended_has_no_known_outcome() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        assert_eq!(UnitHost(theirs).commit(UnitToken([1; 16])), None);
    }
}
