//! A connection's first packets were lost or not answered, and the client's
//! timer of a second or more passed.

use super::{About, Claim, Confidence, Evidence, Finding, Gap, Rule};
use crate::{Explanation, Flags, Marks, Phase, Segment};

/// Claims gaps before a SYN or SYN-ACK that was sent again.
pub struct SynLost;

static ABOUT: About = About {
    id: "tcp.syn.lost",
    title: "the connection's first packet was lost or refused by silence",
    linux: "on the server look at the listen queue (`nstat -az TcpExtListenDrops`, `ss -lnt`), \
            raise net.core.somaxconn and the program's backlog; otherwise find the loss or the \
            firewall that drops",
    zos: "on the server raise SOMAXCONN (10 by default before V2R1, 1024 since) and the BACKLOG of \
          the CICS TCPIPSERVICE; NETSTAT STATS counts dropped connections; otherwise find the \
          loss or the filter that drops; a client on z/OS asks again after CONNECTINITINTERVAL \
          on TCPCONFIG (3000 ms by default)",
    limits: "Shows that nothing answered within the client's timer (1 s, then 3 s and so on). A \
             full listen queue, a filter and a lost packet look the same from outside. A SYN that was \
             lost before the place of capture is not in it. Less than high where an answer passed \
             between the two or took long behind the last one, too, or the path takes half of the timer, or a SYN-ACK has no timestamp that could be echoed, and low for a SYN-ACK whose client never speaks again, or where the \
             answer shows that an earlier SYN had arrived, or came twice, where the other end tells that it had the SYN twice, where the other end echoes the first SYN-ACK, or where the copy has the timestamp of the first (played again).",
    literature: "RFC 6298 2.1 and 5.7; Arlitt and Williamson 2005",
};

impl Rule for SynLost {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        if gap.phase != Phase::Connect || !after.flags.has(Flags::SYN) {
            return None;
        }
        if gap.length_ns() > LONGEST_TIMER_NS {
            // Nobody waits so long: another attempt with the same number.
            return None;
        }
        if gap.length_ns() < LEAST_TIMER_NS {
            // No timer is so short: a copy that the path or the capture made.
            return None;
        }
        let first = gap
            .earlier()
            .iter()
            .find(|s| s.from == after.from && s.flags.has(Flags::SYN))?;
        let between = gap.earlier().iter().filter(|s| s.packet > first.packet);
        if first.seq != after.seq || between.clone().any(|s| s.flags.has(Flags::RST)) {
            // Another attempt, not the same one.
            return None;
        }
        if is_replayed(gap, after) {
            return None;
        }
        let answered = between.clone().any(|s| s.from != after.from);
        let connected = (gap.later().iter())
            .any(|s| s.from != after.from && s.flags.has(Flags::ACK) && !s.flags.has(Flags::RST));
        let confidence = match (after.flags.has(Flags::ACK), answered, connected) {
            // The answer was sent again to one that never spoke again: a scan, or a
            // made-up address.
            (true, _, false) => Confidence::Low,
            // What the other end echoes had reached it: its own answer was late or lost.
            (true, ..) if is_echoed(gap, first) => Confidence::Low,
            // The path was slow, or the answer was lost.
            (false, ..)
                if has_arrived(gap, first)
                    || has_two_answers(gap, first)
                    || came_twice(gap, first) =>
            {
                Confidence::Low
            }
            _ if has_old_time(gap, after) => Confidence::Low,
            (_, true, _) => Confidence::Medium,
            // Which of two the other end answered shows in its echo alone.
            (true, ..) if first.ts_value == 0 => Confidence::Medium,
            // Slow rather than lost: its answer took long to the last one, too.
            (false, ..) if is_slow(gap) => Confidence::Medium,
            _ => Confidence::High,
        };
        let mut claim = Claim::whole(gap, confidence);
        claim.evidence = Evidence::of(&[first.packet, after.packet]);
        Some(claim)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let what = match gap.after().flags.has(Flags::ACK) {
            true => "SYN-ACK",
            false => "SYN",
        };
        let first =
            (gap.earlier().iter()).find(|s| s.from == gap.after().from && s.flags.has(Flags::SYN));
        let arrived = first.is_some_and(|first| has_arrived(gap, first));
        format!(
            "{:.1} ms until the {what} was sent again{}",
            claim.cost_ns as f64 / 1e6,
            match arrived {
                true => ", though the first one had arrived: its answer was late or lost",
                false => "",
            }
        )
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        let unanswered = explanation.totals.unanswered_connections;
        if unanswered > 0 {
            out.push(Finding {
                pending: None,
                between: None,
                rule: ABOUT.id,
                connection: None,
                exchange: None,
                at_ns: explanation.capture.first_ns,
                cost_ns: 0,
                confidence: Confidence::Medium,
                packets: Vec::new(),
                text: format!(
                    "{unanswered} connections were asked for and never answered{}",
                    match explanation.totals.given_up_connections {
                        0 => String::new(),
                        given_up => format!(
                            "; {given_up} of them ended with a reset after seconds of silence: \
                             something on the way gave up"
                        ),
                    }
                ),
            });
        }
    }
}

