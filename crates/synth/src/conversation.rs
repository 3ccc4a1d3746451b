//! The events of one conversation in virtual time: packets that arrive, timers
//! that run out, applications that write and read.
//!
//! [`simulate`] returns the segments as the capture point saw them and each side's
//! stream of bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::end::TcpControlBlock;
use super::frame::{ACK, FIN, PSH, RST, SYN, Segment};
use super::model::{CapturePlace, CloseStyle, Conversation, FaultAction, PacketSelector};
use super::payload;
use base::SeededRandom;
use capture::ConnectionSide;

/// Plays the conversation. Returns segments in capture order, and the stream of
/// each side.
pub fn simulate(conversation: &Conversation) -> (Vec<Segment>, [Vec<u8>; 2]) {
    let mut play = ConversationPlay::new(conversation);
    play.run();
    let mut segments = play.captured;
    segments.sort_by_key(|s| s.at_ns);
    if conversation.without_handshake {
        segments.retain(|s| s.flags & SYN == 0);
    }
    (segments, play.streams)
}

#[derive(Debug, Clone)]
enum PlayEvent {
    Open(u32),
    Arrive(Segment),
    AckTimer(ConnectionSide),
    RtoTimer(ConnectionSide),
    PersistTimer(ConnectionSide),
    Write(ConnectionSide, u32),
    Shut(ConnectionSide),
    Reset(ConnectionSide),
    Resume(ConnectionSide),
}

struct ConversationPlay<'a> {
    script: &'a Conversation,
    ends: [TcpControlBlock; 2],
    streams: [Vec<u8>; 2],
    /// The end of each message in its side's stream.
    marks: [Vec<u32>; 2],
    /// The end of each write.
    pushes: [Vec<u32>; 2],
    /// Messages each side has read whole.
    done: [usize; 2],
    queue: BinaryHeap<Reverse<(u64, u64, usize)>>,
    events: Vec<PlayEvent>,
    captured: Vec<Segment>,
    now: u64,
    link_free: [u64; 2],
    last_arrival: [u64; 2],
    counts: [[u32; 3]; 2],
    rng: SeededRandom,
    gone: bool,
}

impl<'a> ConversationPlay<'a> {
    fn new(script: &'a Conversation) -> Self {
        let mut rng = SeededRandom::new(script.seed);
        let mut isn = || rng.next_u64() as u32;
        let ends = [
            TcpControlBlock::new(&script.ends[0], isn()),
            TcpControlBlock::new(&script.ends[1], isn()),
        ];
        let mut play = ConversationPlay {
            script,
            ends,
            streams: [Vec::new(), Vec::new()],
            marks: [Vec::new(), Vec::new()],
            pushes: [Vec::new(), Vec::new()],
            done: [0, 0],
            queue: BinaryHeap::new(),
            events: Vec::new(),
            captured: Vec::new(),
            now: script.start_us * 1000,
            link_free: [0, 0],
            last_arrival: [0, 0],
            counts: [[0; 3]; 2],
            rng,
            gone: false,
        };
        for (nth, exchange) in script.exchanges.iter().enumerate() {
            for side in [ConnectionSide::Client, ConnectionSide::Server] {
                let i = side.index();
                let writes = [&exchange.request, &exchange.response][i];
                if !writes.is_empty() {
                    let message = payload::message(script.payload, side, exchange, nth);
                    play.streams[i].extend(message);
                }
                play.marks[i].push(play.streams[i].len() as u32);
            }
        }
        play.at(play.now, PlayEvent::Open(0));
        play
    }

    fn at(&mut self, time: u64, event: PlayEvent) {
        self.queue
            .push(Reverse((time, self.events.len() as u64, self.events.len())));
        self.events.push(event);
    }

    fn run(&mut self) {
        while let Some(Reverse((time, _, event))) = self.queue.pop() {
            if self.events.len() > EVENTS_MAX {
                break;
            }
            self.now = time;
            match self.events[event].clone() {
                PlayEvent::Open(tries) => self.open(tries),
                PlayEvent::Arrive(segment) => self.arrive(segment),
                PlayEvent::AckTimer(side) => {
                    if self.end(side).ack_at == Some(time) {
                        self.acknowledge(side, None);
                    }
                }
                PlayEvent::RtoTimer(side) => self.timeout(side),
                PlayEvent::PersistTimer(side) => self.probe(side),
                PlayEvent::Write(side, to) => {
                    self.pushes[side.index()].push(to);
                    self.end(side).written = to;
                    self.output(side);
                }
                PlayEvent::Shut(side) => {
                    self.end(side).fin = true;
                    self.output(side);
                }
                PlayEvent::Reset(side) => {
                    let seq = self.end(side).nxt;
                    self.send(side, RST | ACK, seq, 0, None);
                    self.gone = true;
                }
                PlayEvent::Resume(side) => {
                    self.end(side).paused = false;
                    self.read(side);
                }
            }
        }
    }

