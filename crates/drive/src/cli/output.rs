//! Writes the results of a run: text or JSON on standard output, the requested
//! files, and the judgement that decides the exit code.

use super::print::{errln, outln};
use super::{CliError, OutputArgs, failed};
use crate::baseline::BaselineComparison;
use crate::objective::Objective;
use crate::session::SessionResult;
use measure::report::{LoadReport, LoopMatrix, html, text};
use std::fs;
use std::path::Path;

impl OutputArgs {
    /// Parses `--objective`; all mistakes are reported.
    pub(super) fn parsed_objectives(&self) -> Result<Vec<Objective>, CliError> {
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for text in &self.objectives {
            match Objective::parse(text) {
                Ok(objective) => good.push(objective),
                Err(wrong) => bad.push(wrong.to_string()),
            }
        }
        refused(&bad)?;
        Ok(good)
    }

    /// Checks before the run that every file can be written and that the
    /// baseline can be read.
    pub(super) fn check(&self, looped: bool) -> Result<(), CliError> {
        for path in [&self.csv, &self.hdr, &self.html].into_iter().flatten() {
            let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            if path.is_dir() || !folder.is_dir() {
                let text = format!("{}: cannot write to this folder", path.display());
                return Err(CliError::Failed(text));
            }
            if looped && Some(path) == self.hdr.as_ref() {
                continue; // Each combination has its own log next to it.
            }
            let new = !path.exists();
            let probe = fs::OpenOptions::new().append(true).create(true).open(path);
            probe.map_err(|e| failed(format!("{}: {e}", path.display())))?;
            if new {
                // A run that fails must not leave an empty file.
                fs::remove_file(path).map_err(|e| failed(format!("{}: {e}", path.display())))?;
            }
        }
        if looped && self.baseline.is_some() {
            let text = "--baseline compares one run; remove the loop from the scenario";
            return Err(CliError::Usage(text.into()));
        }
        self.read_baseline().map(|_| ())
    }

    /// Rejects options that a command does not use; `known` are those that it
    /// uses.
    pub(super) fn only(&self, command: &str, known: &[&str]) -> Result<(), CliError> {
        let given = [
            ("--title", self.title.is_some()),
            ("--csv", self.csv.is_some()),
            ("--hdr", self.hdr.is_some()),
            ("--html", self.html.is_some()),
            ("--listen", self.listen.is_some()),
            ("--objective", !self.objectives.is_empty()),
            ("--baseline", self.baseline.is_some()),
        ];
        let foreign = given
            .iter()
            .find(|(name, given)| *given && !known.contains(name));
        match foreign {
            Some((name, _)) => Err(CliError::Usage(format!(
                "{command} does not support {name}"
            ))),
            None => Ok(()),
        }
    }

    fn read_baseline(&self) -> Result<Option<LoadReport>, CliError> {
        let Some(path) = &self.baseline else {
            return Ok(None);
        };
        let named = |e: &dyn std::fmt::Display| failed(format!("{}: {e}", path.display()));
        let text = fs::read(path).map_err(|e| named(&e))?;
        let report = serde_json::from_slice(&text);
        let report = report.map_err(|e| named(&format!("not a report written by --json: {e}")))?;
        Ok(Some(report))
    }

    /// Writes the histogram log of one recording.
    pub(super) fn write_log(
        &self,
        recording: &SessionResult,
        suffix: &str,
    ) -> Result<(), CliError> {
        if let Some(path) = &self.hdr {
            let log = crate::merge::log(recording).map_err(failed)?;
            write(&named(path, suffix), &log)?;
        }
        Ok(())
    }

