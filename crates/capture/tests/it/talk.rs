//! Connections said packet by packet, with their own bytes.

use std::net::SocketAddr;

use capture::synth::{Format, Segment, Writer};
use capture::{Explanation, Side, explain};

use crate::changed::by_packets;

pub const FIN: u8 = 0x01;
pub const SYN: u8 = 0x02;
pub const RST: u8 = 0x04;
pub const ACK: u8 = 0x10;

/// One packet: the segment, its ends, its bytes.
type Packet = (Segment, [SocketAddr; 2], Vec<u8>);

/// A connection as far as it was said.
#[derive(Clone)]
pub struct Talk {
    pub ends: [SocketAddr; 2],
    /// The number that each end says next.
    next: [u32; 2],
    pub packets: Vec<Packet>,
}

impl Talk {
    /// Nothing was said; both ends begin with numbers of this connection's own.
    pub fn new(port: u16, server_port: u16) -> Talk {
        Talk {
            ends: [
                SocketAddr::from(([10, 0, 0, 1], port)),
                SocketAddr::from(([10, 0, 0, 2], server_port)),
            ],
            next: [u32::from(port) * 7_919, u32::from(port) * 104_729],
            packets: Vec::new(),
        }
    }

    /// SYN, SYN-ACK and ACK, with 20 ms to the server.
    pub fn opened(port: u16, server_port: u16, at_us: u64) -> Talk {
        let mut talk = Talk::new(port, server_port);
        talk.say(at_us, Side::Client, SYN, b"");
        talk.say(at_us + 20_000, Side::Server, SYN | ACK, b"");
        talk.say(at_us + 20_050, Side::Client, ACK, b"");
        talk
    }

    /// One packet more.
    pub fn say(&mut self, at_us: u64, from: Side, flags: u8, bytes: &[u8]) {
        let (mine, theirs) = (from as usize, from.other() as usize);
        let opens = flags & SYN != 0;
        self.packets.push((
            Segment {
                at_ns: at_us * 1_000,
                from,
                seq: self.next[mine],
                ack: self.next[theirs],
                id: self.packets.len() as u16 + 1,
                hop_limit: 64,
                flags,
                window: 60_000,
                len: bytes.len() as u32,
                offset: 0,
                mss: if opens { 1_460 } else { 0 },
                scale: None,
                sack: Vec::new(),
                stamp: None,
                multipath: None,
            },
            self.ends,
            bytes.to_vec(),
        ));
        let control = u32::from(opens) + u32::from(flags & FIN != 0);
        self.next[mine] = self.next[mine].wrapping_add(bytes.len() as u32 + control);
    }

    /// Both ends close, the client first.
    pub fn close(&mut self, at_us: u64) {
        self.say(at_us, Side::Client, FIN | ACK, b"");
        self.say(at_us + 20_000, Side::Server, FIN | ACK, b"");
        self.say(at_us + 20_050, Side::Client, ACK, b"");
    }

    /// The same packets on the other side of something that says this is its own address.
    pub fn behind(&self, client: SocketAddr) -> Talk {
        let mut twin = self.clone();
        for (segment, ends, _) in &mut twin.packets {
            segment.at_ns += 30_000;
            ends[0] = client;
        }
        twin
    }
}

/// What is said of these connections in one capture.
pub fn heard(talks: &[Talk]) -> Explanation {
    let mut packets: Vec<&Packet> = talks.iter().flat_map(|talk| &talk.packets).collect();
    packets.sort_by_key(|(segment, ..)| segment.at_ns);
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    for (segment, ends, bytes) in packets {
        writer.segment(segment, *ends, bytes).expect("memory");
    }
    let file = writer.finish().expect("memory");
    explain(file.as_slice(), &by_packets()).expect("a made capture")
}

/// Twelve connections to a port, 300 ms from one to the next: what is said on
/// each, by when it begins and which it is.
pub fn twelve(port: u16, say: impl Fn(&mut Talk, u64, u8)) -> Vec<Talk> {
    let talk = |n: u8| {
        let at = u64::from(n) * 300_000;
        let mut talk = Talk::opened(40_000 + u16::from(n), port, at);
        say(&mut talk, at, n);
        talk
    };
    (0..12).map(talk).collect()
}

/// A record of TLS.
pub fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind, 3, 3];
    bytes.extend((body.len() as u16).to_be_bytes());
    bytes.extend(body);
    bytes
}

/// A hello of TLS 1.2, of a client (1) or a server (2), without a session of its
/// own.
pub fn hello(kind: u8, random: u8, extensions: &[u8]) -> Vec<u8> {
    let mut body = vec![3, 3];
    body.extend([random; 32]);
    body.push(0);
    match kind {
        1 => body.extend([0, 2, 0xc0, 0x2f, 1, 0]),
        _ => body.extend([0xc0, 0x2f, 0]),
    }
    body.extend((extensions.len() as u16).to_be_bytes());
    body.extend(extensions);
    let mut bytes = vec![kind];
    bytes.extend(&(body.len() as u32).to_be_bytes()[1..]);
    bytes.extend(body);
    record(22, &bytes)
}
