//! The path's round trip, wherever an exchange has to wait for one.
//!
//! The handshake measures it without a delayed acknowledgement, on both sides
//! of the place of capture. Setting up a connection takes one, each change of
//! turn takes one. A path that is slower than its own best time shows in the
//! acknowledgement of a request that comes late, and in copies that prove
//! needless.

use super::{
    DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, LONGEST_NS, Reason, WaitClaim,
};
use crate::verdict::{SliceDescription, SliceFacts, ms};
use crate::{AppProtocol, ExchangePhase, SegmentMarks};

pub(super) struct SlowPath;

impl EvidenceDetector for SlowPath {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::SlowPath
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        if wait.connection.protocol == AppProtocol::Sna {
            return None;
        }
        if wait.phase == ExchangePhase::Connect {
            wait.after()?;
            let claim = WaitClaim::whole(wait, Reason::HandshakeRoundTrip, DelayOwner::Network);
            return Some(claim);
        }
        let sender = wait.sender();
        let before = wait.before();
        if before.from == sender {
            let copy =
                |s: &crate::Segment| s.marks.any(SegmentMarks::RESENT) && s.seq == before.seq;
            let early = wait.after().is_some_and(copy);
            let far_ns = wait.near_ns(sender.other());
            if early && wait.length_ns() < far_ns {
                // Retransmitted before any answer could have
                // arrived.
                return Some(WaitClaim::whole(
                    wait,
                    Reason::TurnRoundTrip,
                    DelayOwner::Network,
                ));
            }
            return needless_copy(wait);
        }
        if wait.connection.protocol == AppProtocol::Dlsw {
            // Units of SNA go further than TCP's round trip shows.
            return None;
        }
        let near_ns = wait.near_ns(sender);
        let path_ns = acknowledged_after_ns(wait).unwrap_or(near_ns).max(near_ns);
        let path_ns = relayed_ns(wait, near_ns).unwrap_or(path_ns);
        let path_ns = path_ns.max(near_ns.saturating_add(queued_ns(wait)));
        let path_ns = path_ns - (wait.from_ns - before.time_ns).min(path_ns);
        if path_ns <= 0 {
            return None;
        }
        let reason = if path_ns > near_ns * 2 + RISE_NS && wait.phase != ExchangePhase::ClientThink
        {
            Reason::DelaySpike
        } else {
            Reason::TurnRoundTrip
        };
        let to_ns = wait.to_ns.min(wait.from_ns.saturating_add(path_ns));
        let claim = WaitClaim::whole(wait, reason, DelayOwner::Network);
        Some(WaitClaim { to_ns, ..claim })
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let rtt = ms(facts.context.rtt_ns);
        let (lost, total) = (ms(facts.lost_ns), ms(facts.total_ns));
        let (sentence, alternatives, remedy) = match facts.reason {
            Reason::DelaySpike => (
                format!(
                    "The path was slower than its own best time: {lost} of {total} ms passed on it."
                ),
                "A queue that other transfers fill, an outage and a radio link that repeats frames \
                 look the same; a delay that ends with other traffic is a queue.",
                "find the link whose queue is full while it is slow, and manage that queue \
                 (fq_codel, a smaller buffer, a shaper below the link's rate); then look for \
                 outages of the path at these times",
            ),
            _ => (
                format!(
                    "The path is slow: one round trip takes {rtt} ms, and {lost} of {total} ms \
                     passed on it."
                ),
                "Distance, a satellite link and a full queue look the same in one handshake; a round \
                 trip that is shorter when the link is idle is a queue.",
                "bring client and server nearer to each other (cache, proxy, CDN), keep connections \
                 open, and use TLS 1.3 with resumption; where the round trip varies, manage the \
                 queue at the slowest link (fq_codel, a smaller buffer)",
            ),
        };
        SliceDescription {
            sentence,
            seen: format!(
                "{}; round trip {rtt} ms{}",
                facts.reason_list(),
                facts.at_packets()
            ),
            alternatives: alternatives.to_owned(),
            remedy: Some(remedy.to_owned()),
        }
    }
}

/// The handshake's round trip if a device near the capture (a relay, an address
/// translator) acknowledges data, and the answer took as long as the handshake.
fn relayed_ns(wait: &ExchangeWait<'_>, near_ns: i64) -> Option<i64> {
    let shake_ns = wait.connection.end(wait.sender()).rtt.handshake_ns?;
    let shake_ns = shake_ns.min(LONGEST_NS);
    let length_ns = wait.length_ns();
    let alike = length_ns * 20 >= shake_ns * 17 && length_ns * 10 <= shake_ns * 14;
    (shake_ns > near_ns.saturating_mul(4) && shake_ns > RISE_NS && alike).then_some(shake_ns)
}

/// The time that the answer spent in a queue, by its sender's timestamps.
fn queued_ns(wait: &ExchangeWait<'_>) -> i64 {
    let Some(after) = wait
        .after()
        .filter(|s| !s.marks.any(SegmentMarks::REPEATED))
    else {
        return 0;
    };
    let clock = &wait.connection.end(after.from).clock;
    let late_ns = clock.late_ns(after.ts_value, after.time_ns).unwrap_or(0);
    if late_ns < RISE_NS { 0 } else { late_ns }
}

/// The time until the other end acknowledged the request by itself, where
/// that can only be the path: the answer followed at once, or no receiver
/// delays an acknowledgement so long.
fn acknowledged_after_ns(wait: &ExchangeWait<'_>) -> Option<i64> {
    let before = wait.before();
    let ack = wait.inner().iter().find(|s| {
        s.from != before.from && s.marks.any(SegmentMarks::ADVANCES) && s.via == before.via
    })?;
    let took_ns = ack.time_ns - before.time_ns;
    let prompt = wait
        .after()
        .is_some_and(|after| after.time_ns - ack.time_ns < PROMPT_NS);
    (prompt && took_ns < LONGEST_ACK_NS || took_ns > LONGEST_ACK_NS).then_some(took_ns)
}

/// A wait with an unnecessary retransmission that ended with the late
/// acknowledgement.
fn needless_copy(wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
    let sender = wait.sender();
    let needless = SegmentMarks::PROVEN_SPURIOUS | SegmentMarks::SPURIOUS_RETRANSMISSION;
    let copied = wait
        .inner()
        .iter()
        .any(|s| s.from == sender && s.marks.any(needless));
    let late = wait.last_advance(sender.other())?;
    let after = wait.after()?;
    (wait.phase != ExchangePhase::ServerThink && copied && wait.follows(late, after))
        .then(|| WaitClaim::whole(wait, Reason::DelaySpike, DelayOwner::Network))
}

/// An answer so soon after the acknowledgement was not waited for.
const PROMPT_NS: i64 = 3_000_000;

/// No receiver delays an acknowledgement longer (RFC 1122: 0.5 s).
const LONGEST_ACK_NS: i64 = 550_000_000;

/// A rise below this is jitter.
const RISE_NS: i64 = 20_000_000;
