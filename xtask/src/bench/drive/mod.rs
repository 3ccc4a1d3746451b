//! The load driver's budgets: CPU per request in a closed loop, the evenness
//! of a constant rate, and the truth about a server that stands still. The
//! server is the driver's own built-in one, in this process; every driver, ours
//! too, is a process of its own.

mod closed;
mod constant;
mod many;
mod peers;
mod stall;
mod theory;

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median};
use anyhow::{Result, bail};
use drive::load::HttpLoad;
use drive::server::{Server, ServerBehaviour};
use std::time::Duration;

/// The driver's benches.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "drive-cpu",
        about: "driver CPU per request and memory, closed loop, 50 connections, against wrk and others",
        run: closed::rows,
    },
    BenchEntry {
        name: "drive-constant",
        about: "evenness of 2,000 requests/s and its p99, against oha and others",
        run: constant::rows,
    },
    BenchEntry {
        name: "drive-stall",
        about: "p99 reported after a standstill of 1 s in runs of 10 and 20 s, against arithmetic and others",
        run: stall::rows,
    },
    BenchEntry {
        name: "drive-theory",
        about: "measured response and knee against M/M/c and M/D/1 on a server of known capacity",
        run: theory::rows,
    },
    BenchEntry {
        name: "drive-many",
        about: "10,000 connections at 20,000 requests/s: lateness p99, and memory of each driver",
        run: many::rows,
    },
];

/// How `cargo xtask serve` behaves.
#[derive(clap::Args)]
pub struct ServeArgs {
    /// Be a queue with this many servers instead of answering at once
    #[arg(long)]
    servers: Option<usize>,
    /// The queue's mean service time in milliseconds, exponentially distributed
    #[arg(long, default_value_t = 10.0)]
    service_ms: f64,
}

/// Serves until standard input ends.
pub fn serve(args: &ServeArgs) -> Result<bool> {
    let service = match args.servers {
        None => drive::server::ServiceTime::Immediate,
        Some(servers) => drive::server::ServiceTime::Queue {
            servers,
            mean_ns: (args.service_ms * 1e6) as u64,
            exponential: true,
        },
    };
    let server = Server::start(ServerBehaviour {
        service,
        ..ServerBehaviour::default()
    })?;
    println!("{}", server.address());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(true)
}

/// What `cargo xtask present` presents.
#[derive(clap::Args)]
pub struct PresentArgs {
    /// Where
    url: String,
    /// Connections, all opened before the run unless it is cold
    #[arg(long)]
    clients: usize,
    /// How long
    #[arg(long)]
    seconds: u64,
    /// Requests a second instead of a closed loop
    #[arg(long)]
    rate: Option<f64>,
    /// Open connections as they are needed, and count from the first request
    #[arg(long)]
    cold: bool,
}

/// Presents a load and prints its figures as JSON.
pub fn present(args: &PresentArgs) -> Result<bool> {
    let mut load = HttpLoad::new(args.url.clone());
    load.clients = args.clients;
    load.rate = args.rate;
    load.threads = 1;
    load.ahead = Some(if args.cold { 0 } else { args.clients });
    // A rate is judged without the first second, in which the server gets to
    // know the connections; CPU and memory are those of the whole process.
    load.warmup = Duration::from_secs(u64::from(args.rate.is_some() && !args.cold));
    load.duration = Duration::from_secs(args.seconds);
    let plan = load.plan()?;
    let foreseen = drive::preflight::check(&plan);
    if !foreseen.is_empty() {
        let texts: Vec<String> = foreseen.iter().map(ToString::to_string).collect();
        bail!("not possible here: {}", texts.join("; "));
    }
    let outcome = load.run()?;
    let sum = outcome.sum();
    let ms = |ns: u64| ns as f64 / 1e6;
    println!(
        "{}",
        serde_json::json!({
            "answers_s": outcome.throughput(),
            "lateness_p99_ms": ms(sum.lateness.quantile(0.99)),
            "response_p99_ms": ms(sum.response.quantile(0.99)),
        })
    );
    Ok(true)
}
