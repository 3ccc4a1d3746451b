//! The verdict: the largest cause of lost time, and the remedy.
//!
//! Slices are kinds of evidence with their share of all wall-clock time between
//! requests and their whole answers. A slice is a *finding* where a user would
//! notice it; time that any healthy system takes is none. The verdict is the
//! largest finding; without one it is `none`, and says where the time went.
//! Invariant: a share below [`LEAST_SHARE`] is never the verdict, unless a
//! request failed and nothing else was found.

mod advice;
mod facts;
mod slice;

pub use advice::AdvicePlatform;
pub(crate) use facts::{ConnectionFacts, Context, SliceFacts};
pub use slice::{EvidenceSlice, EvidenceStrength, VerdictKind};

use crate::evidence::{DelayOwner, EvidenceKind, Reason, evidence};
use crate::ledger::{LedgerInterval, ReasonSums};

/// The text of a kind of evidence for a slice.
pub(crate) struct SliceDescription {
    /// The cause and its cost.
    pub sentence: String,
    /// The observation, with packets.
    pub seen: String,
    /// Other causes with the same symptoms, and how to distinguish them.
    pub alternatives: String,
    /// The remedy. `None` if nothing follows.
    pub remedy: Option<String>,
}

/// The verdict and all slices, the largest first.
pub(crate) fn slices(
    mut sums: Box<ReasonSums>,
    intervals: &[LedgerInterval],
    context: &Context<'_>,
) -> (EvidenceSlice, Vec<EvidenceSlice>) {
    join_turns(&mut sums, context);
    let total_ns: i64 = (sums.iter().flatten()).fold(0, |sum, one| sum.saturating_add(one.ns));
    let mut slices: Vec<EvidenceSlice> = (EvidenceKind::ALL.into_iter())
        .flat_map(|kind| {
            let all: Vec<Reason> = Reason::ALL
                .iter()
                .copied()
                .filter(|one| one.kind() == kind)
                .collect();
            // Each limit of a transfer is its own slice.
            match kind {
                EvidenceKind::TransferLimited => all.into_iter().map(|one| vec![one]).collect(),
                _ => vec![all],
            }
        })
        .filter_map(|reasons| slice(&reasons, &sums, intervals, total_ns, context))
        .collect();
    slices.sort_by(|a, b| b.lost_ms.total_cmp(&a.lost_ms));
    let verdict = choose(&slices, total_ns, context);
    (verdict, slices)
}

/// Round trips of many turns in sequence belong to the application that takes
/// so many turns, as long as the path itself is not slow.
fn join_turns(sums: &mut ReasonSums, context: &Context<'_>) {
    let reasons = [Reason::HandshakeRoundTrip, Reason::TurnRoundTrip];
    let trips = reasons.map(|reason| sums[reason as usize]);
    let count: u64 = trips.iter().flatten().map(|one| one.waits).sum();
    let many = count >= MANY_TURNS && context.rtt_ns < SLOW_NS || count >= VERY_MANY_TURNS;
    if !many {
        return;
    }
    for reason in reasons {
        for owner in DelayOwner::ALL {
            let sum = std::mem::take(&mut sums[reason as usize][owner as usize]);
            let many = &mut sums[Reason::ManyTurns as usize][DelayOwner::Client as usize];
            many.ns = many.ns.saturating_add(sum.ns);
            many.waits += sum.waits;
        }
    }
}

