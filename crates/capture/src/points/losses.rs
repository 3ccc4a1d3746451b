//! Packets lost between capture points, and the transit time of the others.
//!
//! A packet that one point saw and the next in transit did not is lost between
//! them, if the next one was recording then. When its bytes are acknowledged and no
//! copy follows, it has arrived, and the recorder lost it.

use super::packets::{PointPackets, SeenPacket};
use super::pair::{PairedFlow, overlap};
use super::{HopWay, JoinedPoints, LostPacket, NeedlessRepeats, PathHop};
use crate::TcpFlags;
use crate::tcp::before;

/// The losses of each hop.
pub(super) struct HopLosses {
    pub(super) hops: Vec<PathHop>,
    pub(super) packets: Vec<LostPacket>,
    pub(super) repeats: NeedlessRepeats,
}

/// Looks at each hop in both directions.
pub(super) fn find(joined: &JoinedPoints) -> HopLosses {
    let mut losses = HopLosses {
        hops: Vec::new(),
        packets: Vec::new(),
        repeats: NeedlessRepeats::default(),
    };
    for hop in 0..joined.pairings.len() {
        let out = way(joined, hop, true, &mut losses.packets);
        let back = way(joined, hop, false, &mut losses.packets);
        losses.hops.push(PathHop { out, back });
    }
    losses
        .packets
        .sort_by_key(|lost| (lost.time_ns, lost.packet));
    losses.repeats = NeedlessRepeats {
        past_last: repeats(joined, true),
        past_first: repeats(joined, false),
    };
    losses
}

/// One direction of a hop: `request_way` packets leave its left point.
fn way(joined: &JoinedPoints, hop: usize, request_way: bool, lost: &mut Vec<LostPacket>) -> HopWay {
    let pairing = &joined.pairings[hop];
    let (from, to) = if request_way { (0, 1) } else { (1, 0) };
    let (sender, receiver) = (&joined.points[hop + from], &joined.points[hop + to]);
    let partners = if request_way {
        &pairing.forth
    } else {
        &pairing.back
    };
    let sources = if request_way {
        &pairing.back
    } else {
        &pairing.forth
    };
    let clock = &joined.clocks[hop];
    let recorded = span_at_sender(receiver, joined, hop, request_way);
    let mut way = HopWay::default();
    let mut delays = Vec::new();
    for flow in &pairing.flows {
        let sent = &sender.flows[flow.at[from] as usize].packets;
        let mut latest = None;
        for at in sent {
            let packet = &sender.packets[*at as usize];
            if flow.is_request_way(from, packet) != request_way {
                continue;
            }
            if let Some(partner) = partners[*at as usize] {
                let arrived = &receiver.packets[partner as usize];
                let later_ns = arrived.time_ns - packet.time_ns;
                let left_ns = if request_way {
                    packet.time_ns
                } else {
                    arrived.time_ns
                };
                let ahead_ns = clock.ahead_ns(left_ns);
                delays.push(later_ns - if request_way { ahead_ns } else { -ahead_ns });
                way.packets += 1;
                way.overtaken += u64::from(latest.is_some_and(|latest| partner < latest));
                latest = latest.max(Some(partner));
            } else if !recorded.contains(&packet.time_ns) && !opens(packet) {
                continue;
            } else if !packet.takes_numbers() {
                way.lost_acks += u64::from(!packet.flags.has(TcpFlags::RST));
            } else if is_acknowledged(sender, flow, from, *at) {
                way.not_recorded += 1;
            } else {
                way.lost += 1;
                lost.push(LostPacket {
                    hop,
                    packet: packet.number,
                    request_way,
                    bytes: packet.len,
                    time_ns: joined.on_first_clock(hop + from, packet.time_ns),
                    flow: first_flow(joined, hop, flow),
                });
            }
        }
        way.unseen += unseen(sender, receiver, flow, (from, to), request_way, sources);
    }
    way.delay_ms = delay_ms(delays);
    way
}

/// Whether a packet is a SYN before the first packet of the receiver's point, and a later
/// SYN of the same connection arrived there. Then it was lost, not missed by the
/// recorder.
fn opens(packet: &SeenPacket) -> bool {
    packet.flags.0 & (TcpFlags::SYN | TcpFlags::ACK) == TcpFlags::SYN
}

/// Packets that only the receiver's point has, of the time in which the sender's
/// point was recording.
fn unseen(
    sender: &PointPackets,
    receiver: &PointPackets,
    flow: &PairedFlow,
    (from, to): (usize, usize),
    request_way: bool,
    sources: &[Option<u32>],
) -> u64 {
    let taken = &sender.flows[flow.at[from] as usize].packets;
    let numbers = |at: Option<&u32>| at.map(|at| sender.packets[*at as usize].seq);
    let one_way =
        |at: &&u32| flow.is_request_way(from, &sender.packets[**at as usize]) == request_way;
    let first = numbers(taken.iter().find(one_way));
    let last = numbers(taken.iter().rev().find(one_way));
    let (Some(first), Some(last)) = (first, last) else {
        return 0;
    };
    let packets = receiver.flows[flow.at[to] as usize].packets.iter();
    packets
        .filter(|at| sources[**at as usize].is_none())
        .map(|at| &receiver.packets[*at as usize])
        .filter(|packet| flow.is_request_way(to, packet) == request_way)
        // Before the first and after the last number, the sender's point was not recording.
        .filter(|packet| packet.takes_numbers())
        .filter(|packet| !before(packet.seq, first) && !before(last, packet.seq))
        .count() as u64
}

