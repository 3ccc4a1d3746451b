//! The sums by service, and the final sum over all shards.

use super::shard::ConnectionShard;
use super::worst::WorstItems;
use crate::ledger::WaitLedger;
use crate::lookups::LookupLog;
use crate::verdict::{ConnectionFacts, Context, slices};
use crate::{
    AnalysisOptions, AppProtocol, CaptureExplanation, CaptureInfo, CaptureTotals, Connection,
    Exchange, FileProblem, Histogram, SegmentMarks, ServiceTotals, SliceTimes,
};
use std::collections::HashMap;
use std::net::IpAddr;

/// Sums by server address and port.
#[derive(Debug, Default)]
pub(super) struct ServiceTable {
    index: HashMap<(IpAddr, u16), usize>,
    rows: Vec<ServiceTotals>,
    /// The row for services beyond the size of the table.
    rest: Option<usize>,
}

impl ServiceTable {
    /// The row of a connection; `known` is the result of an earlier call.
    pub(super) fn row(&mut self, known: Option<usize>, connection: &Connection) -> usize {
        let row = known.unwrap_or_else(|| {
            let end = &connection.server;
            self.row_of(Some(end.address), end.port)
        });
        let protocol = &mut self.rows[row].protocol;
        if *protocol == AppProtocol::Turns {
            *protocol = connection.protocol;
        }
        row
    }

    /// Counts an exchange.
    pub(super) fn add_exchange(&mut self, row: usize, exchange: &Exchange) {
        let service = &mut self.rows[row];
        service.exchanges += 1;
        service.slices.merge(&exchange.slices);
        service.request_bytes += exchange.request.bytes;
        service.response_bytes += exchange.response.bytes;
        service.request_segments += exchange.request.segments as u64;
        service.response_segments += exchange.response.segments as u64;
        service.times.record(exchange.total_ns());
    }

    /// Counts a connection that has ended.
    pub(super) fn add_connection(&mut self, row: usize, connection: &Connection) {
        let service = &mut self.rows[row];
        service.connections += 1;
        service.packets += connection.client.segments + connection.server.segments;
        service.resets += u64::from(connection.close.reset.is_some());
        service.refused += u64::from(connection.was_refused());
        service.tls += u64::from(connection.tls.is_some());
        service.tls_resumed += u64::from(connection.tls.as_ref().is_some_and(|tls| tls.resumed));
    }

    /// Adds the rows of `other`.
    fn merge(&mut self, other: ServiceTable) {
        for theirs in other.rows {
            let row = self.row_of(theirs.address, theirs.port);
            let mine = &mut self.rows[row];
            if mine.protocol == AppProtocol::Turns {
                mine.protocol = theirs.protocol;
            }
            mine.connections += theirs.connections;
            mine.resets += theirs.resets;
            mine.refused += theirs.refused;
            mine.tls += theirs.tls;
            mine.tls_resumed += theirs.tls_resumed;
            mine.exchanges += theirs.exchanges;
            mine.slices.merge(&theirs.slices);
            mine.packets += theirs.packets;
            mine.request_bytes += theirs.request_bytes;
            mine.response_bytes += theirs.response_bytes;
            mine.request_segments += theirs.request_segments;
            mine.response_segments += theirs.response_segments;
            mine.times.merge(&theirs.times);
        }
    }

    /// The row of a server; the rest's when the table is full.
    fn row_of(&mut self, address: Option<IpAddr>, port: u16) -> usize {
        let known = address.and_then(|address| self.index.get(&(address, port)));
        if let Some(row) = known {
            return *row;
        }
        let full = self.index.len() >= MAX_SERVICES;
        let (address, port) = match address {
            Some(address) if !full => (Some(address), port),
            _ => (None, 0),
        };
        if let (None, Some(rest)) = (address, self.rest) {
            return rest;
        }
        let row = self.rows.len();
        match address {
            Some(address) => {
                self.index.insert((address, port), row);
            }
            None => self.rest = Some(row),
        }
        self.rows.push(empty(address, port));
        row
    }
}

/// Adds up all shards, settles the ledger and chooses the verdict.
pub(super) fn explanation(
    capture: CaptureInfo,
    totals: CaptureTotals,
    shards: Vec<ConnectionShard>,
    lookups: LookupLog,
    options: &AnalysisOptions,
) -> CaptureExplanation {
    let mut all = CaptureExplanation {
        capture,
        totals,
        ..CaptureExplanation::default()
    };
    let mut ledger = WaitLedger::default();
    let mut facts = ConnectionFacts::default();
    let mut services = ServiceTable::default();
    let mut connections = WorstItems::new(options.keep_connections);
    let mut exchanges = WorstItems::new(options.keep_exchanges);
    let latest_ns = shards.iter().map(|shard| shard.latest_ns).max();
    let latest_ns = latest_ns.unwrap_or(i64::MIN).max(all.capture.last_ns);
    // Time after the requested span does not count as waiting.
    let latest_ns = options.to_ns.map_or(latest_ns, |to| latest_ns.min(to));
    for mut shard in shards {
        shard.finish(latest_ns, options);
        add_totals(&mut all.totals, &shard.totals);
        ledger.merge(shard.ledger);
        facts.merge(shard.facts);
        services.merge(shard.services);
        connections.merge(shard.connections);
        exchanges.merge(shard.exchanges);
    }
    let (found, names, unreachable) = lookups.finish(latest_ns);
    for interval in found {
        ledger.enter(interval);
    }
    let doubts = doubts(&all.totals, options);
    all.capture.problems.extend(doubts);
    all.services = services.rows;
    // The busiest first; the address breaks ties, so the order is one.
    (all.services).sort_by_key(|s| {
        let busy = std::cmp::Reverse((s.exchanges, s.connections));
        (busy, s.address, s.port)
    });
    all.connections = connections.into_items().collect();
    all.connections.sort_by_key(|connection| connection.id);
    for message in unreachable {
        let about = all.connections.iter().filter(|c| message.is_about(c));
        about.for_each(|c| ledger.mark_unreachable(c.id, message.packet));
    }
    all.exchanges = exchanges.into_items().collect();
    let (sums, intervals) = ledger.settle();
    let context = Context::new(&facts, &all.totals, &names, options, &sums);
    let (verdict, slices) = slices(sums, &intervals, &context);
    all.verdict = Some(verdict);
    all.slices = slices;
    all.names = names;
    all.waits = intervals;
    all.waits.truncate(options.keep_waits);
    all
}

