//! SELECT: which of many sockets are ready.
//!
//! Ready to read are data, the end of a stream, an error and a connection to
//! be accepted; ready to write is room, and the end of a CONNECT. The
//! exceptional condition is that of urgent data, and of a socket that was given
//! and has been taken.
//!
//! Reference: IP CICS Sockets Guide, SELECT.

use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use crate::wait::poll_of;
use crate::{Errno, PollResult, SelectMask, Socket, SocketWaiter};

/// TIMEOUT of SELECT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectTimeout {
    /// For ever: negative seconds.
    Never,
    /// So long; zero looks once.
    After(Duration),
}

impl SelectTimeout {
    /// Of seconds and microseconds; EINVAL when there are too many of these.
    pub fn new(seconds: i64, micros: i64) -> Result<SelectTimeout, Errno> {
        if seconds < 0 {
            return Ok(SelectTimeout::Never);
        }
        match u32::try_from(micros) {
            Ok(micros) if micros < 1_000_000 => {
                let time = Duration::new(seconds as u64, micros * 1000);
                Ok(SelectTimeout::After(time))
            }
            _ => Err(Errno::EINVAL),
        }
    }
}

/// The sockets that are waited for, or are ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectResult {
    /// To read.
    pub read: SelectMask,
    /// To write.
    pub write: SelectMask,
    /// With an exceptional condition.
    pub exception: SelectMask,
}

impl SelectResult {
    /// Reads three masks that follow each other.
    pub fn parse(bytes: &[u8], maxsoc: usize) -> SelectResult {
        let size = SelectMask::bytes(maxsoc);
        let mask = |n: usize| SelectMask::parse(bytes.get(n * size..).unwrap_or(&[]), maxsoc);
        SelectResult {
            read: mask(0),
            write: mask(1),
            exception: mask(2),
        }
    }

    /// Writes three masks in sequence.
    pub fn emit(&self) -> Vec<u8> {
        [self.read.emit(), self.write.emit(), self.exception.emit()].concat()
    }

    /// Number of set bits.
    pub fn count(&self) -> usize {
        self.read.len() + self.write.len() + self.exception.len()
    }

    fn empty(maxsoc: usize) -> SelectResult {
        SelectResult {
            read: SelectMask::new(maxsoc),
            write: SelectMask::new(maxsoc),
            exception: SelectMask::new(maxsoc),
        }
    }
}

