//! CPU per request and memory of a closed loop of 50 connections.

use super::peers::{DriverRun, PEERS, PeerLoad, answered, own_driver};
use super::{BenchSettings, BudgetRow, RowBound};
use crate::bench::median;
use anyhow::Result;
use drive::server::{Server, ServerBehaviour};

const LOAD: PeerLoad = PeerLoad {
    connections: 50,
    rate: None,
    seconds: 3,
    cold: false,
};

/// Every round runs ours and then each peer, so that a drift of the machine
/// touches all alike.
pub fn rows(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let server = Server::start(ServerBehaviour {
        body_bytes: 12,
        ..ServerBehaviour::default()
    })?;
    let url = format!("http://{}/", server.address());
    let mut mine = DriverFigures::default();
    let mut theirs: Vec<DriverFigures> = PEERS.iter().map(|_| DriverFigures::default()).collect();
    for _ in 0..setting.rounds {
        let before = answered(&server);
        let ran = own_driver(&LOAD, &url)?;
        mine.add(&ran, answered(&server) - before);
        for (peer, figures) in PEERS.iter().zip(&mut theirs) {
            let before = answered(&server);
            if let Some(ran) = peer.run(&LOAD, &url)? {
                figures.add(&ran, answered(&server) - before);
            }
        }
    }
    let (cpu, memory) = mine.medians().unwrap_or_default();
    let mut rows = Vec::new();
    for (peer, figures) in PEERS.iter().zip(theirs) {
        let reported = figures.medians();
        let bound = match peer.name {
            "wrk" => RowBound::RatioAtMost(1.15),
            _ => RowBound::ComparisonOnly,
        };
        rows.push(BudgetRow::judged(
            "drive-cpu",
            "closed loop, 50 connections: CPU",
            (cpu, "us/request"),
            (peer.name, reported.map(|t| t.0)),
            bound,
        ));
        rows.push(BudgetRow::judged(
            "drive-cpu",
            "closed loop, 50 connections: memory",
            (memory, "MB"),
            (peer.name, reported.map(|t| t.1)),
            RowBound::ComparisonOnly,
        ));
    }
    Ok(rows)
}

#[derive(Default)]
struct DriverFigures {
    cpu_us: Vec<f64>,
    memory_mb: Vec<f64>,
}

impl DriverFigures {
    fn add(&mut self, ran: &DriverRun, requests: f64) {
        self.cpu_us.push(ran.cpu_s * 1e6 / requests.max(1.0));
        self.memory_mb.push(ran.peak_mb);
    }

    /// CPU per request in µs and memory in MB; none when nothing ran.
    fn medians(mut self) -> Option<(f64, f64)> {
        (!self.cpu_us.is_empty()).then(|| (median(&mut self.cpu_us), median(&mut self.memory_mb)))
    }
}
