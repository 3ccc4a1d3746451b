//! Packets of two neighbouring capture points, paired.
//!
//! First each packet finds the one with the same numbers, timestamp and IP
//! identification. What is left may have been cut or joined by segmentation
//! offload at one point: such a packet is paired by the bytes it carries.
//! Invariant: a packet has one partner at most, and never one that another
//! copy of the same bytes has claimed by its identification.

use super::packets::{PointPackets, SeenPacket};
use crate::TcpFlags;
use crate::tcp::before;
use std::collections::HashMap;

/// Which packet of one point is which of the other.
#[derive(Debug, Default)]
pub(super) struct PacketPairing {
    /// By packet of the first point: its partner at the second.
    pub(super) forth: Vec<Option<u32>>,
    /// By packet of the second point: its partner at the first.
    pub(super) back: Vec<Option<u32>>,
    /// Flows of both points: at the first, at the second, and whether the
    /// client is the first end of each one's key.
    pub(super) flows: Vec<PairedFlow>,
}

/// One connection that both points saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairedFlow {
    /// Its place among the flows of the first and the second point.
    pub(super) at: [u32; 2],
    /// Whether the client is the first end of the key at each point.
    client_first: [bool; 2],
}

impl PairedFlow {
    /// Whether a packet of a point goes from the client to the server.
    pub(super) fn is_request_way(&self, point: usize, packet: &SeenPacket) -> bool {
        packet.forward == self.client_first[point]
    }
}

impl PacketPairing {
    /// Pairs the packets of two points.
    pub(super) fn of(one: &PointPackets, other: &PointPackets) -> PacketPairing {
        let mut pairing = PacketPairing {
            forth: vec![None; one.packets.len()],
            back: vec![None; other.packets.len()],
            flows: flows(one, other),
        };
        for flow in pairing.flows.clone() {
            for request_way in [true, false] {
                let paired = pairing.pair_same(one, other, &flow, request_way, identity);
                let all = side(one, &flow, 0, request_way).count();
                if paired * 2 < all {
                    // Something between the points writes other identifications.
                    let unnamed = |packet: &SeenPacket| {
                        let (seq, ack, len, stamp, _, control) = identity(packet);
                        (seq, ack, len, stamp, 0, control)
                    };
                    pairing.pair_same(one, other, &flow, request_way, unnamed);
                }
                pairing.pair_parts(one, other, &flow, request_way);
            }
        }
        pairing
    }

    /// Pairs packets of the same identity that have no partner. Returns how many
    /// it paired.
    fn pair_same(
        &mut self,
        one: &PointPackets,
        other: &PointPackets,
        flow: &PairedFlow,
        request_way: bool,
        identity: impl Fn(&SeenPacket) -> PacketIdentity,
    ) -> usize {
        let mut waiting: HashMap<PacketIdentity, Vec<u32>> = HashMap::new();
        for at in side(other, flow, 1, request_way) {
            if self.back[at as usize].is_none() {
                let packet = &other.packets[at as usize];
                waiting.entry(identity(packet)).or_default().push(at);
            }
        }
        // From the end: a copy is sent because an earlier one did not arrive.
        let sent: Vec<u32> = side(one, flow, 0, request_way).collect();
        let mut paired = 0;
        for at in sent.into_iter().rev() {
            if self.forth[at as usize].is_some() {
                continue;
            }
            let found = waiting.get_mut(&identity(&one.packets[at as usize]));
            if let Some(partner) = found.and_then(Vec::pop) {
                self.forth[at as usize] = Some(partner);
                self.back[partner as usize] = Some(at);
                paired += 1;
            }
        }
        paired
    }

