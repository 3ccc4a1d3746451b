//! One wait of the first capture, divided over the parts of the way.
//!
//! A wait is between two packets. The times between the same two packets at the
//! other points say how much of it passed beyond each: what one point measures more
//! than the next has passed between them. A wait for a copy of lost data belongs to
//! the part of the path that lost it, and so does the time after the loss of an
//! answer. A transfer waits for its round trips, or for the hop with the queue.

use super::JoinedPoints;
use super::LostPacket;
use super::losses::{HopLosses, follow};
use super::packets::SeenPacket;
use super::pair::PairedFlow;
use crate::{EvidenceKind, LedgerInterval, Reason};
use std::collections::HashMap;

/// One wait divided: nanoseconds on the client's side, each hop, the server's side.
pub(super) struct WaitShare {
    pub(super) ns: Vec<i64>,
    /// A loss divides it, of a packet to the server or to the client.
    pub(super) lost: Option<bool>,
}

/// Divides waits.
pub(super) struct WaitDivider<'a> {
    joined: &'a JoinedPoints,
    losses: &'a HopLosses,
    /// Connections by their place at the first point.
    flows: HashMap<u32, PairedFlow>,
    /// The remaining time between two packets, which several waits share.
    left: HashMap<(u64, u64), Option<Vec<i64>>>,
}

