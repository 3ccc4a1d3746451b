//! The causes: one file a rule, one row in [`RULES`].
//!
//! The engine offers every gap above the threshold to every rule; the claim
//! with the highest confidence wins, the earlier row on a tie. A claim takes
//! its cost out of the phase the gap lies in (a *stall*), or names the cause
//! and leaves the time where it is ([`Claim::stays`]). Rules keep no state:
//! what they need is in the [`Gap`], the [`Connection`] or the [`Explanation`].
//!
//! Adding a rule: a file with a unit struct that implements [`Rule`], and its
//! row here.

mod ack_delayed;
mod ack_storm;
mod bursts;
mod client_think;
mod congestion_window;
mod connection_per_request;
mod dlsw_window;
mod duplicates;
mod fast_retransmit;
mod field;
mod half_close;
mod held;
mod idle_restart;
mod known;
mod llc_not_ready;
mod mss_small;
mod nagle;
mod nagle_write_write_read;
mod no_resumption;
mod pause;
mod pmtu_black_hole;
mod ports_exhausted;
mod quiet;
mod reference;
mod reordering;
mod reset;
mod reset_path;
mod rto;
mod sender_limited;
mod server_think;
mod slow_start;
mod sna_pacing;
mod spurious;
mod stopped;
mod syn_lost;
mod tiny_writes;
mod tls_handshake;
mod tls_per_connection;
mod window_full;
mod zero_window;

pub(crate) use field::as_met;
pub use quiet::{Quiet, Silence};
pub use reference::reference_page;

use crate::told::Between;
use crate::{Connection, Exchange, Explanation, Marks, Phase, Protocol, Segment, Side};
use serde::Serialize;

/// Every rule, in order of precedence among claims of equal confidence.
pub static RULES: &[&dyn Rule] = &[
    &syn_lost::SynLost,
    &pmtu_black_hole::PmtuBlackHole,
    &spurious::Spurious,
    &fast_retransmit::FastRetransmit,
    &rto::RetransmissionTimeout,
    &reordering::Reordering,
    &sna_pacing::SnaPacing,
    &dlsw_window::DlswWindow,
    &llc_not_ready::LlcNotReady,
    &zero_window::ZeroWindow,
    &window_full::WindowFull,
    &nagle_write_write_read::WriteWriteRead,
    &nagle::Nagle,
    &ack_delayed::AckDelayed,
    &idle_restart::IdleRestart,
    &slow_start::SlowStart,
    &congestion_window::CongestionWindow,
    &sender_limited::SenderLimited,
    &server_think::ServerThink,
    &client_think::ClientThink,
    &tls_handshake::TlsHandshake,
    &mss_small::MssSmall,
    &connection_per_request::ConnectionPerRequest,
    &tls_per_connection::TlsPerConnection,
    &no_resumption::NoResumption,
    &ports_exhausted::PortsExhausted,
    &reset::Reset,
    &reset_path::ResetPath,
    &half_close::HalfClose,
    &tiny_writes::TinyWrites,
    &ack_storm::AckStorm,
    &duplicates::Duplicates,
];

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.about().id == id)
}

/// Whether the rule of this name tells whose time it was, which is no fault of
/// anybody's and no cause to look for first.
pub fn is_own_time(id: &str) -> bool {
    matches!(id, "server.think" | "client.think" | "tls.handshake.wait")
}

/// Whether a rule has a word on this connection: links without TCP have none of
/// TCP's causes.
pub(crate) fn applies(rule: &dyn Rule, connection: &Connection) -> bool {
    connection.protocol != Protocol::Sna || !rule.about().id.starts_with("tcp.")
}

/// No more than medium where the capture itself is in doubt: packets out of the
/// order of their times, bytes that nobody captured, a client that went on without
/// the answer to its SYN, no acknowledgement by itself, or one direction alone; or
/// where it is one of several ways that the two ends speak on.
pub(crate) fn as_trusted(connection: &Connection, confidence: Confidence) -> Confidence {
    let doubts = Marks::TIME_BACKWARDS | Marks::ACKED_UNSEEN;
    let ends = [&connection.client, &connection.server];
    let shake = &connection.handshake;
    let unanswered = shake.syns > 0 && shake.syn_acks == 0 && connection.client.bytes > 0;
    let holes = (ends.iter()).any(|end| end.marks.of(doubts) > 0 || end.segments == 0);
    match holes || unanswered || connection.lacks_acks() || connection.is_subflow() {
        true => confidence.min(Confidence::Medium),
        false => confidence,
    }
}

/// One cause and how it is told.
pub trait Rule: Sync {
    /// Name, remedies and limits, for reports and the reference.
    fn about(&self) -> &'static About;

