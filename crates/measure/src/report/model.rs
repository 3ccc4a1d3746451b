//! The model. Field names are the JSON names; they are added to, never changed.

use super::cost::ServerCpu;
use crate::Histogram;
use crate::knee::{BrokenStick, KneeVerdict, ScalabilityLaw};
use crate::proc::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LoadReport {
    /// What was driven.
    pub title: String,
    /// When load began, RFC 3339.
    pub started: String,
    /// The load in words: clients, rates, think time.
    pub load: String,
    /// What tells the run from every other; those of all runs in a merged report.
    #[serde(default)]
    pub runs: Vec<String>,
    /// What a reader must know before believing a figure; shown on top.
    pub warnings: Vec<String>,
    /// Length of the warm-up in seconds.
    pub warmup_s: f64,
    /// Length of the measured part in seconds.
    pub measured_s: f64,
    /// Answers a second in the measured part.
    pub throughput: f64,
    /// Each population; the last one is the sum when there are several.
    pub populations: Vec<PopulationReport>,
    /// Figures over time.
    pub timeline: Vec<ReportInterval>,
    /// What the driver itself used.
    pub driver: DriverUsage,
    /// What each observed server used.
    pub servers: Vec<Server>,
    /// What an answer cost them, every process counted once.
    #[serde(default)]
    pub server_cpu: Option<ServerCpu>,
    /// Messages of failures and how often each occurred.
    pub messages: BTreeMap<String, u64>,
    /// Figures against load, for a search for the knee.
    pub curve: Option<LoadCurve>,
}

/// One population.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PopulationReport {
    /// Its name.
    pub name: String,
    /// Requests begun in the measured part.
    pub sent: u64,
    /// Requests answered.
    pub answered: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Requests neither answered nor failed when the run ended.
    pub outstanding: u64,
    /// Failures by kind.
    pub failures: BTreeMap<String, u64>,
    /// Answers that failed a check.
    pub checks_failed: u64,
    /// Answers by class of status (`2xx`).
    pub status: BTreeMap<String, u64>,
    /// Iterations that had to wait because the bound on outstanding requests
    /// was reached.
    pub held: u64,
    /// Iterations due but never begun.
    pub unsent: u64,
    /// Answers a second.
    pub throughput: f64,
    /// Bytes received a second.
    pub bytes_in_s: f64,
    /// Bytes sent a second.
    pub bytes_out_s: f64,
    /// Coefficient of variation of the gaps between sends (open loop).
    pub gap_variation: Option<f64>,
    /// How far behind its own schedule the driver was.
    pub lateness: LatencyReport,
    /// First byte out to last byte in.
    pub wire: LatencyReport,
    /// Intended start to last byte in.
    pub response: LatencyReport,
    /// Time to open a connection.
    pub connect: LatencyReport,
    /// Where the time on the wire ends: `the kernel's time stamp` or `user
    /// space`, and why.
    #[serde(default)]
    pub wire_end: String,
    /// By step, when there are several.
    pub steps: Vec<StepReport>,
    /// The load in numbers; none of several populations together.
    #[serde(default)]
    pub presented: Option<PresentedLoad>,
}

/// The load of a population.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresentedLoad {
    /// `clients`, or `iterations/s`.
    pub unit: String,
    /// Its level over time; the last one holds.
    pub pieces: Vec<PresentedPiece>,
    /// The mean pause of a client, ms.
    pub think_mean_ms: f64,
}

/// A level that rises, falls or holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresentedPiece {
    /// The level where it begins.
    pub from: f64,
    /// The level where it ends.
    pub to: f64,
    /// How long it lasts, s; 0 of a level that never changes.
    pub seconds: f64,
}

/// One step of a population.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// Requests that failed or whose answer failed a check.
    pub errors: u64,
    /// Intended start to last byte in.
    pub response: LatencyReport,
}

/// A distribution of durations, in milliseconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LatencyReport {
    /// How many.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The smallest.
    pub min: f64,
    /// Half are not longer.
    pub p50: f64,
    /// 90 % are not longer.
    pub p90: f64,
    /// 95 % are not longer.
    pub p95: f64,
    /// 99 % are not longer.
    pub p99: f64,
    /// 99.9 % are not longer.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// (quantile, ms) for the percentile curve.
    pub curve: Vec<(f64, f64)>,
    /// How they are spread.
    #[serde(default)]
    pub shape: DurationBuckets,
}

/// Counts of durations in buckets on a logarithmic scale, 20 a decade: (k, count)
/// of those from 10^(k/20) ns to 10^((k+1)/20) ns.
pub type DurationBuckets = Vec<(i32, u64)>;

