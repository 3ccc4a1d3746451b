//! A lost segment that only the sender's timer noticed.
//!
//! The gap ends with a retransmission by timeout, or with what it set free.
//! Reference: RFC 6298; "stalls" in the sense of TAPO (double retransmission,
//! tail retransmission and f-double stalls all end this way).

use super::ack_delayed::side;
use super::fast_retransmit::by_timer;
use super::known::segment_bytes;
use super::pause::closed_by;
use super::spurious::{is_needless, needed_word, needless_word, outside_messages, was_answered};
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Connection, Flags, Marks, Segment, Side};

/// Claims gaps that end with a retransmission by timeout.
pub struct RetransmissionTimeout;

static ABOUT: About = About {
    id: "tcp.rto",
    title: "a segment was lost and only the sender's timer noticed",
    linux: "find the loss (ip -s link, ethtool -S, nstat TcpRetransSegs); keep SACK and RACK on \
            (net.ipv4.tcp_sack, net.ipv4.tcp_recovery), and on paths with a known short round \
            trip lower the floor: ip route change … rto_min 40ms",
    zos: "find the loss (NETSTAT DEVLINKS, NETSTAT STATS); in BEGINROUTES lower \
          MINIMUMRETRANSMITTIME on the ROUTE when the path is short",
    limits: "The capture shows that the sender waited for its timer. Where the segment was lost \
             shows only when it was taken behind the loss: then the first copy is missing. Where \
             one or two duplicate acknowledgements had come, too few for the sender, the length of \
             its silence tells the timer (50 ms beyond two round trips). A single copy of less than \
             two full segments, sent while the receiver may still have been delaying its \
             acknowledgement, is low, and nothing where the place of capture is the \
             receiver's or within one machine, whatever it does not answer; nor where only one direction was captured, nor behind a \
             reset, nor where the answer came sooner than the path allows one to the copy or is to a piece of what the copy joins, nor where both ends had closed or the receiver has the copies and \
             does not take them. High \
             when the receiver said that these bytes were missing, or several copies went unanswered and the last one was answered as soon as the path allows \
             (an end that is gone and a path that holds packets back look the same), where what follows shows that the copy was needed (a receiver without SACK and timestamps cannot show it by \
             an answer) and the receiver never told of \
             one from this sender that was not; medium where a single copy was answered, because its first one's acknowledgement may have been what was lost; low where a DSACK says \
             that an earlier copy had arrived, or the answer takes later bytes with it of which the receiver never told (SACK), or where the sender had closed and the other end \
             sent nothing more, or where by the hop limit (TTL) no router is between the receiver and the place of capture.",
    literature: "RFC 6298; TAPO: timeout retransmission stalls (tail, double, small window); RFC \
                 8985 (RACK-TLP) ends many of them early",
};

