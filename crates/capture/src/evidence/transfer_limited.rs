//! A transfer waited for a window, or used up the path's rate.
//!
//! Bytes a round trip are compared with the receiver's window; where they fill
//! it, the window is the limit. Where rounds still grow it is the congestion
//! window after a start or idle time; where they are constant and below the
//! window, the sender's buffer. A transfer without pauses uses the path's rate.
//! Works near the sender and near the receiver: what counts is bytes a round
//! trip, not what is seen in flight.
//! Reference: RFC 5681, RFC 7323, RFC 2861.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, bytes as size, ms};
use crate::{AppProtocol, ConnectionSide, ExchangePhase, Segment, SegmentMarks, TcpFlags};

pub(super) struct TransferLimited;

impl EvidenceDetector for TransferLimited {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::TransferLimited
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        let (before, after) = (wait.before(), wait.after()?);
        let transfer = before.from == after.from && before.len > 0 && after.len > 0;
        if !transfer
            || wait.phase == ExchangePhase::Connect
            || wait.connection.protocol == AppProtocol::Sna
        {
            return None;
        }
        let sender = after.from;
        let rounds = &wait.rounds[sender.index()];
        let round = rounds.round_bytes();
        let window = window_bytes(wait, sender);
        let full = wait.full_bytes(sender);
        // Asked only where the rest depends on it: it searches many segments.
        let fills = || {
            let held = || (wait.allowed_bytes(sender)).is_some_and(|left| left < i64::from(full));
            window > 0
                && (u64::from(round) * 100 >= u64::from(window) * FILLS_PERCENT
                    || round <= window.saturating_mul(2) && held())
        };
        let numbers = [round, window];
        let network =
            |reason| Some(WaitClaim::whole(wait, reason, DelayOwner::Network).with(numbers));
        let bulk = u64::from(round) >= u64::from(full) * BULK_SEGMENTS;
        let ends_write = wait.is_short(before) && !bulk;
        let spent = || {
            let peak = u64::from(wait.peak_flight(sender));
            window > 0 && peak * 100 >= u64::from(window) * FILLS_PERCENT
        };
        if !ends_write && wait.is_read_in_lumps() && spent() {
            // Data came at the pace of the reader, a window at a time.
            let owner = DelayOwner::of(sender.other());
            return Some(WaitClaim::whole(wait, Reason::WindowFull, owner));
        }
        if wait.is_busy() {
            return network(Reason::PathRate);
        }
        let started = rounds.rounds >= starting_rounds(wait, sender);
        let limited = started && !wait.is_queue() && fills();
        // No pause: either the path's rate, or a window that is spread over the
        // round trip.
        let no_pause = wait.length_ns() * 3 < wait.rtt_ns || wait.length_ns() < LEAST_NS;
        if !ends_write && !limited && (no_pause || is_steady(wait)) {
            return network(Reason::PathRate);
        }
        let spread = !ends_write && limited && is_steady(wait);
        if no_pause || spread {
            if ends_write && !is_bulk(before) {
                return None;
            }
            if limited {
                let owner = DelayOwner::of(sender.other());
                return Some(WaitClaim::whole(wait, Reason::ReceiverWindow, owner).with(numbers));
            }
            return network(Reason::PathRate);
        }
        if ends_write || !paused(wait, after, bulk) {
            return None;
        }
        let grows = rounds.grows() || !wait.is_queue() && fills();
        let (reason, owner) = match (limited, grows) {
            (true, _) => (Reason::ReceiverWindow, DelayOwner::of(sender.other())),
            (false, true) if rounds.after_idle => (Reason::IdleRestart, DelayOwner::Network),
            (false, true) => (Reason::SlowStart, DelayOwner::Network),
            (false, false) => (Reason::SenderBuffer, DelayOwner::of(sender)),
        };
        Some(WaitClaim::whole(wait, reason, owner).with(numbers))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let [round, window] = facts.numbers();
        let lost = ms(facts.lost_ns);
        let total = ms(facts.total_ns);
        let rtt = ms(facts.context.rtt_ns);
        let (sentence, alternatives, remedy) = match facts.reason {
            Reason::ReceiverWindow => (
                format!(
                    "The receive window of {} limits the transfer: it holds one window a round trip \
                     of {rtt} ms; {lost} of {total} ms were waited for it.",
                    size(window)
                ),
                "A sender's buffer of the same size would look the same; a larger receive buffer \
                 helps only if it is the window.",
                facts.advice(
                    "raise net.ipv4.tcp_rmem (its third value) on the receiver and do not set a small \
                     SO_RCVBUF; window scaling must be on at both ends",
                    "raise TCPRCVBUFRSIZE and TCPMAXRCVBUFRSIZE on TCPCONFIG of the receiver",
                ),
            ),
            Reason::SenderBuffer => (
                format!(
                    "The sender keeps {} in flight, less than the window of {}, and waits a round \
                     trip of {rtt} ms each time: {lost} of {total} ms.",
                    size(round),
                    size(window)
                ),
                "A program that writes that much and waits for its partner looks the same, as does \
                 a congestion window that losses before the capture have cut.",
                facts.advice(
                    "raise the sender's buffer (net.ipv4.tcp_wmem, no small SO_SNDBUF), or let the \
                     program write more before it waits",
                    "raise TCPSENDBFRSIZE on TCPCONFIG of the sender, or SO_SNDBUF in the program",
                ),
            ),
            Reason::IdleRestart => (
                format!("After idle time the congestion window starts small again: {lost} of {total} ms."),
                "A new connection starts the same way; this one had sent more before.",
                "set net.ipv4.tcp_slow_start_after_idle=0 on the sender".to_owned(),
            ),
            Reason::SlowStart => (
                format!("The transfer is too short for its path: the congestion window was still growing for {lost} of {total} ms."),
                "A loss before the capture would look the same.",
                "keep the connection open so that its window stays large, send less, or start \
                 larger (`ip route change … initcwnd 30`)"
                    .to_owned(),
            ),
            _ => (
                format!("Data came at the rate of the path, without pauses: {lost} of {total} ms."),
                "A sender that paces its data or a rate limit (shaper) looks the same; the same \
                 transfer over another path shows which.",
                "send less (compress, cache), or raise the rate of the slowest link".to_owned(),
            ),
        };
        SliceDescription {
            sentence,
            seen: format!(
                "{}; {} a round trip{}",
                facts.reason_list(),
                size(round),
                facts.at_packets()
            ),
            alternatives: alternatives.to_owned(),
            remedy: Some(remedy),
        }
    }
}

