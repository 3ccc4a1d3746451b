//! Data was sent again that had not been lost.
//!
//! The sender's timer was shorter than the path's delay, or an acknowledgement
//! was late. The receiver proves it by a DSACK, or the capture shows the
//! acknowledgement on its way. A needless copy by itself costs nobody anything:
//! claimed is the time in which the sender stood still for an acknowledgement
//! that did not come, and had more to send.

use super::ack_delayed::side;
use super::fast_retransmit::was_overtaken;
use super::known::segment_bytes;
use super::{About, Claim, Confidence, Evidence, Gap, Rule, as_trusted};
use crate::{Connection, Flags, Marks, Phase, Segment, Side};

/// Claims gaps that ended with an unnecessary retransmission.
pub struct Spurious;

static ABOUT: About = About {
    id: "tcp.retransmit.spurious",
    title: "data was sent again that had not been lost",
    linux: "find what delayed the packets or their acknowledgements; raise the floor of the timer \
            (`ip route change … rto_min`) where it was lowered; keep timestamps and SACK on",
    zos: "raise MINIMUMRETRANSMITTIME on the ROUTE (BEGINROUTES) where it was lowered; NODELAYACKS \
          on the receiver when its timer is the delay",
    limits: "Needs the receiver's DSACK, or both copies in the capture and the acknowledgement \
             between them. Without either, an unnecessary retransmission looks like a loss. Told \
             where it cost something, and never high, because no packet says what the sender waited for: medium when the receiver proves it \
             and the message went on behind the acknowledgement with a full segment, with nothing of the other end between; \
             low where only the capture saw the acknowledgement pass, where the timer ran out in the middle of a message, and when it was a request's end and the \
             acknowledgement came too early for the copy's. A \
             copy sent while nothing was waited for is not named, nor a packet that the path \
             delivers twice.",
    literature: "RFC 2883 (DSACK), RFC 3522 and 5682 (F-RTO); TAPO: packet delay and ACK delay",
};

impl Rule for Spurious {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        if after.flags.has(Flags::SYN) || !is_needless(gap, after) {
            return None;
        }
        if gap.exchange.sender(gap.phase) != Some(after.from) {
            // No message of this sender was under way: nobody waited.
            return None;
        }
        let confidence = waited(gap, after)?;
        let told = (gap.later().iter().take(LOOK_AHEAD))
            .find(|s| covers(s, after) && s.marks.any(Marks::DSACK));
        let mut claim = Claim::whole(gap, confidence);
        claim.evidence = Evidence::of(&[gap.before().packet, after.packet]);
        if let Some(told) = told {
            claim.evidence.push(told.packet);
        }
        Some(claim)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        format!(
            "{:.1} ms: the {} sent packet {} again though the first copy had arrived",
            claim.cost_ns as f64 / 1e6,
            side(gap.after().from),
            gap.after().packet
        )
    }
}

/// Whether `ack` acknowledges all of `copy`.
fn covers(ack: &Segment, copy: &Segment) -> bool {
    ack.from != copy.from && ack.ack.wrapping_sub(copy.end_seq()) < 1 << 31
}

/// How sure it is that the copy's sender stood still for an acknowledgement that
/// came too late; none where nothing shows it.
fn waited(gap: &Gap<'_>, copy: &Segment) -> Option<Confidence> {
    let mut before = gap.earlier().iter().rev().take(LOOK_AHEAD);
    if before.any(|s| covers(s, copy)) {
        // Seen away from the sender, on its way there: it came in time, unless the
        // timer ran out in the middle of a message with more under way. Even then the path
        // kept the sender waiting, and not the copy.
        return stopped(gap, copy).then_some(Confidence::Low);
    }
    let mut later = gap.later().iter().take(LOOK_AHEAD);
    let ack = later.find(|s| covers(s, copy))?;
    // Set free by the acknowledgement at last: what follows an answer is the next
    // message, and what comes later has the application's clock.
    let near_ns = gap.connection.end(copy.from).rtt.best_ns().unwrap_or(0);
    let at_once = |s: &Segment| {
        (0..=near_ns * 3 / 2 + TURN_NS).contains(&(s.time_ns - ack.time_ns))
            && s.packet > ack.packet
            && !s.was_sent_before(ack)
    };
    // What the other end writes meanwhile may be what is answered.
    let theirs = (gap.later().iter())
        .find(|s| s.from != copy.from && s.len > 0 && s.packet >= ack.packet)
        .map_or(u64::MAX, |s| s.packet);
    let mut mine = (gap.later().iter())
        .filter(|s| s.from == copy.from && (copy.packet + 1..theirs).contains(&s.packet));
    let next = mine.clone().find(|s| s.is_new_data());
    let went_on = next.is_some_and(at_once);
    // A short segment may have been written just then: nothing shows that it had waited.
    let waiting = next.is_some_and(|s| s.len >= segment_bytes(gap, copy.from));
    // A sender that believes in a loss repeats what followed it first. The
    // acknowledgement is the first copy's unless it tells of two.
    let repeats = !ack.marks.any(Marks::DSACK)
        && (mine.find(|s| s.len > 0)).is_some_and(|s| s.marks.any(Marks::RESENT) && at_once(s));
    let freed = went_on || repeats;
    if freed && ack.len == 0 {
        // The receiver's own word proves the copy needless, and what the capture saw pass
        // may have been lost behind it. That its sender waited for that acknowledgement
        // and nothing else no packet says.
        return match copy.marks.any(Marks::PROVEN_SPURIOUS) && (waiting || repeats) {
            true => Some(Confidence::Medium),
            false => Some(Confidence::Low),
        };
    }
    // An answer to the copy itself tells that the first one had arrived, not that
    // anybody waited; and behind the end of a response nobody is seen to wait.
    let path_ns = gap.connection.rtt_ns().unwrap_or(0);
    let early = (ack.time_ns - copy.time_ns) * 5 < path_ns * 4;
    let asks = gap.phase == Phase::Request && !ack.marks.any(Marks::DSACK);
    (early && asks).then_some(Confidence::Low)
}

