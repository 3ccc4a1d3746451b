//! The tracker: classifies each segment within its connection.
//!
//! One [`TcpTracker`] a connection follows both directions. It keeps tshark's
//! definitions where tshark has a word for something, so that the two can be
//! compared, and adds what the causes need: which retransmissions a timer
//! sent, which were needless, round-trip times from the place of capture to
//! each end, and the growth of what is in flight.
//! Reference: RFC 9293, 6298, 7323, 2883, 3522; Wireshark's `packet-tcp.c`
//! for the definitions.
//! Invariant: a fixed number of bytes a connection; no data is looked at.

mod half;
mod judge;
mod measure;

use crate::decode::Packet;
use crate::{Connection, ConnectionSide, Segment, SegmentMarks, TcpFlags};
use half::Half;

/// Follows both directions of one connection.
#[derive(Debug, Default)]
pub(crate) struct TcpTracker {
    halves: [Half; 2],
    /// Time of the latest packet; it never decreases.
    now_ns: i64,
    /// Time between the two latest packets.
    gap_ns: i64,
    /// Time from the first SYN to the ACK that completes the handshake:
    /// below it, data that does not advance is late, not sent again.
    first_rtt_ns: Option<i64>,
    /// The last segment proved that this byte of the other side was sent
    /// again without need.
    pub(crate) proven: Option<u32>,
    /// Bytes between the data its sender had sent and the last segment.
    passed_over: u32,
    /// The last segment looks overtaken by its time, and its sender's clock says that
    /// it was sent again.
    pub(crate) copied: bool,
    /// The last segment, a frame captured twice, had been so before.
    pub(crate) copied_again: bool,
}

impl TcpTracker {
    /// Returns `true` if a SYN of `side` with this raw sequence number belongs to
    /// another connection than the one followed.
    pub(crate) fn is_new_syn(&self, side: ConnectionSide, raw_seq: u32) -> bool {
        let half = &self.halves[side.index()];
        half.seen && half.base != raw_seq
    }

    /// The raw sequence number that `side` began with, if it was seen.
    pub(crate) fn first_seq(&self, side: ConnectionSide) -> Option<u32> {
        let half = &self.halves[side.index()];
        half.seen.then_some(half.base)
    }

    /// Returns `true` if data was sent again and not acknowledged, or waits for a
    /// window of zero to open.
    pub(crate) fn is_stuck(&self) -> bool {
        let resent = |half: &Half| half.resent.is_some();
        let [client, server] = &self.halves;
        let closed = |half: &Half, other: &Half| {
            half.sent && half.window == 0 && !half.closed && other.probes > 0
        };
        [(client, server), (server, client)]
            .into_iter()
            .any(|(half, other)| (resent(half) && half.flight(other) > 0) || closed(half, other))
    }

    /// Returns `true` if everything that `side` sent is acknowledged.
    pub(crate) fn is_acknowledged(&self, side: ConnectionSide) -> bool {
        let half = &self.halves[side.index()];
        half.flight(&self.halves[side.other().index()]) == 0
    }

    /// Judges one segment and brings `connection` up to date.
    pub(crate) fn handle_packet(
        &mut self,
        connection: &mut Connection,
        packet: &Packet,
        from: ConnectionSide,
    ) -> Segment {
        self.proven = None;
        self.copied = false;
        let mut marks = SegmentMarks::default();
        let first = self.halves.iter().all(|half| !half.seen);
        let possible = self.now_ns..=self.now_ns.saturating_add(LONGEST_NS);
        let time_ns = if first || possible.contains(&packet.time_ns) {
            packet.time_ns
        } else {
            marks.set(SegmentMarks::TIME_BACKWARDS);
            self.now_ns
        };
        let gap_ns = if first { 0 } else { time_ns - self.now_ns };
        connection.even_gaps += u64::from(are_even(gap_ns, self.gap_ns));
        self.gap_ns = gap_ns;
        self.now_ns = time_ns;
        connection.last_ns = time_ns;
        let [client, server] = &mut self.halves;
        let (fwd, rev) = match from {
            ConnectionSide::Client => (client, server),
            ConnectionSide::Server => (server, client),
        };
        fwd.learn_base(packet.seq);
        let acks = packet.flags.has(TcpFlags::ACK);
        if acks {
            rev.learn_base_from_ack(packet.ack);
        }
        let mut segment = Segment {
            packet: packet.number,
            time_ns,
            seq: packet.seq.wrapping_sub(fwd.base),
            ack: if acks {
                packet.ack.wrapping_sub(rev.base)
            } else {
                0
            },
            len: packet.len,
            window: fwd.scaled(packet),
            flight: 0,
            ts_value: packet.ts_value,
            ts_echo: packet.ts_echo,
            marks,
            flags: packet.flags,
            from,
            session: 0,
            head: None,
            ip_id: packet.ip_id,
            hop_limit: packet.hop_limit,
            via: 0,
        };
        if fwd.is_same_frame(packet, time_ns) {
            segment.marks.set(SegmentMarks::DUPLICATE_FRAME);
            self.copied_again = fwd.copied_again;
            segment.flight = fwd.flight(rev);
            connection.end_mut(from).marks.add(segment.marks);
            return segment;
        }
        // Numbers below the first one are not of this side either.
        let ahead = if fwd.next_seq < 1 << 31 {
            segment.seq > fwd.next_seq
        } else {
            before(fwd.next_seq, segment.seq)
        };
        self.passed_over = if fwd.sent && ahead {
            segment.seq.wrapping_sub(fwd.next_seq)
        } else {
            0
        };
        self.judge(packet, &mut segment);
        self.measure(connection, packet, &mut segment);
        segment
    }
}

/// No connection is silent for longer than a year; a time that says so is
/// damaged. It also keeps every sum of times on a connection in range.
const LONGEST_NS: i64 = 366 * 86_400 * 1_000_000_000;

/// Whether a gap equals the one before, or one is a multiple of the other, with
/// packets of other connections in between.
fn are_even(gap_ns: i64, before_ns: i64) -> bool {
    let (step_ns, long_ns) = (gap_ns.min(before_ns), gap_ns.max(before_ns));
    if long_ns - step_ns <= EVEN_NS {
        return gap_ns > LEAST_GAP_NS;
    }
    step_ns >= STEP_NS && long_ns <= step_ns * MOST_STEPS && {
        let over_ns = long_ns % step_ns;
        over_ns.min(step_ns - over_ns) <= EVEN_NS
    }
}

/// Shorter steps may be a coarse clock's.
const STEP_NS: i64 = 50_000_000;

/// So many steps are hardly chance.
const MOST_STEPS: i64 = 16;

/// Gaps that differ by less count as equal.
const EVEN_NS: i64 = 30_000;

/// Shorter gaps are a line rate.
const LEAST_GAP_NS: i64 = 900_000;

/// Returns `true` if sequence number `a` is before `b`.
#[inline]
pub(crate) fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests;
