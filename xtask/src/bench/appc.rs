//! APPC's budgets: bulk and inquiry over loopback between two processes, against
//! plain TCP with the same buffers; the memory of many sessions; what a PIU
//! costs.

use super::appc_peer::{LU, MANY, SESSIONS, SPINS, SpinningReader, configuration};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, alternate};
use anyhow::{Context, Result};
use appc::transactions::{FILE_TRANSFER, INQUIRY, file_transfer, inquiry};
use appc::{AllocateRequest, NodeHost};
use sna::wire::piu;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// APPC's benches.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "appc-bulk",
        about: "file transfer in 32,000-byte buffers, one confirmation, against plain TCP",
        run: bulk,
    },
    BenchEntry {
        name: "appc-inquiry",
        about: "100/100 bytes, round trip, against plain TCP",
        run: round_trip,
    },
    BenchEntry {
        name: "appc-sessions-memory",
        about: "10,000 sessions between two processes: memory of each, and sessions/s",
        run: sessions,
    },
    BenchEntry {
        name: "appc-piu",
        about: "one PIU's headers read and written",
        run: headers,
    },
    BenchEntry {
        name: "appc-ring",
        about: "the token ring in virtual time: events a second of real time",
        run: ring,
    },
];

const BUFFER: usize = 32_000;

/// The other process.
struct PeerProcess {
    process: Child,
    node: String,
    plain: String,
}

impl PeerProcess {
    fn start() -> Result<PeerProcess> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("appc-peer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("the peer has an output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let (node, plain) = line.trim().split_once(' ').context("two addresses")?;
        Ok(PeerProcess {
            node: node.to_owned(),
            plain: plain.to_owned(),
            process,
        })
    }

    fn client(&self) -> Result<NodeHost> {
        let host = NodeHost::start(configuration("BENCH.CLIENT"))?;
        host.define_partner(LU, &self.node)?;
        Ok(host)
    }

    /// A plain connection for exchanges of these sizes.
    fn connect(&self, request: usize, reply: usize) -> Result<TcpStream> {
        self.open(request as u32, reply as u32)
    }

    /// One whose both sides ask again and again instead of sleeping.
    fn connect_spinning(&self, request: u32, reply: u32) -> Result<SpinningReader> {
        let stream = self.open(request, reply | SPINS)?;
        stream.set_nonblocking(true)?;
        Ok(SpinningReader(stream))
    }

    fn open(&self, request: u32, reply: u32) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.plain)?;
        stream.set_nodelay(true)?;
        stream.write_all(&request.to_be_bytes())?;
        stream.write_all(&reply.to_be_bytes())?;
        Ok(stream)
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn bulk(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let peer = PeerProcess::start()?;
    let host = peer.client()?;
    let call = AllocateRequest::new(LU, FILE_TRANSFER).with_mode("#BATCH");
    let mut rows = Vec::new();
    for (bytes, repetitions) in [(1_000_000, 200u32), (100_000, 1000)] {
        let mut stream = peer.connect(bytes, 1)?;
        let buffer = vec![0; BUFFER];
        let (ours, theirs) = alternate(
            setting.rounds,
            || Ok(file_transfer(&host, &call, bytes, BUFFER, repetitions)?.bytes_per_s() / 1e6),
            || {
                let begin = Instant::now();
                for _ in 0..repetitions {
                    let mut left = bytes;
                    while left > 0 {
                        let piece = left.min(BUFFER);
                        stream.write_all(&buffer[..piece])?;
                        left -= piece;
                    }
                    stream.read_exact(&mut [0])?;
                }
                let total = bytes as f64 * f64::from(repetitions);
                Ok(Some(total / begin.elapsed().as_secs_f64() / 1e6))
            },
        )?;
        rows.push(BudgetRow::judged(
            "appc-bulk",
            format!("{bytes} bytes a confirmation"),
            (ours, "MB/s"),
            ("plain TCP", theirs),
            RowBound::RatioAtLeast(0.4),
        ));
    }
    host.stop();
    Ok(rows)
}

fn round_trip(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    const REPETITIONS: u32 = 5000;
    let peer = PeerProcess::start()?;
    let host = peer.client()?;
    let call = AllocateRequest::new(LU, INQUIRY);
    let asked = || Ok(inquiry(&host, &call, 100, 100, REPETITIONS)?.average_s() * 1e6);
    let mut sleeping = peer.connect(100, 100)?;
    let mut spinning = peer.connect_spinning(100, 100)?;
    let sleeps = alternate(setting.rounds, asked, || trips(&mut sleeping, REPETITIONS))?;
    let spins = alternate(setting.rounds, asked, || trips(&mut spinning, REPETITIONS))?;
    host.stop();
    let row = |(ours, theirs), name, bound| {
        let row = "100/100 bytes, round trip";
        BudgetRow::judged("appc-inquiry", row, (ours, "us"), (name, theirs), bound)
    };
    // Ours looks for an answer for some microseconds before it sleeps, so it
    // is between the two.
    Ok(vec![
        row(sleeps, "TCP that sleeps", RowBound::RatioAtMost(1.5)),
        row(spins, "TCP that spins", RowBound::ComparisonOnly),
    ])
}

