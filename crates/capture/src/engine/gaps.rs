//! Gaps: found in the timeline, offered to the rules, entered once.

use super::flow::Timeline;
use super::ledger::{Causes, Ledger};
use super::pending::Pending;
use super::split::Intervals;
use crate::rules::{RULES, Rule, applies, as_trusted};
use crate::{Claim, Connection, Exchange, Gap, GapReport, Marks, Options, Phase, Segment};

/// Offers every gap of `exchange`, and of the client think before it, to the
/// rules; their claims go into the exchange's split and into the sums. A link of
/// DLSw may have a second connection.
pub(super) fn judge(
    timeline: &mut Timeline,
    (connection, second): (&mut Connection, Option<&Connection>),
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
            let both = (&mut *connection, second);
            let judged = judge_one(context, both, exchange, intervals, (ledger, service));
            if let Some(rule) = judged.new {
                let before = timeline.segments[at].packet;
                timeline.claimed.push((before, rule));
            }
            if let Some(pending) = judged.pending {
                Pending::push(&mut timeline.pending, pending);
            }
        }
        at += 1;
    }
    timeline.judged = timeline.judged.max(at);
    timeline.judged_ns = timeline.judged_ns.max(end_ns);
    if exchange.session != 0 {
        let told = (timeline.segments.as_slice(), options.gap_ns);
        judge_session(told, connection, exchange, intervals, (ledger, service));
    }
}

/// Offers the waits of an exchange's session during which the link carried
/// others to the rules on SNA: what of such a wait was no silence of the link.
fn judge_session(
    (all, gap_ns): (&[Segment], i64),
    connection: &mut Connection,
    exchange: &mut Exchange,
    intervals: &Intervals,
    (ledger, service): (&mut Ledger, &mut Causes),
) {
    let link = Marks::NOT_READY | Marks::READY_AGAIN;
    let own: Vec<Segment> = (all.iter())
        .filter(|s| s.session == exchange.session || (s.session == 0 && s.marks.any(link)))
        .copied()
        .collect();
    for at in 0..own.len().saturating_sub(1) {
        let (from_ns, to_ns) = (own[at].time_ns, own[at + 1].time_ns);
        let (phase, phase_end_ns) = intervals.at(from_ns);
        let until_ns = to_ns.min(phase_end_ns);
        let past = from_ns < exchange.session_judged_ns || from_ns < intervals.start_ns();
        if past || from_ns >= intervals.end_ns() || to_ns - from_ns <= gap_ns {
            continue;
        }
        exchange.session_judged_ns = to_ns;
        let silent_ns: i64 = all[all.partition_point(|s| s.packet < own[at].packet)..]
            .windows(2)
            .take_while(|pair| pair[0].time_ns < until_ns)
            .map(|pair| pair[1].time_ns.min(until_ns) - pair[0].time_ns)
            .filter(|ns| *ns > gap_ns)
            .sum();
        let others_ns = until_ns - from_ns - silent_ns;
        if others_ns <= gap_ns {
            continue;
        }
        let gap = Gap {
            connection,
            exchange,
            phase,
            timeline: &own,
            at,
        };
        let of_sna = |rule: &dyn Rule| OF_SNA.iter().any(|b| rule.about().id.starts_with(b));
        let Some((rule, mut claim)) = best(&gap, of_sna) else {
            continue;
        };
        claim.cost_ns = others_ns;
        ledger.claim(rule, &gap, &claim, others_ns);
        service.add(rule, others_ns, others_ns);
        let report = GapReport {
            from_ns,
            to_ns,
            before: own[at].packet,
            after: own[at + 1].packet,
            phase,
            rule: Some(RULES[rule].about().id),
            cost_ns: others_ns,
        };
        (exchange.split).stall(RULES[rule].about().id, phase, others_ns);
        connection.stalled_ns = connection.stalled_ns.saturating_add(others_ns);
        if exchange.gaps.len() < MAX_GAPS {
            exchange.gaps.push(report);
        }
    }
}

/// What came of one gap.
#[derive(Default)]
struct Judged {
    /// The rule whose claim was entered that was not before.
    new: Option<usize>,
    /// What the connection's end may take back.
    pending: Option<Pending>,
}

