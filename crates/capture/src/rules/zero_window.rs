//! The receiver's window was closed: its program did not read.
//!
//! The trap is a closed window that nobody minds: only where the other end had
//! something to send (a probe, data as soon as it may, a window that it filled)
//! was anything waited for.

use super::ack_delayed::side;
use super::pause::closed_by;
use super::{About, Claim, Confidence, Gap, Rule, as_trusted};
use crate::{Flags, Marks, Phase, Side};

/// Claims pauses against a window of zero.
pub struct ZeroWindow;

static ABOUT: About = About {
    id: "tcp.window.zero",
    title: "the receiver's window was closed",
    linux: "the receiving program does not read: see what it does then (`ss -tmi` shows Recv-Q); \
            a larger buffer only moves the moment",
    zos: "the receiving task does not read: NETSTAT ALL shows its receive queue; look at the \
          task's waits and its dispatching priority (WLM), not at TCPRCVBUFRSIZE first",
    limits: "A window of zero is the receiver's own word, and that the other end had something to \
             send shows in its probes, in the window that it filled, or in data that comes when the \
             window opens (medium when it comes later, or when no word that opened it is in the capture). Low where the first probe comes so late that the data may have come late too; silent \
             where the other end had closed its side. Why the receiver's program did not read is not on the wire.",
    literature: "RFC 9293 3.8.6; TAPO: zero-window stall; Siekkinen 2008: receiver application \
                 limited",
};

impl Rule for ZeroWindow {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let receiver = closed_by(gap)?;
        let talks = !matches!(gap.phase, Phase::Connect | Phase::ClientThink);
        let confidence = waits(gap, receiver.other()).filter(|_| talks)?;
        Some(Claim::whole(gap, as_trusted(gap.connection, confidence)))
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let receiver = closed_by(gap).unwrap_or_default();
        format!(
            "{:.1} ms: the {} announced a window of zero and the {} waited",
            claim.cost_ns as f64 / 1e6,
            side(receiver),
            side(receiver.other())
        )
    }
}

/// How sure it is that the sender had something to send while the window was
/// closed; none where nothing shows it.
fn waits(gap: &Gap<'_>, sender: Side) -> Option<Confidence> {
    let probe = Marks::ZERO_WINDOW_PROBE | Marks::KEEP_ALIVE;
    let mine = |s: &&crate::Segment| s.from == sender;
    let filled = (gap.earlier().iter().rev())
        .find(|s| mine(s) && s.len > 0)
        .is_some_and(|s| s.marks.any(Marks::WINDOW_FULL | probe));
    let next = gap.later().iter().take(LOOK_AHEAD).find(mine);
    let mut said = gap.earlier().iter().rev().filter(mine).peekable();
    let probed = said.peek().is_some_and(|s| s.marks.any(probe));
    if said.any(|s| s.flags.has(Flags::FIN)) {
        // It had said all that it had to say.
        return None;
    }
    let probes = next.is_some_and(|s| s.marks.any(probe));
    if probes && !filled && !probed && gap.length_ns() > FIRST_PROBE_NS {
        // Data that had been there since the window closed had been probed for sooner.
        return Some(Confidence::Low);
    }
    if filled || probes {
        return Some(Confidence::High);
    }
    // Data that comes long after the window opened has a clock of its own.
    let next = next.filter(|s| s.len > 0)?;
    let opened = (gap.later().iter())
        .find(|s| s.from != sender && s.window > 0)
        .filter(|s| s.packet < next.packet);
    let near_ns = gap.connection.end(sender).rtt.best_ns().unwrap_or(0);
    // Data that comes without a word that opened the window was not held by it, or the
    // word is not in the capture.
    let at_once = opened.is_some_and(|s| next.time_ns - s.time_ns <= near_ns * 3 / 2 + TURN_NS);
    match at_once {
        true => Some(Confidence::High),
        false => Some(Confidence::Medium),
    }
}

/// The first probe of a closed window comes no later than this, behind the data that wait.
const FIRST_PROBE_NS: i64 = 1_500_000_000;

/// What a sender takes to go on when the window opens, at most, beside the path.
const TURN_NS: i64 = 5_000_000;

/// Packets behind the gap among which the sender's next one is looked for.
const LOOK_AHEAD: usize = 8;
