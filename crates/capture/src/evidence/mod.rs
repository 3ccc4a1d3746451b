//! Kinds of evidence: one module a kind, all of one shape.
//!
//! The engine cuts the time of an exchange into [`ExchangeWait`]s: the times
//! between two segments that brought it forward. Each kind looks at a wait and
//! claims a part of it, or nothing. The order of [`EVIDENCE`] is the priority: the
//! most specific kind is asked first, and what it leaves goes to the next. Time
//! that no kind claims is unexplained, which is its own slice.
//!
//! Adding a kind: a file with a unit struct that implements [`EvidenceDetector`], its
//! row in [`EVIDENCE`], its variant in [`EvidenceKind`] and its reasons.

mod chatty;
mod connect_failed;
mod host_wait;
mod mtu_black_hole;
mod name_lookup;
mod reason;
mod retransmission;
mod slow_path;
mod sna;
mod transfer_limited;
mod unexplained;
mod wait;
mod waited_for_ack;
mod window_closed;

pub use reason::{DelayOwner, EvidenceKind, Reason};
pub(crate) use wait::{ExchangeWait, LONGEST_NS, RoundHistory, is_progress};

use crate::verdict::{SliceDescription, SliceFacts};

/// One kind of evidence.
pub(crate) trait EvidenceDetector: Sync {
    /// The kind of the slices that it fills.
    fn kind(&self) -> EvidenceKind;

    /// Claims a part of a wait. Returns `None` if the packets do not show this
    /// kind. The engine clips the claim to the wait.
    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        let _ = wait;
        None
    }

    /// The sentences on a slice of this kind.
    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription;
}

/// A part of a wait, and why it was waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitClaim {
    /// Nanoseconds since 1970.
    pub from_ns: i64,
    /// The same, after `from_ns`.
    pub to_ns: i64,
    pub reason: Reason,
    pub owner: DelayOwner,
    /// Numbers for the sentence: bytes, counts or microseconds, depending on
    /// the reason.
    pub numbers: [u32; 2],
}

impl WaitClaim {
    /// Claims the whole wait.
    pub(crate) fn whole(wait: &ExchangeWait<'_>, reason: Reason, owner: DelayOwner) -> WaitClaim {
        WaitClaim {
            from_ns: wait.from_ns,
            to_ns: wait.to_ns,
            reason,
            owner,
            numbers: [0; 2],
        }
    }

    /// The same claim with the numbers of its sentence.
    pub(crate) fn with(self, numbers: [u32; 2]) -> WaitClaim {
        WaitClaim { numbers, ..self }
    }
}

/// Every kind, the most specific first.
pub(crate) static EVIDENCE: [&dyn EvidenceDetector; EvidenceKind::COUNT] = [
    &name_lookup::NameLookup,
    &connect_failed::ConnectFailed,
    &mtu_black_hole::MtuBlackHole,
    &window_closed::WindowClosed,
    &retransmission::RetransmissionWait,
    &waited_for_ack::WaitedForAck,
    &slow_path::SlowPath,
    &chatty::ChattyApplication,
    &transfer_limited::TransferLimited,
    &host_wait::HostWait,
    &unexplained::UnexplainedWait,
];

/// The module of a kind.
pub(crate) fn evidence(kind: EvidenceKind) -> &'static dyn EvidenceDetector {
    let position = EVIDENCE.iter().position(|one| one.kind() == kind);
    EVIDENCE[position.unwrap_or(EVIDENCE.len() - 1)]
}