/// Judges one gap.
fn judge_one(
    (timeline, at, seen): (&Timeline, usize, bool),
    (connection, second): (&mut Connection, Option<&Connection>),
    exchange: &mut Exchange,
    intervals: &Intervals,
    (ledger, service): (&mut Ledger, &mut Causes),
) -> Judged {
    let from_ns = timeline.segments[at].time_ns;
    let (phase, phase_end_ns) = intervals.at(from_ns);
    let gap = Gap {
        connection,
        exchange,
        phase,
        timeline: &timeline.segments,
        at,
    };
    let parts = second.map(|second| Parts::of(&gap, second));
    let of_parts = parts.as_ref().and_then(|parts| parts.best(&gap));
    let of_gap = match second {
        None => best(&gap, |_| true).map(|(rule, claim)| (rule, claim, gap)),
        Some(_) => best(&gap, |rule| !of_tcp(rule)).map(|(rule, claim)| (rule, claim, gap)),
    };
    let claimed = better(of_parts, of_gap).map(|(rule, mut claim, shown)| {
        // Two connections in one: each has a last word, and the link has none.
        claim.pending = claim.pending.filter(|_| second.is_none());
        let room_ns = gap.length_ns().min(phase_end_ns - from_ns);
        claim.cost_ns = claim.cost_ns.clamp(0, room_ns);
        (rule, claim, shown)
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
    let mut judged = Judged::default();
    if claimed.is_none() && second.is_none() && !seen {
        ledger.silent(&gap);
    }
    if let Some((rule, claim, shown)) = &claimed {
        let stalls = !claim.stays && phase != Phase::ClientThink;
        report.rule = Some(RULES[*rule].about().id);
        report.cost_ns = claim.cost_ns;
        // What was time of a phase in one exchange may be a stall in the next.
        let known = seen && timeline.claimed.contains(&(before.packet, *rule));
        if !seen || (stalls && !known) {
            judged.new = Some(*rule);
            let stalled_ns = if stalls { claim.cost_ns } else { 0 };
            ledger.claim(*rule, shown, claim, stalled_ns);
            service.add(*rule, claim.cost_ns, stalled_ns);
        }
        if judged.new.is_none() && stalls {
            // Another exchange that waited at the same time: its time too.
            ledger.causes.wait_again(*rule, claim.cost_ns);
            service.wait_again(*rule, claim.cost_ns);
        }
        if stalls {
            stall = Some((RULES[*rule].about().id, claim.cost_ns));
        }
        judged.pending = claim.pending.map(|sender| Pending {
            rule: *rule,
            sender,
            phase,
            count: u64::from(judged.new.is_some()),
            cost_ns: if judged.new.is_some() {
                claim.cost_ns
            } else {
                0
            },
            stalled_ns: if stalls { claim.cost_ns } else { 0 },
        });
    }
    if let Some((_, claim, _)) = &claimed
        && claim.stays
        && phase == Phase::Response
    {
        // A pause within the response is the server's own time too.
        exchange.split.phases.add(phase, -claim.cost_ns);
        (exchange.split.phases).add(Phase::ServerThink, claim.cost_ns);
    }
    if let Some((rule, cost_ns)) = stall {
        exchange.split.stall(rule, phase, cost_ns);
        connection.stalled_ns = connection.stalled_ns.saturating_add(cost_ns);
    }
    if exchange.gaps.len() < MAX_GAPS {
        exchange.gaps.push(report);
    }
    judged
}

/// A rule's claim, and the gap that shows it.
type Claimed<'a> = (usize, Claim, Gap<'a>);

/// The segments of a link's two TCP connections apart: what TCP did is judged
/// on each by itself, since their sequence numbers have nothing in common.
struct Parts<'a> {
    connections: [&'a Connection; 2],
    segments: [Vec<Segment>; 2],
}

impl<'a> Parts<'a> {
    fn of(gap: &Gap<'a>, second: &'a Connection) -> Parts<'a> {
        let own = |via: u8| {
            let all = gap.timeline.iter();
            all.filter(|s| s.via == via).copied().collect()
        };
        Parts {
            connections: [gap.connection, second],
            segments: [own(0), own(1)],
        }
    }

    /// The best claim of a rule on TCP that holds on one of the connections
    /// during the link's gap.
    fn best(&'a self, link: &Gap<'a>) -> Option<Claimed<'a>> {
        let parts = self.connections.into_iter().zip(&self.segments);
        let claims = parts.filter_map(|(connection, timeline)| {
            let until = link.before().packet;
            let at = timeline
                .partition_point(|s| s.packet <= until)
                .checked_sub(1)?;
            let gap = Gap {
                connection,
                timeline,
                at,
                ..*link
            };
            // Without a segment behind it, nothing on this connection ended it.
            timeline.get(at + 1)?;
            best(&gap, of_tcp).map(|(rule, claim)| (rule, claim, gap))
        });
        claims.fold(None, |best, claim| better(best, Some(claim)))
    }
}

/// The one with the higher confidence; the earlier rule on a tie.
fn better<'a>(one: Option<Claimed<'a>>, other: Option<Claimed<'a>>) -> Option<Claimed<'a>> {
    let rank = |(rule, claim, _): &Claimed<'a>| (claim.confidence, std::cmp::Reverse(*rule));
    match (one, other) {
        (Some(a), Some(b)) if rank(&b) > rank(&a) => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// Rules that judge one TCP connection.
fn of_tcp(rule: &dyn Rule) -> bool {
    rule.about().id.starts_with("tcp.")
}

/// The claim with the highest confidence; the earlier rule on a tie.
fn best(gap: &Gap<'_>, wanted: impl Fn(&dyn Rule) -> bool) -> Option<(usize, Claim)> {
    let mut best: Option<(usize, Claim)> = None;
    for (index, rule) in RULES.iter().enumerate() {
        let made = gap.connection.has_made_times() && of_tcp(*rule);
        if made || !applies(*rule, gap.connection) || !wanted(*rule) {
            continue;
        }
        let Some(mut claim) = rule.gap(gap) else {
            continue;
        };
        if of_tcp(*rule) {
            claim.confidence = as_trusted(gap.connection, claim.confidence);
        }
        if best
            .as_ref()
            .is_none_or(|(_, other)| claim.confidence > other.confidence)
        {
            best = Some((index, claim));
        }
    }
    best
}

/// Rules that judge one session of a link.
const OF_SNA: [&str; 3] = ["sna.", "dlsw.", "llc."];

/// Gaps listed of one exchange; all are judged and summed.
const MAX_GAPS: usize = 200;
