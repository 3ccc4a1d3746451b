//! The messages of a socket call from a worker to its region, and of the reply.
//!
//! They are sent as the integers and bytes of a mid-task call of the link. The
//! integers of each function:
//!
//! | function | integers | bytes there | bytes back |
//! |---|---|---|---|
//! | INITAPI | MAXSOC | IDENT, SUBTASK | |
//! | SOCKET | AF, SOCTYPE, PROTO | | |
//! | BIND, CONNECT | | NAME | |
//! | ACCEPT, GETPEERNAME, GETSOCKNAME | | | NAME |
//! | LISTEN, SHUTDOWN | BACKLOG, HOW | | |
//! | FCNTL, IOCTL | COMMAND, REQARG | IFREQ | RETARG of interfaces |
//! | READ, RECV, RECVFROM | FLAGS, NBYTE | | data; then NAME |
//! | WRITE, SEND, SENDTO | FLAGS, bytes of NAME | NAME, data | |
//! | GETSOCKOPT, SETSOCKOPT | OPTNAME, OPTLEN | OPTVAL | OPTVAL |
//! | SELECT | MAXSOC, seconds, microseconds | three masks | three masks |
//! | GETCLIENTID | | | CLIENT |
//! | GIVESOCKET, TAKESOCKET | | CLIENT | |
//! | names of hosts | see `sockets` | | |

use crate::{Function, SocketKind};

/// Bit of [`CallReply::value`]: a descriptor is attached.
const BROUGHT: i64 = 1 << 32;

/// A call of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The function.
    pub function: Function,
    /// The socket number; 0 for none.
    pub socket: i64,
    /// Its other integers.
    pub args: [i64; 4],
    /// Its bytes.
    pub data: Vec<u8>,
}

/// The result of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallReply {
    /// RETCODE: a count, a socket or 0; negative when the call failed.
    pub retcode: i64,
    /// ERRNO.
    pub errno: i32,
    /// Something more, as the function has it.
    pub value: i64,
    /// Bytes.
    pub data: Vec<u8>,
}

impl Request {
    /// A call without integers or bytes.
    pub fn new(function: Function, socket: i64) -> Request {
        Request {
            function,
            socket,
            args: [0; 4],
            data: Vec::new(),
        }
    }

    /// Parses the integers of a mid-task call. Returns `None` for an unknown
    /// function.
    pub fn parse(args: &[u64; 8], data: Vec<u8>) -> Option<Request> {
        let [function, socket, a, b, c, d, ..] = *args;
        Some(Request {
            function: Function::numbered(function)?,
            socket: socket as i64,
            args: [a, b, c, d].map(|v| v as i64),
            data,
        })
    }

    /// The integers of the mid-task call.
    pub fn emit(&self) -> [u64; 8] {
        let [a, b, c, d] = self.args.map(|v| v as u64);
        let (function, socket) = (self.function.number(), self.socket as u64);
        [function, socket, a, b, c, d, 0, 0]
    }
}

impl CallReply {
    /// Marks that a copy of the new socket's descriptor is attached.
    pub fn bring(&mut self, kind: SocketKind, blocks: bool) {
        let bits = i64::from(kind.stream) << 16 | i64::from(blocks) << 17;
        self.value = BROUGHT | bits | i64::from(kind.family);
    }

    /// The kind of the attached descriptor's socket, and whether it blocks.
    /// Returns `None` without a descriptor.
    pub fn brought(&self) -> Option<(SocketKind, bool)> {
        let kind = SocketKind {
            family: self.value as u16,
            stream: self.value & 1 << 16 != 0,
        };
        (self.value & BROUGHT != 0).then_some((kind, self.value & 1 << 17 != 0))
    }

    /// A successful call.
    pub fn ok(retcode: i64) -> CallReply {
        CallReply {
            retcode,
            ..CallReply::default()
        }
    }

    /// As [`CallReply::ok`], with bytes.
    pub fn with(retcode: i64, data: Vec<u8>) -> CallReply {
        CallReply {
            retcode,
            data,
            ..CallReply::default()
        }
    }

    /// Reads the integers of an answer.
    pub fn parse(args: &[u64; 8], data: Vec<u8>) -> CallReply {
        CallReply {
            retcode: args[0] as i64,
            errno: args[1] as i32,
            value: args[2] as i64,
            data,
        }
    }

    /// The integers of the answer.
    pub fn emit(&self) -> [u64; 8] {
        let (retcode, errno) = (self.retcode as u64, self.errno as u64);
        [retcode, errno, self.value as u64, 0, 0, 0, 0, 0]
    }
}

impl From<crate::Errno> for CallReply {
    fn from(errno: crate::Errno) -> CallReply {
        CallReply {
            retcode: -1,
            errno: errno.0,
            ..CallReply::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Errno;

    #[test]
    fn a_call_and_its_answer_read_back() {
        let mut request = Request::new(Function::RecvFrom, -3);
        request.args = [1, -2, i64::MAX, 0];
        assert_eq!(Request::parse(&request.emit(), Vec::new()), Some(request));
        let mut reply = CallReply::from(Errno::EBADF);
        reply.value = -7;
        assert_eq!(CallReply::parse(&reply.emit(), Vec::new()), reply);
        assert_eq!(Request::parse(&[99; 8], Vec::new()), None);
        let kind = SocketKind {
            family: 19,
            stream: true,
        };
        let mut reply = CallReply::ok(3);
        assert_eq!(reply.brought(), None);
        reply.bring(kind, true);
        assert_eq!(reply.brought(), Some((kind, true)));
        reply.bring(kind, false);
        assert_eq!(reply.brought(), Some((kind, false)));
    }
}
