//! REST to COBOL in a region of another process, over `ipconn`, against the
//! same with the region in the gateway's process.
//!
//! CPU is that of gateway and region together, workers included.

use std::path::Path;

use anyhow::Result;

use super::gateway::{MeasuredRun, Server, application, exchange, medians, serve};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound};

/// The benches of a gateway apart from its region.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "gateway-remote",
    about: "REST to COBOL over ipconn against the region in the gateway's process",
    run,
}];

fn run(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let app = application(folder.path(), "inside", "CONCURRENCY(THREADSAFE)")?;
    let inside = Server::start(serve(&app, &[])?)?;
    let (region, front) = apart(&app, folder.path())?;
    let load = ["-c", "50", "-t", "4s"];
    let mut rows = Vec::new();
    for (name, bytes) in [("remote-1k", 1000), ("remote-128k", 128 << 10)] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..setting.rounds {
            let before = region.cpu_us();
            let mut remote = exchange(&front, bytes, &load)?;
            let answers = remote.throughput * 4.0;
            remote.cpu_us += (region.cpu_us() - before) / answers.max(1.0);
            ours.push(remote);
            theirs.push(exchange(&inside, bytes, &load)?);
        }
        let (ours, theirs) = (medians(ours), medians(theirs));
        let size = format!("{} bytes, 50 connections, THREADSAFE", bytes);
        rows.extend(both(name, &size, &ours, &theirs));
    }
    Ok(rows)
}

fn both(
    name: &'static str,
    size: &str,
    ours: &MeasuredRun,
    theirs: &MeasuredRun,
) -> [BudgetRow; 2] {
    [
        BudgetRow::judged(
            name,
            format!("throughput, {size}"),
            (ours.throughput, "requests/s"),
            ("in-process", Some(theirs.throughput)),
            RowBound::ComparisonOnly,
        ),
        BudgetRow::judged(
            name,
            format!("CPU saturated, {size}"),
            (ours.cpu_us, "us/request"),
            ("in-process", Some(theirs.cpu_us)),
            RowBound::ComparisonOnly,
        ),
    ]
}

/// A region, and a gateway in front of it.
fn apart(app: &Path, folder: &Path) -> Result<(Server, Server)> {
    let options = ["--region-only", "--ipconn", "127.0.0.1:0", "--state"];
    let state = folder.join("region-state");
    let mut command = serve(app, &options)?;
    command.arg(&state);
    let region = Server::start_at(command, "ipconn")?;
    let front = folder.join("front");
    super::gateway::copy(&app.join("apis"), &front.join("apis"))?;
    let settings = format!(
        "[gateway]\nthreads = 1\n[ipconn.connections.CICSA]\naddress = \"{}\"\nsessions = 500\n",
        region.address()
    );
    std::fs::write(front.join("tupelo.toml"), settings)?;
    let front = Server::start(serve(&front, &["--gateway-only"])?)?;
    Ok((region, front))
}
