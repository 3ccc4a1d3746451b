//! A simulated segment and its bytes on the wire.

use std::net::{IpAddr, SocketAddr};

use capture::ConnectionSide;

/// FIN flag.
pub(super) const FIN: u8 = 0x01;
/// SYN flag.
pub(super) const SYN: u8 = 0x02;
/// RST flag.
pub(super) const RST: u8 = 0x04;
/// PSH flag.
pub(super) const PSH: u8 = 0x08;
/// ACK flag.
pub(super) const ACK: u8 = 0x10;

/// One segment as the capture point saw it.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Time at the capture point, nanoseconds.
    pub at_ns: u64,
    /// The sender.
    pub from: ConnectionSide,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number; meaningful with the ACK flag.
    pub ack: u32,
    /// IPv4 identification.
    pub id: u16,
    /// Hop limit (TTL) at the place of capture.
    pub hop_limit: u8,
    /// TCP flags.
    pub flags: u8,
    /// Window field as sent, scaled already.
    pub window: u16,
    /// Bytes of payload.
    pub len: u32,
    /// Start of the payload in its sender's stream.
    pub offset: u32,
    /// MSS in a SYN; zero for none.
    pub mss: u16,
    /// Window scale on a SYN. `None` without options.
    pub scale: Option<u8>,
    /// Blocks received out of order, announced by SACK.
    pub sack: Vec<(u32, u32)>,
    /// Timestamp value and echo, when both ends use them.
    pub stamp: Option<(u32, u32)>,
    /// An option of Multipath TCP, of this subtype.
    pub multipath: Option<u8>,
}

/// Writes the frame (Ethernet, IP, TCP, payload) to `out`, which is emptied first.
pub(super) fn emit(segment: &Segment, ends: [SocketAddr; 2], payload: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let (from, to) = match segment.from {
        ConnectionSide::Client => (ends[0], ends[1]),
        ConnectionSide::Server => (ends[1], ends[0]),
    };
    let mac = |side: ConnectionSide| [2, 0, 0, 0, 0, 1 + side.index() as u8];
    out.extend(mac(segment.from.other()));
    out.extend(mac(segment.from));
    let mut header = Vec::with_capacity(60);
    tcp(segment, from.port(), to.port(), &mut header);
    let length = header.len() + payload.len();
    match (from.ip(), to.ip()) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            out.extend([0x08, 0x00]);
            let total = (20 + length).min(65_535) as u16;
            let mut ip = vec![0x45, 0];
            ip.extend(total.to_be_bytes());
            ip.extend(segment.id.to_be_bytes());
            ip.extend([0x40, 0, segment.hop_limit, 6, 0, 0]);
            ip.extend(a.octets());
            ip.extend(b.octets());
            let sum = !fold(sum(&ip));
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
            out.extend(ip);
        }
        (a, b) => {
            out.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
            out.extend((length.min(65_535) as u16).to_be_bytes());
            out.extend([6, segment.hop_limit]);
            for address in [a, b] {
                let octets = match address {
                    IpAddr::V6(v6) => v6.octets(),
                    IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
                };
                out.extend(octets);
            }
        }
    }
    let start = out.len();
    out.extend(&header);
    out.extend(payload);
    let pseudo = match from.ip() {
        IpAddr::V4(_) => sum(&out[start - 8..start]),
        IpAddr::V6(_) => sum(&out[start - 32..start]),
    };
    let checksum = !fold(pseudo + 6 + length as u64 + sum(&out[start..]));
    out[start + 16..start + 18].copy_from_slice(&checksum.to_be_bytes());
}

fn tcp(segment: &Segment, from: u16, to: u16, out: &mut Vec<u8>) {
    out.extend(from.to_be_bytes());
    out.extend(to.to_be_bytes());
    out.extend(segment.seq.to_be_bytes());
    out.extend(
        if segment.flags & ACK != 0 {
            segment.ack
        } else {
            0
        }
        .to_be_bytes(),
    );
    out.extend([0, segment.flags]);
    out.extend(segment.window.to_be_bytes());
    out.extend([0, 0, 0, 0]);
    if segment.mss != 0 {
        out.extend([2, 4]);
        out.extend(segment.mss.to_be_bytes());
        if let Some(scale) = segment.scale {
            out.extend([1, 3, 3, scale, 1, 1, 4, 2]);
        }
    }
    if let Some((value, echo)) = segment.stamp {
        out.extend([1, 1, 8, 10]);
        out.extend(value.to_be_bytes());
        out.extend(echo.to_be_bytes());
    }
    if let Some(subtype) = segment.multipath {
        out.extend([30, 4, subtype << 4, 0]);
    }
    let blocks = segment.sack.len().min(3);
    if blocks > 0 {
        out.extend([1, 1, 5, 2 + 8 * blocks as u8]);
        for (from, to) in &segment.sack[..blocks] {
            out.extend(from.to_be_bytes());
            out.extend(to.to_be_bytes());
        }
    }
    out[12] = ((out.len() / 4) as u8) << 4;
}

fn sum(bytes: &[u8]) -> u64 {
    let (words, odd) = bytes.as_chunks::<2>();
    let mut total: u64 = words
        .iter()
        .map(|w| u64::from(u16::from_be_bytes(*w)))
        .sum();
    if let [last] = odd {
        total += u64::from(*last) << 8;
    }
    total
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