/// Whether what came later shows that the first SYN had arrived: an answer that echoes
/// its timestamp, or two answers closer than the SYNs, one to each.
fn has_arrived(gap: &Gap<'_>, first: &Segment) -> bool {
    let again = gap.after();
    let answers = || {
        (gap.later().iter())
            .filter(|s| s.from != first.from && s.flags.has(Flags::SYN | Flags::ACK))
    };
    // The copies before this one count as well: the wait was for the last of them. A clock may
    // begin with 0.
    let stamped = |s: &&Segment| s.ts_value != 0 || again.ts_value != 0;
    let mut asked = (gap.earlier().iter())
        .filter(|s| s.from == first.from && s.flags.has(Flags::SYN))
        .filter(stamped)
        .filter(|s| s.ts_value != again.ts_value);
    let echoes = |s: &Segment, syn: &Segment| s.ts_value != 0 && s.ts_echo == syn.ts_value;
    let echoed = asked.any(|syn| answers().any(|s| echoes(s, syn)));
    echoed || answers_apart_ns(gap, first).is_some_and(|ns| ns * 2 < again.time_ns - first.time_ns)
}

/// Whether the answer came twice, about as far apart as the SYNs: one to each, or by
/// the timer of an end that is farther than that timer; a SYN that was lost has one.
fn has_two_answers(gap: &Gap<'_>, first: &Segment) -> bool {
    let asked_ns = gap.after().time_ns - first.time_ns;
    answers_apart_ns(gap, first).is_some_and(|ns| ns * 4 <= asked_ns * 5)
}

/// Time between the first two answers to the SYN.
fn answers_apart_ns(gap: &Gap<'_>, first: &Segment) -> Option<i64> {
    let mut times = (gap.later().iter())
        .filter(|s| s.from != first.from && s.flags.has(Flags::SYN | Flags::ACK))
        .map(|s| s.time_ns);
    Some(-times.next()? + times.next()?)
}

/// Whether the answer came later behind the last SYN than this end answers data, or the path
/// takes half of the timer or more: it may be to an earlier one.
fn is_slow(gap: &Gap<'_>) -> bool {
    let from = gap.after().from;
    let Some(answer) = (gap.later().iter()).find(|s| s.from != from) else {
        return false;
    };
    let mut asked = (gap.timeline.iter().rev())
        .filter(|s| s.from == from && s.flags.has(Flags::SYN) && s.packet < answer.packet);
    let near_ns = gap.connection.end(from.other()).rtt.min_ns;
    let took_ns = asked.next().map_or(0, |last| answer.time_ns - last.time_ns);
    let long = near_ns.is_some_and(|ns| ns * 2 > gap.length_ns());
    long || (took_ns > SLOW_NS && near_ns.is_none_or(|ns| took_ns > ns + ns / 2))
}

/// Whether the other end told that it had the SYN twice: one that seemed lost came late.
fn came_twice(gap: &Gap<'_>, first: &Segment) -> bool {
    (gap.later().iter()).any(|s| {
        s.from != first.from && s.marks.any(Marks::DSACK) && s.ack == first.seq.wrapping_add(1)
    })
}

/// Whether one SYN is in the capture twice, up to this one: what is sent again has
/// another identification, and the times of what is played again are nobody's.
fn is_replayed(gap: &Gap<'_>, last: &Segment) -> bool {
    let syns = || {
        (gap.timeline.iter())
            .filter(|s| s.packet <= last.packet && s.from == last.from && s.flags.has(Flags::SYN))
    };
    (syns().enumerate())
        .any(|(nth, one)| one.ip_id != 0 && syns().skip(nth + 1).any(|s| s.ip_id == one.ip_id))
}

/// Whether the copy has the timestamp of one before it: a sender's clock ticks within
/// its timer, and only what is played again has the old time.
fn has_old_time(gap: &Gap<'_>, copy: &Segment) -> bool {
    (gap.earlier().iter())
        .filter(|s| s.from == copy.from && s.flags.has(Flags::SYN) && s.ts_value != 0)
        .any(|s| s.ts_value == copy.ts_value)
}

/// Whether the other end ever echoes this SYN-ACK rather than the copy of it.
fn is_echoed(gap: &Gap<'_>, first: &Segment) -> bool {
    let again = gap.after();
    first.ts_value != 0
        && first.ts_value != again.ts_value
        && (gap.later().iter()).any(|s| s.from != first.from && s.ts_echo == first.ts_value)
}

/// The longest: Linux's last is 64 s, and a host may double that once more.
const LONGEST_TIMER_NS: i64 = 130_000_000_000;

/// An answer that takes longer did not come by the path alone.
const SLOW_NS: i64 = 300_000_000;

/// The shortest timer of a SYN that is in use.
const LEAST_TIMER_NS: i64 = 90_000_000;
