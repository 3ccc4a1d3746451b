//! Connections opened before the run, so that the measured part does not begin with
//! a burst of handshakes that a steady system would not have.

use super::group::GroupLoad;
use super::worker::Worker;
use crate::clock;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

impl Worker<'_> {
    /// Opens the connections of every client that takes part from the start. If
    /// one fails, its client tries again when it needs it, and that failure is
    /// counted.
    pub(super) fn connect_ahead(&mut self, stop: &AtomicBool) -> io::Result<()> {
        let mut wanted = Vec::new();
        let mut ahead = vec![0; self.free.len()];
        for (c, client) in self.clients.iter().enumerate() {
            let p = client.life.population;
            let population = &self.plan.populations[p];
            let takes_part = match &self.ledger.groups[p].load {
                GroupLoad::Closed { clients, .. } => clients.level(0) > client.life.number as f64,
                GroupLoad::Open { .. } => {
                    ahead[p] += 1;
                    ahead[p] <= self.free[p].ahead
                }
            };
            for (t, target) in population.targets.iter().enumerate() {
                if takes_part && target.keep_alive {
                    wanted.push((c, t));
                }
            }
        }
        let deadline = clock::now() + PATIENCE_NS;
        let mut pending: Vec<(usize, usize)> = Vec::new();
        let mut wanted = wanted.into_iter();
        loop {
            while pending.len() < AT_ONCE {
                let Some((c, t)) = wanted.next() else { break };
                if self.open(c, t).is_ok() {
                    pending.push((c, t));
                }
            }
            pending.retain(|(c, t)| self.clients[*c].conns[*t].connecting);
            let now = clock::now();
            if stop.load(Ordering::Relaxed) || now > deadline {
                return Ok(());
            }
            if pending.is_empty() && wanted.len() == 0 {
                return Ok(());
            }
            let ready = self.poller.wait(now + POLL_INTERVAL_NS)?;
            for i in 0..ready {
                let ready = self.poller.ready(i);
                self.handle_ready(ready);
            }
        }
    }
}

/// Concurrent handshakes: below the usual backlog of a server.
const AT_ONCE: usize = 100;
/// After this time the run begins with the connections that are open.
const PATIENCE_NS: u64 = 10_000_000_000;
/// Interval of checking the stop flag.
const POLL_INTERVAL_NS: u64 = 50_000_000;
