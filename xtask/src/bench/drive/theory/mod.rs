//! Measured response and knee against queueing theory, on a server of known
//! capacity.
//!
//! A row of a mean is met when theory is in the measurement's confidence
//! interval, and by nothing else. Theory is that of the queue plus the path to
//! it and back (loopback, and wake-ups of processors that slept for a service),
//! which is measured in every round with every queue and has a row of
//! its own: evenly spaced requests that never wait meet a short and a long
//! service, and what is left at a service of no length is the path. A server
//! that is slower than configured does not lengthen it.
//!
//! Nine intervals at 99.5 % hold together in at least 95.5 % of all runs when
//! nothing is wrong (Bonferroni), so one run of 22 may show one miss by chance.
//! A knee is met within 5 % of capacity, which chance alone misses in fewer
//! than 3 of 100 searches. The unit tests of [`queue`] show both rates, and
//! that a server a tenth slower than configured is seen, in virtual time.

mod queue;

use super::{BenchSettings, BudgetRow, RowBound};
use anyhow::{Context, Result};
use drive::engine::{self, IntervalRecord, RunObserver};
use drive::load::HttpLoad;
use drive::plan::ArrivalSpacing;
use drive::server::{Server, ServerBehaviour, ServiceTime};
use measure::stats::batch_mean;
use queue::{KNEE, POINTS, QUEUES, Queue, QueuePoint};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Three queues at three loads each, and the knee of each.
pub fn rows(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let slower = 1.0 + setting.slower / 100.0;
    let mut path = ResponsePath::start(slower)?;
    let mut measured = Vec::new();
    for queue in QUEUES {
        let seed = 100 * u64::from(queue.servers) + u64::from(queue.exponential);
        let server = serve(queue, slower, seed)?;
        let mut points: Vec<_> = POINTS
            .iter()
            .map(|point| (point, ResponseBatches::default()))
            .collect();
        for round in 0..setting.rounds {
            path.measure(round)?;
            for (point, batches) in &mut points {
                let load = presented(&server, queue.rate(point));
                batches.measure(load, point.seconds, point.batch_s, round)?;
            }
        }
        let points = points.into_iter();
        measured.extend(points.map(|(point, batches)| (queue, point, batches)));
    }
    let path = path.estimated_ms();
    let mut rows = vec![BudgetRow::judged(
        "drive-theory",
        "the path there and back".to_owned(),
        (path.0, "ms"),
        ("", None),
        RowBound::ComparisonOnly,
    )];
    let means = measured.iter();
    rows.extend(means.map(|(queue, point, batches)| mean_row(queue, point, &batches.0, path)));
    // Side by side: a queue beyond its capacity does not feel wake-ups, and
    // what a knee is judged by wants many services.
    let knees = std::thread::scope(|scope| {
        let searches = QUEUES.iter().zip(1..);
        let searches: Vec<_> = searches
            .map(|(queue, n)| scope.spawn(move || knee_row(queue, slower, n * 1000)))
            .collect();
        let ended = searches.into_iter().map(|s| s.join());
        ended
            .map(|row| row.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect::<Result<Vec<BudgetRow>>>()
    })?;
    rows.extend(knees);
    Ok(rows)
}

/// Service times of one seed are the same ones: every server has its own.
fn serve(queue: &Queue, slower: f64, seed: u64) -> std::io::Result<Server> {
    let service = ServiceTime::Queue {
        servers: queue.servers as usize,
        mean_ns: (queue.service_ms * slower * 1e6) as u64,
        exponential: queue.exponential,
    };
    Server::start(ServerBehaviour {
        service,
        seed,
        ..ServerBehaviour::default()
    })
}

/// What a response takes beyond its service when nothing waits.
struct ResponsePath {
    servers: [Server; 2],
    batches: [ResponseBatches; 2],
}

/// The short and the long service, ms.
const SERVICES_MS: [f64; 2] = [2.0, 4.0];
/// Requests a second: the next comes long after the answer.
const PATH_RATE: f64 = 100.0;
const PATH_SECONDS: f64 = 1.2;
const PATH_BATCH_S: f64 = 0.2;

impl ResponsePath {
    fn start(slower: f64) -> Result<ResponsePath> {
        let [short, long] = SERVICES_MS.map(|service_ms| {
            let queue = Queue {
                servers: 1,
                service_ms,
                exponential: false,
            };
            serve(&queue, slower, 1)
        });
        Ok(ResponsePath {
            servers: [short?, long?],
            batches: Default::default(),
        })
    }

    fn measure(&mut self, round: usize) -> Result<()> {
        for (server, batches) in self.servers.iter().zip(&mut self.batches) {
            let mut load = presented(server, PATH_RATE);
            load.arrivals = ArrivalSpacing::Constant;
            batches.measure(load, PATH_SECONDS, PATH_BATCH_S, round)?;
        }
        Ok(())
    }

    /// The path in ms, and half the width of its interval.
    fn estimated_ms(&self) -> (f64, f64) {
        let [short, long] = SERVICES_MS;
        let [(of_short, half_short), (of_long, half_long)] =
            [0, 1].map(|i| batch_mean(&self.batches[i].0, CONFIDENCE));
        let (a, b) = (long / (long - short), short / (long - short));
        (
            a * of_short - b * of_long,
            (a * half_short).hypot(b * half_long),
        )
    }
}

/// Poisson arrivals, met to the microsecond: theory knows no late driver.
fn presented(server: &Server, rate: f64) -> HttpLoad {
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.clients = 1000;
    load.arrivals = ArrivalSpacing::Poisson;
    load.rate = Some(rate);
    load.spin = Some(Duration::from_micros(100));
    load.warmup = Duration::from_millis(700);
    load
}

/// Counts and sums (ms) of the responses in batches of time.
#[derive(Default)]
struct ResponseBatches(Vec<(f64, f64)>);

impl ResponseBatches {
    /// Adds a run, every round with arrivals of its own.
    fn measure(
        &mut self,
        mut load: HttpLoad,
        seconds: f64,
        batch_s: f64,
        round: usize,
    ) -> Result<()> {
        load.duration = Duration::from_secs_f64(seconds);
        load.seed = round as u64 + 1;
        let mut plan = load.plan()?;
        plan.interval_ns = (batch_s * 1e9) as u64;
        engine::run(&plan, self, &AtomicBool::new(false))?;
        Ok(())
    }
}

impl RunObserver for ResponseBatches {
    fn interval(&mut self, interval: &IntervalRecord, _: f64) {
        for response in interval.populations.iter().map(|p| &p.response) {
            if !response.is_empty() {
                let count = response.count() as f64;
                self.0.push((count, count * response.mean() / 1e6));
            }
        }
    }
}

fn mean_row(
    queue: &Queue,
    point: &QueuePoint,
    batches: &[(f64, f64)],
    path: (f64, f64),
) -> BudgetRow {
    let (mean, half) = batch_mean(batches, CONFIDENCE);
    let half = half.hypot(path.1);
    BudgetRow::judged(
        "drive-theory",
        format!("{queue} at {:.0} %: mean response", point.share * 100.0),
        (mean, "ms"),
        ("theory + path", Some(queue.response_ms(point) + path.0)),
        RowBound::Within((half * 1e3).round() / 1e3),
    )
}

fn knee_row(queue: &Queue, slower: f64, mut seed: u64) -> Result<BudgetRow> {
    let capacity = queue.capacity();
    let first = serve(queue, slower, seed)?;
    let mut load = presented(&first, capacity);
    load.seed = seed;
    load.warmup = Duration::from_secs_f64(KNEE.warmup_s);
    load.duration = Duration::from_secs_f64(KNEE.seconds);
    let mut plan = load.plan()?;
    // What waits when a level ends is the queue's own and needs no answer.
    plan.grace_ns = 10_000_000;
    let search = drive::capacity::CapacitySearch {
        from: capacity * KNEE.from,
        to: Some(capacity * KNEE.to),
        steps: KNEE.steps,
        repeats: 1,
        precision: 1.0,
        ..drive::capacity::CapacitySearch::default()
    };
    let stop = AtomicBool::new(false);
    let found = drive::capacity::search(
        &plan,
        &search,
        &[],
        &mut |plan| {
            // What one level left in the queue is not a load of the next.
            seed += 1;
            let server = serve(queue, slower, seed)?;
            let mut plan = plan.clone();
            plan.populations[0].targets[0].address = server.address();
            let plan = &plan;
            let session = drive::session::Session {
                plan,
                observed: &[],
                viewers: Vec::new(),
            };
            session.run(&stop)
        },
        &mut |_| {},
        &|| false,
    )?;
    let stick = found
        .curve
        .stick
        .context("there are enough levels for a fit")?;
    Ok(BudgetRow::judged(
        "drive-theory",
        format!("{queue}: throughput at the knee"),
        (stick.throughput, "1/s"),
        ("capacity", Some(capacity)),
        RowBound::Within(capacity * KNEE.within),
    ))
}

/// Of each interval; nine of them hold together in 95.5 % of all runs.
const CONFIDENCE: f64 = 0.995;
