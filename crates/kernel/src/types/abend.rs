//! Abnormal ends of tasks.
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
    /// Line of the program's source, 0 when unknown.
    pub line: u32,
    /// Description of the error.
    pub message: String,
}

impl Abend {
    /// The code as text.
    pub fn code(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.code.trim_ascii_end())
    }

    /// Logs the abend of a task for which no connection of this region waits.
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
