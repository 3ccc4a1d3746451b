//! Link layers: where the IP header begins.

use super::{SkipReason, be16, other_links};

/// Offset and kind of the network header.
pub(super) struct NetworkHeader {
    pub(super) offset: usize,
    /// 4 or 6.
    pub(super) version: u8,
}

/// Finds the network header after a link header of the registered type.
#[inline]
pub(super) fn network(link: u16, bytes: &[u8]) -> Result<NetworkHeader, SkipReason> {
    match link {
        ETHERNET => {
            if bytes.len() < 14 {
                return Err(SkipReason::Undecodable);
            }
            by_type(bytes, be16(bytes, 12), 14)
        }
        NULL | LOOP => {
            // An address family in the byte order of the recorder: 2 is
            // IPv4, IPv6 has several numbers. The IP header itself has the version.
            by_version(bytes, 4)
        }
        RAW | RAW_BSD | RAW_OPENBSD | IPV4 | IPV6 => by_version(bytes, 0),
        COOKED => {
            if bytes.len() < 16 {
                return Err(SkipReason::Undecodable);
            }
            by_type(bytes, be16(bytes, 14), 16)
        }
        COOKED_2 => {
            if bytes.len() < 20 {
                return Err(SkipReason::Undecodable);
            }
            by_type(bytes, be16(bytes, 0), 20)
        }
        PPP | PPP_SERIAL | PPP_DIRECTION => ppp(bytes, 0),
        PPP_ETHER => ppp_protocol(bytes, 6),
        CISCO_HDLC => {
            if bytes.len() < 4 {
                return Err(SkipReason::Undecodable);
            }
            by_type(bytes, be16(bytes, 2), 4)
        }
        ENC => by_version(bytes, 12),
        WIFI => wifi(bytes, 0),
        WIFI_RADIOTAP => {
            let length = bytes.get(2..4).ok_or(SkipReason::Undecodable)?;
            wifi(
                bytes,
                usize::from(u16::from_le_bytes([length[0], length[1]])),
            )
        }
        ERF => erf(bytes),
        // Without IP, Ethernet and token ring are read by the LLC decoder;
        // exported units have no address to follow.
        TOKEN_RING => token_ring(bytes),
        EXPORTED => Err(SkipReason::Other),
        other => other_links::network(other, bytes),
    }
}

/// Follows an EtherType through VLAN tags and PPPoE.
#[inline]
pub(super) fn by_type(
    bytes: &[u8],
    mut kind: u16,
    mut offset: usize,
) -> Result<NetworkHeader, SkipReason> {
    for _ in 0..MAX_TAGS {
        match kind {
            0x0800 => return Ok(NetworkHeader { offset, version: 4 }),
            0x86dd => return Ok(NetworkHeader { offset, version: 6 }),
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => {
                if bytes.len() < offset + 4 {
                    return Err(SkipReason::Undecodable);
                }
                kind = be16(bytes, offset + 2);
                offset += 4;
            }
            0x8847 | 0x8848 => return mpls(bytes, offset),
            0x8864 => {
                if bytes.len() < offset + 8 {
                    return Err(SkipReason::Undecodable);
                }
                kind = match be16(bytes, offset + 6) {
                    0x0021 => 0x0800,
                    0x0057 => 0x86dd,
                    _ => return Err(SkipReason::Other),
                };
                offset += 8;
            }
            // A length: 802.2 follows, and IP may be in its SNAP frames.
            3..=1500 if bytes.get(offset) == Some(&0xAA) => {
                return other_links::snap(bytes, offset);
            }
            _ => return Err(SkipReason::Other),
        }
    }
    Err(SkipReason::Undecodable)
}

/// IP in the SNAP frames of a token ring, after the route if there is one.
fn token_ring(bytes: &[u8]) -> Result<NetworkHeader, SkipReason> {
    if bytes.len() < 17 || bytes[1] & 0xC0 != 0x40 {
        return Err(SkipReason::Other);
    }
    let route = if bytes[8] & 0x80 != 0 {
        bytes[14] & 0x1F
    } else {
        0
    };
    let offset = 14 + usize::from(route);
    match bytes.get(offset) {
        Some(0xAA) => other_links::snap(bytes, offset),
        _ => Err(SkipReason::Other),
    }
}

/// PPP in HDLC-like framing, with or without address and control, or with a
/// direction in place of the address.
pub(super) fn ppp(bytes: &[u8], start: usize) -> Result<NetworkHeader, SkipReason> {
    match bytes.get(start..).unwrap_or_default() {
        // Cisco's framing on a link that says PPP.
        [0x0F | 0x8F, 0, high, low, ..] => {
            by_type(bytes, u16::from_be_bytes([*high, *low]), start + 4)
        }
        [_, 3, ..] => ppp_protocol(bytes, start + 2),
        _ => ppp_protocol(bytes, start),
    }
}

