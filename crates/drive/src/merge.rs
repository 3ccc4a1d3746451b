//! Histogram logs of a run, and several machines' logs as one result.
//!
//! A log is an HdrHistogram interval log that any tool reads; one comment line
//! of it carries the run's counts as JSON, so that merging loses nothing.

use crate::session::Recording;
use crate::summary::tag;
use measure::Histogram;
use measure::hdrlog::{self, LogError};
use measure::report::{LatencyReport, PopulationReport, Report};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why logs cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A log that is none.
    #[error("{0}: {1}")]
    Log(String, LogError),
    /// A log without the comment that carries the counts.
    #[error("{0}: the log has no line of counts; it was not written by tupelo drive")]
    NoCounts(String),
    /// Runs of different loads.
    #[error("{0} is of another load: its populations differ from the first log's")]
    Different(String),
}

/// The log of a recording.
pub fn log(recording: &Recording) -> Result<Vec<u8>, LogError> {
    let mut bytes = hdrlog::write(recording.outcome.started_wall, &recording.log)?;
    let mut report = recording.report.clone();
    // Distributions are in the histograms; only counts need the comment.
    report.timeline.clear();
    let json = serde_json::to_string(&report).expect("a report is plain data");
    bytes.extend_from_slice(format!("{COUNTS}{json}\n").as_bytes());
    Ok(bytes)
}

/// Merges the logs of machines that ran the same scenario at the same time;
/// each log comes with its name for messages.
pub fn merge(logs: &[(String, Vec<u8>)]) -> Result<Report, MergeError> {
    let mut reports = Vec::new();
    let mut entries = Vec::new();
    for (name, bytes) in logs {
        let log = hdrlog::read(bytes).map_err(|e| MergeError::Log(name.clone(), e))?;
        entries.push(log);
        let text = String::from_utf8_lossy(bytes);
        let report = text
            .lines()
            .find_map(|line| serde_json::from_str::<Report>(line.strip_prefix(COUNTS)?).ok());
        reports.push(report.ok_or_else(|| MergeError::NoCounts(name.clone()))?);
    }
    let Some(first) = reports.first() else {
        return Ok(Report::default());
    };
    let names =
        |r: &Report| -> Vec<String> { r.populations.iter().map(|p| p.name.clone()).collect() };
    for (report, (name, _)) in reports.iter().zip(logs) {
        if names(report) != names(first) {
            return Err(MergeError::Different(name.clone()));
        }
    }
    let histograms = hdrlog::merge(&entries);
    let mut merged = Report {
        title: format!("{} (from {} machines)", first.title, reports.len()),
        started: reports
            .iter()
            .map(|r| r.started.clone())
            .min()
            .unwrap_or_default(),
        load: format!("{} × {}", reports.len(), first.load),
        warmup_s: first.warmup_s,
        measured_s: reports.iter().map(|r| r.measured_s).fold(0.0, f64::max),
        throughput: reports.iter().map(|r| r.throughput).sum(),
        driver: first.driver.clone(),
        ..Report::default()
    };
    for (i, population) in first.populations.iter().enumerate() {
        let parts: Vec<&PopulationReport> = reports.iter().map(|r| &r.populations[i]).collect();
        merged
            .populations
            .push(add_up(&population.name, &parts, &histograms));
    }
    add_machines(&mut merged, &reports, logs);
    Ok(merged)
}

fn add_machines(merged: &mut Report, reports: &[Report], logs: &[(String, Vec<u8>)]) {
    merged.driver.threads = reports.iter().map(|r| r.driver.threads).sum();
    merged.driver.cpu_s = reports.iter().map(|r| r.driver.cpu_s).sum();
    let answers = merged.throughput * merged.measured_s;
    merged.driver.cpu_us = merged.driver.cpu_s * 1e6 / answers.max(1.0);
    for (report, (name, _)) in reports.iter().zip(logs) {
        let told = report.warnings.iter().map(|w| format!("{name}: {w}"));
        merged.warnings.extend(told);
        for (text, count) in &report.messages {
            *merged.messages.entry(text.clone()).or_default() += count;
        }
        if report.started != merged.started {
            merged.warnings.push(format!(
                "{name} began at {}, not with the first.",
                report.started
            ));
        }
    }
}

fn add_up(
    name: &str,
    parts: &[&PopulationReport],
    histograms: &BTreeMap<String, Histogram>,
) -> PopulationReport {
    let count = |f: fn(&PopulationReport) -> u64| parts.iter().map(|p| f(p)).sum();
    let a_second = |f: fn(&PopulationReport) -> f64| parts.iter().map(|p| f(p)).sum();
    let mut sum = PopulationReport {
        name: name.to_owned(),
        sent: count(|p| p.sent),
        answered: count(|p| p.answered),
        failed: count(|p| p.failed),
        outstanding: count(|p| p.outstanding),
        checks_failed: count(|p| p.checks_failed),
        held: count(|p| p.held),
        unsent: count(|p| p.unsent),
        throughput: a_second(|p| p.throughput),
        bytes_in_s: a_second(|p| p.bytes_in_s),
        bytes_out_s: a_second(|p| p.bytes_out_s),
        ..PopulationReport::default()
    };
    for part in parts {
        for (mine, theirs) in [
            (&mut sum.failures, &part.failures),
            (&mut sum.status, &part.status),
        ] {
            for (kind, n) in theirs {
                *mine.entry(kind.clone()).or_default() += n;
            }
        }
    }
    let whole = format!("{}.", tag(name));
    let latency = |kind: &str| {
        // The sum of all populations has no entries of its own.
        let of_one = histograms.get(&format!("{whole}{kind}"));
        let mut merged = Histogram::new();
        match of_one {
            Some(histogram) => merged.merge(histogram),
            None => histograms
                .iter()
                .filter(|(tag, _)| tag.ends_with(&format!(".{kind}")))
                .for_each(|(_, h)| merged.merge(h)),
        }
        LatencyReport::of(&merged)
    };
    sum.response = latency("response");
    sum.wire = latency("wire");
    sum.lateness = latency("lateness");
    sum
}

/// The comment that carries the counts.
const COUNTS: &str = "#tupelo-drive ";
