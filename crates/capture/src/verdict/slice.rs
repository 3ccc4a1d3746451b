//! One slice of the time, with the names used in reports and in JSON.
//!
//! This file has the thresholds that make a slice a finding: time that a user would
//! notice. Below them a slice has no remedy and is never the verdict.

use super::facts::Context;
use super::{LEAST_SHARE, SliceDescription, SliceFacts, ms};
use crate::evidence::{DelayOwner, EvidenceKind, Reason};
use serde::{Serialize, Serializer};

/// The kind of a verdict: a kind of evidence, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// This kind took the time.
    Kind(EvidenceKind),
    /// No kind took time that a user would notice.
    None,
}

impl VerdictKind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::Kind(kind) => kind.name(),
            VerdictKind::None => "none",
        }
    }
}

impl Serialize for VerdictKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The strength of the evidence, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceStrength {
    /// Other causes have the same symptoms.
    Weak,
    /// It fits better than any other known cause.
    Good,
    /// The packets show it.
    Strong,
}

/// A kind of evidence with its time and its sentences.
#[derive(Clone, Debug, Serialize)]
pub struct EvidenceSlice {
    /// The kind, or `none`.
    pub kind: VerdictKind,
    /// The owner of most of its time.
    pub owner: DelayOwner,
    /// Milliseconds of wall-clock time.
    pub lost_ms: f64,
    /// Share of all time between requests and their answers, 0 to 1.
    pub share: f64,
    /// The cause and its cost.
    pub sentence: String,
    /// The observation, with packets.
    pub seen: String,
    /// The time of the requests without it, in milliseconds. `None` if it was
    /// not computed.
    pub without_ms: Option<f64>,
    /// Other causes with the same symptoms, and how to distinguish them.
    pub alternatives: String,
    /// The remedy. `None` if nothing follows.
    pub remedy: Option<String>,
    /// The strength of the evidence.
    pub strength: EvidenceStrength,
    /// The reason with the most time.
    pub reason: Option<Reason>,
    /// Separate waits.
    pub waits: u64,
    /// A user would notice it.
    #[serde(skip)]
    pub(crate) finding: bool,
    /// A request failed.
    #[serde(skip)]
    pub(crate) failed: bool,
}

impl EvidenceSlice {
    /// The slice of a kind with its description.
    pub(crate) fn new(
        kind: EvidenceKind,
        facts: &SliceFacts<'_>,
        text: SliceDescription,
    ) -> EvidenceSlice {
        let share = match facts.total_ns {
            0 => 0.0,
            total => facts.lost_ns as f64 / total as f64,
        };
        let failed = kind == EvidenceKind::ConnectFailed
            || matches!(
                facts.reason,
                Reason::NeverAnswered | Reason::NeverAcknowledged
            );
        let finding = is_finding(kind, facts);
        EvidenceSlice {
            kind: VerdictKind::Kind(kind),
            owner: facts.owner,
            lost_ms: to_ms(facts.lost_ns),
            share,
            sentence: text.sentence,
            seen: text.seen,
            without_ms: without_ms(kind, facts),
            alternatives: text.alternatives,
            remedy: text.remedy.filter(|_| finding),
            strength: strength(facts),
            reason: Some(facts.reason),
            waits: facts.waits(),
            finding,
            failed,
        }
    }

    /// The verdict on a capture in which nothing was lost.
    pub(crate) fn none(
        slices: &[EvidenceSlice],
        total_ns: i64,
        context: &Context<'_>,
    ) -> EvidenceSlice {
        let parts: Vec<String> = (slices.iter())
            .filter(|slice| slice.share >= LEAST_SHARE)
            .filter_map(|slice| match slice.kind {
                VerdictKind::Kind(kind) => {
                    Some(format!("{} {:.0} %", kind.title(), slice.share * 100.0))
                }
                VerdictKind::None => None,
            })
            .collect();
        let sentence = match (context.exchanges, total_ns) {
            (0, 0) => format!(
                "The capture holds no request with an answer ({} packets of TCP).",
                context.packets
            ),
            (n, total) => format!(
                "No wait stands out: {n} requests took {} ms in all: {}.",
                ms(total),
                parts.join(", ")
            ),
        };
        let largest = slices.first();
        EvidenceSlice {
            kind: VerdictKind::None,
            owner: DelayOwner::Unknown,
            lost_ms: 0.0,
            share: 0.0,
            sentence,
            seen: largest.map_or(String::new(), |slice| slice.seen.clone()),
            without_ms: None,
            alternatives: "Waits outside this capture (at another place, at another time) would \
                           not show."
                .to_owned(),
            remedy: None,
            strength: if context.doubtful {
                EvidenceStrength::Weak
            } else {
                EvidenceStrength::Good
            },
            reason: None,
            waits: 0,
            finding: false,
            failed: false,
        }
    }
}

