//! The records of a thread: counts, and three separate histograms.
//!
//! *Lateness* is the delay against the driver's own schedule. *Wire* is the time
//! from the request's first byte out to the answer's last byte in. *Response* is
//! the time from the intended start to the answer: what a user would see.

use measure::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestFailure {
    /// No connection could be opened.
    Connect,
    /// The connection was reset or broke.
    Reset,
    /// The peer closed before the answer was complete.
    Closed,
    /// No complete answer in time.
    Timeout,
    /// The answer does not follow the protocol, or a captured value cannot be
    /// sent.
    Malformed,
    /// TLS failed: a certificate that does not verify, or a broken record.
    Tls,
    /// The partner refused the Attach of a conversation.
    Attach,
    /// The partner program reported an error or ended abnormally.
    Program,
}

impl RequestFailure {
    /// All failures, in the order of [`RequestCounts::failed`].
    pub const ALL: [RequestFailure; RequestFailure::COUNT] = [
        RequestFailure::Connect,
        RequestFailure::Reset,
        RequestFailure::Closed,
        RequestFailure::Timeout,
        RequestFailure::Malformed,
        RequestFailure::Tls,
        RequestFailure::Attach,
        RequestFailure::Program,
    ];
    /// The number of kinds.
    pub const COUNT: usize = 8;
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequestFailure::Connect => "connect",
            RequestFailure::Reset => "reset",
            RequestFailure::Closed => "closed early",
            RequestFailure::Timeout => "timeout",
            RequestFailure::Malformed => "malformed",
            RequestFailure::Tls => "tls",
            RequestFailure::Attach => "attach refused",
            RequestFailure::Program => "program error",
        })
    }
}

/// Counters of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestCounts {
    /// Requests begun, including those whose connection failed.
    pub sent: u64,
    /// Requests with a complete answer.
    pub answered: u64,
    /// Requests without a complete answer, by [`RequestFailure`].
    pub failed: [u64; RequestFailure::COUNT],
    /// Answers that failed a check.
    pub checks_failed: u64,
    /// Answers by the first digit of their status; 0 for raw sockets and APPC.
    pub status: [u64; 6],
    /// Answers that arrived within the measured part.
    pub in_window: u64,
    /// Iterations begun.
    pub iterations: u64,
    /// Iterations that found every client busy and had to wait for one.
    pub held: u64,
    /// Iterations that were due but not started before the end of the run.
    pub unsent: u64,
    /// Connections opened.
    pub connects: u64,
    /// Bytes received. For the measured part, those that arrived within it,
    /// whenever they were requested.
    pub bytes_in: u64,
    /// Bytes sent, counted in the same way.
    pub bytes_out: u64,
}

impl RequestCounts {
    /// Requests without a complete answer, for any reason.
    pub fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Requests that failed or whose answer failed a check.
    pub fn errors(&self) -> u64 {
        self.failures() + self.checks_failed
    }

    /// Requests neither answered nor failed.
    ///
    /// # Panics
    ///
    /// If more requests were settled than sent, which is a bug of the engine.
    pub fn outstanding(&self) -> u64 {
        let settled = self.answered + self.failures();
        assert!(self.sent >= settled, "more settled than sent: {self:?}");
        self.sent - settled
    }
}

impl AddAssign<&RequestCounts> for RequestCounts {
    fn add_assign(&mut self, other: &RequestCounts) {
        self.sent += other.sent;
        self.answered += other.answered;
        self.checks_failed += other.checks_failed;
        self.in_window += other.in_window;
        self.iterations += other.iterations;
        self.held += other.held;
        self.unsent += other.unsent;
        self.connects += other.connects;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        let lists: [(&mut [u64], &[u64]); 2] = [
            (&mut self.failed, &other.failed),
            (&mut self.status, &other.status),
        ];
        for (mine, theirs) in lists {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a += b;
            }
        }
    }
}

/// Mean and variance of a stream of numbers.
///
/// Reference: Welford, "Note on a method for calculating corrected sums of
/// squares and products", 1962.
#[derive(Clone, Copy, Debug, Default)]
pub struct Welford {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Welford {
    /// Takes one number.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
    }

    /// Adds the numbers that another has counted.
    pub fn merge(&mut self, other: &Welford) {
        let count = self.count + other.count;
        if count == 0 {
            return;
        }
        let delta = other.mean - self.mean;
        let share = other.count as f64 / count as f64;
        self.squares += other.squares + delta * delta * self.count as f64 * share;
        self.mean += delta * share;
        self.count = count;
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The coefficient of variation: standard deviation ÷ mean. Returns `None`
    /// for fewer than two numbers.
    pub fn variation(&self) -> Option<f64> {
        (self.count > 1 && self.mean > 0.0)
            .then(|| (self.squares / self.count as f64).sqrt() / self.mean)
    }
}

/// One population in one interval (or a sum of intervals).
#[derive(Clone, Debug, Default)]
pub struct PopulationRecord {
    /// Requests whose intended start is in the measured part.
    pub measured: RequestCounts,
    /// Every request of the run, warm-up included.
    pub whole: RequestCounts,
    /// Delay against the driver's own schedule.
    pub lateness: Histogram,
    /// First byte out to last byte in.
    pub wire: Histogram,
    /// Intended start to last byte in.
    pub response: Histogram,
    /// The part of `response` whose answers passed every check: the service of
    /// a server that rejects a part of the load.
    pub passed: Histogram,
    /// Time to open a connection.
    pub connect: Histogram,
    /// Gaps between sends of the open loop, in ns.
    pub gaps: Welford,
    /// By step, if there is more than one.
    pub steps: Vec<StepRecord>,
}

/// One step in one interval (or a sum of intervals).
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// Answers that failed a check, and requests that failed.
    pub errors: u64,
    /// Intended start to last byte in.
    pub response: Histogram,
}

