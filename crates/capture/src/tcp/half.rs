//! One direction: the data and options that its sender has sent.

use crate::TcpFlags;
use crate::decode::Packet;

/// State of one direction. Sequence numbers are relative to `base`.
#[derive(Debug, Default)]
pub(super) struct Half {
    /// `base` is known.
    pub(super) seen: bool,
    /// Raw sequence number of the SYN, or the first one seen.
    pub(super) base: u32,
    /// A segment of this side was seen, not only acknowledgements for it.
    pub(super) sent: bool,
    /// Highest sequence number sent, plus one.
    pub(super) next_seq: u32,
    /// When `next_seq` last grew.
    pub(super) next_seq_ns: i64,
    /// The timestamp value of the segment that made it grow, 0 without one.
    pub(super) next_seq_ts: u32,
    /// Highest sequence number that an acknowledgement may name without
    /// naming data that was not captured.
    pub(super) seen_to: u32,
    /// The last acknowledgement this side sent, relative to the other side.
    pub(super) ack: Option<u32>,
    /// The time at which it sent it.
    pub(super) ack_ns: i64,
    /// The time of its last acknowledgement of new data.
    pub(super) advance_ns: i64,
    /// Length of its last segment with data.
    pub(super) last_len: u32,
    /// The end of its last short segment.
    pub(super) short_end: Option<u32>,
    /// The largest segment under way whose passing would be news: its end and
    /// its length.
    pub(super) large: Option<(u32, u32)>,
    /// Window of its last segment, not scaled.
    pub(super) window: u16,
    /// Acknowledgements in a row that say the same.
    pub(super) duplicate_acks: u32,
    /// SACK blocks since its acknowledgement last advanced.
    pub(super) sacked: bool,
    /// Marks of its last segment.
    pub(super) last_marks: u32,
    /// Time of its last segment.
    pub(super) last_ns: i64,
    /// Window scale in its SYN; 0 without one.
    pub(super) shift: Option<u8>,
    /// Shift in force, once both SYNs are known.
    pub(super) shift_in_force: u8,
    /// The one segment whose acknowledgement is being timed.
    pub(super) timed: Option<TimedSegment>,
    /// Probes of a closed window since it last sent data.
    pub(super) probes: u32,
    /// It sent a FIN or RST.
    pub(super) closed: bool,
    /// The last segment that was sent again.
    pub(super) resent: Option<RetransmittedSegment>,
    /// Votes for the most common size of large segments.
    pub(super) votes: u32,
    /// The last frames, the latest at `latest_frame`.
    frames: [Frame; FRAMES],
    frame_times_ns: [i64; FRAMES],
    latest_frame: usize,
    /// The last frame that was captured twice had been so before.
    pub(super) copied_again: bool,
}

/// The identity of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Frame {
    seq: u32,
    len: u32,
    ack: u32,
    checksum: u16,
    ip_id: u16,
}

impl Frame {
    /// Returns `true` if this is one of the segments that `large`, captured before
    /// they were cut, became on the wire: they count their identifications on from
    /// its own.
    fn is_piece_of(&self, large: &Frame) -> bool {
        let before = self.seq.wrapping_sub(large.seq);
        let nth = u32::from(self.ip_id.wrapping_sub(large.ip_id));
        let inside = self.len > 0 && large.len > self.len && before <= large.len - self.len;
        if large.ip_id == 0 || self.ack != large.ack || !inside {
            return false;
        }
        let last = before + self.len == large.len;
        match (before, nth) {
            (0, 0) => true,
            (0, _) | (_, 0) => false,
            // All but the last are as long.
            _ if last => before.is_multiple_of(nth) && before / nth >= self.len,
            _ => u64::from(before) == u64::from(nth) * u64::from(self.len),
        }
    }
}

/// A segment being timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedSegment {
    pub(super) end_seq: u32,
    pub(super) sent_ns: i64,
}

