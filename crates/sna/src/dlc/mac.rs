//! LAN frames around an 802.2 PDU: 802.3 with its length field and padding, and
//! token ring for captures.
//!
//! A station's address is written in token-ring bit order in SNA definitions and
//! in DLSw; Ethernet sends each byte the other way round.
//!
//! Reference: IEEE 802.3, section 3; IEEE 802.5, section 3.

use thiserror::Error;

/// A LAN address, in the bit order of the LAN it is used on.
pub type Mac = [u8; 6];

/// Bytes of an 802.3 header.
pub const HEADER_BYTES: usize = 14;
/// The longest PDU of an 802.3 frame.
pub const MAX_PDU_BYTES: usize = 1500;
/// The shortest 802.3 frame, without its check sequence.
pub const MIN_FRAME_BYTES: usize = 60;

/// Why bytes are no 802.3 frame with a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Shorter than its header.
    #[error("a frame of {0} bytes is shorter than its header")]
    Short(usize),
    /// A type field, not a length: another protocol.
    #[error("the type X'{0:04X}' is not 802.3")]
    Type(u16),
    /// The length field says more than there is.
    #[error("the length field has {length_field}, but the frame has {there}")]
    Length {
        /// The value of the length field.
        length_field: usize,
        /// The bytes after the header.
        there: usize,
    },
}

/// An 802.3 frame's addresses and PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The destination.
    pub destination: Mac,
    /// The source.
    pub source: Mac,
    /// The PDU without padding.
    pub pdu: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Reads an 802.3 frame without its check sequence.
    pub fn parse(bytes: &'a [u8]) -> Result<Frame<'a>, FrameError> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(FrameError::Short(bytes.len()));
        };
        let length = u16::from_be_bytes([header[12], header[13]]);
        if usize::from(length) > MAX_PDU_BYTES {
            return Err(FrameError::Type(length));
        }
        let said = usize::from(length);
        let there = rest.len();
        Ok(Frame {
            destination: std::array::from_fn(|i| header[i]),
            source: std::array::from_fn(|i| header[6 + i]),
            pdu: rest.get(..said).ok_or(FrameError::Length {
                length_field: said,
                there,
            })?,
        })
    }

    /// Appends the frame, padded to the shortest allowed. PDUs beyond
    /// [`MAX_PDU_BYTES`] have no 802.3 form; the caller keeps frames below.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let start = out.len();
        emit_header(self.destination, self.source, self.pdu.len(), out);
        out.extend_from_slice(self.pdu);
        pad(start, out);
    }
}

/// Appends an 802.3 header for a PDU of `bytes`.
pub fn emit_header(destination: Mac, source: Mac, bytes: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&destination);
    out.extend_from_slice(&source);
    out.extend_from_slice(&(bytes as u16).to_be_bytes());
}

/// Pads the frame that begins at `start` to the shortest allowed.
pub fn pad(start: usize, out: &mut Vec<u8>) {
    if out.len() - start < MIN_FRAME_BYTES {
        out.resize(start + MIN_FRAME_BYTES, 0);
    }
}

/// A token-ring frame (access and frame control, addresses, PDU) as captures
/// hold it, without its check sequence.
pub fn token_ring(destination: Mac, source: Mac, pdu: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(14 + pdu.len());
    out.extend_from_slice(&[0x10, 0x40]);
    out.extend_from_slice(&destination);
    out.extend_from_slice(&source);
    out.extend_from_slice(pdu);
    out
}

/// The address in the other LAN's bit order.
pub fn reversed(mac: Mac) -> Mac {
    mac.map(u8::reverse_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn padding_is_not_part_of_the_pdu() {
        let mut out = Vec::new();
        Frame {
            destination: [1; 6],
            source: [2; 6],
            pdu: &[4, 4, 0x7F],
        }
        .emit(&mut out);
        assert_eq!(out.len(), 60);
        assert_eq!(Frame::parse(&out).unwrap().pdu, [4, 4, 0x7F]);
        out[12] = 0x08;
        assert_eq!(Frame::parse(&out), Err(FrameError::Type(0x0803)));
        out[12] = 0;
        assert_eq!(
            Frame::parse(&out[..15]),
            Err(FrameError::Length {
                length_field: 3,
                there: 1
            })
        );
    }

    #[test]
    fn addresses_turn_their_bits() {
        assert_eq!(reversed([0x40, 0, 0, 0, 0, 1]), [0x02, 0, 0, 0, 0, 0x80]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_frame_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Frame::parse(&bytes);
        }
    }
}