    /// Claims a gap, or part of one.
    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let _ = gap;
        None
    }

    /// Says in one sentence what was claimed; called only for claims that
    /// are kept for the report.
    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        format!(
            "{:.3} ms between packets {} and {}: {}",
            claim.cost_ns as f64 / 1e6,
            gap.before().packet,
            gap.after().packet,
            self.about().title
        )
    }

    /// The last word on this rule's pending claims about `sender`, when the
    /// connection has ended: how sure they are by all that was seen, or none
    /// when it contradicts them.
    fn last_word(&self, connection: &Connection, sender: Side) -> Option<Confidence> {
        let _ = (connection, sender);
        Some(Confidence::Low)
    }

    /// Whether what came after it was judged contradicts one pending claim about `sender`, by the
    /// packets that show it: then it is low.
    fn is_denied(&self, connection: &Connection, sender: Side, packets: &[u64]) -> bool {
        let _ = (connection, sender, packets);
        false
    }

    /// Whether the last word makes claims less sure only; else it is all that counts.
    fn last_word_lowers(&self) -> bool {
        false
    }

    /// Findings on one exchange, its split already made. Their cost is told
    /// but does not change the split.
    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        let _ = (connection, exchange, out);
    }

    /// Findings on one connection when it has ended.
    fn connection(&self, connection: &Connection, out: &mut Vec<Finding>) {
        let _ = (connection, out);
    }

    /// Findings on the whole capture, once everything else is known.
    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        let _ = (explanation, out);
    }
}

/// What a rule is called, what to do, and what it cannot know.
#[derive(Debug, Serialize)]
pub struct About {
    /// Stable dotted name (`tcp.ack.delayed`).
    pub id: &'static str,
    /// What it found, in a few words.
    pub title: &'static str,
    /// The remedy on Linux.
    pub linux: &'static str,
    /// The remedy on z/OS: the statement to code.
    pub zos: &'static str,
    /// What the rule can know and what it cannot.
    pub limits: &'static str,
    /// Where the literature has this cause, and under which name.
    pub literature: &'static str,
}

/// A time without any segment on a connection, longer than the threshold.
#[derive(Clone, Copy)]
pub struct Gap<'a> {
    /// The connection, as known by now.
    pub connection: &'a Connection,
    /// The exchange it lies in or before: times and sizes are known as far as
    /// they have happened; its split is not made yet.
    pub exchange: &'a Exchange,
    /// The phase it lies in.
    pub phase: Phase,
    /// Segments of the connection around it: at least the last
    /// [`CONTEXT`] before it, and as many after it as were seen.
    pub timeline: &'a [Segment],
    /// The gap lies between `timeline[at]` and `timeline[at + 1]`.
    pub at: usize,
}

/// Segments before a gap among which a hole in the capture forbids a verdict.
const UNSEEN_BACK: usize = 12;

/// Segments before a gap that a rule can count on, as far as they exist.
pub const CONTEXT: usize = 32;

