//! What a connection takes that is kept and asks for nothing: memory of the
//! gateway's process, with 10,000 of them that have had one answer each.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::gateway::{Server, application, serve};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound};

/// Connections.
const CONNECTIONS: usize = 10_000;
/// Bytes that a connection may take; two buffers of a page, and what goes with
/// them (chosen).
const BOUND: f64 = 16_384.0;
/// Time without less memory after which no less is expected.
const SETTLED: Duration = Duration::from_secs(3);

/// The bench of idle connections.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "gateway-idle",
    about: "memory of a connection that is kept and asks for nothing",
    run,
}];

fn run(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let app = application(folder.path(), "idle", "CONCURRENCY(THREADSAFE)")?;
    let server = Server::start(serve(&app, &[])?)?;
    let mut open = Vec::with_capacity(CONNECTIONS);
    ask(&server)?;
    let before = resident(&server)?;
    for _ in 0..CONNECTIONS {
        open.push(ask(&server)?);
    }
    let each = (settled(&server)? - before) / CONNECTIONS as f64;
    // All of them are still there.
    for stream in open.iter_mut().step_by(CONNECTIONS / 10) {
        send(stream)?;
    }
    Ok(vec![BudgetRow::judged(
        "idle-connections",
        format!("{CONNECTIONS} kept, one answer each"),
        (each, "bytes/connection"),
        ("chosen", Some(BOUND)),
        RowBound::RatioAtMost(1.0),
    )])
}

fn ask(server: &Server) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(server.address())?;
    send(&mut stream)?;
    Ok(stream)
}

fn send(stream: &mut TcpStream) -> Result<()> {
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: bench\r\n\r\n")?;
    let mut answer = [0; 4096];
    let bytes = stream.read(&mut answer)?;
    if answer[..bytes].starts_with(b"HTTP/1.1 200") {
        Ok(())
    } else {
        bail!("an idle connection was closed")
    }
}

/// Resident bytes once connections have given their buffers back, which they
/// do when they have been idle for a second.
fn settled(server: &Server) -> Result<f64> {
    let mut least = resident(server)?;
    let mut since = Instant::now();
    while since.elapsed() < SETTLED {
        std::thread::sleep(SETTLED / 10);
        let now = resident(server)?;
        if now < least {
            (least, since) = (now, Instant::now());
        }
    }
    Ok(least)
}

/// Resident bytes of the server's own process.
fn resident(server: &Server) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kib = line
        .and_then(|l| l.split_whitespace().next())
        .context("no VmRSS")?;
    Ok(kib.parse::<f64>()? * 1024.0)
}
