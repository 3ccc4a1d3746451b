//! Gaps: found in the timeline, offered to the rules, entered once.

use super::flow::Timeline;
use super::ledger::{Causes, Ledger};
use super::split::Intervals;
use crate::rules::{RULES, applies};
use crate::{Claim, Connection, Exchange, Gap, GapReport, Options, Phase};

/// Offers every gap of `exchange`, and of the client think before it, to the
/// rules; their claims go into the exchange's split and into the sums.
pub(super) fn judge(
    timeline: &mut Timeline,
    connection: &mut Connection,
    exchange: &mut Exchange,
    intervals: &Intervals,
    (ledger, service): (&mut Ledger, &mut Causes),
    options: &Options,
) {
    let end_ns = intervals.end_ns();
    let pipelined = !exchange.resumed && intervals.start_ns() < timeline.judged_ns;
    exchange.resumed = true;
    let mut at = match pipelined {
        // Part of it was judged for the exchange before.
        true => {
            let start_ns = exchange.request.start_ns;
            (timeline.segments.partition_point(|s| s.time_ns < start_ns)).min(timeline.judged)
        }
        false => timeline.judged,
    };
    while at + 1 < timeline.segments.len() && timeline.segments[at].time_ns < end_ns {
        let gap_ns = timeline.segments[at + 1].time_ns - timeline.segments[at].time_ns;
        if gap_ns > options.gap_ns {
            let seen = at < timeline.judged;
            let context = (&*timeline, at, seen);
            judge_one(context, connection, exchange, intervals, (ledger, service));
        }
        at += 1;
    }
    timeline.judged = timeline.judged.max(at);
    timeline.judged_ns = timeline.judged_ns.max(end_ns);
}

fn judge_one(
    (timeline, at, seen): (&Timeline, usize, bool),
    connection: &mut Connection,
    exchange: &mut Exchange,
    intervals: &Intervals,
    (ledger, service): (&mut Ledger, &mut Causes),
) {
    let from_ns = timeline.segments[at].time_ns;
    let (phase, phase_end_ns) = intervals.at(from_ns);
    let gap = Gap {
        connection,
        exchange,
        phase,
        timeline: &timeline.segments,
        at,
    };
    let claimed = best(&gap).map(|(rule, mut claim)| {
        let room_ns = gap.length_ns().min(phase_end_ns - from_ns);
        claim.cost_ns = claim.cost_ns.clamp(0, room_ns);
        (rule, claim)
    });
    let (before, after) = (gap.before(), gap.after());
    let mut report = GapReport {
        from_ns,
        to_ns: after.time_ns,
        before: before.packet,
        after: after.packet,
        phase,
        rule: None,
        cost_ns: 0,
    };
    let mut stall = None;
    if let Some((rule, claim)) = &claimed {
        let stalls = !claim.stays && phase != Phase::ClientThink;
        report.rule = Some(RULES[*rule].about().id);
        report.cost_ns = claim.cost_ns;
        if !seen {
            let stalled_ns = if stalls { claim.cost_ns } else { 0 };
            ledger.claim(*rule, &gap, claim, stalled_ns);
            service.add(*rule, claim.cost_ns, stalled_ns);
        }
        if seen && stalls {
            // Another exchange that waited at the same time: its time too.
            ledger.causes.wait_again(*rule, claim.cost_ns);
            service.wait_again(*rule, claim.cost_ns);
        }
        if stalls {
            stall = Some((RULES[*rule].about().id, claim.cost_ns));
        }
    }
    if let Some((rule, cost_ns)) = stall {
        exchange.split.stall(rule, phase, cost_ns);
        connection.stalled_ns = connection.stalled_ns.saturating_add(cost_ns);
    }
    if exchange.gaps.len() < MAX_GAPS {
        exchange.gaps.push(report);
    }
}

/// The claim with the highest confidence; the earlier rule on a tie.
fn best(gap: &Gap<'_>) -> Option<(usize, Claim)> {
    let mut best: Option<(usize, Claim)> = None;
    for (index, rule) in RULES.iter().enumerate() {
        if !applies(*rule, gap.connection) {
            continue;
        }
        let Some(claim) = rule.gap(gap) else {
            continue;
        };
        if best
            .as_ref()
            .is_none_or(|(_, other)| claim.confidence > other.confidence)
        {
            best = Some((index, claim));
        }
    }
    best
}

/// Gaps listed of one exchange; all are judged and summed.
const MAX_GAPS: usize = 200;
