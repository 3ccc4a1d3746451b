//! 802.2 frames between SNA stations, on Ethernet with a length field and on
//! token ring.
//!
//! The two stations become the ends of a connection: their addresses as
//! [`station`](crate::station) writes them, their service access points as ports.
//! Other users of 802.2 (NetBIOS, spanning tree, SNAP) are skipped. Reference: IEEE
//! 802.3 and 802.5; `sna::dlc::pdu` for the control field.

use super::link::{ETHERNET, TOKEN_RING};
use super::{DecodedFrame, FlowKey, Packet, SkipReason, SynOptions, be16};
use crate::read::Frame;
use crate::{TcpFlags, station};
use sna::dlc::pdu::{ControlField, Pdu, PduError};

/// Decodes a frame of these link types; others are rejected.
#[cold]
pub(super) fn frame(frame: &Frame, bytes: &[u8], number: u64) -> Result<DecodedFrame, SkipReason> {
    let lan = match frame.link {
        ETHERNET => ethernet(bytes)?,
        TOKEN_RING => token_ring(bytes, frame.wire as usize)?,
        _ => return Err(SkipReason::Other),
    };
    let [dsap, ssap, ..] = *lan.pdu else {
        return Err(SkipReason::Undecodable);
    };
    if !is_sna(dsap & 0xFE) || !is_sna(ssap & 0xFE) {
        let asks = |control: u8| matches!(control & !POLL, TEST | XID);
        return Err(match lan.pdu.get(2) {
            Some(control) if dsap & 0xFE == 0 && asks(*control) => SkipReason::StationSearch,
            Some(control) if ssap & 0xFE == 0 && asks(*control) => SkipReason::StationSearch,
            _ => SkipReason::OtherLlc,
        });
    }
    let pdu = match Pdu::parse(lan.pdu) {
        Ok(pdu) => pdu,
        Err(PduError::Short(_)) => return Err(SkipReason::Undecodable),
        Err(_) => return Err(SkipReason::Other),
    };
    let (first, second) = pdu.control.bytes();
    let (control, seq, ack) = match pdu.control {
        ControlField::I { ns, nr, .. } => (first, ns, nr),
        ControlField::S { nr, .. } => (first, 0, nr),
        ControlField::U { .. } => (first & !POLL, 0, 0),
    };
    let header = 3 + usize::from(second.is_some());
    let len = lan.wire.saturating_sub(header);
    let (key, forward) = FlowKey::new(
        (station::address(lan.source), u16::from(ssap & 0xFE)),
        (station::address(lan.destination), u16::from(dsap & 0xFE)),
    );
    let at = lan.offset + header;
    Ok(DecodedFrame {
        packet: Packet {
            number,
            time_ns: frame.time_ns,
            key,
            forward,
            seq: u32::from(seq),
            ack: u32::from(ack),
            len: len as u32,
            payload_offset: frame.offset + at as u32,
            payload_captured: pdu.info.len() as u32,
            ts_value: 0,
            ts_echo: 0,
            window: 0,
            checksum: 0,
            ip_id: 0,
            hop_limit: 0,
            flags: TcpFlags(if second.is_some() { TcpFlags::ACK } else { 0 }),
            sack: false,
            dsack: None,
            multipath: false,
            syn: SynOptions::default(),
            llc: Some(control),
            shard: 0,
            dlsw: false,
        },
        fragment: false,
    })
}

/// A LAN frame's stations and its 802.2 part.
struct LanFrame<'a> {
    destination: [u8; 6],
    source: [u8; 6],
    /// Offset of the 802.2 part.
    offset: usize,
    /// As much of it as was captured, without padding.
    pdu: &'a [u8],
    /// Its bytes on the wire.
    wire: usize,
}

fn ethernet(bytes: &[u8]) -> Result<LanFrame<'_>, SkipReason> {
    if bytes.len() < 17 {
        return Err(SkipReason::Other);
    }
    // A type and not a length: another protocol.
    let length = be16(bytes, 12) as usize;
    if length > 1500 {
        return Err(SkipReason::Other);
    }
    if length < 3 {
        return Err(SkipReason::Undecodable);
    }
    Ok(LanFrame {
        destination: mac(bytes, 0),
        source: mac(bytes, 6),
        offset: 14,
        pdu: &bytes[14..bytes.len().min(14 + length)],
        wire: length,
    })
}

fn token_ring(bytes: &[u8], wire: usize) -> Result<LanFrame<'_>, SkipReason> {
    if bytes.len() < 17 {
        return Err(SkipReason::Undecodable);
    }
    if bytes[1] & 0xC0 != 0x40 {
        // Frames of the ring itself.
        return Err(SkipReason::Other);
    }
    let mut source = mac(bytes, 8);
    let routed = source[0] & 0x80 != 0;
    source[0] &= 0x7F;
    let route = match (routed, bytes[14] & 0x1F) {
        (true, length) => usize::from(length),
        (false, _) => 0,
    };
    let offset = 14 + route;
    Ok(LanFrame {
        destination: mac(bytes, 2),
        source,
        offset,
        pdu: bytes.get(offset..).ok_or(SkipReason::Undecodable)?,
        wire: wire.saturating_sub(offset),
    })
}

fn mac(bytes: &[u8], at: usize) -> [u8; 6] {
    std::array::from_fn(|i| bytes[at + i])
}

/// The poll or final bit of an unnumbered frame.
const POLL: u8 = 0x10;

/// Control field of TEST, poll bit removed.
const TEST: u8 = 0xE3;

/// Control field of XID, poll bit removed.
const XID: u8 = 0xAF;

/// Access points that SNA uses: multiples of four from 4 to X'EC', less those
/// that others have (ARP, VINES, Novell).
fn is_sna(sap: u8) -> bool {
    (0x04..=0xEC).contains(&sap) && sap.is_multiple_of(4) && !matches!(sap, 0x98 | 0xBC | 0xE0)
}
