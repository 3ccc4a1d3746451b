//! Exchanges that have ended: their time is given to kinds of evidence, summed
//! up and, where they are among the longest, kept. A long one is walked in
//! pieces, so that its timeline stays short.

use super::flow::{CONTEXT, Flow};
use super::shard::ConnectionShard;
use super::split::PhaseIntervals;
use super::walk;
use super::worst::ItemRank;
use crate::evidence::EvidenceKind;
use crate::options::TIMELINE;
use crate::{
    AnalysisOptions, AppProtocol, Connection, ConnectionSide, Exchange, Segment, SegmentMarks,
};

impl ConnectionShard {
    /// Completes the exchanges that have ended, unless a copy of the last byte
    /// may still arrive.
    #[inline]
    pub(super) fn finish_settled(
        &mut self,
        slot: u32,
        segment: &Segment,
        options: &AnalysisOptions,
    ) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let closed = flow.connection.close.is_closed();
        let done = flow.app.assembler.done.len();
        let settled = match segment.from {
            ConnectionSide::Client => {
                segment.is_new_data() || flow.tracker.is_acknowledged(ConnectionSide::Server)
            }
            ConnectionSide::Server => done > MAX_DONE,
        };
        if done > 0 && (settled || closed) {
            let until_ns = flow.now_ns();
            self.finish_exchanges(slot, until_ns, options);
        }
    }

    /// Gives the time of every exchange that has ended to kinds of evidence. An
    /// exchange without its whole answer has waited until `until_ns`.
    pub(super) fn finish_exchanges(&mut self, slot: u32, until_ns: i64, options: &AnalysisOptions) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        while let Some(mut exchange) = flow.app.assembler.done.pop_front() {
            let service = (self.services).row(flow.service, &flow.connection);
            flow.service = Some(service);
            let connection = &mut flow.connection;
            let previous_end_ns = flow.timeline.previous_end_ns;
            let until_ns = waits_until(&exchange, connection, until_ns);
            let intervals = PhaseIntervals::of(&exchange, connection, previous_end_ns, until_ns);
            walk::judge(
                &mut flow.timeline,
                connection,
                &mut exchange,
                &intervals,
                true,
                (&mut self.ledger, options),
            );
            exchange.start_ns = match exchange.index {
                0 => intervals.start_ns(),
                _ => exchange.request.start_ns,
            };
            exchange.end_ns = intervals.end_ns();
            walk::enter_far_side(connection, &mut exchange, previous_end_ns, &mut self.ledger);
            flow.timeline.previous_end_ns = previous_end_ns.max(exchange.end_ns);
            let pause_ns = exchange.request.start_ns - previous_end_ns;
            let isolated = exchange.index > 0
                && pause_ns >= ISOLATED_NS
                && pause_ns / 2 >= exchange.end_ns - exchange.request.start_ns;
            connection.isolated_exchanges += u64::from(isolated);
            connection.exchanges += 1;
            connection.slices.merge(&exchange.slices);
            self.totals.exchanges += 1;
            self.totals.complete_exchanges += exchange.complete as u64;
            self.totals.slices.merge(&exchange.slices);
            self.services.add_exchange(service, &exchange);
            let id = (exchange.id, exchange.index);
            let rank = ItemRank::new(lost_ns(&exchange), exchange.total_ns(), id);
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

    /// Walks part of a long exchange, so that its timeline can be cut.
    pub(super) fn keep_timeline_short(&mut self, slot: u32, options: &AnalysisOptions) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        let length = flow.timeline.segments.len();
        let open = flow.app.assembler.front().is_some() || flow.app.unlinked_messages().is_some();
        // One that has ended and waits for its acknowledgement is not walked yet.
        let waits = !flow.app.assembler.done.is_empty();
        if length < CONTEXT * 6 || ((open || waits) && length < TIMELINE) {
            return;
        }
        if waits {
            let until_ns = flow.now_ns();
            self.finish_exchanges(slot, until_ns, options);
            return;
        }
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
            // Up to the segment before the last CONTEXT: evidence looks ahead.
            let until_ns = timeline.segments[length - CONTEXT].time_ns;
            let intervals =
                PhaseIntervals::of(exchange, connection, previous_end_ns, until_ns).until(until_ns);
            timeline.collect(exchange, (intervals.start_ns(), until_ns), options);
            walk::judge(
                timeline,
                connection,
                exchange,
                &intervals,
                false,
                (&mut self.ledger, options),
            );
            if timeline.judged < length / 2 {
                // Nothing but probes and copies: the rest has to go as well.
                timeline.judged = length - CONTEXT;
            }
            timeline.trim(None);
        } else {
            timeline.judged = timeline.judged.max(length.saturating_sub(CONTEXT * 2));
            timeline.trim(None);
        }
    }

    /// A connection that has ended without any exchange: a set-up or a TLS
    /// handshake that led to no request, or a server that never spoke.
    pub(super) fn finish_attempt(&mut self, slot: u32, until_ns: i64, options: &AnalysisOptions) {
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        // A link's second connection has no exchanges of its own.
        let sessions = matches!(
            flow.connection.protocol,
            AppProtocol::Sna | AppProtocol::Dlsw
        );
        if sessions {
            return;
        }
        let attempt = if flow.connection.exchanges > 0 {
            lost_request(flow)
        } else {
            attempt(&flow.connection, until_ns)
        };
        let Some(exchange) = attempt else {
            return;
        };
        flow.app.assembler.done.push_back(Box::new(exchange));
        self.finish_exchanges(slot, until_ns, options);
    }
}

