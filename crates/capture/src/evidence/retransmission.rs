//! Data was lost or late, and was sent again.
//!
//! A copy that ends a wait claims it. So does a receiver that reports a hole,
//! and a sender that repeats data until the end without an answer. After a
//! loss the sender's window is small; waits for it within the same message
//! belong to the loss. Copies that the receiver proves needless (D-SACK,
//! timestamps) are not losses: the wait is a late path then.
//! Reference: RFC 6298, RFC 5681, RFC 2883, RFC 3522.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, ms};
use crate::{AppProtocol, ExchangePhase, Segment, SegmentMarks, TcpFlags};

pub(super) struct RetransmissionWait;

impl EvidenceDetector for RetransmissionWait {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::Retransmission
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        if wait.phase == ExchangePhase::Connect {
            return None;
        }
        let whole = |reason| Some(WaitClaim::whole(wait, reason, DelayOwner::Network));
        let Some(after) = wait.after() else {
            return unanswered(wait).and_then(whole);
        };
        if after.marks.any(SegmentMarks::RESENT) {
            return resent(wait, after).and_then(whole);
        }
        if after.marks.any(SegmentMarks::OUT_OF_ORDER) {
            return whole(out_of_order(wait, after));
        }
        if is_lost_before_capture(wait, after) {
            return whole(Reason::SuspectedLoss);
        }
        if is_farewell_unanswered(wait, after) {
            return whole(Reason::NeverAcknowledged);
        }
        let closes = after.flags.any(TcpFlags::RST | TcpFlags::FIN) && after.len == 0;
        if closes
            && [after.from, after.from.other()]
                .iter()
                .any(|side| wait.is_stuck(*side))
        {
            return whole(Reason::NeverAcknowledged);
        }
        if is_answer_resent(wait) {
            return whole(Reason::Timeout);
        }
        if wait.connection.protocol == AppProtocol::Sna || after.len == 0 {
            return None;
        }
        let before = wait.before();
        // A queue that is never empty keeps the path at its rate, losses or not.
        if wait.is_busy() {
            return None;
        }
        if before.from == after.from && before.flight > 0 && is_in_recovery(wait, before, after) {
            return whole(Reason::LossRecovery);
        }
        let same_message = before.from == after.from && before.len > 0;
        if same_message && is_ack_lost(wait, after) {
            return whole(Reason::Timeout);
        }
        if same_message && is_cut_write(wait) {
            return whole(Reason::SuspectedLoss);
        }
        None
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let lost = ms(facts.lost_ns);
        let total = ms(facts.total_ns);
        let copies = facts.context.resent;
        let (sentence, alternatives, remedy) = match facts.reason {
            Reason::NeverAcknowledged => (
                format!(
                    "What was sent again was never acknowledged: for {lost} of {total} ms the other end or the path was dead."
                ),
                "A host that lost power, a path that broke and a firewall that forgot the \
                 connection look the same; a new connection to the same port succeeds only if \
                 the host and the path live.",
                "let the application time out sooner (TCP_USER_TIMEOUT, keep-alives); then look \
                 for the host, route or firewall entry that disappeared",
            ),
            Reason::Reordered => (
                format!("Segments arrived out of order; {lost} of {total} ms."),
                "Loss would have needed copies; identical timestamps show that these are the \
                 first ones.",
                "keep the packets of one connection on one path (hash by ports, no per-packet \
                 balancing)",
            ),
            Reason::SuspectedLoss => (
                format!(
                    "Data was probably lost before it reached this capture: {lost} of {total} ms \
                     were waited for its copies."
                ),
                "A program that pauses for as long as a retransmission timer looks similar; a capture \
                 at the sender shows whether it sent something in the pause.",
                "find the lossy link or full queue between the sender and this capture (interface \
                 error and drop counters along the path)",
            ),
            _ => (
                format!(
                    "Loss: {copies} segments were sent again; waiting for copies and for the reduced window took {lost} of {total} ms."
                ),
                "A queue that overflows and a bad link look the same; losses that come when the \
                 round trip is longest are a full queue.",
                "find the lossy link or full queue (interface error and drop counters along the \
                 path); on the sender SACK and RACK must be on, and BBR tolerates random loss",
            ),
        };
        SliceDescription {
            sentence,
            seen: format!("{}{}", facts.reason_list(), facts.at_packets()),
            alternatives: alternatives.to_owned(),
            remedy: Some(remedy.to_owned()),
        }
    }
}

