//! SNA over DLSw and 802.2: waits for windows that are not TCP's.
//!
//! Each is a wait that begins with the last unit that the sender may send, or
//! with the receiver's word that it is not ready, and ends with data that
//! follows the grant at once. They count as closed windows.
//! Reference: SNA Formats (GA27-3136), RFC 1795 section 8, ISO/IEC 8802-2.

use super::{DelayOwner, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, ms, subject};
use crate::{AppProtocol, ConnectionSide, Segment, SegmentMarks};

/// Claims a wait for a pacing response, a DLSw window or a station.
pub(super) fn claim(wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
    if !matches!(
        wait.connection.protocol,
        AppProtocol::Dlsw | AppProtocol::Sna
    ) {
        return None;
    }
    let pacing = |s: &Segment, sender: ConnectionSide| {
        s.from == sender && s.len > 0 && s.marks.any(SegmentMarks::PACING_REQUEST)
    };
    let window = |s: &Segment, sender: ConnectionSide| {
        let mark = if s.from == sender {
            SegmentMarks::WINDOW_SPENT
        } else {
            SegmentMarks::NOT_READY
        };
        s.marks.any(mark)
    };
    let link = match wait.connection.protocol {
        AppProtocol::Dlsw => Reason::DlswWindow,
        _ => Reason::LlcNotReady,
    };
    held(
        wait,
        pacing,
        SegmentMarks::PACING_RESPONSE,
        Reason::SnaPacing,
    )
    .or_else(|| held(wait, window, SegmentMarks::READY_AGAIN, link))
}

/// The part of a wait between the event that holds back the sender and the grant.
fn held(
    wait: &ExchangeWait<'_>,
    since: impl Fn(&Segment, ConnectionSide) -> bool,
    grant: u32,
    reason: Reason,
) -> Option<WaitClaim> {
    let session = wait.exchange.session;
    let own = |s: &&Segment| session == 0 || s.session == 0 || s.session == session;
    let after = wait.after()?;
    let grants = after.marks.any(grant);
    let sender = if grants {
        after.from.other()
    } else {
        after.from
    };
    let inner = wait.inner().iter().chain([after]).filter(own);
    let granted = inner
        .rev()
        .find(|s| s.from == sender.other() && s.marks.any(grant))?;
    if grants {
        // The grant brought data of its own: the sender's has to follow at once.
        let mut later = wait.timeline.iter().filter(own);
        let next = later.find(|s| s.packet > after.packet && s.from == sender && s.len > 0)?;
        if next.time_ns - after.time_ns > wait.near_ns(sender) * 13 / 10 + FOLLOWS_NS {
            return None;
        }
    }
    let until = wait.timeline.partition_point(|s| s.packet < granted.packet);
    let earlier = &wait.timeline[..until];
    let mut back = earlier.iter().rev().take(SEARCHED_SEGMENTS).filter(own);
    let begins = back.find(|s| since(s, sender))?;
    let from_ns = begins.time_ns.max(wait.from_ns);
    (from_ns < wait.to_ns).then(|| WaitClaim {
        from_ns,
        ..WaitClaim::whole(wait, reason, DelayOwner::of(sender.other()))
    })
}

/// The sentences of the three reasons. Returns `None` for windows of TCP.
pub(super) fn describe(facts: &SliceFacts<'_>) -> Option<SliceDescription> {
    let receiver = subject(facts.owner);
    let (what, remedy) = match facts.reason {
        Reason::SnaPacing => (
            "a pacing response",
            facts.advice(
                "raise the receive pacing window of the receiver's mode (adaptive pacing where the \
                 stack has it), or larger RUs",
                "on the MODEENT (or APPL): adaptive pacing, or raise SSNDPAC, SRCVPAC and PSNDPAC; \
                 VPACING on the APPL for what it receives",
            ),
        ),
        Reason::DlswWindow => (
            "the partner switch to grant a DLSw window",
            "raise the initial window or the circuit's buffers on the receiving switch, and look at \
             the link after it"
                .to_owned(),
        ),
        Reason::LlcNotReady => (
            "an 802.2 station that was not ready to receive",
            "find out why the station's program or adapter has no buffers".to_owned(),
        ),
        _ => return None,
    };
    Some(SliceDescription {
        sentence: format!(
            "The sender waited for {what}: {} of {} ms.",
            ms(facts.lost_ns),
            ms(facts.total_ns)
        ),
        seen: format!("{} such waits{}", facts.waits(), facts.at_packets()),
        alternatives: format!(
            "The packets do not show whether the program or the buffers of {} caused the wait.",
            receiver.to_lowercase()
        ),
        remedy: Some(remedy),
    })
}

/// A sender that was held continues within this time of the grant.
const FOLLOWS_NS: i64 = 500_000;

/// Segments searched between that event and the grant.
const SEARCHED_SEGMENTS: usize = 256;