/// Waits until a socket is ready or the time has passed; returns the ready
/// ones.
///
/// `taken` says whether a given socket has been taken. The waiter returns
/// [`PollResult::Nudged`] when that changes.
pub fn select<'s>(
    wanted: &SelectResult,
    maxsoc: usize,
    timeout: SelectTimeout,
    socket: impl Fn(usize) -> Option<&'s Socket>,
    taken: impl Fn(usize) -> bool,
    waiter: &dyn SocketWaiter,
) -> Result<SelectResult, Errno> {
    let mut fds = Vec::new();
    let mut numbers = Vec::new();
    let sets = [
        (&wanted.read, libc::POLLIN),
        (&wanted.write, libc::POLLOUT),
        (&wanted.exception, libc::POLLPRI),
    ];
    for (mask, events) in sets {
        for number in mask.sockets() {
            let socket = socket(number).ok_or(Errno::EBADF)?;
            fds.push(poll_of(socket.as_fd().as_raw_fd(), events));
            numbers.push(number);
        }
    }
    let until = match timeout {
        SelectTimeout::Never => None,
        SelectTimeout::After(time) => Some(Instant::now() + time),
    };
    let reads = wanted.read.len();
    let writes = reads + wanted.write.len();
    loop {
        let already = wanted.exception.sockets().any(&taken);
        let left = match (already, until) {
            (true, _) => Some(Duration::ZERO),
            (false, until) => until.map(|u| u.saturating_duration_since(Instant::now())),
        };
        let polled = waiter.poll(&mut fds, left)?;
        let mut ready = SelectResult::empty(maxsoc);
        for (at, (fd, number)) in fds.iter_mut().zip(&numbers).enumerate() {
            // An error is there to be read and written.
            let events = libc::POLLERR | libc::POLLHUP;
            let (mask, bits) = match at {
                at if at < reads => (&mut ready.read, libc::POLLIN | events),
                at if at < writes => (&mut ready.write, libc::POLLOUT | events),
                _ => (&mut ready.exception, libc::POLLPRI),
            };
            if fd.revents & bits != 0 {
                mask.set(*number);
            } else if fd.revents != 0 {
                // A lost connection is not an exceptional condition; poll would
                // report it again at once.
                fd.fd = -1;
            }
        }
        for number in wanted.exception.sockets().filter(|n| taken(*n)) {
            ready.exception.set(number);
        }
        match polled {
            PollResult::Cancelled => return Err(Errno::EIBMCANCELLED),
            _ if ready.count() > 0 => return Ok(ready),
            PollResult::TimedOut => return Ok(ready),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SocketName, system_poll};
    use std::io;

    struct PlainPoll;

    impl SocketWaiter for PlainPoll {
        fn poll(
            &self,
            fds: &mut [libc::pollfd],
            limit: Option<Duration>,
        ) -> io::Result<PollResult> {
            system_poll(fds, limit)
        }
    }

    fn pair() -> (Socket, Socket) {
        let listener = Socket::new(2, 1, 0).unwrap();
        listener
            .bind(&SocketName("127.0.0.1:0".parse().unwrap()))
            .unwrap();
        listener.listen(1).unwrap();
        let client = Socket::new(2, 1, 0).unwrap();
        client
            .connect(&listener.local().unwrap(), &PlainPoll)
            .unwrap();
        (client, listener.accept(&PlainPoll).unwrap().0)
    }

    fn wanted(read: &[usize], write: &[usize], exception: &[usize]) -> SelectResult {
        let mask = |list: &[usize]| {
            let mut mask = SelectMask::new(40);
            list.iter().for_each(|s| mask.set(*s));
            mask
        };
        SelectResult {
            read: mask(read),
            write: mask(write),
            exception: mask(exception),
        }
    }

    #[test]
    fn data_and_room_and_a_socket_that_was_taken_are_ready() {
        let (client, server) = pair();
        let find = |n: usize| match n {
            3 => Some(&client),
            35 => Some(&server),
            _ => None,
        };
        let zero = SelectTimeout::new(0, 0).unwrap();
        let nothing = select(
            &wanted(&[35], &[], &[35]),
            40,
            zero,
            find,
            |_| false,
            &PlainPoll,
        );
        assert_eq!(nothing.unwrap().count(), 0);
        client.send(b"x", 0, None, &PlainPoll).unwrap();
        let ready = select(
            &wanted(&[35], &[3], &[]),
            40,
            SelectTimeout::Never,
            find,
            |_| false,
            &PlainPoll,
        );
        assert_eq!(ready.unwrap(), wanted(&[35], &[3], &[]));
        let taken = select(
            &wanted(&[], &[], &[35]),
            40,
            SelectTimeout::Never,
            find,
            |n| n == 35,
            &PlainPoll,
        );
        assert_eq!(taken.unwrap(), wanted(&[], &[], &[35]));
        let bad = select(
            &wanted(&[4], &[], &[]),
            40,
            zero,
            find,
            |_| false,
            &PlainPoll,
        );
        assert_eq!(bad, Err(Errno::EBADF));
    }

    #[test]
    fn a_socket_blocks_or_not_as_its_program_sets_it() {
        let (client, server) = pair();
        let mut buffer = [0; 8];
        server.fcntl(4, 4).unwrap();
        assert_eq!(server.fcntl(3, 0), Ok(4));
        assert_eq!(
            server.receive(&mut buffer, 0, &PlainPoll),
            Err(Errno::EWOULDBLOCK)
        );
        server.control(0x8004_A77E, 0).unwrap();
        server
            .set_option(0x1006, &[0, 0, 0, 0, 0, 0, 0x27, 0x10])
            .unwrap();
        assert_eq!(
            server.receive(&mut buffer, 0, &PlainPoll),
            Err(Errno::EWOULDBLOCK)
        );
        client.send(b"hello", 0, None, &PlainPoll).unwrap();
        assert_eq!(
            server
                .receive(&mut buffer, flags_peek(), &PlainPoll)
                .unwrap()
                .0,
            5
        );
        assert_eq!(server.control(0x4004_A77F, 0), Ok(5));
        assert_eq!(server.receive(&mut buffer, 0, &PlainPoll).unwrap().0, 5);
        client.shutdown(1).unwrap();
        assert_eq!(server.receive(&mut buffer, 0, &PlainPoll).unwrap().0, 0);
        assert_eq!(server.option(0x1008), Ok(vec![0, 0, 0, 1]));
        assert_eq!(server.option(0x9999), Err(Errno::ENOPROTOOPT));
    }

    fn flags_peek() -> i64 {
        crate::flags::PEEK
    }

    #[test]
    fn who_listens_does_not_connect() {
        let listening = Socket::new(2, 1, 0).unwrap();
        let any_port = SocketName("127.0.0.1:0".parse().unwrap());
        listening.bind(&any_port).unwrap();
        listening.listen(1).unwrap();
        let there = listening.local().unwrap();
        assert_eq!(
            listening.connect(&there, &PlainPoll),
            Err(Errno::EOPNOTSUPP)
        );
    }

    #[test]
    fn a_timeout_has_less_than_a_million_microseconds() {
        assert_eq!(SelectTimeout::new(-1, 30), Ok(SelectTimeout::Never));
        assert_eq!(SelectTimeout::new(1, 1_000_000), Err(Errno::EINVAL));
        assert_eq!(SelectTimeout::new(0, -1), Err(Errno::EINVAL));
    }
}
