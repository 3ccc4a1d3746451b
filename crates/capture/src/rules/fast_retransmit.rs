//! A segment was lost, later ones made the loss known, and it was sent again
//! without waiting for the timer.
//!
//! Three gaps belong to one such loss: until the duplicate acknowledgements
//! come, until the segment is sent again, and until it is acknowledged.

use super::ack_delayed::side;
use super::spurious::{needed_word, needless_word};
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Connection, Flags, Marks, Segment, Side};

/// Claims the gaps around a loss that duplicate acknowledgements repaired.
pub struct FastRetransmit;

static ABOUT: About = About {
    id: "tcp.retransmit.fast",
    title: "a segment was lost and sent again after duplicate acknowledgements",
    linux: "find the loss (`ip -s link`, `ethtool -S`, queue drops with `tc -s qdisc`); keep SACK \
            on (net.ipv4.tcp_sack)",
    zos: "find the loss (NETSTAT DEVLINKS, NETSTAT STATS, the OSA's and the switch's counters); \
          code SELECTIVEACK on TCPCONFIG (NOSELECTIVEACK is the default), so that several losses \
          are repaired in one round trip",
    limits: "Shows as data sent again after duplicate acknowledgements. Taken before the place of \
             loss both copies are in the capture, taken behind it only the second. High for the \
             wait that the copy ended, with three askings and an acknowledgement behind it; medium \
             for the waits for the news and for the answer; silent where the repair was sent again later than any timer, \
             without SACK; low where that end's packets come half as far apart anyway, or were two thirds as far apart three times in the last 48, \
             where new data come with the copy and the window before came as late, or went on behind the copy before its answer, and where the first news came a round trip behind the gap's begin.",
    literature: "RFC 5681 3.2, RFC 6582, RFC 6675; TAPO: fast retransmission, not a timeout stall",
};

impl Rule for FastRetransmit {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        let sender = gap.exchange.sender(gap.phase)?;
        if after.flags.any(Flags::SYN | Flags::RST) || after.marks.any(Marks::TIMEOUT) {
            return None;
        }
        let resent = match after.from == sender {
            true if after.marks.any(Marks::RESENT) || sent_again(gap, after) => after,
            true => return None,
            false => around(gap, sender)?,
        };
        let late_ns = resent.time_ns - after.time_ns;
        if late_ns > 2 * gap.connection.rtt_ns().unwrap_or(0) + TIMER_NS {
            // The timer sent it, whatever was asked for before.
            return None;
        }
        if by_timer(gap, resent) || !gap.has_same_bytes(resent) {
            return None;
        }
        if came_by_itself(gap, resent) {
            // The only copy there is.
            return None;
        }
        let told = duplicates(gap, resent);
        if told == 0 && !resent.marks.any(Marks::FAST_RETRANSMISSION) {
            return None;
        }
        if (resent.marks).any(Marks::PROVEN_SPURIOUS | Marks::SPURIOUS_RETRANSMISSION) {
            // The receiver had it: what asked for it was overtaken, or the repair goes
            // back further than the loss.
            return None;
        }
        let denied = (gap.later().iter())
            .filter(|s| s.from != resent.from && s.packet > resent.packet)
            .filter(|s| s.ack.wrapping_sub(resent.end_seq()) < 1 << 31)
            .take(2)
            .any(|s| s.marks.any(Marks::DSACK));
        let asked = told >= 2 || resent.marks.any(Marks::FAST_RETRANSMISSION);
        // Where packets come as far apart anyway, nobody waited for the repair, and where the
        // news came a round trip behind the loss, it was no later than an acknowledgement.
        let usual = keeps_pace(gap) || comes_as_usual(gap) || comes_with_window(gap, resent);
        let held = !denied && !usual && !is_news_in_time(gap, resent) && !goes_on(gap, resent);
        let enough = asked && held;
        // The wait for the news and the one for the answer would have been a round
        // trip without the loss too.
        let shown = enough
            && resent.packet == after.packet
            && told >= 3
            && is_told(gap, resent)
            && was_filled(gap, resent);
        let confidence = match (enough, shown) {
            (_, true) => Confidence::High,
            (true, false) => Confidence::Medium,
            (false, false) => Confidence::Low,
        };
        let mut claim = Claim::whole(gap, confidence);
        claim.evidence = Evidence::of(&[gap.before().packet, resent.packet]);
        claim.pending = (confidence == Confidence::High).then_some(resent.from);
        Some(claim)
    }

    fn last_word(&self, connection: &Connection, sender: Side) -> Option<Confidence> {
        Some(needed_word(connection, sender))
    }

    fn is_denied(&self, connection: &Connection, sender: Side, packets: &[u64]) -> bool {
        needless_word(connection, sender, packets)
    }

    fn last_word_lowers(&self) -> bool {
        true
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let copy = claim.evidence.packets().last().copied().unwrap_or_default();
        let sent = gap.timeline.iter().find(|s| s.packet == copy);
        format!(
            "{:.1} ms: the {} repaired a loss (sent again: packet {copy})",
            claim.cost_ns as f64 / 1e6,
            side(sent.unwrap_or(gap.after()).from),
        )
    }
}

