//! A frame: twelve bytes of header, and its payload.
//!
//! ```text
//! 0         4      5      6          8      12
//! +---------+------+------+----------+------+---------+
//! | length  | kind | zero | zero     | id   | payload |
//! | u32     | u8   | u8   | u16      | u32  | length  |
//! +---------+------+------+----------+------+---------+
//! ```

use super::reader::{MalformedBytes, Reader};

/// Longest payload of a frame with a part of a message, in bytes.
pub const MAX_PAYLOAD: usize = 64 << 10;
/// Longest payload of any other frame, in bytes.
pub const MAX_CONTROL: usize = 1024;

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// The caller's greeting: the first frame of a connection.
    Hello = 1,
    /// The server's answer to it.
    Welcome = 2,
    /// A request begins: bytes of the message, after their number.
    Request = 3,
    /// A reply begins, likewise.
    Reply = 4,
    /// More of either.
    Data = 5,
    /// Allows the rest of a message.
    Grant = 6,
    /// Cancels a request; in the other direction it acknowledges this.
    Cancel = 7,
    /// Asks for a pong.
    Ping = 8,
    /// Yes.
    Pong = 9,
    /// No new request is accepted; running ones end.
    Drain = 10,
    /// The reason for the connection's end.
    Error = 11,
}

const KINDS: [FrameKind; 11] = [
    FrameKind::Hello,
    FrameKind::Welcome,
    FrameKind::Request,
    FrameKind::Reply,
    FrameKind::Data,
    FrameKind::Grant,
    FrameKind::Cancel,
    FrameKind::Ping,
    FrameKind::Pong,
    FrameKind::Drain,
    FrameKind::Error,
];

/// The meaning of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the payload.
    pub length: usize,
    /// The kind.
    pub kind: FrameKind,
    /// The request it is about; 0 for the connection.
    pub id: u32,
}

impl FrameKind {
    /// Most bytes of a payload.
    pub fn most(self) -> usize {
        match self {
            FrameKind::Request | FrameKind::Reply | FrameKind::Data => MAX_PAYLOAD,
            FrameKind::Hello | FrameKind::Welcome | FrameKind::Error => MAX_CONTROL,
            FrameKind::Grant
            | FrameKind::Cancel
            | FrameKind::Ping
            | FrameKind::Pong
            | FrameKind::Drain => 0,
        }
    }

    /// Whether the frame kind belongs to one request.
    fn is_of_request(self) -> bool {
        matches!(
            self,
            FrameKind::Request
                | FrameKind::Reply
                | FrameKind::Data
                | FrameKind::Grant
                | FrameKind::Cancel
        )
    }
}

impl Header {
    /// Bytes of a header.
    pub const BYTES: usize = 12;

    /// The meaning of a header's bytes.
    pub fn parse(bytes: &[u8; Header::BYTES]) -> Result<Header, MalformedBytes> {
        let mut r = Reader::new(bytes);
        let length = r.u32("the length is missing")? as usize;
        let kind = r.u8("the kind is missing")?;
        let kind = KINDS.into_iter().find(|k| *k as u8 == kind);
        let kind = kind.ok_or(MalformedBytes {
            what: "unknown kind of frame",
            at: 4,
        })?;
        if r.array::<3>("the reserved bytes are missing")? != [0; 3] {
            return Err(MalformedBytes {
                what: "the reserved bytes are not zero",
                at: 5,
            });
        }
        let id = r.u32("the number of the request is missing")?;
        if length > kind.most() {
            return Err(MalformedBytes {
                what: "the payload is longer than allowed for this kind of frame",
                at: 0,
            });
        }
        if (id != 0) != kind.is_of_request() {
            return Err(MalformedBytes {
                what: "the request number does not fit the kind of frame",
                at: 8,
            });
        }
        Ok(Header { length, kind, id })
    }

    /// The header's bytes.
    pub fn emit(&self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[..4].copy_from_slice(&(self.length as u32).to_be_bytes());
        bytes[4] = self.kind as u8;
        bytes[8..].copy_from_slice(&self.id.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_means_what_was_emitted() {
        for kind in KINDS {
            let header = Header {
                length: kind.most(),
                kind,
                id: u32::from(kind.is_of_request()),
            };
            assert_eq!(Header::parse(&header.emit()), Ok(header));
        }
    }

    #[test]
    fn a_header_that_cannot_be_is_refused_with_its_place() {
        let good = Header {
            length: 10,
            kind: FrameKind::Data,
            id: 7,
        };
        let at = |change: fn(&mut [u8; 12])| {
            let mut bytes = good.emit();
            change(&mut bytes);
            Header::parse(&bytes).unwrap_err().at
        };
        assert_eq!(at(|b| b[0] = 1), 0);
        assert_eq!(at(|b| b[4] = 99), 4);
        assert_eq!(at(|b| b[6] = 1), 5);
        assert_eq!(at(|b| b[11] = 0), 8);
        assert_eq!(at(|b| b[4] = FrameKind::Ping as u8), 0);
    }
}