    fn end(&mut self, side: ConnectionSide) -> &mut TcpControlBlock {
        &mut self.ends[side.index()]
    }

    fn open(&mut self, tries: u32) {
        if self.ends[1].established || self.ends[0].established || tries > 5 {
            return;
        }
        self.send(ConnectionSide::Client, SYN, 0, 0, None);
        self.at(
            self.now + (1_000_000_000 << tries),
            PlayEvent::Open(tries + 1),
        );
    }

    /// Puts a segment on the path. `seq` and the payload are stream offsets.
    fn send(
        &mut self,
        side: ConnectionSide,
        flags: u8,
        seq: u32,
        len: u32,
        dsack: Option<(u32, u32)>,
    ) {
        let peer_iss = self.ends[side.other().index()].iss;
        let scaled = self.script.ends.iter().all(|e| e.options);
        let hop_limit = match (flags & RST != 0, self.script.close) {
            (true, CloseStyle::ResetOnPath { hop_limit }) => hop_limit,
            _ => HOP_LIMIT,
        };
        let now = self.now;
        let end = self.end(side);
        let syn = flags & SYN != 0;
        let window = end.window();
        let base = |iss: u32, offset: u32| iss.wrapping_add(1).wrapping_add(offset);
        let received = end.received + u32::from(end.peer_fin);
        let mut sack: Vec<(u32, u32)> = Vec::new();
        if scaled && !syn && len == 0 {
            sack.extend(dsack);
            sack.extend(end.holes.iter().rev());
            for block in &mut sack {
                *block = (base(peer_iss, block.0), base(peer_iss, block.1));
            }
        }
        end.next_id = end.next_id.wrapping_add(1);
        let segment = Segment {
            at_ns: now,
            from: side,
            seq: if syn { end.iss } else { base(end.iss, seq) },
            ack: base(peer_iss, received),
            id: end.next_id,
            hop_limit,
            flags,
            window: match (syn, scaled) {
                (false, true) => (window >> SCALE).min(65_535) as u16,
                _ => window.min(65_535) as u16,
            },
            len,
            offset: seq.min(end.written),
            mss: if syn { end.end.mss } else { 0 },
            scale: end.end.options.then_some(SCALE),
            sack,
            stamp: scaled.then_some(((now / 1_000_000) as u32 + end.iss % 9973, end.peer_stamp)),
            multipath: None,
        };
        if syn {
            end.last_sent_ns = now;
        }
        if flags & ACK != 0 {
            end.pending = 0;
            end.ack_at = None;
            end.announced = window;
        }
        self.travel(segment);
    }

    fn travel(&mut self, mut segment: Segment) {
        let path = &self.script.path;
        let side = segment.from;
        let size = u64::from(segment.len) + 66;
        let time = match path.bytes_per_s {
            0 => 0,
            rate => size * 1_000_000_000 / rate,
        };
        let leaves = self.now.max(self.link_free[side.index()]);
        self.link_free[side.index()] = leaves + time;
        let mut arrives = leaves + time + path.one_way_us * 1000;
        if path.jitter_us > 0 {
            arrives += self.rng.below(path.jitter_us * 1000);
            arrives = arrives.max(self.last_arrival[side.index()] + 1_000);
            self.last_arrival[side.index()] = arrives;
        }
        let counts = &mut self.counts[side.index()];
        let kind = match (segment.flags & SYN != 0, segment.len) {
            (true, _) => 0,
            (_, 0) => 2,
            _ => 1,
        };
        let nth = counts[kind];
        counts[kind] += 1;
        let hit = |select: PacketSelector| match select {
            PacketSelector::Syn(n) => kind == 0 && n == nth,
            PacketSelector::Data(n) => kind == 1 && n == nth,
            PacketSelector::DataRange(from, to) => kind == 1 && (from..to).contains(&nth),
            PacketSelector::Ack(n) => kind == 2 && n == nth,
            PacketSelector::LongerThan(bytes) => segment.len > bytes,
        };
        let mut action = path
            .faults
            .iter()
            .find(|f| f.from == side && hit(f.select))
            .map(|f| f.action);
        if kind == 1 && path.loss_one_in > 0 && self.rng.one_in(path.loss_one_in) {
            action = Some(FaultAction::Lose);
        }
        let near = match path.capture {
            CapturePlace::Client => side == ConnectionSide::Client,
            CapturePlace::Server => side == ConnectionSide::Server,
            CapturePlace::Middle => true,
        };
        if let Some(FaultAction::DelayUs(us)) = action {
            arrives += us * 1000;
        }
        segment.at_ns = match (path.capture, near) {
            (CapturePlace::Middle, _) => leaves + (path.one_way_us * 1000) / 2,
            (_, true) => leaves,
            (_, false) => arrives,
        };
        let lost = action == Some(FaultAction::Lose);
        if near || !lost {
            self.captured.push(segment.clone());
            if let Some(us) = path.captured_twice_us {
                let mut again = segment.clone();
                again.at_ns += us * 1000;
                self.captured.push(again);
            }
        }
        if lost {
            return;
        }
        if action == Some(FaultAction::Duplicate) {
            let mut again = segment.clone();
            again.at_ns += 20_000;
            if !near {
                self.captured.push(again.clone());
            }
            self.at(arrives + 20_000 + HANDLING_NS, PlayEvent::Arrive(again));
        }
        self.at(arrives + HANDLING_NS, PlayEvent::Arrive(segment));
    }