    /// Writes the files that need only the report.
    pub(super) fn write_report(&self, report: &LoadReport) -> Result<(), CliError> {
        if let Some(path) = &self.csv {
            write(path, csv(report).as_bytes())?;
        }
        if let Some(path) = &self.html {
            write(path, html(report).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the results of a loop: one table, one page, and the figures over
    /// time of each combination next to the table.
    pub(super) fn write_matrix(&self, matrix: &LoopMatrix) -> Result<(), CliError> {
        if self.json {
            let reports: Vec<&LoadReport> = matrix.cells.iter().map(|c| &c.report).collect();
            self.print_json(&reports)?;
        } else {
            super::print::out(format_args!("{}", matrix.text()));
        }
        if let Some(path) = &self.csv {
            write(path, matrix.csv().as_bytes())?;
            for cell in &matrix.cells {
                let parts = matrix.names.iter().zip(&cell.values);
                let parts: Vec<String> = parts.map(|(n, v)| format!("{n}={v}")).collect();
                let path = named(path, &parts.join(" "));
                write(&path, csv(&cell.report).as_bytes())?;
            }
        }
        if let Some(path) = &self.html {
            write(path, matrix.html().as_bytes())?;
        }
        Ok(())
    }

    /// Prints a value as JSON if `--json` was given.
    pub(super) fn print_json(&self, value: &impl serde::Serialize) -> Result<(), CliError> {
        if self.json {
            outln!("{}", serde_json::to_string_pretty(value).map_err(failed)?);
        }
        Ok(())
    }

    /// Prints one report. Returns whether all objectives and the baseline are
    /// met.
    pub(super) fn judge(
        &self,
        report: &LoadReport,
        objectives: &[Objective],
    ) -> Result<bool, CliError> {
        if !self.json {
            super::print::out(format_args!("{}", text(report)));
        }
        let mut met = true;
        for objective in objectives {
            let good = objective.met(report);
            met &= good;
            let word = if good { "met" } else { "MISSED" };
            errln!(
                "objective {objective}: {word} ({})",
                objective.figure_text(report)
            );
        }
        if let (Some(baseline), Some(path)) = (self.read_baseline()?, &self.baseline) {
            let standing = BaselineComparison::of(&baseline, report, self.tolerance);
            met &= standing.holds();
            for note in &standing.apart {
                errln!("note: {note}");
            }
            for worse in &standing.worse {
                errln!("regression: {worse}");
            }
            if standing.holds() {
                errln!(
                    "baseline {} of {} met: {}; no figure is worse by more than {} %",
                    path.display(),
                    baseline.started,
                    standing.held.join(", "),
                    self.tolerance
                );
            }
        }
        Ok(met)
    }
}

/// Writes a file; the error names it.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    fs::write(path, bytes).map_err(|e| failed(format!("{}: {e}", path.display())))
}

/// `report.csv` with suffix `n=5 size=100` is `report-n=5_size=100.csv`.
fn named(path: &Path, suffix: &str) -> std::path::PathBuf {
    if suffix.is_empty() {
        return path.to_owned();
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '=' | '-' | '.');
    let suffix: String = suffix
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{suffix}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{suffix}"),
    };
    path.with_file_name(name)
}

/// Rejects objectives for server CPU if no server is observed.
pub(super) fn judgeable(objectives: &[Objective], observing: bool) -> Result<(), CliError> {
    let unseen = objectives
        .iter()
        .filter(|o| o.needs_observation() && !observing);
    let why = "cannot be judged: no server is observed; name one with --process, --pid, --cgroup or --scrape";
    let bad: Vec<String> = unseen.map(|o| format!("`{o}` {why}")).collect();
    refused(&bad)
}

/// The error for invalid objectives, if there are any.
fn refused(bad: &[String]) -> Result<(), CliError> {
    match bad {
        [] => Ok(()),
        bad => Err(CliError::Usage(format!(
            "--objective {}",
            bad.join("\n       --objective ")
        ))),
    }
}

fn csv(report: &LoadReport) -> String {
    let mut out = String::from(
        "at_s,warmup,sent_s,answered_s,errors_s,outstanding,p50_ms,p99_ms,max_ms,late_p99_ms,server_cpu_percent,server_cpu_us\n",
    );
    let maybe = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
    for m in &report.timeline {
        out += &format!(
            "{},{},{},{},{},{},{},{},{},{},{},{}\n",
            m.at_s,
            m.warmup,
            m.sent_s,
            m.answered_s,
            m.errors_s,
            m.outstanding,
            m.p50,
            m.p99,
            m.max,
            m.late_p99,
            maybe(m.server_cpu_percent),
            maybe(m.server_cpu_us)
        );
    }
    out
}
