//! Histogram logs of a run, and several machines' logs as one result.
//!
//! A log is an HdrHistogram interval log that any tool reads. One comment line of
//! it carries the run's counts as JSON, so that merging is exact.

use crate::session::SessionResult;
use crate::summary::tag;
use measure::Histogram;
use measure::hdrlog::{self, EncodedHistogram, LogError};
use measure::report::{
    CpuPart, LatencyReport, LoadReport, PopulationReport, ReportInterval, ServerCpu,
};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why logs cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// The file is not a histogram log.
    #[error("{0}: {1}")]
    Log(String, LogError),
    /// A log without the comment that carries the counts.
    #[error("{0}: the log has no line of counts; it was not written by tupelo drive")]
    NoCounts(String),
    /// The same run more than once: its answers would count twice.
    #[error(
        "{0} and {1} contain the same run; give each machine's log once, and no merged log that contains it"
    )]
    Twice(String, String),
    /// The log is incomplete.
    #[error(
        "{0}: its histograms have {1} answers and its line of counts says {2}; the file is incomplete"
    )]
    Lost(String, u64, u64),
    /// The runs have different loads.
    #[error("{0} is of another load: its populations differ from the first log's")]
    Different(String),
}

/// The histogram log of a recording.
pub fn log(recording: &SessionResult) -> Result<Vec<u8>, LogError> {
    let mut bytes = hdrlog::write(recording.outcome.started_wall, &recording.log)?;
    // Distributions are in the histograms; counts and rates need the comment.
    let json = serde_json::to_string(&recording.report).expect("a report is plain data");
    bytes.extend_from_slice(format!("{COUNTS}{json}\n").as_bytes());
    Ok(bytes)
}

/// Merges the logs of machines that ran the same scenario at the same time. Each
/// log comes with its name for messages.
pub fn merge(logs: &[(String, Vec<u8>)]) -> Result<LoadReport, MergeError> {
    let mut reports = Vec::new();
    let mut entries = Vec::new();
    let mut runs: BTreeMap<String, &str> = BTreeMap::new();
    for (name, bytes) in logs {
        let log = hdrlog::read(bytes).map_err(|e| MergeError::Log(name.clone(), e))?;
        let text = String::from_utf8_lossy(bytes);
        let report = text
            .lines()
            .find_map(|line| serde_json::from_str::<LoadReport>(line.strip_prefix(COUNTS)?).ok());
        let report = report.ok_or_else(|| MergeError::NoCounts(name.clone()))?;
        let responses = log.iter().filter(|e| e.tag.ends_with(".response"));
        let held: u64 = responses.map(|e| e.histogram.decode().count()).sum();
        let counted = report.sum().map_or(0, |s| s.response.count);
        if held != counted {
            return Err(MergeError::Lost(name.clone(), held, counted));
        }
        // A log without run ids is identified by its file name.
        let own = [name.clone()];
        for run in match report.runs[..] {
            [] => &own[..],
            _ => &report.runs,
        } {
            if let Some(earlier) = runs.insert(run.clone(), name) {
                return Err(MergeError::Twice(earlier.to_owned(), name.clone()));
            }
        }
        entries.push(log);
        reports.push(report);
    }
    let Some(first) = reports.first() else {
        return Ok(LoadReport::default());
    };
    let names =
        |r: &LoadReport| -> Vec<String> { r.populations.iter().map(|p| p.name.clone()).collect() };
    for (report, (name, _)) in reports.iter().zip(logs) {
        if names(report) != names(first) {
            return Err(MergeError::Different(name.clone()));
        }
    }
    let histograms = hdrlog::merge(&entries);
    let mut merged = LoadReport {
        title: match runs.len() {
            1 => format!("{} (from 1 machine)", own_title(first)),
            n => format!("{} (from {n} machines)", own_title(first)),
        },
        started: reports
            .iter()
            .map(|r| r.started.clone())
            .min()
            .unwrap_or_default(),
        load: format!("{} × {}", runs.len(), own_load(first)),
        runs: runs.into_keys().collect(),
        warmup_s: first.warmup_s,
        measured_s: reports.iter().map(|r| r.measured_s).fold(0.0, f64::max),
        throughput: reports.iter().map(|r| r.throughput).sum(),
        driver: first.driver.clone(),
        ..LoadReport::default()
    };
    for (i, population) in first.populations.iter().enumerate() {
        let parts: Vec<&PopulationReport> = reports.iter().map(|r| &r.populations[i]).collect();
        merged
            .populations
            .push(add_up(&population.name, &parts, &histograms));
    }
    merged.timeline = timeline(&reports, &entries);
    add_machines(&mut merged, &reports, logs);
    merged.server_cpu = server_cpu(&merged, &reports, logs);
    Ok(merged)
}

