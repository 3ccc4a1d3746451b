//! One share of the connections, analysed in the order of the file.
//!
//! The table of live connections is bounded: past the limit the one that was
//! idle longest among a few looked at is closed early and counted. A
//! connection that has ended is kept for one more second of the capture, if there are not many, so
//! that late packets find it, and is then summed up and dropped.

use super::flow::Flow;
use super::worst::{ItemRank, WorstItems};
use super::{SHARDS, sum::ServiceTable};
use crate::app::PacketStamp;
use crate::decode::{FlowKey, Packet};
use crate::ledger::WaitLedger;
use crate::stream::StreamChunk;
use crate::{
    AnalysisOptions, AppProtocol, CaptureTotals, Connection, ConnectionSide, Exchange, Segment,
    SegmentMarks, TcpFlags,
};
use std::collections::{HashMap, VecDeque};

/// One part of the connections and its results.
pub(super) struct ConnectionShard {
    pub(super) table: HashMap<FlowKey, u32, foldhash::fast::RandomState>,
    pub(super) flows: Vec<Option<Box<Flow>>>,
    /// Number of the last packet of each slot, 0 for a free one; by itself,
    /// so that the search for an idle connection touches little memory.
    pub(super) last_packets: Vec<u64>,
    pub(super) free: Vec<u32>,
    /// The connection of the last packet: often that of the next.
    pub(super) last: Option<(FlowKey, u32)>,
    /// Connections of DLSw whose link is not known yet, the oldest first.
    pub(super) waiting: Vec<u32>,
    /// Connections that have ended: slot, identity, when to close.
    closing: VecDeque<(u32, u64, i64)>,
    /// Pairs of ends whose connection was dropped, and when that was.
    recent: HashMap<FlowKey, EndedConnection, foldhash::fast::RandomState>,
    /// The same in order of time.
    recent_order: VecDeque<(FlowKey, i64)>,
    /// Where the search for an idle connection continues.
    hand: usize,
    pub(super) limit: usize,
    /// Time of the latest packet.
    pub(super) latest_ns: i64,
    /// The capture has ended.
    ended: bool,
    pub(super) facts: crate::verdict::ConnectionFacts,
    pub(super) totals: CaptureTotals,
    pub(super) services: ServiceTable,
    pub(super) ledger: WaitLedger,
    pub(super) connections: WorstItems<Connection>,
    pub(super) exchanges: WorstItems<Exchange>,
    /// Memory of connections that were dropped.
    spare: Vec<SpareBuffers>,
}

/// Buffers of a closed connection, for reuse.
struct SpareBuffers {
    segments: Vec<Segment>,
    exchange: Option<Box<Exchange>>,
}

impl ConnectionShard {
    /// A share without connections.
    pub(super) fn new(options: &AnalysisOptions) -> ConnectionShard {
        ConnectionShard {
            table: HashMap::default(),
            flows: Vec::new(),
            last_packets: Vec::new(),
            free: Vec::new(),
            last: None,
            waiting: Vec::new(),
            closing: VecDeque::new(),
            recent: HashMap::default(),
            recent_order: VecDeque::new(),
            hand: 0,
            latest_ns: i64::MIN,
            limit: (options.max_connections / SHARDS).max(1),
            ended: false,
            facts: crate::verdict::ConnectionFacts::default(),
            totals: CaptureTotals::default(),
            services: ServiceTable::default(),
            ledger: WaitLedger::default(),
            connections: WorstItems::new(options.keep_connections),
            exchanges: WorstItems::new(options.keep_exchanges),
            spare: Vec::new(),
        }
    }

