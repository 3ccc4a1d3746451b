//! REST to COBOL and back, against the same HTTP server answering a constant,
//! and against servers that are not ours.
//!
//! Every server is a program of its own, ours with one door thread, driven by
//! `tupelo drive` in another process; CPU is that of all server processes,
//! workers included, read from /proc around the run. The program is PFPADCON of
//! `examples/perfchannel`, defined THREADSAFE; a row shows it QUASIRENT.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::gateway_peers::PEERS;
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};

/// The gateway's benches.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "gateway",
    about: "REST to COBOL: throughput, CPU, bytes/s, against constant answers, nginx, Go, Node",
    run: gateway,
}];

fn gateway(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let threadsafe = application(folder.path(), "threadsafe", "CONCURRENCY(THREADSAFE)")?;
    let quasirent = application(folder.path(), "quasirent", "CONCURRENCY(QUASIRENT)")?;
    let mut rows = Vec::new();
    for (concurrency, app, bound) in [
        ("THREADSAFE", &threadsafe, true),
        ("QUASIRENT", &quasirent, false),
    ] {
        let pair = ServerPair::start(app, 1000)?;
        let (ours, peer) = pair.measure(setting.rounds, 1000, &["-c", "50", "-t", "4s"])?;
        let row_bound = |b| if bound { b } else { RowBound::ComparisonOnly };
        rows.push(BudgetRow::judged(
            "rest-1k-throughput",
            format!("1 KB, 50 connections, {concurrency}"),
            (ours.throughput, "requests/s"),
            ("constant", Some(peer.throughput)),
            row_bound(RowBound::RatioAtLeast(0.55)),
        ));
        rows.push(BudgetRow::judged(
            "rest-1k-cpu",
            format!("1 KB saturated, {concurrency}"),
            (ours.cpu_us, "us/request"),
            ("constant", Some(peer.cpu_us)),
            row_bound(RowBound::RatioAtMost(2.0)),
        ));
        if bound {
            rows.extend(others(setting, &pair, folder.path())?);
        }
    }
    let pair = ServerPair::start(&threadsafe, 128 << 10)?;
    let (ours, peer) = pair.measure(setting.rounds, 128 << 10, &["-c", "50", "-t", "4s"])?;
    let mb = |m: &MeasuredRun| m.throughput * f64::from(128 << 10) / 1e6;
    rows.push(BudgetRow::judged(
        "rest-128k-bytes",
        "128 KB, 50 connections, THREADSAFE",
        (mb(&ours), "MB/s"),
        ("constant", Some(mb(&peer))),
        RowBound::RatioAtLeast(0.55),
    ));
    let load = [
        "-c", "500", "--think", "500ms", "-t", "10s", "--warmup", "2s",
    ];
    let mut ours = Vec::new();
    for _ in 0..setting.rounds {
        ours.push(exchange(&pair.gateway, 256 << 10, &load)?);
    }
    let ours = medians(ours);
    rows.push(BudgetRow::judged(
        "rest-256k-500-clients",
        "256 KB, 500 clients, 500 ms think time, THREADSAFE",
        (ours.throughput, "requests/s"),
        ("arithmetic", Some(1000.0)),
        RowBound::ValueAtLeast(980.0),
    ));
    Ok(rows)
}

/// CPU of a request, next to that of each other server.
fn others(setting: &BenchSettings, pair: &ServerPair, folder: &Path) -> Result<Vec<BudgetRow>> {
    let load = ["-c", "50", "-t", "4s"];
    let mut rows = Vec::new();
    for peer in &PEERS {
        let server = (peer.start)(1000, folder)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..setting.rounds {
            ours.push(exchange(&pair.gateway, 1000, &load)?);
            if let Some(server) = &server {
                theirs.push(exchange(server, 1000, &load)?);
            }
        }
        let theirs = (!theirs.is_empty()).then(|| medians(theirs).cpu_us);
        rows.push(BudgetRow::judged(
            "rest-1k-cpu",
            "1 KB saturated, THREADSAFE",
            (medians(ours).cpu_us, "us/request"),
            (peer.name, theirs),
            match peer.name {
                "Go" => RowBound::RatioAtMost(0.8),
                _ => RowBound::ComparisonOnly,
            },
        ));
    }
    Ok(rows)
}

/// What one run showed.
pub struct MeasuredRun {
    /// Answers a second.
    pub throughput: f64,
    /// CPU of all server processes, µs a request.
    pub cpu_us: f64,
}

/// A gateway with its region, and the constant server.
struct ServerPair {
    gateway: Server,
    constant: Server,
}

impl ServerPair {
    fn start(app: &Path, bytes: usize) -> Result<ServerPair> {
        let mut constant = Command::new(program::example("constant")?);
        constant.args(["127.0.0.1:0", &bytes.to_string(), "1"]);
        Ok(ServerPair {
            gateway: Server::start(serve(app, &[])?)?,
            constant: Server::start(constant)?,
        })
    }

    /// Medians of alternating runs with the same load.
    fn measure(
        &self,
        rounds: usize,
        bytes: usize,
        load: &[&str],
    ) -> Result<(MeasuredRun, MeasuredRun)> {
        let (mut ours, mut peer) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(exchange(&self.gateway, bytes, load)?);
            peer.push(exchange(&self.constant, bytes, load)?);
        }
        Ok((medians(ours), medians(peer)))
    }
}

