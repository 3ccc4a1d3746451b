//! HTTP/2 populations: a thread with a small runtime of its own, because the
//! protocol comes from a library (h2) that wants one. Each client has one
//! connection. What is recorded, and how, is the same as on the own request
//! path; the runtime's timers are coarser, which shows as lateness.
//!
//! Reference: RFC 9113.

use super::arrivals::{Schedule, stream};
use super::record::{Counts, Failure, Interval, note};
use super::worker::{Ended, share};
use crate::clock;
use crate::message::{Scope, Template};
use crate::net;
use crate::plan::{Load, Plan, Population, Step, Target};
use crate::rng::Rng;
use bytes::Bytes;
use h2::client::SendRequest;
use http::{HeaderMap, Request, Uri};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

/// Whether a population speaks HTTP/2.
pub(super) fn speaks(population: &Population) -> bool {
    population.targets.iter().any(|t| t.http2)
}

/// One thread's HTTP/2 clients.
pub(super) struct Http2 {
    plan: Arc<Plan>,
    index: usize,
}

/// What the clients of one thread share.
struct Shared {
    plan: Arc<Plan>,
    start: u64,
    window: (u64, u64),
    end: u64,
    in_flight: u64,
    active: usize,
    last_done: u64,
    interval: Interval,
    quotas: Vec<Option<u64>>,
    schedules: Vec<Option<Schedule>>,
}

/// One client between its requests.
struct Client {
    population: usize,
    number: u64,
    iteration: u64,
    rng: Rng,
    rows: Vec<u64>,
    captured: Vec<Vec<u8>>,
    connection: Option<SendRequest<Bytes>>,
}

/// An answer as checks and captures see it.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    size: u64,
}

type Failed = (Failure, String);

impl Http2 {
    pub fn new(plan: &Plan, index: usize) -> Http2 {
        Http2 {
            plan: Arc::new(plan.clone()),
            index,
        }
    }

    /// Presents the load from `start` on and returns when the run is over.
    pub fn run(self, start: u64, stop: &AtomicBool, out: &Sender<Interval>) -> io::Result<Ended> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let plan = self.plan.clone();
        let end = plan.length_ns().map_or(u64::MAX, |length| start + length);
        let steps: Vec<usize> = plan.populations.iter().map(|p| p.steps.len()).collect();
        let mut shared = Shared {
            start,
            window: (start + plan.warmup_ns, end),
            end,
            in_flight: 0,
            active: 0,
            last_done: start,
            interval: Interval::new(0, &steps),
            quotas: Vec::new(),
            schedules: Vec::new(),
            plan: plan.clone(),
        };
        let mut clients = Vec::new();
        for (p, population) in plan.populations.iter().enumerate() {
            let (quota, schedule) = self.shares(p, population);
            shared.quotas.push(quota);
            shared.schedules.push(schedule);
            if speaks(population) {
                let numbers = (self.index..population.clients()).step_by(plan.threads);
                clients.extend(numbers.map(|number| Client::new(&plan, p, number as u64)));
            }
        }
        shared.active = clients.len();
        let shared = Rc::new(RefCell::new(shared));
        let done = Rc::new(Notify::new());
        let local = LocalSet::new();
        for client in clients {
            let (shared, done) = (shared.clone(), done.clone());
            local.spawn_local(async move {
                client.live(&shared).await;
                shared.borrow_mut().active -= 1;
                done.notify_one();
            });
        }
        let cpu = local.block_on(&runtime, watch(&shared, &done, &steps, stop, out));
        drop(local);
        let mut shared = shared.borrow_mut();
        shared.count_unsent();
        shared.flush(&steps, 0, out);
        let window = match shared.window {
            (from, u64::MAX) => (from, shared.last_done.max(from)),
            window => window,
        };
        Ok(Ended {
            window,
            cpu_ns: cpu,
        })
    }

    fn shares(&self, p: usize, population: &Population) -> (Option<u64>, Option<Schedule>) {
        let threads = self.plan.threads;
        match &population.load {
            _ if !speaks(population) => (None, None),
            Load::Closed { iterations, .. } => {
                (iterations.map(|n| share(n, self.index, threads)), None)
            }
            Load::Open { rate, arrivals, .. } => {
                let rng = Rng::new(self.plan.seed, stream(p, self.index));
                let rate = rate.after(self.plan.warmup_ns);
                (
                    None,
                    Some(Schedule::new(rate, *arrivals, (self.index, threads), rng)),
                )
            }
        }
    }
}

