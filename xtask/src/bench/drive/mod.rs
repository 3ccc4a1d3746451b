//! The load driver's budgets: CPU per request in a closed loop, the evenness
//! of a constant rate, and the truth about a server that stands still. The
//! server is the driver's own built-in one, in this process.

use super::{Bench, Bound, Row, Setting, alternate};
use anyhow::{Context, Result, bail};
use drive::engine::{self, Observer};
use drive::load::HttpLoad;
use drive::server::{Behaviour, Server};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The driver's benches.
pub const BENCHES: &[Bench] = &[
    Bench {
        name: "drive-cpu",
        about: "driver CPU per request, closed loop, 50 connections, against wrk and others",
        run: cpu,
    },
    Bench {
        name: "drive-constant",
        about: "evenness of 2,000 requests/s and its p99, against oha and others",
        run: constant,
    },
    Bench {
        name: "drive-stall",
        about: "p99 told after a standstill of 1 s in runs of 10 and 20 s, against arithmetic",
        run: stall,
    },
    Bench {
        name: "drive-theory",
        about: "measured response and knee against M/M/c and M/D/1 on a server of known capacity",
        run: theory,
    },
    Bench {
        name: "drive-many",
        about: "10,000 connections at 20,000 requests/s: lateness p99 and memory",
        run: many,
    },
];

/// A driver to compare with: its program and its arguments for this bench.
struct Peer {
    name: &'static str,
    arguments: fn(&str) -> Vec<String>,
}

const CLOSED: &[Peer] = &[
    Peer {
        name: "wrk",
        arguments: |url| words(&["-t1", "-c50", "-d3", url]),
    },
    Peer {
        name: "oha",
        arguments: |url| words(&["--no-tui", "-c", "50", "-z", "3s", url]),
    },
    Peer {
        name: "hey",
        arguments: |url| words(&["-c", "50", "-z", "3s", url]),
    },
    Peer {
        name: "fortio",
        arguments: |url| words(&["load", "-qps", "0", "-c", "50", "-t", "3s", url]),
    },
];

const CONSTANT: &[Peer] = &[
    Peer {
        name: "oha",
        arguments: |url| words(&["--no-tui", "-q", "2000", "-c", "50", "-z", "3s", url]),
    },
    Peer {
        name: "wrk2",
        arguments: |url| words(&["-t1", "-c50", "-d3", "-R2000", url]),
    },
    Peer {
        name: "fortio",
        arguments: |url| words(&["load", "-qps", "2000", "-c", "50", "-t", "3s", url]),
    },
];

fn cpu(setting: &Setting) -> Result<Vec<Row>> {
    let server = Server::start(Behaviour {
        body_bytes: 12,
        ..Behaviour::default()
    })?;
    let url = format!("http://{}/", server.address());
    let mut rows = Vec::new();
    for peer in CLOSED {
        let (ours, theirs) = alternate(
            setting.rounds,
            || {
                let mut load = HttpLoad::new(url.clone());
                load.clients = 50;
                load.threads = 1;
                load.warmup = Duration::from_millis(500);
                load.duration = Duration::from_secs(3);
                Ok(load.run()?.cpu_per_request_ns() / 1e3)
            },
            || {
                let before = answered(&server);
                Ok(peer
                    .cpu_s(&url)?
                    .map(|s| s * 1e6 / (answered(&server) - before)))
            },
        )?;
        let bound = match peer.name {
            "wrk" => Bound::RatioAtMost(1.15),
            _ => Bound::Told,
        };
        let row = format!("closed loop, 50 connections, {}", peer.name);
        rows.push(Row::judged(
            "drive-cpu",
            row,
            (ours, "us/request"),
            (peer.name, theirs),
            bound,
        ));
    }
    Ok(rows)
}

