//! One thread of the driver's own request path: its loop, its clock and its queue of
//! wake-ups. The steps of a request are in `exchange`; `lifecycle` carries out the
//! moves of clients.

use super::client::{Client, Token};
use super::free::FreeClients;
use super::group::numbers;
use super::ledger::{ThreadLedger, ThreadResult};
use super::record::IntervalRecord;
use super::tasks;
use crate::clock;
use crate::net::{Poller, ReadySocket};
use crate::plan::RunPlan;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// One thread of the engine.
pub(super) struct Worker<'p> {
    pub plan: &'p RunPlan,
    pub poller: Poller,
    pub clients: Vec<Client>,
    /// The free clients of each population.
    pub free: Vec<FreeClients>,
    pub ledger: ThreadLedger,
    pub wakes: BinaryHeap<Reverse<(u64, u32)>>,
    pub buffer: Box<[u8]>,
    pub scratch: Vec<u8>,
    /// When this iteration of the event loop began.
    turned: u64,
    /// No request can time out before this time.
    pub expiry_at: u64,
    /// Wall clock minus monotonic clock, ns.
    pub wall_ahead: u64,
}

impl<'p> Worker<'p> {
    pub fn new(plan: &'p RunPlan, index: usize) -> io::Result<Worker<'p>> {
        let serves = |population: &_| !tasks::serve(population);
        let mut clients = Vec::new();
        let mut free = Vec::new();
        for (p, population) in plan.populations.iter().enumerate() {
            let first = clients.len();
            if serves(population) {
                clients.extend(numbers(plan, p, index).map(|n| Client::new(plan, p, n)));
            }
            let own = first..clients.len();
            free.push(FreeClients::new(population, own, (index, plan.threads)));
        }
        Ok(Worker {
            plan,
            poller: Poller::new()?,
            clients,
            free,
            ledger: ThreadLedger::new(plan, index, serves, false),
            wakes: BinaryHeap::new(),
            buffer: vec![0; READ_BYTES].into(),
            scratch: Vec::new(),
            turned: 0,
            expiry_at: 0,
            wall_ahead: 0,
        })
    }

    /// Runs the load from `start` on and returns when the run is over.
    pub fn run(
        mut self,
        start: u64,
        stop: &AtomicBool,
        out: &Sender<IntervalRecord>,
    ) -> io::Result<ThreadResult> {
        self.ledger.begin(self.plan, start);
        self.release_clients();
        let mut tick_at = 0;
        let mut spinning_since = None;
        loop {
            let now = clock::now();
            self.turned = now;
            if let Some(since) = spinning_since.take() {
                self.ledger.interval.spin_ns += now - since;
            }
            self.wake_clients(now);
            self.handle_arrivals(now);
            if now >= tick_at {
                self.tick(now, stop);
                tick_at = now + TICK_NS;
            }
            self.ledger.flush_ended(now, out);
            if self.ledger.is_over(now) {
                return Ok(self.ledger.finish(out));
            }
            let (until, spin) = self.next_wake(tick_at.min(self.ledger.next_flush()));
            let ready = if until <= now.saturating_add(spin) {
                self.poller.peek()?
            } else {
                self.poller.wait(until - spin)?
            };
            if ready == 0 && until <= now.saturating_add(spin) {
                spinning_since = Some(now);
            }
            for i in 0..ready {
                let ready = self.poller.ready(i);
                self.handle_ready(ready);
                // A full batch of answers takes longer than an
                // arrival can wait. The time of the last answer
                // shows whether one is due.
                let last_done = self.ledger.last_done();
                if last_done >= until {
                    self.wake_clients(last_done);
                    self.handle_arrivals(last_done);
                }
            }
        }
    }

    /// Whether the clock was within the measured part at its last reading.
    pub(super) fn measuring(&self) -> bool {
        self.ledger.measures_now(self.turned)
    }

    /// The time of the next event, and how long before it to spin.
    fn next_wake(&self, housekeeping: u64) -> (u64, u64) {
        let mut wake = (housekeeping, 0);
        if let Some(Reverse((at, _))) = self.wakes.peek() {
            wake = wake.min((*at, 0));
        }
        for (g, free) in self.free.iter().enumerate().filter(|(_, f)| !f.is_empty()) {
            if let Some(at) = self.ledger.next_due(g).filter(|at| *at < wake.0) {
                wake = (at, free.spin_ns);
            }
        }
        wake
    }

    /// Work that is not needed in every iteration: the stop flag, timeouts, CPU
    /// at both ends of the measured part.
    fn tick(&mut self, now: u64, stop: &AtomicBool) {
        self.wall_ahead = clock::wall().saturating_sub(clock::now());
        self.ledger.note_progress(now, stop.load(Ordering::Relaxed));
        if self.ledger.in_flight > 0 && now >= self.expiry_at {
            self.expire_requests(now);
        }
    }

    /// Wakes a client at a time.
    pub fn wake_at(&mut self, client: usize, at: u64) {
        self.clients[client].wake_at = at;
        self.wakes.push(Reverse((at, client as u32)));
    }

    /// Handles an event, unless its connection was closed since.
    pub fn handle_ready(&mut self, ready: ReadySocket) {
        let token = Token::unpack(ready.token);
        let Some(client) = self.clients.get(token.client) else {
            return;
        };
        let current = client.conns.get(token.conn);
        if current.is_some_and(|c| c.generation == token.generation && c.stream.is_some()) {
            self.handle_socket(token.client, token.conn, ready);
        }
    }
}

/// The read size: an answer of 256 KB takes one or two reads.
const READ_BYTES: usize = 256 << 10;
/// Interval of the work that is not needed in every iteration.
const TICK_NS: u64 = 20_000_000;
