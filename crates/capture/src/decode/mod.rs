//! From a frame to the fields of its TCP segment, once.
//!
//! Each layer is one function that takes the bytes it was given and returns
//! what is inside, or why not. Own code and not a library, because only the
//! fields that the analysis uses are read, without building a value a layer.
//! Reference: RFC 791, 8200, 9293, 7323, 2018, 2883; link types as in the
//! list of the tcpdump project.
//! SNA's 802.2 frames are decoded as TCP is, into the same value.
//! Invariant: lengths come from the headers only as far as the frame has
//! them; a frame that contradicts itself is refused, never read beyond.

mod ip;
mod link;
mod llc;
mod other_links;
mod tcp;

pub(crate) use other_links::unread_name;

use crate::TcpFlags;
use crate::read::Frame;
use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv6Addr};

/// The fields of one TCP segment.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Number in the file, from 1.
    pub number: u64,
    /// Time of capture.
    pub time_ns: i64,
    /// The two ends, in an order that both directions share.
    pub key: FlowKey,
    /// The sender is the first end of the key.
    pub forward: bool,
    /// Raw sequence number.
    pub seq: u32,
    /// Raw acknowledgement number.
    pub ack: u32,
    /// Payload bytes on the wire.
    pub len: u32,
    /// Start of the payload in the frame's block.
    pub payload_offset: u32,
    /// Payload bytes captured.
    pub payload_captured: u32,
    /// Timestamp value and echo; 0 without.
    pub ts_value: u32,
    /// Timestamp echo.
    pub ts_echo: u32,
    /// Unscaled window.
    pub window: u16,
    /// Checksum unchanged, to recognise a frame captured twice.
    pub checksum: u16,
    /// IPv4 identification, 0 in IPv6.
    pub ip_id: u16,
    /// TTL or IPv6 hop limit, 0 on links without IP.
    pub hop_limit: u8,
    /// Flags.
    pub flags: TcpFlags,
    /// SACK blocks were present.
    pub sack: bool,
    /// Duplicate data that the receiver reports (D-SACK): the start of the
    /// block.
    pub dsack: Option<u32>,
    /// An option of Multipath TCP was present.
    pub multipath: bool,
    /// Options of a SYN.
    pub syn: SynOptions,
    /// An 802.2 frame and not TCP: first byte of its control field, poll and
    /// final bits removed. `seq` is N(S) then, `ack` N(R), the payload the
    /// information field, and the ports are service access points.
    pub llc: Option<u8>,
    /// The share of the connections that it belongs to; the engine sets it.
    pub shard: u8,
    /// Its connection is one of DLSw, by its ports or capabilities,
    /// and shares a shard with all others of its kind between the two hosts.
    pub dlsw: bool,
}

/// Options that only a SYN carries.
#[derive(Clone, Copy, Debug, Default)]
pub struct SynOptions {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale, at most 14.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamps present.
    pub timestamps: bool,
}

/// The two ends of a connection, the smaller one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowKey {
    /// Addresses, IPv4 as ::ffff:a.b.c.d.
    pub addresses: [u128; 2],
    /// Ports.
    pub ports: [u16; 2],
}

impl FlowKey {
    /// The key of a segment from `source` to `destination`, and whether
    /// `source` is its first end.
    #[inline]
    fn new(source: (u128, u16), destination: (u128, u16)) -> (FlowKey, bool) {
        let forward = source <= destination;
        let (a, b) = if forward {
            (source, destination)
        } else {
            (destination, source)
        };
        let key = FlowKey {
            addresses: [a.0, b.0],
            ports: [a.1, b.1],
        };
        (key, forward)
    }

    /// One end.
    pub fn end(&self, index: usize) -> (IpAddr, u16) {
        let address = Ipv6Addr::from_bits(self.addresses[index]);
        (address.to_canonical(), self.ports[index])
    }

    fn fold(&self, index: usize) -> u64 {
        let address = self.addresses[index];
        (address >> 64) as u64 ^ address as u64
    }

    /// A number that both directions share and that is the same in every
    /// run: shards are chosen by it.
    #[inline]
    pub fn shard_hash(&self) -> u64 {
        self.mix((self.ports[0] as u64) << 16 | self.ports[1] as u64)
    }

    /// The same for all connections between two hosts.
    pub fn hosts_hash(&self) -> u64 {
        self.mix(0)
    }