/// `tupelo serve` over an application, on free ports.
pub fn serve(app: &Path, options: &[&str]) -> Result<Command> {
    let mut serve = Command::new(program::tupelo()?);
    serve.arg("serve").arg(app).args([
        "--listen",
        "127.0.0.1:0",
        "--admin",
        "127.0.0.1:0",
        "--no-reload",
    ]);
    serve.args(options);
    Ok(serve)
}

/// The same request to either server, so that both do the same work of HTTP.
pub fn exchange(server: &Server, bytes: usize, load: &[&str]) -> Result<MeasuredRun> {
    let path = format!("/perfchannel/response/{bytes}");
    let request = [
        "-X",
        "PUT",
        "-H",
        "content-type: application/json",
        "-d",
        BODY,
    ];
    server.drive(&path, &request, load)
}

/// The median of each figure.
pub fn medians(runs: Vec<MeasuredRun>) -> MeasuredRun {
    let of = |f: fn(&MeasuredRun) -> f64| median(&mut runs.iter().map(f).collect::<Vec<_>>());
    MeasuredRun {
        throughput: of(|m| m.throughput),
        cpu_us: of(|m| m.cpu_us),
    }
}

/// A server in a process of its own.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts the server and waits for the line that names its address.
    pub fn start(command: Command) -> Result<Server> {
        Server::start_at(command, "gateway")
    }

    /// The same with another word in front of the address, or with a scheme
    /// after `gateway`.
    pub fn start_at(mut command: Command, word: &str) -> Result<Server> {
        let mut child = command
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let address = loop {
            let line = lines
                .next()
                .context("the server ended before it listened")??;
            let found = line
                .strip_prefix(if word == "https" { "gateway" } else { word })
                .map(str::trim)
                .filter(|rest| rest.starts_with("https://") == (word == "https"))
                .and_then(|rest| rest.rsplit("://").next())
                .or_else(|| line.starts_with("127.").then_some(line.as_str()));
            if let Some(text) = found {
                break text
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
            }
        };
        // The rest of what it prints is read away, so that it never waits.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, address })
    }

    /// Starts one whose address is known.
    pub fn listening(mut command: Command, address: String) -> Result<Server> {
        let child = command.stdin(Stdio::null()).spawn()?;
        Ok(Server { child, address })
    }

    /// The port of its address.
    pub fn port(&self) -> Result<u16> {
        let port = self.address.rsplit(':').next();
        port.and_then(|p| p.parse().ok()).context("no port")
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// CPU of it and its children so far, in microseconds.
    pub fn cpu_us(&self) -> f64 {
        cpu_ticks(self.child.id()) as f64 * TICK_US
    }

    /// Drives one request again and again.
    pub fn drive(&self, path: &str, request: &[&str], load: &[&str]) -> Result<MeasuredRun> {
        let base = format!("http://{}", self.address);
        self.drive_at(&base, path, request, load)
    }

    /// The same at another base: a scheme, `://` and an address.
    pub fn drive_at(
        &self,
        base: &str,
        path: &str,
        request: &[&str],
        load: &[&str],
    ) -> Result<MeasuredRun> {
        let before = cpu_ticks(self.child.id());
        let output = Command::new(program::tupelo()?)
            .args(["drive", "--json", "--threads", "1"])
            .arg(format!("{base}{path}"))
            .args(request)
            .args(load)
            .stderr(Stdio::inherit())
            .output()?;
        let ticks = cpu_ticks(self.child.id()) - before;
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).context("the driver printed no report")?;
        let sum = |key: &str| -> f64 {
            let all = report["populations"].as_array().into_iter().flatten();
            all.filter_map(|p| p[key].as_f64()).sum()
        };
        if sum("failed") > 0.0 || sum("checks_failed") > 0.0 {
            bail!("requests failed: {}", report["populations"]);
        }
        // CPU is read around the whole run, warm-up included, so it is divided
        // by all requests of the run.
        let all = sum("answered")
            * (1.0
                + report["warmup_s"].as_f64().unwrap_or(0.0)
                    / report["measured_s"].as_f64().unwrap_or(1.0));
        Ok(MeasuredRun {
            throughput: report["throughput"].as_f64().context("no throughput")?,
            cpu_us: ticks as f64 * TICK_US / all,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// User and system time of a process and its children, in clock ticks.
fn cpu_ticks(pid: u32) -> u64 {
    let own = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = own
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let field = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<u64>().ok())
            .unwrap_or(0)
    };
    let mut ticks = field(11) + field(12);
    for task in fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        ticks += children
            .split_whitespace()
            .filter_map(|c| c.parse().ok())
            .map(cpu_ticks)
            .sum::<u64>();
    }
    ticks
}

/// A copy of the example with another CONCURRENCY and one door thread.
pub fn application(folder: &Path, name: &str, concurrency: &str) -> Result<PathBuf> {
    let to = folder.join(name);
    copy(Path::new("examples/perfchannel"), &to)?;
    let csd = fs::read_to_string(to.join("resources.csd"))?;
    fs::write(
        to.join("resources.csd"),
        csd.replace("CONCURRENCY(THREADSAFE)", concurrency),
    )?;
    fs::write(to.join("tupelo.toml"), "[gateway]\nthreads = 1\n")?;
    Ok(to)
}

/// Copies an application folder without its state.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().context("a file has a name")?;
        if !path.is_dir() {
            fs::copy(&path, to.join(name))?;
        } else if name != ".tupelo" {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// A request body of about 50 bytes, as in the source of the workload.
pub const BODY: &str = r#"{"request":"as many characters as the path says"}"#;

/// Microseconds of a clock tick (USER_HZ is 100 on every Linux).
const TICK_US: f64 = 10_000.0;