impl PopulationRecord {
    /// An empty record for a population of `steps` steps.
    pub fn new(steps: usize) -> PopulationRecord {
        PopulationRecord {
            steps: match steps {
                0 | 1 => Vec::new(),
                n => vec![StepRecord::default(); n],
            },
            ..PopulationRecord::default()
        }
    }

    /// Adds the counts of another record.
    pub fn merge(&mut self, other: &PopulationRecord) {
        self.measured += &other.measured;
        self.whole += &other.whole;
        self.lateness.merge(&other.lateness);
        self.wire.merge(&other.wire);
        self.response.merge(&other.response);
        self.passed.merge(&other.passed);
        self.connect.merge(&other.connect);
        self.gaps.merge(&other.gaps);
        if self.steps.len() < other.steps.len() {
            self.steps
                .resize_with(other.steps.len(), StepRecord::default);
        }
        for (mine, theirs) in self.steps.iter_mut().zip(&other.steps) {
            mine.errors += theirs.errors;
            mine.response.merge(&theirs.response);
        }
    }
}

/// The records of one interval, of one thread or of all.
#[derive(Clone, Debug, Default)]
pub struct IntervalRecord {
    /// Number of the interval, from 0.
    pub index: u64,
    /// One record for each population.
    pub populations: Vec<PopulationRecord>,
    /// Requests outstanding at the interval's end.
    pub outstanding: u64,
    /// CPU time of the driver's threads, ns.
    pub cpu_ns: u64,
    /// The part of it spent spinning before arrivals, ns.
    pub spin_ns: u64,
    /// Messages of failures and how often each occurred.
    pub messages: BTreeMap<String, u64>,
}

impl IntervalRecord {
    /// An empty interval for populations with these numbers of steps.
    pub fn new(index: u64, steps: &[usize]) -> IntervalRecord {
        IntervalRecord {
            index,
            populations: steps.iter().map(|n| PopulationRecord::new(*n)).collect(),
            ..IntervalRecord::default()
        }
    }

    /// Adds the counts of another record of the same interval.
    pub fn merge(&mut self, other: &IntervalRecord) {
        for (mine, theirs) in self.populations.iter_mut().zip(&other.populations) {
            mine.merge(theirs);
        }
        self.outstanding += other.outstanding;
        self.cpu_ns += other.cpu_ns;
        self.spin_ns += other.spin_ns;
        for (text, n) in &other.messages {
            note(&mut self.messages, text, *n);
        }
    }
}

/// Counts a message. Messages beyond the limit of distinct ones are summed up as
/// one.
pub(super) fn note(messages: &mut BTreeMap<String, u64>, text: &str, count: u64) {
    // rustls puts the time of the attempt into this message, which would make a
    // new message every second.
    let text = text.split(": verification time").next().unwrap_or(text);
    if let Some(n) = messages.get_mut(text) {
        *n += count;
    } else if messages.len() < DISTINCT_MESSAGES {
        messages.insert(text.to_owned(), count);
    } else {
        *messages.entry("other messages".into()).or_default() += count;
    }
}

/// The maximum number of distinct failure messages.
const DISTINCT_MESSAGES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_its_time_only_is_one_message() {
        let mut messages = BTreeMap::new();
        for second in 0..50 {
            let text = format!("x: certificate expired: verification time {second} (UNIX), but");
            note(&mut messages, &text, 2);
        }
        assert_eq!(
            messages,
            [("x: certificate expired".to_owned(), 100)].into()
        );
        for i in 0..50 {
            note(&mut messages, &i.to_string(), 1);
        }
        assert_eq!(messages.len(), DISTINCT_MESSAGES + 1);
        assert_eq!(messages.values().sum::<u64>(), 150);
    }

    #[test]
    fn merged_variation_is_that_of_the_whole() {
        let (mut a, mut b, mut all) = (Welford::default(), Welford::default(), Welford::default());
        for i in 0..1000 {
            let x = f64::from((i * 37) % 101);
            if i % 4 == 0 {
                a.push(x)
            } else {
                b.push(x)
            }
            all.push(x);
        }
        a.merge(&b);
        let (one, other) = (a.variation().unwrap(), all.variation().unwrap());
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }
}