    fn arrive(&mut self, segment: Segment) {
        let side = segment.from.other();
        if self.gone && segment.flags & RST == 0 {
            return;
        }
        if let Some((value, _)) = segment.stamp {
            self.end(side).peer_stamp = value;
        }
        if segment.flags & SYN != 0 {
            self.handshake(side, &segment);
            return;
        }
        let now = self.now;
        let peer_iss = self.ends[segment.from.index()].iss;
        let scaled = self.script.ends.iter().all(|e| e.options);
        let peer_mss = self.script.ends[segment.from.index()].mss;
        let end = self.end(side);
        if !end.established {
            end.establish(peer_mss, scaled, now);
        }
        end.peer_window = if scaled {
            u32::from(segment.window) << SCALE
        } else {
            u32::from(segment.window)
        };
        if end.peer_window > 0 {
            end.persist_at = None;
            end.probes = 0;
        }
        let ack = segment.ack.wrapping_sub(end.iss).wrapping_sub(1);
        let pure = segment.len == 0 && segment.flags & FIN == 0;
        let again = end.acknowledged(ack, pure, now);
        if let Some(from) = again {
            let end = self.end(side);
            let len = end.mss.min(end.written.saturating_sub(from));
            self.transmit(side, from, len);
        }
        let offset = segment.seq.wrapping_sub(peer_iss).wrapping_sub(1);
        if segment.len > 0 {
            let (at_once, duplicate) = self.end(side).arrived(offset, offset + segment.len, now);
            self.read(side);
            if at_once {
                self.acknowledge(side, duplicate);
            } else if let Some(at) = self.end(side).ack_at {
                self.at(at, PlayEvent::AckTimer(side));
            }
        } else if offset.wrapping_add(1) == self.end(side).received && segment.flags & FIN == 0 {
            // A probe of one byte before the window: announce the window again.
            self.acknowledge(side, None);
        }
        if segment.flags & FIN != 0 && offset + segment.len == self.end(side).received {
            let first = !std::mem::replace(&mut self.end(side).peer_fin, true);
            self.acknowledge(side, None);
            if first && self.script.close != CloseStyle::HalfByClient {
                self.at(self.now, PlayEvent::Shut(side));
            }
        }
        self.output(side);
    }

    fn handshake(&mut self, side: ConnectionSide, segment: &Segment) {
        let now = self.now;
        match side {
            ConnectionSide::Server => {
                let window = u32::from(segment.window);
                self.end(side).peer_window = window;
                self.send(ConnectionSide::Server, SYN | ACK, 0, 0, None);
            }
            ConnectionSide::Client if self.ends[0].established => {
                self.acknowledge(ConnectionSide::Client, None)
            }
            ConnectionSide::Client => {
                self.end(side).peer_window = u32::from(segment.window);
                let stamps = self.script.ends.iter().all(|e| e.options);
                self.end(side).establish(segment.mss, stamps, now);
                self.acknowledge(ConnectionSide::Client, None);
                self.request(0);
            }
        }
    }