/// The title of one machine's run, also if the report was merged before.
fn own_title(report: &LoadReport) -> &str {
    let title = report.title.rsplit_once(" (from ");
    let merged =
        title.filter(|(_, rest)| rest.ends_with(" machine)") || rest.ends_with(" machines)"));
    merged.map_or(&report.title, |(title, _)| title)
}

/// The load of one machine, also if the report was merged before.
fn own_load(report: &LoadReport) -> &str {
    let factor = format!("{} × ", report.runs.len());
    if own_title(report) == report.title {
        &report.load
    } else {
        report.load.strip_prefix(&factor).unwrap_or(&report.load)
    }
}

/// The merged histograms of `logs` as one log, interval by interval, with the
/// counts of their `report`. It can be merged again like the log of one machine.
pub fn merged_log(logs: &[(String, Vec<u8>)], report: &LoadReport) -> Result<Vec<u8>, MergeError> {
    let mut merged: BTreeMap<(u64, String), hdrlog::HistogramEntry> = BTreeMap::new();
    let mut name = "";
    for (log, bytes) in logs {
        name = log;
        let entries = hdrlog::read(bytes).map_err(|e| MergeError::Log(log.clone(), e))?;
        for entry in entries {
            let at = (entry.start_s * 1e3).round() as u64;
            match merged.entry((at, entry.tag.clone())) {
                Entry::Occupied(mut there) => {
                    let mut sum = there.get().histogram.decode();
                    sum.merge(&entry.histogram.decode());
                    there.get_mut().histogram = EncodedHistogram::of(&sum);
                }
                Entry::Vacant(free) => {
                    free.insert(entry);
                }
            }
        }
    }
    let start = logs.iter().filter_map(|(_, bytes)| hdrlog::started(bytes));
    let entries: Vec<hdrlog::HistogramEntry> = merged.into_values().collect();
    let log = hdrlog::write(start.min().unwrap_or(0), &entries);
    let mut bytes = log.map_err(|e| MergeError::Log(name.to_owned(), e))?;
    let json = serde_json::to_string(report).expect("a report is plain data");
    bytes.extend_from_slice(format!("{COUNTS}{json}\n").as_bytes());
    Ok(bytes)
}

/// Server CPU per answer over all machines. A server that several machines observed
/// is identified by its address, or by its machine and processes.
fn server_cpu(
    merged: &LoadReport,
    reports: &[LoadReport],
    logs: &[(String, Vec<u8>)],
) -> Option<ServerCpu> {
    let mut parts = Vec::new();
    let mut other_views: Vec<String> = Vec::new();
    for (report, (name, _)) in reports.iter().zip(logs) {
        let Some(cpu) = &report.server_cpu else {
            continue;
        };
        let share = report.throughput / merged.throughput.max(1e-9);
        let named = |subject: &String| {
            if is_endpoint(subject) {
                subject.clone()
            } else {
                format!("{name}: {subject}")
            }
        };
        parts.extend(cpu.parts.iter().map(|part| CpuPart {
            us: part.us * share,
            subjects: part.subjects.iter().map(named).collect(),
            ..part.clone()
        }));
        other_views.extend(cpu.other_views.iter().map(named));
    }
    let mut sum = ServerCpu::of(parts)?;
    sum.other_views.extend(other_views);
    let counted: Vec<String> = sum.subjects().into_iter().map(str::to_owned).collect();
    let mut known = BTreeSet::new();
    sum.other_views
        .retain(|s| !counted.contains(s) && known.insert(s.clone()));
    Some(sum)
}

