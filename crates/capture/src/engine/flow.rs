//! The state of one live connection.

use super::link::Link;
use super::pairs::LinkRelation;
use crate::app::{ConnectionApp, UnitNote};
use crate::decode::{FlowKey, Packet};
use crate::evidence::RoundHistory;
use crate::stream::Stream;
use crate::tcp::TcpTracker;
use crate::{
    AnalysisOptions, Connection, ConnectionSide, Exchange, Segment, SegmentMarks, TcpFlags,
};

/// One live connection.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) key: FlowKey,
    /// The client is the first end of the key.
    client_is_first: bool,
    pub(super) connection: Connection,
    pub(super) tracker: TcpTracker,
    /// The numbering of an 802.2 link, where it is one.
    pub(super) link: Link,
    pub(super) streams: [Stream; 2],
    pub(super) app: ConnectionApp,
    pub(super) timeline: SegmentTimeline,
    /// Its row in the shard's services.
    pub(super) service: Option<usize>,
    /// Waits to be closed; late packets still belong to it.
    pub(super) closing: bool,
    /// The options leave it out.
    pub(super) unwanted: bool,
    /// Its SYN reused the addresses of an earlier connection.
    pub(super) port_reused: bool,
    /// The other connection of its DLSw link, where there is one.
    pub(super) pair: LinkRelation,
}

/// The segments of a connection since its exchange began, and how far they
/// have been walked.
#[derive(Debug, Default)]
pub(super) struct SegmentTimeline {
    pub(super) segments: Vec<Segment>,
    /// Index of the last segment that brought an exchange forward and was walked.
    pub(super) judged: usize,
    /// Its time; pipelined exchanges walk some waits again.
    pub(super) judged_ns: i64,
    /// Segments up to this index are in `rounds`.
    pub(super) walked: usize,
    /// Bytes a round trip of both ends.
    pub(super) rounds: [RoundHistory; 2],
    /// The last end that sent data, and when.
    last_data: Option<(ConnectionSide, i64)>,
    /// End of the last exchange; 0 before the first.
    pub(super) previous_end_ns: i64,
}

impl Flow {
    /// A connection that begins with `packet`; `segments` and `exchange` are
    /// memory to use.
    pub(super) fn new(
        packet: &Packet,
        segments: Vec<Segment>,
        exchange: Option<Box<Exchange>>,
    ) -> Flow {
        let from = first_sender(packet);
        let client_is_first = (from == ConnectionSide::Client) == packet.forward;
        let mut connection = Connection {
            id: packet.number,
            first_ns: packet.time_ns,
            last_ns: packet.time_ns,
            ..Connection::default()
        };
        let (client, server) = if client_is_first {
            (packet.key.end(0), packet.key.end(1))
        } else {
            (packet.key.end(1), packet.key.end(0))
        };
        (connection.client.address, connection.client.port) = client;
        (connection.server.address, connection.server.port) = server;
        Flow {
            key: packet.key,
            client_is_first,
            connection,
            tracker: TcpTracker::default(),
            link: Link::default(),
            streams: Default::default(),
            app: ConnectionApp::new(packet.number, exchange),
            timeline: SegmentTimeline {
                segments,
                ..SegmentTimeline::default()
            },
            service: None,
            closing: false,
            unwanted: false,
            port_reused: false,
            pair: LinkRelation::default(),
        }
    }

    /// The latest time that is known of it, its link's second connection included.
    pub(super) fn now_ns(&self) -> i64 {
        let latest_ns = self.timeline.segments.last().map_or(0, |s| s.time_ns);
        self.connection.last_ns.max(latest_ns)
    }

    /// The sender of `packet`.
    #[inline]
    pub(super) fn sender(&self, packet: &Packet) -> ConnectionSide {
        if packet.forward == self.client_is_first {
            ConnectionSide::Client
        } else {
            ConnectionSide::Server
        }
    }
}

impl SegmentTimeline {
    /// Adds a segment; where two connections share the timeline, none is before its
    /// predecessor. Returns the segment as it was added.
    #[inline]
    pub(super) fn push(&mut self, mut segment: Segment) -> Segment {
        if let Some(last) = self.segments.last() {
            segment.time_ns = segment.time_ns.max(last.time_ns);
        }
        self.segments.push(segment);
        segment
    }

    /// The segment of a packet, to change it.
    pub(super) fn packet_mut(&mut self, packet: u64) -> Option<&mut Segment> {
        let at = self.segments.binary_search_by_key(&packet, |s| s.packet);
        at.ok().map(|at| &mut self.segments[at])
    }

