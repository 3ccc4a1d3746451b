//! A connection was not answered, refused or reset.
//!
//! Within the set-up every wait that another SYN, a reset or nothing ended is
//! claimed. Later a reset, or a close without an answer, claims the wait that
//! it ended, unless the end that waited sent it: that one gave up.
//! Reference: RFC 9293 3.5 and 3.10; RFC 792 and 4443 for unreachable.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, ms};
use crate::{CapturePoint, ConnectionSide, ExchangePhase, Segment, SegmentMarks, TcpFlags};

pub(super) struct ConnectFailed;

impl EvidenceDetector for ConnectFailed {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::ConnectFailed
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        if wait.phase == ExchangePhase::Connect {
            return setup(wait);
        }
        let after = wait.after()?;
        if is_not_accepted(wait) {
            let claim = WaitClaim::whole(wait, Reason::NotAccepted, DelayOwner::Server);
            return Some(claim);
        }
        if after.len > 0 || wait.exchange.complete || after.from == wait.exchange.asked_by {
            return None;
        }
        let owner = DelayOwner::of(after.from);
        // A last word that needs no answer is not a failure.
        let failed = wait.connection.exchanges == 0 || wait.length_ns() >= LEAST_NS;
        if !failed || wait.is_stuck(after.from) {
            return None;
        }
        if after.flags.has(TcpFlags::RST) {
            return Some(WaitClaim::whole(wait, Reason::Reset, owner));
        }
        let unanswered = !wait.exchange.is_answered() && wait.exchange.request.bytes > 0;
        (after.flags.has(TcpFlags::FIN) && unanswered)
            .then(|| WaitClaim::whole(wait, Reason::ClosedUnanswered, owner))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let target = facts.server();
        let tries = facts.count(Reason::SynUnanswered) + facts.count(Reason::SynLate);
        let lost = ms(facts.lost_ns);
        let (sentence, alternatives, remedy) = match facts.reason {
            Reason::Refused => (
                format!("{target} refused the connection: the SYN was answered with a reset."),
                "A firewall that rejects answers the same way; a reset with another TTL than the \
                 server's packets is not the server's.",
                "start the service on this address and port, or correct the port; then look for a \
                 firewall rule that rejects",
            ),
            Reason::Unreachable => (
                format!("{target} cannot be reached: a router or host on the path reported it."),
                "An outage of the path and a missing route look the same; traceroute shows where \
                 the path ends.",
                "correct the route, address or firewall rule at the system that sent the ICMP \
                 message",
            ),
            Reason::Reset => (
                format!(
                    "The connection to {target} was reset before the answer was complete; {lost} ms were lost."
                ),
                "A middlebox whose entry timed out sends the same reset; captures at both ends \
                 show which one sent it.",
                "find out at the server why it closed the connection (crash, timeout, full \
                 queue); for idle connections keep-alives shorter than the firewall's timeout",
            ),
            Reason::ClosedUnanswered => (
                format!("{target} closed the connection without an answer; {lost} ms were lost."),
                "A crash and a deliberate close look the same; the server's log shows which.",
                "find out at the server why it closed; retry a request on a connection that was \
                 idle",
            ),
            Reason::NotAccepted => (
                format!(
                    "{target} answered SYNs, but did not take the connections: {lost} of {} ms \
                     passed until the first data was acknowledged.",
                    ms(facts.total_ns)
                ),
                "The same data lost three times in a row looks the same; the server counts what a \
                 full listen queue drops (`nstat -az TcpExtListenOverflows`).",
                "let the server accept sooner (no work in the thread that accepts, more \
                 threads), and raise its listen backlog and somaxconn",
            ),
            Reason::SynLate if facts.owner == DelayOwner::Server => (
                format!(
                    "{target} received SYNs and did not answer the first ones: {lost} of {} ms \
                     passed until one was answered.",
                    ms(facts.total_ns)
                ),
                "A full listen queue and a packet filter on the server look the same; the server \
                 counts what a full queue drops (`nstat -az TcpExtListenOverflows`).",
                "raise the listen backlog and somaxconn, and let the server accept sooner; else \
                 look at the server's packet filter and its limit on SYNs",
            ),
            Reason::SynLate => (
                format!(
                    "{target} did not answer the first SYN: {} of {} ms passed until one was \
                     answered.",
                    lost,
                    ms(facts.total_ns)
                ),
                "A lost SYN, a lost SYN-ACK and a full listen queue look the same here; a capture \
                 at the server shows whether the SYN arrived and was answered.",
                "raise the listen backlog and somaxconn if the server counts listen overflows; \
                 else look for loss on the path or a rate limit on SYNs",
            ),
            _ => (
                format!("{target} did not answer: {lost} ms passed without an answer to a SYN."),
                "A host that is down, a firewall that drops and a lost route look the same; a \
                 capture at the server shows whether the SYN arrives.",
                "open the port in the firewall or correct address and route; let the client give \
                 up sooner or try its next address in parallel",
            ),
        };
        let seen = match facts.reason {
            Reason::SynUnanswered | Reason::SynLate => {
                format!("{tries} waits for an answer to a SYN{}", facts.at_packets())
            }
            Reason::NotAccepted => format!(
                "the first data was sent again {} times, {tries} waits for an answer to a SYN{}",
                facts.count(Reason::NotAccepted),
                facts.at_packets()
            ),
            _ => format!("{} times{}", facts.count(facts.reason), facts.at_packets()),
        };
        SliceDescription {
            sentence,
            seen,
            alternatives: alternatives.to_owned(),
            remedy: Some(remedy.to_owned()),
        }
    }
}

