//! One TCP segment as every later stage sees it: numbers, sizes, marks.
//!
//! Decoded once from the frame, judged once by the tracker, then kept in the
//! timeline of its connection. Sequence and acknowledgement numbers are
//! relative to the first one seen, as people read them.
//! Reference: RFC 9293 for the fields; the marks use tshark's definitions
//! where tshark has a word for it.

use serde::{Serialize, Serializer};

/// One TCP segment of a connection's timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// Number of the packet in the file, from 1.
    pub packet: u64,
    /// Time of capture, nanoseconds since 1970, never before its predecessor
    /// on the connection (times that run backwards are lifted and counted).
    pub time_ns: i64,
    /// Sequence number relative to the sender's first.
    pub seq: u32,
    /// Acknowledgement number relative to the other side's first; 0 without ACK.
    pub ack: u32,
    /// Payload bytes on the wire, whether or not all were captured. More than
    /// the MSS when the capture was taken above segmentation offload.
    pub len: u32,
    /// Advertised receive window in bytes, scaled where the factor is known.
    pub window: u32,
    /// Bytes this side has sent that are not acknowledged, this segment included.
    pub flight: u32,
    /// TCP timestamp value, 0 without the option.
    pub ts_value: u32,
    /// TCP timestamp echo, 0 without the option.
    pub ts_echo: u32,
    /// The marks of the tracker.
    pub marks: SegmentMarks,
    /// TCP flags.
    pub flags: TcpFlags,
    /// The sender.
    pub from: ConnectionSide,
    /// The session of its units (the one with a pacing indicator, or the last);
    /// 0 on connections without sessions.
    #[serde(skip_serializing_if = "is_zero")]
    pub session: u16,
    /// The first four payload bytes (zeros after a shorter payload), as far as
    /// captured. A retransmission begins with the same ones.
    #[serde(skip)]
    pub(crate) head: Option<[u8; 4]>,
    /// The IP identification, 0 without one: a packet that is sent again
    /// has another, one that is captured again the same.
    #[serde(skip)]
    pub(crate) ip_id: u16,
    /// Its hop limit (TTL) at the capture point, 0 on links without IP. All
    /// packets of one end have the same value while the path does not change;
    /// packets that a device between the ends sends in its name rarely have it.
    #[serde(skip_serializing_if = "is_none")]
    pub hop_limit: u8,
    /// 1 for the second TCP connection of a DLSw link, which has its own
    /// sequence numbers; otherwise 0. `from` is the end of the link.
    #[serde(skip_serializing_if = "is_first")]
    pub via: u8,
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

fn is_none(hop_limit: &u8) -> bool {
    *hop_limit == 0
}

fn is_first(via: &u8) -> bool {
    *via == 0
}

impl Segment {
    /// The sequence number after this segment (SYN and FIN count one).
    pub fn end_seq(&self) -> u32 {
        let control = self.flags.has(TcpFlags::SYN) as u32 + self.flags.has(TcpFlags::FIN) as u32;
        self.seq.wrapping_add(self.len).wrapping_add(control)
    }

    /// True for a segment that carries neither data nor SYN, FIN or RST.
    pub fn is_pure_ack(&self) -> bool {
        self.len == 0
            && !self
                .flags
                .any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST)
    }

    /// True for a segment that ends a write and does not fill segments of `mss`
    /// bytes: what Nagle's algorithm holds while another such one is under way.
    pub(crate) fn is_short(&self, mss: u32) -> bool {
        self.len > 0
            && self.flags.has(TcpFlags::PSH)
            && !self
                .flags
                .any(TcpFlags::FIN | TcpFlags::URG | TcpFlags::SYN)
            && !self.marks.any(
                SegmentMarks::WINDOW_FULL
                    | SegmentMarks::KEEP_ALIVE
                    | SegmentMarks::ZERO_WINDOW_PROBE,
            )
            && !self.len.is_multiple_of(mss.max(1))
    }

    /// True for payload that the tracker had not seen before.
    pub fn is_new_data(&self) -> bool {
        self.len > 0
            && !self
                .marks
                .any(SegmentMarks::REPEATED | SegmentMarks::KEEP_ALIVE)
    }
}

