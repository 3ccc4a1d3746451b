//! One request and its response, and where its time went.
//!
//! Invariant: the phases (without client think) and the stalls of an exchange
//! add up to its total, to the nanosecond.

use crate::{Segment, Side};
use serde::{Serialize, Serializer};

/// One request and its response.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Exchange {
    /// Number of the first packet of the request: its identity.
    pub id: u64,
    /// Identity of its connection.
    pub connection: u64,
    /// Its place on the connection, from 0.
    pub index: u64,
    /// What it was, as far as the protocol tells (`GET /orders → 200`).
    pub label: String,
    /// Where its time begins: the first SYN when it is the first exchange of
    /// a connection whose handshake was captured, else the request's first byte.
    pub start_ns: i64,
    /// Where its time ends: the response's last byte.
    pub end_ns: i64,
    /// The request.
    pub request: Part,
    /// The response.
    pub response: Part,
    /// True when both were seen to their end, as the protocol defines it.
    pub complete: bool,
    /// Where the time went.
    pub split: Split,
    /// Every gap above the threshold, in order; bounded.
    pub gaps: Vec<GapReport>,
    /// Its segments, in order; bounded, and empty in exchanges that are only
    /// counted. Long transfers keep the segments around their gaps.
    pub segments: Vec<Segment>,
    /// Segments that were left out of `segments`.
    pub segments_omitted: u64,
    /// Who asked: the client, except on protocols where either end may (SNA).
    pub asked_by: Side,
    /// The session it belongs to where a connection carries several; 0 without.
    #[serde(skip_serializing_if = "is_zero")]
    pub session: u16,
    /// No answer was to come: it ends with its request.
    #[serde(skip)]
    pub(crate) one_way: bool,
    /// A part that was sent again: whose it is, and its end without the copy.
    #[serde(skip)]
    pub(crate) before_copy: Option<(Side, i64, u64)>,
    /// The end of the exchange before it in its session.
    #[serde(skip)]
    pub(crate) previous_end_ns: Option<i64>,
    /// The request was seen to its end.
    #[serde(skip)]
    pub(crate) request_done: bool,
    /// The response has no body, whatever its head says (HEAD).
    #[serde(skip)]
    pub(crate) no_body: bool,
    /// Part of it was judged already.
    #[serde(skip)]
    pub(crate) resumed: bool,
    /// Up to when the waits of its session were judged.
    #[serde(skip)]
    pub(crate) session_judged_ns: i64,
    /// Last packet considered for `segments`.
    #[serde(skip)]
    pub(crate) segments_to: u64,
}

impl Exchange {
    /// Time from start to end, client think excluded: what the split adds up to.
    pub fn total_ns(&self) -> i64 {
        self.split.total_ns()
    }

    /// True once a byte of the response was seen.
    pub fn is_answered(&self) -> bool {
        self.response.first_packet != 0
    }

    /// The message that `side` sends in it.
    pub fn part(&self, side: Side) -> &Part {
        match side == self.asked_by {
            true => &self.request,
            false => &self.response,
        }
    }

    /// The same, to change it.
    pub(crate) fn part_mut(&mut self, side: Side) -> &mut Part {
        match side == self.asked_by {
            true => &mut self.request,
            false => &mut self.response,
        }
    }

    /// Who sends in this phase; none where nobody does.
    pub fn sender(&self, phase: Phase) -> Option<Side> {
        match phase {
            Phase::Request => Some(self.asked_by),
            Phase::Response => Some(self.asked_by.other()),
            _ => None,
        }
    }

    /// Empties it for another use, keeping its memory.
    pub(crate) fn reset(&mut self) {
        let mut label = std::mem::take(&mut self.label);
        let mut gaps = std::mem::take(&mut self.gaps);
        let mut stalls = std::mem::take(&mut self.split.stalls);
        let mut segments = std::mem::take(&mut self.segments);
        label.clear();
        gaps.clear();
        stalls.clear();
        segments.clear();
        *self = Exchange {
            label,
            gaps,
            segments,
            ..Exchange::default()
        };
        self.split.stalls = stalls;
    }
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// The request or the response of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Time of its first byte.
    pub start_ns: i64,
    /// Time at which its last byte was there, with all before it.
    pub end_ns: i64,
    /// Payload bytes.
    pub bytes: u64,
    /// Segments with payload.
    pub segments: u32,
    /// Messages, where the protocol has them.
    pub messages: u32,
    /// Packet of its first byte.
    pub first_packet: u64,
    /// Packet that completed it.
    pub last_packet: u64,
}