impl Rule for RetransmissionTimeout {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        let timer = after.marks.any(Marks::TIMEOUT) || (after.len > 0 && by_timer(gap, after));
        if !timer || after.len == 0 || after.flags.has(Flags::SYN) {
            // Nobody waits for a FIN.
            return None;
        }
        if gap.connection.is_loopback() {
            // What is captured within one machine has arrived: the other end does not take it.
            return None;
        }
        let refused = |s: &Segment| s.from != after.from && s.flags.has(Flags::RST);
        if gap.earlier().iter().any(refused) {
            // The other end had gone, and had said so.
            return None;
        }
        if gap.is_delivered_twice(after) || has_ended(gap, after) || is_refused(gap, after) {
            // One packet, twice; or both ends had said goodbye; or the copies arrive,
            // and the receiver does not take them.
            return None;
        }
        if outside_messages(gap) && was_answered(gap, after) {
            // A probe of the tail that nobody waited for.
            return None;
        }
        if closed_by(gap).is_some() || !gap.has_same_bytes(after) || gap.has_unseen(after.packet) {
            // A probe of a closed window, or what only looks like a copy.
            return None;
        }
        if was_overtaken_there(gap, after) || comes_within_a_round(gap, after) {
            // It was late, and sent before what overtook it; or no timer runs so short.
            return None;
        }
        if is_needless(gap, after) || gap.connection.end(after.from.other()).segments == 0 {
            // Nothing was lost; or one direction is all there is, and nothing
            // shows what arrived.
            return None;
        }
        if answered_early(gap, after)
            || was_asked_for(gap, after)
            || is_answered_in_part(gap, after)
            || was_just_heard(gap, after)
        {
            // Only the first copy can have been answered so soon, or in its own pieces; or
            // the receiver's word set this one free, not the timer.
            return None;
        }
        let original = gap.first_copy(after);
        let late = original.map_or(Late::No, |first| Late::of(gap, first, after));
        if late == Late::Seen || (original.is_some() && is_beside(gap, after.from.other())) {
            // What is in a capture taken beside the receiver has arrived.
            return None;
        }
        // Without the first copy, what was sent behind it must show the hole, or
        // the receiver must have asked.
        let asked = gap.earlier().iter().any(|s| match s.from == after.from {
            true => s.seq == after.end_seq(),
            false => s.ack == after.seq && s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK),
        });
        let mut claim = match (original, asked) {
            (Some(_), _) if late == Late::Perhaps => Claim::whole(gap, Confidence::Low),
            (Some(first), _)
                if was_needed(gap, first, after)
                    && (is_missed(gap, first, after) || is_one_of_several(gap, first, after)) =>
            {
                Claim::whole(gap, Confidence::High)
            }
            (Some(_), _) => Claim::whole(gap, Confidence::Medium),
            // Askings enough to set it free, and sooner than any timer that nobody lowered.
            (None, true) if is_asked_often(gap, after) && gap.length_ns() < LEAST_TIMER_NS => {
                Claim::whole(gap, Confidence::Low)
            }
            (None, true) => Claim::whole(gap, Confidence::Medium),
            (None, false) => return None,
        };
        if original.is_some() && starts_here(gap.connection, after.from.other()) {
            // What is in the capture came as far as the receiver's own network.
            claim.confidence = Confidence::Low;
        }
        if has_arrived_twice(gap, after)
            || is_farewell(gap, after)
            || is_denied(gap, after)
            || original.is_some_and(|first| had_no_hole(gap, first, after))
        {
            // An earlier copy had arrived, and nobody knows which: what was lost may
            // have been the answer. Or nobody waits.
            claim.confidence = Confidence::Low;
        }
        claim.evidence = Evidence::default();
        if let Some(original) = original {
            claim.evidence.push(original.packet);
        }
        claim.evidence.push(after.packet);
        // The receiver may yet tell of a copy that was not needed.
        claim.pending = (claim.confidence > Confidence::Low).then_some(after.from);
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
        let after = gap.after();
        let copies = gap
            .earlier()
            .iter()
            .filter(|s| s.from == after.from && s.seq == after.seq && s.len > 0)
            .filter(|s| {
                // One packet may be seen at several places.
                let mut before = gap.earlier().iter().take_while(|t| t.packet < s.packet);
                s.ip_id == 0 || !before.any(|t| t.from == s.from && t.ip_id == s.ip_id)
            })
            .count();
        format!(
            "{:.1} ms: the {} sent packet {} again by its timer{}",
            claim.cost_ns as f64 / 1e6,
            side(after.from),
            after.packet,
            match copies {
                0 => "; the first copy is not in the capture, so it was lost before this place"
                    .to_owned(),
                n => format!("; copies before it in the capture: {n}"),
            }
        )
    }
}

/// Whether its sender's clock of timestamps had gone on when it sent an earlier packet: this one
/// was sent before, once, and was late on the path.
fn was_overtaken_there(gap: &Gap<'_>, copy: &Segment) -> bool {
    let later = |s: &Segment| {
        let ahead = s.ts_value.wrapping_sub(copy.ts_value) as i32;
        s.from == copy.from && s.ts_value != 0 && ahead > 0
    };
    copy.ts_value != 0 && gap.first_copy(copy).is_none() && gap.earlier().iter().any(later)
}

