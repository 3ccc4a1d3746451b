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
    /// What the report calls it.
    pub title: String,
    /// Who presents load, all at once.
    pub populations: Vec<Population>,
    /// The data that templates draw from.
    pub feeders: Vec<Arc<crate::feeder::Feeder>>,
    /// How long load runs before anything is measured.
    pub warmup_ns: u64,
    /// How long is measured; none when iterations alone end the run.
    pub duration_ns: Option<u64>,
    /// How long outstanding requests are waited for at the end.
    pub grace_ns: u64,
    /// Threads that present load.
    pub threads: usize,
    /// What random arrivals, think times and data depend on.
    pub seed: u64,
    /// Wall clock time (ns since 1970) at which to begin, for several machines.
    pub start_at: Option<u64>,
    /// How often figures are published.
    pub interval_ns: u64,
}

/// Clients of one kind.
#[derive(Clone, Debug)]
pub struct Population {
    /// The name in reports.
    pub name: String,
    /// How load is presented.
    pub load: LoadModel,
    /// The pause after each request of a client.
    pub think: ThinkTime,
    /// What a client does in one iteration, in this order.
    pub steps: Vec<RequestStep>,
    /// The connections of each client.
    pub targets: Vec<LoadTarget>,
    /// A request older than this has failed.
    pub timeout_ns: u64,
}

/// How a population presents load.
#[derive(Clone, Debug)]
pub enum LoadModel {
    /// Each client waits for its answer, thinks, and goes on.
    Closed {
        /// Clients over time.
        clients: LevelProfile,
        /// Iterations of the whole population, after which it stops.
        iterations: Option<u64>,
    },
    /// Iterations begin at a rate, whatever the server does.
    Open {
        /// Arrivals a second over time.
        rate: LevelProfile,
        /// How arrivals are spaced.
        arrivals: ArrivalSpacing,
        /// The most iterations outstanding at once.
        outstanding: usize,
        /// Connections opened before the run. When that is all of them they
        /// are used in turn; otherwise as few as the load needs are used.
        ahead: usize,
        /// How long before an arrival the thread stops sleeping and spins;
        /// none for [`usual_spin_ns`], or for no spin before random ones.
        spin_ns: Option<u64>,
    },
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalSpacing {
    /// Evenly.
    Constant,
    /// At random, as from many independent callers.
    Poisson,
}

/// The pause between an answer and a client's next request.
#[derive(Clone, Debug)]
pub enum ThinkTime {
    /// None.
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
    /// Which of the population's targets it is sent to.
    pub target: usize,
    /// Which target the answer comes from; another one than `target` for
    /// applications that use two sockets.
    pub reply_target: usize,
    /// What is sent.
    pub request: RequestTemplate,
    /// How the request's bytes are written.
    pub writes: WritePattern,
    /// How the end of the answer is recognised.
    pub reply: ReplyEnd,
    /// What the answer must satisfy.
    pub checks: Vec<AnswerCheck>,
    /// What is kept of the answer for later steps.
    pub captures: Vec<ValueCapture>,
    /// The pause after this step; none for the population's own.
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
    /// Where.
    pub address: SocketAddr,
    /// The address as the scenario writes it, for messages.
    pub name: String,
    /// TLS, and the name the certificate must carry.
    pub tls: Option<TlsTarget>,
    /// What is spoken there.
    pub protocol: Protocol,
    /// Whether the connection is kept between requests; of APPC, whether the
    /// conversation is kept between iterations.
    pub keep_alive: bool,
    /// Local addresses, taken in turn.
    pub sources: Arc<[IpAddr]>,
    /// Socket options.
    pub knobs: SocketOptions,
    /// What is said first on every new connection; a raw socket's only.
    pub opening: Option<RequestTemplate>,
    /// Iterations of a client after which it closes the connection, and how
    /// often it does so before it stops; a raw socket's only.
    pub cycle: Option<SocketCycle>,
}

/// The life of a raw socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketCycle {
    /// Iterations on one connection.
    pub iterations: u64,
    /// Connections, one after the other; none for as many as the run takes.
    pub cycles: Option<u64>,
}

/// What is spoken at a target.
#[derive(Clone, Debug)]
pub enum Protocol {
    /// HTTP/1.1 or messages on a raw socket: the driver's own request path.
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
    /// TCP_NODELAY: send small writes at once.
    pub no_delay: bool,
    /// TCP_QUICKACK after every read: acknowledge at once.
    pub quick_ack: bool,
    /// SO_TIMESTAMPNS: the time on the wire ends when the kernel received the
    /// last byte, not when the driver read it. In clear only.
    pub kernel_times: bool,
    /// SO_SNDBUF.
    pub send_buffer_bytes: Option<usize>,
    /// SO_RCVBUF.
    pub receive_buffer_bytes: Option<usize>,
    /// Reset instead of FIN when a connection is closed, so that its port is
    /// free at once.
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
    /// The next pause, in nanoseconds.
    pub fn draw(&self, rng: &mut crate::rng::Rng) -> u64 {
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

/// How long a thread with this share of the rate spins before an arrival:
/// longer than a timer's usual delay, but never more than an eighth of its
/// time. A thread that always spins has no rest that the scheduler would give
/// back, and is set aside for milliseconds when somebody else wants the
/// processor.
pub fn usual_spin_ns(rate: f64) -> u64 {
    LONGEST_SPIN_NS.min((1e9 / rate.max(1e-3) / 8.0) as u64)
}

/// Longer than a timer's usual delay, short against the gap of most rates.
const LONGEST_SPIN_NS: u64 = 50_000;

/// Connections that an open loop of this rate opens ahead unless told
/// otherwise: enough for answers that take ten milliseconds.
pub fn usual_ahead(rate: f64, outstanding: usize) -> usize {
    ((rate / 100.0).ceil() as usize + 1).min(outstanding)
}

impl Population {
    /// The most clients the population has at once.
    pub fn clients(&self) -> usize {
        match &self.load {
            LoadModel::Closed { clients, .. } => clients.peak().ceil() as usize,
            LoadModel::Open { outstanding, .. } => *outstanding,
        }
    }
}

impl RunPlan {
    /// Whole length of the run in nanoseconds, warm-up included.
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
