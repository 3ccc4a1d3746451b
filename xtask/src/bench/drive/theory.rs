//! Measured response and knee against queueing theory, on a server of known
//! capacity.

use super::{Bound, Row, Setting};
use anyhow::{Context, Result};
use drive::load::HttpLoad;
use drive::server::{Behaviour, Server, Service};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A queue's servers, service time in ms, and whether that is exponential.
const QUEUES: &[(u32, f64, bool)] = &[(1, 2.0, false), (1, 2.0, true), (4, 8.0, true)];

/// Three queues at three loads each, and the knee of each.
pub fn rows(setting: &Setting) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (servers, mean_ms, exponential) in QUEUES.iter().copied() {
        let kind = match exponential {
            true => format!("M/M/{servers}"),
            false => format!("M/D/{servers}"),
        };
        let server = Server::start(Behaviour {
            service: Service::Queue {
                servers: servers as usize,
                mean_ns: (mean_ms * 1e6) as u64,
                exponential,
            },
            ..Behaviour::default()
        })?;
        let mut load = HttpLoad::new(format!("http://{}/", server.address()));
        load.clients = 1000;
        load.arrivals = drive::plan::Arrivals::Poisson;
        let capacity = f64::from(servers) * 1e3 / mean_ms;
        for share in [0.3, 0.6, 0.8] {
            let rate = capacity * share;
            load.rate = Some(rate);
            load.duration = Duration::from_secs(3);
            let mut means = Vec::new();
            for round in 0..setting.rounds.max(3) {
                load.seed = round as u64 + 1;
                means.push(load.run()?.sum().response.mean() / 1e6);
            }
            let sample = measure::stats::Sample::of(&means);
            let service = mean_ms / 1e3;
            let expected = match exponential {
                true => measure::queueing::mmc_response(servers, rate, service),
                false => measure::queueing::md1_response(rate, service),
            };
            let expected = expected.context("the load lies below capacity")? * 1e3;
            // Timers and the loopback add a little that theory does not know.
            let bound = sample.half_width() + 0.1 * expected;
            rows.push(Row::judged(
                "drive-theory",
                format!("{kind} at {:.0} %: mean response", share * 100.0),
                (sample.mean, "ms"),
                ("queueing theory", Some(expected)),
                Bound::Within((bound * 1e3).round() / 1e3),
            ));
        }
        rows.push(knee_row(&kind, &load, capacity)?);
    }
    Ok(rows)
}

fn knee_row(kind: &str, load: &HttpLoad, capacity: f64) -> Result<Row> {
    let mut load = load.clone();
    load.rate = Some(capacity);
    load.warmup = Duration::from_millis(500);
    load.duration = Duration::from_secs(2);
    load.timeout = Duration::from_secs(1);
    let search = drive::capacity::Search {
        from: capacity * 0.2,
        to: Some(capacity * 1.6),
        steps: 8,
        repeats: 1,
        precision: 1.0,
    };
    let stop = AtomicBool::new(false);
    let found = drive::capacity::search(
        &load.plan()?,
        &search,
        &[],
        &mut |plan| {
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
    let bound = Bound::Within(capacity * 0.05);
    let row = format!("{kind}: throughput at the knee");
    Ok(Row::judged(
        "drive-theory",
        row,
        (stick.throughput, "1/s"),
        ("capacity", Some(capacity)),
        bound,
    ))
}