/// Whether the segment, the only copy that the capture has, was overtaken and not sent again.
fn came_by_itself(gap: &Gap<'_>, late: &Segment) -> bool {
    gap.first_copy(late).is_none() && (was_overtaken(gap, late) || is_too_soon(gap, late))
}

/// Whether the copy came sooner behind the receiver's first word of the hole than its sender
/// can answer that: it was on its way. Where there are several holes, SACK tells of all of
/// them with the first one's number, so any asking counts that followed what passed the copy.
fn is_too_soon(gap: &Gap<'_>, copy: &Segment) -> bool {
    let round_ns = gap.connection.end(copy.from).rtt.best_ns().unwrap_or(0);
    let mut before = (gap.timeline.iter())
        .take_while(|s| s.packet < copy.packet)
        .skip_while(|s| s.from != copy.from || s.len == 0 || !is_behind(copy.seq, s.end_seq()));
    let passed = before.find(|s| s.from == copy.from && is_behind(s.seq, copy.end_seq()));
    let asked = before.find(|s| {
        let asks = s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK);
        s.from != copy.from && asks && is_behind(copy.seq, s.ack)
    });
    let sooner = |asked: &Segment| (copy.time_ns - asked.time_ns) * 10 < round_ns * 7;
    passed.is_some() && asked.is_some_and(sooner)
}

/// Whether the gap is no longer than a round trip and ends with the first news of the loss:
/// without one it would have ended with an acknowledgement, as late.
fn is_news_in_time(gap: &Gap<'_>, copy: &Segment) -> bool {
    let round_ns = gap.connection.rtt_ns().unwrap_or(0);
    gap.after().packet < copy.packet
        && !gap.after().marks.any(Marks::ADVANCES)
        && gap.length_ns() * 4 <= round_ns * 5
}

/// Whether the packet that ended the gap came no later behind its end's packet before than
/// twice the usual: the link or the other end paces them, and none was waited for.
fn keeps_pace(gap: &Gap<'_>) -> bool {
    let after = gap.after();
    let mut times = [0_i64; PACE + 1];
    let mut seen = 0;
    let mine = (gap.earlier().iter().rev()).filter(|s| s.from == after.from);
    for (slot, s) in times.iter_mut().zip(mine) {
        *slot = s.time_ns;
        seen += 1;
    }
    if seen <= PACE {
        return false;
    }
    let mut apart = [0_i64; PACE];
    for (ns, two) in apart.iter_mut().zip(times.windows(2)) {
        *ns = two[0] - two[1];
    }
    apart.sort_unstable();
    after.time_ns - times[0] <= 2 * apart[PACE / 2]
}

/// Times between packets that tell an end's pace.
const PACE: usize = 7;

/// Times that the end whose packet ended the gap was silent before in its message as long, or
/// nearly, and then sent what it had not sent yet.
fn silences(gap: &Gap<'_>, share: (i64, i64)) -> usize {
    let after = gap.after();
    let start_ns = gap.exchange.part(after.from).start_ns;
    let mut mine = (gap.earlier().iter().rev())
        .filter(|s| s.from == after.from && s.len > 0)
        .take_while(|s| s.time_ns >= start_ns);
    let Some(mut later) = mine.next() else {
        return 0;
    };
    let waited_ns = after.time_ns - later.time_ns;
    mine.take(PACE_BACK)
        .filter(|s| {
            let repaired = later
                .marks
                .any(Marks::RESENT | Marks::OUT_OF_ORDER | Marks::TIMEOUT);
            let apart_ns = later.time_ns - s.time_ns;
            later = *s;
            !repaired && apart_ns * share.1 >= waited_ns * share.0
        })
        .count()
}

/// Whether that end's packets were two thirds as far apart three times before: batches, a link
/// that is shared, or windows. What came in this one's place would have come as late.
fn comes_as_usual(gap: &Gap<'_>) -> bool {
    silences(gap, (2, 3)) >= 3
}

/// Whether new data came at once with the copy, before any answer to it, and the end had been
/// silent nearly as long before: the wait was the round trip between two windows.
fn comes_with_window(gap: &Gap<'_>, copy: &Segment) -> bool {
    let with = (gap.later().iter())
        .filter(|s| s.from == copy.from && s.packet > copy.packet)
        .take_while(|s| s.time_ns - copy.time_ns <= WITH_NS)
        .any(|s| s.is_new_data());
    gap.after().packet == copy.packet && with && silences(gap, (3, 4)) >= 1
}

