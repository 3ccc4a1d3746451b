//! Writes what a run came to: text or JSON on standard output, files where
//! they were asked for, and the judgement that decides the exit code.

use super::{CliError, OutputArgs, failed};
use crate::objective::{Objective, regressions};
use crate::session::Recording;
use measure::report::{Report, html, text};
use std::fs;
use std::path::Path;

impl OutputArgs {
    /// The objectives, all mistakes at once.
    pub(super) fn parsed_objectives(&self) -> Result<Vec<Objective>, CliError> {
        let parsed = self.objectives.iter().map(|text| Objective::parse(text));
        let (good, bad): (Vec<_>, Vec<_>) = parsed.partition(Result::is_ok);
        if !bad.is_empty() {
            let texts: Vec<String> = bad.into_iter().filter_map(Result::err).collect();
            return Err(CliError::Usage(texts.join("\n")));
        }
        Ok(good.into_iter().filter_map(Result::ok).collect())
    }

    /// Writes the files of one recording.
    pub(super) fn write_files(&self, recording: &Recording, suffix: &str) -> Result<(), CliError> {
        if let Some(path) = &self.hdr {
            let log = crate::merge::log(recording).map_err(failed)?;
            write(&named(path, suffix), &log)?;
        }
        self.write_report(&recording.report, suffix)
    }

    /// Writes the files that a report alone is enough for.
    pub(super) fn write_report(&self, report: &Report, suffix: &str) -> Result<(), CliError> {
        if let Some(path) = &self.csv {
            write(&named(path, suffix), csv(report).as_bytes())?;
        }
        if let Some(path) = &self.html {
            write(&named(path, suffix), html(report).as_bytes())?;
        }
        Ok(())
    }

    /// Prints a value as JSON when that was asked for.
    pub(super) fn print_json(&self, value: &impl serde::Serialize) -> Result<(), CliError> {
        if self.json {
            println!("{}", serde_json::to_string_pretty(value).map_err(failed)?);
        }
        Ok(())
    }

    /// Prints one report and tells whether everything asked of it is met.
    pub(super) fn judge(
        &self,
        report: &Report,
        objectives: &[Objective],
    ) -> Result<bool, CliError> {
        if !self.json {
            print!("{}", text(report));
        }
        let mut met = true;
        for objective in objectives {
            let good = objective.met(report);
            met &= good;
            let word = if good { "met" } else { "MISSED" };
            eprintln!("objective {objective}: {word}");
        }
        if let Some(path) = &self.baseline {
            let text = fs::read(path).map_err(|e| failed(format!("{}: {e}", path.display())))?;
            let baseline: Report = serde_json::from_slice(&text)
                .map_err(|e| failed(format!("{}: {e}", path.display())))?;
            for worse in regressions(&baseline, report, self.tolerance) {
                eprintln!("regression: {worse}");
                met = false;
            }
        }
        Ok(met)
    }
}

/// Writes a file, naming it when that fails.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    fs::write(path, bytes).map_err(|e| failed(format!("{}: {e}", path.display())))
}

/// `report.html` with suffix `c100` is `report-c100.html`.
fn named(path: &Path, suffix: &str) -> std::path::PathBuf {
    if suffix.is_empty() {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{suffix}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{suffix}"),
    };
    path.with_file_name(name)
}

fn csv(report: &Report) -> String {
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