/// Whether a user would notice this slice.
fn is_finding(kind: EvidenceKind, facts: &SliceFacts<'_>) -> bool {
    let lost_ns = facts.lost_ns;
    let each_ns = lost_ns / facts.waits().max(1) as i64;
    let slow_total = facts.total_ns >= NOTICED_TOTAL_NS;
    match kind {
        EvidenceKind::ConnectFailed | EvidenceKind::MtuBlackHole => true,
        EvidenceKind::NameLookup => facts.longest_ns >= NOTICED_NS && lost_ns >= NOTICED_NS,
        EvidenceKind::WaitedForAck => lost_ns >= SHORT_NS && (slow_total || facts.waits() >= 3),
        EvidenceKind::WindowClosed => lost_ns >= SHORT_NS && slow_total,
        EvidenceKind::Retransmission => lost_ns >= SHORT_NS && slow_total,
        EvidenceKind::SlowPath => {
            let spike = facts.reason == Reason::DelaySpike && facts.longest_ns >= FAR_NS;
            lost_ns >= NOTICED_NS && (facts.context.rtt_ns >= FAR_NS || each_ns >= FAR_NS || spike)
        }
        EvidenceKind::Chatty => {
            // Requests after pauses of the client are not in a sequence.
            let all = facts.context.exchanges.max(1) as i64;
            let sequent = all - facts.context.isolated as i64;
            lost_ns / all * sequent >= LONG_NS
        }
        EvidenceKind::TransferLimited => {
            let tunable = matches!(facts.reason, Reason::ReceiverWindow | Reason::SenderBuffer);
            let least_ns = if tunable { NOTICED_NS } else { LONG_NS };
            lost_ns >= least_ns && facts.total_ns >= LONG_NS
        }
        EvidenceKind::HostWait if facts.owner == DelayOwner::Client => {
            lost_ns >= LONG_NS && facts.longest_ns >= NOTICED_NS || lost_ns >= LONG_NS * 4
        }
        EvidenceKind::HostWait => {
            lost_ns >= NOTICED_NS && (facts.longest_ns >= NOTICED_NS || lost_ns >= LONG_NS)
        }
        EvidenceKind::Unexplained => lost_ns >= NOTICED_NS,
    }
}

/// The strength of the evidence for a slice.
fn strength(facts: &SliceFacts<'_>) -> EvidenceStrength {
    if facts.context.doubtful {
        return EvidenceStrength::Weak;
    }
    match facts.reason {
        Reason::SuspectedLoss | Reason::SenderBuffer | Reason::Unexplained | Reason::PathRate => {
            EvidenceStrength::Weak
        }
        Reason::AnswerPause
        | Reason::RequestPause
        | Reason::LargeMissing
        | Reason::NeverAnswered
        | Reason::LossRecovery
        | Reason::SlowStart
        | Reason::IdleRestart
        | Reason::NagleRoundTrip
        | Reason::DelaySpike => EvidenceStrength::Good,
        Reason::NagleDelayedAck | Reason::DelayedAck if facts.waits() < 3 => EvidenceStrength::Good,
        _ => EvidenceStrength::Strong,
    }
}

/// The time without the slice, if it can be computed by removing its waits from the
/// exchanges, because nothing else in the exchange would change. Requests sent
/// together still take one round trip, and another one opens the connection. A path
/// without a round trip does not exist, so nothing is computed for it.
fn without_ms(kind: EvidenceKind, facts: &SliceFacts<'_>) -> Option<f64> {
    let rest_ns = facts.total_ns - facts.lost_ns;
    match kind {
        EvidenceKind::Unexplained | EvidenceKind::SlowPath => None,
        EvidenceKind::TransferLimited => {
            let limited = matches!(facts.reason, Reason::ReceiverWindow | Reason::SenderBuffer);
            limited.then(|| to_ms(rest_ns))
        }
        EvidenceKind::Chatty => Some(to_ms(
            facts.total_ns.min(rest_ns + 2 * facts.context.rtt_ns),
        )),
        // The round trips of a transfer's start are within its first pauses.
        EvidenceKind::WindowClosed => {
            let rounds = facts.waits().min(STARTING_ROUNDS) as i64;
            let rest_ns = rest_ns + rounds * facts.context.rtt_ns;
            Some(to_ms(facts.total_ns.min(rest_ns)))
        }
        _ => Some(to_ms(rest_ns)),
    }
}

fn to_ms(ns: i64) -> f64 {
    (ns as f64 / 1e3).round() / 1e3
}

/// A wait that a user notices.
const NOTICED_NS: i64 = 150_000_000;

/// A wait of this length is long for any reason.
const LONG_NS: i64 = 500_000_000;

/// Waits that add up to less are noise.
const SHORT_NS: i64 = 30_000_000;

/// Requests that take less in all are not noticed.
const NOTICED_TOTAL_NS: i64 = 150_000_000;

/// A round trip that a user notices.
const FAR_NS: i64 = 120_000_000;

/// Round trips in which a transfer of some 200 KB grows its window.
const STARTING_ROUNDS: u64 = 4;
