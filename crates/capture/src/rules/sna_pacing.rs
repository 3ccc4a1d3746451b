//! An SNA sender had used up its pacing window and waited for the next one.
//!
//! The first unit of a window asks for the next window; when the answer is
//! late, the sender stops after the last unit it may send. Three facts show
//! it: a pacing request without its response, silence of the sender in that
//! session, and data that follows the response at once.

use super::ack_delayed::side;
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Marks, Segment, Side};

/// Claims gaps in which a sender waited for a pacing response.
pub struct SnaPacing;

static ABOUT: About = About {
    id: "sna.pacing",
    title: "an SNA sender waited for a pacing response",
    linux: "on the receiver's mode: a larger receive pacing window (adaptive pacing where the \
            stack has it), larger RUs, or a program that receives sooner",
    zos: "MODEENT (or APPL): adaptive pacing, or SSNDPAC, SRCVPAC and PSNDPAC raised; on the APPL \
          VPACING for what it receives; VTAM IOBUF storage for the larger window",
    limits: "Needs the pacing request, the response and the data that follows it at once. Sessions \
             of one link are told apart, but only time without any packet on the connection is a \
             gap: a wait during which other sessions send is not named. Whether the receiver's \
             program or its storage held the response back is not on the wire.",
    literature: "IBM SNA Formats (GA27-3136) and LU 6.2 Peer Protocols (SC31-6808): session-level \
                 pacing; a receive-window stall in the terms of TAPO",
};

impl Rule for SnaPacing {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let wait = Wait::of(gap)?;
        let mut claim = Claim::whole(gap, Confidence::High);
        claim.evidence =
            Evidence::of(&[wait.asked.packet, wait.answered.packet, wait.resumed.packet]);
        Some(claim)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(wait) = Wait::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} had sent {} units of its window and waited for the {}'s pacing \
             response, {:.1} ms after its request",
            claim.cost_ns as f64 / 1e6,
            side(wait.sender),
            wait.units,
            side(wait.sender.other()),
            (wait.answered.time_ns - wait.asked.time_ns) as f64 / 1e6
        )
    }
}

/// A sender's wait for its next window.
struct Wait<'a> {
    sender: Side,
    /// The unit that asked for the next window.
    asked: &'a Segment,
    /// The pacing response.
    answered: &'a Segment,
    /// The first unit of the next window.
    resumed: &'a Segment,
    /// Packets of the window, `asked` included.
    units: usize,
}

impl<'a> Wait<'a> {
    fn of(gap: &Gap<'a>) -> Option<Wait<'a>> {
        let session = gap.exchange.session;
        if session == 0 {
            return None;
        }
        let sender = gap.exchange.sender(gap.phase)?;
        let mine = |s: &&Segment| s.from == sender && s.session == session && s.len > 0;
        let answers = |s: &&Segment| {
            s.from != sender && s.session == session && s.marks.any(Marks::PACING_RESPONSE)
        };
        let asked_at =
            (gap.earlier().iter()).rposition(|s| mine(&s) && s.marks.any(Marks::PACING_REQUEST))?;
        let since = &gap.timeline[asked_at..];
        let answered_at = asked_at + since.iter().position(|s| answers(&s))?;
        let answered = &gap.timeline[answered_at];
        let resumed = gap.timeline[answered_at..].iter().find(mine)?;
        let window = &gap.timeline[asked_at..answered_at];
        let last = window.iter().rfind(mine)?;
        // The sender was silent from its last unit on, and this gap is part of
        // that silence.
        let silent = last.packet <= gap.before().packet && gap.after().packet <= resumed.packet;
        let path_ns = gap.connection.end(sender).rtt.best_ns().unwrap_or(0);
        let at_once = resumed.time_ns - answered.time_ns <= path_ns * 3 / 2 + TURN_NS;
        // Behind the response, only the path can have kept the data.
        let behind = gap.before().time_ns >= answered.time_ns;
        let on_its_way = !behind || gap.length_ns() * 3 <= path_ns * 5;
        (silent && at_once && on_its_way).then(|| Wait {
            sender,
            asked: &gap.timeline[asked_at],
            answered,
            resumed,
            units: window.iter().filter(mine).count(),
        })
    }
}

/// What an end takes to send on, at most, beside the path.
const TURN_NS: i64 = 2_000_000;