/// One of the two ends: the client opened the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionSide {
    /// The end that sent the SYN; in a capture that starts midway, the one with
    /// the higher port.
    #[default]
    Client,
    /// The other end.
    Server,
}

impl ConnectionSide {
    /// The opposite end.
    pub fn other(self) -> ConnectionSide {
        match self {
            ConnectionSide::Client => ConnectionSide::Server,
            ConnectionSide::Server => ConnectionSide::Client,
        }
    }

    /// 0 for the client, 1 for the server.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// TCP header flags, as on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags(pub u8);

impl TcpFlags {
    /// No more data from this side.
    pub const FIN: u8 = 0x01;
    /// Synchronise sequence numbers.
    pub const SYN: u8 = 0x02;
    /// Reset.
    pub const RST: u8 = 0x04;
    /// Push.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number is valid.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer is valid.
    pub const URG: u8 = 0x20;

    /// Returns `true` if every bit of `bits` is set.
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }

    /// Returns `true` if any bit of `bits` is set.
    pub fn any(self, bits: u8) -> bool {
        self.0 & bits != 0
    }
}

impl Serialize for TcpFlags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const LETTERS: [(u8, char); 6] = [
            (TcpFlags::SYN, 'S'),
            (TcpFlags::FIN, 'F'),
            (TcpFlags::RST, 'R'),
            (TcpFlags::PSH, 'P'),
            (TcpFlags::ACK, 'A'),
            (TcpFlags::URG, 'U'),
        ];
        let text: String = (LETTERS.iter().filter(|(bit, _)| self.has(*bit)))
            .map(|(_, letter)| *letter)
            .collect();
        serializer.serialize_str(&text)
    }
}

/// The marks that the tracker sets on a segment: a set of the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentMarks(pub u32);