/// Whether the gap ends with the answer to a copy behind which its sender went on with new data:
/// it did not stand still for that answer.
fn goes_on(gap: &Gap<'_>, copy: &Segment) -> bool {
    (gap.earlier().iter()).any(|s| s.from == copy.from && s.packet > copy.packet && s.is_new_data())
}

/// Packets back among which a silence is looked for.
const PACE_BACK: usize = 48;

/// What comes so soon behind a packet came with it.
const WITH_NS: i64 = 1_000_000;

/// Whether the copy was acknowledged behind it: it was what was missing.
fn was_filled(gap: &Gap<'_>, copy: &Segment) -> bool {
    (gap.later().iter()).any(|s| {
        s.from != copy.from
            && s.marks.any(Marks::ADVANCES)
            && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31
    })
}

/// Whether data that filled a hole late was sent again rather than overtaken.
///
/// Behind the place of loss only the second copy is in the capture. Its
/// timestamp is later than that of the data sent after the first; without
/// timestamps, it came a round trip after the receiver first asked for it.
pub(super) fn sent_again(gap: &Gap<'_>, late: &Segment) -> bool {
    if late.len == 0 || !late.marks.any(Marks::OUT_OF_ORDER) {
        return false;
    }
    let before = &gap.timeline[..gap.timeline.partition_point(|s| s.packet < late.packet)];
    let passed = (before.iter().rev()).find(|s| s.from == late.from && s.len > 0);
    let asked = before.iter().find(|s| {
        s.from != late.from && s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK) && s.ack == late.seq
    });
    if was_overtaken(gap, late) {
        return false;
    }
    match (passed, asked) {
        (Some(passed), _) if late.ts_value != 0 && passed.ts_value != 0 => {
            late.ts_value.wrapping_sub(passed.ts_value).wrapping_sub(1) < 1 << 31
        }
        (_, Some(asked)) => {
            let round_ns = gap.connection.end(late.from).rtt.best_ns().unwrap_or(0);
            (late.time_ns - asked.time_ns) * 10 >= (round_ns * 9).max(30_000_000)
        }
        _ => false,
    }
}

/// Whether the identifications, where the sender counts them, say that `late` was sent
/// before what passed it, or its timestamp says that it was sent together with that, though
/// it came later than the clock ticks.
pub(super) fn was_overtaken(gap: &Gap<'_>, late: &Segment) -> bool {
    let passed = (gap.timeline.iter())
        .take_while(|s| s.packet < late.packet)
        .find(|s| s.from == late.from && is_behind(s.seq, late.end_seq()));
    passed.is_some_and(|passed| {
        let ahead = passed.ip_id.wrapping_sub(late.ip_id);
        let counted = late.ip_id != 0 && passed.ip_id != 0 && (1..=COUNTED).contains(&ahead);
        let together = late.ts_value != 0 && late.ts_value == passed.ts_value;
        let ticked = || {
            (gap.clock_tick_ns(late.from))
                .is_some_and(|tick_ns| late.time_ns - passed.time_ns > tick_ns)
        };
        counted || (together && ticked())
    })
}

/// Whether `seq` is `end` or later.
fn is_behind(seq: u32, end: u32) -> bool {
    seq.wrapping_sub(end) < 1 << 31
}

/// Packets behind each other have identifications that are no farther apart, where
/// they are counted at all.
const COUNTED: u16 = 64;

/// Whether the copy that ends the gap came too late for an answer to duplicate
/// acknowledgements: there were too few of them, and the timer sent it.
pub(super) fn by_timer(gap: &Gap<'_>, copy: &Segment) -> bool {
    let seen_ns = gap.connection.rtt_ns().unwrap_or(0);
    let round_ns = echoed_round_ns(gap, copy.from).map_or(seen_ns, |ns| ns.min(seen_ns));
    gap.after().packet == copy.packet
        && (copy.marks.any(Marks::RESENT) || sent_again(gap, copy))
        && (gap.length_ns() > 2 * round_ns + TIMER_NS || repairs_a_repair(gap, copy))
}

