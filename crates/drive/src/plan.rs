//! What the engine executes: a scenario with every name resolved, every
//! template compiled and every time in nanoseconds. Built by
//! [`crate::scenario`] from text or by [`crate::cli`] from one line.

use crate::message::{AnswerCheck, ReplyEnd, RequestTemplate, ValueCapture};
use crate::profile::LevelProfile;
use crate::tls::TlsTarget;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A run, ready to start.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The title of the report.
    pub title: String,
    /// The populations, which run at the same time.
    pub populations: Vec<Population>,
    /// Feeders with the data of templates.
    pub feeders: Vec<Arc<crate::feeder::Feeder>>,
    /// Length of the warm-up.
    pub warmup_ns: u64,
    /// Length of the measured part. `None` if only iterations end the run.
    pub duration_ns: Option<u64>,
    /// How long the end of the run waits for outstanding requests.
    pub grace_ns: u64,
    /// Number of driver threads.
    pub threads: usize,
    /// Seed of random arrivals, think times and data.
    pub seed: u64,
    /// Wall clock time of a common start of several machines, ns since 1970.
    pub start_at: Option<u64>,
    /// Length of a reporting interval.
    pub interval_ns: u64,
}

/// Clients of one kind.
#[derive(Clone, Debug)]
pub struct Population {
    /// The name in reports.
    pub name: String,
    /// How load is presented.
    pub load: LoadModel,
    /// The pause of a client after each answer.
    pub think: ThinkTime,
    /// The requests of one iteration, in order.
    pub steps: Vec<RequestStep>,
    /// The connections of each client.
    pub targets: Vec<LoadTarget>,
    /// A request older than this has failed.
    pub timeout_ns: u64,
}

/// How a population presents load.
#[derive(Clone, Debug)]
pub enum LoadModel {
    /// Each client waits for its answer, thinks, and sends the next request.
    Closed {
        /// Clients over time.
        clients: LevelProfile,
        /// Iterations of the whole population, after which the run ends.
        iterations: Option<u64>,
    },
    /// Iterations begin at a rate, independently of the answers.
    Open {
        /// Arrivals/s over time.
        rate: LevelProfile,
        /// How arrivals are spaced.
        arrivals: ArrivalSpacing,
        /// The maximum number of outstanding iterations.
        outstanding: usize,
        /// Connections opened before the run. When that is all of them they
        /// are used in turn; otherwise as few as the load needs are used.
        ahead: usize,
        /// How long before an arrival the thread spins instead of sleeping.
        /// `None` for [`usual_spin_ns`], or for no spin before random
        /// arrivals.
        spin_ns: Option<u64>,
    },
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalSpacing {
    /// Evenly spaced.
    Constant,
    /// Poisson arrivals, as from many independent callers.
    Poisson,
}

/// The pause between an answer and a client's next request.
#[derive(Clone, Debug)]
pub enum ThinkTime {
    /// No pause.
    None,
    /// Always the same, in nanoseconds.
    Constant(u64),
    /// Exponentially distributed with this mean in nanoseconds.
    Exponential(f64),
    /// Drawn from these recorded pauses, in nanoseconds.
    Recorded(Arc<[u64]>),
}

/// One request of an iteration.
#[derive(Clone, Debug)]
pub struct RequestStep {
    /// The name in reports.
    pub name: String,
    /// The index of the target that it is sent to.
    pub target: usize,
    /// The index of the target that the answer comes from. It differs from
    /// `target` in applications that use two sockets.
    pub reply_target: usize,
    /// The request itself.
    pub request: RequestTemplate,
    /// How the request is split into writes.
    pub writes: WritePattern,
    /// How the end of the answer is recognised.
    pub reply: ReplyEnd,
    /// Conditions that the answer must satisfy.
    pub checks: Vec<AnswerCheck>,
    /// Values of the answer that later steps use.
    pub captures: Vec<ValueCapture>,
    /// The pause after this step. `None` for the population's own.
    pub think: Option<ThinkTime>,
}

/// How a request's bytes are handed to the socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WritePattern {
    /// Sizes of the writes; the last one repeats. Empty for one write.
    pub sizes: Vec<usize>,
    /// The pause between two writes, in nanoseconds.
    pub pause_ns: u64,
}

