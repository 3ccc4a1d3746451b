//! CPU and memory of servers during a run: samples of processes, control groups and
//! remote endpoints. A separate thread takes them once an interval and at both ends
//! of the measured part.

use crate::clock;
use crate::scrape::MetricsEndpoint;
use measure::proc::{CountedSubject, ProcessCensus, Usage};
use measure::report::{CpuPart, CpuView, ServerCpu};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A server whose resources are sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedServer {
    /// Processes of this machine.
    Local(CountedSubject),
    /// A Prometheus endpoint.
    Remote(MetricsEndpoint),
}

/// One sample of all observed servers.
#[derive(Clone, Debug)]
pub struct UsageSample {
    /// Time of the sample, monotonic ns.
    pub at: u64,
    /// One usage for each server. `None` if it could not be read.
    pub usages: Vec<Option<Usage>>,
    /// The CPU counters: one for the processes of this machine together, one
    /// for each endpoint.
    meters: Vec<CpuMeter>,
}

/// One counter of CPU.
#[derive(Clone, Debug)]
struct CpuMeter {
    /// The observed subject; its figures are filled in later.
    part: CpuPart,
    /// CPU so far, ns. `None` if it could not be read.
    cpu_ns: Option<u64>,
}

impl UsageSample {
    /// CPU between an earlier sample and this one, divided by `answers`. All
    /// conversions from several observations to one figure happen here. Returns
    /// `None` if a part of the figure could not be read.
    pub fn cost_since(&self, earlier: &UsageSample, answers: f64) -> Option<ServerCpu> {
        let seconds = self.at.saturating_sub(earlier.at) as f64 / 1e9;
        if seconds <= 0.0 {
            return None;
        }
        let mut missing = Vec::new();
        let meters = self.meters.iter().zip(&earlier.meters);
        let parts: Vec<CpuPart> = meters
            .filter_map(|(now, before)| {
                let (Some(to), Some(from)) = (now.cpu_ns, before.cpu_ns) else {
                    missing.push(now.part.view);
                    return None;
                };
                let used = to.saturating_sub(from) as f64;
                Some(CpuPart {
                    us: if answers > 0.0 {
                        used / 1e3 / answers
                    } else {
                        0.0
                    },
                    percent: used / 1e7 / seconds,
                    ..now.part.clone()
                })
            })
            .collect();
        let cost = ServerCpu::of(parts)?;
        missing.iter().all(|v| *v > cost.view).then_some(cost)
    }
}

/// Samples a fixed set of servers repeatedly.
pub struct ObservationPanel {
    observed: Vec<ObservedServer>,
    census: ProcessCensus,
    /// The names of local subjects, each once.
    subjects: Vec<String>,
    machine: String,
    /// The last view and identity that each endpoint reported.
    known: Vec<Option<(CpuView, String)>>,
}

impl ObservationPanel {
    /// Creates the panel; no sample is taken yet.
    pub fn new(observed: Vec<ObservedServer>) -> ObservationPanel {
        let local = observed.iter().filter_map(|o| match o {
            ObservedServer::Local(subject) => Some(subject.clone()),
            ObservedServer::Remote(_) => None,
        });
        let local: Vec<CountedSubject> = local.collect();
        let mut subjects: Vec<String> = Vec::new();
        for name in local.iter().map(ToString::to_string) {
            if !subjects.contains(&name) {
                subjects.push(name);
            }
        }
        ObservationPanel {
            census: ProcessCensus::new(local),
            subjects,
            machine: measure::proc::machine(),
            known: vec![None; observed.len()],
            observed,
        }
    }

    /// The number of processes of each name or id as text. Returns `None` if
    /// nothing on this machine is observed.
    pub fn counted(&mut self) -> Option<String> {
        if self.subjects.is_empty() {
            return None;
        }
        self.census.take();
        let processes = match self.census.pids().len() {
            1 => "1 process".to_owned(),
            n => format!("{n} processes"),
        };
        Some(format!(
            "server CPU is that of {}: {processes}",
            self.subjects.join(", ")
        ))
    }