    /// Sends its own acknowledgement.
    fn acknowledge(&mut self, side: ConnectionSide, dsack: Option<(u32, u32)>) {
        let seq = self.end(side).max;
        self.send(side, ACK, seq, 0, dsack);
    }

    /// Sends everything that may be sent.
    fn output(&mut self, side: ConnectionSide) {
        if !self.end(side).established || self.gone {
            return;
        }
        loop {
            let now = self.now;
            let bytes = self.end(side).sendable(now);
            if bytes == 0 {
                break;
            }
            let from = self.end(side).nxt;
            self.transmit(side, from, bytes);
            let end = self.end(side);
            end.nxt = from + bytes;
            end.max = end.max.max(end.nxt);
            end.last_sent_ns = now;
            if end.timed.is_none() && end.max == end.nxt {
                end.timed = Some((end.nxt, now));
            }
        }
        let now = self.now;
        let end = self.end(side);
        let all_out = end.nxt == end.written;
        if end.fin && all_out && end.max == end.written {
            let seq = end.nxt;
            end.max += 1;
            end.nxt += 1;
            self.send(side, FIN | ACK, seq, 0, None);
        }
        let end = self.end(side);
        if end.peer_window <= end.flight()
            && end.flight() == 0
            && end.written > end.nxt
            && end.persist_at.is_none()
        {
            let at = now + (200_000_000 << end.probes.min(5));
            end.persist_at = Some(at);
            self.at(at, PlayEvent::PersistTimer(side));
        }
    }

    fn transmit(&mut self, side: ConnectionSide, from: u32, len: u32) {
        let push = self.pushes[side.index()]
            .binary_search(&(from + len))
            .is_ok();
        let flags = if push { ACK | PSH } else { ACK };
        let now = self.now;
        self.send(side, flags, from, len, None);
        let end = self.end(side);
        if end.rto_at.is_none() || from == end.una {
            end.rto_at = Some(now + end.rto_ns());
        }
        self.watch(side);
    }

    /// One timer event a side waits for the retransmission timeout.
    fn watch(&mut self, side: ConnectionSide) {
        let end = self.end(side);
        if let (Some(at), false) = (end.rto_at, end.rto_watched) {
            end.rto_watched = true;
            self.at(at, PlayEvent::RtoTimer(side));
        }
    }

    fn timeout(&mut self, side: ConnectionSide) {
        let (now, gone) = (self.now, self.gone);
        let end = self.end(side);
        end.rto_watched = false;
        let due = end.rto_at.is_some_and(|at| at <= now);
        if due && end.max > end.una && end.backoff < 7 && !gone {
            end.rto_at = None;
            end.timed_out();
            if end.fin && end.max > end.written {
                end.max = end.written;
                end.nxt = end.una.min(end.written);
            }
            self.output(side);
        }
        self.watch(side);
    }

    fn probe(&mut self, side: ConnectionSide) {
        let now = self.now;
        let end = self.end(side);
        if end.persist_at != Some(now) {
            return;
        }
        end.probes += 1;
        end.persist_at = None;
        let seq = end.nxt.wrapping_sub(1);
        self.send(side, ACK, seq, 0, None);
        self.output(side);
    }

    /// The application at `side` reads, and continues with its script.
    fn read(&mut self, side: ConnectionSide) {
        if let Some(pause) = self.end(side).consume() {
            self.at(self.now + pause, PlayEvent::Resume(side));
        }
        let read = self.end(side).read;
        loop {
            let done = self.done[side.index()];
            let marks = &self.marks[side.other().index()];
            if done >= marks.len() || read < marks[done] {
                break;
            }
            self.done[side.index()] += 1;
            match side {
                ConnectionSide::Server => self.respond(done),
                ConnectionSide::Client => self.request(done + 1),
            }
        }
        if self.end(side).window_worth_advertising() {
            self.acknowledge(side, None);
        }
    }

    fn request(&mut self, nth: usize) {
        let Some(exchange) = self.script.exchanges.get(nth) else {
            if matches!(self.script.close, CloseStyle::Client) {
                self.at(self.now, PlayEvent::Shut(ConnectionSide::Client));
            }
            return;
        };
        let begin = self.now + exchange.client_think_us * 1000;
        let last = self.write(ConnectionSide::Client, nth, begin);
        if self.script.close == CloseStyle::HalfByClient && nth + 1 == self.script.exchanges.len() {
            self.at(last, PlayEvent::Shut(ConnectionSide::Client));
        }
    }