/// Gaps of the capture that limit the conclusions.
fn doubts(totals: &CaptureTotals, options: &AnalysisOptions) -> impl Iterator<Item = FileProblem> {
    let cut = totals.cut_frames;
    let evicted = totals.evicted_connections;
    let backwards = totals.backward_times;
    let halves = totals.half_links;
    let unseen = totals.marks.of(SegmentMarks::ACKED_UNSEEN);
    let (midway, ackless) = (totals.midway_connections, totals.ackless_connections);
    let all = [
        (unseen > 0).then(|| {
            let text = format!(
                "bytes that were acknowledged and are not in the capture: {unseen} times; no \
                 verdict is given across them, so look for drops while recording (a larger \
                 buffer, a filter that keeps both directions)"
            );
            ("capture.unseen", text)
        }),
        (midway > 0 && totals.segments >= FEW_SEGMENTS).then(|| {
            let text = format!(
                "connections that began before the capture: {midway}; their MSS, window scale and \
                 round trip are unknown, so nothing is said of windows there, and less of the rest"
            );
            ("capture.midway", text)
        }),
        (totals.made_times > 0).then(|| {
            let text = format!(
                "connections whose packets are all as far apart: {}; their times were made up \
                 when the file was written, so no wait on them has a cause",
                totals.made_times
            );
            ("capture.made-times", text)
        }),
        (ackless > 0).then(|| {
            let text = format!(
                "connections with data and not one acknowledgement by itself: {ackless}; a filter \
                 left them out, so waits for acknowledgements cannot be judged"
            );
            ("capture.no-acknowledgements", text)
        }),
        (cut > 0).then(|| {
            let text = format!(
                "frames that were not captured whole (snap length): {cut}; requests whose heads \
                 are missing are separated by turns, so record whole frames"
            );
            ("capture.cut", text)
        }),
        (evicted > 0).then(|| {
            let text = format!(
                "connections closed early, because more than {} were open at a time: {evicted}; \
                 what came later on them counts as new ones, so narrow with --filter",
                options.max_connections
            );
            ("capture.connections-dropped", text)
        }),
        (backwards > 0).then(|| {
            let text = format!(
                "packets earlier than the one before them on their connection, or a year later: \
                 {backwards}; they were given its time, so sort the file (reordercap) or look \
                 for a clock that was set"
            );
            ("capture.time-backwards", text)
        }),
        (halves > 0).then(|| {
            let text = format!(
                "DLSw connections of which one direction alone was captured: {halves}; their \
                 answers went another way, so their requests end when they were sent: filter by \
                 host, not by port"
            );
            ("capture.half-link", text)
        }),
    ];
    all.into_iter().flatten().map(|(id, text)| FileProblem {
        id,
        offset: 0,
        text,
    })
}

fn add_totals(sum: &mut CaptureTotals, one: &CaptureTotals) {
    sum.segments += one.segments;
    sum.duplicate_frames += one.duplicate_frames;
    sum.backward_times += one.backward_times;
    sum.connections += one.connections;
    sum.midway_connections += one.midway_connections;
    sum.unanswered_connections += one.unanswered_connections;
    sum.evicted_connections += one.evicted_connections;
    sum.paired_links += one.paired_links;
    sum.half_links += one.half_links;
    sum.made_times += one.made_times;
    sum.ackless_connections += one.ackless_connections;
    sum.exchanges += one.exchanges;
    sum.complete_exchanges += one.complete_exchanges;
    sum.payload_bytes += one.payload_bytes;
    sum.slices.merge(&one.slices);
    sum.marks.merge(&one.marks);
}

fn empty(address: Option<IpAddr>, port: u16) -> ServiceTotals {
    ServiceTotals {
        address,
        port,
        protocol: AppProtocol::Turns,
        connections: 0,
        resets: 0,
        refused: 0,
        tls: 0,
        tls_resumed: 0,
        exchanges: 0,
        slices: SliceTimes::default(),
        packets: 0,
        request_bytes: 0,
        response_bytes: 0,
        request_segments: 0,
        response_segments: 0,
        times: Histogram::default(),
    }
}

/// Services in the table; a scan of a network has more.
const MAX_SERVICES: usize = 1024;

/// Captures with fewer segments have no relevant gaps.
const FEW_SEGMENTS: u64 = 20;
