//! 10,000 connections at 20,000 requests a second: how late our driver is, and
//! the memory of each.

use super::constant::figure;
use super::peers::{PEERS, PeerLoad, own_driver};
use super::{BenchSettings, BudgetRow, RowBound};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const LOAD: PeerLoad = PeerLoad {
    connections: 10_000,
    rate: Some(20_000),
    seconds: 5,
    cold: false,
};

/// One round; a server in a process of its own, because both ends together
/// need more descriptors than many systems allow one process.
pub fn rows(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let mut host = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let output = host.stdout.take().context("the server has an output")?;
    BufReader::new(output).read_line(&mut line)?;
    let outcome = present(&format!("http://{}/", line.trim()));
    drop(host.stdin.take());
    host.wait()?;
    outcome
}

fn present(url: &str) -> Result<Vec<BudgetRow>> {
    let ran = own_driver(&LOAD, url)?;
    let row_of = |row: &str, value, unit| {
        let row = format!("10,000 connections: {row}");
        BudgetRow::judged(
            "drive-many",
            row,
            (value, unit),
            ("", None),
            RowBound::ComparisonOnly,
        )
    };
    let mut rows = vec![
        row_of("rate", figure(&ran, "/answers_s")?, "requests/s"),
        row_of("lateness p99", figure(&ran, "/lateness_p99_ms")?, "ms"),
        row_of("response p99", figure(&ran, "/response_p99_ms")?, "ms"),
    ];
    for peer in PEERS.iter() {
        let theirs = peer.run(&LOAD, url)?;
        rows.push(BudgetRow::judged(
            "drive-many",
            "10,000 connections: memory",
            (ran.peak_mb, "MB"),
            (peer.name, theirs.map(|t| t.peak_mb)),
            RowBound::ComparisonOnly,
        ));
    }
    Ok(rows)
}