/// The slice of some reasons of one kind. Returns `None` if it has no time.
fn slice(
    of: &[Reason],
    sums: &ReasonSums,
    intervals: &[LedgerInterval],
    total_ns: i64,
    context: &Context<'_>,
) -> Option<EvidenceSlice> {
    let mut reasons: Vec<(Reason, i64, u64)> = Vec::new();
    let mut owners = [0_i64; DelayOwner::COUNT];
    for reason in of {
        let row = &sums[*reason as usize];
        let (ns, waits) = row
            .iter()
            .fold((0, 0), |(ns, waits), one| (ns + one.ns, waits + one.waits));
        for (sum, one) in owners.iter_mut().zip(row) {
            *sum = sum.saturating_add(one.ns);
        }
        if waits > 0 {
            reasons.push((*reason, ns, waits));
        }
    }
    reasons.sort_by_key(|(reason, ns, _)| (std::cmp::Reverse(*ns), *reason));
    let (reason, ..) = *reasons.first()?;
    let kind = reason.kind();
    let lost_ns = reasons.iter().map(|(_, ns, _)| ns).sum();
    let owner = DelayOwner::ALL
        .into_iter()
        .max_by_key(|owner| (owners[*owner as usize], std::cmp::Reverse(*owner)))?;
    let shows = |one: &&LedgerInterval| {
        one.reason == reason
            || (kind == EvidenceKind::Chatty && one.reason == Reason::TurnRoundTrip)
    };
    let facts = SliceFacts {
        reason,
        owner,
        lost_ns,
        total_ns,
        reasons: &reasons,
        examples: intervals.iter().filter(shows).take(EXAMPLES).collect(),
        longest_ns: (intervals.iter().find(|one| one.reason.kind() == kind))
            .map_or(0, LedgerInterval::length_ns),
        context,
    };
    Some(EvidenceSlice::new(
        kind,
        &facts,
        evidence(kind).describe(&facts),
    ))
}

/// The largest finding, or a verdict of kind `none`.
fn choose(slices: &[EvidenceSlice], total_ns: i64, context: &Context<'_>) -> EvidenceSlice {
    let large = |slice: &&EvidenceSlice| slice.share >= LEAST_SHARE;
    // A path that was idle in the pauses of a transfer for longer than it was in use was
    // not its limit.
    let rate_ms = limits_ms(slices, |reason| reason == Reason::PathRate);
    let idle = limits_ms(slices, |reason| reason != Reason::PathRate) > rate_ms;
    let limit = |slice: &&EvidenceSlice| !(idle && slice.reason == Some(Reason::PathRate));
    let findings = || slices.iter().filter(|slice| slice.finding).filter(limit);
    if let Some(largest) = findings().find(large) {
        // Unexplained time is above a finding only where it is larger.
        return largest.clone();
    }
    if let Some(failed) = findings().find(|slice| slice.failed) {
        return failed.clone();
    }
    EvidenceSlice::none(slices, total_ns, context)
}

/// Milliseconds of the limits of transfers that are `wanted`.
fn limits_ms(slices: &[EvidenceSlice], wanted: impl Fn(Reason) -> bool) -> f64 {
    let limited = VerdictKind::Kind(EvidenceKind::TransferLimited);
    let limits = slices.iter().filter(|slice| slice.kind == limited);
    let limits = limits.filter(|slice| slice.reason.is_some_and(&wanted));
    limits.map(|slice| slice.lost_ms).sum()
}

/// Milliseconds with as many digits as they deserve.
pub(crate) fn ms(ns: i64) -> String {
    crate::report::ms(ns)
}

/// An end at the beginning of a sentence.
pub(crate) fn subject(owner: DelayOwner) -> &'static str {
    match owner {
        DelayOwner::Client => "The client",
        DelayOwner::Server => "The server",
        DelayOwner::User => "The user",
        DelayOwner::Network => "The path",
        DelayOwner::Unknown => "An end",
    }
}

/// Bytes as text.
pub(crate) fn bytes(count: u32) -> String {
    match count {
        0..=9_999 => format!("{count} bytes"),
        10_000..=9_999_999 => format!("{} KB", count / 1_000),
        _ => format!("{} MB", count / 1_000_000),
    }
}

/// A smaller share of the time is named in the table only.
pub(crate) const LEAST_SHARE: f64 = 0.05;

/// Round trips from which on their number is the cause.
const MANY_TURNS: u64 = 16;

/// So many turns are too many on any path.
const VERY_MANY_TURNS: u64 = 60;

/// A longer round trip is the cause itself.
const SLOW_NS: i64 = 200_000_000;

/// Intervals that a sentence may name.
const EXAMPLES: usize = 3;