/// Data that was repeated and not acknowledged until the end.
fn unanswered(wait: &ExchangeWait<'_>) -> Option<Reason> {
    let before = wait.before();
    if [before.from, before.from.other()]
        .iter()
        .any(|side| wait.is_stuck(*side))
    {
        return Some(Reason::NeverAcknowledged);
    }
    // Near the receiver: it reports a hole that is never filled.
    reports_hole(wait, before.from).then_some(Reason::Timeout)
}

/// The receiver asked for missing data of `sender` around the wait.
fn reports_hole(wait: &ExchangeWait<'_>, sender: crate::ConnectionSide) -> bool {
    let from = wait.before.saturating_sub(8);
    let end = wait.after.unwrap_or(wait.timeline.len());
    wait.timeline[from..end].iter().any(|s| {
        s.from == sender.other()
            && s.marks
                .any(SegmentMarks::SACK | SegmentMarks::DUPLICATE_ACK)
            && !s.marks.any(SegmentMarks::DSACK)
            && !s
                .marks
                .any(SegmentMarks::KEEP_ALIVE | SegmentMarks::KEEP_ALIVE_ACK)
    })
}

/// A copy of this sender's data, or a report of a hole, is only a few segments
/// old. A SYN that was sent again delays no later message.
fn is_recovering(wait: &ExchangeWait<'_>, sender: crate::ConnectionSide) -> bool {
    let from = wait.before.saturating_sub(12);
    let recent = wait.timeline[from..=wait.before].iter();
    let mut copies =
        recent.filter(|s| s.from == sender && s.len > 0 && s.marks.any(SegmentMarks::RESENT));
    copies.next().is_some()
        || (reports_hole(wait, sender)
            && wait.connection.end(sender).marks.of(SegmentMarks::RESENT) > 0)
}

/// The request was retransmitted although it had arrived, because its
/// acknowledgement was lost with the answer; the answer was retransmitted by a
/// timer.
fn is_answer_resent(wait: &ExchangeWait<'_>) -> bool {
    let asked_by = wait.exchange.asked_by;
    let answers = wait.phase == ExchangePhase::ServerThink
        && wait.after().is_some_and(|s| s.from != asked_by);
    let inner = wait.inner();
    let copy = inner
        .iter()
        .position(|s| s.from == asked_by && s.len > 0 && s.marks.any(SegmentMarks::RESENT));
    let known = |until: usize| {
        let mut before = inner[..until].iter();
        before.any(|s| s.from != asked_by && s.marks.any(SegmentMarks::ADVANCES))
    };
    answers && copy.is_some_and(|at| !known(at)) && wait.length_ns() < LONGEST_NS
}

/// How the loss of a segment was noticed whose copy ends the wait.
fn resent(wait: &ExchangeWait<'_>, after: &Segment) -> Option<Reason> {
    // No answer could have arrived yet: the timer is shorter than the path.
    let far_ns = wait.near_ns(after.from.other());
    let before = wait.before();
    let copy = before.from == after.from && before.seq == after.seq;
    if wait.length_ns() < far_ns && copy {
        return None;
    }
    let fast = after.marks.any(SegmentMarks::FAST_RETRANSMISSION) || reports_hole(wait, after.from);
    Some(if fast {
        Reason::FastRetransmit
    } else {
        Reason::Timeout
    })
}

/// Whether a segment that is out of order was sent again or took another path.
fn out_of_order(wait: &ExchangeWait<'_>, after: &Segment) -> Reason {
    // Near its sender nothing is out of order: it was sent again.
    let near = wait.near_ns(after.from) * 4 < wait.near_ns(after.from.other());
    if near || wait.length_ns() > wait.rtt_ns.max(LEAST_NS) {
        Reason::FastRetransmit
    } else {
        Reason::Reordered
    }
}

/// Whether the sender, which has data under way, still recovers from a loss.
fn is_in_recovery(wait: &ExchangeWait<'_>, before: &Segment, after: &Segment) -> bool {
    if (before.marks).any(SegmentMarks::RESENT | SegmentMarks::OUT_OF_ORDER) {
        return true;
    }
    let follows_advance = || {
        let advance = wait.last_advance(after.from.other()).unwrap_or(before);
        wait.follows(advance, after)
    };
    let lost = wait.rounds[after.from.index()].lost;
    let paused = lost && wait.length_ns() * 3 >= wait.rtt_ns;
    before.len > 0 && (paused && follows_advance() || is_recovering(wait, after.from))
}