/// The phases that an exchange's time is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Outside the exchange: the client had nothing to ask.
    ClientThink,
    /// SYN to the ACK that completes the handshake.
    Connect,
    /// First TLS record to the last one of the handshake.
    Tls,
    /// First to last byte of the request.
    Request,
    /// The request waits behind an earlier response (pipelining).
    Queued,
    /// Last byte of the request to the first of the response, without the
    /// path's round trip; and the server's pauses within its response.
    ServerThink,
    /// The path's share of the time between request and response: the round
    /// trip from the place of capture to the server, where the handshake shows it.
    RoundTrip,
    /// First to last byte of the response.
    Response,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Phase; 8] = [
        Phase::ClientThink,
        Phase::Connect,
        Phase::Tls,
        Phase::Request,
        Phase::Queued,
        Phase::ServerThink,
        Phase::RoundTrip,
        Phase::Response,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Phase::ClientThink => "client think",
            Phase::Connect => "connection set-up",
            Phase::Tls => "TLS set-up",
            Phase::Request => "request transfer",
            Phase::Queued => "queued behind a response",
            Phase::ServerThink => "server think",
            Phase::RoundTrip => "round trip",
            Phase::Response => "response transfer",
        }
    }
}

/// Time by phase, nanoseconds; what stalls took is not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimes(pub [i64; Phase::ALL.len()]);

impl PhaseTimes {
    /// The time of one phase.
    pub fn of(&self, phase: Phase) -> i64 {
        self.0[phase as usize]
    }

    /// Adds to one phase.
    pub fn add(&mut self, phase: Phase, ns: i64) {
        self.0[phase as usize] += ns;
    }

    /// Adds every phase of `other`.
    pub fn merge(&mut self, other: &PhaseTimes) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Sum of all phases except client think.
    pub fn inside_ns(&self) -> i64 {
        self.0[1..].iter().sum()
    }
}

impl Serialize for PhaseTimes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Phase::ALL.iter().map(|phase| (phase, self.of(*phase))))
    }
}

/// Where the time of one exchange went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Split {
    /// Time by phase, without what stalls took.
    pub phases: PhaseTimes,
    /// Stalls by cause, in order of appearance; those inside client think
    /// are not in it.
    pub stalls: Vec<Stall>,
}

impl Split {
    /// Sum of phases (without client think) and stalls.
    pub fn total_ns(&self) -> i64 {
        self.phases.inside_ns() + self.stalled_ns()
    }

    /// Sum of the stalls.
    pub fn stalled_ns(&self) -> i64 {
        self.stalls.iter().map(|stall| stall.cost_ns).sum()
    }

    /// A long exchange is judged in pieces, before it is known where its
    /// request ends; a phase that lost more than it had takes the rest from
    /// the longest one. The sum does not change.
    pub(crate) fn settle(&mut self) {
        for index in 1..self.phases.0.len() {
            let lack_ns = -self.phases.0[index];
            if lack_ns <= 0 {
                continue;
            }
            let longest = (1..self.phases.0.len()).max_by_key(|i| self.phases.0[*i]);
            if let Some(longest) = longest {
                self.phases.0[index] = 0;
                self.phases.0[longest] -= lack_ns;
            }
        }
    }

    /// Moves up to `ns` from one phase to another.
    pub(crate) fn shift(&mut self, from: Phase, to: Phase, ns: i64) {
        let ns = ns.min(self.phases.of(from)).max(0);
        self.phases.add(from, -ns);
        self.phases.add(to, ns);
    }

    /// Takes a claimed stall back: its time is the phase's again.
    pub(crate) fn unstall(&mut self, rule: &'static str, phase: Phase, cost_ns: i64) {
        self.phases.add(phase, cost_ns);
        if let Some(stall) = self.stalls.iter_mut().find(|stall| stall.rule == rule) {
            stall.cost_ns -= cost_ns;
            stall.count -= 1;
        }
        self.stalls.retain(|stall| stall.count > 0);
    }

    /// Moves `cost_ns` to a stall of `rule`.
    pub(crate) fn stall(&mut self, rule: &'static str, phase: Phase, cost_ns: i64) {
        self.phases.add(phase, -cost_ns);
        match self.stalls.iter_mut().find(|stall| stall.rule == rule) {
            Some(stall) => {
                stall.cost_ns += cost_ns;
                stall.count += 1;
            }
            None => self.stalls.push(Stall {
                rule,
                cost_ns,
                count: 1,
            }),
        }
    }
}

/// Time taken by one cause in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// The rule that claimed it.
    pub rule: &'static str,
    /// Nanoseconds.
    pub cost_ns: i64,
    /// Gaps.
    pub count: u32,
}

/// One gap of an exchange and who claimed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GapReport {
    /// Time of the segment before it.
    pub from_ns: i64,
    /// Time of the segment that ended it.
    pub to_ns: i64,
    /// Packet before it.
    pub before: u64,
    /// Packet that ended it.
    pub after: u64,
    /// The phase it lies in.
    pub phase: Phase,
    /// The rule that claimed it; none when it stays in its phase unexplained.
    pub rule: Option<&'static str>,
    /// What was claimed of it.
    pub cost_ns: i64,
}