impl<'a> WaitDivider<'a> {
    pub(super) fn new(joined: &'a JoinedPoints, losses: &'a HopLosses) -> WaitDivider<'a> {
        let flows = joined.pairings[0].flows.iter();
        WaitDivider {
            joined,
            losses,
            flows: flows.map(|flow| (flow.at[0], *flow)).collect(),
            left: HashMap::new(),
        }
    }

    /// The parts of one wait. Returns `None` if they cannot be known: another
    /// point did not see one of its packets.
    pub(super) fn of(&mut self, wait: &LedgerInterval) -> Option<WaitShare> {
        let first = &self.joined.points[0];
        let at = first.at(wait.before)?;
        let packet = &first.packets[at as usize];
        let kind = wait.reason.kind();
        let Some(flow) = self.flows.get(&packet.flow).copied() else {
            return self.never_arrived(wait, packet);
        };
        let for_copy = matches!(
            kind,
            EvidenceKind::Retransmission | EvidenceKind::ConnectFailed | EvidenceKind::MtuBlackHole
        );
        if for_copy {
            return self.for_copy(wait, &flow);
        }
        if kind == EvidenceKind::HostWait
            && let Some(share) = self.after_loss(wait, &flow)
        {
            return Some(share);
        }
        if kind == EvidenceKind::TransferLimited
            && let Some(share) = self.transfer(wait, &flow)
        {
            return Some(share);
        }
        let joined = self.joined;
        let divided = self.left.entry((wait.before, wait.after));
        let left = divided.or_insert_with(|| divide(joined, &flow, wait));
        let ns = take(left.as_mut()?, wait);
        Some(WaitShare { ns, lost: None })
    }

    /// Whether the next point saw nothing of a connection although it recorded.
    fn never_arrived(&self, wait: &LedgerInterval, packet: &SeenPacket) -> Option<WaitShare> {
        let next = &self.joined.points[1];
        let (from_ns, to_ns) = next.span_ns();
        let time_ns = packet.time_ns + self.joined.clocks[0].ahead_ns(packet.time_ns);
        let recorded = (from_ns..=to_ns).contains(&time_ns);
        (recorded && wait.reason.kind() == EvidenceKind::ConnectFailed)
            .then(|| self.whole(1, wait.length_ns()))
    }

    /// All of a wait in one part.
    fn whole(&self, part: usize, ns: i64) -> WaitShare {
        let mut parts = vec![0; self.joined.points.len() + 1];
        parts[part] = ns;
        WaitShare {
            ns: parts,
            lost: None,
        }
    }

    /// The part that lost the awaited packet; without a loss between the
    /// points, the part after the last point that saw it.
    fn for_copy(&self, wait: &LedgerInterval, flow: &PairedFlow) -> Option<WaitShare> {
        let first = &self.joined.points[0];
        let at = first.at(wait.before)?;
        // It was lost about a round trip before the wait could begin.
        let early_ns = wait.length_ns().clamp(LEAST_BEFORE_NS, MOST_BEFORE_NS);
        let within = self.losses_of(flow, wait.from_ns - early_ns, wait.to_ns);
        let length_ns = wait.length_ns();
        if let Some(lost) = within.first() {
            return Some(self.whole(lost.hop + 1, length_ns));
        }
        if wait.reason == Reason::LossRecovery
            && let Some(lost) = self.losses_of(flow, i64::MIN, wait.to_ns).last()
        {
            return Some(self.whole(lost.hop + 1, length_ns));
        }
        let copy = if wait.after == 0 {
            at
        } else {
            first.at(wait.after)?
        };
        let copy = &first.packets[copy as usize];
        if !copy.takes_numbers() {
            return None;
        }
        let to_server = flow.is_request_way(0, copy);
        let answers = wait.reason.kind() == EvidenceKind::ConnectFailed && !to_server;
        let far = to_server || answers;
        Some(self.whole(if far { self.joined.points.len() } else { 0 }, length_ns))
    }

    /// A wait for an answer that was lost: up to the loss it is its end's time,
    /// then the hop's.
    fn after_loss(&self, wait: &LedgerInterval, flow: &PairedFlow) -> Option<WaitShare> {
        let within = self.losses_of(flow, wait.from_ns, wait.to_ns);
        let lost = within.into_iter().find(|lost| lost.bytes > 0)?;
        let before_ns = (lost.time_ns - wait.from_ns).clamp(0, wait.length_ns());
        let end = if lost.request_way {
            0
        } else {
            self.joined.points.len()
        };
        let mut share = self.whole(end, before_ns);
        share.ns[lost.hop + 1] = wait.length_ns() - before_ns;
        share.lost = Some(lost.request_way);
        Some(share)
    }

    /// The losses of a connection in a span of the first clock.
    fn losses_of(&self, flow: &PairedFlow, from_ns: i64, to_ns: i64) -> Vec<&LostPacket> {
        let packets = &self.losses.packets;
        let first = packets.partition_point(|lost| lost.time_ns < from_ns);
        let within = packets[first..].iter();
        within
            .take_while(|lost| lost.time_ns <= to_ns)
            .filter(|lost| lost.flow == flow.at[0])
            .collect()
    }

    /// A transfer at the rate of the path belongs to the hop with the queue; one
    /// that waits for acknowledgements to the hops by their round trips, and
    /// what is longer than those to the receiver's side.
    fn transfer(&self, wait: &LedgerInterval, flow: &PairedFlow) -> Option<WaitShare> {
        let first = &self.joined.points[0];
        let packet = &first.packets[first.at(wait.after)? as usize];
        let to_server = flow.is_request_way(0, packet);
        let hops = &self.losses.hops;
        let length_ns = wait.length_ns();
        let far = if to_server { hops.len() + 1 } else { 0 };
        let ns = |ms: f64| (ms * 1e6) as i64;
        if wait.reason == Reason::PathRate {
            let queue = |hop: &super::PathHop| {
                let way = if to_server { &hop.out } else { &hop.back };
                way.delay_ms.map_or(0, |[least, .., most]| ns(most - least))
            };
            let (hop, queue_ns) = (hops.iter().map(queue).enumerate()).max_by_key(|one| one.1)?;
            let part = if queue_ns >= QUEUE_NS { hop + 1 } else { far };
            return Some(self.whole(part, length_ns));
        }
        let mut share = self.whole(far, 0);
        let mut left_ns = length_ns;
        for (part, hop) in hops.iter().enumerate() {
            let ways = [&hop.out, &hop.back].into_iter();
            let trip_ns: i64 = ways
                .filter_map(|way| way.delay_ms)
                .map(|[least, ..]| ns(least))
                .sum();
            share.ns[part + 1] = trip_ns.clamp(0, left_ns);
            left_ns -= share.ns[part + 1];
        }
        share.ns[far] += left_ns;
        Some(share)
    }
}

