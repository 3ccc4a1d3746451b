//! Why a sender that had more to send stood still: the judgement that the
//! rules on acknowledgements, windows and Nagle's algorithm share.
//!
//! A transfer's gap ends either with an acknowledgement that set the sender
//! free (seen near the sender) or with the data that one set free (seen near
//! the receiver, a round trip of the sender's side later). Both are brought to
//! one form here, and exactly one [`Reason`] comes out, so that no two rules
//! claim the same pause. Losses are not judged here; they show in marks.
//!
//! Reference: Zhang et al., "On the characteristics and origins of Internet
//! flow rates" (T-RAT, SIGCOMM 2002), and Siekkinen et al., "A root cause
//! analysis toolkit for TCP" (2008), whose critique it heeds: time that the
//! application did not use is told apart first. Minshall, Saito, Mogul and
//! Verghese, "Application performance pitfalls and TCP's Nagle algorithm" (1999).

use super::{Claim, Confidence, Evidence, Gap};
use crate::{Flags, Marks, Protocol, Segment, Side};

/// Why a sender stood still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Nagle's algorithm held a short segment until a delayed acknowledgement.
    NagleDelayed,
    /// Nagle's algorithm held a short segment for a round trip.
    Nagle,
    /// A delayed acknowledgement held a sender whose window was used up.
    AckDelayed,
    /// The receiver's window was closed.
    ZeroWindow,
    /// The receiver's window was full.
    WindowFull,
    /// The congestion window was still growing.
    SlowStart,
    /// The congestion window grew again after an idle time.
    IdleRestart,
    /// The congestion window was small after a loss.
    CongestionWindow,
    /// The sender kept to a constant amount below the receiver's window.
    SenderLimited,
    /// The application gave nothing to send.
    Application,
}

/// A sender's pause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    /// Who stood still.
    pub sender: Side,
    /// Why.
    pub reason: Reason,
    /// How sure.
    pub confidence: Confidence,
    /// What it cost.
    pub cost_ns: i64,
    /// Bytes sent and waiting for an acknowledgement.
    pub flight: u32,
    /// The receiver's window.
    pub window: u32,
    /// Bytes of the burst before and the burst after.
    pub bursts: (u32, u32),
    /// Bytes of the segment that the pause held back.
    pub held: u32,
    /// How late the acknowledgement was, the path's own time taken off.
    pub ack_delay_ns: i64,
    /// The packet that was waited with, the acknowledgement, the data set free.
    pub packets: [u64; 3],
}

impl Pause {
    /// The pause that this gap is, if it is one in the middle of a transfer.
    pub fn of(gap: &Gap<'_>) -> Option<Pause> {
        if gap.connection.protocol == Protocol::Sna {
            // No TCP: neither windows nor acknowledgements to judge by.
            return None;
        }
        let sender = gap.exchange.sender(gap.phase)?;
        let after = gap.after();
        if after.marks.any(Marks::RESENT | Marks::OUT_OF_ORDER)
            || after.flags.any(Flags::SYN | Flags::RST)
        {
            return None;
        }
        View::of(gap, sender)?.judge()
    }

    /// The claim on the gap if the reason is this one.
    pub fn claim(gap: &Gap<'_>, reason: Reason) -> Option<Claim> {
        let pause = Pause::of(gap).filter(|p| p.reason == reason)?;
        let mut evidence = Evidence::default();
        let mut packets = pause.packets;
        packets.sort_unstable();
        for (n, packet) in packets.iter().enumerate() {
            if n == 0 || packets[n - 1] != *packet {
                evidence.push(*packet);
            }
        }
        Some(Claim {
            cost_ns: pause.cost_ns,
            confidence: pause.confidence,
            evidence,
            stays: pause.reason == Reason::Application,
        })
    }
}

/// The facts around a pause.
pub(super) struct View<'a> {
    pub(super) gap: &'a Gap<'a>,
    pub(super) sender: Side,
    /// The last data before, and the first new data after.
    last: &'a Segment,
    pub(super) resumed: &'a Segment,
    /// The acknowledgement that may have set the sender free.
    ack: Option<&'a Segment>,
    mss: u32,
    /// Round trip between the place of capture and the sender, and the receiver.
    pub(super) near_ns: i64,
    pub(super) far_ns: i64,
    /// The round trip to the sender is no delayed acknowledgement's.
    near_is_known: bool,
}