fn constant(setting: &Setting) -> Result<Vec<Row>> {
    let server = Server::start(Behaviour {
        log_arrivals: true,
        ..Behaviour::default()
    })?;
    let url = format!("http://{}/", server.address());
    let mut rows = Vec::new();
    for peer in CONSTANT {
        let mut p99 = Vec::new();
        let (ours, theirs) = alternate(
            setting.rounds,
            || {
                server.take_arrivals();
                let mut load = HttpLoad::new(url.clone());
                load.clients = 50;
                load.rate = Some(2000.0);
                load.warmup = Duration::ZERO;
                load.duration = Duration::from_secs(3);
                let outcome = load.run()?;
                p99.push(outcome.sum().response.quantile(0.99) as f64 / 1e6);
                settle(&server);
                Ok(variation(&server.take_arrivals()))
            },
            || {
                server.take_arrivals();
                let ran = peer.cpu_s(&url)?;
                settle(&server);
                Ok(ran.map(|_| variation(&server.take_arrivals())))
            },
        )?;
        let bound = if rows.is_empty() {
            Bound::ValueAtMost(0.2)
        } else {
            Bound::Told
        };
        let row = format!("2,000/s as the server sees it, {}", peer.name);
        rows.push(Row::judged(
            "drive-constant",
            row,
            (ours, "gap CV"),
            (peer.name, theirs),
            bound,
        ));
        if peer.name == "oha" {
            let mut theirs = Vec::new();
            for _ in 0..setting.rounds {
                theirs.extend(oha_p99(&url)?);
            }
            let ours = super::median(&mut p99);
            let theirs = (theirs.len() == setting.rounds).then(|| super::median(&mut theirs));
            rows.push(Row::judged(
                "drive-constant",
                "2,000/s, response p99",
                (ours, "ms"),
                ("oha", theirs),
                Bound::RatioAtMost(1.0),
            ));
        }
    }
    Ok(rows)
}

fn stall(_: &Setting) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for seconds in [10, 20] {
        let told = drive::selftest::run(seconds)?;
        rows.push(Row::judged(
            "drive-stall",
            format!("server stopped for 1 s in {seconds} s, p99"),
            (told.told_p99_ms, "ms"),
            ("arithmetic", Some(told.true_p99_ms)),
            Bound::Within(20.0),
        ));
    }
    Ok(rows)
}

/// A queue's servers, service time in ms, and whether that is exponential.
const QUEUES: &[(u32, f64, bool)] = &[(1, 2.0, false), (1, 2.0, true), (4, 8.0, true)];