    /// Takes the next packet of this share, with its captured payload.
    pub(super) fn handle_packet(
        &mut self,
        packet: &Packet,
        payload: &[u8],
        options: &AnalysisOptions,
    ) {
        self.close_due(packet.time_ns, options);
        self.latest_ns = self.latest_ns.max(packet.time_ns);
        let slot = self.slot(packet, options);
        self.last_packets[slot as usize] = packet.number;
        let Some((flow, mut holder)) = ConnectionShard::link(&mut self.flows, slot) else {
            return;
        };
        if flow.unwanted {
            return;
        }
        flow.pair.dlsw |= packet.dlsw;
        let side = flow.sender(packet);
        if packet.llc.is_some() {
            let segment = flow.handle_llc(packet, side, payload);
            self.totals.segments += 1;
            self.totals.backward_times += segment.marks.any(SegmentMarks::TIME_BACKWARDS) as u64;
            self.move_on(slot, &segment, options);
            return;
        }
        let mut segment = flow
            .tracker
            .handle_packet(&mut flow.connection, packet, side);
        if segment.len > 0 {
            segment.head =
                (payload.first_chunk().copied()).or_else(|| whole_head(&segment, payload));
        }
        self.totals.segments += 1;
        if segment
            .marks
            .any(SegmentMarks::DUPLICATE_FRAME | SegmentMarks::TIME_BACKWARDS)
        {
            self.totals.backward_times += segment.marks.any(SegmentMarks::TIME_BACKWARDS) as u64;
            if segment.marks.any(SegmentMarks::DUPLICATE_FRAME) {
                self.totals.duplicate_frames += 1;
                return;
            }
        }
        if flow.port_reused
            && segment.flags.has(TcpFlags::SYN)
            && segment.packet == flow.connection.id
        {
            segment.marks.set(SegmentMarks::PORT_REUSED);
        }
        if let Some(byte) = flow.tracker.proven
            && let Some(copy) = flow.timeline.mark_needless(side.other(), byte)
        {
            flow.app.assembler.forget_resend(copy.packet);
            let sender = flow.connection.end_mut(side.other());
            sender
                .marks
                .add(SegmentMarks(SegmentMarks::PROVEN_SPURIOUS));
            let of_link = (holder.as_mut()).and_then(|h| h.timeline.packet_mut(copy.packet));
            if let Some(copy) = of_link {
                copy.marks.set(SegmentMarks::PROVEN_SPURIOUS);
            }
        }
        let mut segment = flow.timeline.push(segment);
        if let Some(holder) = &mut holder {
            segment = holder.timeline.push(flow.of_link(segment));
        }
        let stamp = PacketStamp {
            time_ns: segment.time_ns,
            packet: segment.packet,
        };
        if segment.flags.has(TcpFlags::SYN) {
            flow.streams[side.index()].start(segment.seq.wrapping_add(1));
        }
        if segment.flags.has(TcpFlags::FIN) {
            flow.streams[side.index()].finish(segment.seq.wrapping_add(segment.len));
        }
        // If only one end sends, no data of the other end shows a gap.
        let shows =
            segment.len > 0 || (flow.pair.dlsw && flow.streams[side.other().index()].has_hole());
        if shows && !segment.flags.any(TcpFlags::RST | TcpFlags::SYN) {
            let same = segment.from == side;
            let Flow {
                streams,
                app,
                connection,
                ..
            } = &mut *flow;
            let mut say = |from: ConnectionSide, chunk: StreamChunk<'_>| match &mut holder {
                Some(link) => {
                    let from = if same { from } else { from.other() };
                    let Flow {
                        app, connection, ..
                    } = &mut **link;
                    app.handle_second(connection, from, chunk, stamp);
                }
                None => app.handle_chunk(connection, from, chunk, stamp, options),
            };
            let [client, server] = streams;
            let (own, other) = match side {
                ConnectionSide::Client => (client, server),
                ConnectionSide::Server => (server, client),
            };
            if segment.flags.has(TcpFlags::ACK) {
                // Midway: the next data of the other side begins
                // here.
                other.start(segment.ack);
                other.settle(segment.ack, |chunk| say(side.other(), chunk));
            }
            if segment.len > 0 && !segment.marks.any(SegmentMarks::KEEP_ALIVE) {
                own.accept(
                    segment.seq,
                    segment.len,
                    payload,
                    options.max_held_bytes,
                    |chunk| say(side, chunk),
                );
            }
        }
        if (segment.marks.any(SegmentMarks::RESENT) || flow.tracker.copied)
            && !segment.marks.any(SegmentMarks::SPURIOUS_RETRANSMISSION)
            && segment.len > 0
        {
            flow.app.assembler.resend(side, stamp);
        }
        let link = holder.unwrap_or(flow);
        if let Some(note) = link.app.take_note() {
            link.timeline.annotate(note);
        }
        let waits = segment.len > 0 && link.app.unlinked_messages().is_some();
        if waits {
            self.settle(slot, false);
        }
        self.move_on(slot, &segment, options);
    }

    /// After a packet: completes exchanges that have ended, trims the timeline,
    /// and closes ended connections.
    #[inline]
    fn move_on(&mut self, slot: u32, segment: &Segment, options: &AnalysisOptions) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let closed = flow.connection.close.is_closed();
        let holder = flow.pair.holder;
        if let Some(holder) = holder {
            self.last_packets[holder as usize] = segment.packet;
            self.finish_settled(holder, segment, options);
            self.keep_timeline_short(holder, options);
        } else {
            self.finish_settled(slot, segment, options);
        }
        self.keep_timeline_short(slot, options);
        self.queue_if(closed, slot, segment.time_ns);
    }

    /// Closes every connection that is left; the capture's last packet was at `latest_ns`.
    pub(super) fn finish(&mut self, latest_ns: i64, options: &AnalysisOptions) {
        self.latest_ns = latest_ns;
        self.ended = true;
        for slot in 0..self.flows.len() as u32 {
            self.settle(slot, true);
        }
        for slot in 0..self.flows.len() as u32 {
            self.close(slot, false, options);
        }
    }

    /// The slot of the packet's connection, which may be new.
    fn slot(&mut self, packet: &Packet, options: &AnalysisOptions) -> u32 {
        let known = match self.last {
            Some((key, slot)) if key == packet.key => Some(slot),
            _ => self.table.get(&packet.key).copied(),
        };
        let opens = packet.flags.has(TcpFlags::SYN) && !packet.flags.has(TcpFlags::ACK);
        let mut reused = false;
        if let Some(slot) = known {
            let flow = self.flows[slot as usize].as_deref();
            let same = flow.is_some_and(|flow| {
                let sender = flow.sender(packet);
                let is_new = flow.tracker.is_new_syn(sender, packet.seq);
                // No end asks again after data of its own: the same number again is
                // another connection (a trace that is played again).
                let spoke = flow.connection.end(sender).data_segments > 0
                    && packet.time_ns - flow.connection.first_ns > SYN_AGAIN_NS;
                !opens || !(is_new || spoke)
            });
            if same {
                self.last = Some((packet.key, slot));
                return slot;
            }
            // The address pair is used again.
            self.end(slot, true, options);
            reused = true;
        } else if let Some(ended) = self.recent.get(&packet.key) {
            let soon = packet.time_ns - ended.at_ns < REUSE_NS;
            reused = opens && soon && ended.refused != Some(packet.seq);
        }
        if self.table.len() >= self.limit {
            self.evict(options);
        }
        let slot = self.free_slot();
        let spare = self.spare.pop();
        let (segments, exchange) =
            spare.map_or_else(Default::default, |s| (s.segments, s.exchange));
        let mut flow = Box::new(Flow::new(packet, segments, exchange));
        flow.port_reused = reused;
        let (client, server) = (&flow.connection.client, &flow.connection.server);
        flow.unwanted = !options.wants(packet.number, client.address, server.address);
        self.flows[slot as usize] = Some(flow);
        self.table.insert(packet.key, slot);
        self.last = Some((packet.key, slot));
        slot
    }

    /// An unused slot.
    pub(super) fn free_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.last_packets.push(0);
            self.flows.len() as u32 - 1
        })
    }

    /// Puts a connection that has ended in the queue.
    #[inline]
    fn queue_if(&mut self, closed: bool, slot: u32, now_ns: i64) {
        if closed
            && let Some(flow) = self.flows[slot as usize].as_deref_mut()
            && !flow.closing
        {
            flow.closing = true;
            let entry = (slot, flow.connection.id, now_ns.saturating_add(LINGER_NS));
            self.closing.push_back(entry);
        }
    }

    /// Closes the connections whose time is reached.
    #[inline]
    fn close_due(&mut self, now_ns: i64, options: &AnalysisOptions) {
        while let Some((slot, id, due_ns)) = self.closing.front().copied() {
            if due_ns > now_ns && self.closing.len() <= MAX_CLOSING {
                return;
            }
            self.closing.pop_front();
            let flow = self.flows[slot as usize].as_deref();
            let Some(flow) = flow.filter(|flow| flow.connection.id == id) else {
                continue;
            };
            let due_ns = flow.connection.last_ns.saturating_add(LINGER_NS);
            if due_ns > now_ns && self.closing.len() < MAX_CLOSING {
                // Reused in the meantime: the following packets
                // still belong to it.
                self.closing.push_back((slot, id, due_ns));
                return;
            }
            self.end(slot, false, options);
        }
    }

    /// Closes the connection that was idle longest among the next few.
    pub(super) fn evict(&mut self, options: &AnalysisOptions) {
        let mut oldest: Option<(u64, usize)> = None;
        let mut looked_at = 0;
        for _ in 0..self.last_packets.len() {
            self.hand = (self.hand + 1) % self.last_packets.len();
            let last_packet = self.last_packets[self.hand];
            if last_packet == 0 {
                continue;
            }
            let this = (last_packet, self.hand);
            oldest = Some(oldest.map_or(this, |other| other.min(this)));
            looked_at += 1;
            if looked_at == IDLE_SEARCH_LIMIT {
                break;
            }
        }
        if let Some((_, slot)) = oldest {
            self.close(slot as u32, true, options);
        }
    }

    /// Sums up a connection and drops it.
    pub(super) fn close(&mut self, slot: u32, evicted: bool, options: &AnalysisOptions) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        // A wait continues after the last packet, to the end of the capture.
        let until_ns = if self.ended && !flow.connection.close.is_closed() && !evicted {
            self.latest_ns.max(flow.now_ns())
        } else {
            flow.now_ns()
        };
        let holes = flow.streams.iter().any(crate::stream::Stream::has_hole);
        // A link of DLSw continues after bytes that the capture lost.
        let streams = flow.connection.protocol != AppProtocol::Dlsw;
        let unfinished = streams && (holes || flow.tracker.is_stuck());
        flow.app.close(unfinished);
        if !flow.unwanted {
            self.finish_exchanges(slot, until_ns, options);
            self.finish_attempt(slot, until_ns, options);
        }
        let rest = self.leave_link(slot);
        let Some(mut flow) = self.flows[slot as usize].take() else {
            return;
        };
        let unwanted = flow.unwanted;
        self.free.push(slot);
        self.last_packets[slot as usize] = 0;
        if self.table.get(&flow.key) == Some(&slot) {
            self.table.remove(&flow.key);
        }
        self.last = None;
        let refused = flow.connection.was_refused();
        let ended = EndedConnection {
            at_ns: flow.connection.last_ns,
            refused: refused
                .then(|| flow.tracker.first_seq(ConnectionSide::Client))
                .flatten(),
        };
        self.remember(flow.key, ended);
        if self.spare.len() < MAX_SPARE {
            let mut segments = flow.timeline.segments;
            segments.clear();
            let exchange = flow.app.assembler.spare.take();
            self.spare.push(SpareBuffers { segments, exchange });
        }
        flow.connection.evicted = evicted;
        if unwanted {
            return;
        }
        let connection = flow.connection;
        let service = (self.services).row(flow.service, &connection);
        self.services.add_connection(service, &connection);
        self.count(&connection);
        let total_ns = connection.slices.total_ns();
        let rank = ItemRank::new(total_ns, 0, (connection.id, 0));
        if self.connections.qualifies(rank) {
            self.connections.insert(rank, Box::new(connection));
        }
        if let Some(rest) = rest {
            self.close(rest, evicted, options);
        }
    }

    /// Adds a connection that has ended to the sums.
    fn count(&mut self, connection: &Connection) {
        let totals = &mut self.totals;
        totals.connections += 1;
        totals.evicted_connections += u64::from(connection.evicted);
        let shake = &connection.handshake;
        let tcp = connection.protocol != AppProtocol::Sna;
        totals.midway_connections += u64::from(tcp && shake.syns == 0 && shake.syn_acks == 0);
        let unanswered = shake.syns > 0 && shake.syn_acks == 0;
        totals.unanswered_connections += u64::from(unanswered);
        totals.ackless_connections += u64::from(tcp && connection.lacks_acks());
        totals.made_times += u64::from(tcp && connection.has_made_times());
        let sent = [connection.client.bytes, connection.server.bytes];
        let half = connection.protocol == AppProtocol::Dlsw && sent.contains(&0);
        totals.half_links += u64::from(half && connection.link.is_none());
        totals.payload_bytes += sent[0] + sent[1];
        totals.marks.merge(&connection.client.marks);
        totals.marks.merge(&connection.server.marks);
        self.facts.add(connection);
    }

    /// Stores that a pair of ends was used.
    fn remember(&mut self, key: FlowKey, ended: EndedConnection) {
        self.recent.insert(key, ended);
        self.recent_order.push_back((key, ended.at_ns));
        if self.recent_order.len() > MAX_RECENT
            && let Some((key, at_ns)) = self.recent_order.pop_front()
            && self.recent.get(&key).is_some_and(|one| one.at_ns == at_ns)
        {
            self.recent.remove(&key);
        }
    }
}