/// One interval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReportInterval {
    /// Seconds after load began, at the interval's end.
    pub at_s: f64,
    /// Whether the interval lies in the warm-up.
    pub warmup: bool,
    /// Requests begun a second.
    pub sent_s: f64,
    /// Answers a second.
    pub answered_s: f64,
    /// Failures and failed checks a second.
    pub errors_s: f64,
    /// Outstanding at the interval's end.
    pub outstanding: u64,
    /// Response time, half are not longer.
    pub p50: f64,
    /// Response time, 99 % are not longer.
    pub p99: f64,
    /// The longest response time.
    pub max: f64,
    /// Lateness, 99 % are not later.
    pub late_p99: f64,
    /// CPU of the observed servers in the interval, % of one processor.
    pub server_cpu_percent: Option<f64>,
    /// CPU of the observed servers per answer, µs.
    pub server_cpu_us: Option<f64>,
    /// How the response times are spread.
    #[serde(default)]
    pub shape: DurationBuckets,
}

/// What the driver used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DriverUsage {
    /// Threads that presented load.
    pub threads: usize,
    /// CPU of those threads in the measured part, seconds.
    pub cpu_s: f64,
    /// The same per answer, µs.
    pub cpu_us: f64,
    /// The busiest thread's share of one processor, %.
    pub busiest_percent: f64,
    /// Spinning before arrivals, % of one processor.
    pub spin_percent: f64,
}

/// What one server used in the measured part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Server {
    /// The process, name, group or endpoint.
    pub subject: String,
    /// CPU, seconds.
    pub cpu_s: f64,
    /// The part in user mode, seconds.
    pub user_s: f64,
    /// The part in the kernel, seconds.
    pub system_s: f64,
    /// CPU, % of one processor.
    pub cpu_percent: f64,
    /// CPU per answer, µs.
    pub cpu_us: f64,
    /// Context switches per answer.
    pub switches: f64,
    /// Resident memory at the end, bytes.
    pub resident_bytes: u64,
    /// Bytes received by the network namespace.
    pub network_in: u64,
    /// Bytes sent by the network namespace.
    pub network_out: u64,
    /// By group of threads, or by kind of engine.
    pub threads: Vec<ThreadShare>,
    /// What the server itself counted, by name and unit: per answer.
    #[serde(default)]
    pub counters: Vec<(String, f64)>,
}

/// A group of threads within a server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ThreadShare {
    /// The threads' name.
    pub name: String,
    /// CPU per answer, µs.
    pub cpu_us: f64,
    /// Share of the server's CPU, %.
    pub percent: f64,
}

/// Figures against load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadCurve {
    /// What the load is: `requests/s` or `clients`.
    pub unit: String,
    /// The points, by load.
    pub points: Vec<CurvePoint>,
    /// Whether a knee was found.
    pub verdict: KneeVerdict,
    /// The bend in throughput.
    pub stick: Option<BrokenStick>,
    /// The Universal Scalability Law.
    pub scalability: Option<ScalabilityLaw>,
    /// The objectives in words.
    pub objectives: String,
    /// The highest load tried that met the objectives.
    pub highest_good: Option<f64>,
    /// The lowest load tried that did not.
    pub lowest_bad: Option<f64>,
    /// Throughput fell by more than a tenth past its peak.
    pub collapse: bool,
    /// The search was interrupted.
    #[serde(default)]
    pub interrupted: bool,
    /// The system did not recover from a load, which ended the search.
    #[serde(default)]
    pub unrecovered: Option<UnrecoveredLoad>,
}

impl LoadCurve {
    /// Loads above the lowest that missed the objectives which met them.
    pub fn met_again(&self) -> impl Iterator<Item = f64> {
        let limit = self.lowest_bad.unwrap_or(f64::INFINITY);
        let above = self.points.iter().filter(move |p| p.good && p.load > limit);
        above.map(|p| p.load)
    }

    /// The loads that met the objectives where the lowest one missed them; `None`
    /// if no load met them.
    pub fn met_after_the_lowest(&self) -> Option<String> {
        let met: Vec<String> = self.met_again().map(|load| format!("{load:.0}")).collect();
        let lowest = self.lowest_bad.filter(|_| !met.is_empty())?;
        Some(format!(
            "the lowest load, {lowest:.0} {}, missed {}, and {} met it",
            self.unit,
            self.objectives,
            met.join(", ")
        ))
    }
}

/// A load that a system did not recover from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnrecoveredLoad {
    /// The load.
    pub load: f64,
    /// How long was waited, s.
    pub waited_s: f64,
}

/// One load level (the mean of its repetitions).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The load presented.
    pub load: f64,
    /// Answers a second.
    pub throughput: f64,
    /// Half the width of its 95 % interval.
    pub throughput_half: f64,
    /// Mean response time in ms; 0, as the two that follow, when no request of
    /// the measured part was answered.
    pub mean: f64,
    /// Response time, half are not longer.
    pub p50: f64,
    /// Response time, 99 % are not longer.
    pub p99: f64,
    /// Failed requests and failed checks, share of all.
    pub errors: f64,
    /// CPU of the observed servers per answer, µs.
    pub server_cpu_us: Option<f64>,
    /// Whether the objectives were met.
    pub good: bool,
}