fn theory(setting: &Setting) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (servers, mean_ms, exponential) in QUEUES.iter().copied() {
        let kind = match exponential {
            true => format!("M/M/{servers}"),
            false => format!("M/D/{servers}"),
        };
        let server = Server::start(Behaviour {
            service: drive::server::Service::Queue {
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

fn many(_: &Setting) -> Result<Vec<Row>> {
    // A process of its own: both ends together need more descriptors than
    // many systems allow one process.
    let mut host = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let output = host.stdout.take().context("the server has an output")?;
    BufReader::new(output).read_line(&mut line)?;
    let outcome = present_many(line.trim());
    drop(host.stdin.take());
    host.wait()?;
    outcome
}

fn present_many(address: &str) -> Result<Vec<Row>> {
    let mut load = HttpLoad::new(format!("http://{address}/"));
    load.clients = 10_000;
    load.ahead = Some(10_000);
    load.rate = Some(20_000.0);
    load.warmup = Duration::from_secs(1);
    load.duration = Duration::from_secs(5);
    let plan = load.plan()?;
    let foreseen = drive::preflight::check(&plan);
    if !foreseen.is_empty() {
        let texts: Vec<String> = foreseen.iter().map(ToString::to_string).collect();
        bail!(
            "10,000 connections are not possible here: {}",
            texts.join("; ")
        );
    }
    let before = resident_mb()?;
    let mut memory = Memory(before);
    let outcome = engine::run(&plan, &mut memory, &AtomicBool::new(false))?;
    let sum = outcome.sum();
    let told = |row: &str, value, unit| {
        Row::judged("drive-many", row, (value, unit), ("", None), Bound::Told)
    };
    let ms = |ns: u64| ns as f64 / 1e6;
    Ok(vec![
        told(
            "10,000 connections: rate",
            outcome.throughput(),
            "requests/s",
        ),
        told(
            "10,000 connections: lateness p99",
            ms(sum.lateness.quantile(0.99)),
            "ms",
        ),
        told(
            "10,000 connections: response p99",
            ms(sum.response.quantile(0.99)),
            "ms",
        ),
        told(
            "10,000 connections: memory of the driver",
            memory.0 - before,
            "MB",
        ),
    ])
}

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
        None => drive::server::Service::Immediate,
        Some(servers) => drive::server::Service::Queue {
            servers,
            mean_ns: (args.service_ms * 1e6) as u64,
            exponential: true,
        },
    };
    let server = Server::start(Behaviour {
        service,
        ..Behaviour::default()
    })?;
    println!("{}", server.address());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(true)
}

/// The most memory seen during a run.
struct Memory(f64);

impl Observer for Memory {
    fn interval(&mut self, _: &engine::Interval, _: f64) {
        self.0 = resident_mb().unwrap_or(0.0).max(self.0);
    }
}

impl Peer {
    /// Runs the peer and returns the CPU it used; none when not installed.
    fn cpu_s(&self, url: &str) -> Result<Option<f64>> {
        let Some(program) = find(self.name) else {
            return Ok(None);
        };
        let mut child = Command::new(program)
            .args((self.arguments)(url))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = child.id();
        let subject = measure::proc::Subject::Process(pid);
        let mut cpu_ns = 0;
        // The last reading before the end is at most one pause old; the rest
        // of the CPU is read from the children's account afterwards.
        let before = children_cpu_s()?;
        while child.try_wait()?.is_none() {
            if let Ok(usage) = subject.usage() {
                cpu_ns = usage.cpu_ns;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let after = children_cpu_s()?;
        Ok(Some((after - before).max(cpu_ns as f64 / 1e9)))
    }
}

fn oha_p99(url: &str) -> Result<Option<f64>> {
    let Some(program) = find("oha") else {
        return Ok(None);
    };
    let arguments = [
        "--no-tui",
        "--output-format",
        "json",
        "-q",
        "2000",
        "-c",
        "50",
        "-z",
        "3s",
        url,
    ];
    let output = Command::new(program).args(arguments).output()?;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let seconds = json
        .pointer("/latencyPercentiles/p99")
        .and_then(|v| v.as_f64());
    Ok(Some(seconds.context("oha tells no p99")? * 1e3))
}

/// CPU of the children that have ended, seconds.
fn children_cpu_s() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = rest
        .split_ascii_whitespace()
        .skip(13)
        .map(str::parse::<f64>);
    match (ticks.next(), ticks.next()) {
        (Some(Ok(user)), Some(Ok(system))) => Ok((user + system) / 100.0),
        _ => bail!("/proc/self/stat has another form"),
    }
}

/// Requests the server has answered, once it has published all of them.
fn answered(server: &Server) -> f64 {
    settle(server);
    server.answered() as f64
}

/// Waits until the server's published count stands still.
fn settle(server: &Server) {
    let mut last = server.answered();
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(100) {
        std::thread::sleep(Duration::from_millis(10));
        let now = server.answered();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// The coefficient of variation of the gaps between times, without the first
/// and last tenth, where drivers start and stop.
fn variation(times: &[u64]) -> f64 {
    let tenth = times.len() / 10;
    let steady = &times[tenth..times.len() - tenth];
    let mut gaps = engine::Welford::default();
    for pair in steady.windows(2) {
        gaps.push((pair[1] - pair[0]) as f64);
    }
    gaps.variation().unwrap_or(f64::NAN)
}

fn resident_mb() -> Result<f64> {
    let me = measure::proc::Subject::Process(std::process::id());
    Ok(me.usage()?.resident_bytes as f64 / 1e6)
}

fn find(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
    places.find(|file: &std::path::PathBuf| Path::is_file(file))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}