    /// Takes a sample.
    pub fn sample(&mut self) -> UsageSample {
        let counted = self.census.take();
        let mut meters = Vec::new();
        if !self.subjects.is_empty() {
            meters.push(CpuMeter {
                part: CpuPart {
                    view: CpuView::Processes,
                    subjects: self.subjects.clone(),
                    identity: self.machine.clone(),
                    processes: self.census.pids().iter().copied().collect(),
                    shared: self.census.shared(),
                    ..CpuPart::default()
                },
                cpu_ns: counted.together_ns,
            });
        }
        let mut local = counted.usages.into_iter();
        let mut usages = Vec::new();
        for (observed, known) in self.observed.iter().zip(&mut self.known) {
            let ObservedServer::Remote(endpoint) = observed else {
                usages.push(local.next().and_then(Result::ok));
                continue;
            };
            let endpoint_reading = endpoint.reading().ok();
            // The address is resolved once, because resolving may be
            // slow.
            if let (None, Some(endpoint_reading)) = (&known, &endpoint_reading) {
                *known = Some((
                    endpoint_reading.view,
                    endpoint.identity(Some(endpoint_reading)),
                ));
            }
            let (view, identity) = known
                .clone()
                .unwrap_or_else(|| (CpuView::Endpoints, endpoint.to_string()));
            meters.push(CpuMeter {
                part: CpuPart {
                    view,
                    subjects: vec![endpoint.to_string()],
                    identity,
                    ..CpuPart::default()
                },
                cpu_ns: endpoint_reading.as_ref().map(|t| t.usage.cpu_ns),
            });
            usages.push(endpoint_reading.map(|t| t.usage));
        }
        UsageSample {
            at: clock::now(),
            usages,
            meters,
        }
    }
}

/// Samples in its own thread.
pub struct SamplerThread {
    thread: JoinHandle<Vec<UsageSample>>,
    stop: Arc<AtomicBool>,
    latest: LatestSamples,
}

/// The last two samples, for the live view.
type LatestSamples = Arc<Mutex<[Option<UsageSample>; 2]>>;

impl ObservedServer {
    /// Its name in reports.
    pub fn name(&self) -> String {
        match self {
            ObservedServer::Local(subject) => subject.to_string(),
            ObservedServer::Remote(endpoint) => endpoint.to_string(),
        }
    }

    /// Resources used so far, or why they cannot be read.
    pub fn usage(&self) -> Result<Usage, String> {
        match self {
            ObservedServer::Local(subject) => subject.usage().map_err(|e| e.to_string()),
            ObservedServer::Remote(endpoint) => endpoint.usage().map_err(|e| e.to_string()),
        }
    }
}

impl SamplerThread {
    /// Samples at `times` (monotonic ns, ascending), then every `interval_ns`;
    /// `first` was taken before the load began.
    pub fn start(
        mut panel: ObservationPanel,
        first: UsageSample,
        mut times: Vec<u64>,
        interval_ns: u64,
    ) -> SamplerThread {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let latest = LatestSamples::default();
        let shown = latest.clone();
        times.sort_unstable();
        let thread = thread::spawn(move || {
            let mut samples = vec![first];
            let mut times = times.into_iter();
            let mut last = clock::now();
            loop {
                let next = times.next().unwrap_or(last + interval_ns);
                last = next;
                while !stopped.load(Ordering::Acquire) && clock::now() < next {
                    thread::park_timeout(Duration::from_nanos(next - clock::now().min(next)));
                }
                let done = stopped.load(Ordering::Acquire);
                let sample = panel.sample();
                {
                    let mut pair = shown
                        .lock()
                        .expect("no thread panics while it holds the lock");
                    pair.swap(0, 1);
                    pair[1] = Some(sample.clone());
                }
                samples.push(sample);
                if done {
                    return samples;
                }
            }
        });
        SamplerThread {
            thread,
            stop,
            latest,
        }
    }

    /// CPU of the servers between the last two samples, at this many answers/s.
    pub fn latest_cost(&self, answers_s: f64) -> Option<ServerCpu> {
        let pair = self
            .latest
            .lock()
            .expect("no thread panics while it holds the lock");
        let [Some(a), Some(b)] = &*pair else {
            return None;
        };
        let seconds = b.at.saturating_sub(a.at) as f64 / 1e9;
        b.cost_since(a, answers_s * seconds)
    }