/// The end of a connection of a pair of ends.
#[derive(Debug, Clone, Copy)]
struct EndedConnection {
    at_ns: i64,
    /// The number of its SYN where that was refused: a client that asks again
    /// (Windows does twice, half a second apart) sends the same one.
    refused: Option<u32>,
}

/// The head of a payload shorter than four bytes that was captured whole.
#[cold]
fn whole_head(segment: &Segment, payload: &[u8]) -> Option<[u8; 4]> {
    let mut head = [0; 4];
    (payload.len() == segment.len as usize).then(|| {
        head[..payload.len()].copy_from_slice(payload);
        head
    })
}

/// A pair of ends used again within this time is reported: a client that closed
/// first keeps its port for as long (TIME_WAIT).
const REUSE_NS: i64 = 60_000_000_000;

/// Pairs of ends remembered for it, a shard.
const MAX_RECENT: usize = 4096;

/// A SYN so long after the first is not a second recording of it.
const SYN_AGAIN_NS: i64 = 90_000_000;

/// How long a connection that has ended still gets late packets.
const LINGER_NS: i64 = 1_000_000_000;

/// Connections that have ended and still linger, a shard.
const MAX_CLOSING: usize = 64;

/// Dropped connections whose memory is kept for the next, a shard.
const MAX_SPARE: usize = 16;

/// Connections looked at to find one that is idle.
const IDLE_SEARCH_LIMIT: usize = 16;