    /// Adds the notes of SNA units to the packet that carried them.
    pub(super) fn annotate(&mut self, note: UnitNote) {
        if let Some(last) = self.segments.last_mut() {
            last.marks.set(note.marks);
            last.session = note.session;
        }
    }

    /// Marks the copy of `byte` that `sender` need not have sent, and returns it.
    /// Returns `None` if it is not in the timeline (any more).
    pub(super) fn mark_needless(&mut self, sender: ConnectionSide, byte: u32) -> Option<Segment> {
        let recent = self.segments.iter_mut().rev().take(SEARCHED_SEGMENTS);
        for segment in recent {
            let covers = byte.wrapping_sub(segment.seq) < segment.len && segment.via == 0;
            // A report that begins in the middle is about the following
            // data: the beginning of this one was needed.
            let whole = byte == segment.seq || byte.wrapping_add(1) == segment.end_seq();
            let covers = covers && (whole || segment.marks.any(SegmentMarks::OFFLOADED));
            if segment.from == sender && covers && segment.marks.any(SegmentMarks::RESENT) {
                segment.marks.set(SegmentMarks::PROVEN_SPURIOUS);
                return Some(*segment);
            }
        }
        None
    }

    /// Counts the data segment at `at` among its sender's round trips.
    pub(super) fn observe(&mut self, at: usize, rtt_ns: i64) {
        self.walked = at;
        let segment = self.segments[at];
        if segment.len == 0 {
            return;
        }
        let rounds = &mut self.rounds[segment.from.index()];
        match self.last_data {
            Some((from, at_ns)) if from == segment.from => {
                // A pause of the sender begins a new message, too.
                if segment.marks.any(SegmentMarks::AFTER_IDLE)
                    && segment.time_ns - at_ns > rtt_ns * 2
                {
                    rounds.begin(true);
                }
            }
            last => rounds.begin(last.is_some() && segment.marks.any(SegmentMarks::AFTER_IDLE)),
        }
        rounds.observe(&segment, rtt_ns);
        self.last_data = Some((segment.from, segment.time_ns));
    }

    /// Drops segments that no kind of evidence needs, keeping the context of
    /// the next wait. `wanted` is the first packet of the oldest open exchange.
    pub(super) fn trim(&mut self, wanted: Option<u64>) {
        let mut drop = self.judged.saturating_sub(CONTEXT);
        if let Some(packet) = wanted {
            drop = drop.min(self.segments.partition_point(|s| s.packet < packet));
        }
        self.segments.drain(..drop);
        self.judged -= drop;
        self.walked = self.walked.saturating_sub(drop);
    }

    /// Copies the segments of an exchange into it, from `from_ns` to `to_ns`:
    /// all of them up to half of `limit`, then those next to a gap.
    pub(super) fn collect(
        &self,
        exchange: &mut Exchange,
        (from_ns, to_ns): (i64, i64),
        options: &AnalysisOptions,
    ) {
        let have = exchange.segments.last().map_or(0, |last| last.packet);
        let have = have.max(exchange.segments_to);
        let start = (self.segments).partition_point(|s| s.time_ns < from_ns || s.packet <= have);
        for (at, segment) in self.segments.iter().enumerate().skip(start) {
            if segment.time_ns > to_ns {
                break;
            }
            exchange.segments_to = segment.packet;
            let gap = |a: usize, b: usize| match (self.segments.get(a), self.segments.get(b)) {
                (Some(a), Some(b)) => b.time_ns - a.time_ns > options.gap_ns,
                _ => false,
            };
            let kept = exchange.segments.len();
            let beside_gap = (at > 0 && gap(at - 1, at)) || gap(at, at + 1);
            if kept < options.keep_segments / 2 || (beside_gap && kept < options.keep_segments) {
                exchange.segments.push(*segment);
            } else {
                exchange.segments_omitted += 1;
            }
        }
    }
}

/// The role of the sender of a connection's first captured packet: given by a SYN;
/// otherwise the lower port is assumed to be the server's.
fn first_sender(packet: &Packet) -> ConnectionSide {
    if packet.flags.has(TcpFlags::SYN) {
        return if packet.flags.has(TcpFlags::ACK) {
            ConnectionSide::Server
        } else {
            ConnectionSide::Client
        };
    }
    let [first, second] = packet.key.ports;
    let (source, destination) = if packet.forward {
        (first, second)
    } else {
        (second, first)
    };
    if source < destination {
        ConnectionSide::Server
    } else {
        ConnectionSide::Client
    }
}

/// Segments among which the copy is looked for that a receiver reports.
const SEARCHED_SEGMENTS: usize = 256;

/// Segments kept before a wait that is not walked yet.
pub(super) const CONTEXT: usize = 48;
