//! Link layers that are seldom met, and the names of those that are not read.
//!
//! Numbers and headers are those of the list of the tcpdump project. A header
//! that holds another link layer leads to that one.
//! Reference: <https://www.tcpdump.org/linktypes.html>; RFC 2427 (frame
//! relay), RFC 2684 (ATM), RFC 2625 (fibre channel), RFC 2734 (IEEE 1394).

use super::link::{self, ETHERNET, NetworkHeader, WIFI, by_type, by_version, ppp, wifi};
use super::{SkipReason, be16};

/// Finds the network header after the header of such a link type.
#[cold]
pub(super) fn network(link: u16, bytes: &[u8]) -> Result<NetworkHeader, SkipReason> {
    match link {
        SLIP => by_version(bytes, 16),
        FDDI | FDDI_SWAPPED => snap(bytes, 13),
        ATM_RFC1483 => snap(bytes, 0),
        FRAME_RELAY => frame_relay(bytes, 0),
        FRAME_RELAY_DIRECTION => frame_relay(bytes, 1),
        PFLOG => {
            let length = usize::from(*bytes.first().ok_or(SkipReason::Undecodable)?);
            by_version(bytes, length.next_multiple_of(4))
        }
        PRISM => wifi(bytes, le32(bytes, 4)?),
        AVS => wifi(bytes, be32(bytes, 4)?),
        NETMON_WIFI => wifi(bytes, usize::from(le16(bytes, 1)?)),
        PPI => {
            let inner = le32(bytes, 4)?;
            within(inner as u16, bytes, usize::from(le16(bytes, 2)?))
        }
        FIBRE_CHANNEL => snap(bytes, 16),
        IEEE1394 => by_type(bytes, half(bytes, 16)?, 18),
        PPP_DIRECTED => ppp(bytes, 1),
        HDLC_DIRECTION => by_type(bytes, half(bytes, 3)?, 5),
        IPNET => by_version(bytes, 24),
        NFLOG => nflog(bytes),
        NETANALYZER => within(ETHERNET, bytes, 4),
        NETANALYZER_TRANSPARENT => within(ETHERNET, bytes, 12),
        _ => Err(SkipReason::UnknownLink),
    }
}

/// The link layer `inner` that begins at `start`.
fn within(inner: u16, bytes: &[u8], start: usize) -> Result<NetworkHeader, SkipReason> {
    if inner == WIFI {
        return wifi(bytes, start);
    }
    // One header inside another is believed, not a chain of them.
    if matches!(inner, PPI | NETANALYZER | NETANALYZER_TRANSPARENT) {
        return Err(SkipReason::Other);
    }
    let rest = bytes.get(start..).ok_or(SkipReason::Undecodable)?;
    let network = link::network(inner, rest)?;
    Ok(NetworkHeader {
        offset: network.offset + start,
        ..network
    })
}

/// IP after a header of 802.2 and SNAP at `start`.
pub(super) fn snap(bytes: &[u8], start: usize) -> Result<NetworkHeader, SkipReason> {
    match bytes.get(start..start + 8) {
        // A length in place of the type would be another header of this kind.
        Some([0xAA, 0xAA, 3, 0, 0, 0, high @ 6..=255, low]) => {
            by_type(bytes, u16::from_be_bytes([*high, *low]), start + 8)
        }
        Some(_) => Err(SkipReason::Other),
        None => Err(SkipReason::Undecodable),
    }
}

/// IP by its protocol number, or a SNAP header, after a Q.922 address.
fn frame_relay(bytes: &[u8], start: usize) -> Result<NetworkHeader, SkipReason> {
    let mut at = start;
    // The last byte of the address has the lowest bit.
    while bytes.get(at).ok_or(SkipReason::Undecodable)? & 1 == 0 {
        at += 1;
        if at > start + 3 {
            return Err(SkipReason::Undecodable);
        }
    }
    match bytes.get(at + 1..) {
        Some([3, 0xCC | 0x8E, ..]) => by_version(bytes, at + 3),
        // A padding byte, and SNAP without the 802.2 part.
        Some([3, 0, 0x80, 0, 0, 0, high, low, ..]) => {
            by_type(bytes, u16::from_be_bytes([*high, *low]), at + 9)
        }
        // Cisco's framing: an Ethernet type.
        Some([high, low, ..]) => by_type(bytes, u16::from_be_bytes([*high, *low]), at + 3),
        _ => Err(SkipReason::Undecodable),
    }
}

