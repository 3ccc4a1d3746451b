//! Segments above a size do not arrive, and no ICMP message says so.
//!
//! Near the sender a large segment is sent repeatedly and never acknowledged, while
//! smaller ones are. Near the receiver the large ones never arrive: small ones
//! before and after them do, and the hole between them is as large as full
//! segments. Reference: RFC 2923, RFC 4821, RFC 8899.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, ms};
use crate::{ConnectionSide, ExchangePhase, Segment, SegmentMarks};

pub(super) struct MtuBlackHole;

impl EvidenceDetector for MtuBlackHole {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::MtuBlackHole
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        if wait.phase == ExchangePhase::Connect || wait.length_ns() < LEAST_NS {
            return None;
        }
        let bytes = [wait.sender(), wait.before().from]
            .into_iter()
            .find_map(|sender| unacknowledged(wait, sender));
        if let Some(bytes) = bytes {
            let claim = WaitClaim::whole(wait, Reason::LargeUnacknowledged, DelayOwner::Network);
            return Some(claim.with([bytes, 0]));
        }
        let hole = [ConnectionSide::Server, ConnectionSide::Client]
            .into_iter()
            .find_map(|sender| missing(wait, sender))?;
        let claim = WaitClaim::whole(wait, Reason::LargeMissing, DelayOwner::Network);
        Some(claim.with([hole, 0]))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let bytes = facts.numbers()[0];
        let sentence = match facts.reason {
            Reason::LargeMissing => format!(
                "Full segments never arrive: {bytes} bytes are missing, small segments around \
                 them came; {} of {} ms.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            _ => format!(
                "Segments of {bytes} bytes are sent again and never acknowledged, smaller ones \
                 are; {} of {} ms.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
        };
        SliceDescription {
            sentence,
            seen: format!(
                "a full segment does not pass, smaller ones do{}",
                facts.at_packets()
            ),
            alternatives: "Heavy loss would drop small segments too. `ping -M do -s 1472` \
                           to the other end, with smaller sizes until one passes, finds the limit."
                .to_owned(),
            remedy: Some(facts.advice(
                "let ICMP `fragmentation needed` (type 3 code 4, ICMPv6 type 2) pass, or clamp \
                     the MSS at the tunnel (`--clamp-mss-to-pmtu`); net.ipv4.tcp_mtu_probing=1 on \
                     the sender",
                "PATHMTUDISCOVERY on IPCONFIG and ICMP allowed by the filters, or a smaller \
                     MTU on BEGINROUTES ROUTE for this destination",
            )),
        }
    }
}

/// The size of a segment of `sender` that is repeated without success around the
/// wait.
fn unacknowledged(wait: &ExchangeWait<'_>, sender: ConnectionSide) -> Option<u32> {
    let end = wait.connection.end(sender);
    let passed = end.passed_bytes;
    let stuck = |s: &&Segment| {
        s.from == sender
            && s.len >= LEAST_BYTES
            && s.len > passed
            && s.marks.any(SegmentMarks::RESENT)
            && !s
                .marks
                .any(SegmentMarks::PROVEN_SPURIOUS | SegmentMarks::SPURIOUS_RETRANSMISSION)
    };
    let around = &wait.timeline[wait.before.saturating_sub(SEARCHED_SEGMENTS)..];
    let first = around.iter().find(stuck)?;
    let copies = around.iter().filter(|s| stuck(s) && s.seq == first.seq);
    let copies = copies.count();
    // The smaller copy of the same bytes was acknowledged: proof.
    let shrunk = around.iter().any(|s| {
        s.from == sender
            && s.seq == first.seq
            && s.len > 0
            && s.len < first.len
            && s.packet > first.packet
    });
    // If no packet from the other end follows, it may be down instead.
    let alive = around
        .iter()
        .any(|s| s.from != sender && s.packet > first.packet)
        || wait.timeline.iter().any(|s| {
            s.from != sender
                && s.marks
                    .any(SegmentMarks::SACK | SegmentMarks::DUPLICATE_ACK)
                && s.packet + SEARCHED_SEGMENTS as u64 > first.packet
        });
    let waits_for_it = wait.after().is_none_or(|after| {
        (after.from == sender && after.seq == first.seq) || wait.is_stuck(sender)
    });
    let near_full = first.len * 10 >= wait.full_bytes(sender).min(NEAR_FULL) * 9;
    ((copies >= 2 || shrunk) && alive && waits_for_it && near_full).then_some(first.len)
}

/// The size of a hole that full segments left near the receiver.
fn missing(wait: &ExchangeWait<'_>, sender: ConnectionSide) -> Option<u32> {
    let end = wait.connection.end(sender);
    let full = match (wait.connection.client.mss, wait.connection.server.mss) {
        (Some(a), Some(b)) => u32::from(a.min(b)),
        _ => return None,
    };
    if end.largest_bytes * 20 >= full * 18 || wait.length_ns() < LONG_NS {
        return None;
    }
    // The hole shows in the number of a later segment: a small one, a bare
    // acknowledgement or a FIN.
    let around = &wait.timeline[wait.before.saturating_sub(SEARCHED_SEGMENTS)..];
    let (at, far) = around
        .iter()
        .enumerate()
        .find(|(_, s)| s.from == sender && s.marks.any(SegmentMarks::LOST_SEGMENT))?;
    let before = around[..at].iter().filter(|s| s.from == sender);
    let hole = far.seq.wrapping_sub(before.map(|s| s.end_seq()).max()?);
    (hole >= full.min(LEAST_HOLE) && hole < 1 << 24).then_some(hole)
}

/// Shorter waits are not evidence: a timer has to expire first.
const LEAST_NS: i64 = 150_000_000;

/// Near the receiver a hole must last longer than a loss would.
const LONG_NS: i64 = 1_000_000_000;

/// Every path of today carries segments of this size.
const LEAST_BYTES: u32 = 900;

/// A smaller hole is not a full segment.
const LEAST_HOLE: u32 = 1_200;

/// Segments that offload joined are compared with this size.
const NEAR_FULL: u32 = 1460;

/// Segments that are searched before a wait.
const SEARCHED_SEGMENTS: usize = 32;