/// Whether a subject is an endpoint, which has the same name on all machines.
fn is_endpoint(subject: &str) -> bool {
    subject.starts_with("http")
}

/// Rates summed interval by interval, percentiles from the histograms of all
/// machines.
fn timeline(
    reports: &[LoadReport],
    entries: &[Vec<hdrlog::HistogramEntry>],
) -> Vec<ReportInterval> {
    let longest = reports.iter().map(|r| &r.timeline).max_by_key(|t| t.len());
    let number = |e: &&hdrlog::HistogramEntry| (e.start_s / e.length_s.max(1e-9)).round() as usize;
    let moments = longest.into_iter().flatten().enumerate().map(|(i, first)| {
        let each = || reports.iter().filter_map(|r| r.timeline.get(i));
        let merged = |kind: &str| {
            let mut merged = Histogram::new();
            let all = entries.iter().flatten().filter(|e| number(e) == i);
            let all = all.filter(|e| e.tag.ends_with(kind));
            all.for_each(|e| merged.merge(&e.histogram.decode()));
            merged
        };
        let (response, lateness) = (merged(".response"), merged(".lateness"));
        let ms = |h: &Histogram, q: f64| h.quantile(q) as f64 / 1e6;
        ReportInterval {
            at_s: first.at_s,
            warmup: first.warmup,
            sent_s: each().map(|m| m.sent_s).sum(),
            answered_s: each().map(|m| m.answered_s).sum(),
            errors_s: each().map(|m| m.errors_s).sum(),
            outstanding: each().map(|m| m.outstanding).sum(),
            p50: ms(&response, 0.5),
            p99: ms(&response, 0.99),
            max: ms(&response, 1.0),
            late_p99: ms(&lateness, 0.99),
            shape: response.shape(),
            ..ReportInterval::default()
        }
    });
    moments.collect()
}

fn add_machines(merged: &mut LoadReport, reports: &[LoadReport], logs: &[(String, Vec<u8>)]) {
    merged.driver.threads = reports.iter().map(|r| r.driver.threads).sum();
    merged.driver.cpu_s = reports.iter().map(|r| r.driver.cpu_s).sum();
    let answers = merged.throughput * merged.measured_s;
    merged.driver.cpu_us = merged.driver.cpu_s * 1e6 / answers.max(1.0);
    for (report, (name, _)) in reports.iter().zip(logs) {
        for server in &report.servers {
            // An endpoint that all machines scraped is one server. Processes
            // of the same name are different processes on each machine.
            let remote = is_endpoint(&server.subject);
            if remote && merged.servers.iter().any(|s| s.subject == server.subject) {
                continue;
            }
            let mut server = server.clone();
            if !remote {
                server.subject = format!("{name}: {}", server.subject);
            }
            let share = report.throughput / merged.throughput.max(1e-9);
            server.spread(share);
            merged.servers.push(server);
        }
        let counted = report.warnings.iter().map(|w| format!("{name}: {w}"));
        merged.warnings.extend(counted);
        for (text, count) in &report.messages {
            *merged.messages.entry(text.clone()).or_default() += count;
        }
        if report.started != merged.started {
            merged.warnings.push(format!(
                "{name} began at {}, later than the first machine.",
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
        presented: parts.first().and_then(|p| p.presented.clone()),
        wire_end: parts.first().map_or(String::new(), |p| p.wire_end.clone()),
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
        // The sum of all populations has no entries in the log.
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

/// The prefix of the comment with the counts.
const COUNTS: &str = "#tupelo-drive ";