/// The payload among the attributes of a logged packet.
fn nflog(bytes: &[u8]) -> Result<NetworkHeader, SkipReason> {
    let mut at = 4;
    for _ in 0..MOST_ATTRIBUTES {
        let length = usize::from(le16(bytes, at)?);
        if le16(bytes, at + 2)? == NFLOG_PAYLOAD {
            return by_version(bytes, at + 4);
        }
        if length < 4 {
            return Err(SkipReason::Undecodable);
        }
        at += length.next_multiple_of(4);
    }
    Err(SkipReason::Other)
}

fn half(bytes: &[u8], at: usize) -> Result<u16, SkipReason> {
    if bytes.len() < at + 2 {
        return Err(SkipReason::Undecodable);
    }
    Ok(be16(bytes, at))
}

fn le16(bytes: &[u8], at: usize) -> Result<u16, SkipReason> {
    half(bytes, at).map(u16::swap_bytes)
}

fn be32(bytes: &[u8], at: usize) -> Result<usize, SkipReason> {
    let word = bytes.get(at..at + 4).ok_or(SkipReason::Undecodable)?;
    Ok(super::be32(word, 0) as usize)
}

fn le32(bytes: &[u8], at: usize) -> Result<usize, SkipReason> {
    be32(bytes, at).map(|word| (word as u32).swap_bytes() as usize)
}

/// The name of an unsupported link type.
pub(crate) fn unread_name(link: u16) -> Option<&'static str> {
    let found = UNREAD.iter().find(|(numbers, _)| numbers.contains(&link));
    found.map(|(_, name)| *name)
}

/// Link types without IP, or with a header that no published page describes.
const UNREAD: &[(&[u16], &str)] = &[
    (&[7, 129], "ARCNET"),
    (&[3, 202], "AX.25"),
    (&[118, 130, 131, 132, 133, 134, 135, 137], "Juniper"),
    (&[140, 141, 142, 139], "SS7"),
    (&[143], "DOCSIS"),
    (&[187, 201, 254, 255, 161], "Bluetooth"),
    (&[186, 189, 220, 249, 266], "USB"),
    (&[190, 210, 227], "CAN, LIN or FlexRay"),
    (&[195, 215, 230, 283], "IEEE 802.15.4"),
    (&[224, 225], "fibre channel with SCSI"),
    (&[242, 247], "InfiniBand"),
    (&[253], "netlink"),
    (
        &[147, 148, 149, 150, 151, 152, 153, 154, 155],
        "a private type",
    ),
    (&[156, 157, 158, 159, 160, 162], "a private type"),
];

const SLIP: u16 = 8;
const FDDI: u16 = 10;
const ATM_RFC1483: u16 = 100;
const FRAME_RELAY: u16 = 107;
const PFLOG: u16 = 117;
const PRISM: u16 = 119;
const FIBRE_CHANNEL: u16 = 122;
const IEEE1394: u16 = 138;
const AVS: u16 = 163;
const PPI: u16 = 192;
const PPP_DIRECTED: u16 = 204;
const HDLC_DIRECTION: u16 = 205;
const FRAME_RELAY_DIRECTION: u16 = 206;
const IPNET: u16 = 226;
const NFLOG: u16 = 239;
const NETANALYZER: u16 = 240;
const NETANALYZER_TRANSPARENT: u16 = 241;
/// FDDI with addresses in the order of the wire, as NetMon writes it.
const FDDI_SWAPPED: u16 = 60_003;
/// 802.11 after NetMon's own header.
const NETMON_WIFI: u16 = 60_006;

/// The attribute of a logged packet that holds it.
const NFLOG_PAYLOAD: u16 = 9;

/// Attributes that are believed.
const MOST_ATTRIBUTES: usize = 64;