/// A segment sent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetransmittedSegment {
    pub(super) end_seq: u32,
    pub(super) ts_value: u32,
}

impl Half {
    /// Takes the first sequence number seen as this side's zero.
    pub(super) fn learn_base(&mut self, raw_seq: u32) {
        if !self.seen {
            self.seen = true;
            self.base = raw_seq;
        }
    }

    /// Learns the base from an acknowledgement of the other side.
    pub(super) fn learn_base_from_ack(&mut self, raw_ack: u32) {
        self.learn_base(raw_ack);
    }

    /// The window in bytes.
    pub(super) fn scaled(&self, packet: &Packet) -> u32 {
        if packet.flags.has(TcpFlags::SYN) {
            packet.window as u32
        } else {
            (packet.window as u32) << self.shift_in_force
        }
    }

    /// Bytes sent and not acknowledged by `other`.
    pub(super) fn flight(&self, other: &Half) -> u32 {
        match other.ack {
            Some(ack) if self.sent && super::before(ack, self.next_seq) => {
                self.next_seq.wrapping_sub(ack)
            }
            _ => 0,
        }
    }

    /// Returns `true` if this frame was captured before: a capture on two
    /// interfaces, or on a port that mirrors both directions or two networks. A
    /// retransmission has another IP identification. Without one (IPv6, some
    /// stacks) the copy must follow at once.
    pub(super) fn is_same_frame(&mut self, packet: &Packet, time_ns: i64) -> bool {
        let this = Frame {
            seq: packet.seq,
            len: packet.len,
            ack: packet.ack,
            checksum: packet.checksum,
            ip_id: packet.ip_id,
        };
        // One identification for different packets says nothing about copies.
        let counts = !(self.frames.iter()).any(|f| f.ip_id == this.ip_id && *f != this);
        let ip_id = if counts { packet.ip_id } else { 0 };
        let look_back = match (ip_id, packet.len) {
            (0, _) => 1,
            _ => FRAMES,
        };
        let control = packet.flags.any(TcpFlags::SYN | TcpFlags::FIN);
        let limit_ns = match (ip_id, packet.len) {
            // Linux gives SYN-ACKs no identification.
            _ if packet.flags.has(TcpFlags::SYN) && packet.ts_value != 0 => 100_000_000,
            (0, 0) if !control => 0,
            (0, _) => 20_000,
            // A copy that is sent later has a later time stamp.
            _ if packet.ts_value != 0 => 100_000_000,
            // A program that writes its own packets sends one SYN repeatedly.
            _ if packet.flags.has(TcpFlags::SYN) && !packet.flags.has(TcpFlags::ACK) => 1_000_000,
            _ => 5_000_000,
        };
        let of_large = (self.frames.iter().zip(&self.frame_times_ns))
            .any(|(large, at_ns)| time_ns - at_ns < PIECE_NS && this.is_piece_of(large));
        let same_ns = (0..look_back)
            .map(|back| (self.latest_frame + FRAMES - back) % FRAMES)
            .filter(|at| self.frames[*at] == this)
            .map(|at| time_ns - self.frame_times_ns[at]);
        // If the previous one was also slow, a program writes in this way.
        let (times, all) = same_ns.fold((0, true), |(n, all), ns| (n + 1, all && ns < limit_ns));
        let known = times > 0 && all;
        self.copied_again = times > 1 && !of_large;
        self.latest_frame = (self.latest_frame + 1) % FRAMES;
        self.frames[self.latest_frame] = this;
        self.frame_times_ns[self.latest_frame] = time_ns;
        of_large || (known && packet.checksum != 0)
    }
}

/// The pieces of segmentation offload follow each other within this time.
const PIECE_NS: i64 = 1_000_000;

/// Frames among which a packet that is captured twice is looked for: a switch
/// that mirrors two ports may have a burst between a packet and its twin.
const FRAMES: usize = 16;
