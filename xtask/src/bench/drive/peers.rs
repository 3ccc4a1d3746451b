//! The drivers to compare with, and how any driver is measured: as a process
//! of its own, by the CPU it used, the most memory it had, and what the server
//! saw of it.

use anyhow::{Result, bail};
use drive::server::Server;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A load that every driver can be asked for.
#[derive(Clone, Copy)]
pub struct PeerLoad {
    /// Connections.
    pub connections: usize,
    /// Requests a second; none for a closed loop.
    pub rate: Option<u32>,
    /// How long.
    pub seconds: u32,
    /// Whether ours, like the others, opens its connections in the run, and
    /// leaves no first second out.
    pub cold: bool,
}

/// Another driver: its program and how a load is asked of it.
pub struct DriverPeer {
    /// The program as it is found on the path, and in the rows.
    pub name: &'static str,
    /// Whether it can present a constant rate.
    pub rates: bool,
    /// Its arguments for a load; files that it needs go into the folder.
    arguments: fn(&PeerLoad, url: &str, folder: &Path) -> Result<Vec<String>>,
}

/// What a driver's process used.
#[derive(Clone, Debug, Default)]
pub struct DriverRun {
    /// CPU, seconds, user and system.
    pub cpu_s: f64,
    /// The most memory it had, MB.
    pub peak_mb: f64,
    /// What it printed.
    pub output: String,
}

/// Every driver that rows are made for, installed or not.
pub const PEERS: &[DriverPeer] = &[
    DriverPeer {
        name: "wrk",
        rates: false,
        arguments: |load, url, _| Ok(in_c(load, url)),
    },
    DriverPeer {
        name: "wrk2",
        rates: true,
        arguments: |load, url, _| {
            let mut all = in_c(load, url);
            // It has no closed loop; a rate beyond reach makes it one.
            all.push(format!("-R{}", load.rate.unwrap_or(2_000_000)));
            all.push("--latency".into());
            Ok(all)
        },
    },
    DriverPeer {
        name: "oha",
        rates: true,
        arguments: |load, url, _| {
            let mut all = words(&["--no-tui", "--output-format", "json"]);
            if let Some(rate) = load.rate {
                all.extend(["-q".into(), rate.to_string()]);
            }
            Ok(with_c_and_z(all, load, url))
        },
    },
    DriverPeer {
        name: "k6",
        rates: true,
        arguments: k6,
    },
    DriverPeer {
        name: "vegeta",
        rates: true,
        arguments: |load, url, folder| {
            let targets = folder.join("targets");
            std::fs::write(&targets, format!("GET {url}\n"))?;
            let workers = load.connections;
            let mut all = words(&["attack", "-output", "/dev/null"]);
            all.push(format!("-targets={}", targets.display()));
            all.push(format!("-rate={}", load.rate.unwrap_or(0)));
            all.push(format!("-duration={}s", load.seconds));
            all.push(format!("-workers={workers}"));
            all.push(format!("-max-workers={workers}"));
            all.push(format!("-connections={workers}"));
            Ok(all)
        },
    },
    DriverPeer {
        name: "hey",
        rates: true,
        arguments: |load, url, _| {
            let mut all = Vec::new();
            if let Some(rate) = load.rate {
                // Its rate is that of one worker.
                let each = f64::from(rate) / load.connections as f64;
                all.extend(["-q".into(), each.to_string()]);
            }
            Ok(with_c_and_z(all, load, url))
        },
    },
    DriverPeer {
        name: "fortio",
        rates: true,
        arguments: |load, url, _| {
            let mut all = words(&["load", "-quiet", "-uniform"]);
            all.extend(["-qps".into(), load.rate.unwrap_or(0).to_string()]);
            all.extend(["-c".into(), load.connections.to_string()]);
            all.extend(["-t".into(), format!("{}s", load.seconds), url.into()]);
            Ok(all)
        },
    },
];

