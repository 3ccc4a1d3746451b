//! One wait: the time between two segments that brought an exchange forward.
//!
//! A segment brings it forward when it carries new data, fills a hole, or is a SYN,
//! FIN or RST. Acknowledgements, probes and copies that were not needed are within
//! a wait. A wait never crosses a phase of its exchange.

use crate::{
    CapturePoint, Connection, ConnectionSide, Exchange, ExchangePhase, Segment, SegmentMarks,
    TcpFlags,
};

/// A time in which an exchange made no progress.
pub(crate) struct ExchangeWait<'a> {
    /// The connection as known by now.
    pub connection: &'a Connection,
    /// The exchange that waited.
    pub exchange: &'a Exchange,
    /// The phase of the exchange.
    pub phase: ExchangePhase,
    /// Segments of the connection around the wait, in order.
    pub timeline: &'a [Segment],
    /// Index of the segment after which the wait begins.
    pub before: usize,
    /// Index of the segment that ended it. `None` if nothing did before the
    /// connection or the capture ended.
    pub after: Option<usize>,
    /// Its beginning and end; a part of the wait may be claimed already.
    pub from_ns: i64,
    /// Nanoseconds since 1970.
    pub to_ns: i64,
    /// Bytes a round trip of both ends.
    pub rounds: &'a [RoundHistory; 2],
    /// Whole round trip between the ends; 0 where unknown.
    pub rtt_ns: i64,
}

impl<'a> ExchangeWait<'a> {
    /// The segment after which the wait begins.
    pub(crate) fn before(&self) -> &'a Segment {
        &self.timeline[self.before]
    }

    /// The segment that ended it.
    pub(crate) fn after(&self) -> Option<&'a Segment> {
        self.after.map(|at| &self.timeline[at])
    }

    /// Segments within the wait.
    pub(crate) fn inner(&self) -> &'a [Segment] {
        let end = self.after.unwrap_or(self.timeline.len());
        &self.timeline[(self.before + 1).min(end)..end]
    }

    /// Its length, at most [`LONGEST_NS`].
    pub(crate) fn length_ns(&self) -> i64 {
        self.to_ns.saturating_sub(self.from_ns).min(LONGEST_NS)
    }

    /// The end whose data the exchange waits for.
    pub(crate) fn sender(&self) -> ConnectionSide {
        match self.after() {
            Some(after) if !self.gives_up(after) => after.from,
            _ => self.expected(),
        }
    }

    /// True for a FIN or RST of the end that waits.
    fn gives_up(&self, after: &Segment) -> bool {
        after.len == 0
            && after.flags.any(TcpFlags::FIN | TcpFlags::RST)
            && after.from != self.expected()
    }

    /// The end whose turn it is in this phase.
    pub(crate) fn expected(&self) -> ConnectionSide {
        match self.phase {
            ExchangePhase::Request | ExchangePhase::ClientThink => self.exchange.asked_by,
            ExchangePhase::Tls => {
                if self.before().len > 0 {
                    self.before().from.other()
                } else {
                    ConnectionSide::Server
                }
            }
            ExchangePhase::Connect if self.before().flags.has(TcpFlags::SYN | TcpFlags::ACK) => {
                ConnectionSide::Client
            }
            ExchangePhase::Connect => ConnectionSide::Server,
            _ => self.exchange.asked_by.other(),
        }
    }

    /// Round trip between the place of capture and an end; 0 where unknown.
    pub(crate) fn near_ns(&self, side: ConnectionSide) -> i64 {
        let best_ns = self.connection.end(side).rtt.best_ns();
        best_ns.unwrap_or(0).min(LONGEST_NS)
    }

    /// Payload bytes of a full segment of `side`; where no handshake shows them,
    /// at least what every end must accept (RFC 9293 3.7.1).
    pub(crate) fn full_bytes(&self, side: ConnectionSide) -> u32 {
        let known = self.connection.client.mss.is_some() || self.connection.server.mss.is_some();
        let least = if known { 1 } else { LEAST_MSS };
        self.connection.segment_bytes(side).max(least)
    }

    /// True for a segment that ends a write without filling a segment.
    pub(crate) fn is_short(&self, segment: &Segment) -> bool {
        segment.is_short(self.full_bytes(segment.from))
    }

    /// The last acknowledgement within the wait that `side` sent for new data.
    pub(crate) fn last_advance(&self, side: ConnectionSide) -> Option<&'a Segment> {
        let inner = self.inner().iter().rev();
        let mut advances = inner.filter(|s| s.from == side && s.marks.any(SegmentMarks::ADVANCES));
        advances.next()
    }

    /// The window that `side` had advertised last before the wait ended, and
    /// the segment that carried it.
    pub(crate) fn last_window(&self, side: ConnectionSide) -> Option<&'a Segment> {
        let end = self.after.unwrap_or(self.timeline.len());
        let back = self.timeline[..end].iter().rev().take(SEARCHED_SEGMENTS);
        let mut windows =
            back.filter(|s| s.from == side && !s.flags.any(TcpFlags::RST | TcpFlags::SYN));
        windows.next()
    }

    /// Returns `true` if the segment that ended the wait followed an event of the
    /// other end as soon as its sender could know of it.
    pub(crate) fn follows(&self, event: &Segment, after: &Segment) -> bool {
        let near_ns = self.near_ns(after.from);
        let apart_ns = (after.time_ns - event.time_ns).min(LONGEST_NS);
        let soon = apart_ns <= near_ns * 13 / 10 + TURN_NS;
        // Sooner than the path allows, it was not a reaction.
        soon && (near_ns < FAR_NS || apart_ns * 10 >= near_ns * 7)
    }
}

