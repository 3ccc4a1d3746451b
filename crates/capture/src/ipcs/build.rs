//! Packets of the text to a capture file that any reader of pcap takes.
//!
//! Invariant: nothing is made up: bytes that were not printed are missing from
//! the frame, and its original length says so.

use std::net::IpAddr;

use super::{Body, PacketTrace, TcpFields};

/// The trace as pcap with nanoseconds and raw IP packets.
pub fn to_pcap(trace: &PacketTrace) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0xa1b2_3c4d_u32.to_le_bytes());
    out.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend(262_144_u32.to_le_bytes());
    out.extend(LINKTYPE_RAW.to_le_bytes());
    for packet in &trace.packets {
        let (bytes, length) = match &packet.body {
            Body::Bytes(bytes, length) => (bytes.clone(), *length),
            Body::Tcp(fields) => ip(fields),
        };
        let kept = &bytes[..bytes.len().min(262_144)];
        let seconds = packet.time_ns.div_euclid(1_000_000_000);
        let parts = [
            u32::try_from(seconds).unwrap_or(0),
            packet.time_ns.rem_euclid(1_000_000_000) as u32,
            kept.len() as u32,
            length.max(kept.len() as u32),
        ];
        parts.iter().for_each(|part| out.extend(part.to_le_bytes()));
        out.extend(kept);
    }
    out
}

/// An IP packet from fields, and the length it had on the wire.
fn ip(fields: &TcpFields) -> (Vec<u8>, u32) {
    let mut tcp = Vec::new();
    tcp.extend(fields.source.port().to_be_bytes());
    tcp.extend(fields.destination.port().to_be_bytes());
    tcp.extend(fields.seq.to_be_bytes());
    tcp.extend(fields.ack.to_be_bytes());
    tcp.extend([0, fields.flags]);
    tcp.extend(fields.window.to_be_bytes());
    tcp.extend([0, 0, 0, 0]);
    if let Some(mss) = fields.mss {
        tcp.extend([2, 4]);
        tcp.extend(mss.to_be_bytes());
    }
    if let Some(scale) = fields.scale {
        tcp.extend([1, 3, 3, scale]);
    }
    tcp[12] = ((tcp.len() / 4) as u8) << 4;
    let payload = (tcp.len() as u32).saturating_add(fields.len);
    let mut out = Vec::new();
    match (fields.source.ip(), fields.destination.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            out.extend([0x45, 0]);
            out.extend((payload.saturating_add(20).min(65_535) as u16).to_be_bytes());
            out.extend(fields.id.to_be_bytes());
            out.extend([0x40, 0, 64, 6, 0, 0]);
            out.extend(from.octets());
            out.extend(to.octets());
        }
        (from, to) => {
            out.extend([0x60, 0, 0, 0]);
            out.extend((payload.min(65_535) as u16).to_be_bytes());
            out.extend([6, 64]);
            for address in [from, to] {
                out.extend(match address {
                    IpAddr::V6(v6) => v6.octets(),
                    IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
                });
            }
        }
    }
    let headers = (out.len() + tcp.len()) as u32;
    out.extend(tcp);
    let printed = fields.data.len().min(fields.len as usize);
    out.extend(&fields.data[..printed]);
    (out, headers.saturating_add(fields.len))
}

/// Raw IP, version 4 or 6 by its first half byte.
const LINKTYPE_RAW: u32 = 101;
