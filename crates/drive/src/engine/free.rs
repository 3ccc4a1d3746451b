//! The free clients of an open loop in one thread, and which of them takes the next
//! arrival.

use super::client::Client;
use super::group::share;
use crate::plan::{ArrivalSpacing, LoadModel, Population, usual_spin_ns};
use std::collections::VecDeque;
use std::ops::Range;

/// The clients of one population that wait for an arrival; empty in a closed loop.
#[derive(Default)]
pub(super) struct FreeClients {
    idle: VecDeque<u32>,
    /// Until this time the bound on outstanding requests held arrivals back: no
    /// client was idle.
    starved_until: u64,
    /// Whether free clients are used in turn instead of the most recent first.
    rotate: bool,
    /// Clients of this thread whose connections are opened before the run.
    pub ahead: usize,
    /// How long before an arrival the thread spins.
    pub spin_ns: u64,
}

impl FreeClients {
    /// The clients of this range, which are those of thread `index` of `threads`.
    pub fn new(
        population: &Population,
        clients: Range<usize>,
        (index, threads): (usize, usize),
    ) -> FreeClients {
        let LoadModel::Open {
            rate,
            arrivals,
            outstanding,
            ahead,
            spin_ns,
        } = &population.load
        else {
            return FreeClients::default();
        };
        let usual = match arrivals {
            ArrivalSpacing::Constant => usual_spin_ns(rate.peak() / threads as f64),
            // Random arrivals need no exact time, so there is no spin by default.
            ArrivalSpacing::Poisson => 0,
        };
        FreeClients {
            idle: (clients.start as u32..clients.end as u32).collect(),
            starved_until: 0,
            rotate: ahead >= outstanding,
            ahead: share(*ahead as u64, index, threads) as usize,
            spin_ns: spin_ns.unwrap_or(usual),
        }
    }

    /// Whether every client is busy.
    pub fn is_empty(&self) -> bool {
        self.idle.is_empty()
    }

    /// Takes a client for an arrival, and the earliest time at which it could begin.
    ///
    /// An arrival that waited for a client takes the first one that became free. The
    /// time before that is due to the bound. An arrival that did not wait could have
    /// begun when due: the rest is the driver's lateness.
    pub fn take(&mut self, due: u64, clients: &[Client]) -> Option<(usize, u64)> {
        let starved = due < self.starved_until;
        let next = if starved && !self.rotate {
            self.idle.pop_back()
        } else {
            self.idle.pop_front()
        };
        let client = next? as usize;
        let ready = if starved {
            due.max(clients[client].freed)
        } else {
            due
        };
        Some((client, ready))
    }

    /// Takes back a client that became free at `now`.
    pub fn put(&mut self, client: usize, now: u64) {
        if self.idle.is_empty() {
            self.starved_until = now;
        }
        if self.rotate {
            self.idle.push_back(client as u32)
        } else {
            // Its connection is open; those of others may not be.
            self.idle.push_front(client as u32)
        }
    }
}