/// Whether the copy before it was sent less than a round trip before: a timer begins anew with
/// each copy, and is longer.
fn comes_within_a_round(gap: &Gap<'_>, copy: &Segment) -> bool {
    let best = |side| gap.connection.end(side).rtt.best_ns().unwrap_or(0);
    let path_ns = best(Side::Client) + best(Side::Server);
    (gap.earlier().iter().rev())
        .find(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
        .is_some_and(|s| s.marks.any(Marks::RESENT) && (copy.time_ns - s.time_ns) * 5 < path_ns * 4)
}

/// Whether the answer takes what was sent behind the bytes of the copies, and not since the last of
/// them, too, and the receiver had never told that it had that (SACK): then it had no hole when
/// that came, and what was lost, or late, was its answer.
fn had_no_hole(gap: &Gap<'_>, first: &Segment, copy: &Segment) -> bool {
    let tells = gap.connection.client.sack_permitted && gap.connection.server.sack_permitted;
    let answer = (gap.later().iter()).find(|s| {
        s.from != copy.from
            && s.flags.has(Flags::ACK)
            && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31
    });
    let Some(answer) = answer.filter(|answer| tells && answer.ack != copy.end_seq()) else {
        return false;
    };
    let since = last_before(gap, copy, answer).map_or(copy.packet, |s| s.packet);
    let mut until = (gap.later().iter()).take_while(|s| s.packet < answer.packet);
    let sent_since = until.any(|s| {
        s.from == copy.from && s.packet >= since && s.end_seq().wrapping_sub(answer.ack) < 1 << 31
    });
    let told = (gap.timeline.iter())
        .filter(|s| s.packet > first.packet && s.packet < answer.packet)
        .any(|s| s.from != copy.from && s.marks.any(Marks::SACK));
    !sent_since && !told
}

/// Whether the receiver says right behind its acknowledgement that it got something twice.
fn is_denied(gap: &Gap<'_>, copy: &Segment) -> bool {
    (gap.later().iter())
        .filter(|s| s.from != copy.from && s.packet > copy.packet)
        .take(DENIED_WITHIN)
        .any(|s| s.marks.any(Marks::DSACK) && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31)
}

/// The receiver's packets behind a copy among which its word on it is looked for.
const DENIED_WITHIN: usize = 6;

/// Whether three acknowledgements asked for the copy before it came.
fn is_asked_often(gap: &Gap<'_>, copy: &Segment) -> bool {
    let asks = |s: &&Segment| {
        let again = s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK);
        s.from != copy.from && s.ack == copy.seq && again
    };
    gap.earlier().iter().filter(asks).count() >= 3
}

/// Whether the receiver answered an earlier copy at once, and asked for it all the
/// same: it is beside the place of capture and had it, and does not take it.
pub(super) fn is_refused(gap: &Gap<'_>, copy: &Segment) -> bool {
    gap.earlier().windows(2).any(|two| {
        let (sent, answer) = (&two[0], &two[1]);
        let same = sent.from == copy.from && sent.len > 0 && sent.seq == copy.seq;
        let asks = answer.from != copy.from && answer.is_pure_ack() && answer.ack == copy.seq;
        same && asks && answer.time_ns - sent.time_ns <= BESIDE_NS
    })
}

/// Whether the capture was taken beside this end, and the other one is farther.
pub(super) fn is_beside(gap: &Gap<'_>, end: Side) -> bool {
    let best = |side| gap.connection.end(side).rtt.best_ns();
    let here = best(end).filter(|ns| *ns <= BESIDE_NS);
    here.is_some_and(|ns| best(end.other()).is_some_and(|far_ns| far_ns >= ns * 8))
}

/// Whether this end's packets pass the place of capture with the hop limit that systems begin
/// with, and the other end's do not: no router is between.
fn starts_here(connection: &Connection, end: Side) -> bool {
    let whole = |side| {
        let limits = connection.end(side).hop_limits;
        limits.map(|[least, greatest]| least == greatest && HOP_LIMITS.contains(&least))
    };
    whole(end) == Some(true) && whole(end.other()) == Some(false)
}

/// Hop limits that systems begin with.
const HOP_LIMITS: [u8; 3] = [64, 128, 255];

/// Whether both ends had said goodbye before the copy: nobody waits for it.
fn has_ended(gap: &Gap<'_>, copy: &Segment) -> bool {
    let said = |side: Side| {
        let mut earlier = gap.earlier().iter();
        earlier.any(|s| s.from == side && s.flags.has(Flags::FIN))
    };
    said(copy.from) && said(copy.from.other())
}

/// Whether the copy's sender had closed its side, and the other end sent nothing
/// afterwards: what is sent again then is a goodbye.
fn is_farewell(gap: &Gap<'_>, copy: &Segment) -> bool {
    let mut before = gap.earlier().iter().chain([copy]);
    let closed = before.find(|s| s.from == copy.from && s.flags.has(Flags::FIN));
    closed.is_some_and(|fin| {
        !(gap.timeline.iter()).any(|s| s.packet > fin.packet && s.from != fin.from && s.len > 0)
    })
}

/// Whether the copy echoes a word by which the receiver asked for it, and came sooner
/// than a timer runs: without the first copy and the handshake, how long the path takes
/// is not known.
fn was_asked_for(gap: &Gap<'_>, copy: &Segment) -> bool {
    let asks = |s: &Segment| {
        s.from != copy.from
            && s.ack == copy.seq
            && s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK)
            && s.ts_value != 0
            && s.ts_value == copy.ts_echo
            && copy.time_ns - s.time_ns < LEAST_TIMER_NS
    };
    gap.first_copy(copy).is_none() && gap.earlier().iter().any(asks)
}

