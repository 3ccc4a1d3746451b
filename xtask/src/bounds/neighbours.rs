//! A gateway and a plain Python server at one rate, next to busy programs.
//!
//! Shortness of processors is not overload of the region: where a server that has
//! no limits answers every request, this one is to answer them, too. Workers come
//! after all other programs of the machine by `worker_nice`, so its values take
//! turns: at nice 15 a worker has a weight of 36 against the 1,024 of a neighbour
//! (sched(7)), 3 % of a processor, which 500 requests a second can need.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use super::driven::{DriveFigures, DriveLoad, DriveRun};
use super::hello;
use crate::crash::served::current;

/// How often, how long and how much.
pub struct NeighbourSettings {
    /// Runs of each value.
    pub runs: u32,
    /// Seconds of a run.
    pub seconds: u64,
    /// Requests a second to each server.
    pub rate: f64,
    /// Busy programs.
    pub busy: usize,
}

/// Most requests outstanding at each server.
const CLIENTS: usize = 64;
/// Seconds before the measured part. The neighbours begin one second before it.
const WARMUP_S: u64 = 3;

const PYTHON: &str = r#"
import http.server

class Hello(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        body = b'{"greeting":"Hello, world!"}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// Runs the values in turn; false when the gateway had more errors than the Python
/// server with one of them.
pub fn run(tupelo: Option<&Path>, settings: &NeighbourSettings, nice: &[u8]) -> Result<bool> {
    println!(
        "{} requests a second to each, {} busy programs, {} s a run",
        settings.rate, settings.busy, settings.seconds
    );
    println!(
        "run  nice | gateway: ok  5xx  other  p50 ms  p99 ms  max ms  late | python: ok  errors  p50 ms  p99 ms  max ms  late"
    );
    let mut sums = vec![(0, 0); nice.len()];
    for run in 1..=settings.runs {
        for (value, sum) in nice.iter().zip(&mut sums) {
            let [gateway, python] = once(tupelo, settings, *value)?;
            println!(
                "{run:>3} {value:>5} | {:>11} {:>4} {:>6} {} | {:>10} {:>7} {}",
                gateway.answered,
                gateway.server_errors,
                gateway.failed,
                times(&gateway),
                python.answered,
                python.errors(),
                times(&python),
            );
            sum.0 += gateway.errors();
            sum.1 += python.errors();
        }
    }
    for (value, (gateway, python)) in nice.iter().zip(&sums) {
        println!("worker_nice {value}: {gateway} errors of the gateway, {python} of Python");
    }
    Ok(sums.iter().all(|(gateway, python)| gateway <= python))
}

fn times(figures: &DriveFigures) -> String {
    format!(
        "{:>7.1} {:>7.1} {:>7.0} {:>5.1}",
        figures.p50_ms, figures.p99_ms, figures.max_ms, figures.late_p99_ms
    )
}

/// One run: what the gateway's and the Python server's clients had.
fn once(
    tupelo: Option<&Path>,
    settings: &NeighbourSettings,
    nice: u8,
) -> Result<[DriveFigures; 2]> {
    let mut served = hello(tupelo, &format!("worker_nice = {nice}\n"), &[], "")?;
    served.start()?;
    let gateway = current(&served.address());
    let mut python = EndedChild(
        Command::new("python3")
            .args(["-c", PYTHON])
            .stdout(Stdio::piped())
            .spawn()
            .context("python3")?,
    );
    let mut port = String::new();
    let out = python.0.stdout.take().context("its output")?;
    BufReader::new(out).read_line(&mut port)?;
    let peer = format!("127.0.0.1:{}", port.trim());
    let load = DriveLoad {
        rate: settings.rate,
        clients: CLIENTS,
        warmup_s: WARMUP_S,
        seconds: settings.seconds,
    };
    let ours = DriveRun::start(served.program(), &gateway, "/hello/world", load)?;
    let theirs = DriveRun::start(served.program(), &peer, "/", load)?;
    std::thread::sleep(Duration::from_secs(WARMUP_S - 1));
    let busy: Result<Vec<EndedChild>> = (0..settings.busy).map(|_| spin()).collect();
    let _busy = busy?;
    Ok([ours.finish()?.figures()?, theirs.finish()?.figures()?])
}

/// A program that takes a processor.
fn spin() -> Result<EndedChild> {
    let spin = ["-c", "while :; do :; done"];
    Ok(EndedChild(Command::new("sh").args(spin).spawn()?))
}

/// A process that ends with its owner.
struct EndedChild(Child);

impl Drop for EndedChild {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