/// One address that every client of a population connects to.
#[derive(Clone, Debug)]
pub struct LoadTarget {
    /// The socket address.
    pub address: SocketAddr,
    /// The address as the scenario writes it, for messages.
    pub name: String,
    /// TLS, and the name the certificate must carry.
    pub tls: Option<TlsTarget>,
    /// The protocol.
    pub protocol: Protocol,
    /// Whether the connection is kept between requests. For APPC, whether the
    /// conversation is kept between iterations.
    pub keep_alive: bool,
    /// Local addresses, used in turn.
    pub sources: Arc<[IpAddr]>,
    /// Socket options.
    pub knobs: SocketOptions,
    /// A message sent first on every new connection; raw sockets only.
    pub opening: Option<RequestTemplate>,
    /// When a client closes and reopens the connection; raw sockets only.
    pub cycle: Option<SocketCycle>,
}

/// The reconnection pattern of a raw socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketCycle {
    /// Iterations on one connection.
    pub iterations: u64,
    /// Number of connections before the client stops. `None` for no limit.
    pub cycles: Option<u64>,
}

/// The protocol of a target.
#[derive(Clone, Debug)]
pub enum Protocol {
    /// HTTP/1.1 or messages on a raw socket, on the driver's own request path.
    Stream,
    /// HTTP/2.
    Http2,
    /// LU 6.2.
    Appc(Arc<crate::appc::AppcPartner>),
    /// 3270 terminals over TN3270 or TN3270E.
    Terminal(Arc<crate::terminal::TerminalTarget>),
}

/// Socket options of the client side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    /// TCP_NODELAY: small writes are sent at once.
    pub no_delay: bool,
    /// TCP_QUICKACK after every read: data is acknowledged at once.
    pub quick_ack: bool,
    /// SO_TIMESTAMPNS: the time on the wire ends when the kernel received the
    /// last byte, not when the driver read it. Not available over TLS.
    pub kernel_times: bool,
    /// SO_SNDBUF.
    pub send_buffer_bytes: Option<usize>,
    /// SO_RCVBUF.
    pub receive_buffer_bytes: Option<usize>,
    /// Connections are closed by RST instead of FIN, so that the port is free
    /// at once.
    pub reset_on_close: bool,
}

impl Default for SocketOptions {
    fn default() -> SocketOptions {
        SocketOptions {
            no_delay: true,
            quick_ack: false,
            kernel_times: true,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
            reset_on_close: false,
        }
    }
}

impl ThinkTime {
    /// Draws the next pause, in nanoseconds.
    pub fn draw(&self, rng: &mut base::SeededRandom) -> u64 {
        match self {
            ThinkTime::None => 0,
            ThinkTime::Constant(ns) => *ns,
            ThinkTime::Exponential(mean) => (mean * rng.exponential()) as u64,
            ThinkTime::Recorded(pauses) => match pauses.len() as u64 {
                0 => 0,
                n => pauses[rng.between(0, n - 1) as usize],
            },
        }
    }

    /// The mean pause, in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        match self {
            ThinkTime::None => 0.0,
            ThinkTime::Constant(ns) => *ns as f64,
            ThinkTime::Exponential(mean) => *mean,
            ThinkTime::Recorded(p) if p.is_empty() => 0.0,
            ThinkTime::Recorded(p) => p.iter().sum::<u64>() as f64 / p.len() as f64,
        }
    }
}

/// How long a thread with this part of the rate spins before an arrival. It is
/// longer than the usual delay of a timer, but at most an eighth of the time
/// between arrivals. A thread that always spins is preempted for
/// milliseconds as soon as another thread needs the processor.
pub fn usual_spin_ns(rate: f64) -> u64 {
    LONGEST_SPIN_NS.min((1e9 / rate.max(1e-3) / 8.0) as u64)
}

/// Longer than the usual delay of a timer, short compared with the gap between
/// arrivals.
const LONGEST_SPIN_NS: u64 = 50_000;

/// The default number of connections that an open loop of this rate opens before
/// the run: enough for answers that take 10 ms.
pub fn usual_ahead(rate: f64, outstanding: usize) -> usize {
    ((rate / 100.0).ceil() as usize + 1).min(outstanding)
}

impl Population {
    /// The maximum number of clients at a time.
    pub fn clients(&self) -> usize {
        match &self.load {
            LoadModel::Closed { clients, .. } => clients.peak().ceil() as usize,
            LoadModel::Open { outstanding, .. } => *outstanding,
        }
    }
}

impl RunPlan {
    /// Length of the whole run in nanoseconds, with warm-up.
    pub fn length_ns(&self) -> Option<u64> {
        self.duration_ns.map(|d| d + self.warmup_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spinning_takes_an_eighth_of_a_thread_at_most() {
        assert_eq!(usual_spin_ns(2_000.0), 50_000);
        assert_eq!(usual_spin_ns(20_000.0), 6_250);
        for rate in [0.001, 1.0, 2_500.0, 1e5, 1e7] {
            assert!(rate * usual_spin_ns(rate) as f64 <= 0.125e9);
        }
    }
}