    /// Takes a last sample and returns all.
    pub fn finish(self) -> Vec<UsageSample> {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

/// The first and the last sample of a part of the run, of those that are `usable`.
/// The first sample after the part counts as its last one, however late it is: no
/// load was presented any more. Returns `None` if there are fewer than two.
pub fn ends_within(
    samples: &[UsageSample],
    window: (u64, u64),
    usable: impl Fn(&UsageSample) -> bool,
) -> Option<(&UsageSample, &UsageSample)> {
    let mut over = false;
    let inside = samples.iter().filter(|s| s.at >= window.0);
    let inside = inside.take_while(|s| !std::mem::replace(&mut over, s.at > window.1));
    let mut usable = inside.filter(|s| usable(s)).collect::<Vec<_>>().into_iter();
    Some((usable.next()?, usable.next_back()?))
}

/// Resources that subject `index` used within a part of the run, and the samples
/// that the figure comes from.
pub fn used_within(
    samples: &[UsageSample],
    index: usize,
    window: (u64, u64),
) -> Option<(Usage, [u64; 2])> {
    let usage = |s: &UsageSample| s.usages.get(index).cloned().flatten();
    let (first, last) = ends_within(samples, window, |s| usage(s).is_some())?;
    Some((usage(last)?.since(&usage(first)?), [first.at, last.at]))
}

/// The time of the last reading of subject `index`, if it could not be read any
/// more at the end of that part of the run.
pub fn lost_at(samples: &[UsageSample], index: usize, window: (u64, u64)) -> Option<u64> {
    let read = |s: &&UsageSample| s.usages.get(index).is_some_and(Option::is_some);
    let last = samples
        .iter()
        .find(|s| s.at > window.1)
        .or(samples.last())?;
    let before = samples.iter().rev().find(read)?;
    (!read(&last) && before.at < last.at).then_some(before.at)
}

/// Resources of all servers within a part of the run; `answers` returns the number
/// of answers between two times.
pub fn cost_within(
    samples: &[UsageSample],
    window: (u64, u64),
    answers: impl Fn([u64; 2]) -> f64,
) -> Option<ServerCpu> {
    let (first, _) = ends_within(samples, window, |_| true)?;
    let decides = first.meters.iter().map(|m| m.part.view).min()?;
    let whole = |s: &UsageSample| {
        let mut of_view = s.meters.iter().filter(|m| m.part.view == decides);
        of_view.all(|m| m.cpu_ns.is_some())
    };
    let (first, last) = ends_within(samples, window, whole)?;
    last.cost_since(first, answers([first.at, last.at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample whose counters are ms of CPU, each with a view and an identity.
    fn sample(at_s: u64, meters: &[(CpuView, &str, Option<u64>)]) -> UsageSample {
        let meters = meters.iter().map(|(view, identity, ms)| CpuMeter {
            part: CpuPart {
                view: *view,
                subjects: vec![(*identity).into()],
                identity: (*identity).into(),
                ..CpuPart::default()
            },
            cpu_ns: ms.map(|ms| ms * 1_000_000),
        });
        UsageSample {
            at: at_s * 1_000_000_000,
            usages: Vec::new(),
            meters: meters.collect(),
        }
    }

    #[test]
    fn several_observations_of_one_server_are_one_figure() {
        use CpuView::{Endpoints, Machines, Processes};
        let before = [
            (Processes, "here", Some(10)),
            (Endpoints, "a:1", Some(500)),
            (Machines, "a", Some(9000)),
        ];
        let after = [
            (Processes, "here", Some(210)),
            (Endpoints, "a:1", Some(702)),
            (Machines, "a", None),
        ];
        let (before, after) = (sample(1, &before), sample(2, &after));
        let cost = after.cost_since(&before, 1000.0).unwrap();
        assert_eq!((cost.us, cost.percent), (200.0, 20.0));
        assert_eq!(cost.other_views, ["a:1"]);
        assert_eq!(after.cost_since(&before, 0.0).unwrap().us, 0.0);
        assert!(before.cost_since(&before, 1.0).is_none());
    }

    #[test]
    fn a_server_that_could_not_be_read_leaves_a_hole_and_no_smaller_figure() {
        let both = |at, b| {
            sample(
                at,
                &[
                    (CpuView::Endpoints, "a:1", Some(at * 10)),
                    (CpuView::Endpoints, "b:1", b),
                ],
            )
        };
        let samples = [both(1, Some(0)), both(2, None), both(3, Some(40))];
        assert!(samples[1].cost_since(&samples[0], 1.0).is_none());
        let whole = (1_000_000_000, 2_500_000_000);
        let cost = cost_within(&samples, whole, |_| 10.0).unwrap();
        assert_eq!(cost.us, 6_000.0);
        assert!(cost_within(&samples[..2], whole, |_| 10.0).is_none());
    }
}
