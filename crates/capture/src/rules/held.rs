//! A sender that stood still until its partner let it go on: the judgement that
//! the rules on SNA's windows share.
//!
//! Something used up or took away what the sender may send, the partner gave
//! it anew, and data of that session followed at once. Whether it is pacing, a
//! DLSw circuit's window or a station that is not ready is in the marks.

use super::{Claim, Confidence, Evidence, Gap};
use crate::{Segment, Side};

/// A sender's wait for leave to send.
pub(super) struct Held<'a> {
    pub(super) sender: Side,
    /// What the wait is counted from: the segment that asked, used up or stopped.
    pub(super) since: &'a Segment,
    /// The partner's leave.
    pub(super) answered: &'a Segment,
    /// The first data behind it.
    resumed: &'a Segment,
    /// Packets of the sender between `since`, included, and the leave.
    pub(super) units: usize,
}

impl<'a> Held<'a> {
    /// The wait that this gap is a part of. `begins` tells a segment (and who
    /// was the sender) that a wait is counted from, `ends` the partner's leave.
    pub(super) fn of(
        gap: &Gap<'a>,
        begins: impl Fn(&Segment, Side) -> bool,
        ends: impl Fn(&Segment) -> bool,
    ) -> Option<Held<'a>> {
        let session = gap.exchange.session;
        if session == 0 {
            return None;
        }
        let sender = gap.exchange.sender(gap.phase)?;
        let mine = |s: &&Segment| s.from == sender && s.session == session && s.len > 0;
        // What concerns the whole link has no session.
        let heard = |s: &Segment| s.session == session || s.session == 0;
        let begun_at = (gap.earlier().iter()).rposition(|s| heard(s) && begins(s, sender))?;
        let after = &gap.timeline[begun_at..];
        let answers = |s: &Segment| s.from != sender && heard(s) && ends(s);
        let answered_at = begun_at + after.iter().position(answers)?;
        let answered = &gap.timeline[answered_at];
        let resumed = gap.timeline[answered_at..].iter().find(mine)?;
        let last = gap.timeline[..answered_at].iter().rfind(mine)?;
        // The sender was silent from its last unit on, and this gap is part of
        // that silence.
        let silent = last.packet <= gap.before().packet && gap.after().packet <= resumed.packet;
        let path_ns = gap.connection.end(sender).rtt.best_ns().unwrap_or(0);
        let at_once = resumed.time_ns - answered.time_ns <= path_ns * 3 / 2 + TURN_NS;
        // Behind the answer, only the path can have kept the data.
        let behind = gap.before().time_ns >= answered.time_ns;
        let on_its_way = !behind || gap.length_ns() * 3 <= path_ns * 5;
        let window = &gap.timeline[begun_at..answered_at];
        (silent && at_once && on_its_way).then(|| Held {
            sender,
            since: &gap.timeline[begun_at],
            answered,
            resumed,
            units: window.iter().filter(mine).count(),
        })
    }

    /// Claims the gap, which is all of it waiting.
    pub(super) fn claim(&self, gap: &Gap<'_>) -> Claim {
        let packets = [self.since, self.answered, self.resumed].map(|s| s.packet);
        Claim {
            evidence: Evidence::of(&packets),
            ..Claim::whole(gap, Confidence::High)
        }
    }
}

/// What an end takes to send on, at most, beside the path.
const TURN_NS: i64 = 2_000_000;