    fn respond(&mut self, nth: usize) {
        let exchange = &self.script.exchanges[nth];
        let begin = self.now + exchange.server_think_us * 1000;
        let is_last = nth + 1 == self.script.exchanges.len();
        let by_reset = matches!(
            self.script.close,
            CloseStyle::ResetByServer | CloseStyle::ResetOnPath { .. }
        );
        if is_last && by_reset {
            self.at(begin, PlayEvent::Reset(ConnectionSide::Server));
            return;
        }
        let last = self.write(ConnectionSide::Server, nth, begin);
        if is_last
            && matches!(
                self.script.close,
                CloseStyle::Server | CloseStyle::HalfByClient
            )
        {
            self.at(last, PlayEvent::Shut(ConnectionSide::Server));
        }
    }

    /// Plans the writes of a message; the time of the last.
    fn write(&mut self, side: ConnectionSide, nth: usize, begin: u64) -> u64 {
        let i = side.index();
        let from = if nth == 0 { 0 } else { self.marks[i][nth - 1] };
        let to = self.marks[i][nth];
        let exchange = &self.script.exchanges[nth];
        let writes = [&exchange.request, &exchange.response][i];
        let (mut time, mut at) = (begin, from);
        for (n, write) in writes.iter().enumerate() {
            time += write.after_us * 1000;
            at = if n + 1 == writes.len() {
                to
            } else {
                (at + write.bytes).min(to)
            };
            self.at(time, PlayEvent::Write(side, at));
        }
        time
    }
}

/// The window scale of ends that offer one.
const SCALE: u8 = 7;

/// The hop limit of both ends' packets at every place.
const HOP_LIMIT: u8 = 64;

/// The time an end needs to handle a packet after its network card.
const HANDLING_NS: u64 = 8_000;

/// A conversation that makes more events than this runs in circles.
const EVENTS_MAX: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppWrite, DelayedAck, Exchange, Fault};

    fn play(conversation: &Conversation) -> Vec<Segment> {
        simulate(conversation).0
    }

    /// The longest pause between two captured segments, in milliseconds.
    fn longest_pause_ms(segments: &[Segment]) -> u64 {
        let gaps = segments.windows(2).map(|w| w[1].at_ns - w[0].at_ns);
        gaps.max().unwrap_or(0) / 1_000_000
    }

    fn one(exchange: Exchange) -> Conversation {
        Conversation {
            exchanges: vec![exchange],
            close: CloseStyle::Client,
            ..Conversation::default()
        }
    }

    #[test]
    fn every_byte_is_acknowledged_and_both_sides_close() {
        let segments = play(&one(Exchange::new(300, 1000, 50_000)));
        assert_eq!(segments.iter().filter(|s| s.flags & FIN != 0).count(), 2);
        let sent: u32 = segments.iter().map(|s| s.len).sum();
        assert_eq!(sent, 50_300);
        assert!(longest_pause_ms(&segments) < 2);
    }

    #[test]
    fn two_writes_with_nagle_wait_for_the_delayed_acknowledgement() {
        let mut conversation = one(Exchange {
            request: vec![AppWrite::of(200), AppWrite::of(100)],
            ..Exchange::new(0, 1000, 500)
        });
        conversation.client_end().nagle = true;
        conversation.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
        assert_eq!(longest_pause_ms(&play(&conversation)), 200);
        conversation.client_end().nagle = false;
        assert!(longest_pause_ms(&play(&conversation)) < 2);
    }

    #[test]
    fn a_lost_last_segment_waits_for_the_timer_and_an_earlier_one_does_not() {
        let mut conversation = one(Exchange::new(300, 1000, 30_000));
        let lose = |n| Fault {
            from: ConnectionSide::Server,
            select: PacketSelector::Data(n),
            action: FaultAction::Lose,
        };
        conversation.path.faults = vec![lose(20)];
        assert!(longest_pause_ms(&play(&conversation)) >= 200);
        conversation.path.faults = vec![lose(3)];
        assert!(longest_pause_ms(&play(&conversation)) < 2);
    }

    #[test]
    fn the_same_seed_makes_the_same_segments() {
        let mut conversation = one(Exchange::new(300, 1000, 300_000));
        conversation.path.loss_one_in = 50;
        let text = |c: &Conversation| format!("{:?}", play(c));
        assert_eq!(text(&conversation), text(&conversation.clone()));
        let other = Conversation {
            seed: 2,
            ..conversation.clone()
        };
        assert_ne!(text(&conversation), text(&other));
    }
}