/// Declares the marks once: constant, bit, dotted name, meaning.
macro_rules! marks {
    ($($(#[doc = $doc:literal])+ $name:ident = $bit:literal, $text:literal;)+) => {
        impl SegmentMarks {
            $($(#[doc = $doc])+ pub const $name: u32 = 1 << $bit;)+
            /// Every mark with its stable name, by bit.
            pub const NAMES: &'static [(u32, &'static str)] = &[$((1 << $bit, $text)),+];
        }
    };
}

marks! {
    /// Data, SYN or FIN that was sent before, neither fast nor spurious nor
    /// merely late.
    RETRANSMISSION = 0, "retransmission";
    /// Sent again within 20 ms of the second or later duplicate ACK for it.
    FAST_RETRANSMISSION = 1, "fast_retransmission";
    /// Sent again although the other side had acknowledged it already.
    SPURIOUS_RETRANSMISSION = 2, "spurious_retransmission";
    /// Below the highest sequence number, but too soon to have been sent again.
    OUT_OF_ORDER = 3, "out_of_order";
    /// Same acknowledgement and window as before, without data.
    DUPLICATE_ACK = 4, "duplicate_ack";
    /// 0 or 1 byte, one below the next sequence number.
    KEEP_ALIVE = 5, "keep_alive";
    /// The answer to a keep-alive.
    KEEP_ALIVE_ACK = 6, "keep_alive_ack";
    /// The sender of this segment can receive nothing more.
    ZERO_WINDOW = 7, "zero_window";
    /// One byte sent against a closed window.
    ZERO_WINDOW_PROBE = 8, "zero_window_probe";
    /// The answer to a probe, window still closed.
    ZERO_WINDOW_PROBE_ACK = 9, "zero_window_probe_ack";
    /// Only the window changed.
    WINDOW_UPDATE = 10, "window_update";
    /// The segment fills the advertised window to its last byte.
    WINDOW_FULL = 11, "window_full";
    /// Something before this segment was not captured (yet).
    LOST_SEGMENT = 12, "lost_segment";
    /// Acknowledges data that was not captured.
    ACKED_UNSEEN = 13, "acked_unseen";
    /// A retransmission after the sender's timer expired: nothing had arrived
    /// that could have reported the loss.
    TIMEOUT = 14, "timeout";
    /// The receiver reported this data as a duplicate (DSACK) or echoed a
    /// timestamp older than the retransmission: it had not been lost.
    PROVEN_SPURIOUS = 15, "proven_spurious";
    /// The same frame captured twice; not analysed further.
    DUPLICATE_FRAME = 16, "duplicate_frame";
    /// Not all of the payload was captured.
    CUT = 17, "cut";
    /// Carries a SACK block beyond the acknowledgement.
    SACK = 18, "sack";
    /// Carries a DSACK block: the receiver got something twice.
    DSACK = 19, "dsack";
    /// Payload larger than the MSS that was agreed: segmentation offload.
    OFFLOADED = 20, "offloaded";
    /// A SYN that reuses the address pair of an earlier connection.
    PORT_REUSED = 21, "port_reused";
    /// Acknowledges more than was acknowledged before.
    ADVANCES = 22, "advances";
    /// First segment after the connection was idle for a retransmission timeout.
    AFTER_IDLE = 23, "after_idle";
    /// Its time was before its predecessor's, or more than a year after it;
    /// the predecessor's was taken.
    TIME_BACKWARDS = 24, "time_backwards";
    /// Carries an SNA request that asks for the next pacing window.
    PACING_REQUEST = 25, "pacing_request";
    /// Carries an SNA pacing response: the other side's next window.
    PACING_RESPONSE = 26, "pacing_response";
    /// Carries the last message that a DLSw circuit's window allowed its sender.
    WINDOW_SPENT = 27, "window_spent";
    /// Its sender accepts no more data: a DLSw window was closed, or an RNR was
    /// sent.
    NOT_READY = 28, "not_ready";
    /// Its sender takes data again, after a wait that it caused.
    READY_AGAIN = 29, "ready_again";
}

impl SegmentMarks {
    /// Any of the kinds of data sent again or seen late.
    pub const REPEATED: u32 = SegmentMarks::RETRANSMISSION
        | SegmentMarks::FAST_RETRANSMISSION
        | SegmentMarks::SPURIOUS_RETRANSMISSION
        | SegmentMarks::OUT_OF_ORDER
        | SegmentMarks::DUPLICATE_FRAME;
    /// Any of the kinds of data sent again.
    pub const RESENT: u32 = SegmentMarks::RETRANSMISSION
        | SegmentMarks::FAST_RETRANSMISSION
        | SegmentMarks::SPURIOUS_RETRANSMISSION;
    /// The number of marks.
    pub const COUNT: usize = SegmentMarks::NAMES.len();

    /// Returns `true` if any of `bits` is set.
    pub fn any(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// Adds `bits`.
    pub fn set(&mut self, bits: u32) {
        self.0 |= bits;
    }

    /// The names of the marks set, by bit.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        (SegmentMarks::NAMES.iter())
            .filter(move |(bit, _)| self.any(*bit))
            .map(|(_, name)| *name)
    }
}

impl Serialize for SegmentMarks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

/// Number of segments with each mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkCounts([u32; SegmentMarks::COUNT]);

impl Default for MarkCounts {
    fn default() -> MarkCounts {
        MarkCounts([0; SegmentMarks::COUNT])
    }
}

impl MarkCounts {
    /// Counts the marks of one segment.
    #[inline]
    pub fn add(&mut self, marks: SegmentMarks) {
        let mut bits = marks.0;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            self.0[bit] = self.0[bit].saturating_add(1);
            bits &= bits - 1;
        }
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &MarkCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Sum of the counts of every mark in `bits`.
    pub fn of(&self, bits: u32) -> u64 {
        (self.0.iter().enumerate())
            .filter(|(bit, _)| bits & (1 << bit) != 0)
            .map(|(_, count)| *count as u64)
            .sum()
    }
}

impl Serialize for MarkCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            (SegmentMarks::NAMES.iter())
                .map(|(bit, name)| (*name, self.of(*bit)))
                .filter(|(_, count)| *count > 0),
        )
    }
}