/// Whether a transfer paused for a round trip until an acknowledgement arrived.
fn paused(wait: &ExchangeWait<'_>, after: &Segment, bulk: bool) -> bool {
    let sender = after.from;
    let event = wait.last_advance(sender.other()).or_else(|| {
        // Near the receiver its acknowledgement may be before the data that is
        // counted as the wait's beginning.
        let back = wait.timeline[..wait.before].iter().rev().take(4);
        let mut acks = back.filter(|s| s.from != sender && s.marks.any(SegmentMarks::ADVANCES));
        acks.next()
    });
    let Some(event) = event else {
        return false;
    };
    // Near the receiver the last burst may still be arriving when the
    // acknowledgement that sets the next one free is in transit.
    let near_ns = wait.near_ns(sender);
    let soon = after.time_ns - event.time_ns <= near_ns * 13 / 10 + TURN_NS;
    let clocked = wait.follows(event, after) || (bulk && soon);
    clocked && wait.length_ns() <= wait.rtt_ns * 3 / 2 + TURN_NS
}

/// The window that limits `sender`, in bytes; 0 where its scale is unknown.
fn window_bytes(wait: &ExchangeWait<'_>, sender: ConnectionSide) -> u32 {
    let handshake = &wait.connection.handshake;
    if handshake.syn_ack_ns.is_none() && handshake.syn_ns.is_none() {
        return 0;
    }
    wait.last_window(sender.other()).map_or(0, |s| s.window)
}

/// Round trips that a transfer of this size needs to start with any window, and
/// that a larger window could not save.
fn starting_rounds(wait: &ExchangeWait<'_>, sender: ConnectionSide) -> u32 {
    let initial = u64::from(wait.full_bytes(sender).max(1)) * INITIAL_SEGMENTS;
    let bytes = wait.exchange.part(sender).bytes;
    (bytes / initial + 1).ilog2() + 1
}

/// Data arrives at even distances, one segment or pair after the other.
fn is_steady(wait: &ExchangeWait<'_>) -> bool {
    let before = wait.before();
    let back = wait.timeline[..=wait.before]
        .iter()
        .rev()
        .take(SEARCHED_SEGMENTS);
    // Asked for each segment of a transfer, so without an allocation.
    let mut times = [0; SEARCHED_SEGMENTS];
    let mut count = 0;
    for segment in back.filter(|s| s.from == before.from && s.len > 0) {
        times[count] = segment.time_ns;
        count += 1;
    }
    let times = &times[..count];
    let length_ns = wait.length_ns();
    let even = |ns: i64| ns.saturating_mul(2) >= length_ns && length_ns * 2 >= ns;
    // Pairs follow one acknowledgement; longer bursts are a window.
    let few = times.len() <= 8 || before.time_ns - times[7] >= length_ns * 2;
    let bursts = times.windows(2).map(|pair| pair[0] - pair[1]);
    let mut long = 0;
    few && bursts.filter(|ns| *ns > LEAST_NS).take(3).all(|ns| {
        long += 1;
        even(ns)
    }) && long == 3
}

/// A segment in the middle of a large write.
fn is_bulk(segment: &Segment) -> bool {
    segment.len >= BULK_BYTES || !segment.flags.has(TcpFlags::PSH)
}

/// Segments that may be sent at the start (RFC 6928).
const INITIAL_SEGMENTS: u64 = 10;

/// A round that fills this share of the window is limited by it.
const FILLS_PERCENT: u64 = 72;

/// Shorter gaps are not pauses.
const LEAST_NS: i64 = 500_000;

/// The reaction time of an end, in addition to the path.
const TURN_NS: i64 = 3_000_000;

/// A round of so many segments is a bulk transfer, wherever its writes end.
const BULK_SEGMENTS: u64 = 8;

/// Segments of this size belong to a bulk transfer.
const BULK_BYTES: u32 = 1_000;

/// Segments that are searched for earlier pauses.
const SEARCHED_SEGMENTS: usize = 24;
