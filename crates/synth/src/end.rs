//! The TCP of one end: sent data, send permission, received data, acknowledgements.
//!
//! Positions are offsets in a stream, without sequence numbers: the SYN is before
//! offset 0 and the FIN after the last byte. The state changes here; events and
//! time belong to the conversation.
//!
//! Reference: RFC 9293 (TCP), RFC 5681 (congestion control), RFC 6582
//! (NewReno), RFC 6298 (retransmission timer), RFC 896 (Nagle).

use super::model::{DelayedAck, EndModel, Reader};

/// The state of one end.
#[derive(Debug)]
pub(super) struct TcpControlBlock {
    pub end: EndModel,
    /// Initial sequence number.
    pub iss: u32,
    pub established: bool,
    /// Segment size both ends agreed on.
    pub mss: u32,
    // Sending.
    pub written: u32,
    pub fin: bool,
    pub una: u32,
    pub nxt: u32,
    pub max: u32,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub peer_window: u32,
    pub duplicates: u32,
    pub recover: Option<u32>,
    pub timed: Option<(u32, u64)>,
    pub srtt_ns: Option<(u64, u64)>,
    pub backoff: u32,
    pub rto_at: Option<u64>,
    pub rto_watched: bool,
    pub persist_at: Option<u64>,
    pub probes: u32,
    pub last_sent_ns: u64,
    // Receiving.
    pub received: u32,
    pub peer_fin: bool,
    pub read: u32,
    pub read_since_pause: u32,
    pub paused: bool,
    pub holes: Vec<(u32, u32)>,
    pub pending: u32,
    pub ack_at: Option<u64>,
    pub announced: u32,
    pub last_arrival_ns: u64,
    pub ato_ns: u64,
    pub quick: u32,
    pub peer_stamp: u32,
    pub next_id: u16,
}

impl TcpControlBlock {
    pub fn new(end: &EndModel, iss: u32) -> TcpControlBlock {
        let ato_ns = match end.delayed_ack {
            DelayedAck::Off => 0,
            DelayedAck::FixedUs(us) | DelayedAck::AdaptiveUs(us, _) => us * 1000,
        };
        TcpControlBlock {
            end: end.clone(),
            iss,
            established: false,
            mss: u32::from(end.mss),
            written: 0,
            fin: false,
            una: 0,
            nxt: 0,
            max: 0,
            cwnd: 0,
            ssthresh: u32::MAX,
            peer_window: 0,
            duplicates: 0,
            recover: None,
            timed: None,
            srtt_ns: None,
            backoff: 0,
            rto_at: None,
            rto_watched: false,
            persist_at: None,
            probes: 0,
            last_sent_ns: 0,
            received: 0,
            peer_fin: false,
            read: 0,
            read_since_pause: 0,
            paused: false,
            holes: Vec::new(),
            pending: 0,
            ack_at: None,
            announced: 0,
            last_arrival_ns: 0,
            ato_ns,
            quick: 2,
            peer_stamp: 0,
            next_id: iss as u16,
        }
    }

    /// Both sides know each other's MSS: the window opens.
    pub fn establish(&mut self, peer_mss: u16, stamps: bool, now: u64) {
        // Timestamps take 12 bytes of every segment.
        let taken = if stamps { 12 } else { 0 };
        self.mss = u32::from(self.end.mss.min(peer_mss))
            .saturating_sub(taken)
            .max(1);
        self.cwnd = self.end.initial_window.max(1) * self.mss;
        self.established = true;
        self.sample(now - self.last_sent_ns);
        self.last_sent_ns = now;
    }

    /// Bytes in flight.
    pub fn flight(&self) -> u32 {
        self.nxt - self.una
    }

    /// The receive window it can announce now.
    pub fn window(&self) -> u32 {
        self.end
            .receive_bytes
            .saturating_sub(self.received - self.read)
    }

    /// The current retransmission timeout.
    pub fn rto_ns(&self) -> u64 {
        let base = match (self.end.rto_fixed_us, self.srtt_ns) {
            (Some(us), _) => us * 1000,
            (None, Some((srtt, var))) => srtt + (4 * var).max(self.end.rto_min_us * 1000),
            (None, None) => 1_000_000_000,
        };
        base << self.backoff.min(6)
    }

    /// The bytes it may send now from `nxt`; zero when it must wait.
    pub fn sendable(&mut self, now: u64) -> u32 {
        let waiting = self.written.saturating_sub(self.nxt);
        if waiting == 0 {
            return 0;
        }
        if self.end.idle_restart && self.flight() == 0 && now - self.last_sent_ns > self.rto_ns() {
            self.cwnd = self.cwnd.min(self.end.initial_window * self.mss);
        }
        let own = self.end.send_limit_bytes.unwrap_or(u32::MAX);
        let limit = self.cwnd.min(self.peer_window).min(own);
        let room = limit.saturating_sub(self.flight());
        let segments = self
            .end
            .offload_segments
            .max(1)
            .min(64_000 / self.mss)
            .max(1);
        let mut bytes = waiting.min(room).min(segments * self.mss);
        if bytes > self.mss && (bytes < waiting || self.end.nagle) {
            bytes -= bytes % self.mss;
        }
        // A short segment is sent only if it is the last, or if nothing
        // else is outstanding.
        if bytes < self.mss && bytes < waiting && self.flight() > 0 {
            return 0;
        }
        if self.end.nagle && bytes < self.mss && self.flight() > 0 && self.nxt == self.max {
            return 0;
        }
        bytes
    }