/// An exchange that represents a connection attempt without a request. Returns
/// `None` if nothing was waited for.
fn attempt(connection: &Connection, until_ns: i64) -> Option<Exchange> {
    let shake = &connection.handshake;
    let tls_end_ns = (connection.tls.as_ref()).map(|tls| tls.end_ns.unwrap_or(until_ns));
    let server_first = SERVER_FIRST.contains(&connection.server.port);
    // A SYN with which the capture ends has waited for nothing yet.
    let has_waited = shake.syn_ns.is_some_and(|syn| syn < until_ns);
    let failed = has_waited && shake.ack_ns.is_none() && shake.syns > 0;
    let lost_request =
        shake.ack_ns.is_some() && connection.client.marks.of(SegmentMarks::LOST_SEGMENT) > 0;
    let label = match () {
        () if tls_end_ns.is_some() => "TLS handshake",
        () if failed => "connection attempt",
        () if lost_request => LOST_REQUEST,
        () if server_first && shake.ack_ns.is_some() => "greeting of the server",
        () => return None,
    };
    let open_ns = shake.ack_ns.unwrap_or(until_ns);
    let begins_ns = if failed { until_ns } else { open_ns };
    let mut exchange = Exchange {
        id: connection.id,
        connection: connection.id,
        label: label.to_owned(),
        ..Exchange::default()
    };
    exchange.request.start_ns = tls_end_ns.unwrap_or(begins_ns);
    exchange.request.end_ns = exchange.request.start_ns;
    exchange.request.first_packet = connection.id;
    Some(exchange)
}

/// A later request of which only the end arrived. Returns `None` if nothing is missing
/// after the last exchange.
fn lost_request(flow: &Flow) -> Option<Exchange> {
    if !flow.streams[ConnectionSide::Client.index()].has_hole() {
        return None;
    }
    let first = flow.timeline.segments.iter().find(|s| {
        s.from == ConnectionSide::Client
            && s.len > 0
            && s.marks.any(SegmentMarks::LOST_SEGMENT)
            && s.time_ns > flow.timeline.previous_end_ns
    })?;
    let mut exchange = Exchange {
        id: first.packet,
        connection: flow.connection.id,
        index: flow.connection.exchanges,
        label: LOST_REQUEST.to_owned(),
        ..Exchange::default()
    };
    exchange.request.start_ns = first.time_ns;
    exchange.request.end_ns = first.time_ns;
    exchange.request.first_packet = first.packet;
    Some(exchange)
}

/// The end of the wait for the rest of an answer: the time at which an end
/// closed the connection, or `until_ns`.
fn waits_until(exchange: &Exchange, connection: &Connection, until_ns: i64) -> i64 {
    let close = &connection.close;
    let ends = [close.first_fin, close.reset].into_iter().flatten();
    let from_ns = exchange.request.end_ns.max(exchange.response.end_ns);
    // A last word on a connection of unknown protocol needs no answer.
    let farewell = exchange.index > 0
        && !exchange.is_answered()
        && connection.protocol == AppProtocol::Turns
        && close.reset.is_none()
        && close
            .first_fin
            .is_some_and(|(_, at_ns)| at_ns - from_ns < FAREWELL_NS);
    if farewell {
        return from_ns;
    }
    let closed_ns = ends
        .map(|(_, at_ns)| at_ns)
        .filter(|at_ns| *at_ns >= from_ns);
    closed_ns
        .min()
        .unwrap_or(until_ns)
        .min(until_ns.max(from_ns))
}

/// Time of an exchange that a change could save, more or less: all but its
/// round trips.
fn lost_ns(exchange: &Exchange) -> i64 {
    exchange.total_ns() - exchange.slices.of(EvidenceKind::SlowPath) / 2
}

/// The label of a request that was lost on its way to the capture.
const LOST_REQUEST: &str = "request that did not arrive";

/// A request after such a pause of its client does not follow from the answer before,
/// unless the request itself takes half as long.
const ISOLATED_NS: i64 = 50_000_000;

/// Exchanges of one connection that wait for their acknowledgement.
const MAX_DONE: usize = 16;

/// A close within this time is not an answer that was waited for.
const FAREWELL_NS: i64 = 1_000_000_000;

/// Ports on which the server sends first: FTP, SSH, SMTP, POP3, IMAP, MySQL, VNC.
const SERVER_FIRST: [u16; 8] = [21, 22, 25, 110, 143, 587, 3306, 5900];
