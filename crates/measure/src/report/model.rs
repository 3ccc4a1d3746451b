//! The model. Field names are the JSON names. New ones may be added; existing ones
//! never change.

use super::cost::ServerCpu;
use crate::Histogram;
use crate::knee::{BrokenStick, KneeVerdict, ScalabilityLaw};
use crate::proc::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LoadReport {
    /// The title of the run.
    pub title: String,
    /// Start of the load, RFC 3339.
    pub started: String,
    /// The load as text: clients, rates, think time.
    pub load: String,
    /// The id of the run; of a merged report those of all runs.
    #[serde(default)]
    pub runs: Vec<String>,
    /// Warnings about the figures, shown first.
    pub warnings: Vec<String>,
    /// Length of the warm-up in seconds.
    pub warmup_s: f64,
    /// Length of the measured part in seconds.
    pub measured_s: f64,
    /// Answers/s in the measured part.
    pub throughput: f64,
    /// Each population; if there are several, the last entry is their sum.
    pub populations: Vec<PopulationReport>,
    /// Figures over time.
    pub timeline: Vec<ReportInterval>,
    /// Resources of the driver itself.
    pub driver: DriverUsage,
    /// Resources of each observed server.
    pub servers: Vec<Server>,
    /// Server CPU per answer, every process counted once.
    #[serde(default)]
    pub server_cpu: Option<ServerCpu>,
    /// Messages of failures and how often each occurred.
    pub messages: BTreeMap<String, u64>,
    /// Figures against load, of a search for the knee.
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
    /// Requests neither answered nor failed at the end of the run.
    pub outstanding: u64,
    /// Failures by kind.
    pub failures: BTreeMap<String, u64>,
    /// Answers that failed a check.
    pub checks_failed: u64,
    /// Answers by class of status (`2xx`).
    pub status: BTreeMap<String, u64>,
    /// Iterations that waited because the bound on outstanding requests was
    /// reached.
    pub held: u64,
    /// Iterations that were due but not started.
    pub unsent: u64,
    /// Answers/s.
    pub throughput: f64,
    /// Bytes received per second.
    pub bytes_in_s: f64,
    /// Bytes sent per second.
    pub bytes_out_s: f64,
    /// Coefficient of variation of the gaps between sends (open loop).
    pub gap_variation: Option<f64>,
    /// Delay against the driver's own schedule.
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
    /// By step, if there are several.
    pub steps: Vec<StepReport>,
    /// The load in numbers. `None` for several populations together.
    #[serde(default)]
    pub presented: Option<PresentedLoad>,
}

/// The load of a population.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresentedLoad {
    /// `clients`, or `iterations/s`.
    pub unit: String,
    /// Its level over time; the end level of the last piece stays.
    pub pieces: Vec<PresentedPiece>,
    /// The mean pause of a client, ms.
    pub think_mean_ms: f64,
}

/// A linear piece of a profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PresentedPiece {
    /// The level where it begins.
    pub from: f64,
    /// The level where it ends.
    pub to: f64,
    /// How long it lasts, s; 0 for a level without end.
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
    /// Number of values.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The smallest.
    pub min: f64,
    /// Median (p50).
    pub p50: f64,
    /// p90.
    pub p90: f64,
    /// p95.
    pub p95: f64,
    /// p99.
    pub p99: f64,
    /// p99.9.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// (quantile, ms) for the percentile curve.
    pub curve: Vec<(f64, f64)>,
    /// The distribution in buckets.
    #[serde(default)]
    pub shape: DurationBuckets,
}

/// Counts of durations in buckets on a logarithmic scale, 20 per decade. Entry (k,
/// count) is the number of durations from 10^(k/20) ns to 10^((k+1)/20) ns.
pub type DurationBuckets = Vec<(i32, u64)>;

/// One interval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReportInterval {
    /// Seconds from the start of the load to the interval's end.
    pub at_s: f64,
    /// Whether the interval is in the warm-up.
    pub warmup: bool,
    /// Requests begun per second.
    pub sent_s: f64,
    /// Answers/s.
    pub answered_s: f64,
    /// Failures and failed checks per second.
    pub errors_s: f64,
    /// Outstanding at the interval's end.
    pub outstanding: u64,
    /// p50 of the response time.
    pub p50: f64,
    /// p99 of the response time.
    pub p99: f64,
    /// The longest response time.
    pub max: f64,
    /// p99 of the lateness.
    pub late_p99: f64,
    /// CPU of the observed servers in the interval, % of one processor.
    pub server_cpu_percent: Option<f64>,
    /// CPU of the observed servers per answer, µs.
    pub server_cpu_us: Option<f64>,
    /// The distribution of response times.
    #[serde(default)]
    pub shape: DurationBuckets,
}