/// Microseconds of a round trip of 100 bytes each way.
fn trips(stream: &mut (impl Read + Write), repetitions: u32) -> Result<Option<f64>> {
    let mut buffer = [0; 100];
    let begin = Instant::now();
    for _ in 0..repetitions {
        stream.write_all(&buffer)?;
        stream.read_exact(&mut buffer)?;
    }
    Ok(Some(
        begin.elapsed().as_secs_f64() * 1e6 / f64::from(repetitions),
    ))
}

fn sessions(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let peer = PeerProcess::start()?;
    let host = peer.client()?;
    let call = AllocateRequest::new(LU, INQUIRY).with_mode(MANY);
    let mut held = vec![host.allocate(&call)?];
    let process = peer.process.id();
    let before = [resident_kb("self")?, resident_kb(&process.to_string())?];
    let begin = Instant::now();
    for _ in 1..SESSIONS {
        held.push(host.allocate(&call)?);
    }
    let took: Duration = begin.elapsed();
    let after = [resident_kb("self")?, resident_kb(&process.to_string())?];
    let count = f64::from(SESSIONS - 1);
    let row = |row: &str, value, unit| {
        let peer = ("none", None);
        BudgetRow::judged(
            "appc-sessions-memory",
            row,
            (value, unit),
            peer,
            RowBound::ComparisonOnly,
        )
    };
    let rows = vec![
        row(
            "one of 10,000 sessions, client",
            (after[0] - before[0]) / count,
            "KB",
        ),
        row(
            "one of 10,000 sessions, server",
            (after[1] - before[1]) / count,
            "KB",
        ),
        row(
            "sessions activated one by one",
            count / took.as_secs_f64(),
            "sessions/s",
        ),
    ];
    drop(held);
    host.stop();
    Ok(rows)
}

fn headers(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    const TIMES: u32 = 2_000_000;
    let mut bytes = vec![0x2C, 0, 1, 2, 0, 7, 0x03, 0x91, 0x20];
    bytes.resize(109, 0xC1);
    let packet = piu::Packet::parse(&bytes).map_err(|why| anyhow::anyhow!("{why:?}"))?;
    let mut out = Vec::with_capacity(200);
    let nanoseconds = |begin: Instant| begin.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES);
    let mut measure = |emit: bool| {
        let (ours, _) = alternate(
            setting.rounds,
            || {
                let begin = Instant::now();
                for _ in 0..TIMES {
                    if emit {
                        out.clear();
                        black_box(&packet).emit(&mut out);
                        black_box(&out);
                    } else {
                        black_box(piu::Packet::parse(black_box(&bytes)).is_ok());
                    }
                }
                Ok(nanoseconds(begin))
            },
            || Ok(None),
        )?;
        Ok::<f64, anyhow::Error>(ours)
    };
    let row = |row: &str, value| {
        BudgetRow::judged(
            "appc-piu",
            row,
            (value, "ns"),
            ("none", None),
            RowBound::ComparisonOnly,
        )
    };
    Ok(vec![
        row("read, 100-byte RU", measure(false)?),
        row("write, 100-byte RU", measure(true)?),
    ])
}

fn ring(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let mut virtual_s = 0.0;
    let (events, _) = alternate(
        setting.rounds,
        || {
            let begin = Instant::now();
            let outcome = lab::ring::bench(200)?;
            let seconds = begin.elapsed().as_secs_f64();
            virtual_s = outcome.elapsed_ns() as f64 / 1e9 / seconds;
            Ok(outcome.events as f64 / seconds)
        },
        || Ok(None),
    )?;
    let row = |row: String, value, unit| {
        BudgetRow::judged(
            "appc-ring",
            row,
            (value, unit),
            ("none", None),
            RowBound::ComparisonOnly,
        )
    };
    Ok(vec![
        row(
            "file transfer, 200 of 100,000 bytes".into(),
            events,
            "events/s",
        ),
        row(
            "the same, virtual over real time".into(),
            virtual_s,
            "times",
        ),
    ])
}

/// Resident memory of a process, in KB.
fn resident_kb(process: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.context("VmRSS")?.parse()?)
}