    /// Handles an acknowledgement. Returns whether it replaced a
    /// retransmission, and from where to retransmit.
    pub fn acknowledged(&mut self, ack: u32, pure: bool, now: u64) -> Option<u32> {
        if ack > self.una {
            let fresh = ack - self.una;
            let limited = self.flight() * 2 >= self.cwnd;
            self.una = ack;
            self.nxt = self.nxt.max(ack);
            self.duplicates = 0;
            self.backoff = 0;
            if let Some((_, sent)) = self.timed.filter(|(end, _)| ack >= *end) {
                self.sample(now - sent);
                self.timed = None;
            }
            self.rto_at = (self.max > self.una).then(|| now + self.rto_ns());
            match self.recover {
                Some(point) if ack < point => return Some(ack),
                Some(_) => {
                    self.recover = None;
                    self.cwnd = self.ssthresh;
                }
                None if !limited => {}
                None if self.cwnd < self.ssthresh => self.cwnd += fresh,
                None => self.cwnd += (self.mss * fresh / self.cwnd.max(1)).max(1),
            }
            return None;
        }
        if !pure || ack < self.una || self.max == self.una {
            return None;
        }
        self.duplicates += 1;
        match (self.duplicates, self.recover) {
            (3, None) => {
                self.ssthresh = ((self.max - self.una) / 2).max(2 * self.mss);
                self.cwnd = self.ssthresh + 3 * self.mss;
                self.recover = Some(self.max);
                self.timed = None;
                Some(self.una)
            }
            (n, Some(_)) if n > 3 => {
                self.cwnd += self.mss;
                None
            }
            _ => None,
        }
    }

    fn sample(&mut self, rtt: u64) {
        self.srtt_ns = Some(match self.srtt_ns {
            None => (rtt, rtt / 2),
            Some((srtt, var)) => ((7 * srtt + rtt) / 8, (3 * var + srtt.abs_diff(rtt)) / 4),
        });
    }

    /// Handles the expiry of the retransmission timer: everything from `una` is
    /// sent again.
    pub fn timed_out(&mut self) {
        self.ssthresh = ((self.max - self.una) / 2).max(2 * self.mss);
        self.cwnd = self.mss;
        self.nxt = self.una;
        self.recover = None;
        self.duplicates = 0;
        self.timed = None;
        self.backoff += 1;
        if let (Some(mss), true) = (self.end.fallback_mss, self.backoff > 2) {
            self.mss = self.mss.min(u32::from(mss));
            self.cwnd = self.mss;
        }
    }

    /// Data from `from` to `to` arrived. Whether the answer must go at once, and
    /// the block to report as received before.
    pub fn arrived(&mut self, from: u32, to: u32, now: u64) -> (bool, Option<(u32, u32)>) {
        let gap = now - self.last_arrival_ns;
        self.last_arrival_ns = now;
        if to <= self.received || self.holes.iter().any(|h| h.0 <= from && to <= h.1) {
            return (true, Some((from, to)));
        }
        if from > self.received {
            self.holes.push((from, to));
            self.merge_holes();
            return (true, None);
        }
        let filled = !self.holes.is_empty();
        let before = self.received;
        self.received = to;
        self.merge_holes();
        while let Some(at) = self.holes.iter().position(|h| h.0 <= self.received) {
            let hole = self.holes.remove(at);
            self.received = self.received.max(hole.1);
        }
        self.pending += self.received - before;
        let at_once = match self.end.delayed_ack {
            DelayedAck::Off => true,
            _ if filled || self.pending >= 2 * self.mss => true,
            DelayedAck::FixedUs(us) => {
                let at = self.tick(now + us * 1000);
                self.ack_at.get_or_insert(at);
                false
            }
            DelayedAck::AdaptiveUs(..) if self.quick > 0 => {
                self.quick -= 1;
                true
            }
            DelayedAck::AdaptiveUs(low, high) => {
                let (low, high) = (low * 1000, high * 1000);
                self.ato_ns = (self.ato_ns / 2 + gap.min(high) / 2).clamp(low, high);
                let at = self.tick(now + self.ato_ns);
                self.ack_at.get_or_insert(at);
                false
            }
        };
        (at_once, None)
    }

    /// When a timer set for `at` runs out.
    fn tick(&self, at: u64) -> u64 {
        match self.end.ack_tick_us * 1000 {
            0 => at,
            tick => at.next_multiple_of(tick),
        }
    }

    fn merge_holes(&mut self) {
        self.holes.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for hole in self.holes.drain(..) {
            match merged.last_mut() {
                Some(last) if hole.0 <= last.1 => last.1 = last.1.max(hole.1),
                _ => merged.push(hole),
            }
        }
        self.holes = merged;
    }

    /// The application reads what it can. Returns its pause afterwards.
    pub fn consume(&mut self) -> Option<u64> {
        let there = self.received - self.read;
        match self.end.reader {
            Reader::AtOnce => {
                self.read = self.received;
                None
            }
            Reader::Pausing { .. } if self.paused || there == 0 => None,
            Reader::Pausing {
                every_bytes,
                pause_us,
            } => {
                let take = there.min(every_bytes.saturating_sub(self.read_since_pause));
                self.read += take;
                self.read_since_pause += take;
                if self.read_since_pause < every_bytes {
                    return None;
                }
                self.read_since_pause = 0;
                self.paused = true;
                Some(pause_us * 1000)
            }
        }
    }

    /// Whether reading opened the window enough for a window update.
    pub fn window_worth_advertising(&self) -> bool {
        let opened = self.window().saturating_sub(self.announced);
        self.announced < 2 * self.mss && opened >= (2 * self.mss).min(self.end.receive_bytes / 2)
    }
}
