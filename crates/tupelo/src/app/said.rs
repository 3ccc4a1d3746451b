//! What `serve` has said of an application's texts.

use std::io::{IsTerminal, Write};

use super::finding::{Finding, Findings, Severity};

/// What was said of the application's texts: a finding that a reload makes
/// again is not said again.
#[derive(Default)]
pub struct ReportedFindings {
    before: Vec<Finding>,
    now: Vec<Finding>,
}

impl ReportedFindings {
    /// The next load begins.
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    /// Shows warnings and errors that the load before did not make, and that
    /// were not said in this one.
    pub fn show_new(&mut self, findings: &Findings) {
        let fresh = findings.without(&self.before).without(&self.now);
        let told = fresh.text(Severity::Warning, std::io::stderr().is_terminal());
        // A server does not end because nobody reads what it says.
        let _ = std::io::stderr().write_all(told.as_bytes());
        self.now.extend(findings.iter().cloned());
    }
}
