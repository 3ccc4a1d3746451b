//! A host's name and addresses on their way from the region to a worker.
//!
//! ```text
//!   bytes of the name u16 | name | addresses: bytes u8 (4 or 16) | address
//! ```

use std::net::IpAddr;

/// The names and addresses of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList {
    /// Its name.
    pub name: String,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
}

impl HostList {
    /// Encodes it; a name is truncated to 255 bytes.
    pub fn emit(&self) -> Vec<u8> {
        let name = &self.name.as_bytes()[..self.name.len().min(255)];
        let mut out = (name.len() as u16).to_be_bytes().to_vec();
        out.extend_from_slice(name);
        for address in &self.addresses {
            let octets = crate::SocketName::octets(*address);
            out.push(octets.len() as u8);
            out.extend_from_slice(&octets);
        }
        out
    }

    /// Decodes it. Returns `None` if [`HostList::emit`] did not write it.
    pub fn parse(bytes: &[u8]) -> Option<HostList> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (name, mut rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        let mut addresses = Vec::new();
        while let Some((bytes, octets)) = rest.split_first() {
            let (octets, after) = octets.split_at_checked(usize::from(*bytes))?;
            addresses.push(match octets.len() {
                4 => IpAddr::from(<[u8; 4]>::try_from(octets).ok()?),
                16 => IpAddr::from(<[u8; 16]>::try_from(octets).ok()?),
                _ => return None,
            });
            rest = after;
        }
        Some(HostList {
            name: String::from_utf8_lossy(name).into_owned(),
            addresses,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_host_reads_back() {
        let host = HostList {
            name: "here".into(),
            addresses: vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
        };
        assert_eq!(HostList::parse(&host.emit()), Some(host));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = HostList::parse(&bytes);
        }
    }
}
