//! Options and controls of sockets, by the numbers that programs use.
//!
//! Multicast options are not supported; programs receive ENOPROTOOPT.
//!
//! Reference: IP CICS Sockets Guide, "GETSOCKOPT/SETSOCKOPT command values"
//! (the numbers), FCNTL, IOCTL.

use crate::InterfaceQuery;

/// An option of GETSOCKOPT and SETSOCKOPT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionName {
    /// SO_REUSEADDR.
    ReuseAddress,
    /// SO_KEEPALIVE.
    KeepAlive,
    /// SO_BROADCAST.
    Broadcast,
    /// SO_LINGER: two fullwords, on or off and seconds.
    Linger,
    /// SO_OOBINLINE.
    OutOfBandInline,
    /// SO_SNDBUF.
    SendBuffer,
    /// SO_RCVBUF.
    ReceiveBuffer,
    /// SO_SNDTIMEO: two fullwords, seconds and microseconds.
    SendTimeout,
    /// SO_RCVTIMEO: the same.
    ReceiveTimeout,
    /// SO_ERROR.
    Error,
    /// SO_TYPE.
    Type,
    /// TCP_NODELAY.
    NoDelay,
    /// TCP_KEEPALIVE: seconds.
    KeepAliveTime,
    /// IPV6_V6ONLY.
    OnlyV6,
    /// IPV6_UNICAST_HOPS.
    UnicastHops,
}

const OPTIONS: &[(u32, OptionName)] = &[
    (0x0000_0004, OptionName::ReuseAddress),
    (0x0000_0008, OptionName::KeepAlive),
    (0x0000_0020, OptionName::Broadcast),
    (0x0000_0080, OptionName::Linger),
    (0x0000_0100, OptionName::OutOfBandInline),
    (0x0000_1001, OptionName::SendBuffer),
    (0x0000_1002, OptionName::ReceiveBuffer),
    (0x0000_1005, OptionName::SendTimeout),
    (0x0000_1006, OptionName::ReceiveTimeout),
    (0x0000_1007, OptionName::Error),
    (0x0000_1008, OptionName::Type),
    (0x8000_0001, OptionName::NoDelay),
    (0x8000_0008, OptionName::KeepAliveTime),
    (0x0001_000A, OptionName::OnlyV6),
    (0x0001_0003, OptionName::UnicastHops),
];

impl OptionName {
    /// The option of a number.
    pub fn numbered(number: i64) -> Option<OptionName> {
        let row = OPTIONS.iter().find(|(n, _)| *n == number as u32)?;
        Some(row.1)
    }

    /// Bytes of its value.
    pub fn bytes(self) -> usize {
        match self {
            OptionName::Linger | OptionName::SendTimeout | OptionName::ReceiveTimeout => 8,
            _ => 4,
        }
    }
}

/// COMMAND of FCNTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// 3: asks.
    Get,
    /// 4: sets; REQARG is 4 for nonblocking, 0 for blocking.
    Set,
}

/// The flag of FCNTL that makes a socket nonblocking.
pub const NONBLOCKING: i64 = 4;

impl Command {
    /// The command of a number.
    pub fn numbered(number: i64) -> Option<Command> {
        match number {
            3 => Some(Command::Get),
            4 => Some(Command::Set),
            _ => None,
        }
    }
}

/// COMMAND of IOCTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketControl {
    /// FIONBIO: blocking (0) or nonblocking (1).
    NonBlocking,
    /// FIONREAD: bytes that wait to be read.
    Readable,
    /// SIOCATMARK: whether urgent data are next.
    AtMark,
    /// SIOCGIF...: about network interfaces.
    Interface(InterfaceQuery),
}

impl SocketControl {
    /// The control of a number.
    pub fn numbered(number: i64) -> Option<SocketControl> {
        match number as u32 {
            0x8004_A77E => Some(SocketControl::NonBlocking),
            0x4004_A77F => Some(SocketControl::Readable),
            0x4004_A707 => Some(SocketControl::AtMark),
            0xC020_A70D => Some(SocketControl::Interface(InterfaceQuery::Address)),
            0xC020_A70F => Some(SocketControl::Interface(InterfaceQuery::Destination)),
            0xC020_A711 => Some(SocketControl::Interface(InterfaceQuery::Flags)),
            0xC020_A712 => Some(SocketControl::Interface(InterfaceQuery::Broadcast)),
            0xC008_A714 => Some(SocketControl::Interface(InterfaceQuery::List)),
            0xC020_A715 => Some(SocketControl::Interface(InterfaceQuery::Netmask)),
            0xC020_A717 => Some(SocketControl::Interface(InterfaceQuery::Metric)),
            0xC020_A726 => Some(SocketControl::Interface(InterfaceQuery::Mtu)),
            0x4000_F603 => Some(SocketControl::Interface(InterfaceQuery::NameIndex)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_same_with_and_without_its_sign() {
        assert_eq!(OptionName::numbered(0x8000_0001), Some(OptionName::NoDelay));
        assert_eq!(
            OptionName::numbered(-0x7FFF_FFFF),
            Some(OptionName::NoDelay)
        );
        assert_eq!(
            SocketControl::numbered(-2147178626),
            Some(SocketControl::NonBlocking)
        );
        assert_eq!(
            SocketControl::numbered(1_074_046_847),
            Some(SocketControl::Readable)
        );
        assert_eq!(OptionName::numbered(3), None);
    }
}
