//! The facts for the sentences of a verdict, in addition to the slice.
//!
//! Each share of the connections sums up [`ConnectionFacts`]; at the end they become the
//! [`Context`] that every kind of evidence describes its slice with.

use super::advice::{AdvicePlatform, EndSystems};
use crate::evidence::{DelayOwner, Reason};
use crate::ledger::{LedgerInterval, ReasonSums};
use crate::{AnalysisOptions, Connection, SegmentMarks, station};

/// Facts about all connections, summed up in each share.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionFacts {
    /// Round trips weighed by exchanges: sum and weight.
    rtt_sum_ns: i128,
    rtt_weight: i64,
    /// Segments that were sent again.
    pub(crate) resent: u64,
    /// Exchanges that their clients began after a pause.
    isolated: u64,
    /// The operating systems of the two ends.
    pub(crate) systems: EndSystems,
    /// The server of the connection with the most waiting time, and that time.
    busiest: Option<(i64, std::cmp::Reverse<u64>, String)>,
}

impl ConnectionFacts {
    /// Adds a connection that has ended.
    pub(crate) fn add(&mut self, connection: &Connection) {
        if let Some(rtt_ns) = connection.rtt_ns() {
            let weight = 1 + connection.exchanges.min(1 << 20) as i64;
            self.rtt_sum_ns += i128::from(rtt_ns) * i128::from(weight);
            self.rtt_weight += weight;
        }
        let resent = SegmentMarks::RESENT;
        self.resent += connection.client.marks.of(resent) + connection.server.marks.of(resent);
        self.isolated += connection.isolated_exchanges;
        self.systems.add(connection);
        let server = &connection.server;
        let rank = (
            connection.slices.total_ns(),
            std::cmp::Reverse(connection.id),
        );
        if self
            .busiest
            .as_ref()
            .is_none_or(|(ns, id, _)| rank > (*ns, *id))
        {
            let name = station::end_name(server.address, server.port);
            self.busiest = Some((rank.0, rank.1, name));
        }
    }

    /// Adds the facts of another share.
    pub(crate) fn merge(&mut self, other: ConnectionFacts) {
        self.rtt_sum_ns += other.rtt_sum_ns;
        self.rtt_weight += other.rtt_weight;
        self.resent += other.resent;
        self.isolated += other.isolated;
        self.systems.merge(&other.systems);
        self.busiest = self.busiest.take().max(other.busiest);
    }

    /// The usual round trip; 0 if none could be measured.
    pub(crate) fn rtt_ns(&self) -> i64 {
        (self.rtt_sum_ns / i128::from(self.rtt_weight.max(1))) as i64
    }
}

/// Facts about the whole capture.
pub(crate) struct Context<'a> {
    pub(crate) rtt_ns: i64,
    pub(crate) resent: u64,
    pub(crate) connections: u64,
    pub(crate) exchanges: u64,
    /// Exchanges that their clients began after a pause.
    pub(crate) isolated: u64,
    pub(crate) round_trips: u64,
    pub(crate) packets: u64,
    pub(crate) names: &'a [String],
    pub(crate) server: String,
    pub(crate) advice: Vec<AdvicePlatform>,
    /// Times were made up, or the capture lacks one direction.
    pub(crate) doubtful: bool,
}

impl Context<'_> {
    /// Builds the context from all shares.
    pub(crate) fn new<'a>(
        facts: &ConnectionFacts,
        totals: &crate::CaptureTotals,
        names: &'a [String],
        options: &AnalysisOptions,
        sums: &ReasonSums,
    ) -> Context<'a> {
        let trips = [Reason::HandshakeRoundTrip, Reason::TurnRoundTrip];
        let trips = trips.iter().flat_map(|reason| &sums[*reason as usize]);
        Context {
            rtt_ns: facts.rtt_ns(),
            resent: facts.resent,
            connections: totals.connections,
            exchanges: totals.exchanges,
            isolated: facts.isolated.min(totals.exchanges),
            round_trips: trips.map(|sum| sum.waits).sum(),
            packets: totals.segments,
            names,
            server: facts
                .busiest
                .as_ref()
                .map_or(String::new(), |(.., name)| name.clone()),
            advice: if options.advice.is_empty() {
                facts.systems.platforms(options.from_zos)
            } else {
                options.advice.clone()
            },
            doubtful: totals.made_times > 0,
        }
    }

    /// The name that was waited for longest, for a sentence.
    pub(crate) fn lookup_name(&self) -> String {
        self.names
            .first()
            .map_or(String::new(), |name| format!(" of {name}"))
    }
}

/// A slice with its facts.
pub(crate) struct SliceFacts<'a> {
    /// The reason with the most time.
    pub(crate) reason: Reason,
    /// The owner of most of its time.
    pub(crate) owner: DelayOwner,
    pub(crate) lost_ns: i64,
    pub(crate) total_ns: i64,
    /// Reasons with their time and waits, the largest first.
    pub(crate) reasons: &'a [(Reason, i64, u64)],
    /// Intervals of the largest reason, the longest first.
    pub(crate) examples: Vec<&'a LedgerInterval>,
    /// The longest interval of the kind.
    pub(crate) longest_ns: i64,
    pub(crate) context: &'a Context<'a>,
}

impl SliceFacts<'_> {
    /// Waits of one reason.
    pub(crate) fn count(&self, reason: Reason) -> u64 {
        let found = self.reasons.iter().find(|(one, ..)| *one == reason);
        found.map_or(0, |(.., waits)| *waits)
    }

    /// Waits of all reasons.
    pub(crate) fn waits(&self) -> u64 {
        self.reasons.iter().map(|(.., waits)| waits).sum()
    }

    /// The numbers of the longest interval.
    pub(crate) fn numbers(&self) -> [u32; 2] {
        self.examples.first().map_or([0; 2], |one| one.numbers)
    }

    /// Packets of the longest intervals: ` (packets 3–9, 12–20)`.
    pub(crate) fn at_packets(&self) -> String {
        let ranges: Vec<String> = (self.examples.iter())
            .filter(|one| one.before > 0 || one.after > 0)
            .map(|one| match (one.before, one.after) {
                (0, after) => format!("{after}"),
                (before, 0) => format!("{before} to the end"),
                (before, after) => format!("{before}–{after}"),
            })
            .collect();
        if ranges.is_empty() {
            String::new()
        } else {
            format!(" (packets {})", ranges.join(", "))
        }
    }

    /// Reasons with their time, for the sentence on the observation.
    pub(crate) fn reason_list(&self) -> String {
        let listed: Vec<String> = (self.reasons.iter().take(3))
            .map(|(reason, ns, waits)| {
                format!("{} {waits} ×, {} ms", reason.name(), super::ms(*ns))
            })
            .collect();
        listed.join("; ")
    }

    /// The server that most of the time was spent with.
    pub(crate) fn server(&self) -> &str {
        if self.context.server.is_empty() {
            "The server"
        } else {
            &self.context.server
        }
    }

    /// Advice for the systems that were seen or asked for.
    pub(crate) fn advice(&self, linux: &str, zos: &str) -> String {
        let zos_wanted = self.context.advice.contains(&AdvicePlatform::Zos);
        let other_wanted = self
            .context
            .advice
            .iter()
            .any(|one| *one != AdvicePlatform::Zos);
        match (other_wanted || !zos_wanted, zos_wanted) {
            (true, false) => linux.to_owned(),
            (true, true) => format!("{linux}; on z/OS: {zos}"),
            _ => zos.to_owned(),
        }
    }
}
