//! Carries out the moves of the clients of one thread: wake-ups, arrivals, the
//! request of a step, its answer or its failure.

use super::client::{ClientPhase, TargetConnection};
use super::life::{AnswerVerdict, NextMove};
use super::record::RequestFailure;
use super::worker::Worker;
use crate::clock;
use std::cmp::Reverse;

impl Worker<'_> {
    /// Lets every client join the run.
    pub(super) fn release_clients(&mut self) {
        for c in 0..self.clients.len() {
            let client = &mut self.clients[c];
            match client.life.join(&mut self.ledger, self.plan) {
                // It is in the list of free clients since it was made.
                NextMove::Free => client.phase = ClientPhase::Idle,
                next => self.carry_out_later(c, next, 0),
            }
        }
    }

    /// Wakes the clients whose time is reached.
    pub(super) fn wake_clients(&mut self, now: u64) {
        while let Some(Reverse((at, client))) = self.wakes.peek().copied() {
            if at > now {
                break;
            }
            self.wakes.pop();
            let c = client as usize;
            if self.clients[c].wake_at != at {
                continue; // An outdated entry: the client waits for something else.
            }
            self.clients[c].wake_at = 0;
            match self.clients[c].phase {
                ClientPhase::Parked => self.begin_iteration(c, [at, at, clock::now()]),
                ClientPhase::Thinking => self.begin_step(c, [at, at, clock::now()]),
                ClientPhase::Pausing => self.write_on(c),
                ClientPhase::Idle
                | ClientPhase::Connecting
                | ClientPhase::Writing
                | ClientPhase::Waiting => {}
            }
        }
    }

    /// Begins the open loop's iterations that are due.
    pub(super) fn handle_arrivals(&mut self, now: u64) {
        for g in 0..self.free.len() {
            while let Some(due) = self.ledger.next_due(g).filter(|due| *due <= now) {
                let Some((c, ready)) = self.free[g].take(due, &self.clients) else {
                    break;
                };
                self.ledger.take_due(g);
                self.begin_iteration(c, [due, ready, clock::now()]);
            }
        }
    }

    /// Carries out a client's next move, at once if it is due at `now`.
    fn carry_out(&mut self, c: usize, next: NextMove, now: u64) {
        match next {
            NextMove::Iterate(at) if at <= now => self.begin_iteration(c, [at, at, now]),
            NextMove::Step(at) if at <= now => self.begin_step(c, [at, at, now]),
            next => self.carry_out_later(c, next, now),
        }
    }

    /// Carries out a client's next move; one with a time waits in the queue of
    /// wake-ups.
    fn carry_out_later(&mut self, c: usize, next: NextMove, now: u64) {
        let client = &mut self.clients[c];
        match next {
            NextMove::Send => self.send(c),
            NextMove::Iterate(at) => {
                client.phase = ClientPhase::Parked;
                self.wake_at(c, at)
            }
            NextMove::Step(at) => {
                client.phase = ClientPhase::Thinking;
                self.wake_at(c, at)
            }
            NextMove::Free => {
                client.phase = ClientPhase::Idle;
                client.freed = now;
                self.free[client.life.population].put(c, now)
            }
            NextMove::Retire => {
                client.phase = ClientPhase::Parked;
                client.wake_at = 0;
                client.conns.iter_mut().for_each(TargetConnection::close)
            }
        }
    }

    /// Begins an iteration: when it was intended, when it was possible, and now.
    fn begin_iteration(&mut self, c: usize, times: [u64; 3]) {
        let life = &mut self.clients[c].life;
        let next = life.begin_iteration(&mut self.ledger, self.plan, times);
        self.carry_out(c, next, times[2])
    }

    /// Begins the current step.
    fn begin_step(&mut self, c: usize, times: [u64; 3]) {
        let next = self.clients[c].life.begin_step(&mut self.ledger, times);
        self.carry_out(c, next, times[2])
    }

    /// Renders the request of the current step, and sends it when its connections
    /// are open.
    fn send(&mut self, c: usize) {
        let plan = self.plan;
        let client = &mut self.clients[c];
        let step = &plan.populations[client.life.population].steps[client.life.step];
        client.phase = ClientPhase::Connecting;
        client.out.restart();
        if let Some(bytes) = step.request.fixed() {
            client.out.share(bytes);
            return self.send_when_connected(c);
        }
        client.out.shared = None;
        client.out.own.clear();
        let mut scope = client.life.scope(plan);
        let out = &mut client.out.own;
        match step.request.render(&mut scope, &mut self.scratch, out) {
            Ok(()) => self.send_when_connected(c),
            Err(why) => self.fail(c, RequestFailure::Malformed, &why.to_string()),
        }
    }

    /// Completes the client's request: its answer has arrived.
    pub(super) fn complete(&mut self, c: usize, now: u64) {
        let next = self.settle(c, now);
        self.carry_out(c, next, now)
    }

    /// Completes the client's request, which has no answer. The next one waits for
    /// the event loop: a peer that reads fast enough would make this a recursion
    /// without an end.
    pub(super) fn complete_one_way(&mut self, c: usize, now: u64) {
        let next = self.settle(c, now);
        self.carry_out_later(c, next, now)
    }

    /// Settles the client's request and closes connections that are not kept.
    fn settle(&mut self, c: usize, now: u64) -> NextMove {
        let plan = self.plan;
        let client = &mut self.clients[c];
        let population = &plan.populations[client.life.population];
        let step = &population.steps[client.life.step];
        let reply = &client.conns[step.reply_target];
        let reusable = super::exchange::reusable(step, reply);
        let stream = reply.stream.as_ref();
        let verdict = AnswerVerdict {
            passed: super::exchange::examine(step, reply, &mut client.life),
            status: super::exchange::status(step, reply),
            arrived: stream.map_or(0, |s| s.arrived_wall().saturating_sub(self.wall_ahead)),
        };
        client.life.settle(&mut self.ledger, verdict, now);
        client.phase = ClientPhase::Parked;
        let targets = &population.targets;
        if !reusable || !targets[step.reply_target].keep_alive {
            client.conns[step.reply_target].close();
        }
        if step.target != step.reply_target && !targets[step.target].keep_alive {
            client.conns[step.target].close();
        }
        let mut last = false;
        if client.life.at_last_step(population) {
            let done = client.life.iteration + 1;
            for (conn, target) in client.conns.iter_mut().zip(targets) {
                if let Some(cycle) = target.cycle.filter(|c| done.is_multiple_of(c.iterations)) {
                    conn.close();
                    last |= cycle
                        .cycles
                        .is_some_and(|cycles| done / cycle.iterations >= cycles);
                }
            }
        }
        if last {
            client.life.retire(&mut self.ledger)
        } else {
            client.life.advance(&mut self.ledger, plan, now)
        }
    }

    /// Fails the client's request, which ends its iteration.
    pub(super) fn fail(&mut self, c: usize, failure: RequestFailure, text: &str) {
        let now = clock::now();
        let client = &mut self.clients[c];
        let step = &self.plan.populations[client.life.population].steps[client.life.step];
        client.conns[step.target].close();
        client.conns[step.reply_target].close();
        let failed = (failure, text);
        let next = client.life.fail(&mut self.ledger, self.plan, failed, now);
        self.carry_out(c, next, now)
    }

    /// Fails the requests that exceed the timeout, and computes the earliest
    /// time at which another one can. Checking every client of thousands would
    /// delay arrivals too much.
    pub(super) fn expire_requests(&mut self, now: u64) {
        // A request sent from now on cannot time out before this time.
        let timeouts = self.plan.populations.iter().map(|p| p.timeout_ns);
        self.expiry_at = now.saturating_add(timeouts.min().unwrap_or(u64::MAX));
        for c in 0..self.clients.len() {
            let client = &self.clients[c];
            let timeout = self.plan.populations[client.life.population].timeout_ns;
            if !client.phase.in_flight() {
                continue;
            }
            self.expiry_at = self.expiry_at.min(client.life.sent.saturating_add(timeout));
            if now.saturating_sub(client.life.sent) > timeout {
                let text = match client.phase {
                    ClientPhase::Connecting => "no connection within the timeout",
                    ClientPhase::Writing | ClientPhase::Pausing => {
                        "the peer did not read within the timeout"
                    }
                    _ => "no complete answer within the timeout",
                };
                self.fail(c, RequestFailure::Timeout, text);
            }
        }
    }
}
