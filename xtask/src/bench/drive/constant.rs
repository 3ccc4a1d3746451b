//! The evenness of 2,000 requests a second as the server sees them, and the
//! response time that the driver reports.

use super::peers::{DriverRun, PEERS, PeerLoad, own_driver, settle};
use super::{BenchSettings, BudgetRow, RowBound};
use crate::bench::median;
use anyhow::{Context, Result};
use drive::engine;
use drive::server::{Server, ServerBehaviour};

const LOAD: PeerLoad = PeerLoad {
    connections: 50,
    rate: Some(2000),
    seconds: 3,
    cold: true,
};

/// Every round runs ours and then each peer that knows rates.
pub fn rows(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let server = Server::start(ServerBehaviour {
        log_arrivals: true,
        ..ServerBehaviour::default()
    })?;
    let url = format!("http://{}/", server.address());
    let peers: Vec<_> = PEERS.iter().filter(|p| p.rates).collect();
    let mut mine = Vec::new();
    let mut my_p99 = Vec::new();
    let mut theirs: Vec<Vec<f64>> = peers.iter().map(|_| Vec::new()).collect();
    let mut oha_p99 = Vec::new();
    for _ in 0..setting.rounds {
        server.take_arrivals();
        let ran = own_driver(&LOAD, &url)?;
        settle(&server);
        mine.push(variation(&server.take_arrivals()));
        my_p99.push(figure(&ran, "/response_p99_ms")?);
        for (peer, values) in peers.iter().zip(&mut theirs) {
            let Some(ran) = peer.run(&LOAD, &url)? else {
                continue;
            };
            settle(&server);
            values.push(variation(&server.take_arrivals()));
            if peer.name == "oha" {
                oha_p99.push(figure(&ran, "/latencyPercentiles/p99")? * 1e3);
            }
        }
    }
    let ours = median(&mut mine);
    let mut rows = Vec::new();
    for (i, (peer, mut values)) in peers.iter().zip(theirs).enumerate() {
        let bound = match i {
            0 => RowBound::ValueAtMost(0.2),
            _ => RowBound::ComparisonOnly,
        };
        let reported = (!values.is_empty()).then(|| median(&mut values));
        rows.push(BudgetRow::judged(
            "drive-constant",
            "2,000/s as the server sees it",
            (ours, "gap CV"),
            (peer.name, reported),
            bound,
        ));
    }
    let reported = (!oha_p99.is_empty()).then(|| median(&mut oha_p99));
    rows.push(BudgetRow::judged(
        "drive-constant",
        "2,000/s, response p99",
        (median(&mut my_p99), "ms"),
        ("oha", reported),
        RowBound::RatioAtMost(1.0),
    ));
    Ok(rows)
}

/// A figure of what a driver printed as JSON.
pub fn figure(ran: &DriverRun, pointer: &str) -> Result<f64> {
    let json: serde_json::Value = serde_json::from_str(&ran.output)?;
    let value = json.pointer(pointer).and_then(serde_json::Value::as_f64);
    value.with_context(|| format!("no {pointer} in {}", ran.output))
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
