//! The phases of one exchange as intervals without a hole.
//!
//! Every boundary is the time of a packet on the connection, so a gap between
//! two packets never crosses one; where clocks or pipelining disturb the
//! order, boundaries are clamped to their predecessor and the sum still holds.

use crate::{Connection, Exchange, ExchangePhase};

/// Consecutive intervals, each with its phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseIntervals {
    start_ns: i64,
    bounds: [(i64, ExchangePhase); MAX_INTERVALS],
    len: usize,
}

impl PhaseIntervals {
    /// The intervals of `exchange`, from the end of the previous one (or the
    /// SYN) to its own end. `now_ns` ends an exchange without a response.
    pub(super) fn of(
        exchange: &Exchange,
        connection: &Connection,
        previous_end_ns: i64,
        now_ns: i64,
    ) -> PhaseIntervals {
        let asked_ns = exchange.request.start_ns;
        let first = exchange.index == 0;
        // A session's exchanges follow each other, not those of other sessions.
        let previous_end_ns = exchange.previous_end_ns.unwrap_or(previous_end_ns);
        let base_ns = match (first, connection.handshake.syn_ns) {
            (true, Some(syn)) => syn,
            (true, None) => asked_ns,
            (false, _) => previous_end_ns,
        };
        let mut intervals = PhaseIntervals {
            start_ns: base_ns.min(asked_ns),
            bounds: [(0, ExchangePhase::ClientThink); MAX_INTERVALS],
            len: 0,
        };
        // A server that sends first has think time before.
        let idle = if first && exchange.request.bytes == 0 {
            ExchangePhase::ServerThink
        } else {
            ExchangePhase::ClientThink
        };
        if first {
            let shake = &connection.handshake;
            if shake.syn_ns.is_some() {
                let open_ns = shake.ack_ns.or(shake.syn_ack_ns).unwrap_or(asked_ns);
                intervals.push(open_ns.min(asked_ns), ExchangePhase::Connect);
            }
            if let Some(tls) = &connection.tls {
                intervals.push(tls.start_ns.min(asked_ns), ExchangePhase::ClientThink);
                let end_ns = tls.end_ns.unwrap_or(asked_ns);
                intervals.push(end_ns.min(asked_ns), ExchangePhase::Tls);
            }
        }
        intervals.push(asked_ns, idle);
        let answered = exchange.is_answered();
        let answer_ns = match (answered, exchange.one_way) {
            (true, _) => exchange.response.start_ns,
            (false, true) => exchange.request.end_ns,
            (false, false) => now_ns,
        };
        intervals.push(
            exchange.request.end_ns.min(answer_ns),
            ExchangePhase::Request,
        );
        intervals.push(previous_end_ns.min(answer_ns), ExchangePhase::Queued);
        intervals.push(answer_ns, ExchangePhase::ServerThink);
        if answered {
            let end_ns = exchange.response.end_ns.max(exchange.request.end_ns);
            let end_ns = if exchange.complete || exchange.session != 0 {
                end_ns
            } else {
                // The rest never arrived.
                end_ns.max(now_ns)
            };
            intervals.push(end_ns, ExchangePhase::Response);
        }
        intervals
    }

    /// The same, cut off at `until_ns`: the part of an exchange that is past.
    pub(super) fn until(mut self, until_ns: i64) -> PhaseIntervals {
        let past = self.bounds[..self.len].partition_point(|(end_ns, _)| *end_ns < until_ns);
        if past < self.len {
            self.bounds[past].0 = until_ns;
            self.len = past + 1;
        }
        self
    }

    /// The end of the last interval.
    pub(super) fn end_ns(&self) -> i64 {
        match self.len {
            0 => self.start_ns,
            len => self.bounds[len - 1].0,
        }
    }

    /// The start of the first interval.
    pub(super) fn start_ns(&self) -> i64 {
        self.start_ns
    }

    /// The phase at a time and its end; before the start it is client think
    /// time.
    pub(super) fn at(&self, time_ns: i64) -> (ExchangePhase, i64) {
        if time_ns < self.start_ns {
            return (ExchangePhase::ClientThink, self.start_ns);
        }
        (self.bounds[..self.len].iter())
            .find(|(end_ns, _)| time_ns < *end_ns)
            .map_or((ExchangePhase::ClientThink, i64::MAX), |(end_ns, phase)| {
                (*phase, *end_ns)
            })
    }

    /// Adds an interval up to `end_ns`, unless it would be empty.
    fn push(&mut self, end_ns: i64, phase: ExchangePhase) {
        if end_ns > self.end_ns() && self.len < MAX_INTERVALS {
            self.bounds[self.len] = (end_ns, phase);
            self.len += 1;
        }
    }
}

const MAX_INTERVALS: usize = 9;