/// Resources of the driver.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DriverUsage {
    /// Number of driver threads.
    pub threads: usize,
    /// CPU of those threads in the measured part, seconds.
    pub cpu_s: f64,
    /// The same per answer, µs.
    pub cpu_us: f64,
    /// CPU of the busiest thread, % of one processor.
    pub busiest_percent: f64,
    /// Spinning before arrivals, % of one processor.
    pub spin_percent: f64,
}

/// Resources of one server in the measured part.
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
    /// By thread group, or by engine class.
    pub threads: Vec<ThreadShare>,
    /// The server's own counters per answer, by name and unit.
    #[serde(default)]
    pub counters: Vec<(String, f64)>,
}

/// A thread group of a server.
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
    /// The unit of the load: `requests/s` or `clients`.
    pub unit: String,
    /// The points, by load.
    pub points: Vec<CurvePoint>,
    /// Whether a knee was found.
    pub verdict: KneeVerdict,
    /// The bend in throughput.
    pub stick: Option<BrokenStick>,
    /// The Universal Scalability Law.
    pub scalability: Option<ScalabilityLaw>,
    /// The objectives as text.
    pub objectives: String,
    /// The highest load tried that met the objectives.
    pub highest_good: Option<f64>,
    /// The lowest load tried that did not.
    pub lowest_bad: Option<f64>,
    /// Whether throughput fell by more than a tenth beyond its peak.
    pub collapse: bool,
    /// Whether the search was interrupted.
    #[serde(default)]
    pub interrupted: bool,
    /// The load from which the system did not recover, which ended the search.
    #[serde(default)]
    pub unrecovered: Option<UnrecoveredLoad>,
}

impl LoadCurve {
    /// Loads that met the objectives although a lower load missed them.
    pub fn met_again(&self) -> impl Iterator<Item = f64> {
        let limit = self.lowest_bad.unwrap_or(f64::INFINITY);
        let above = self.points.iter().filter(move |p| p.good && p.load > limit);
        above.map(|p| p.load)
    }

    /// The loads that met the objectives if the lowest load missed them.
    /// Returns `None` if no load met them.
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

/// A load from which a system did not recover.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnrecoveredLoad {
    /// The load.
    pub load: f64,
    /// How long the search waited, s.
    pub waited_s: f64,
}

/// One load level (the mean of its repetitions).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The load presented.
    pub load: f64,
    /// Answers/s.
    pub throughput: f64,
    /// Half the width of its 95 % interval.
    pub throughput_half: f64,
    /// Mean response time in ms. Like p50 and p99 it is 0 if no request of the
    /// measured part was answered.
    pub mean: f64,
    /// p50 of the response time.
    pub p50: f64,
    /// p99 of the response time.
    pub p99: f64,
    /// Failed requests and failed checks, as a fraction of all.
    pub errors: f64,
    /// CPU of the observed servers per answer, µs.
    pub server_cpu_us: Option<f64>,
    /// Whether the objectives were met.
    pub good: bool,
}

impl CurvePoint {
    /// A response time for display. Returns `None` if no request was answered.
    /// Answers to requests of the warm-up count for the throughput only.
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
        // Tenths of the rest, until one count remains.
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
    /// The server figures for `usage` over `seconds` with `answers` answers.
    pub fn of(subject: String, usage: &Usage, seconds: f64, answers: f64) -> Server {
        let each = |ns: u64| {
            if answers > 0.0 {
                ns as f64 / 1e3 / answers
            } else {
                0.0
            }
        };
        let mut threads: Vec<ThreadShare> = usage
            .threads
            .iter()
            .map(|(name, ns)| ThreadShare {
                name: name.clone(),
                cpu_us: each(*ns),
                // The parts of a server that used no CPU have no
                // percentages.
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
    /// Scales the per-answer figures of one machine to the answers of all
    /// machines; `share` is this machine's fraction.
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

/// A shorter time without answers is not reported.
const SHORTEST_SILENCE_S: f64 = 0.95;
/// Nor is a time that is a smaller fraction of the run.
const SILENT_PART: f64 = 0.1;

impl LoadReport {
    /// All populations together.
    pub fn sum(&self) -> Option<&PopulationReport> {
        self.populations.last()
    }

    /// Seconds before the end without any answer, if the run had answers before
    /// and its requests then failed.
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
            // Reports of earlier versions have no such figure. If they
            // have several servers, they may overlap.
            (None, [one]) => Some(one.cpu_us),
            _ => None,
        }
    }

    /// The same figure as % of one processor.
    pub fn server_cpu_percent(&self) -> Option<f64> {
        match (&self.server_cpu, &self.servers[..]) {
            (Some(cpu), _) => Some(cpu.percent),
            (None, [one]) => Some(one.cpu_percent),
            _ => None,
        }
    }
}
