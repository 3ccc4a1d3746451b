//! On which part of the way the time of an explanation passed.
//!
//! Each wait is divided by [`WaitDivider`]; here are the sums, of the verdict's kind
//! and of all kinds, and the sentence on them.

use super::losses::HopLosses;
use super::share::WaitDivider;
use super::{JoinedPoints, PlaceTime};
use crate::{CaptureExplanation, EvidenceKind, EvidenceSlice, LedgerInterval, VerdictKind};

/// The time of the waits by place.
pub(super) struct PlacedWaits {
    /// The parts of the path; the last one is time without a known place.
    pub(super) places: Vec<PlaceTime>,
    /// For waits for an end: the time on a hop because of loss, and because of
    /// delay.
    pub(super) on_path: [HopTime; 2],
    /// Waits for an end, with the time after the loss of the awaited packet.
    pub(super) after_loss: Vec<(LedgerInterval, i64)>,
}

/// Time that passed on hops.
#[derive(Clone, Debug, Default)]
pub(super) struct HopTime {
    pub(super) ns: i64,
    /// The hop with the most time, its first packet, and whether its packets go
    /// to the server.
    pub(super) hop: usize,
    pub(super) request_way: bool,
    pub(super) waits: u64,
    most_ns: i64,
}

impl HopTime {
    fn add(&mut self, hop: usize, ns: i64, request_way: bool) {
        self.ns += ns;
        self.waits += 1;
        if ns > self.most_ns {
            (self.most_ns, self.hop, self.request_way) = (ns, hop, request_way);
        }
    }
}

/// Gives each wait of the explanation to the parts of the way.
pub(super) fn places(
    joined: &JoinedPoints,
    explanation: &CaptureExplanation,
    losses: &HopLosses,
) -> PlacedWaits {
    let parts = joined.points.len() + 1;
    let kind = explanation.verdict.as_ref().and_then(verdict_kind);
    let mut sums = vec![[0_i64; 2]; parts + 1];
    let mut on_path = [HopTime::default(), HopTime::default()];
    let mut after_loss = Vec::new();
    let mut shares = WaitDivider::new(joined, losses);
    for wait in &explanation.waits {
        let share = shares.of(wait);
        let mine = kind.is_some_and(|kind| belongs(wait, kind));
        let mut add = |part: usize, ns: i64| {
            sums[part][0] += if mine { ns } else { 0 };
            sums[part][1] += ns;
        };
        let placed_ns: i64 = share.iter().flat_map(|share| &share.ns).sum();
        add(parts, wait.length_ns() - placed_ns);
        let Some(share) = share else {
            continue;
        };
        for (part, ns) in share.ns.iter().enumerate() {
            add(part, *ns);
        }
        if wait.reason.kind() == EvidenceKind::HostWait {
            let hops = &share.ns[1..parts - 1];
            let (most, _) = (hops.iter().enumerate())
                .max_by_key(|(_, ns)| **ns)
                .unwrap_or((0, &0));
            let lost = usize::from(share.lost.is_none());
            let request_way = share.lost.unwrap_or(false);
            let hops_ns = hops.iter().sum();
            if share.lost.is_some() {
                after_loss.push((*wait, hops_ns));
            }
            on_path[lost].add(most, hops_ns, request_way);
        }
    }
    let ms = |ns: i64| (ns as f64 / 1e3).round() / 1e3;
    let name = |part: usize| {
        if part < parts {
            joined.part_name(part)
        } else {
            "unknown".to_owned()
        }
    };
    let places = (sums.iter().enumerate())
        .map(|(part, [verdict_ns, all_ns])| PlaceTime {
            place: name(part),
            verdict_ms: ms(*verdict_ns),
            all_ms: ms(*all_ns),
        })
        .collect();
    PlacedWaits {
        places,
        on_path,
        after_loss,
    }
}

/// Where the time was spent, in one sentence; of the verdict's kind if `named`.
pub(super) fn sentence(places: &[PlaceTime], named: bool) -> String {
    let time = |place: &PlaceTime| {
        if named {
            place.verdict_ms
        } else {
            place.all_ms
        }
    };
    let total: f64 = places.iter().map(time).sum();
    if total <= 0.0 {
        return "The first capture has no listed wait, so no wait can be placed.".to_owned();
    }
    let mut large: Vec<&PlaceTime> = (places.iter())
        .filter(|place| time(place) >= total * LEAST_SHARE)
        .collect();
    large.sort_by(|a, b| time(b).total_cmp(&time(a)));
    let parts: Vec<String> = (large.iter())
        .map(|place| format!("{} ms {}", ms(time(place)), preposition(&place.place)))
        .collect();
    let what = if named {
        "this wait"
    } else {
        "the time of the requests"
    };
    format!("Where {what} passed: {}.", parts.join(", "))
}

/// Whether a wait is part of the verdict's time: many turns are round trips.
fn belongs(wait: &LedgerInterval, kind: EvidenceKind) -> bool {
    let own = wait.reason.kind();
    own == kind || (kind == EvidenceKind::Chatty && own == EvidenceKind::SlowPath)
}

fn preposition(place: &str) -> String {
    if place.contains("side of") {
        format!("on the {place}")
    } else if place == "unknown" {
        "at an unknown place".to_owned()
    } else {
        format!("on the path from {place}")
    }
}

fn ms(value: f64) -> String {
    crate::report::ms((value * 1e6) as i64)
}

fn verdict_kind(verdict: &EvidenceSlice) -> Option<EvidenceKind> {
    match verdict.kind {
        VerdictKind::Kind(kind) => Some(kind),
        VerdictKind::None => None,
    }
}

/// A smaller share is named in the table only.
const LEAST_SHARE: f64 = 0.05;