/// The parts of the time between the two packets of a wait. Returns `None` if
/// another point did not see one of them.
fn divide(joined: &JoinedPoints, flow: &PairedFlow, wait: &LedgerInterval) -> Option<Vec<i64>> {
    let first = &joined.points[0];
    let begin = first.at(wait.before)?;
    let is_request = |packet: &SeenPacket| flow.is_request_way(0, packet);
    let last = joined.points.len() - 1;
    let mut parts = vec![0; last + 2];
    let asked = is_request(&first.packets[begin as usize]);
    if wait.after == 0 {
        return unanswered(joined, begin, asked, wait.length_ns());
    }
    let end = first.at(wait.after)?;
    let gap_ns = |point: usize| {
        let begin = follow(joined, 0, begin, point)?;
        let end = follow(joined, 0, end, point)?;
        let packets = &joined.points[point].packets;
        Some(packets[end as usize].time_ns - packets[begin as usize].time_ns)
    };
    if is_request(&first.packets[end as usize]) {
        // The client's next send was delayed by the client itself.
        parts[0] = gap_ns(0)?;
        return Some(parts);
    }
    let mut beyond_ns = gap_ns(0)?;
    for (point, part) in parts.iter_mut().enumerate().take(last + 1).skip(1) {
        let next_ns = gap_ns(point)?.clamp(0, beyond_ns.max(0));
        *part = beyond_ns - next_ns;
        beyond_ns = next_ns;
    }
    parts[last + 1] = beyond_ns;
    Some(parts)
}

/// A wait without an end: the last request was lost on a hop, or nothing returned
/// from beyond the last point, or the answer was lost.
fn unanswered(joined: &JoinedPoints, begin: u32, asked: bool, length_ns: i64) -> Option<Vec<i64>> {
    let last = joined.points.len() - 1;
    let mut parts = vec![0; last + 2];
    if !asked {
        return None;
    }
    let reached = (0..=last).rev().find_map(|point| {
        let at = follow(joined, 0, begin, point)?;
        Some((point, at))
    });
    let (point, at) = reached?;
    if point < last {
        parts[point + 1] = length_ns;
        return Some(parts);
    }
    // An answer that the last point saw, and the first did not.
    let packets = &joined.points[last].packets;
    let flow = packets[at as usize].flow;
    let asked_way = packets[at as usize].forward;
    let answered = packets[at as usize + 1..]
        .iter()
        .zip(at + 1..)
        .find(|(one, _)| one.flow == flow && one.forward != asked_way && one.len > 0);
    match answered {
        Some((_, answer)) => {
            let seen = (0..=last).find(|point| follow(joined, last, answer, *point).is_some());
            parts[seen?.max(1)] = length_ns;
        }
        None => parts[last + 1] = length_ns,
    }
    Some(parts)
}

/// Takes the time of one wait from the remaining time between its two packets: for
/// a wait on the path from the hops first, otherwise from the ends first.
fn take(left: &mut [i64], wait: &LedgerInterval) -> Vec<i64> {
    let ends = [0, left.len() - 1];
    let hops = 1..left.len() - 1;
    let on_path = matches!(
        wait.reason.kind(),
        EvidenceKind::SlowPath | EvidenceKind::Chatty | EvidenceKind::TransferLimited
    );
    let order: Vec<usize> = if on_path {
        hops.chain(ends).collect()
    } else {
        ends.into_iter().chain(hops).collect()
    };
    let mut wanted_ns = wait.length_ns();
    let mut taken = vec![0; left.len()];
    for part in order {
        let ns = left[part].clamp(0, wanted_ns);
        left[part] -= ns;
        taken[part] = ns;
        wanted_ns -= ns;
    }
    taken
}

/// How far before a wait its loss is searched.
const LEAST_BEFORE_NS: i64 = 5_000_000;

/// The same, at most.
const MOST_BEFORE_NS: i64 = 1_000_000_000;

/// A hop with a queue has at least this difference between its slowest and fastest
/// packet.
const QUEUE_NS: i64 = 5_000_000;