impl ExchangeWait<'_> {
    /// The round trip has grown, so data waits in a queue of the path.
    pub(crate) fn is_queue(&self) -> bool {
        self.has_grown(false) && !self.is_freed_in_lumps()
    }

    /// The round trip has grown because the receiver's program reads in lumps.
    pub(crate) fn is_read_in_lumps(&self) -> bool {
        self.has_grown(true) && self.is_freed_in_lumps()
    }

    /// The round trip is longer than at its best, with the part of the
    /// end next to the place of capture or without it.
    fn has_grown(&self, with_near_end: bool) -> bool {
        let [client_ns, server_ns] = [ConnectionSide::Client, ConnectionSide::Server].map(|side| {
            // No queue is between the capture and the end next to it: an
            // acknowledgement that is late there was delayed by that end.
            let next = match self.connection.capture_point {
                CapturePoint::Client => side == ConnectionSide::Client,
                CapturePoint::Server => side == ConnectionSide::Server,
                _ => false,
            };
            if next && !with_near_end {
                self.near_ns(side)
            } else {
                self.connection.end(side).rtt.smoothed_ns
            }
        });
        client_ns.saturating_add(server_ns) > self.rtt_ns * 3 / 2 + TURN_NS
    }

    /// Whether the receiver acknowledges many segments at once, with pauses.
    fn is_freed_in_lumps(&self) -> bool {
        let sender = self.sender();
        let mut data = 0;
        let mut times = [0; LUMPS + 1];
        let mut count = 0;
        let back = self.timeline[..=self.before].iter().rev();
        for segment in back.take(SEARCHED_SEGMENTS) {
            if segment.from == sender && segment.len > 0 {
                data += usize::from(count > 0);
            } else if segment.from != sender && segment.marks.any(SegmentMarks::ADVANCES) {
                times[count] = segment.time_ns;
                count += 1;
                if count == times.len() {
                    break;
                }
            }
        }
        let apart = |pair: &[i64]| pair[0] - pair[1] >= LUMP_NS;
        count == times.len() && data >= LUMPS * LUMP_SEGMENTS && times.windows(2).all(apart)
    }

    /// Most bytes that `sender` had in flight lately.
    pub(crate) fn peak_flight(&self, sender: ConnectionSide) -> u32 {
        let back = self.timeline[..=self.before].iter().rev();
        let own = back.take(SEARCHED_SEGMENTS).filter(|s| s.from == sender);
        own.map(|s| s.flight).max().unwrap_or(0)
    }

    /// The queue of the path still held data when the wait ended: the path was
    /// in use all the time.
    pub(crate) fn is_busy(&self) -> bool {
        let Some(after) = self.after() else {
            return false;
        };
        let left = after.flight.saturating_sub(after.len);
        left >= self.full_bytes(after.from).saturating_mul(2) && self.is_queue()
    }

    /// Whether data that `sender` had sent before the wait is unacknowledged,
    /// was retransmitted, and is not acknowledged within the wait.
    pub(crate) fn is_stuck(&self, sender: ConnectionSide) -> bool {
        let end = self.before + 1;
        let back = self.timeline[..end].iter().rev().take(SEARCHED_SEGMENTS);
        let mut own = back.filter(|s| s.from == sender && s.len > 0);
        let last = own.next();
        let open = last.is_some_and(|s| s.flight > 0 && s.marks.any(SegmentMarks::RESENT));
        let advances = |s: &Segment| s.from != sender && s.marks.any(SegmentMarks::ADVANCES);
        open && !self.inner().iter().any(advances)
    }

    /// Bytes that the receiver's window allowed `sender` after the segment at
    /// the start of the wait, by the last advertised window.
    pub(crate) fn allowed_bytes(&self, sender: ConnectionSide) -> Option<i64> {
        let back = self.timeline[..=self.before]
            .iter()
            .rev()
            .take(SEARCHED_SEGMENTS);
        let mut windows = back
            .clone()
            .filter(|s| s.from != sender && !s.flags.any(TcpFlags::RST | TcpFlags::SYN));
        let advertised = windows.next()?;
        let sent = back.filter(|s| s.from == sender).map(|s| s.end_seq());
        let sent = sent.reduce(|a, b| if crate::tcp::before(a, b) { b } else { a })?;
        let edge = advertised.ack.wrapping_add(advertised.window);
        Some(i64::from(edge.wrapping_sub(sent) as i32))
    }
}

