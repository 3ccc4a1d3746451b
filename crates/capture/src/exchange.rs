//! One request and its response, and the causes of its time.
//!
//! The phases say where in the exchange an instant lies; the slices say which
//! kind of evidence owns it.
//! Invariant: the slices of an exchange add up to its time, to the nanosecond;
//! a long think time of the client between set-up and request is in none.

use crate::{ConnectionSide, LedgerInterval, Segment, SliceTimes};
use serde::Serialize;

/// One request and its response.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Exchange {
    /// Number of the first packet of the request: its identity.
    pub id: u64,
    /// Identity of its connection.
    pub connection: u64,
    /// Its place on the connection, from 0.
    pub index: u64,
    /// Its label, as far as the protocol shows it (`GET /orders → 200`).
    pub label: String,
    /// Its start: the first SYN for the first exchange of a connection with a
    /// captured handshake, otherwise the request's first byte.
    pub start_ns: i64,
    /// Its end: the response's last byte.
    pub end_ns: i64,
    /// The request.
    pub request: ExchangePart,
    /// The response.
    pub response: ExchangePart,
    /// `true` if both were seen to their end, as the protocol defines it.
    pub complete: bool,
    /// Its time by kind of evidence.
    pub slices: SliceTimes,
    /// Its longer waits, in order; bounded.
    pub waits: Vec<LedgerInterval>,
    /// Its segments, in order; bounded, and empty in exchanges that are only
    /// counted. Long transfers keep the segments around their gaps.
    pub segments: Vec<Segment>,
    /// Segments that were left out of `segments`.
    pub segments_omitted: u64,
    /// The end that sent the request: the client, except for protocols in which
    /// either end may (SNA).
    pub asked_by: ConnectionSide,
    /// The session it belongs to where a connection carries several; 0 without.
    #[serde(skip_serializing_if = "is_zero")]
    pub session: u16,
    /// No answer is expected: it ends with its request.
    #[serde(skip)]
    pub(crate) one_way: bool,
    /// A part that was sent again: whose it is, and its end without the copy.
    #[serde(skip)]
    pub(crate) before_copy: Option<(ConnectionSide, i64, u64)>,
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
    /// Up to when its time was given to kinds of evidence.
    #[serde(skip)]
    pub(crate) walked_ns: i64,
    /// Its request asks for `100 Continue` before the body.
    #[serde(skip)]
    pub(crate) expects_continue: bool,
    /// Last packet considered for `segments`.
    #[serde(skip)]
    pub(crate) segments_to: u64,
}

impl Exchange {
    /// Time from start to end without client think time; the slices add up to
    /// it.
    pub fn total_ns(&self) -> i64 {
        self.slices.total_ns()
    }

    /// True once a byte of the response was seen.
    pub fn is_answered(&self) -> bool {
        self.response.first_packet != 0
    }

    /// The message that `side` sends in it.
    pub fn part(&self, side: ConnectionSide) -> &ExchangePart {
        if side == self.asked_by {
            &self.request
        } else {
            &self.response
        }
    }

    /// The same, to change it.
    pub(crate) fn part_mut(&mut self, side: ConnectionSide) -> &mut ExchangePart {
        if side == self.asked_by {
            &mut self.request
        } else {
            &mut self.response
        }
    }

    /// Clears it for reuse, keeping its memory.
    pub(crate) fn reset(&mut self) {
        let mut label = std::mem::take(&mut self.label);
        let mut waits = std::mem::take(&mut self.waits);
        let mut segments = std::mem::take(&mut self.segments);
        label.clear();
        waits.clear();
        segments.clear();
        *self = Exchange {
            label,
            waits,
            segments,
            ..Exchange::default()
        };
    }
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// The request or the response of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExchangePart {
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

/// The phase of an exchange at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangePhase {
    /// The client had not asked yet: before the request, and between set-ups.
    ClientThink,
    /// SYN to the ACK that completes the handshake.
    Connect,
    /// First TLS record to the last one of the handshake.
    Tls,
    /// First to last byte of the request.
    Request,
    /// The request waits for an earlier response (pipelining).
    Queued,
    /// Last byte of the request to the first of the response.
    ServerThink,
    /// First to last byte of the response.
    Response,
}