/// Follows a PPP protocol number at `offset`, of one byte where it is odd.
fn ppp_protocol(bytes: &[u8], offset: usize) -> Result<NetworkHeader, SkipReason> {
    let first = *bytes.get(offset).ok_or(SkipReason::Undecodable)?;
    let (number, next) = match first & 1 {
        1 => (u16::from(first), offset + 1),
        _ if bytes.len() < offset + 2 => return Err(SkipReason::Undecodable),
        _ => (be16(bytes, offset), offset + 2),
    };
    match number {
        0x0021 | 0x0057 => by_version(bytes, next),
        _ => Err(SkipReason::Other),
    }
}

/// Follows MPLS labels to the bottom of their stack.
fn mpls(bytes: &[u8], mut offset: usize) -> Result<NetworkHeader, SkipReason> {
    for _ in 0..MAX_TAGS {
        let label = bytes
            .get(offset..offset + 4)
            .ok_or(SkipReason::Undecodable)?;
        offset += 4;
        if label[2] & 1 == 1 {
            return by_version(bytes, offset);
        }
    }
    Err(SkipReason::Undecodable)
}

/// A data frame of IEEE 802.11 with a SNAP header in it.
pub(super) fn wifi(bytes: &[u8], start: usize) -> Result<NetworkHeader, SkipReason> {
    let header = bytes.get(start..).ok_or(SkipReason::Undecodable)?;
    let [control, flags, ..] = *header else {
        return Err(SkipReason::Undecodable);
    };
    // Data frames in clear; others carry no IP.
    if control & 0x0C != 0x08 || flags & 0x40 != 0 {
        return Err(SkipReason::Other);
    }
    let four_addresses = flags & 3 == 3;
    let mut length = 24 + if four_addresses { 6 } else { 0 };
    if control & 0x80 != 0 {
        length += 2;
    }
    match header.get(length..length + 8) {
        Some([0xAA, 0xAA, 3, 0, 0, 0, high, low]) => {
            by_type(bytes, u16::from_be_bytes([*high, *low]), start + length + 8)
        }
        _ => Err(SkipReason::Other),
    }
}

/// A record of an Endace card: its header, extension headers, and the frame of the
/// card's link type.
fn erf(bytes: &[u8]) -> Result<NetworkHeader, SkipReason> {
    let kind = *bytes.get(8).ok_or(SkipReason::Undecodable)?;
    let mut offset = 16;
    let mut more = kind & 0x80 != 0;
    while more {
        more = bytes.get(offset).ok_or(SkipReason::Undecodable)? & 0x80 != 0;
        offset += 8;
    }
    match kind & 0x7F {
        kind if ERF_HDLC.contains(&kind) => return ppp(bytes, offset),
        ERF_IPV4 | ERF_IPV6 => return by_version(bytes, offset),
        kind if !ERF_ETHERNET.contains(&kind) => return Err(SkipReason::Other),
        _ => {}
    }
    // Two bytes of padding, then two addresses.
    let ethernet = offset + 2;
    if bytes.len() < ethernet + 14 {
        return Err(SkipReason::Undecodable);
    }
    by_type(bytes, be16(bytes, ethernet + 12), ethernet + 14)
}

/// Distinguishes IPv4 and IPv6 by the header's own version.
pub(super) fn by_version(bytes: &[u8], offset: usize) -> Result<NetworkHeader, SkipReason> {
    match bytes.get(offset).map(|byte| byte >> 4) {
        Some(version @ (4 | 6)) => Ok(NetworkHeader { offset, version }),
        Some(_) => Err(SkipReason::Other),
        None => Err(SkipReason::Undecodable),
    }
}

const NULL: u16 = 0;
pub(super) const ETHERNET: u16 = 1;
pub(super) const TOKEN_RING: u16 = 6;
const PPP: u16 = 9;
const RAW_BSD: u16 = 12;
const PPP_SERIAL: u16 = 50;
const PPP_ETHER: u16 = 51;
const RAW_OPENBSD: u16 = 14;
const RAW: u16 = 101;
const CISCO_HDLC: u16 = 104;
pub(super) const WIFI: u16 = 105;
const LOOP: u16 = 108;
const ENC: u16 = 109;
const WIFI_RADIOTAP: u16 = 127;
const PPP_DIRECTION: u16 = 166;
const ERF: u16 = 197;
/// Records of Endace cards that hold PPP or Cisco's framing.
const ERF_HDLC: [u8; 5] = [1, 10, 15, 17, 19];
const ERF_IPV4: u8 = 22;
const ERF_IPV6: u8 = 23;
/// Records of Endace cards that hold Ethernet.
const ERF_ETHERNET: [u8; 4] = [2, 11, 16, 20];
const COOKED: u16 = 113;
const IPV4: u16 = 228;
const IPV6: u16 = 229;
/// Units that a program wrote for a dissector, without their link.
const EXPORTED: u16 = 252;
const COOKED_2: u16 = 276;

/// Tags in a row that are believed.
const MAX_TAGS: usize = 5;