/// Whether what was asked for had been sent again already, longer ago than the shortest timer:
/// the same askings set nothing free twice, and without SACK no later ones tell that the repair
/// was lost as well.
fn repairs_a_repair(gap: &Gap<'_>, copy: &Segment) -> bool {
    let tells = gap.connection.client.sack_permitted && gap.connection.server.sack_permitted;
    let repair = (gap.earlier().iter().rev())
        .find(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
        .filter(|s| s.marks.any(Marks::RESENT) || sent_again(gap, s));
    !tells && repair.is_some_and(|s| copy.time_ns - s.time_ns >= LEAST_TIMER_NS)
}

/// The shortest timer of a sender whose route did not lower it.
const LEAST_TIMER_NS: i64 = 200_000_000;

/// The shortest time that the sender's data took to come behind the acknowledgement that
/// they echo, and what that end's path takes: a round trip or more.
fn echoed_round_ns(gap: &Gap<'_>, sender: Side) -> Option<i64> {
    let near_ns = (gap.connection.end(sender.other()).rtt.best_ns()).unwrap_or(0);
    let mine =
        (gap.earlier().iter()).filter(|s| s.from == sender && s.is_new_data() && s.ts_echo != 0);
    let waited_ns = mine.filter_map(|s| {
        let heard = (gap.earlier().iter())
            .find(|t| t.from != sender && t.packet < s.packet && t.ts_value == s.ts_echo)?;
        Some(s.time_ns - heard.time_ns)
    });
    waited_ns.min().map(|ns| ns + near_ns)
}

/// The segment sent again that this gap of waiting belongs to: `after` is an
/// acknowledgement that tells of the hole, or the first that covers it.
fn around<'a>(gap: &Gap<'a>, sender: Side) -> Option<&'a Segment> {
    let after = gap.after();
    let copy = |s: &&Segment| {
        s.from == sender && s.marks.any(Marks::RESENT) && !s.marks.any(Marks::TIMEOUT)
    };
    if after.marks.any(Marks::DUPLICATE_ACK) {
        return gap.later().iter().filter(copy).find(|s| s.seq == after.ack);
    }
    if !after.marks.any(Marks::ADVANCES) {
        return None;
    }
    if let Some(repair) = repair(gap, sender, &copy) {
        return Some(repair);
    }
    let receiver = sender.other();
    let before = gap
        .earlier()
        .iter()
        .rev()
        .find(|s| s.from == receiver && s.flags.has(Flags::ACK))?;
    let at = (gap.earlier().iter()).rposition(|s| copy(&s) && s.seq == before.ack)?;
    let resent = &gap.earlier()[at];
    // A receiver that takes longer than the path delays its acknowledgement, and
    // a copy behind a long silence was the timer's.
    let path_ns = gap.connection.rtt_ns().unwrap_or(0);
    let far_ns = gap.connection.end(receiver).rtt.best_ns().unwrap_or(0);
    let by_path = after.time_ns - resent.time_ns <= 3 * far_ns + ANSWER_NS;
    let silent_ns = at
        .checked_sub(1)
        .map_or(0, |at| resent.time_ns - gap.timeline[at].time_ns);
    (by_path && silent_ns <= 2 * path_ns + TIMER_NS).then_some(resent)
}

/// The segment sent again when everything had been sent and the gap ends with
/// the first news of it: acknowledgements up to the hole, then those that tell
/// of it, then the copy, all at once. Without the loss the message had ended
/// before the gap.
fn repair<'a>(
    gap: &Gap<'a>,
    sender: Side,
    copy: &impl Fn(&&Segment) -> bool,
) -> Option<&'a Segment> {
    let mut mine = gap.later().iter().filter(|s| s.from == sender && s.len > 0);
    let first = mine.next().filter(copy)?;
    let near_ns = gap.connection.end(sender).rtt.best_ns().unwrap_or(0);
    let soon = first.time_ns - gap.after().time_ns <= near_ns * 3 / 2 + TURN_NS;
    soon.then_some(first)
}

/// No answer to a duplicate acknowledgement takes so long beside two round trips.
const TIMER_NS: i64 = 50_000_000;

/// An acknowledgement of a repair later than this, beside the path, was delayed.
const ANSWER_NS: i64 = 20_000_000;

/// What an end takes to react, at most, beside the path.
const TURN_NS: i64 = 3_000_000;

/// Whether what asked for this segment told which later ones had come, where the ends agreed to
/// tell that: an acknowledgement that comes twice without it answers a copy.
fn is_told(gap: &Gap<'_>, resent: &Segment) -> bool {
    let tells = gap.connection.client.sack_permitted && gap.connection.server.sack_permitted;
    let told = |s: &Segment| {
        let which = s.marks.any(Marks::SACK) && !s.marks.any(Marks::DSACK);
        s.from != resent.from && s.ack == resent.seq && which
    };
    !tells || gap.timeline.iter().any(told)
}

/// Duplicate acknowledgements that asked for this segment.
fn duplicates(gap: &Gap<'_>, resent: &Segment) -> usize {
    gap.timeline
        .iter()
        .filter(|s| {
            s.from != resent.from
                && s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK)
                && !s.marks.any(Marks::DSACK)
                && s.ack == resent.seq
        })
        .count()
}
