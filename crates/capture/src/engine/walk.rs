//! The walk over an exchange's segments: its time cut into waits, each wait
//! given to the kinds of evidence.
//!
//! A wait is between two segments that brought the exchange forward and within one
//! phase. The kinds are asked in their order; what none claims is unexplained.
//! Think time of the client is skipped. Invariant: the claims of an exchange
//! neither overlap nor leave a hole, so its slices add up to its time.

use super::flow::SegmentTimeline;
use super::split::PhaseIntervals;
use crate::evidence::{
    DelayOwner, EVIDENCE, EvidenceKind, ExchangeWait, LONGEST_NS, Reason, WaitClaim, is_progress,
};
use crate::ledger::{LedgerInterval, WaitLedger};
use crate::{AnalysisOptions, Connection, Exchange, ExchangePhase, Segment};

/// Assigns the time of `exchange` to the kinds of evidence, up to the end of its
/// timeline. `last` is true if no more packets can follow.
pub(super) fn judge(
    timeline: &mut SegmentTimeline,
    connection: &Connection,
    exchange: &mut Exchange,
    intervals: &PhaseIntervals,
    last: bool,
    (ledger, options): (&mut WaitLedger, &AnalysisOptions),
) {
    let end_ns = intervals.end_ns();
    // Sessions of one link wait at the same time, each for its own units.
    let session = exchange.session;
    let others = |s: &Segment| session != 0 && s.session != 0 && s.session != session;
    let again = !exchange.resumed && (session != 0 || intervals.start_ns() < timeline.judged_ns);
    let mut before = timeline.judged;
    if again {
        // Pipelined: part of its time was walked for the exchange before it.
        let start_ns = exchange.request.start_ns;
        let from = timeline.segments.partition_point(|s| s.time_ns < start_ns);
        before = from.min(timeline.judged);
    }
    exchange.resumed = true;
    let begins_ns = match exchange.index {
        0 => intervals.start_ns(),
        // Time before a later request is think time.
        _ => exchange.request.start_ns,
    };
    let start_ns = exchange.walked_ns.max(begins_ns);
    let mut at_ns = start_ns;
    let mut at = before;
    let rtt_ns = connection.rtt_ns().unwrap_or(0).min(LONGEST_NS);
    while at + 1 < timeline.segments.len() {
        at += 1;
        let segment = timeline.segments[at];
        if !is_progress(&segment, connection) || others(&segment) {
            continue;
        }
        if segment.time_ns > at_ns && at_ns < end_ns {
            let to_ns = segment.time_ns.min(end_ns);
            let place = WaitPosition {
                timeline: &timeline.segments,
                rounds: &timeline.rounds,
                before,
                after: Some(at),
                rtt_ns,
            };
            place.give(
                connection,
                exchange,
                intervals,
                (at_ns, to_ns),
                ledger,
                options,
            );
            at_ns = to_ns;
        }
        if at > timeline.walked {
            timeline.observe(at, rtt_ns);
        }
        before = at;
        if segment.time_ns >= end_ns {
            break;
        }
    }
    timeline.judged = timeline.judged.max(before);
    if last && at_ns < end_ns && !timeline.segments.is_empty() {
        let place = WaitPosition {
            timeline: &timeline.segments,
            rounds: &timeline.rounds,
            before,
            after: None,
            rtt_ns,
        };
        place.give(
            connection,
            exchange,
            intervals,
            (at_ns, end_ns),
            ledger,
            options,
        );
        at_ns = end_ns;
    }
    exchange.walked_ns = at_ns;
    timeline.judged_ns = timeline.judged_ns.max(at_ns);
}

/// A wait's place in the timeline.
struct WaitPosition<'a> {
    timeline: &'a [Segment],
    rounds: &'a [crate::evidence::RoundHistory; 2],
    before: usize,
    after: Option<usize>,
    rtt_ns: i64,
}

