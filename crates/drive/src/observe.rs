//! What servers use while load runs: samples of processes, control groups and
//! remote endpoints, taken by a thread of its own once an interval and at both
//! ends of the measured part.

use crate::clock;
use crate::scrape::Endpoint;
use measure::proc::{Subject, Usage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Something whose resources are sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Processes of this machine.
    Local(Subject),
    /// A Prometheus endpoint.
    Remote(Endpoint),
}

/// One sample of everything observed.
#[derive(Clone, Debug)]
pub struct Sample {
    /// When, monotonic ns.
    pub at: u64,
    /// One usage each; none where it could not be read.
    pub usages: Vec<Option<Usage>>,
}

impl Sample {
    /// CPU of everything that could be read, ns.
    pub fn cpu_ns(&self) -> u64 {
        self.usages.iter().flatten().map(|u| u.cpu_ns).sum()
    }
}

/// Samples in a thread of its own.
pub struct Sampler {
    thread: JoinHandle<Vec<Sample>>,
    stop: Arc<AtomicBool>,
    latest: Latest,
}

/// The last two samples, for whoever looks on while the run goes on.
type Latest = Arc<Mutex<[Option<Sample>; 2]>>;

impl Observed {
    /// Its name in reports.
    pub fn name(&self) -> String {
        match self {
            Observed::Local(subject) => subject.to_string(),
            Observed::Remote(endpoint) => endpoint.to_string(),
        }
    }

    /// What it has used so far, or why that cannot be told.
    pub fn usage(&self) -> Result<Usage, String> {
        match self {
            Observed::Local(subject) => subject.usage().map_err(|e| e.to_string()),
            Observed::Remote(endpoint) => endpoint.usage().map_err(|e| e.to_string()),
        }
    }
}

impl Sampler {
    /// Samples at `times` (monotonic ns, ascending), then every `interval_ns`.
    pub fn start(observed: Vec<Observed>, mut times: Vec<u64>, interval_ns: u64) -> Sampler {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let latest = Latest::default();
        let shown = latest.clone();
        times.sort_unstable();
        let thread = thread::spawn(move || {
            let mut samples = Vec::new();
            let mut times = times.into_iter();
            let mut last = clock::now();
            loop {
                let next = times.next().unwrap_or(last + interval_ns);
                last = next;
                while !stopped.load(Ordering::Acquire) && clock::now() < next {
                    thread::park_timeout(Duration::from_nanos(next - clock::now().min(next)));
                }
                let done = stopped.load(Ordering::Acquire);
                let sample = Sample {
                    at: clock::now(),
                    usages: observed.iter().map(|o| o.usage().ok()).collect(),
                };
                {
                    let mut pair = shown.lock().expect("nobody panics holding it");
                    pair.swap(0, 1);
                    pair[1] = Some(sample.clone());
                }
                samples.push(sample);
                if done {
                    return samples;
                }
            }
        });
        Sampler {
            thread,
            stop,
            latest,
        }
    }

    /// CPU of everything observed between the last two samples: seconds of it,
    /// and the seconds between the two.
    pub fn latest_cpu_s(&self) -> Option<(f64, f64)> {
        let pair = self.latest.lock().expect("nobody panics holding it");
        let [Some(a), Some(b)] = &*pair else {
            return None;
        };
        Some((
            b.cpu_ns().saturating_sub(a.cpu_ns()) as f64 / 1e9,
            b.at.saturating_sub(a.at) as f64 / 1e9,
        ))
    }

    /// Takes a last sample and returns all.
    pub fn finish(self) -> Vec<Sample> {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

/// What subject `index` used within a part of the run, and the seconds between
/// the samples that tell it. None with fewer than two samples in the part.
pub fn used_within(samples: &[Sample], index: usize, window: (u64, u64)) -> Option<(Usage, f64)> {
    let inside = |s: &&Sample| s.at >= window.0 && s.at <= window.1.saturating_add(SLACK_NS);
    let mut usable = samples
        .iter()
        .filter(inside)
        .filter_map(|s| Some((s.at, s.usages.get(index)?.as_ref()?)));
    let first = usable.next()?;
    let last = usable.next_back()?;
    Some((last.1.since(first.1), (last.0 - first.0) as f64 / 1e9))
}

/// A sample meant for the window's end may come this much later.
const SLACK_NS: u64 = 50_000_000;
