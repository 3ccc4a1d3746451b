//! Error numbers, as programs see them in ERRNO.
//!
//! The system's numbers are those of BSD. Numbers from 10,000 are those of the call
//! interface itself.
//!
//! Reference: IP sockets application programming interface guide, "Return
//! codes": "Sockets return codes (ERRNOs)" and "Sockets extended ERRNOs".

use std::io;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $number:literal $(= $linux:ident)?;)*) => {
        impl Errno {
            $($(#[$doc])* pub const $name: Errno = Errno($number);)*

            /// Its name; the number in decimal for one without.
            pub fn name(self) -> String {
                match self.0 {
                    $($number => stringify!($name).to_owned(),)*
                    other => other.to_string(),
                }
            }
        }

        /// Error numbers of Linux and their values for programs.
        const OF_LINUX: &[(i32, Errno)] = &[$($((libc::$linux, Errno::$name),)?)*];
    };
}

/// A value of ERRNO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

numbers! {
    /// Permission is denied.
    EPERM 1 = EPERM;
    /// Interrupted.
    EINTR 4 = EINTR;
    /// Input or output failed.
    EIO 5 = EIO;
    /// No such device.
    ENXIO 6 = ENXIO;
    /// Not an open socket.
    EBADF 9 = EBADF;
    /// Not enough storage.
    ENOMEM 12 = ENOMEM;
    /// Not allowed.
    EACCES 13 = EACCES;
    /// An incorrect storage address or length.
    EFAULT 14 = EFAULT;
    /// LISTEN has been called for the socket.
    EBUSY 16 = EBUSY;
    /// An incorrect argument.
    EINVAL 22 = EINVAL;
    /// The system has too many open files.
    ENFILE 23 = ENFILE;
    /// The descriptor table is full.
    EMFILE 24 = EMFILE;
    /// The storage is too small.
    ENOSPC 28 = ENOSPC;
    /// The connection is broken.
    EPIPE 32 = EPIPE;
    /// It would wait.
    EWOULDBLOCK 35 = EAGAIN;
    /// It has begun.
    EINPROGRESS 36 = EINPROGRESS;
    /// It has begun before.
    EALREADY 37 = EALREADY;
    /// Not a socket.
    ENOTSOCK 38 = ENOTSOCK;
    /// A destination is required.
    EDESTADDRREQ 39 = EDESTADDRREQ;
    /// The message is too long.
    EMSGSIZE 40 = EMSGSIZE;
    /// The wrong protocol for the socket.
    EPROTOTYPE 41 = EPROTOTYPE;
    /// No such option.
    ENOPROTOOPT 42 = ENOPROTOOPT;
    /// No such protocol.
    EPROTONOSUPPORT 43 = EPROTONOSUPPORT;
    /// No such type of socket.
    ESOCKTNOSUPPORT 44 = ESOCKTNOSUPPORT;
    /// Not supported for the socket.
    EOPNOTSUPP 45 = EOPNOTSUPP;
    /// No such protocol family.
    EPFNOSUPPORT 46 = EPFNOSUPPORT;
    /// No such address family.
    EAFNOSUPPORT 47 = EAFNOSUPPORT;
    /// The address is in use.
    EADDRINUSE 48 = EADDRINUSE;
    /// The address is not of this host.
    EADDRNOTAVAIL 49 = EADDRNOTAVAIL;
    /// The network is down.
    ENETDOWN 50 = ENETDOWN;
    /// The network cannot be reached.
    ENETUNREACH 51 = ENETUNREACH;
    /// The network dropped the connection.
    ENETRESET 52 = ENETRESET;
    /// The connection was given up here.
    ECONNABORTED 53 = ECONNABORTED;
    /// The partner reset the connection.
    ECONNRESET 54 = ECONNRESET;
    /// No buffer space.
    ENOBUFS 55 = ENOBUFS;
    /// Connected already.
    EISCONN 56 = EISCONN;
    /// Not connected.
    ENOTCONN 57 = ENOTCONN;
    /// Sending has been shut down.
    ESHUTDOWN 58 = ESHUTDOWN;
    /// Out of time.
    ETIMEDOUT 60 = ETIMEDOUT;
    /// The partner refused the connection.
    ECONNREFUSED 61 = ECONNREFUSED;
    /// The name is too long.
    ENAMETOOLONG 63 = ENAMETOOLONG;
    /// The host is down.
    EHOSTDOWN 64 = EHOSTDOWN;
    /// No route to the host.
    EHOSTUNREACH 65 = EHOSTUNREACH;
    /// The request was cancelled.
    EIBMCANCELLED 1009;
    /// The interface is not active.
    EIBMNOACTIVETCP 1036;
    /// SELECTEX was given an event control block that is posted.
    EIBMSELECTEXPOST 1040;
    /// The length of an option is wrong.
    OPTION_LENGTH 10193;
    /// READ and READV: a length of zero or less.
    READ_LENGTH 10159;
    /// RECV, RECVFROM, RECVMSG: a length of zero or less.
    RECEIVE_LENGTH 10163;
    /// SEND and SENDMSG: a length of zero or less.
    SEND_LENGTH 10170;
    /// SENDTO: a length of zero or less.
    SENDTO_LENGTH 10174;
    /// SETSOCKOPT: an option that is too short.
    SET_OPTION_LENGTH 10178;
    /// WRITE: a length of zero.
    WRITE_LENGTH 10184;
    /// WRITE and WRITEV: a negative length.
    WRITE_NEGATIVE 10186;
    /// GETHOSTNAME: a name shorter than 24.
    HOST_NAME_LENGTH 10190;
    /// INITAPI was called again.
    INITAPI_AGAIN 10197;
    /// INITAPI: more sockets than there may be.
    INITAPI_SOCKETS 10198;
    /// The first call may not be the first.
    FIRST_CALL 10200;
    /// CLOSE of a socket that is not there.
    CLOSE_UNKNOWN 10220;
    /// SOCKET: an unknown address family.
    SOCKET_FAMILY 10221;
    /// SOCKET: an unknown type.
    SOCKET_TYPE 10222;
    /// IOVCNT of zero or less.
    VECTOR_EMPTY 10224;
    /// IOVCNT above 120.
    VECTOR_LONG 10225;
    /// SELECT: MAXSOC is above the limit of a task.
    SELECT_MAXSOC 10332;
    /// An unknown function.
    FUNCTION 20000;
    /// The wrong number of parameters.
    PARAMETERS 20001;
}

impl Errno {
    /// Of GETADDRINFO and GETNAMEINFO: the name is not found.
    pub const EAI_NONAME: Errno = Errno(1);
    /// Of the same: not now.
    pub const EAI_AGAIN: Errno = Errno(2);
    /// Of the same: a buffer is too short.
    pub const EAI_OVERFLOW: Errno = Errno(4);
    /// Of the same: no such family.
    pub const EAI_FAMILY: Errno = Errno(5);
    /// Of the same: invalid flags.
    pub const EAI_BADFLAGS: Errno = Errno(7);
    /// Of the same: no such service.
    pub const EAI_SERVICE: Errno = Errno(8);
    /// Of the same: no such type of socket.
    pub const EAI_SOCKTYPE: Errno = Errno(9);
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Errno {
        let number = error.raw_os_error();
        let found = OF_LINUX
            .iter()
            .find(|(linux, _)| Some(*linux) == number)
            .map(|(_, errno)| *errno);
        found.unwrap_or(match error.kind() {
            io::ErrorKind::WouldBlock => Errno::EWOULDBLOCK,
            io::ErrorKind::InvalidInput => Errno::EINVAL,
            _ => Errno::EIO,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_linux_become_those_of_the_guide() {
        let of = |number| Errno::from(io::Error::from_raw_os_error(number));
        assert_eq!(of(libc::ECONNREFUSED).0, 61);
        assert_eq!(of(libc::EWOULDBLOCK).0, 35);
        assert_eq!(of(libc::EINPROGRESS).0, 36);
        assert_eq!(of(libc::EADDRINUSE).0, 48);
        assert_eq!(of(libc::ECONNRESET).0, 54);
        assert_eq!(of(libc::ENOTCONN).0, 57);
        assert_eq!(of(libc::ETIMEDOUT).0, 60);
        assert_eq!(of(libc::EDOM), Errno::EIO);
        assert_eq!(Errno(61).name(), "ECONNREFUSED");
        assert_eq!(Errno(4711).name(), "4711");
    }
}