/// Whether the timer of a sender with more than this copy under way ran out, which
/// the receiver proves needless, and its message went on afterwards.
fn stopped(gap: &Gap<'_>, copy: &Segment) -> bool {
    let mine = |s: &&Segment| s.from == copy.from && s.len > 0;
    let more =
        (gap.earlier().iter().filter(mine)).any(|s| s.seq.wrapping_sub(copy.end_seq()) < 1 << 31);
    let went_on = (gap.later().iter())
        .take_while(|s| s.from == copy.from || s.len == 0)
        .any(|s| s.from == copy.from && s.is_new_data());
    let silent = mine(&gap.before()) || gap.before().len == 0;
    let proven = copy.marks.any(Marks::PROVEN_SPURIOUS) && copy.marks.any(Marks::TIMEOUT);
    proven && more && went_on && silent
}

/// Whether the segment repeats what had arrived: by the receiver's DSACK, or by
/// an acknowledgement that the capture has, and by the bytes of both.
pub(super) fn is_needless(gap: &Gap<'_>, copy: &Segment) -> bool {
    if copy.len == 0 || !copy.marks.any(Marks::RESENT) || gap.is_delivered_twice(copy) {
        return false;
    }
    if gap.first_copy(copy).is_none() && was_overtaken(gap, copy) {
        // The only copy there is, sent before what passed it.
        return false;
    }
    let mine = |s: &&Segment| s.from == copy.from && s.len > 0 && s.packet < copy.packet;
    let had = (gap.timeline.iter().filter(mine))
        .any(|s| s.end_seq().wrapping_sub(copy.end_seq()) < 1 << 31);
    if !had {
        // Not all of it had been sent before: a part was new.
        return false;
    }
    let proven = copy.marks.any(Marks::PROVEN_SPURIOUS);
    let marked = proven || copy.marks.any(Marks::SPURIOUS_RETRANSMISSION);
    let first = || gap.first_copy(copy).is_some_and(|s| s.may_repeat(copy));
    // A packet recorded behind its own acknowledgement is no copy.
    marked && (proven || first())
}

/// How sure it is, when a connection has ended, that `sender`'s copies were needed: a
/// receiver that told of one that was not may have lost its answers too, and without
/// its acknowledgements nothing is known.
pub(super) fn needed_word(connection: &Connection, sender: Side) -> Confidence {
    if connection.lacks_acks() {
        return Confidence::Low;
    }
    match connection.end(sender).marks.of(Marks::PROVEN_SPURIOUS) {
        0 => as_trusted(connection, Confidence::High),
        _ => Confidence::Medium,
    }
}

/// Whether the receiver told, up to the connection's end, that it had the copy which is the last
/// of these packets.
pub(super) fn needless_word(connection: &Connection, sender: Side, packets: &[u64]) -> bool {
    let needless = &connection.end(sender).needless;
    packets.last().is_some_and(|copy| needless.contains(copy))
}

/// Whether the gap lies where no message was under way: a copy that was not
/// needed then ended nobody's wait.
pub(super) fn outside_messages(gap: &Gap<'_>) -> bool {
    matches!(gap.phase, Phase::ServerThink | Phase::ClientThink)
}

/// Whether the first acknowledgement of this copy is its own answer: then what
/// it repeats had arrived long before.
pub(super) fn was_answered(gap: &Gap<'_>, copy: &Segment) -> bool {
    copy.marks.any(Marks::PROVEN_SPURIOUS)
        && (gap.later().iter())
            .find(|s| s.from != copy.from && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31)
            .is_some_and(|ack| copy.answered_by(ack, gap.connection))
}

/// What a sender takes to go on, at most, beside the path.
const TURN_NS: i64 = 500_000;

/// Packets after the second copy among which its DSACK is looked for.
const LOOK_AHEAD: usize = 24;
