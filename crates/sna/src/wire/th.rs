//! The FID2 transmission header: six bytes in front of every PIU of a type
//! 2.1 node.
//!
//! ```text
//!  0        1        2        3        4        5
//! +----+--+-+--------+--------+--------+--------+--------+
//! |0010|MPF|O|E| 0   | DAF'   | OAF'   |       SNF       |
//! +----+--+-+--------+--------+--------+--------+--------+
//! ```
//! Reference: IBM *SNA Formats* (GA27-3136), "FID Type 2".

use super::reader::{self, Result};

/// Bytes of the header.
pub const LEN: usize = 6;

/// A checked view over a transmission header and what follows it.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// The view, if there are six bytes and they say FID 2.
    pub fn new_checked(buffer: T) -> Result<Packet<T>> {
        let bytes = buffer.as_ref();
        reader::whole(WHAT, bytes, LEN)?;
        reader::value(WHAT, 0, bytes[0] >> 4 == FID2)?;
        Ok(Packet { buffer })
    }

    /// Which part of a BIU follows.
    pub fn segment(&self) -> Segment {
        match self.buffer.as_ref()[0] >> 2 & 3 {
            0b11 => Segment::Whole,
            0b10 => Segment::First,
            0b01 => Segment::Last,
            _ => Segment::Middle,
        }
    }

    /// The session's address and the flow.
    pub fn address(&self) -> Address {
        let bytes = self.buffer.as_ref();
        Address {
            odai: bytes[0] & 2 != 0,
            daf: bytes[2],
            oaf: bytes[3],
        }
    }

    /// Whether the PIU is on the expedited flow.
    pub fn expedited(&self) -> bool {
        self.buffer.as_ref()[0] & 1 != 0
    }

    /// The sequence number field, or an identifier on the expedited flow.
    pub fn sequence(&self) -> u16 {
        let bytes = self.buffer.as_ref();
        u16::from_be_bytes([bytes[4], bytes[5]])
    }

    /// The bytes after the header.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[LEN..]
    }
}

/// Which part of a basic information unit a PIU carries: the mapping field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// All of it.
    Whole,
    /// The first part; the RH is here.
    First,
    /// A part between.
    Middle,
    /// The last part.
    Last,
}

impl Segment {
    /// Whether a request header follows.
    pub const fn has_header(self) -> bool {
        matches!(self, Segment::Whole | Segment::First)
    }

    const fn bits(self) -> u8 {
        match self {
            Segment::Whole => 0b11,
            Segment::First => 0b10,
            Segment::Middle => 0b00,
            Segment::Last => 0b01,
        }
    }
}

/// A session's address on a link: the local-form session identifier in the
/// order in which one PIU carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// Which station assigned it: false the primary, true the secondary.
    pub odai: bool,
    /// Destination address field.
    pub daf: u8,
    /// Origin address field.
    pub oaf: u8,
}

impl Address {
    /// The address of a PIU the other way.
    pub const fn swapped(self) -> Address {
        Address {
            odai: self.odai,
            daf: self.oaf,
            oaf: self.daf,
        }
    }
}

/// The meaning of a transmission header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repr {
    /// Which part of a BIU follows.
    pub segment: Segment,
    /// The session's address.
    pub address: Address,
    /// Whether the PIU is on the expedited flow.
    pub expedited: bool,
    /// The sequence number, or an identifier on the expedited flow.
    pub sequence: u16,
}

impl Repr {
    /// The meaning of these bytes.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Repr {
        Repr {
            segment: packet.segment(),
            address: packet.address(),
            expedited: packet.expedited(),
            sequence: packet.sequence(),
        }
    }

    /// The six bytes.
    pub const fn emit(&self) -> [u8; LEN] {
        let flags = (self.address.odai as u8) << 1 | self.expedited as u8;
        let sequence = self.sequence.to_be_bytes();
        [
            FID2 << 4 | self.segment.bits() << 2 | flags,
            0,
            self.address.daf,
            self.address.oaf,
            sequence[0],
            sequence[1],
        ]
    }
}

const WHAT: &str = "FID2 transmission header";
const FID2: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_are_those_of_published_traces() {
        let cases = [
            (Segment::Whole, false, false, 0x2C),
            (Segment::Whole, false, true, 0x2D),
            (Segment::Whole, true, false, 0x2E),
            (Segment::Whole, true, true, 0x2F),
            (Segment::First, false, false, 0x28),
            (Segment::Middle, false, false, 0x20),
            (Segment::Last, false, false, 0x24),
        ];
        for (segment, odai, expedited, first) in cases {
            let repr = Repr {
                segment,
                address: Address {
                    odai,
                    daf: 1,
                    oaf: 2,
                },
                expedited,
                sequence: 0x22A4,
            };
            let bytes = repr.emit();
            assert_eq!(bytes, [first, 0, 1, 2, 0x22, 0xA4]);
            assert_eq!(Repr::parse(&Packet::new_checked(bytes).unwrap()), repr);
        }
    }

    #[test]
    fn other_formats_and_short_headers_are_refused() {
        assert!(Packet::new_checked([0x2C, 0, 1, 2, 0]).is_err());
        assert!(Packet::new_checked([0x4C, 0, 1, 2, 0, 0]).is_err());
    }
}