impl<'a> Gap<'a> {
    /// The segment before the gap.
    pub fn before(&self) -> &'a Segment {
        &self.timeline[self.at]
    }

    /// The segment that ended it.
    pub fn after(&self) -> &'a Segment {
        &self.timeline[self.at + 1]
    }

    /// Its length.
    pub fn length_ns(&self) -> i64 {
        self.after().time_ns - self.before().time_ns
    }

    /// Segments up to the gap, oldest first, the last one being [`Gap::before`].
    pub fn earlier(&self) -> &'a [Segment] {
        &self.timeline[..=self.at]
    }

    /// Segments from [`Gap::after`] on.
    pub fn later(&self) -> &'a [Segment] {
        &self.timeline[self.at + 1..]
    }

    /// The last segment with payload from `side` before the gap.
    pub fn last_data(&self, side: Side) -> Option<&'a Segment> {
        (self.earlier().iter().rev()).find(|segment| segment.from == side && segment.len > 0)
    }

    /// The first segment with payload from `side` after the gap.
    pub fn next_data(&self, side: Side) -> Option<&'a Segment> {
        (self.later().iter()).find(|segment| segment.from == side && segment.len > 0)
    }

    /// The copy of this segment's data that was sent before it, as far back as
    /// the timeline reaches.
    pub fn first_copy(&self, copy: &Segment) -> Option<&'a Segment> {
        (self.timeline.iter())
            .take_while(|s| s.packet < copy.packet)
            .find(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq && s.via == copy.via)
    }

    /// Whether `copy` is the first one's very packet, which the path delivered twice: its
    /// IP identification, or the timestamp of a clock that would have ticked between.
    pub fn is_delivered_twice(&self, copy: &Segment) -> bool {
        let Some(first) = self.first_copy(copy) else {
            return false;
        };
        let same_id = first.ip_id != 0 && first.ip_id == copy.ip_id;
        let same_time = first.ts_value != 0 && first.ts_value == copy.ts_value;
        let ticked = || {
            self.clock_tick_ns(copy.from)
                .is_some_and(|tick_ns| copy.time_ns - first.time_ns > tick_ns)
        };
        first.len == copy.len && (same_id || (same_time && ticked()))
    }

    /// How long `side`'s clock of timestamps takes for one tick, nanoseconds, by its
    /// segments around the gap; none without timestamps or within one tick.
    fn clock_tick_ns(&self, side: Side) -> Option<i64> {
        let stamped = |s: &&Segment| s.from == side && s.ts_value != 0;
        let first = self.timeline.iter().find(stamped)?;
        let last = self.timeline.iter().rev().find(stamped)?;
        let ticks = i64::from(last.ts_value.wrapping_sub(first.ts_value) as i32);
        (ticks > 0).then(|| (last.time_ns - first.time_ns) / ticks)
    }

    /// Whether `copy` has the bytes of what it repeats, as far as both are known:
    /// padding and strays have others.
    pub fn has_same_bytes(&self, copy: &Segment) -> bool {
        self.first_copy(copy)
            .is_none_or(|first| first.may_repeat(copy))
    }

    /// Whether the capture misses packets around the gap, up to `until`: bytes
    /// that were acknowledged or passed over, and that nobody asked for again.
    pub fn has_unseen(&self, until: u64) -> bool {
        let from = self.at.saturating_sub(UNSEEN_BACK);
        let around = &self.timeline[from..];
        let around = &around[..around.partition_point(|s| s.packet <= until)];
        around.iter().enumerate().any(|(at, s)| {
            let asked = |later: &Segment| {
                (later.from != s.from && later.marks.any(Marks::DUPLICATE_ACK | Marks::SACK))
                    || (later.from == s.from && later.marks.any(Marks::REPEATED))
            };
            s.marks.any(Marks::ACKED_UNSEEN)
                || (s.marks.any(Marks::LOST_SEGMENT)
                    && !self.timeline[from + at..].iter().any(asked))
        })
    }

    /// Bytes that `side` had in flight during the gap: sent and, at the
    /// place of capture, not acknowledged.
    pub fn flight(&self, side: Side) -> u32 {
        let sent = (self.earlier().iter().rev()).find(|s| s.from == side);
        let acked = (self.earlier().iter().rev())
            .find(|s| s.from == side.other() && s.flags.has(crate::Flags::ACK));
        match (sent, acked) {
            (Some(sent), Some(acked)) => {
                let open = sent.end_seq().wrapping_sub(acked.ack);
                // A repeat may end below what is acknowledged already.
                if open < 1 << 31 { open } else { 0 }
            }
            (Some(sent), None) => sent.flight,
            _ => 0,
        }
    }

    /// The window that `side` last advertised before the gap.
    pub fn window(&self, side: Side) -> Option<u32> {
        (self.earlier().iter().rev())
            .find(|s| s.from == side && !s.flags.has(crate::Flags::RST))
            .filter(|s| s.flags.any(crate::Flags::ACK | crate::Flags::SYN))
            .map(|s| s.window)
    }
}

/// One rule's word on one gap.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How much of the gap it explains; the engine keeps it within the gap.
    pub cost_ns: i64,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// Packets that show it.
    pub evidence: Evidence,
    /// The cause is named but the time stays in its phase.
    pub stays: bool,
    /// The sender whose later packets may confirm the claim or take it back
    /// ([`Rule::last_word`]).
    pub pending: Option<Side>,
}

impl Claim {
    /// Claims the whole gap, with the packets on both sides as evidence.
    pub fn whole(gap: &Gap<'_>, confidence: Confidence) -> Claim {
        Claim {
            cost_ns: gap.length_ns(),
            confidence,
            evidence: Evidence::of(&[gap.before().packet, gap.after().packet]),
            stays: false,
            pending: None,
        }
    }
}

/// Up to six packet numbers, without an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    packets: [u64; 6],
    len: u8,
}

impl Evidence {
    /// These packets; more than six are left out.
    pub fn of(packets: &[u64]) -> Evidence {
        let mut evidence = Evidence::default();
        for packet in packets {
            evidence.push(*packet);
        }
        evidence
    }

    /// Adds one packet, if there is room.
    pub fn push(&mut self, packet: u64) {
        if let Some(slot) = self.packets.get_mut(self.len as usize) {
            *slot = packet;
            self.len += 1;
        }
    }

    /// The packets.
    pub fn packets(&self) -> &[u64] {
        &self.packets[..self.len as usize]
    }
}

/// How sure a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It fits, and something else would fit too.
    Low,
    /// It fits better than anything else known.
    Medium,
    /// The packets show it.
    High,
}

/// One thing found, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's stable name.
    pub rule: &'static str,
    /// Identity of the connection; none when it concerns the whole capture.
    pub connection: Option<u64>,
    /// Identity of the exchange.
    pub exchange: Option<u64>,
    /// When it began.
    pub at_ns: i64,
    /// What it cost.
    pub cost_ns: i64,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// Packets that show it.
    pub packets: Vec<u64>,
    /// One sentence.
    pub text: String,
    /// As in [`Claim::pending`].
    #[serde(skip)]
    pub(crate) pending: Option<Side>,
    /// The ends of its connection.
    #[serde(skip)]
    pub(crate) between: Option<Between>,
}