    #[inline]
    fn mix(&self, ports: u64) -> u64 {
        let mixed = self.fold(0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ self.fold(1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ ports.wrapping_mul(0x1656_67b1_9e37_79f9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }
}

impl Hash for FlowKey {
    /// Three words; the derived one would hash bytes, which takes longer.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.fold(0));
        state.write_u64(self.fold(1));
        state.write_u32((self.ports[0] as u32) << 16 | self.ports[1] as u32);
    }
}

/// Why a frame gives no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// A protocol other than TCP.
    Other,
    /// An 802.2 TEST or XID with which stations look for each other.
    StationSearch,
    /// Another 802.2 frame: spanning tree, NetBIOS, SNAP.
    OtherLlc,
    /// Headers cut, or absurd.
    Undecodable,
    /// A fragment after the first.
    Fragment,
    /// A link type that is not read here.
    UnknownLink,
}

/// A segment, or the reason why the frame has no segment; `fragment` in the pair says that it is a
/// first fragment.
pub struct DecodedFrame {
    /// The segment.
    pub packet: Packet,
    /// It is the first fragment of a datagram.
    pub fragment: bool,
}

/// Decodes one frame of a block.
#[inline]
pub fn decode(frame: &Frame, bytes: &[u8], number: u64) -> Result<DecodedFrame, SkipReason> {
    let network = match link::network(frame.link, bytes) {
        Err(SkipReason::Other) => return llc::frame(frame, bytes, number),
        network => network?,
    };
    let wire = (frame.wire as usize).saturating_sub(network.offset);
    let datagram = ip::datagram(network.version, &bytes[network.offset..], wire)?;
    if datagram.protocol != ip::TCP {
        return Err(SkipReason::Other);
    }
    let segment_offset = network.offset + datagram.offset;
    let segment = &bytes[segment_offset..];
    let header = tcp::header(segment)?;
    let mut len = (datagram.payload_bytes.checked_sub(header.bytes))
        .filter(|len| *len <= MAX_PAYLOAD_BYTES)
        .ok_or(SkipReason::Undecodable)?;
    let (key, forward) = FlowKey::new(
        (datagram.source, header.source),
        (datagram.destination, header.destination),
    );
    let captured = segment.len().saturating_sub(header.bytes).min(len);
    let captured = match captured {
        1..=MAX_PADDING if is_padding(frame, &header, &segment[header.bytes..][..captured]) => {
            len = 0;
            0
        }
        captured => captured,
    };
    Ok(DecodedFrame {
        packet: Packet {
            number,
            time_ns: frame.time_ns,
            key,
            forward,
            seq: header.seq,
            ack: header.ack,
            len: len as u32,
            payload_offset: frame.offset + (segment_offset + header.bytes) as u32,
            payload_captured: captured as u32,
            ts_value: header.ts_value,
            ts_echo: header.ts_echo,
            window: header.window,
            checksum: header.checksum,
            ip_id: datagram.id,
            hop_limit: datagram.hop_limit,
            flags: header.flags,
            sack: header.sack,
            dsack: header.dsack,
            multipath: header.multipath,
            syn: header.syn,
            llc: None,
            shard: 0,
            dlsw: false,
        },
        fragment: datagram.fragment,
    })
}

/// A UDP or ICMP datagram.
#[derive(Clone, Copy, Debug)]
pub struct SideDatagram<'a> {
    /// Sender and receiver, IPv4 as ::ffff:a.b.c.d; ports are 0 for ICMP.
    pub source: (u128, u16),
    /// The same.
    pub destination: (u128, u16),
    /// UDP's payload, or the whole ICMP message.
    pub payload: &'a [u8],
    /// It is UDP.
    pub udp: bool,
    /// It is ICMPv6 rather than ICMP.
    pub v6: bool,
}

/// The UDP or ICMP datagram in a frame that carries no TCP.
pub fn side_datagram<'a>(frame: &Frame, bytes: &'a [u8]) -> Option<SideDatagram<'a>> {
    let network = link::network(frame.link, bytes).ok()?;
    let wire = (frame.wire as usize).saturating_sub(network.offset);
    let inner = &bytes[network.offset..];
    let datagram = ip::datagram(network.version, inner, wire).ok()?;
    let body = inner.get(datagram.offset..)?;
    let body = &body[..body.len().min(datagram.payload_bytes)];
    let udp = datagram.protocol == ip::UDP;
    if udp && body.len() < 8 {
        return None;
    }
    let port = |at: usize| if udp { be16(body, at) } else { 0 };
    Some(SideDatagram {
        source: (datagram.source, port(0)),
        destination: (datagram.destination, port(2)),
        payload: if udp { &body[8..] } else { body },
        udp,
        v6: network.version == 6,
    })
}

/// Payload of one segment that is believed; segmentation offload with large
/// IPv6 datagrams reaches half of it.
const MAX_PAYLOAD_BYTES: usize = 1 << 20;

/// Whether the bytes after the header are only padding of a short frame that the IP
/// length includes: zeros after a segment without PSH.
#[cold]
fn is_padding(frame: &Frame, header: &tcp::Header, payload: &[u8]) -> bool {
    let fills = matches!(frame.wire, 60 | 64) && frame.captured == frame.wire;
    fills && !header.flags.has(TcpFlags::PSH) && payload.iter().all(|byte| *byte == 0)
}

/// Bytes between the shortest IPv4 and TCP headers and the least Ethernet frame.
const MAX_PADDING: usize = 6;

/// A big-endian half word.
#[inline]
fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// A big-endian word.
#[inline]
fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