/// Whether the copy echoes an acknowledgement that the receiver followed by another one, sooner
/// than a timer runs: when it was sent, its sender had heard the first and not yet the
/// second, so that word set it free.
fn was_just_heard(gap: &Gap<'_>, copy: &Segment) -> bool {
    if copy.ts_echo == 0 || gap.first_copy(copy).is_some() {
        return false;
    }
    let mut words = (gap.earlier().iter())
        .filter(|s| s.from != copy.from && s.ts_value != 0 && s.marks.any(Marks::ADVANCES))
        .skip_while(|s| s.ts_value != copy.ts_echo);
    let Some(heard) = words.next() else {
        return false;
    };
    let next = words.find(|s| s.ts_value != copy.ts_echo);
    next.is_some_and(|next| next.time_ns - heard.time_ns < LEAST_TIMER_NS)
}

/// Whether the receiver told, of this copy or of a later one, that it had the bytes
/// already.
fn has_arrived_twice(gap: &Gap<'_>, copy: &Segment) -> bool {
    let same = |s: &&Segment| s.from == copy.from && s.len > 0 && s.seq == copy.seq;
    let proven = (gap.later().iter().filter(same)).any(|s| s.marks.any(Marks::PROVEN_SPURIOUS));
    let said = (gap.later().iter())
        .filter(|s| s.from != copy.from && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31)
        .take(2)
        .any(|s| s.marks.any(Marks::DSACK));
    proven || said
}

/// Whether the copy's bytes were acknowledged sooner than the path allows an answer
/// to the copy: its first one had arrived.
fn answered_early(gap: &Gap<'_>, copy: &Segment) -> bool {
    let far_ns = (gap.connection.end(copy.from.other()).rtt.best_ns()).unwrap_or(0);
    (gap.later().iter())
        .find(|s| {
            s.from != copy.from
                && s.marks.any(Marks::ADVANCES)
                && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31
        })
        .is_some_and(|s| (s.time_ns - copy.time_ns) * 5 < far_ns * 4)
}

/// Whether the first answer is to a part of the copy, which joins what was sent in several
/// pieces, and none was sent again by itself: the receiver had that piece from before.
fn is_answered_in_part(gap: &Gap<'_>, copy: &Segment) -> bool {
    let joined = gap
        .first_copy(copy)
        .is_some_and(|first| first.len < copy.len);
    let within = |ack: u32| ack.wrapping_sub(copy.seq).wrapping_sub(1) < copy.len - 1;
    let answer = (gap.later().iter())
        .find(|s| s.from != copy.from && s.ack.wrapping_sub(copy.seq).wrapping_sub(1) < 1 << 31);
    joined
        && answer.is_some_and(|s| {
            let alone = |again: &Segment| {
                again.from == copy.from && again.packet > copy.packet && again.end_seq() == s.ack
            };
            within(s.ack) && !gap.later().iter().any(alone)
        })
}

/// Whether what came later shows that the copy was needed: its acknowledgement, by a
/// receiver that would have told of a copy that it had (SACK) or whose echo is the copy's,
/// or further copies.
fn was_needed(gap: &Gap<'_>, first: &Segment, copy: &Segment) -> bool {
    let answer = (gap.later().iter()).find(|s| {
        s.from != copy.from
            && s.marks.any(Marks::ADVANCES)
            && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31
    });
    let tells = gap.connection.client.sack_permitted && gap.connection.server.sack_permitted;
    let echoes = |s: &Segment| copy.ts_value != 0 && s.ts_echo == copy.ts_value;
    let answered = answer.is_some_and(|s| tells || echoes(s));
    answered || is_one_of_several(gap, first, copy)
}

