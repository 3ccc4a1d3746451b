//! The receiver's window was closed, so the sender could send nothing.
//!
//! A window of zero, or smaller than a segment, begins the interval; the sender's
//! next data ends it. Probes and their answers are within. A window that was filled
//! and not opened for longer than a round trip counts too. Reference: RFC 9293
//! 3.8.6.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim, sna};
use crate::verdict::{SliceDescription, SliceFacts, ms, subject};
use crate::{AppProtocol, ExchangePhase, Segment, SegmentMarks};

pub(super) struct WindowClosed;

impl EvidenceDetector for WindowClosed {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::WindowClosed
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        if let Some(claim) = sna::claim(wait) {
            return Some(claim);
        }
        if wait.phase == ExchangePhase::Connect || wait.connection.protocol == AppProtocol::Sna {
            return None;
        }
        let sender = wait.sender();
        let receiver = sender.other();
        let claim = WaitClaim::whole(wait, Reason::ZeroWindow, DelayOwner::of(receiver));
        let full = i64::from(wait.full_bytes(sender));
        // Asked last: it searches many segments.
        let held = || wait.allowed_bytes(sender).is_some_and(|left| left < full);
        if let Some(since_ns) = closed_since(wait, sender) {
            // A window that was full already held the sender from the beginning.
            let from_ns = if held() {
                wait.from_ns
            } else {
                since_ns.max(wait.from_ns)
            };
            return (wait.to_ns - from_ns >= LEAST_NS).then_some(WaitClaim { from_ns, ..claim });
        }
        let before = wait.before();
        let end = wait.connection.end(receiver);
        let known = end.window_first_bytes > 0 && before.from == sender && before.len > 0;
        let copied = wait
            .after()
            .is_some_and(|s| s.marks.any(SegmentMarks::RESENT));
        if !known || copied || wait.length_ns() < LEAST_NS {
            return None;
        }
        // The event that released the sender shows whether the receiver had
        // read.
        let windows = wait.inner().iter().filter(|s| s.from == receiver);
        let usual = end.window_first_bytes.min(end.window_max_bytes);
        let unread = windows.map(|s| s.window).min().is_some_and(|least| {
            i64::from(least) < full || u64::from(least) * 10 < u64::from(usual) * 6
        });
        let patience_ns = wait.rtt_ns * 3 / 2 + UNREAD_NS;
        // A window that has shrunk holds data that the program did not read.
        let shrunk = wait
            .last_window(receiver)
            .is_some_and(|s| u64::from(s.window) * 2 < u64::from(usual));
        let claim = WaitClaim {
            reason: Reason::WindowFull,
            ..claim
        };
        let same = wait.after().is_none_or(|s| s.from == sender) && !wait.is_short(before);
        let closed = shrunk || (unread || wait.length_ns() > patience_ns) && held();
        (same && closed).then_some(claim)
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        if let Some(description) = sna::describe(facts) {
            return description;
        }
        let reader = subject(facts.owner);
        SliceDescription {
            sentence: format!(
                "{reader} did not read: its receive window was closed for {} of {} ms.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            seen: format!(
                "{} windows of zero, or full ones that were not opened{}",
                facts.waits(),
                facts.at_packets()
            ),
            alternatives: "A receive buffer that is too small for one message looks similar, but \
                           opens within a round trip. A profile of the receiver shows what it did \
                           meanwhile."
                .to_owned(),
            remedy: Some(facts.advice(
                "find out why the receiving program does not read (disk, lock, one thread for all); \
                 let a thread of its own read; a larger SO_RCVBUF only delays the stall",
                "find out why the receiving program does not issue its receives (dispatching \
                 priority, a wait for another resource); TCPRCVBUFRSIZE on TCPCONFIG only delays \
                 the stall",
            )),
        }
    }
}

/// When the receiver closed its window, if it was closed in this wait.
fn closed_since(wait: &ExchangeWait<'_>, sender: crate::ConnectionSide) -> Option<i64> {
    let receiver = sender.other();
    let shut = |s: &Segment| s.marks.any(SegmentMarks::ZERO_WINDOW) || s.window == 0;
    let mut windows = wait.inner().iter().filter(|s| {
        s.from == receiver && !s.flags.any(crate::TcpFlags::RST | crate::TcpFlags::SYN)
    });
    if let Some(first) = windows.find(|s| shut(s)) {
        return Some(first.time_ns);
    }
    let end = wait.before + 1;
    let last = (wait.timeline[..end].iter().rev().take(16)).find(|s| {
        s.from == receiver && !s.flags.any(crate::TcpFlags::RST | crate::TcpFlags::SYN)
    })?;
    shut(last).then_some(last.time_ns)
}

/// Shorter closings are a receiver that keeps pace.
const LEAST_NS: i64 = 1_000_000;

/// The reaction time of a receiver that reads, in addition to the path.
const UNREAD_NS: i64 = 60_000_000;