/// Whether the server had answered the SYN, but acknowledged the first data only
/// after the third copy of it: its listen queue was full, so it dropped the
/// handshake's last packet and all data, and the client believed to be connected.
fn is_not_accepted(wait: &ExchangeWait<'_>) -> bool {
    let first = |s: &&Segment| s.from == ConnectionSide::Client && s.seq == 1 && s.len > 0;
    let shake = &wait.connection.handshake;
    let (Some(after), Some(open_ns)) = (wait.after(), shake.ack_ns) else {
        return false;
    };
    let early = wait.exchange.index == 0 && wait.before().time_ns >= open_ns;
    if !early || !first(&after) || !after.marks.any(SegmentMarks::RESENT) {
        return false;
    }
    let answers = |s: &Segment| s.from == ConnectionSide::Server && s.ack > 1;
    let Some(answer) = wait.timeline.iter().position(answers) else {
        return false;
    };
    let copies = wait.timeline[..answer].iter().filter(first);
    let small = after.len < LARGE_BYTES;
    small && copies.count() >= NOT_ACCEPTED_COPIES && wait.after.is_some_and(|at| at < answer)
}

/// Copies of the first data that a path rarely loses in a row.
const NOT_ACCEPTED_COPIES: usize = 3;

/// A larger segment that is not acknowledged may be too large for the path.
const LARGE_BYTES: u32 = 900;

/// On a connection that has answered before, a shorter wait is its end.
const LEAST_NS: i64 = 500_000_000;

/// A wait within the set-up.
fn setup(wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
    let reason = match wait.after() {
        Some(after) if after.flags.has(TcpFlags::RST) => Reason::Refused,
        Some(after) if after.flags.has(TcpFlags::SYN) => {
            let again = after
                .marks
                .any(SegmentMarks::RETRANSMISSION | SegmentMarks::SPURIOUS_RETRANSMISSION)
                || wait.before().from == after.from;
            if !again {
                return None;
            }
            if wait.connection.handshake.ack_ns.is_some() {
                Reason::SynLate
            } else {
                Reason::SynUnanswered
            }
        }
        Some(_) => return None,
        None => Reason::SynUnanswered,
    };
    // Near the server the SYN had arrived, and no answer left.
    let arrived = wait.connection.capture_point == CapturePoint::Server
        && wait.before().from == ConnectionSide::Client;
    let owner = match reason {
        Reason::Refused => DelayOwner::Server,
        Reason::SynLate if arrived => DelayOwner::Server,
        _ => DelayOwner::Network,
    };
    Some(WaitClaim::whole(wait, reason, owner))
}
