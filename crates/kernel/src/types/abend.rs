//! How a task ends that does not end normally.
//!
//! Reference: CICS messages and codes, "Transaction abend codes".

use link::ProgramName;

use super::MonitoringRecord;

/// An abnormal end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abend {
    /// Four characters: `ASRA`, `AICA`, `AEI0`…
    pub code: [u8; 4],
    /// Program in control, blank when unknown.
    pub program: ProgramName,
    /// Line of its source, 0 when unknown.
    pub line: u32,
    /// What happened, in words.
    pub message: String,
}

impl Abend {
    /// The code as text.
    pub fn code(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.code.trim_ascii_end())
    }

    /// Logs the abend, for tasks that no connection of this region waits for.
    pub fn log(&self, record: &MonitoringRecord) {
        let program = if self.program.is_blank() {
            record.program
        } else {
            self.program
        };
        let place = match self.line {
            0 => String::new(),
            line => format!(" line {line}"),
        };
        tracing::info!(
            target: "tupelo::task",
            "{} task {} {} in {program}{place}: {}",
            self.code(),
            record.task,
            record.transid,
            self.message,
        );
    }
}