/// Flushes intervals and ends the run; returns the CPU of the measured part.
async fn watch(
    shared: &Rc<RefCell<Shared>>,
    done: &Notify,
    steps: &[usize],
    stop: &AtomicBool,
    out: &Sender<Interval>,
) -> u64 {
    let first = shared.borrow().start + shared.borrow().plan.interval_ns;
    let mut watching = Watching {
        flush_at: first,
        cpu_at_flush: clock::thread_cpu(),
        cpu_at_window: [None; 2],
        stopped: false,
    };
    loop {
        let wish = stop.load(Ordering::Relaxed);
        if let Some(cpu) = watching.look(&mut shared.borrow_mut(), steps, wish, out) {
            return cpu;
        }
        // Woken by the last client, or to look around.
        let _ = timeout(GLANCE, done.notified()).await;
    }
}

/// What the watching task remembers between two looks.
struct Watching {
    flush_at: u64,
    cpu_at_flush: u64,
    cpu_at_window: [Option<u64>; 2],
    stopped: bool,
}

impl Watching {
    /// Looks around; the CPU of the measured part when the run is over.
    fn look(
        &mut self,
        state: &mut Shared,
        steps: &[usize],
        stop: bool,
        out: &Sender<Interval>,
    ) -> Option<u64> {
        let now = clock::now();
        if stop && !self.stopped {
            self.stopped = true;
            state.end = state.end.min(now);
            state.window.1 = state.window.1.min(now).max(state.window.0);
        }
        let ends = [state.window.0, state.window.1];
        for (slot, at) in self.cpu_at_window.iter_mut().zip(ends) {
            if slot.is_none() && now >= at {
                *slot = Some(clock::thread_cpu());
            }
        }
        while now >= self.flush_at {
            let cpu = clock::thread_cpu();
            state.flush(steps, cpu - self.cpu_at_flush, out);
            self.cpu_at_flush = cpu;
            self.flush_at += state.plan.interval_ns;
        }
        let late = state.end.saturating_add(state.plan.grace_ns);
        (state.active == 0 || now >= late).then(|| {
            let cpu = clock::thread_cpu();
            self.cpu_at_window[1].unwrap_or(cpu) - self.cpu_at_window[0].unwrap_or(cpu)
        })
    }
}

impl Shared {
    fn flush(&mut self, steps: &[usize], cpu_ns: u64, out: &Sender<Interval>) {
        let next = Interval::new(self.interval.index + 1, steps);
        let mut interval = std::mem::replace(&mut self.interval, next);
        interval.outstanding = self.in_flight;
        interval.cpu_ns = cpu_ns;
        // The collector is gone only when the run is being abandoned.
        let _ = out.send(interval);
    }

    fn count(&mut self, population: usize, measured: bool, each: impl Fn(&mut Counts)) {
        let record = &mut self.interval.populations[population];
        each(&mut record.whole);
        if measured {
            each(&mut record.measured);
        }
    }

    fn measures(&self, at: u64) -> bool {
        (self.window.0..self.window.1).contains(&at)
    }

    fn count_unsent(&mut self) {
        for p in 0..self.schedules.len() {
            while let Some(due) = self.next_due(p) {
                let measured = self.measures(due);
                self.count(p, measured, |c| c.unsent += 1);
            }
        }
    }

