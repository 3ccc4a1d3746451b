//! The states of a client: it joins, begins an iteration, begins a step, completes
//! or fails it, thinks, or is free for the next arrival.

use super::client::ClientPhase;
use super::record::{PopulationRecord, RequestFailure, note};
use super::worker::{GroupKind, Worker};
use crate::clock;
use crate::message::TemplateScope;
use std::cmp::Reverse;

impl Worker<'_> {
    /// Starts the clients of closed loops: each joins when its population has
    /// grown to its number. Clients that exist from the start are spread over
    /// one think time. Otherwise they would stay synchronised for the whole
    /// run.
    pub(super) fn release_clients(&mut self) {
        for c in 0..self.clients.len() {
            let client = &self.clients[c];
            if let GroupKind::Closed { clients, .. } = &self.groups[client.population].kind {
                let population = &self.plan.populations[client.population];
                let share = client.number as f64 / population.clients().max(1) as f64;
                let spread = (population.think.mean_ns() * share) as u64;
                match clients.next_above(client.number as f64, 0) {
                    Some(at) => self.wake_at(c, self.start + at.max(spread)),
                    None => self.retire(c),
                }
            } else {
                self.clients[c].phase = ClientPhase::Idle;
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
                ClientPhase::Parked => self.begin_iteration(c, at, at, clock::now()),
                ClientPhase::Thinking => self.begin_step(c, at, at, clock::now()),
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
        for g in 0..self.groups.len() {
            loop {
                let end = self.end;
                let start = self.start;
                let GroupKind::Open {
                    schedule,
                    idle,
                    starved_until,
                    rotate,
                    ..
                } = &mut self.groups[g].kind
                else {
                    break;
                };
                let Some(due) = schedule.next().map(|t| start + t) else {
                    break;
                };
                if due > now || due >= end {
                    break;
                }
                // An arrival that waited for a client takes the
                // first one that became free. The time before that
                // is due to the bound. An arrival that did not wait
                // could have begun when due: the rest is the
                // driver's lateness.
                let starved = due < *starved_until;
                let next = if starved && !*rotate {
                    idle.pop_back()
                } else {
                    idle.pop_front()
                };
                let Some(c) = next else { break };
                schedule.advance();
                let c = c as usize;
                let ready = if starved {
                    due.max(self.clients[c].freed)
                } else {
                    due
                };
                if ready > due {
                    self.count(c, due, |counts| counts.held += 1);
                }
                self.begin_iteration(c, due, ready, clock::now());
            }
        }
    }

    /// Counts the arrivals that were due but had no free client until the end.
    pub(super) fn count_unsent(&mut self) {
        for g in 0..self.groups.len() {
            let GroupKind::Open { schedule, .. } = &mut self.groups[g].kind else {
                continue;
            };
            let record = &mut self.interval.populations[g];
            while let Some(due) = schedule.next().map(|t| self.start + t) {
                if due >= self.end {
                    break;
                }
                record.whole.unsent += 1;
                if (self.window.0..self.window.1).contains(&due) {
                    record.measured.unsent += 1;
                }
                schedule.advance();
            }
        }
    }

    fn begin_iteration(&mut self, c: usize, intended: u64, ready: u64, now: u64) {
        let (at, end) = (now.max(intended) - self.start, self.end);
        let client = &mut self.clients[c];
        let number = client.number as f64;
        if let GroupKind::Closed { clients, quota, .. } = &mut self.groups[client.population].kind {
            if intended >= end || *quota == Some(0) {
                return self.retire(c);
            }
            if clients.level(at) <= number {
                // The profile has shrunk below this client's
                // number.
                client.phase = ClientPhase::Parked;
                let again = clients.next_above(number, at);
                return match again.map(|t| self.start + t) {
                    Some(t) if t < end => self.wake_at(c, t),
                    _ => self.retire(c),
                };
            }
            if let Some(left) = quota {
                *left -= 1;
            }
        }
        let feeders = self.plan.feeders.iter();
        for (feeder, row) in feeders.zip(&mut client.rows) {
            *row = feeder.draw(&mut client.rng);
        }
        client.step = 0;
        client.iteration = client.iteration.wrapping_add(1);
        self.count(c, intended, |counts| counts.iterations += 1);
        self.begin_step(c, intended, ready, now);
    }

    /// Begins the client's current step. `ready` is the earliest possible time;
    /// a delay after it is the driver's own lateness.
    fn begin_step(&mut self, c: usize, intended: u64, ready: u64, now: u64) {
        let plan = self.plan;
        let client = &mut self.clients[c];
        let p = client.population;
        if intended >= self.end && matches!(self.groups[p].kind, GroupKind::Closed { .. }) {
            return self.retire(c);
        }
        let step = &plan.populations[p].steps[client.step];
        client.intended = intended;
        client.ready = ready;
        client.sent = now;
        client.measured = (self.window.0..self.window.1).contains(&intended);
        client.out.at = 0;
        client.out.piece = 0;
        client.out.piece_end = 0;
        let mut rendered = Ok(());
        match step.request.fixed() {
            Some(bytes) => {
                // The same request as last time needs no new
                // reference.
                let same = client
                    .out
                    .shared
                    .as_ref()
                    .is_some_and(|b| std::ptr::eq(&**b, &**bytes));
                if !same {
                    client.out.shared = Some(bytes.clone());
                }
            }
            None => {
                client.out.shared = None;
                client.out.own.clear();
                let mut scope = TemplateScope {
                    feeders: &plan.feeders,
                    rows: &client.rows,
                    captured: &client.captured,
                    client: client.number,
                    iteration: client.iteration,
                    rng: &mut client.rng,
                };
                let out = &mut client.out.own;
                rendered = step.request.render(&mut scope, &mut self.scratch, out);
            }
        }
        client.phase = ClientPhase::Connecting;
        self.in_flight += 1;
        let group = &mut self.groups[p];
        if client.step == 0 && matches!(group.kind, GroupKind::Open { .. }) {
            let last = group.last_sent.replace(now);
            if let Some(last) = last.filter(|_| client.measured) {
                self.interval.populations[p].gaps.push((now - last) as f64);
            }
        }
        self.count(c, intended, |counts| counts.sent += 1);
        match rendered {
            Ok(()) => self.send_when_connected(c),
            Err(why) => self.fail(c, RequestFailure::Malformed, &why.to_string()),
        }
    }

    /// Completes the client's request: its answer has arrived.
    pub(super) fn complete(&mut self, c: usize, now: u64) {
        let plan = self.plan;
        self.in_flight -= 1;
        self.note_done(now);
        let client = &mut self.clients[c];
        let p = client.population;
        let population = &plan.populations[p];
        let step = &population.steps[client.step];
        let reply = &mut client.conns[step.reply_target];
        let passed = super::exchange::examine(step, reply, &mut client.captured);
        let status = super::exchange::status(step, reply);
        let reusable = super::exchange::reusable(step, reply);
        let stream = reply.stream.as_ref();
        let arrived = stream.map_or(0, |s| s.arrived_wall().saturating_sub(self.wall_ahead));
        let record = &mut self.interval.populations[p];
        let in_window = (self.window.0..self.window.1).contains(&now);
        let each = |counts: &mut super::RequestCounts| {
            counts.answered += 1;
            counts.checks_failed += u64::from(!passed);
            counts.status[usize::from(status / 100).min(5)] += 1;
            counts.in_window += u64::from(in_window);
        };
        each(&mut record.whole);
        if client.measured {
            each(&mut record.measured);
            record_times(
                record,
                client.step,
                passed,
                [client.intended, client.ready, client.sent, now],
                arrived,
            );
        } else if in_window {
            // Begun in the warm-up, answered in the measured part:
            // counted in the throughput but not in the percentiles.
            record.measured.in_window += 1;
        }
        client.refusals = 0;
        let targets = &population.targets;
        if !reusable || !targets[step.reply_target].keep_alive {
            client.conns[step.reply_target].close();
        }
        if step.target != step.reply_target && !targets[step.target].keep_alive {
            client.conns[step.target].close();
        }
        let think = step.think.as_ref().unwrap_or(&population.think);
        let pause = think.draw(&mut client.rng);
        client.step += 1;
        let over = client.step == population.steps.len();
        client.phase = ClientPhase::Parked;
        let mut last = false;
        for (conn, target) in client.conns.iter_mut().zip(targets).filter(|_| over) {
            let done = client.iteration + 1;
            if let Some(cycle) = target.cycle.filter(|c| done.is_multiple_of(c.iterations)) {
                conn.close();
                last |= cycle
                    .cycles
                    .is_some_and(|cycles| done / cycle.iterations >= cycles);
            }
        }
        if last {
            return self.retire(c);
        }
        if over && matches!(self.groups[p].kind, GroupKind::Open { .. }) {
            self.set_free(c, now);
        } else if pause > 0 {
            client.phase = if over {
                ClientPhase::Parked
            } else {
                ClientPhase::Thinking
            };
            self.wake_at(c, now + pause);
        } else if over {
            self.begin_iteration(c, now, now, now);
        } else {
            self.begin_step(c, now, now, now);
        }
    }

    /// Fails the client's request, which ends its iteration.
    pub(super) fn fail(&mut self, c: usize, failure: RequestFailure, text: &str) {
        let now = clock::now();
        self.in_flight -= 1;
        self.note_done(now);
        let client = &mut self.clients[c];
        let p = client.population;
        let population = &self.plan.populations[p];
        let step = &population.steps[client.step];
        let target = &population.targets[step.target];
        note(
            &mut self.interval.messages,
            &format!("{}: {text}", target.name),
            1,
        );
        let record = &mut self.interval.populations[p];
        record.whole.failed[failure as usize] += 1;
        if client.measured {
            record.measured.failed[failure as usize] += 1;
            if let Some(step) = record.steps.get_mut(client.step) {
                step.errors += 1;
            }
        }
        client.conns[step.target].close();
        client.conns[step.reply_target].close();
        client.phase = ClientPhase::Parked;
        if matches!(self.groups[p].kind, GroupKind::Open { .. }) {
            return self.set_free(c, now);
        }
        // A closed loop against a stopped server must not become a busy
        // loop.
        let mut pause = population
            .think
            .draw(&mut client.rng)
            .max(SHORTEST_RETRY_NS);
        if failure == RequestFailure::Connect {
            pause += SHORTEST_RETRY_NS << (3 + client.refusals.min(7));
            client.refusals += 1;
        }
        self.wake_at(c, now + pause);
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
            let timeout = self.plan.populations[client.population].timeout_ns;
            if !client.phase.in_flight() {
                continue;
            }
            self.expiry_at = self.expiry_at.min(client.sent.saturating_add(timeout));
            if now.saturating_sub(client.sent) > timeout {
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

    fn set_free(&mut self, c: usize, now: u64) {
        let client = &mut self.clients[c];
        client.phase = ClientPhase::Idle;
        client.freed = now;
        if let GroupKind::Open {
            idle,
            rotate,
            starved_until,
            ..
        } = &mut self.groups[client.population].kind
        {
            if idle.is_empty() {
                *starved_until = now;
            }
            if *rotate {
                idle.push_back(c as u32)
            } else {
                // Its connection is open; those of others may not
                // be.
                idle.push_front(c as u32)
            }
        }
    }

    fn retire(&mut self, c: usize) {
        let client = &mut self.clients[c];
        client.phase = ClientPhase::Parked;
        client.wake_at = 0;
        client
            .conns
            .iter_mut()
            .for_each(super::client::TargetConnection::close);
        if let GroupKind::Closed { active, .. } = &mut self.groups[client.population].kind {
            *active -= 1;
        }
    }

    fn count(&mut self, c: usize, intended: u64, each: impl Fn(&mut super::RequestCounts)) {
        let record = &mut self.interval.populations[self.clients[c].population];
        each(&mut record.whole);
        if (self.window.0..self.window.1).contains(&intended) {
            each(&mut record.measured);
        }
    }
}

pub(super) fn record_times(
    record: &mut PopulationRecord,
    step: usize,
    passed: bool,
    times: [u64; 4],
    arrived: u64,
) {
    let [intended, ready, sent, done] = times;
    // A stamp outside the request's duration means that the wall clock was set.
    let arrived = if (sent..done).contains(&arrived) {
        arrived
    } else {
        done
    };
    record.lateness.record(sent.saturating_sub(ready));
    record.wire.record(arrived.saturating_sub(sent));
    record.response.record(done.saturating_sub(intended));
    if passed {
        record.passed.record(done.saturating_sub(intended));
    }
    if let Some(step) = record.steps.get_mut(step) {
        step.response.record(done.saturating_sub(intended));
        step.errors += u64::from(!passed);
    }
}

/// The pause after a failure. While connections are refused, it doubles from eight
/// times this value.
const SHORTEST_RETRY_NS: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_a_clock_that_was_set_does_not_bend_the_time_on_the_wire() {
        let wire = |arrived| {
            let mut record = PopulationRecord::new(1);
            record_times(&mut record, 0, true, [1000, 1100, 1200, 2000], arrived);
            assert_eq!(record.response.max(), 1000);
            record.wire.max()
        };
        assert_eq!(wire(1900), 700);
        for jumped in [0, 1199, 2001, u64::MAX] {
            assert_eq!(wire(jumped), 800, "{jumped}");
        }
    }
}
