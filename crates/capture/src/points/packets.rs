//! The packets of one capture point, in the form for pairing.
//!
//! A packet is about forty bytes: times, numbers and flags, no payload. Invariant:
//! at most [`MOST_PACKETS`] are kept. Further ones are counted, so that the result
//! can say which part of the file it covers.

use crate::decode::{self, FlowKey, Packet};
use crate::read::{FrameBlock, Reader};
use crate::{AnalysisOptions, ReadError, TcpFlags};
use std::collections::HashMap;
use std::io::Read;

/// The packets of TCP that one capture holds.
pub struct PointPackets {
    /// The name of the file, for sentences.
    pub(super) name: String,
    pub(super) packets: Vec<SeenPacket>,
    pub(super) flows: Vec<SeenFlow>,
    /// Packets after the limit.
    pub(super) left_out: u64,
}

/// One packet as this point saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPacket {
    pub(super) number: u64,
    pub(super) time_ns: i64,
    pub(super) seq: u32,
    pub(super) ack: u32,
    pub(super) len: u32,
    pub(super) ts_value: u32,
    pub(super) flow: u32,
    pub(super) ip_id: u16,
    checksum: u16,
    pub(super) flags: TcpFlags,
    pub(super) hop_limit: u8,
    /// The sender is the first end of the flow's key.
    pub(super) forward: bool,
}

impl SeenPacket {
    /// The sequence number after it (SYN and FIN count one).
    pub(super) fn end(&self) -> u32 {
        let control =
            u32::from(self.flags.has(TcpFlags::SYN)) + u32::from(self.flags.has(TcpFlags::FIN));
        self.seq.wrapping_add(self.len).wrapping_add(control)
    }

    /// It carries data, SYN or FIN: a loss of it is noticed.
    pub(super) fn takes_numbers(&self) -> bool {
        self.end() != self.seq
    }

    /// It is the same frame, recorded a second time.
    fn is_copy_of(&self, other: &SeenPacket) -> bool {
        let same = |a: &SeenPacket| {
            let text = (a.seq, a.ack, a.len, a.ts_value);
            (text, a.ip_id, a.checksum, a.flags, a.forward)
        };
        let named = self.ip_id != 0 || self.takes_numbers();
        named && same(self) == same(other) && self.time_ns - other.time_ns < COPY_NS
    }
}

/// One pair of ends.
#[derive(Clone, Debug)]
pub(super) struct SeenFlow {
    pub(super) key: FlowKey,
    /// The numbers of SYN and SYN-ACK, by which a connection is recognised when
    /// its addresses are translated between two points.
    pub(super) opening: [Option<u32>; 2],
    /// The client is the first end of the key. `None` without a SYN.
    pub(super) client_first: Option<bool>,
    /// Its packets, in the order of the file.
    pub(super) packets: Vec<u32>,
}

impl SeenFlow {
    /// Whether the client is the first end; by the ports without a SYN.
    pub(super) fn is_client_first(&self) -> bool {
        let by_port = self.key.ports[0] > self.key.ports[1];
        self.client_first.unwrap_or(by_port)
    }
}

impl PointPackets {
    /// Reads the packets of a capture that `options` take. `name` represents the
    /// file in sentences.
    pub fn read(
        source: impl Read + Send,
        name: &str,
        options: &AnalysisOptions,
    ) -> Result<PointPackets, ReadError> {
        let mut reader = Reader::new(source)?;
        let mut block = FrameBlock::default();
        let mut point = PointPackets {
            name: name.to_owned(),
            packets: Vec::new(),
            flows: Vec::new(),
            left_out: 0,
        };
        let mut index = HashMap::new();
        while reader.next_block(&mut block)? {
            for (frame, number) in block.numbered() {
                let Ok(decoded) = decode::decode(frame, block.bytes(frame), number) else {
                    continue;
                };
                let packet = decoded.packet;
                if packet.llc.is_none() && wants(options, &packet) {
                    point.add(&packet, &mut index);
                }
            }
        }
        Ok(point)
    }

    fn add(&mut self, packet: &Packet, index: &mut HashMap<FlowKey, u32>) {
        if self.packets.len() >= MOST_PACKETS {
            self.left_out += 1;
            return;
        }
        let next = self.flows.len() as u32;
        let flow = *index.entry(packet.key).or_insert(next);
        if flow == next {
            self.flows.push(SeenFlow {
                key: packet.key,
                opening: [None; 2],
                client_first: None,
                packets: Vec::new(),
            });
        }
        let seen = SeenPacket {
            number: packet.number,
            time_ns: packet.time_ns,
            seq: packet.seq,
            ack: packet.ack,
            len: packet.len,
            ts_value: packet.ts_value,
            flow,
            ip_id: packet.ip_id,
            checksum: packet.checksum,
            flags: packet.flags,
            hop_limit: packet.hop_limit,
            forward: packet.forward,
        };
        let owner = &mut self.flows[flow as usize];
        let recent = owner.packets.iter().rev().take(COPIES_AMONG);
        if recent
            .map(|at| &self.packets[*at as usize])
            .any(|one| seen.is_copy_of(one))
        {
            return;
        }
        if packet.flags.has(TcpFlags::SYN) {
            let answers = packet.flags.has(TcpFlags::ACK);
            owner.opening[usize::from(answers)].get_or_insert(packet.seq);
            owner.client_first.get_or_insert(packet.forward != answers);
        }
        owner.packets.push(self.packets.len() as u32);
        self.packets.push(seen);
    }

    /// The times of the first and the last packet.
    pub(super) fn span_ns(&self) -> (i64, i64) {
        let times = || self.packets.iter().map(|one| one.time_ns);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// The packet of this number in the file.
    pub(super) fn at(&self, number: u64) -> Option<u32> {
        let at = self.packets.partition_point(|one| one.number < number);
        (self.packets.get(at)?.number == number).then_some(at as u32)
    }
}

/// Whether a packet belongs to the connections and the time that are asked for.
fn wants(options: &AnalysisOptions, packet: &Packet) -> bool {
    let ends = [packet.key.end(0), packet.key.end(1)];
    let named = |wanted: Option<std::net::IpAddr>| {
        wanted.is_none_or(|address| ends.iter().any(|end| end.0 == address))
    };
    let filter = &options.filter;
    (filter.is_empty() || filter.matches(ends[0], ends[1]))
        && named(options.client)
        && named(options.server)
}

/// Packets of one file that are paired; a longer one is paired up to here.
const MOST_PACKETS: usize = 2_000_000;

/// A frame that is recorded twice is so within this time.
const COPY_NS: i64 = 20_000_000;

/// Packets among which a second recording is looked for.
const COPIES_AMONG: usize = 4;
