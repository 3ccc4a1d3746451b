//! IPv4 and IPv6 down to TCP, UDP and ICMP.
//!
//! A total length of 0 represents a datagram that segmentation offload will cut
//! later: its length is the frame's. Bytes after the datagram (padding of short
//! Ethernet frames) are not payload.

use super::{SkipReason, be16, be32};

/// A datagram that carries TCP, UDP or ICMP.
pub(super) struct IpDatagram {
    /// The protocol number of the payload.
    pub(super) protocol: u8,
    /// Offset of the TCP header.
    pub(super) offset: usize,
    /// Bytes of TCP header and data on the wire.
    pub(super) payload_bytes: usize,
    pub(super) source: u128,
    pub(super) destination: u128,
    /// IPv4 identification.
    pub(super) id: u16,
    /// Remaining hops: TTL, or IPv6's hop limit.
    pub(super) hop_limit: u8,
    /// More fragments follow.
    pub(super) fragment: bool,
}

/// Reads the header of a datagram that has `wire` bytes on the wire.
#[inline]
pub(super) fn datagram(version: u8, bytes: &[u8], wire: usize) -> Result<IpDatagram, SkipReason> {
    match version {
        4 => v4(bytes, wire),
        _ => v6(bytes, wire),
    }
}

#[inline]
fn v4(bytes: &[u8], wire: usize) -> Result<IpDatagram, SkipReason> {
    if bytes.len() < 20 || bytes[0] >> 4 != 4 {
        return Err(SkipReason::Undecodable);
    }
    let header = (bytes[0] & 15) as usize * 4;
    if header < 20 || bytes.len() < header {
        return Err(SkipReason::Undecodable);
    }
    let fragment = be16(bytes, 6);
    if fragment & 0x1fff != 0 {
        return Err(SkipReason::Fragment);
    }
    let protocol = bytes[9];
    if !matches!(protocol, TCP | UDP | ICMP) {
        return Err(SkipReason::Other);
    }
    let total = match be16(bytes, 2) as usize {
        0 => wire,
        total => total.min(wire),
    };
    let mapped = |at| 0xffff_0000_0000 | be32(bytes, at) as u128;
    Ok(IpDatagram {
        protocol,
        offset: header,
        payload_bytes: total.checked_sub(header).ok_or(SkipReason::Undecodable)?,
        source: mapped(12),
        destination: mapped(16),
        id: be16(bytes, 4),
        hop_limit: bytes[8],
        fragment: fragment & 0x2000 != 0,
    })
}

fn v6(bytes: &[u8], wire: usize) -> Result<IpDatagram, SkipReason> {
    if bytes.len() < 40 || bytes[0] >> 4 != 6 {
        return Err(SkipReason::Undecodable);
    }
    let total = match be16(bytes, 4) as usize {
        0 => wire,
        payload => (40 + payload).min(wire),
    };
    let address = |at: usize| {
        let mut octets = [0; 16];
        octets.copy_from_slice(&bytes[at..at + 16]);
        u128::from_be_bytes(octets)
    };
    let (mut next, mut offset, mut fragment) = (bytes[6], 40, false);
    for _ in 0..MAX_EXTENSIONS {
        if matches!(next, TCP | UDP | ICMP_V6) {
            return Ok(IpDatagram {
                protocol: next,
                offset,
                payload_bytes: total.checked_sub(offset).ok_or(SkipReason::Undecodable)?,
                source: address(8),
                destination: address(24),
                id: 0,
                hop_limit: bytes[7],
                fragment,
            });
        }
        let Some(extension) = bytes.get(offset..offset + 8) else {
            return match next {
                0 | 43 | 44 | 51 | 60 | 135 => Err(SkipReason::Undecodable),
                _ => Err(SkipReason::Other),
            };
        };
        let length = match next {
            0 | 43 | 60 | 135 => (extension[1] as usize + 1) * 8,
            51 => (extension[1] as usize + 2) * 4,
            44 => {
                let field = be16(extension, 2);
                if field & 0xfff8 != 0 {
                    return Err(SkipReason::Fragment);
                }
                fragment = field & 1 != 0;
                8
            }
            _ => return Err(SkipReason::Other),
        };
        next = extension[0];
        offset += length;
        if bytes.len() < offset {
            return Err(SkipReason::Undecodable);
        }
    }
    Err(SkipReason::Undecodable)
}

pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
const ICMP: u8 = 1;
const ICMP_V6: u8 = 58;

/// Extension headers in a row that are believed.
const MAX_EXTENSIONS: usize = 12;