/// Whether there were further copies at growing distances, and the last of them was answered
/// as soon as the path allows: each that arrived would have been. An end that is gone
/// looks the same as a loss, and so does a path that holds packets back, until it answers late.
fn is_one_of_several(gap: &Gap<'_>, first: &Segment, copy: &Segment) -> bool {
    let again = (gap.later().iter().skip(1))
        .find(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
        .is_some_and(|s| s.time_ns - copy.time_ns > (copy.time_ns - first.time_ns) * 5 / 4);
    let growing = (gap.earlier().iter().rev())
        .find(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
        .is_some_and(|s| {
            s.packet != first.packet
                && (copy.time_ns - s.time_ns) * 4 > (s.time_ns - first.time_ns) * 3
        });
    (again || growing) && is_answered_at_once(gap, copy)
}

/// Whether the copy, or the last one behind it, was acknowledged as soon as the path allows.
fn is_answered_at_once(gap: &Gap<'_>, copy: &Segment) -> bool {
    let covers = |s: &&Segment| {
        s.from != copy.from
            && s.flags.has(Flags::ACK)
            && !s.flags.has(Flags::RST)
            && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31
    };
    let Some(answer) = gap.later().iter().find(covers) else {
        return false;
    };
    let far_ns = (gap.connection.end(answer.from).rtt.best_ns()).unwrap_or(0);
    last_before(gap, copy, answer)
        .is_some_and(|s| answer.time_ns - s.time_ns <= 2 * far_ns + AT_ONCE_NS)
}

/// The copy, or the last one of the same bytes, before its answer.
fn last_before<'a>(gap: &Gap<'a>, copy: &Segment, answer: &Segment) -> Option<&'a Segment> {
    (gap.later().iter())
        .take_while(|s| s.packet < answer.packet)
        .filter(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
        .last()
}

/// What an end takes to answer, and a delayed acknowledgement, at most, beside the path.
const AT_ONCE_NS: i64 = 50_000_000;

/// Whether the receiver said, between the two copies, that these bytes were missing: it asked
/// for them when it had later ones. That nothing was heard says only that a packet was lost,
/// this one or its acknowledgement.
fn is_missed(gap: &Gap<'_>, first: &Segment, copy: &Segment) -> bool {
    let tells = gap.connection.client.sack_permitted && gap.connection.server.sack_permitted;
    let word = match tells {
        true => Marks::SACK,
        false => Marks::DUPLICATE_ACK,
    };
    let behind = |s: &Segment| {
        s.from == copy.from && s.len > 0 && s.seq.wrapping_sub(first.end_seq()) < 1 << 31
    };
    let asks = |s: &Segment| {
        s.from != copy.from
            && s.packet > first.packet
            && s.ack == copy.seq
            && s.marks.any(word)
            && !s.marks.any(Marks::DSACK)
    };
    gap.earlier().iter().any(behind) && gap.earlier().iter().any(asks)
}

/// Whether the acknowledgement may only have been late: the sender's timer was
/// shorter than the receiver's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Late {
    /// A loss.
    No,
    /// Either.
    Perhaps,
    /// Beside the receiver: the first copy reached it.
    Seen,
}

impl Late {
    fn of(gap: &Gap<'_>, first: &Segment, copy: &Segment) -> Late {
        let connection = gap.connection;
        let receiver = copy.from.other();
        let waited_ns = copy.time_ns - first.time_ns;
        let again = (gap.earlier().iter())
            .filter(|s| s.from == copy.from && s.len > 0 && s.seq == copy.seq)
            .count();
        // A receiver of two full segments acknowledges at once, and so does one
        // with a hole in front.
        let could_wait =
            gap.flight(copy.from) < 2 * segment_bytes(gap, copy.from) && first.seq == copy.seq;
        if waited_ns > LONGEST_DELAY_NS || again != 1 || !could_wait {
            return Late::No;
        }
        let answer = (gap.later().iter()).find(|s| s.from == receiver && s.ack == copy.end_seq());
        let Some(answer) = answer else {
            return Late::No;
        };
        // The copy's own answer tells how far the receiver is, if nothing else does.
        let best = |side| connection.end(side).rtt.best_ns();
        let took_ns = answer.time_ns - copy.time_ns;
        let far_ns = best(receiver).map_or(took_ns, |ns| ns.min(took_ns));
        let near_ns = best(copy.from).unwrap_or(0);
        let dsack = connection.client.sack_permitted && connection.server.sack_permitted;
        match (far_ns <= BESIDE_NS && far_ns * 2 <= near_ns, dsack) {
            // An answer that took longer was not the copy's, or that was lost too.
            (true, _) if took_ns <= BESIDE_NS => Late::Seen,
            // The echo is of the copy, so the first one had not arrived.
            _ if answer.ts_echo != 0 && answer.ts_echo == copy.ts_value => Late::No,
            (_, true) if waited_ns - far_ns > COMMON_DELAY_NS => Late::No,
            _ if waited_ns - far_ns <= COMMON_DELAY_NS => Late::Perhaps,
            _ => Late::No,
        }
    }
}

/// The longest that an acknowledgement may be delayed, and a tick.
const LONGEST_DELAY_NS: i64 = 550_000_000;

/// The longest timer in common use (Windows, z/OS), and a tick.
const COMMON_DELAY_NS: i64 = 250_000_000;

/// The shortest retransmission timer in common use.
const LEAST_TIMER_NS: i64 = 200_000_000;

/// An end no farther than this is at the place of capture.
const BESIDE_NS: i64 = 1_000_000;
