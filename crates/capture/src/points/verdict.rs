//! Corrections of the first capture's verdict by the other captures.
//!
//! A client's capture cannot distinguish a server that does not answer from an answer
//! that was lost, nor from a path that became slow. Captures on both sides can:
//! where most of a wait for an end passed on the path, the time is the path's.

use super::JoinedPoints;
use super::losses::HopLosses;
use super::place::{HopTime, PlacedWaits};
use crate::verdict::ms;
use crate::{
    CaptureExplanation, DelayOwner, EvidenceKind, EvidenceSlice, EvidenceStrength, LedgerInterval,
    Reason, VerdictKind,
};

/// Moves time from an end to the path if it was spent there.
pub(super) fn correct(
    joined: &JoinedPoints,
    explanation: &mut CaptureExplanation,
    placed: &PlacedWaits,
    losses: &HopLosses,
) {
    let host = VerdictKind::Kind(EvidenceKind::HostWait);
    let Some(verdict) = explanation.verdict.take() else {
        return;
    };
    let moved_ns: i64 = placed.on_path.iter().map(|time| time.ns).sum();
    let mostly_path = moved_ns as f64 / 1e6 >= verdict.lost_ms * LEAST_MOVED;
    if verdict.kind != host || !mostly_path {
        explanation.verdict = Some(verdict);
        return;
    }
    let [lost, slow] = &placed.on_path;
    let slices = &mut explanation.slices;
    let total_ms: f64 = slices.iter().map(|slice| slice.lost_ms).sum();
    for slice in slices.iter_mut().filter(|slice| slice.kind == host) {
        slice.lost_ms = (slice.lost_ms - moved_ns as f64 / 1e6).max(0.0);
        slice.share = share(slice.lost_ms, total_ms);
        slice.without_ms = Some(total_ms - slice.lost_ms);
    }
    let mut found = Vec::new();
    if lost.ns > 0 {
        found.push(lost_slice(joined, lost, losses, total_ms));
    }
    if slow.ns > 0 {
        found.push(slow_slice(joined, slow, total_ms));
    }
    found.sort_by(|a, b| b.lost_ms.total_cmp(&a.lost_ms));
    explanation.verdict = found.first().cloned();
    for (wait, lost_ns) in &placed.after_loss {
        correct_exchanges(explanation, wait, *lost_ns);
    }
    let slices = &mut explanation.slices;
    slices.extend(found);
    slices.sort_by(|a, b| b.lost_ms.total_cmp(&a.lost_ms));
}

/// Divides a wait where it is listed: up to the loss it is its end's, then the
/// path's.
fn correct_exchanges(explanation: &mut CaptureExplanation, wait: &LedgerInterval, lost_ns: i64) {
    let from_ns = wait.to_ns - lost_ns;
    let lists = (explanation.exchanges.iter_mut())
        .map(|one| (&mut one.waits, Some(&mut one.slices)))
        .chain([(&mut explanation.waits, None)]);
    for (waits, slices) in lists {
        let Some(at) = waits.iter().position(|one| one == wait) else {
            continue;
        };
        let lost = LedgerInterval {
            from_ns,
            reason: Reason::NeverAcknowledged,
            owner: DelayOwner::Network,
            ..*wait
        };
        waits[at].to_ns = from_ns;
        waits.insert(at + 1, lost);
        if waits[at].length_ns() == 0 {
            waits.remove(at);
        }
        if let Some(slices) = slices {
            slices.add(EvidenceKind::HostWait, -lost_ns);
            slices.add(EvidenceKind::Retransmission, lost_ns);
        }
    }
}

/// The slice of answers or requests that were lost between two points.
fn lost_slice(
    joined: &JoinedPoints,
    time: &HopTime,
    losses: &HopLosses,
    total_ms: f64,
) -> EvidenceSlice {
    let (near, far) = (
        &joined.points[time.hop].name,
        &joined.points[time.hop + 1].name,
    );
    let (from, to) = if time.request_way {
        (near, far)
    } else {
        (far, near)
    };
    let what = if time.request_way {
        "request"
    } else {
        "answer"
    };
    let packets: Vec<String> = (losses.packets.iter())
        .filter(|lost| (lost.hop, lost.request_way) == (time.hop, time.request_way))
        .take(EXAMPLES)
        .map(|lost| lost.packet.to_string())
        .collect();
    EvidenceSlice {
        sentence: format!(
            "The {what} was sent and lost on the way from {from} to {to}: {} of {} ms were waited \
             for it.",
            ms(time.ns),
            ms((total_ms * 1e6) as i64)
        ),
        seen: format!(
            "packets {} of {from} did not reach {to}",
            packets.join(", ")
        ),
        alternatives: format!(
            "A recorder at {to} that loses packets would look the same; tcpdump prints how many \
             it has dropped."
        ),
        remedy: Some(format!(
            "find what drops packets between {near} and {far}: a firewall or its connection table, \
             a route that changed, a dead link"
        )),
        ..path_slice(
            EvidenceKind::Retransmission,
            Reason::NeverAcknowledged,
            time,
            total_ms,
        )
    }
}

/// The slice of packets that were long on their way.
fn slow_slice(joined: &JoinedPoints, time: &HopTime, total_ms: f64) -> EvidenceSlice {
    let (near, far) = (
        &joined.points[time.hop].name,
        &joined.points[time.hop + 1].name,
    );
    EvidenceSlice {
        sentence: format!(
            "The path between {near} and {far} took {} of {} ms; the end answered sooner.",
            ms(time.ns),
            ms((total_ms * 1e6) as i64)
        ),
        seen: format!(
            "{} waits were that much shorter at {far} than at {near}",
            time.waits
        ),
        alternatives: "A queue and a longer route look the same; the least and the largest delay \
                       of the hop differ where it is a queue."
            .to_owned(),
        remedy: Some(format!(
            "look at the queues and routes between {near} and {far} (interface counters, \
             traceroute from both ends)"
        )),
        without_ms: None,
        ..path_slice(EvidenceKind::SlowPath, Reason::DelaySpike, time, total_ms)
    }
}

fn path_slice(kind: EvidenceKind, reason: Reason, time: &HopTime, total_ms: f64) -> EvidenceSlice {
    let lost_ms = (time.ns as f64 / 1e3).round() / 1e3;
    EvidenceSlice {
        kind: VerdictKind::Kind(kind),
        owner: DelayOwner::Network,
        lost_ms,
        share: share(lost_ms, total_ms),
        sentence: String::new(),
        seen: String::new(),
        without_ms: Some(total_ms - lost_ms),
        alternatives: String::new(),
        remedy: None,
        strength: EvidenceStrength::Strong,
        reason: Some(reason),
        waits: time.waits,
        finding: true,
        failed: false,
    }
}

fn share(part_ms: f64, total_ms: f64) -> f64 {
    if total_ms > 0.0 {
        part_ms / total_ms
    } else {
        0.0
    }
}

/// So much of the verdict must have passed on the path.
const LEAST_MOVED: f64 = 0.5;

/// Packets that a sentence names.
const EXAMPLES: usize = 3;
