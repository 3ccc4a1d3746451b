//! Addresses of sockets and of tasks, as programs see them.
//!
//! ```text
//!   AF_INET    family u16 | port u16 | address u32 | zeros (8)
//!   AF_INET6   family u16 | port u16 | flow u32 | address (16) | scope u32
//!   client id  domain u32 | name (8) | task (8) | reserved (20)
//! ```
//!
//! Integers are big-endian. Invariant: any bytes can be read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use crate::Errno;

/// The address family of IPv4.
pub const AF_INET: u16 = 2;
/// The address family of IPv6.
pub const AF_INET6: u16 = 19;
/// Bytes of an address of IPv4.
pub const SOCKADDR_BYTES: usize = 16;
/// Bytes of an address of IPv6.
pub const SOCKADDR6_BYTES: usize = 28;

/// An address of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketName(pub SocketAddr);

impl SocketName {
    /// Reads an address. EAFNOSUPPORT for another family, EINVAL for one that
    /// is cut short.
    pub fn parse(bytes: &[u8]) -> Result<SocketName, Errno> {
        let family = u16::from_be_bytes(part(bytes, 0)?);
        let port = u16::from_be_bytes(part(bytes, 2)?);
        let address = match family {
            AF_INET => {
                let ip = Ipv4Addr::from(part::<4>(bytes, 4)?);
                SocketAddr::V4(SocketAddrV4::new(ip, port))
            }
            AF_INET6 => {
                let flow = u32::from_be_bytes(part(bytes, 4)?);
                let ip = Ipv6Addr::from(part::<16>(bytes, 8)?);
                let scope = u32::from_be_bytes(part(bytes, 24)?);
                SocketAddr::V6(SocketAddrV6::new(ip, port, flow, scope))
            }
            _ => return Err(Errno::EAFNOSUPPORT),
        };
        Ok(SocketName(address))
    }

    /// Writes an address.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SOCKADDR6_BYTES);
        out.extend_from_slice(&self.family().to_be_bytes());
        out.extend_from_slice(&self.0.port().to_be_bytes());
        match self.0 {
            SocketAddr::V4(v4) => {
                out.extend_from_slice(&v4.ip().octets());
                out.extend_from_slice(&[0; 8]);
            }
            SocketAddr::V6(v6) => {
                out.extend_from_slice(&v6.flowinfo().to_be_bytes());
                out.extend_from_slice(&v6.ip().octets());
                out.extend_from_slice(&v6.scope_id().to_be_bytes());
            }
        }
        out
    }

    /// Its family.
    pub fn family(&self) -> u16 {
        match self.0 {
            SocketAddr::V4(_) => AF_INET,
            SocketAddr::V6(_) => AF_INET6,
        }
    }

    /// The bytes of an address without its port.
    pub fn octets(ip: IpAddr) -> Vec<u8> {
        match ip {
            IpAddr::V4(v4) => v4.octets().to_vec(),
            IpAddr::V6(v6) => v6.octets().to_vec(),
        }
    }
}

/// The identity of a task that gives or takes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientId {
    /// The address family of the parameters.
    pub domain: u32,
    /// The address space: a region's name.
    pub name: [u8; 8],
    /// The task in it; blank for any.
    pub task: [u8; 8],
}

impl ClientId {
    /// Its bytes, with the reserved ones.
    pub const BYTES: usize = 40;

    /// Reads a client id; EINVAL for one that is cut short.
    pub fn parse(bytes: &[u8]) -> Result<ClientId, Errno> {
        Ok(ClientId {
            domain: u32::from_be_bytes(part(bytes, 0)?),
            name: part(bytes, 4)?,
            task: part(bytes, 12)?,
        })
    }

    /// Writes a client id.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = self.domain.to_be_bytes().to_vec();
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&self.task);
        out.resize(Self::BYTES, 0);
        out
    }
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Errno> {
    let part = bytes.get(at..at + N).and_then(|p| p.try_into().ok());
    part.ok_or(Errno::EINVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_is_big_endian() {
        let name = SocketName("10.1.2.3:3010".parse().unwrap());
        let bytes = [0, 2, 0x0B, 0xC2, 10, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(name.emit(), bytes);
        assert_eq!(SocketName::parse(&bytes), Ok(name));
    }

    #[test]
    fn an_address_of_another_family_or_cut_short_is_refused() {
        assert_eq!(SocketName::parse(&[0, 3, 0, 0]), Err(Errno::EAFNOSUPPORT));
        assert_eq!(SocketName::parse(&[0, 2, 0, 0, 1]), Err(Errno::EINVAL));
        assert_eq!(SocketName::parse(&[0]), Err(Errno::EINVAL));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(name) = SocketName::parse(&bytes) {
                prop_assert_eq!(SocketName::parse(&name.emit()), Ok(name));
            }
            if let Ok(id) = ClientId::parse(&bytes) {
                prop_assert_eq!(ClientId::parse(&id.emit()), Ok(id));
            }
        }
    }
}