impl<'a> View<'a> {
    fn of(gap: &'a Gap<'a>, sender: Side) -> Option<View<'a>> {
        let after = gap.after();
        let last = gap.last_data(sender)?;
        let resumed = gap
            .later()
            .iter()
            .find(|s| s.from == sender && s.is_new_data())?;
        let ack = match after.from == sender {
            true => gap
                .earlier()
                .iter()
                .rev()
                .find(|s| s.from != sender && s.flags.has(Flags::ACK)),
            false => Some(after),
        };
        let best = |side: Side| gap.connection.end(side).rtt.best_ns().unwrap_or(0);
        Some(View {
            gap,
            sender,
            last,
            resumed,
            ack,
            mss: segment_bytes(gap, sender),
            near_ns: best(sender),
            near_is_known: knows_path(gap) || best(sender) < DELAYED_NS,
            far_ns: best(sender.other()),
        })
    }

    fn judge(&self) -> Option<Pause> {
        let (gap, length) = (self.gap, self.gap.length_ns());
        let receiver = self.sender.other();
        let by_ack = gap.after().from == receiver;
        if self.zero_window() {
            return Some(self.pause(Reason::ZeroWindow, Confidence::High, length));
        }
        if by_ack {
            let advances = gap
                .after()
                .marks
                .any(Marks::ADVANCES | Marks::WINDOW_UPDATE);
            let turn = self.resumed.time_ns - gap.after().time_ns;
            // Data that follows much later was not set free by this packet.
            let at_once = match self.near_is_known {
                true => turn <= self.near_ns * 3 / 2 + TURN_NS,
                false => turn <= TURN_NS || self.is_a_round_trip(turn),
            };
            if !advances || !at_once {
                return None;
            }
        } else if gap.after().packet != self.resumed.packet {
            return None;
        } else if !self.near_is_known && !self.is_a_round_trip(length) {
            return Some(self.pause(Reason::Application, Confidence::Medium, length));
        } else if self.near_ns * 5 < length * 3 {
            // Longer than a round trip: nothing on the network held it back.
            return Some(self.pause(
                Reason::Application,
                Confidence::Medium,
                length - self.near_ns,
            ));
        } else if !self.was_freed() {
            return Some(self.pause(Reason::Application, Confidence::Medium, length));
        }
        let (reason, confidence) = self.reason()?;
        Some(self.pause(reason, confidence, length))
    }

    /// Whether a time is the sender's round trip, where that may also be the
    /// receiver's timer: then no other length is believed.
    fn is_a_round_trip(&self, ns: i64) -> bool {
        (ns - self.near_ns).abs() <= self.near_ns / 4
    }

    /// Whether the receiver said anything, since the burst before began to come,
    /// that can have set the data free. Asked away from the sender only.
    fn was_freed(&self) -> bool {
        let mut burst = self.burst_before();
        for s in self.gap.earlier().iter().rev() {
            if s.from != self.sender {
                if s.marks.any(Marks::ADVANCES | Marks::WINDOW_UPDATE) {
                    return true;
                }
            } else if s.is_new_data() {
                burst = burst.saturating_sub(s.len);
                if burst == 0 {
                    return false;
                }
            }
        }
        true
    }

    fn reason(&self) -> Option<(Reason, Confidence)> {
        let flight = self.flight();
        let window = self.window();
        let end = self.gap.connection.end(self.sender);
        let delayed = self.ack_delay_ns() >= DELAYED_NS && self.held_back() < 2 * self.mss;
        let short = self.resumed.len < self.mss && !self.resumed.marks.any(Marks::OFFLOADED);
        let fits = flight.saturating_add(self.resumed.len) <= window;
        // A sender that once had more in flight than it has here with the short
        // segment added was not stopped by its congestion window, unless a loss
        // has made that smaller since.
        let reach = flight.saturating_add(self.resumed.len);
        let lost = end.marks.of(Marks::RESENT | Marks::LOST_SEGMENT) > 0;
        let had_more = !lost
            && (end.flight_max_bytes > reach || self.bursts_back().any(|burst| burst > reach));
        if short && fits && flight > 0 && (flight < self.mss || had_more) {
            return Some(match delayed {
                true => (Reason::NagleDelayed, Confidence::High),
                false => (Reason::Nagle, Confidence::Medium),
            });
        }
        let full = window < flight.saturating_add(self.mss) && self.knows_scale();
        if full || self.last.marks.any(Marks::WINDOW_FULL) {
            return Some((Reason::WindowFull, Confidence::High));
        }
        if delayed && had_more {
            // Its window had room: the application wrote in that moment.
            return Some((Reason::Application, Confidence::Low));
        }
        if delayed {
            return Some((Reason::AckDelayed, Confidence::High));
        }
        knows_path(self.gap).then(|| self.congestion(lost))
    }

    /// Whether the unit of the receiver's window is known: both SYNs told.
    fn knows_scale(&self) -> bool {
        let shake = &self.gap.connection.handshake;
        shake.syns + shake.syn_acks > 0
    }

    fn congestion(&self, lost: bool) -> (Reason, Confidence) {
        let (before, after) = (self.burst_before(), self.burst_after());
        let grows = u64::from(after) * 4 >= u64::from(before) * 5;
        if lost {
            return (Reason::CongestionWindow, Confidence::Medium);
        }
        let idle = self.after_idle();
        if !idle && self.shrunk(before) {
            return (Reason::CongestionWindow, Confidence::Low);
        }
        let first_round = self.rounds_before() == 0;
        let ends = self.ends_message();
        match (grows, ends) {
            (false, false) => return (Reason::SenderLimited, Confidence::Medium),
            (false, true) if !first_round && !self.grew_before() => {
                return (Reason::SenderLimited, Confidence::Low);
            }
            _ => {}
        }
        let confidence = if grows {
            Confidence::High
        } else {
            Confidence::Medium
        };
        match idle {
            true => (Reason::IdleRestart, confidence),
            false => (Reason::SlowStart, confidence),
        }
    }

    fn pause(&self, reason: Reason, confidence: Confidence, cost_ns: i64) -> Pause {
        Pause {
            sender: self.sender,
            reason,
            confidence,
            cost_ns,
            flight: self.flight(),
            window: self.window(),
            bursts: (self.burst_before(), self.burst_after()),
            held: self.resumed.len,
            ack_delay_ns: self.ack_delay_ns(),
            packets: [
                self.last.packet,
                self.ack.unwrap_or(self.gap.after()).packet,
                self.resumed.packet,
            ],
        }
    }

    /// Bytes that waited for an acknowledgement. Near the receiver they are
    /// acknowledged already when the gap begins: then the burst counts.
    fn flight(&self) -> u32 {
        match self.gap.after().from == self.sender {
            true => self
                .gap
                .flight(self.sender)
                .max(self.burst_before().min(self.since_ack())),
            false => self.gap.flight(self.sender),
        }
    }

    /// Bytes sent since the acknowledgement before the one that set free.
    fn since_ack(&self) -> u32 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let earlier = self.gap.earlier().iter().rev();
        let before = earlier
            .filter(|s| s.from != self.sender && s.packet < ack.packet && s.flags.has(Flags::ACK))
            .map(|s| s.ack)
            .find(|seq| *seq != ack.ack);
        // Acknowledgements that follow each other closely belong to one burst.
        let burst = self.burst_before();
        before.map_or(burst, |seq| {
            self.last.end_seq().wrapping_sub(seq).max(burst)
        })
    }

    /// Bytes the receiver had not acknowledged when it let the sender wait.
    fn held_back(&self) -> u32 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let earlier = self.gap.earlier().iter().rev();
        let before = earlier
            .filter(|s| s.from != self.sender && s.packet < ack.packet && s.flags.has(Flags::ACK))
            .map(|s| s.ack)
            .next();
        before.map_or(0, |seq| ack.ack.wrapping_sub(seq))
    }

    fn window(&self) -> u32 {
        let before = self.gap.window(self.sender.other()).unwrap_or(u32::MAX);
        // Near the receiver the last word may already be the update.
        match (self.gap.after().from == self.sender, self.ack) {
            (true, Some(ack)) => ack.window,
            _ => before,
        }
    }

    fn zero_window(&self) -> bool {
        let receiver = self.sender.other();
        let closed = |s: &&Segment| {
            s.from == receiver && s.window == 0 && !s.flags.any(Flags::RST | Flags::SYN)
        };
        let mut words = self
            .gap
            .earlier()
            .iter()
            .rev()
            .filter(|s| s.from == receiver);
        let latest = words.next().filter(closed).is_some();
        let opened_just_now = self.gap.after().from == self.sender
            && self.gap.before().marks.any(Marks::WINDOW_UPDATE)
            && words.next().filter(closed).is_some();
        latest || opened_just_now
    }

    /// From the last data that the acknowledgement covers to the
    /// acknowledgement, less what the path takes.
    fn ack_delay_ns(&self) -> i64 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let covered = self.gap.timeline[..=self.gap.at].iter().rev().find(|s| {
            s.from == self.sender
                && s.len > 0
                && s.packet < ack.packet
                && ack.ack.wrapping_sub(s.end_seq()) < 1 << 31
        });
        covered.map_or(0, |s| ack.time_ns - s.time_ns - self.far_ns)
    }
}

/// Whether the path's round trip is known: without the handshake, a path of
/// 40 ms and a delayed acknowledgement look the same.
fn knows_path(gap: &Gap<'_>) -> bool {
    let known = |side: Side| gap.connection.end(side).rtt.handshake_ns.is_some();
    known(Side::Client) || known(Side::Server)
}

/// Bytes of a full segment. Where the handshake was not captured, or its options
/// were not printed, no less than what every end must accept: a sender of short
/// messages alone would otherwise make them full.
fn segment_bytes(gap: &Gap<'_>, sender: Side) -> u32 {
    let connection = gap.connection;
    let known = connection.client.mss.is_some() || connection.server.mss.is_some();
    match known {
        true => connection.segment_bytes(sender),
        false => connection.segment_bytes(sender).max(LEAST_MSS),
    }
}

/// What every end must accept (RFC 9293 3.7.1).
const LEAST_MSS: u32 = 536;

/// What an end takes to send what an acknowledgement set free, at most, beside
/// the path. An application that happens to write then takes any time.
const TURN_NS: i64 = 500_000;

/// An acknowledgement later than this was delayed on purpose: the shortest
/// timers in use are 40 ms, less what the path's figure may be wrong by.
const DELAYED_NS: i64 = 20_000_000;
