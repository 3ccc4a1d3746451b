//! Exchanges that have ended: their time is split, summed up and, where they are
//! among the worst, kept. A long one is judged in pieces, so that its timeline
//! stays short.

use super::flow::Flow;
use super::gaps;
use super::shard::Shard;
use super::split::Intervals;
use super::worst::Rank;
use crate::options::TIMELINE;
use crate::rules::{CONTEXT, RULES, applies};
use crate::{Connection, Exchange, Options, Phase, Protocol, Segment, Side};

impl Shard {
    /// Sums up the exchanges that have ended, unless the copy of a last byte may
    /// yet come.
    #[inline]
    pub(super) fn finish_settled(&mut self, slot: u32, segment: &Segment, options: &Options) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let closed = flow.connection.close.is_closed();
        let done = flow.app.assembler.done.len();
        let settled = match segment.from {
            Side::Client => segment.len > 0 || flow.tracker.is_acknowledged(Side::Server),
            Side::Server => done > MAX_DONE,
        };
        if done > 0 && (settled || closed) {
            self.finish_exchanges(slot, options);
        }
    }

    /// Splits the time of every exchange that has ended.
    pub(super) fn finish_exchanges(&mut self, slot: u32, options: &Options) {
        let second = self.second_of(slot);
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        while let Some(mut exchange) = flow.app.assembler.done.pop_front() {
            let service = (self.services).row(flow.service, &flow.connection);
            flow.service = Some(service);
            let now_ns = flow.now_ns();
            let connection = &mut flow.connection;
            let previous_end_ns = flow.timeline.previous_end_ns;
            let intervals = Intervals::of(&exchange, connection, previous_end_ns, now_ns);
            let (_, causes) = self.services.row_mut(service);
            gaps::judge(
                &mut flow.timeline,
                (connection, second.as_deref()),
                &mut exchange,
                &intervals,
                (&mut self.ledger, causes),
                options,
            );
            exchange.split.phases.merge(&intervals.times());
            exchange.split.settle();
            if let Some(path_ns) = path_ns(&exchange, connection) {
                (exchange.split).shift(Phase::ServerThink, Phase::RoundTrip, path_ns);
            }
            exchange.start_ns = match exchange.index {
                0 => intervals.start_ns(),
                _ => exchange.request.start_ns,
            };
            exchange.end_ns = intervals.end_ns();
            flow.timeline.previous_end_ns = previous_end_ns.max(exchange.end_ns);
            connection.exchanges += 1;
            connection.exchange_ns = (connection.exchange_ns).saturating_add(exchange.total_ns());
            self.totals.exchanges += 1;
            self.totals.complete_exchanges += exchange.complete as u64;
            self.totals.phases.merge(&exchange.split.phases);
            self.totals.stalled_ns =
                (self.totals.stalled_ns).saturating_add(exchange.split.stalled_ns());
            self.services.add_exchange(service, &exchange);
            let rules = RULES.iter().enumerate();
            for (index, rule) in rules.filter(|(_, rule)| applies(**rule, connection)) {
                rule.exchange(connection, &exchange, &mut self.scratch);
                if !self.scratch.is_empty() {
                    let (_, causes) = self.services.row_mut(service);
                    self.ledger
                        .enter(index, &mut self.scratch, Some((&*connection, causes)));
                }
            }
            let id = (exchange.id, exchange.index);
            let rank = Rank::new(exchange.split.stalled_ns(), exchange.total_ns(), id);
            if self.exchanges.qualifies(rank) {
                let range = (exchange.start_ns, exchange.end_ns);
                flow.timeline.collect(&mut exchange, range, options);
                self.exchanges.insert(rank, exchange);
            } else {
                exchange.reset();
                flow.app.assembler.spare = Some(exchange);
            }
        }
        if flow.timeline.judged > CONTEXT * 3 {
            let wanted = flow.app.assembler.front().map(|front| front.id);
            flow.timeline.trim(wanted);
        }
    }

    /// Judges part of a long exchange, so that its timeline can be cut.
    pub(super) fn keep_timeline_short(&mut self, slot: u32, options: &Options) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let length = flow.timeline.segments.len();
        let open = flow.app.assembler.front().is_some() || flow.app.said().is_some();
        // One that has ended and waits for its acknowledgement is not judged yet.
        let waits = !flow.app.assembler.done.is_empty();
        if length < CONTEXT * 8 || ((open || waits) && length < TIMELINE) {
            return;
        }
        if waits {
            self.finish_exchanges(slot, options);
            return;
        }
        let second = self.second_of(slot);
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let service = (self.services).row(flow.service, &flow.connection);
        flow.service = Some(service);
        let Flow {
            app,
            connection,
            timeline,
            ..
        } = &mut *flow;
        if let Some(exchange) = app.assembler.front_mut() {
            let previous_end_ns = timeline.previous_end_ns;
            // Up to the segment before the last CONTEXT: rules look ahead.
            let until_ns = timeline.segments[length - CONTEXT].time_ns;
            let intervals =
                Intervals::of(exchange, connection, previous_end_ns, until_ns).until(until_ns);
            timeline.collect(exchange, (intervals.start_ns(), until_ns), options);
            let (_, causes) = self.services.row_mut(service);
            gaps::judge(
                timeline,
                (connection, second.as_deref()),
                exchange,
                &intervals,
                (&mut self.ledger, causes),
                options,
            );
            timeline.trim(None);
        } else {
            timeline.judged = timeline.judged.max(length.saturating_sub(CONTEXT * 2));
            timeline.trim(None);
        }
    }
}

/// What the path takes between the last byte of the request and the first of
/// the answer, as seen from the place of capture. Units of SNA go further than
/// TCP's round trip tells.
fn path_ns(exchange: &Exchange, connection: &Connection) -> Option<i64> {
    let far = exchange.session != 0 && connection.protocol != Protocol::Http2;
    let answered = exchange.is_answered() && exchange.request.bytes > 0 && !far;
    let rtt = connection.end(exchange.asked_by.other()).rtt;
    rtt.handshake_ns.filter(|_| answered)?;
    // What waited behind another answer was on its way meanwhile.
    Some(rtt.best_ns()? - exchange.split.phases.of(Phase::Queued))
}

/// Exchanges of one connection that wait for their acknowledgement.
const MAX_DONE: usize = 16;
