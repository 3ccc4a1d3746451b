//! CICS sockets' budgets: general CPU a message in the ways that sockets are
//! served, receivers against a bare epoll server, response times, and the memory
//! of many connections.
//!
//! The gateway has two sockets a cycle and one request outstanding on them, as
//! in the second paper. Socket processes are all that the region uses without
//! the customer's program, which is measured by itself.

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};
use anyhow::{Context, Result, bail};
use drive::engine::{self, SilentObserver};
use lab::cycles::{CASES, CycleResult, Region, application_us, plan};
use measure::proc::CountedSubject;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

/// The benches of CICS sockets.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "sockets",
        about: "CPU a message of EZASOKET, its drop-in replacement and receivers, and of bare epoll",
        run: sockets,
    },
    BenchEntry {
        name: "sockets-memory",
        about: "10,000 connections of a receiver: memory of each",
        run: memory,
    },
];

fn sockets(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let tupelo = program::tupelo()?;
    let mut regions = Vec::new();
    for case in &CASES {
        regions.push(Region::start(case, Some(&tupelo))?);
    }
    let application = application_us(&mut regions[0])?;
    for region in &mut regions {
        region.cycles(5, WARM)?;
    }
    let mut peer = PeerServer::start()?;
    peer.cycles(5, WARM)?;
    let mut rows = Vec::new();
    for concurrent in [1, 5] {
        let mut found: [Vec<CycleResult>; 4] = Default::default();
        let mut bare = Vec::new();
        for _ in 0..setting.rounds {
            for (region, found) in regions.iter_mut().zip(&mut found) {
                found.push(region.cycles(concurrent, REQUESTS / concurrent)?);
            }
            bare.push(peer.cycles(concurrent, REQUESTS / concurrent)?);
        }
        rows.extend(judged(concurrent, &found, &mut bare, application));
    }
    Ok(rows)
}

fn judged(
    concurrent: u32,
    found: &[Vec<CycleResult>; 4],
    bare: &mut [f64],
    application: f64,
) -> Vec<BudgetRow> {
    let of = |found: &[CycleResult], value: &dyn Fn(&CycleResult) -> f64| {
        median(&mut found.iter().map(value).collect::<Vec<_>>())
    };
    let cycles = match concurrent {
        1 => "1 cycle".to_owned(),
        n => format!("{n} cycles"),
    };
    let general = |case: usize| of(&found[case], &|f| f.general_us - application);
    let classic = general(0);
    let (alone, apart) = match concurrent {
        1 => (0.83, 0.55),
        _ => (0.69, 0.55),
    };
    let bounds = [
        RowBound::ComparisonOnly,
        RowBound::RatioAtMost(alone),
        RowBound::RatioAtMost(apart),
    ];
    let mut rows = Vec::new();
    for (case, bound) in (1..CASES.len()).zip(bounds) {
        rows.push(BudgetRow::judged(
            "sockets-cpu",
            format!("{}, {cycles}", CASES[case].name),
            (general(case), "us/message"),
            ("classic", Some(classic)),
            bound,
        ));
    }
    rows.push(BudgetRow::judged(
        "sockets-receivers",
        format!("threads of receivers, {cycles}"),
        (of(&found[2], &|f| f.receivers_us), "us/message"),
        ("bare epoll", Some(median(bare))),
        RowBound::RatioAtMost(1.5),
    ));
    for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
        let time = |f: &CycleResult| f.outcome.sum().passed.quantile(share) as f64 / 1e3;
        for case in 1..3 {
            rows.push(BudgetRow::judged(
                "sockets-response",
                format!("{}, {cycles}, {name}", CASES[case].name),
                (of(&found[case], &time), "us"),
                ("classic", Some(of(&found[0], &time))),
                RowBound::ComparisonOnly,
            ));
        }
    }
    rows
}

/// The bare server, in a process of its own.
struct PeerServer {
    process: Child,
    address: String,
}

impl PeerServer {
    fn start() -> Result<PeerServer> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("sockets-peer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("the peer has an output")?;
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        Ok(PeerServer {
            process,
            address: address.trim().to_owned(),
        })
    }

    /// The same load as a region's; CPU a message in µs.
    fn cycles(&mut self, concurrent: u32, requests: u32) -> Result<f64> {
        let subject = CountedSubject::Process(self.process.id());
        let before = subject.usage()?.cpu_ns;
        let plan = plan(&self.address, concurrent, requests)?;
        let outcome = engine::run(&plan, &mut SilentObserver, &AtomicBool::new(false))?;
        let after = subject.usage()?.cpu_ns;
        let sum = outcome.sum();
        if sum.whole.failures() + sum.whole.checks_failed > 0 {
            bail!("the bare server failed: {:?}", outcome.messages());
        }
        Ok((after - before) as f64 / 1e3 / sum.whole.answered as f64)
    }
}

impl Drop for PeerServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn memory(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    raise_files()?;
    let tupelo = program::tupelo()?;
    let region = Region::start(&CASES[2], Some(&tupelo))?;
    let mut held = Vec::new();
    // What the first ones need, all have.
    for _ in 0..FIRST {
        held.push(connect(&region.listener)?);
    }
    let before = resident_kb(region.server.process())?;
    for _ in 0..CONNECTIONS {
        held.push(connect(&region.listener)?);
    }
    let after = resident_kb(region.server.process())?;
    Ok(vec![BudgetRow::judged(
        "sockets-memory",
        "one of 10,000 connections, after a message",
        ((after - before) / CONNECTIONS as f64, "KB"),
        ("none", None),
        RowBound::ComparisonOnly,
    )])
}

/// A connection that has had a message answered and waits for the next.
fn connect(listener: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(listener)?;
    stream.write_all(b"LINE\nhello\n")?;
    let mut answer = [0; 6];
    stream.read_exact(&mut answer)?;
    anyhow::ensure!(&answer == b"HELLO\n", "another answer: {answer:?}");
    Ok(stream)
}

/// As many open files as are allowed, here and in the processes started here.
fn raise_files() -> Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a structure of this function.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if (limit.rlim_max as usize) < CONNECTIONS + 1000 {
        bail!(
            "ulimit -Hn allows {} files; 11,000 are needed",
            limit.rlim_max
        );
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the same.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    Ok(())
}

/// Resident memory of a process without its children, in KB.
fn resident_kb(process: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.context("VmRSS")?.parse()?)
}

/// Requests of a round, in one cycle or five.
const REQUESTS: u32 = 12_500;
const WARM: u32 = 200;
const CONNECTIONS: usize = 10_000;
const FIRST: usize = 200;