    /// Takes the next arrival of the open loop that lies before the end.
    fn next_due(&mut self, population: usize) -> Option<u64> {
        let (start, end) = (self.start, self.end);
        let schedule = self.schedules[population].as_mut()?;
        let due = schedule
            .next()
            .map(|t| start + t)
            .filter(|due| *due < end)?;
        schedule.advance();
        Some(due)
    }

    /// Whether a closed loop's client may begin another iteration at `now`.
    fn may_begin(&mut self, population: usize, now: u64) -> bool {
        if now >= self.end {
            return false;
        }
        match &mut self.quotas[population] {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

impl Client {
    fn new(plan: &Plan, population: usize, number: u64) -> Client {
        let steps = plan.populations[population].steps.iter();
        let slots = steps.flat_map(|s| &s.captures).map(|c| c.slot + 1).max();
        Client {
            population,
            number,
            iteration: 0,
            rng: Rng::new(plan.seed, ((population as u64) << 40 | number) + 1),
            rows: vec![0; plan.feeders.len()],
            captured: vec![Vec::new(); slots.unwrap_or(0)],
            connection: None,
        }
    }

    async fn live(mut self, shared: &RefCell<Shared>) {
        let plan = shared.borrow().plan.clone();
        let population = &plan.populations[self.population];
        let (start, warmup) = (shared.borrow().start, plan.warmup_ns);
        let mut free = clock::now();
        match &population.load {
            Load::Open { .. } => loop {
                let due = shared.borrow_mut().next_due(self.population);
                let Some(due) = due else { return };
                sleep_until(due).await;
                if due < free {
                    let mut state = shared.borrow_mut();
                    let measured = state.measures(due);
                    state.count(self.population, measured, |c| c.held += 1);
                }
                self.iterate(&plan, population, due, due.max(free), shared)
                    .await;
                free = clock::now();
            },
            Load::Closed { clients, .. } => {
                let level = clients.after(warmup);
                let spread = population.think.mean_ns() * self.number as f64;
                let mut at = start + (spread / population.clients().max(1) as f64) as u64;
                loop {
                    let join = level.next_above(self.number as f64, at.saturating_sub(start));
                    let Some(join) = join.map(|t| start + t) else {
                        return;
                    };
                    at = at.max(join);
                    if at >= shared.borrow().end {
                        return;
                    }
                    sleep_until(at).await;
                    if !shared.borrow_mut().may_begin(self.population, at) {
                        return;
                    }
                    let well = self.iterate(&plan, population, at, at, shared).await;
                    let pause = population.think.draw(&mut self.rng);
                    at = clock::now() + if well { pause } else { pause.max(RETRY_NS) };
                }
            }
        }
    }

    /// One iteration; false when a request failed.
    async fn iterate(
        &mut self,
        plan: &Plan,
        population: &Population,
        intended: u64,
        ready: u64,
        shared: &RefCell<Shared>,
    ) -> bool {
        for (feeder, row) in plan.feeders.iter().zip(&mut self.rows) {
            *row = feeder.draw(&mut self.rng);
        }
        let (mut intended, mut ready) = (intended, ready);
        for (i, step) in population.steps.iter().enumerate() {
            let sent = clock::now();
            let p = self.population;
            let measured = {
                let mut state = shared.borrow_mut();
                let measured = state.measures(intended);
                state.in_flight += 1;
                state.count(p, measured, |c| {
                    c.sent += 1;
                    c.iterations += u64::from(i == 0);
                });
                measured
            };
            let patience = Duration::from_nanos(population.timeout_ns);
            let late = || Err((Failure::Timeout, "no complete answer in time".to_owned()));
            let target = &population.targets[step.target];
            let exchange = self.exchange(plan, target, step, measured, shared);
            let answer = timeout(patience, exchange).await.unwrap_or_else(|_| late());
            let done = clock::now();
            let times = [intended, ready, sent, done];
            let answered = self.settle(answer, step, i, measured, times, target, shared);
            if !answered {
                self.iteration += 1;
                return false;
            }
            let think = step.think.as_ref().unwrap_or(&population.think);
            let last = i + 1 == population.steps.len();
            let pause = if last { 0 } else { think.draw(&mut self.rng) };
            intended = done + pause;
            ready = intended;
            sleep_until(intended).await;
        }
        self.iteration += 1;
        true
    }

    /// Records what became of a request; false when it failed.
    #[allow(clippy::too_many_arguments, reason = "one request's whole story")]
    fn settle(
        &mut self,
        answer: Result<Answer, Failed>,
        step: &Step,
        index: usize,
        measured: bool,
        times: [u64; 4],
        target: &Target,
        shared: &RefCell<Shared>,
    ) -> bool {
        let p = self.population;
        let done = times[3];
        let mut state = shared.borrow_mut();
        state.in_flight -= 1;
        state.last_done = done;
        match answer {
            Ok(answer) => {
                let passed = self.examine(step, &answer);
                let in_window = u64::from(state.measures(done));
                state.count(p, measured, |c| {
                    c.answered += 1;
                    c.checks_failed += u64::from(!passed);
                    c.status[usize::from(answer.status / 100).min(5)] += 1;
                    c.bytes_in += answer.size;
                });
                let record = &mut state.interval.populations[p];
                record.whole.in_window += in_window;
                record.measured.in_window += in_window;
                if measured {
                    // The library reads the socket, so no stamp is seen.
                    super::lifecycle::record_times(record, index, passed, times, 0);
                }
                true
            }
            Err((failure, text)) => {
                self.connection = None;
                state.count(p, measured, |c| c.failed[failure as usize] += 1);
                let text = format!("{}: {text}", target.name);
                note(&mut state.interval.messages, &text, 1);
                false
            }
        }
    }

    async fn exchange(
        &mut self,
        plan: &Plan,
        target: &Target,
        step: &Step,
        measured: bool,
        shared: &RefCell<Shared>,
    ) -> Result<Answer, Failed> {
        if self.connection.is_none() || !target.keep_alive {
            let began = clock::now();
            self.connection = Some(connect(target).await?);
            self.note_connect(clock::now() - began, measured, shared);
        }
        let (request, body) = self.request(plan, target, &step.request)?;
        let reset = |e: h2::Error| (Failure::Reset, e.to_string());
        let sender = self.connection.take().expect("a connection was just made");
        let mut sender = sender.ready().await.map_err(reset)?;
        let size = body.len() as u64;
        let (response, mut stream) = sender
            .send_request(request, body.is_empty())
            .map_err(reset)?;
        if !body.is_empty() {
            stream.send_data(body, true).map_err(reset)?;
        }
        shared
            .borrow_mut()
            .count(self.population, measured, |c| c.bytes_out += size);
        let response = response.await.map_err(reset)?;
        let (head, mut stream) = response.into_parts();
        let keep = !step.captures.is_empty() || step.checks.iter().any(|k| k.needs_body());
        let mut answer = Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: Vec::new(),
            size: 0,
        };
        while let Some(piece) = stream.data().await {
            let piece = piece.map_err(reset)?;
            answer.size += piece.len() as u64;
            if keep && answer.body.len() < LONGEST_KEPT {
                answer.body.extend_from_slice(&piece);
            }
            stream
                .flow_control()
                .release_capacity(piece.len())
                .map_err(reset)?;
        }
        self.connection = Some(sender);
        Ok(answer)
    }

    fn note_connect(&self, took_ns: u64, measured: bool, shared: &RefCell<Shared>) {
        let mut state = shared.borrow_mut();
        state.count(self.population, measured, |c| c.connects += 1);
        let record = &mut state.interval.populations[self.population];
        record.connect.record(took_ns);
    }

    /// The step's request in the form that HTTP/2 wants: rendered as on the
    /// own request path, then taken apart again, so that one template serves
    /// both.
    fn request(
        &mut self,
        plan: &Plan,
        target: &Target,
        template: &Template,
    ) -> Result<(Request<()>, Bytes), Failed> {
        let mut scope = Scope {
            feeders: &plan.feeders,
            rows: &self.rows,
            captured: &self.captured,
            client: self.number,
            iteration: self.iteration,
            rng: &mut self.rng,
        };
        let mut text = Vec::new();
        template.render(&mut scope, &mut Vec::new(), &mut text);
        take_apart(&text, target).ok_or_else(|| {
            let why = "the rendered request is not valid in HTTP/2";
            (Failure::Malformed, why.to_owned())
        })
    }

    fn examine(&mut self, step: &Step, answer: &Answer) -> bool {
        let Answer {
            status,
            headers,
            body,
            size,
        } = answer;
        let mut passed = step.checks.iter().all(|k| k.passes(*status, body, *size));
        for capture in &step.captures {
            let header = |name: &str| headers.get(name).map(|v| v.as_bytes().to_vec());
            if let Some(slot) = self.captured.get_mut(capture.slot) {
                passed &= capture.from.take(header, body, slot);
            }
        }
        passed
    }
}

fn take_apart(text: &[u8], target: &Target) -> Option<(Request<()>, Bytes)> {
    let end = memchr::memmem::find(text, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&text[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?, first.next()?);
    let scheme = if target.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let mut authority = target.name.as_str();
    let mut builder = Request::builder().method(method);
    for line in lines {
        let (name, value) = line.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "host" => authority = value.trim(),
            // Connection management is HTTP/1's own.
            "connection" | "keep-alive" | "transfer-encoding" | "upgrade" => {}
            name => builder = builder.header(name, value.trim()),
        }
    }
    let uri: Uri = format!("{scheme}://{authority}{path}").parse().ok()?;
    let request = builder
        .uri(uri)
        .version(http::Version::HTTP_2)
        .body(())
        .ok()?;
    Some((request, Bytes::copy_from_slice(&text[end + 4..])))
}

async fn connect(target: &Target) -> Result<SendRequest<Bytes>, Failed> {
    let refused = |e: io::Error| (Failure::Connect, e.to_string());
    let source = target.sources.first().copied();
    let fd = net::connect(target.address, source, &target.knobs).map_err(refused)?;
    let stream = tokio::net::TcpStream::from_std(fd.into()).map_err(refused)?;
    stream.writable().await.map_err(refused)?;
    if let Some(error) = stream.take_error().map_err(refused)? {
        return Err(refused(error));
    }
    match &target.tls {
        None => handshake(stream).await,
        Some(tls) => {
            let connector = tokio_rustls::TlsConnector::from(tls.config.clone());
            let stream = connector.connect(tls.name.clone(), stream).await;
            let stream = stream.map_err(|e| (Failure::Tls, e.to_string()))?;
            if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
                let why = "the server does not offer HTTP/2";
                return Err((Failure::Tls, why.to_owned()));
            }
            handshake(stream).await
        }
    }
}

async fn handshake<T>(stream: T) -> Result<SendRequest<Bytes>, Failed>
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let mut builder = h2::client::Builder::new();
    builder
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    let made = builder.handshake(stream).await;
    let (sender, connection) = made.map_err(|e| (Failure::Malformed, e.to_string()))?;
    // Its end is seen by the request that is on it.
    tokio::task::spawn_local(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

async fn sleep_until(at: u64) {
    let wait = at.saturating_sub(clock::now());
    if wait > 0 {
        sleep(Duration::from_nanos(wait)).await;
    }
}

/// How often a wish to stop is looked for.
const GLANCE: Duration = Duration::from_millis(20);
/// The pause after a failure, so that a dead server is no busy loop.
const RETRY_NS: u64 = 10_000_000;
/// Wide enough that large answers are not slowed by window updates.
const WINDOW: u32 = 8 << 20;
/// How much of a body is stored for checks and captures.
const LONGEST_KEPT: usize = 16 << 20;