/// Whether the sender sent a packet in the wait that did not reach the capture: its
/// IP identifications, which had counted packet by packet, leave one out.
fn is_lost_before_capture(wait: &ExchangeWait<'_>, after: &Segment) -> bool {
    if after.len == 0
        || after.ip_id == 0
        || wait.length_ns() < TIMER_NS
        || wait.near_ns(after.from) < LEAST_NS
    {
        return false;
    }
    let end = wait.after.unwrap_or(wait.timeline.len());
    let back = wait.timeline[..end].iter().rev().take(SEARCHED_SEGMENTS);
    let mut own = back.filter(|s| s.from == after.from && s.via == after.via);
    let (Some(last), Some(earlier)) = (own.next(), own.next()) else {
        return false;
    };
    let counts = last.ip_id.wrapping_sub(earlier.ip_id) == 1;
    // A packet that was recorded out of order was not lost.
    let between = |s: &Segment| {
        s.from == after.from
            && s.via == after.via
            && (1..after.ip_id.wrapping_sub(last.ip_id)).contains(&s.ip_id.wrapping_sub(last.ip_id))
    };
    counts
        && (2..=MOST_LOST).contains(&after.ip_id.wrapping_sub(last.ip_id))
        && !wait.timeline.iter().any(between)
}

/// Whether the sender's timer ran out although its data had arrived: it sent again
/// what was acknowledged before, so that acknowledgement was lost.
fn is_ack_lost(wait: &ExchangeWait<'_>, after: &Segment) -> bool {
    let inner = wait.inner();
    let needless =
        |s: &Segment| s.from == after.from && s.marks.any(SegmentMarks::SPURIOUS_RETRANSMISSION);
    let Some(at) = inner.iter().rposition(needless) else {
        return false;
    };
    let late = |s: &Segment| s.from != after.from && s.marks.any(SegmentMarks::ADVANCES);
    let soon_ns = wait.rtt_ns * 2 + LEAST_NS;
    wait.length_ns() >= TIMER_NS
        && after.time_ns - inner[at].time_ns <= soon_ns
        && !inner[at..].iter().any(late)
}

/// Whether the end that waited gave up, and its FIN was sent again without any
/// packet of the other end: that end or the path had died in the wait.
fn is_farewell_unanswered(wait: &ExchangeWait<'_>, after: &Segment) -> bool {
    let closes = after.flags.has(TcpFlags::FIN) && after.from != wait.expected();
    let Some(at) = wait.after.filter(|_| closes) else {
        return false;
    };
    let later = &wait.timeline[at + 1..];
    let answered = wait
        .inner()
        .iter()
        .chain(later)
        .any(|s| s.from != after.from);
    let again = |s: &Segment| s.flags.has(TcpFlags::FIN) && s.seq == after.seq;
    !answered && later.iter().any(again)
}

/// Near the receiver a lost tail shows only as a pause: a write stops at a full
/// segment without PSH and continues after a time that a timer takes.
fn is_cut_write(wait: &ExchangeWait<'_>) -> bool {
    let before = wait.before();
    let full = before.len > 0
        && before
            .len
            .is_multiple_of(wait.full_bytes(before.from).max(1));
    let timer_ns = (wait.rtt_ns * 2).max(TIMER_NS);
    let far = wait.near_ns(before.from) > LEAST_NS;
    full && far && !before.flags.has(TcpFlags::PSH) && wait.length_ns() >= timer_ns
}

/// Segments that are searched for the sender's last packets.
const SEARCHED_SEGMENTS: usize = 16;

/// A larger step of the identification is not one lost packet with its copies.
const MOST_LOST: u16 = 4;

/// No path is shorter that is worth a verdict.
const LEAST_NS: i64 = 1_000_000;

/// A longer wait is the program's, even if a copy is within it.
const LONGEST_NS: i64 = 5_000_000_000;

/// The shortest retransmission timer of today's systems.
const TIMER_NS: i64 = 200_000_000;
