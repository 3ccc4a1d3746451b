//! COBOL programs that measure by the clock, run by `tupelo run`.
//!
//! Each leaves its figures in its COMMAREA, nine digits of nanoseconds each.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::program;

/// An application folder of programs that measure.
pub struct MeasuredApplication {
    folder: tempfile::TempDir,
}

/// A transaction, the program it runs, and that program's text.
pub type Program = (&'static str, &'static str, &'static str);

impl MeasuredApplication {
    /// Writes the programs and their definitions; `settings` is tupelo.toml,
    /// `definitions` are the other resources that the programs need.
    pub fn new(
        programs: &[Program],
        settings: &str,
        definitions: &str,
    ) -> Result<MeasuredApplication> {
        let application = MeasuredApplication {
            folder: tempfile::tempdir()?,
        };
        let app = application.folder.path();
        fs::create_dir_all(app.join("cobol"))?;
        fs::create_dir_all(app.join("copybooks"))?;
        for (name, text) in COPYBOOKS {
            fs::write(app.join("copybooks").join(name), text)?;
        }
        let mut definitions = definitions.to_owned();
        for (transid, program, text) in programs {
            fs::write(app.join(format!("cobol/{program}.cbl")), text)?;
            definitions.push_str(&format!(
                "DEFINE TRANSACTION({transid}) GROUP(B) PROGRAM({program}) RUNAWAY(0)\n\
                 DEFINE PROGRAM({program}) GROUP(B) CONCURRENCY(THREADSAFE)\n"
            ));
        }
        fs::write(app.join("resources.csd"), definitions)?;
        fs::write(app.join("tupelo.toml"), settings)?;
        Ok(application)
    }

    /// The application's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a transaction and reads its first `count` figures, as microseconds.
    pub fn figures(&self, transid: &str, count: usize) -> Result<Vec<f64>> {
        let commarea = ["--commarea", "", "--length", "36"];
        let report = run(self.folder.path(), transid, &commarea)?;
        let text = report["commarea"].as_str().context("no COMMAREA")?;
        let figures = text.as_bytes().chunks(9).take(count).map(|digits| {
            let number = std::str::from_utf8(digits)?.parse::<f64>()?;
            Ok(number / 1e3)
        });
        figures.collect()
    }
}

/// Runs a transaction of an application folder and returns its report.
pub fn run(app: &Path, transid: &str, arguments: &[&str]) -> Result<Value> {
    let output = Command::new(program::tupelo()?)
        .args(["run", transid, "--json"])
        .args(arguments)
        .arg(app)
        .output()?;
    if !output.status.success() {
        bail!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// LOOK puts the time of the day in nanoseconds into WS-NOW; SENT is the data
/// passed to a started task, and the data that it leaves in a queue.
const COPYBOOKS: [(&str, &str); 3] = [
    ("CLOCK.cpy", include_str!("cobol/CLOCK.cpy")),
    ("CLOCKWS.cpy", include_str!("cobol/CLOCKWS.cpy")),
    ("SENT.cpy", include_str!("cobol/SENT.cpy")),
];
