//! A small write waited for an acknowledgement.
//!
//! Nagle's algorithm holds a small write while an earlier one is not acknowledged;
//! a receiver that delays its acknowledgement makes it long. The packets show a
//! short segment, an acknowledgement by itself, and the next data as soon as its
//! sender could have that acknowledgement. An end that sends short segments in
//! sequence has the algorithm off. Reference: RFC 896, RFC 1122 4.2.3.

use super::{
    DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, LONGEST_NS, Reason, WaitClaim,
};
use crate::verdict::{SliceDescription, SliceFacts, ms, subject};
use crate::{AppProtocol, ExchangePhase, Segment, SegmentMarks};

pub(super) struct WaitedForAck;

impl EvidenceDetector for WaitedForAck {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::WaitedForAck
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        let (before, after) = (wait.before(), wait.after()?);
        let same = before.from == after.from && before.len > 0 && after.len > 0;
        let quiet = !after.marks.any(SegmentMarks::REPEATED) && before.flight > 0;
        if !same
            || !quiet
            || wait.phase == ExchangePhase::Connect
            || wait.connection.protocol == AppProtocol::Sna
        {
            return None;
        }
        let ack = first_ack(wait, before)?;
        if !wait.follows(ack, after) {
            return None;
        }
        let held_ns = (ack.time_ns - before.time_ns).min(LONGEST_NS);
        let delay_ns = held_ns - wait.near_ns(ack.from);
        let delayed = delay_ns >= LEAST_DELAY_NS;
        let micros = |ns: i64| (ns / 1_000).clamp(0, i64::from(u32::MAX)) as u32;
        let numbers = [before.len, micros(delay_ns)];
        if wait.is_short(before) {
            let end = wait.connection.end(before.from);
            // Sometimes a write is sent with the acknowledgement of
            // another.
            if u64::from(end.unheld_short) * UNHELD_SHARE > end.data_segments {
                return None;
            }
            let reason = if delayed {
                Reason::NagleDelayedAck
            } else {
                Reason::NagleRoundTrip
            };
            return Some(WaitClaim::whole(wait, reason, DelayOwner::of(before.from)).with(numbers));
        }
        // A full segment: the sender's window was used up by it.
        let few = before.flight <= wait.full_bytes(before.from).saturating_mul(FEW_SEGMENTS);
        (delayed && few && delay_ns * 2 >= wait.length_ns()).then(|| {
            WaitClaim::whole(wait, Reason::DelayedAck, DelayOwner::of(ack.from)).with(numbers)
        })
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let sender = subject(facts.owner).to_lowercase();
        let lost = ms(facts.lost_ns);
        let total = ms(facts.total_ns);
        let (sentence, remedy) = match facts.reason {
            Reason::DelayedAck => (
                format!("The sender's window was used up and {sender} delayed its acknowledgement: {lost} of {total} ms."),
                facts.advice(
                    "write larger pieces, or start with a larger congestion window; `ip route change \
                     … quickack 1` on the receiver ends the delay",
                    "NODELAYACKS on TCPCONFIG, PORT or ROUTE of the receiver, or AUTODELAYACKS",
                ),
            ),
            Reason::NagleRoundTrip => (
                format!("Nagle's algorithm: {sender} held small writes back until the one before was acknowledged, {lost} of {total} ms."),
                facts.advice(
                    "write each message in one piece (writev, TCP_CORK) or set TCP_NODELAY on the sender",
                    "let the sending program write once or set TCP_NODELAY",
                ),
            ),
            _ => (
                format!("Nagle's algorithm waited for delayed acknowledgements: {sender} wrote messages in small pieces, {lost} of {total} ms."),
                facts.advice(
                    "write each message in one piece (writev, TCP_CORK) or set TCP_NODELAY on the \
                     sender; `ip route change … quickack 1` on the receiver ends the delay only",
                    "let the sending program write once or set TCP_NODELAY; on the receiver \
                     NODELAYACKS on TCPCONFIG, PORT or ROUTE, or AUTODELAYACKS",
                ),
            ),
        };
        let [bytes, delay_us] = facts.numbers();
        SliceDescription {
            sentence,
            seen: format!(
                "{} times the next data followed an acknowledgement at once{}; for example after \
                 {bytes} bytes, with the acknowledgement delayed by {:.1} ms",
                facts.waits(),
                facts.at_packets(),
                f64::from(delay_us) / 1e3
            ),
            alternatives: "A program that pauses as long by itself would look the same once; it \
                           would not follow the acknowledgement each time. With TCP_NODELAY on \
                           the sender this wait disappears, and a program's pause stays."
                .to_owned(),
            remedy: Some(remedy),
        }
    }
}

/// The acknowledgement by itself that covers all of `before`.
fn first_ack<'a>(wait: &ExchangeWait<'a>, before: &Segment) -> Option<&'a Segment> {
    let covers = |s: &&Segment| {
        s.from != before.from
            && s.is_pure_ack()
            && s.marks.any(SegmentMarks::ADVANCES)
            && s.ack.wrapping_sub(before.end_seq()) < 1 << 31
            && s.via == before.via
    };
    wait.inner().iter().find(covers)
}

/// A receiver that waits this long has delayed its acknowledgement.
const LEAST_DELAY_NS: i64 = 8_000_000;

/// One short segment in so many that was not held: Nagle's algorithm is off.
const UNHELD_SHARE: u64 = 8;

/// Full segments in flight that a small congestion window allows.
const FEW_SEGMENTS: u32 = 4;
