//! Servers under `tupelo drive`, as a process next to others.
//!
//! Response times count from the instant at which each request was due, so that a
//! server that stalls is not asked more gently. Two servers are asked by two such
//! processes at once, by the same means.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

/// Longest time to wait for an answer.
const TIMEOUT: &str = "10s";

/// How much is presented, and for how long.
#[derive(Clone, Copy)]
pub struct DriveLoad {
    /// Requests a second.
    pub rate: f64,
    /// Most requests outstanding at once; others wait for one to end.
    pub clients: usize,
    /// Seconds that are not measured.
    pub warmup_s: u64,
    /// Seconds that are measured.
    pub seconds: u64,
}

/// A driver that runs; dropping it ends it.
pub struct DriveRun(Child);

/// What a run showed.
#[derive(Debug, PartialEq)]
pub struct DriveReport {
    /// Each population by its name; one alone where a server was asked without a
    /// scenario.
    pub populations: Vec<(String, DriveFigures)>,
    /// Its seconds, warm-up included.
    pub seconds: Vec<DriveSecond>,
}

/// What the clients of a population had.
#[derive(Debug, PartialEq)]
pub struct DriveFigures {
    /// Requests answered with a status below 400.
    pub answered: u64,
    /// Answers with a status of 500 and above.
    pub server_errors: u64,
    /// Other answers, requests without one, and those never sent.
    pub failed: u64,
    /// Response time that half of the requests did not exceed, milliseconds.
    pub p50_ms: f64,
    /// Response time that 99 % of the requests did not exceed, milliseconds.
    pub p99_ms: f64,
    /// Longest response time, milliseconds.
    pub max_ms: f64,
    /// Lateness of the driver that 99 % of the requests did not exceed, milliseconds.
    pub late_p99_ms: f64,
}

/// One second of a run.
#[derive(Debug, PartialEq)]
pub struct DriveSecond {
    /// Its end, seconds from the start of the run.
    pub at_s: f64,
    /// Requests that failed.
    pub errors_s: f64,
    /// Response time that 99 % of its requests did not exceed, milliseconds.
    pub p99_ms: f64,
}

impl DriveRun {
    /// Begins to ask for `http://address/path`.
    pub fn start(tupelo: &Path, address: &str, path: &str, load: DriveLoad) -> Result<DriveRun> {
        let mut command = Command::new(tupelo);
        command
            .args(["drive", "--threads", "1", "--timeout", TIMEOUT])
            .args(["--rate", &load.rate.to_string()])
            .args(["--clients", &load.clients.to_string()])
            .args(["--warmup", &format!("{}s", load.warmup_s)])
            .args(["--duration", &format!("{}s", load.seconds)])
            .arg(format!("http://{address}{path}"));
        DriveRun::spawn(command)
    }

    /// Begins a run by a scenario file.
    pub fn scenario(tupelo: &Path, file: &Path) -> Result<DriveRun> {
        let mut command = Command::new(tupelo);
        command.args(["drive", "--scenario"]).arg(file);
        DriveRun::spawn(command)
    }

    fn spawn(mut command: Command) -> Result<DriveRun> {
        let child = command
            .args(["--json", "--quiet"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("tupelo drive")?;
        Ok(DriveRun(child))
    }

    /// Waits for its end. A run in which most requests failed has figures, too.
    pub fn finish(mut self) -> Result<DriveReport> {
        let out = self.0.stdout.take().context("its output")?;
        let report: Value = serde_json::from_reader(out).context("the driver has no report")?;
        self.0.wait()?;
        DriveReport::of(&report)
    }
}

impl Drop for DriveRun {
    fn drop(&mut self) {
        // It has ended already where its report was read.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl DriveReport {
    fn of(report: &Value) -> Result<DriveReport> {
        let populations = report["populations"].as_array().context("populations")?;
        let populations = populations.iter().map(|population| {
            let name = population["name"].as_str().context("name")?;
            Ok((name.to_owned(), DriveFigures::of(population)?))
        });
        let moments = report["timeline"].as_array().context("timeline")?;
        let seconds = moments.iter().map(|moment| {
            let figure = |key: &str| moment[key].as_f64().context(key.to_owned());
            Ok(DriveSecond {
                at_s: figure("at_s")?,
                errors_s: figure("errors_s")?,
                p99_ms: figure("p99")?,
            })
        });
        Ok(DriveReport {
            populations: populations.collect::<Result<_>>()?,
            seconds: seconds.collect::<Result<_>>()?,
        })
    }

    /// The figures of the only population.
    pub fn figures(self) -> Result<DriveFigures> {
        let mut populations = self.populations.into_iter();
        Ok(populations.next().context("a population")?.1)
    }
}

impl DriveFigures {
    fn of(population: &Value) -> Result<DriveFigures> {
        let count = |key: &str| population[key].as_u64().context(key.to_owned());
        let ms = |kind: &str, key: &str| {
            let value = population[kind][key].as_f64();
            value.with_context(|| format!("{kind}.{key}"))
        };
        let server_errors = population["status"]["5xx"].as_u64().unwrap_or(0);
        let wrong = count("checks_failed")?;
        let errors = wrong + count("failed")? + count("unsent")? + count("outstanding")?;
        Ok(DriveFigures {
            answered: count("answered")?.saturating_sub(wrong),
            server_errors,
            failed: errors.saturating_sub(server_errors),
            p50_ms: ms("response", "p50")?,
            p99_ms: ms("response", "p99")?,
            max_ms: ms("response", "max")?,
            late_p99_ms: ms("lateness", "p99")?,
        })
    }

    /// Requests that were not answered as they should be.
    pub fn errors(&self) -> u64 {
        self.server_errors + self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_and_requests_that_were_never_sent_are_errors_of_a_run() {
        let report = serde_json::json!({
            "populations": [{
                "name": "requests",
                "answered": 99, "checks_failed": 9, "failed": 2, "unsent": 3,
                "outstanding": 1, "status": {"2xx": 90, "4xx": 2, "5xx": 7},
                "response": {"p50": 1.5, "p99": 20.0, "max": 31.0},
                "lateness": {"p99": 0.25},
            }],
            "timeline": [{"at_s": 1.0, "errors_s": 2.0, "p99": 18.0}],
        });
        let report = DriveReport::of(&report).unwrap();
        assert_eq!(report.seconds[0].p99_ms, 18.0);
        let figures = report.figures().unwrap();
        assert_eq!(figures.answered, 90);
        assert_eq!((figures.server_errors, figures.failed), (7, 8));
        assert_eq!(figures.errors(), 15);
        assert!(DriveReport::of(&serde_json::json!({})).is_err());
    }
}