/// True for a segment that brings its exchange forward.
pub(crate) fn is_progress(segment: &Segment, connection: &Connection) -> bool {
    if segment.marks.any(SegmentMarks::DUPLICATE_FRAME) {
        return false;
    }
    let shake = &connection.handshake;
    if segment.flags.has(TcpFlags::SYN) {
        // A copy that arrived after the handshake was not needed.
        return shake
            .ack_ns
            .is_none_or(|open_ns| segment.time_ns <= open_ns);
    }
    if segment.flags.any(TcpFlags::FIN | TcpFlags::RST) {
        return true;
    }
    let idle = SegmentMarks::KEEP_ALIVE
        | SegmentMarks::ZERO_WINDOW_PROBE
        | SegmentMarks::SPURIOUS_RETRANSMISSION
        | SegmentMarks::PROVEN_SPURIOUS;
    (segment.len > 0 && !segment.marks.any(idle))
        || (shake.ack_ns == Some(segment.time_ns)
            && segment.from == ConnectionSide::Client
            && segment.seq == 1)
}

/// Bytes sent by one end in each of its last round trips.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundHistory {
    start_ns: i64,
    bytes: u32,
    /// The last complete rounds, the newest first.
    last: [u32; 4],
    /// Complete rounds of this message.
    pub(crate) rounds: u32,
    /// A segment of this message was lost.
    pub(crate) lost: bool,
    /// The message began after idle time on a connection that had sent before.
    pub(crate) after_idle: bool,
}

impl RoundHistory {
    /// A message begins.
    pub(crate) fn begin(&mut self, after_idle: bool) {
        *self = RoundHistory {
            after_idle,
            ..RoundHistory::default()
        };
    }

    /// Takes a data segment of this end.
    pub(crate) fn observe(&mut self, segment: &Segment, rtt_ns: i64) {
        let round_ns = (rtt_ns * 9 / 10).max(LEAST_ROUND_NS);
        if segment.time_ns - self.start_ns >= round_ns {
            if self.bytes > 0 {
                self.last.rotate_right(1);
                self.last[0] = self.bytes;
                self.rounds += 1;
            }
            self.bytes = 0;
            self.start_ns = segment.time_ns;
        }
        self.bytes = self.bytes.saturating_add(segment.len);
        self.lost |= segment
            .marks
            .any(SegmentMarks::RESENT | SegmentMarks::LOST_SEGMENT)
            && !segment.marks.any(SegmentMarks::PROVEN_SPURIOUS);
    }

    /// Bytes of the round that a wait interrupts, or of the last whole one.
    pub(crate) fn round_bytes(&self) -> u32 {
        self.bytes.max(self.last[0])
    }

    /// True while rounds still grow.
    pub(crate) fn grows(&self) -> bool {
        let before = if self.bytes >= self.last[0] {
            self.last[0]
        } else {
            self.last[1]
        };
        self.rounds < 2 || u64::from(self.round_bytes()) * 20 > u64::from(before) * 21
    }
}

/// Longer times are compared as if they lasted so long (two years): times that
/// were made up must not overflow.
pub(crate) const LONGEST_NS: i64 = 1 << 56;

/// The reaction time of an end to a segment, in addition to the path.
const TURN_NS: i64 = 2_000_000;

/// Acknowledgements that show how the receiver reads.
const LUMPS: usize = 3;

/// Each frees so many segments.
const LUMP_SEGMENTS: usize = 5;

/// They are this far apart: longer than a receiver joins segments (GRO).
const LUMP_NS: i64 = 5_000_000;

/// Payload of a segment that every end accepts.
const LEAST_MSS: u32 = 536;

/// A shorter round trip cannot be distinguished from the time that an end takes.
const FAR_NS: i64 = 5_000_000;

/// Rounds are not shorter than this.
const LEAST_ROUND_NS: i64 = 200_000;

/// Segments that are searched for the last window.
const SEARCHED_SEGMENTS: usize = 64;