    /// Pairs the remaining packets by the bytes they carry: several packets at
    /// one point are one at the other.
    fn pair_parts(
        &mut self,
        one: &PointPackets,
        other: &PointPackets,
        flow: &PairedFlow,
        request_way: bool,
    ) {
        let left = |point: &PointPackets, index: usize, taken: &[Option<u32>]| -> Vec<u32> {
            side(point, flow, index, request_way)
                .filter(|at| taken[*at as usize].is_none())
                .filter(|at| point.packets[*at as usize].len > 0)
                .collect()
        };
        let mut theirs = left(other, 1, &self.back);
        let mine = left(one, 0, &self.forth);
        let Some(base) = mine.first().map(|at| one.packets[*at as usize].seq) else {
            return;
        };
        let place = |seq: u32| i64::from(seq.wrapping_sub(base) as i32);
        theirs.sort_by_key(|at| (place(other.packets[*at as usize].seq), *at));
        for at in mine {
            let packet = &one.packets[at as usize];
            let (from, to) = (place(packet.seq), place(packet.end()));
            let first = theirs.partition_point(|t| place(other.packets[*t as usize].end()) <= from);
            let mut reached = from;
            let mut last = None;
            let mut used = Vec::new();
            for t in &theirs[first..] {
                let candidate = &other.packets[*t as usize];
                let (begins, ends) = (place(candidate.seq), place(candidate.end()));
                if begins > reached || reached >= to {
                    break;
                }
                // One that carries all of it may carry its neighbours, too.
                let whole = begins <= from && ends >= to;
                if ends <= reached || (self.back[*t as usize].is_some() && !whole) {
                    continue;
                }
                reached = ends;
                last = last.max(Some(*t));
                used.push(*t);
            }
            if reached < to {
                continue;
            }
            self.forth[at as usize] = last;
            for t in used {
                self.back[t as usize].get_or_insert(at);
            }
        }
    }
}

/// The fields that are equal at both points: sequence and acknowledgement number,
/// length, timestamp, IP identification, control flags.
type PacketIdentity = (u32, u32, u32, u32, u16, u8);

fn identity(packet: &SeenPacket) -> PacketIdentity {
    let control = packet.flags.0 & (TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST | TcpFlags::ACK);
    (
        packet.seq,
        packet.ack,
        packet.len,
        packet.ts_value,
        packet.ip_id,
        control,
    )
}

/// The packets of a flow in one direction.
fn side<'a>(
    point: &'a PointPackets,
    flow: &'a PairedFlow,
    index: usize,
    request_way: bool,
) -> impl Iterator<Item = u32> + 'a {
    let packets = &point.flows[flow.at[index] as usize].packets;
    packets
        .iter()
        .copied()
        .filter(move |at| flow.is_request_way(index, &point.packets[*at as usize]) == request_way)
}

/// The connections that both points saw: by their ends, or by the numbers of
/// their handshake where the ends are translated between the points.
fn flows(one: &PointPackets, other: &PointPackets) -> Vec<PairedFlow> {
    let mut by_key = HashMap::new();
    let mut by_opening = HashMap::new();
    for (at, flow) in other.flows.iter().enumerate() {
        by_key.insert(flow.key, at as u32);
        if let [Some(syn), Some(answer)] = flow.opening {
            by_opening.insert((syn, answer), at as u32);
        }
    }
    let mut found = Vec::new();
    for (at, flow) in one.flows.iter().enumerate() {
        let same = by_key.get(&flow.key).copied();
        let translated = || match flow.opening {
            [Some(syn), Some(answer)] => by_opening.get(&(syn, answer)).copied(),
            _ => None,
        };
        let Some(partner) = same.or_else(translated) else {
            continue;
        };
        let other_flow = &other.flows[partner as usize];
        let client_first = if same.is_some() {
            let known = flow.client_first.or(other_flow.client_first);
            [known.unwrap_or(flow.is_client_first()); 2]
        } else {
            [flow.is_client_first(), other_flow.is_client_first()]
        };
        found.push(PairedFlow {
            at: [at as u32, partner],
            client_first,
        });
    }
    found
}

/// Whether two ranges of sequence numbers share a byte.
pub(super) fn overlap(one: (u32, u32), other: (u32, u32)) -> bool {
    before(one.0, other.1) && before(other.0, one.1)
}