impl CurvePoint {
    /// A response time as it is shown: none when nothing was answered. Answers
    /// of the warm-up's requests count for the throughput alone.
    pub fn time(&self, ms: f64) -> Option<f64> {
        (self.p99 > 0.0).then_some(ms)
    }
}

impl LatencyReport {
    /// The report of a histogram of nanoseconds.
    pub fn of(histogram: &Histogram) -> LatencyReport {
        let ms = |q: f64| histogram.quantile(q) as f64 / 1e6;
        let count = histogram.count();
        let mut curve = Vec::new();
        // Tenths of the rest, again and again, until one count decides.
        let mut rest = 1.0;
        while count > 0 && rest * count as f64 >= 0.5 {
            for tenth in 0..9 {
                let quantile = 1.0 - rest * (1.0 - f64::from(tenth) / 10.0);
                curve.push((quantile, ms(quantile)));
            }
            rest /= 10.0;
        }
        LatencyReport {
            count,
            mean: histogram.mean() / 1e6,
            deviation: histogram.deviation() / 1e6,
            min: histogram.min() as f64 / 1e6,
            p50: ms(0.5),
            p90: ms(0.9),
            p95: ms(0.95),
            p99: ms(0.99),
            p999: ms(0.999),
            max: histogram.max() as f64 / 1e6,
            curve,
            shape: histogram.shape(),
        }
    }
}

impl Server {
    /// What `usage` over `seconds` means for `answers` answers.
    pub fn of(subject: String, usage: &Usage, seconds: f64, answers: f64) -> Server {
        let each = |ns: u64| match answers > 0.0 {
            true => ns as f64 / 1e3 / answers,
            false => 0.0,
        };
        let mut threads: Vec<ThreadShare> = usage
            .threads
            .iter()
            .map(|(name, ns)| ThreadShare {
                name: name.clone(),
                cpu_us: each(*ns),
                // A server that used nothing has no shares of it.
                percent: match usage.cpu_ns {
                    0 => 0.0,
                    all => *ns as f64 / all as f64 * 100.0,
                },
            })
            .collect();
        threads.sort_by(|a, b| b.cpu_us.total_cmp(&a.cpu_us));
        let switches = usage.voluntary_switches + usage.involuntary_switches;
        Server {
            subject,
            cpu_s: usage.cpu_ns as f64 / 1e9,
            user_s: usage.user_ns as f64 / 1e9,
            system_s: usage.system_ns as f64 / 1e9,
            cpu_percent: usage.cpu_ns as f64 / 1e7 / seconds.max(1e-9),
            cpu_us: each(usage.cpu_ns),
            switches: switches as f64 / answers.max(1.0),
            resident_bytes: usage.resident_bytes,
            network_in: usage.network_in,
            network_out: usage.network_out,
            threads,
            counters: usage
                .counters
                .iter()
                .map(|(name, sum)| (name.clone(), sum / answers.max(1.0)))
                .collect(),
        }
    }
}

impl Server {
    /// Makes the figures an answer those of more answers than one machine
    /// saw: its own are this share of all.
    pub fn spread(&mut self, share: f64) {
        self.cpu_us *= share;
        self.switches *= share;
        for thread in &mut self.threads {
            thread.cpu_us *= share;
        }
        for (_, each) in &mut self.counters {
            *each *= share;
        }
    }
}

/// A shorter pause of answers is no end of them.
const SHORTEST_SILENCE_S: f64 = 0.95;
/// Nor is one of a smaller part of the run.
const SILENT_PART: f64 = 0.1;

impl LoadReport {
    /// All populations together.
    pub fn sum(&self) -> Option<&PopulationReport> {
        self.populations.last()
    }

    /// For how many seconds before its end a run had no answer any more, where it
    /// had some before and what it sent failed.
    pub fn silent_s(&self) -> Option<f64> {
        let measured: Vec<&ReportInterval> = self.timeline.iter().filter(|m| !m.warmup).collect();
        let last = measured.iter().rposition(|m| m.answered_s > 0.0)?;
        let after = &measured[last + 1..];
        let silent = after.last()?.at_s - measured[last].at_s;
        let failing = after.iter().any(|m| m.errors_s > 0.0);
        let long = silent >= SHORTEST_SILENCE_S.max(self.measured_s * SILENT_PART);
        (failing && long).then_some(silent)
    }

    /// CPU of the observed servers per answer, µs; see [`ServerCpu`].
    pub fn server_cpu_us(&self) -> Option<f64> {
        match (&self.server_cpu, &self.servers[..]) {
            (Some(cpu), _) => Some(cpu.us),
            // Reports from before the figure was kept; of several servers
            // nobody can tell any more whether they were different ones.
            (None, [one]) => Some(one.cpu_us),
            _ => None,
        }
    }

    /// The same as % of one processor.
    pub fn server_cpu_percent(&self) -> Option<f64> {
        match (&self.server_cpu, &self.servers[..]) {
            (Some(cpu), _) => Some(cpu.percent),
            (None, [one]) => Some(one.cpu_percent),
            _ => None,
        }
    }
}