/// The time in which the receiver's point was recording, on the sender's clock.
fn span_at_sender(
    receiver: &PointPackets,
    joined: &JoinedPoints,
    hop: usize,
    request_way: bool,
) -> std::ops::RangeInclusive<i64> {
    let (first_ns, last_ns) = receiver.span_ns();
    let ahead = |time_ns: i64| joined.clocks[hop].ahead_ns(time_ns);
    if request_way {
        first_ns - ahead(first_ns)..=last_ns - ahead(last_ns)
    } else {
        first_ns + ahead(first_ns)..=last_ns + ahead(last_ns)
    }
}

/// Whether the data of a packet was acknowledged without a retransmission, so that
/// it has arrived.
fn is_acknowledged(point: &PointPackets, flow: &PairedFlow, side: usize, at: u32) -> bool {
    let packet = &point.packets[at as usize];
    let request_way = flow.is_request_way(side, packet);
    let range = (packet.seq, packet.end());
    let packets = &point.flows[flow.at[side] as usize].packets;
    let later = packets.partition_point(|one| *one <= at);
    for one in packets[later..].iter().take(LATER) {
        let other = &point.packets[*one as usize];
        if flow.is_request_way(side, other) == request_way {
            if overlap((other.seq, other.end()), range) {
                return false;
            }
        } else if other.flags.has(TcpFlags::ACK) && !before(other.ack, range.1) {
            return true;
        }
    }
    false
}

/// Copies of data whose earlier copy passed all points.
fn repeats(joined: &JoinedPoints, request_way: bool) -> u64 {
    let last = joined.points.len() - 1;
    let start = if request_way { 0 } else { last };
    let hop = if request_way { 0 } else { last - 1 };
    let side = usize::from(!request_way);
    let point = &joined.points[start];
    let mut count = 0;
    for flow in &joined.pairings[hop].flows {
        let packets = &point.flows[flow.at[side] as usize].packets;
        let mut sent: Vec<(&SeenPacket, u32)> = Vec::new();
        for at in packets {
            let packet = &point.packets[*at as usize];
            if packet.len == 0 || flow.is_request_way(side, packet) != request_way {
                continue;
            }
            let range = (packet.seq, packet.end());
            let recent = sent.iter().rev().take(COPIES_AMONG);
            let earlier = recent
                .filter(|(one, _)| overlap((one.seq, one.end()), range))
                .map(|(_, at)| *at)
                .next();
            count += u64::from(earlier.is_some_and(|at| passed(joined, at, request_way)));
            sent.push((packet, *at));
        }
    }
    count
}

/// Whether a packet of the point at one end was seen at the other end.
fn passed(joined: &JoinedPoints, at: u32, request_way: bool) -> bool {
    if request_way {
        follow(joined, 0, at, joined.points.len() - 1).is_some()
    } else {
        follow(joined, joined.points.len() - 1, at, 0).is_some()
    }
}

/// The packet `at` of point `from` as point `to` saw it.
pub(super) fn follow(joined: &JoinedPoints, from: usize, at: u32, to: usize) -> Option<u32> {
    let mut at = at;
    if from <= to {
        for pairing in &joined.pairings[from..to] {
            at = (*pairing.forth.get(at as usize)?)?;
        }
    } else {
        for pairing in joined.pairings[to..from].iter().rev() {
            at = (*pairing.back.get(at as usize)?)?;
        }
    }
    Some(at)
}

/// The place of a flow among those of the first point; of the hop's left one
/// where the first did not see it.
fn first_flow(joined: &JoinedPoints, hop: usize, flow: &PairedFlow) -> u32 {
    let mut at = flow.at[0];
    for pairing in joined.pairings[..hop].iter().rev() {
        match pairing.flows.iter().find(|one| one.at[1] == at) {
            Some(one) => at = one.at[0],
            None => return u32::MAX,
        }
    }
    at
}

/// The least, middle, 99th percentile and largest of some delays.
fn delay_ms(mut delays: Vec<i64>) -> Option<[f64; 4]> {
    delays.sort_unstable();
    let last = delays.len().checked_sub(1)?;
    let at =
        |share: f64| (delays[(share * last as f64).round() as usize] as f64 / 1e3).round() / 1e3;
    Some([at(0.0), at(0.5), at(0.99), at(1.0)])
}

/// Packets after a lost one among which its copy or acknowledgement is looked for.
const LATER: usize = 100_000;

/// Packets before a copy among which the earlier one is looked for.
const COPIES_AMONG: usize = 2_000;