impl DriverPeer {
    /// Presents a load. Returns `None` when the program is not installed, or when it
    /// cannot present the load, which is printed.
    pub fn run(&self, load: &PeerLoad, url: &str) -> Result<Option<DriverRun>> {
        let Some(program) = find(self.name) else {
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let arguments = (self.arguments)(load, url, folder.path())?;
        let ran = run(&program, &arguments, load.seconds);
        Ok(ran
            .inspect_err(|error| eprintln!("{}: {error:#}", self.name))
            .ok())
    }
}

/// Our own driver in a process of its own, asked like the others.
pub fn own_driver(load: &PeerLoad, url: &str) -> Result<DriverRun> {
    let mut all = words(&["present", url]);
    all.extend(["--clients".into(), load.connections.to_string()]);
    all.extend(["--seconds".into(), load.seconds.to_string()]);
    if let Some(rate) = load.rate {
        all.extend(["--rate".into(), rate.to_string()]);
    }
    all.extend(load.cold.then(|| "--cold".into()));
    run(&std::env::current_exe()?, &all, load.seconds)
}

/// Requests the server has answered, once it has published all of them.
pub fn answered(server: &Server) -> f64 {
    settle(server);
    server.answered() as f64
}

/// Waits until the server's published count stands still.
pub fn settle(server: &Server) {
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

fn run(program: &Path, arguments: &[String], seconds: u32) -> Result<DriverRun> {
    let output = tempfile::NamedTempFile::new()?;
    let before = children_cpu_s()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.reopen()?)
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let deadline = Instant::now() + Duration::from_secs(u64::from(seconds)) + PATIENCE;
    let mut peak_mb = 0.0f64;
    let ended = loop {
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        peak_mb = peak_mb.max(peak(&text));
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            bail!("did not end in time");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let output = std::fs::read_to_string(output.path())?;
    if !ended.success() {
        bail!("{} ended with {ended}: {output}", program.display());
    }
    Ok(DriverRun {
        cpu_s: children_cpu_s()? - before,
        peak_mb,
        output,
    })
}

/// The most memory that a process had, from its `status`, MB.
fn peak(status: &str) -> f64 {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_ascii_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0 / 1e6
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
        (Some(Ok(user)), Some(Ok(system))) => Ok((user + system) / TICKS_A_SECOND),
        _ => bail!("/proc/self/stat has another form"),
    }
}

fn in_c(load: &PeerLoad, url: &str) -> Vec<String> {
    vec![
        "-t1".into(),
        format!("-c{}", load.connections),
        format!("-d{}", load.seconds),
        url.into(),
    ]
}

fn with_c_and_z(mut all: Vec<String>, load: &PeerLoad, url: &str) -> Vec<String> {
    all.extend(["-c".into(), load.connections.to_string()]);
    all.extend(["-z".into(), format!("{}s", load.seconds), url.into()]);
    all
}

fn k6(load: &PeerLoad, url: &str, folder: &Path) -> Result<Vec<String>> {
    let PeerLoad {
        connections,
        rate,
        seconds,
        ..
    } = load;
    let scenario = match rate {
        None => {
            format!("executor: 'constant-vus', vus: {connections}, duration: '{seconds}s'")
        }
        Some(rate) => format!(
            "executor: 'constant-arrival-rate', rate: {rate}, timeUnit: '1s', duration: '{seconds}s', preAllocatedVUs: {connections}"
        ),
    };
    let script = folder.join("load.js");
    std::fs::write(
        &script,
        format!(
            "import http from 'k6/http';\n\
             export const options = {{ discardResponseBodies: true, scenarios: {{ load: {{ {scenario} }} }} }};\n\
             export default function () {{ http.get('{url}'); }}\n"
        ),
    )?;
    let mut all = words(&["run", "--quiet", "--no-usage-report", "--no-summary"]);
    all.push(script.display().to_string());
    Ok(all)
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
    places.find(|file: &PathBuf| Path::is_file(file))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// Longer than any driver needs to start, to finish and to print.
const PATIENCE: Duration = Duration::from_secs(30);
/// Linux counts CPU for user programs in hundredths, on every architecture.
const TICKS_A_SECOND: f64 = 100.0;