impl WaitPosition<'_> {
    /// Gives the time from `from_ns` to `to_ns`, phase by phase.
    fn give(
        &self,
        connection: &Connection,
        exchange: &mut Exchange,
        intervals: &PhaseIntervals,
        (mut from_ns, to_ns): (i64, i64),
        ledger: &mut WaitLedger,
        options: &AnalysisOptions,
    ) {
        while from_ns < to_ns {
            let (phase, phase_end_ns) = intervals.at(from_ns);
            let until_ns = phase_end_ns.min(to_ns);
            let outside =
                phase == ExchangePhase::ClientThink && until_ns - from_ns > LONGEST_START_NS;
            if !outside {
                let mut wait = ExchangeWait {
                    connection,
                    exchange,
                    phase,
                    timeline: self.timeline,
                    before: self.before,
                    after: self.after,
                    from_ns,
                    to_ns: until_ns,
                    rounds: self.rounds,
                    rtt_ns: self.rtt_ns,
                };
                let claims = claims(&mut wait);
                for claim in claims.into_iter().flatten() {
                    self.enter(&claim, exchange, connection, (ledger, options));
                }
            }
            from_ns = until_ns;
        }
    }

    /// Enters one claim.
    fn enter(
        &self,
        claim: &WaitClaim,
        exchange: &mut Exchange,
        connection: &Connection,
        (ledger, options): (&mut WaitLedger, &AnalysisOptions),
    ) {
        let length_ns = claim.to_ns - claim.from_ns;
        if length_ns <= 0 {
            return;
        }
        let interval = LedgerInterval {
            from_ns: claim.from_ns,
            to_ns: claim.to_ns,
            reason: claim.reason,
            owner: claim.owner,
            numbers: claim.numbers,
            before: self.timeline[self.before].packet,
            after: self.after.map_or(0, |at| self.timeline[at].packet),
            connection: connection.id,
            waits: 1,
            only_inside: false,
        };
        exchange.slices.add(claim.reason.kind(), length_ns);
        if length_ns >= options.gap_ns && exchange.waits.len() < MAX_WAITS {
            exchange.waits.push(interval);
        }
        ledger.enter(interval);
    }
}

/// The claims on one wait, in order of time: at most three.
fn claims(wait: &mut ExchangeWait<'_>) -> [Option<WaitClaim>; 3] {
    let mut claims = [None; 3];
    let mut count = 0;
    let (from_ns, to_ns) = (wait.from_ns, wait.to_ns);
    let mut rest = Some((from_ns, to_ns));
    for (index, kind) in EVIDENCE.iter().enumerate() {
        let Some((rest_from, rest_to)) = rest else {
            break;
        };
        (wait.from_ns, wait.to_ns) = (rest_from, rest_to);
        let Some(mut claim) = kind.claim(wait) else {
            continue;
        };
        claim.from_ns = claim.from_ns.clamp(rest_from, rest_to);
        claim.to_ns = claim.to_ns.clamp(claim.from_ns, rest_to);
        if claim.to_ns <= claim.from_ns || index >= EvidenceKind::COUNT {
            continue;
        }
        // One part of a wait stays open: before the claim, or after it.
        let head = (rest_from, claim.from_ns);
        let tail = (claim.to_ns, rest_to);
        rest = [tail, head].into_iter().find(|(from, to)| to > from);
        if head.1 > head.0 && tail.1 > tail.0 {
            // Both are open: the smaller one is joined to the claim.
            if head.1 - head.0 < tail.1 - tail.0 {
                claim.from_ns = head.0;
                rest = Some(tail);
            } else {
                claim.to_ns = tail.1;
                rest = Some(head);
            }
        }
        claims[count] = Some(claim);
        count += 1;
        if count == claims.len() {
            break;
        }
    }
    if let Some((from, to)) = rest
        && let Some(last) = claims.iter_mut().flatten().last()
    {
        // No room for a fourth part.
        last.from_ns = last.from_ns.min(from);
        last.to_ns = last.to_ns.max(to);
    }
    claims
}

/// Enters the path's time on the other side of the place of capture: a client
/// that is one round trip away has waited that much longer.
pub(super) fn enter_far_side(
    connection: &Connection,
    exchange: &mut Exchange,
    previous_end_ns: i64,
    ledger: &mut WaitLedger,
) {
    let rtt = connection.end(exchange.asked_by).rtt;
    let far_ns = rtt.handshake_ns.or(rtt.min_ns).unwrap_or(0);
    if far_ns < LEAST_FAR_NS || exchange.session != 0 {
        return;
    }
    let start_ns = exchange.start_ns;
    let from_ns = (start_ns - far_ns).max(previous_end_ns);
    let interval = LedgerInterval {
        from_ns,
        to_ns: start_ns,
        reason: Reason::TurnRoundTrip,
        owner: DelayOwner::Network,
        numbers: [0; 2],
        before: 0,
        after: exchange.request.first_packet,
        connection: connection.id,
        waits: 1,
        only_inside: false,
    };
    if start_ns > from_ns {
        exchange.start_ns = from_ns;
        exchange
            .slices
            .add(EvidenceKind::SlowPath, start_ns - from_ns);
        ledger.enter(interval);
    }
}

/// Waits kept of one exchange; all are summed.
const MAX_WAITS: usize = 200;

/// A client that waits longer before its first request had nothing to ask yet.
const LONGEST_START_NS: i64 = 5_000_000_000;

/// A shorter round trip to the client is left out.
const LEAST_FAR_NS: i64 = 1_000_000;
