//! Link layers: where the IP header begins.

use super::{Skip, be16};

/// Where the network header begins and which it is.
pub(super) struct Network {
    pub(super) offset: usize,
    /// 4 or 6.
    pub(super) version: u8,
}

/// Finds the network header behind a link header of the registered type.
#[inline]
pub(super) fn network(link: u16, bytes: &[u8]) -> Result<Network, Skip> {
    match link {
        ETHERNET => {
            if bytes.len() < 14 {
                return Err(Skip::Undecodable);
            }
            by_type(bytes, be16(bytes, 12), 14)
        }
        NULL | LOOP => {
            // An address family in the byte order of whoever captured: 2 is
            // IPv4, IPv6 has several numbers. The IP header itself tells.
            by_version(bytes, 4)
        }
        RAW | RAW_BSD | RAW_OPENBSD | IPV4 | IPV6 => by_version(bytes, 0),
        COOKED => {
            if bytes.len() < 16 {
                return Err(Skip::Undecodable);
            }
            by_type(bytes, be16(bytes, 14), 16)
        }
        COOKED_2 => {
            if bytes.len() < 20 {
                return Err(Skip::Undecodable);
            }
            by_type(bytes, be16(bytes, 0), 20)
        }
        // Told to the LLC decoder, or known and without an address to follow.
        TOKEN_RING | EXPORTED => Err(Skip::Other),
        _ => Err(Skip::UnknownLink),
    }
}

/// Follows an EtherType through VLAN tags and PPPoE.
#[inline]
fn by_type(bytes: &[u8], mut kind: u16, mut offset: usize) -> Result<Network, Skip> {
    for _ in 0..MAX_TAGS {
        match kind {
            0x0800 => return Ok(Network { offset, version: 4 }),
            0x86dd => return Ok(Network { offset, version: 6 }),
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => {
                if bytes.len() < offset + 4 {
                    return Err(Skip::Undecodable);
                }
                kind = be16(bytes, offset + 2);
                offset += 4;
            }
            0x8864 => {
                if bytes.len() < offset + 8 {
                    return Err(Skip::Undecodable);
                }
                kind = match be16(bytes, offset + 6) {
                    0x0021 => 0x0800,
                    0x0057 => 0x86dd,
                    _ => return Err(Skip::Other),
                };
                offset += 8;
            }
            _ => return Err(Skip::Other),
        }
    }
    Err(Skip::Undecodable)
}

/// Tells IPv4 from IPv6 by the header's own version.
fn by_version(bytes: &[u8], offset: usize) -> Result<Network, Skip> {
    match bytes.get(offset).map(|byte| byte >> 4) {
        Some(version @ (4 | 6)) => Ok(Network { offset, version }),
        Some(_) => Err(Skip::Other),
        None => Err(Skip::Undecodable),
    }
}

const NULL: u16 = 0;
pub(super) const ETHERNET: u16 = 1;
pub(super) const TOKEN_RING: u16 = 6;
const RAW_BSD: u16 = 12;
const RAW_OPENBSD: u16 = 14;
const RAW: u16 = 101;
const LOOP: u16 = 108;
const COOKED: u16 = 113;
const IPV4: u16 = 228;
const IPV6: u16 = 229;
/// Units that a program wrote for a dissector, without their link.
const EXPORTED: u16 = 252;
const COOKED_2: u16 = 276;

/// Tags in a row that are believed.
const MAX_TAGS: usize = 5;
