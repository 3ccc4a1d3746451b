//! The definitions: one test a mark, in the order that tshark has them.

use super::{TcpTracker, before};
use crate::decode::Packet;
use crate::{ConnectionSide, Segment, SegmentMarks, TcpFlags};

impl TcpTracker {
    /// Sets the marks of `segment` and moves both directions on.
    pub(super) fn judge(&mut self, packet: &Packet, segment: &mut Segment) {
        let first_rtt_ns = self.first_rtt_ns;
        let [client, server] = &mut self.halves;
        let (fwd, rev) = match segment.from {
            ConnectionSide::Client => (client, server),
            ConnectionSide::Server => (server, client),
        };
        let (seq, len, flags) = (segment.seq, segment.len, segment.flags);
        let (now, window) = (segment.time_ns, packet.window);
        let control = flags.any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
        let acks = flags.has(TcpFlags::ACK);
        let repeats_ack = acks && fwd.ack == Some(segment.ack);
        let expected = fwd.sent && seq == fwd.next_seq;
        let mut marks = segment.marks;

        if len == 1 && expected && rev.sent && rev.window == 0 {
            marks.set(SegmentMarks::ZERO_WINDOW_PROBE);
        } else {
            if window == 0 && !control {
                marks.set(SegmentMarks::ZERO_WINDOW);
            }
            if fwd.sent && before(fwd.next_seq, seq) && !flags.has(TcpFlags::RST) {
                marks.set(SegmentMarks::LOST_SEGMENT);
            }
            if len <= 1 && fwd.sent && seq == fwd.next_seq.wrapping_sub(1) && !control {
                marks.set(SegmentMarks::KEEP_ALIVE);
            }
            let same_window = window == fwd.window;
            if len == 0 && expected && repeats_ack && !control {
                if window != 0 && !same_window {
                    marks.set(SegmentMarks::WINDOW_UPDATE);
                }
                if window != 0 && same_window {
                    if rev.last_marks & SegmentMarks::KEEP_ALIVE != 0 {
                        marks.set(SegmentMarks::KEEP_ALIVE_ACK)
                    } else {
                        marks.set(SegmentMarks::DUPLICATE_ACK)
                    }
                }
                if window == 0
                    && same_window
                    && rev.last_marks & SegmentMarks::ZERO_WINDOW_PROBE != 0
                {
                    marks.set(SegmentMarks::ZERO_WINDOW_PROBE_ACK);
                }
            }
            if let (Some(ack), Some(_)) = (rev.ack, rev.shift) {
                let edge = ack.wrapping_add((rev.window as u32) << rev.shift_in_force);
                if len > 0 && seq.wrapping_add(len) == edge && !control {
                    marks.set(SegmentMarks::WINDOW_FULL);
                }
            }
        }

        if acks {
            if !repeats_ack {
                fwd.duplicate_acks = 0;
            } else if marks.any(SegmentMarks::DUPLICATE_ACK) {
                fwd.duplicate_acks += 1;
            }
            if rev.sent && before(rev.seen_to, segment.ack) {
                marks.set(SegmentMarks::ACKED_UNSEEN);
                rev.seen_to = segment.ack;
            }
            if fwd.ack.is_none_or(|ack| before(ack, segment.ack)) {
                marks.set(SegmentMarks::ADVANCES);
                fwd.advance_ns = now;
                fwd.sacked = false;
            }
            if packet.sack {
                marks.set(SegmentMarks::SACK);
                fwd.sacked = true;
            }
            if packet.dsack.is_some() {
                marks.set(SegmentMarks::DSACK);
            }
        }

        let repeats = fwd.sent
            && before(seq, fwd.next_seq)
            && !marks.any(SegmentMarks::KEEP_ALIVE)
            && !(len > 1 && seq == fwd.next_seq.wrapping_sub(1));
        if len > 0 || flags.any(TcpFlags::SYN | TcpFlags::FIN) {
            let acked = rev
                .ack
                .is_some_and(|ack| !before(ack, seq.wrapping_add(len)));
            let late_ns = first_rtt_ns.unwrap_or(LATE_NS);
            if len > 0 && acked && fwd.sent && !marks.any(SegmentMarks::KEEP_ALIVE) {
                marks.set(SegmentMarks::SPURIOUS_RETRANSMISSION);
            } else if repeats {
                let reported = rev.duplicate_acks >= 2 && rev.ack == Some(seq);
                if reported && now - rev.ack_ns < FAST_NS {
                    marks.set(SegmentMarks::FAST_RETRANSMISSION);
                } else if now - fwd.next_seq_ns < late_ns && fwd.next_seq != segment.end_seq() {
                    marks.set(SegmentMarks::OUT_OF_ORDER);
                    self.copied = sent_after(segment, fwd.next_seq_ts);
                } else {
                    marks.set(SegmentMarks::RETRANSMISSION);
                }
            }
            if marks.any(SegmentMarks::RESENT) && rev.duplicate_acks < 2 && !rev.sacked {
                // Nothing had arrived that could report a loss. If
                // it also took longer than any answer would have, a
                // timer sent it.
                let quiet_since = fwd.last_ns.max(rev.advance_ns);
                let patience_ns = (first_rtt_ns.unwrap_or(0) * 3 / 2).max(TIMER_NS);
                if now - quiet_since >= patience_ns {
                    marks.set(SegmentMarks::TIMEOUT);
                }
            }
        }

        let end = segment.end_seq();
        if !marks.any(SegmentMarks::ZERO_WINDOW_PROBE) && (!fwd.sent || before(fwd.next_seq, end)) {
            fwd.next_seq = end;
            fwd.next_seq_ns = now;
            fwd.next_seq_ts = segment.ts_value;
        }
        if !fwd.sent || before(fwd.seen_to, end) {
            fwd.seen_to = end;
        }
        fwd.sent = true;
        if len > 0 && now - fwd.last_ns > IDLE_NS && fwd.last_ns != 0 && fwd.flight(rev) == len {
            marks.set(SegmentMarks::AFTER_IDLE);
        }
        if acks {
            fwd.ack = Some(segment.ack);
            fwd.ack_ns = now;
        }
        if marks.any(SegmentMarks::KEEP_ALIVE | SegmentMarks::ZERO_WINDOW_PROBE) {
            fwd.probes += 1;
        } else if len > 0 {
            fwd.probes = 0;
        }
        fwd.closed |= flags.any(TcpFlags::FIN | TcpFlags::RST);
        fwd.window = window;
        fwd.last_marks = marks.0;
        fwd.last_ns = now;
        segment.marks = marks;
        segment.flight = fwd.flight(rev);
    }
}

/// Whether the sender's timestamps show that this segment was sent after the one
/// with `ahead_ts`; a reordered segment was not.
fn sent_after(segment: &Segment, ahead_ts: u32) -> bool {
    ahead_ts != 0 && segment.ts_value != 0 && before(ahead_ts, segment.ts_value)
}

/// tshark's limit for data out of order while no round trip is known.
const LATE_NS: i64 = 3_000_000;

/// tshark's limit from the last duplicate ACK to a fast retransmission.
const FAST_NS: i64 = 20_000_000;

/// No sender's timer is shorter than this: Linux's floor for the probe of a
/// lost tail is two timer ticks, for the timeout itself 200 ms unless a
/// route lowers it.
const TIMER_NS: i64 = 8_000_000;

/// Linux resets its congestion window after an idle time of one retransmission
/// timeout, which is at least this long.
const IDLE_NS: i64 = 200_000_000;
