//! The findings that `serve` has reported about an application's texts.

use std::io::{IsTerminal, Write};

use super::finding::{Finding, Findings, Severity};

/// Findings about the application's texts that were reported. A finding that a reload
/// makes again is not reported again.
#[derive(Default)]
pub struct ReportedFindings {
    before: Vec<Finding>,
    now: Vec<Finding>,
}

impl ReportedFindings {
    /// Begins the next load.
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    /// Prints warnings and errors that the previous load did not make, and that were not
    /// printed in this load.
    pub fn show_new(&mut self, findings: &Findings) {
        let fresh = findings.without(&self.before).without(&self.now);
        let text = fresh.text(Severity::Warning, std::io::stderr().is_terminal());
        // A server does not end because its standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        self.now.extend(findings.iter().cloned());
    }
}
