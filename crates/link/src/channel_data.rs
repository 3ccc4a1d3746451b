//! A channel with its containers as one piece of bytes, for START, the
//! asynchronous API, nested runs and every other transfer of a channel between
//! tasks.
//!
//! ```text
//!   0         16       20
//!   +---------+--------+-----------------------------------------------
//!   | channel | number | containers:
//!   +---------+--------+-----------------------------------------------
//!                        +------+------+----+-------+--------+
//!                        | name | type | 0  | ccsid | length | bytes
//!                        | 16   | u8   | u8 | u16   | u32    |
//!                        +------+------+----+-------+--------+
//! ```
//!
//! Integers are in the machine's own order. Type 0 is BIT, 1 is CHAR.

use crate::directory::{ContainerType, ProtocolViolation};
use crate::operands::Reader;
use crate::{ChannelName, ContainerName, Name};

/// A container on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerData {
    /// Name.
    pub name: ContainerName,
    /// Data type.
    pub kind: ContainerType,
    /// Code page of its characters, 0 for the region's.
    pub ccsid: u16,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A channel on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelData {
    /// Name.
    pub name: ChannelName,
    /// Its containers.
    pub containers: Vec<ContainerData>,
}

impl ChannelData {
    /// Writes the channel.
    pub fn emit(&self) -> Vec<u8> {
        let data: usize = self.containers.iter().map(|c| c.bytes.len() + 24).sum();
        let mut out = Vec::with_capacity(20 + data);
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(&(self.containers.len() as u32).to_ne_bytes());
        for c in &self.containers {
            out.extend_from_slice(c.name.as_bytes());
            out.push(u8::from(c.kind == ContainerType::Char));
            out.push(0);
            out.extend_from_slice(&c.ccsid.to_ne_bytes());
            out.extend_from_slice(&(c.bytes.len() as u32).to_ne_bytes());
            out.extend_from_slice(&c.bytes);
        }
        out
    }

    /// Reads a channel that the other side wrote.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProtocolViolation> {
        let mut rest = Reader(bytes);
        let name = Name::from_bytes(rest.array()?);
        let number = u32::from_ne_bytes(rest.array()?);
        let mut containers = Vec::new();
        for _ in 0..number {
            let name = Name::from_bytes(rest.array()?);
            let kind = match rest.array()? {
                [0, _] => ContainerType::Bit,
                [1, _] => ContainerType::Char,
                _ => return Err(ProtocolViolation::Operands),
            };
            let ccsid = u16::from_ne_bytes(rest.array()?);
            let bytes = u32::from_ne_bytes(rest.array()?) as usize;
            containers.push(ContainerData {
                name,
                kind,
                ccsid,
                bytes: rest.take(bytes)?.to_vec(),
            });
        }
        if rest.0.is_empty() {
            Ok(ChannelData { name, containers })
        } else {
            Err(ProtocolViolation::Operands)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_channel_reads_back_as_it_was_written() {
        let channel = ChannelData {
            name: Name::from_bytes(*b"CHAN            "),
            containers: vec![
                ContainerData {
                    name: Name::from_bytes(*b"A               "),
                    kind: ContainerType::Char,
                    ccsid: 37,
                    bytes: b"text".to_vec(),
                },
                ContainerData {
                    name: Name::from_bytes(*b"B               "),
                    kind: ContainerType::Bit,
                    ccsid: 0,
                    bytes: vec![],
                },
            ],
        };
        assert_eq!(ChannelData::parse(&channel.emit()).unwrap(), channel);
        let mut longer = channel.emit();
        longer.push(0);
        assert_eq!(
            ChannelData::parse(&longer),
            Err(ProtocolViolation::Operands)
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = ChannelData::parse(&bytes);
        }
    }
}
