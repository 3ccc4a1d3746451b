//! A server that stands still for a second in the middle of a run: the p99 that
//! drivers report, against what arithmetic says.
//!
//! A driver that waits for its answers before it continues never sees most of the
//! requests that should have been sent meanwhile, and reports a p99 of
//! milliseconds. The arithmetic is that of `drive::selftest`.

use super::peers::{DriverPeer, DriverRun, PEERS, PeerLoad};
use super::{BenchSettings, BudgetRow, RowBound, median};
use anyhow::Result;
use drive::server::{Server, ServerBehaviour};
use std::time::Duration;

const LOAD: PeerLoad = PeerLoad {
    connections: 256,
    rate: Some(500),
    seconds: 10,
    cold: true,
};

/// Medians of Tupelo and of each peer that reports a p99, for each length.
pub fn rows(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let mut rows = Vec::new();
    for seconds in [10, 20] {
        let (mut ours, mut expected) = (Vec::new(), Vec::new());
        let mut peers: Vec<Vec<f64>> = vec![Vec::new(); PEERS.len()];
        for _ in 0..setting.rounds {
            let figures = drive::selftest::run(u64::from(seconds))?;
            ours.push(figures.reported_p99_ms);
            expected.push(figures.true_p99_ms);
            for (peer, values) in PEERS.iter().zip(&mut peers).filter(|(p, _)| p.rates) {
                values.extend(stalled(peer, seconds)?);
            }
        }
        let label = format!("server stopped for 1 s in {seconds} s, p99");
        let ours = (median(&mut ours), "ms");
        let row = |peer, bound| BudgetRow::judged("drive-stall", label.clone(), ours, peer, bound);
        let arithmetic = ("arithmetic", Some(median(&mut expected)));
        rows.push(row(arithmetic, RowBound::Within(20.0)));
        for (peer, values) in PEERS.iter().zip(&mut peers).filter(|(p, _)| p.rates) {
            let p99 = (values.len() == setting.rounds).then(|| median(values));
            rows.push(row((peer.name, p99), RowBound::ComparisonOnly));
        }
    }
    Ok(rows)
}

/// The p99 that a peer prints of a run in whose middle the server stands still.
fn stalled(peer: &DriverPeer, seconds: u32) -> Result<Option<f64>> {
    let load = PeerLoad { seconds, ..LOAD };
    let server = Server::start(ServerBehaviour {
        body_bytes: 64,
        ..ServerBehaviour::default()
    })?;
    let url = format!("http://{}/", server.address());
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500) * seconds);
            server.stall(0, SECOND)
        });
        peer.run(&load, &url)
    })?;
    Ok(ran.and_then(|ran| p99_ms(&ran)))
}

/// The p99 that a driver printed, in milliseconds: oha as JSON, hey and wrk2 as
/// text. None of one that prints none.
fn p99_ms(ran: &DriverRun) -> Option<f64> {
    if let Ok(json) = serde_json::from_str::<serde_json::Value>(&ran.output) {
        let p99 = json.pointer("/latencyPercentiles/p99")?.as_f64()?;
        return Some(p99 * 1e3);
    }
    let mut lines = ran.output.lines().map(str::trim);
    let line = lines.find(|l| l.starts_with("99% in") || l.starts_with("99.000%"))?;
    match line.strip_prefix("99% in") {
        Some(rest) => Some(rest.split_whitespace().next()?.parse::<f64>().ok()? * 1e3),
        None => milliseconds(line.split_whitespace().nth(1)?),
    }
}

/// A time as wrk2 writes it: `1.20ms`, `87.00us`, `1.01s`.
fn milliseconds(text: &str) -> Option<f64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let scale = match &text[unit..] {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return None,
    };
    Some(text[..unit].parse::<f64>().ok()? * scale)
}

const SECOND: Duration = Duration::from_secs(1);
