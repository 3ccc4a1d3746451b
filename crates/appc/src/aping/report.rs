//! APING's output: durations, bytes and rates, one row an exchange.
//!
//! A rate in KB/s is bytes ÷ 1,024 ÷ seconds; in Mb/s it is KB/s × 8 ÷ 1,000, as
//! APING has always printed it.

use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// One exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// How long it took.
    pub duration: Duration,
    /// Bytes sent, in both directions when they are echoed.
    pub bytes: u64,
}

/// The whole run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApingReport {
    /// How long the allocation took, session and link included.
    pub allocate: Duration,
    /// How long the start of the partner program and the exchange of versions
    /// took.
    pub startup: Duration,
    /// The server's version.
    pub version: (u8, u8),
    /// Its operating system, if it sent it.
    pub system: Option<String>,
    /// The exchanges in order.
    pub exchanges: Vec<Exchange>,
}

/// A run for programs, as `--json` prints it.
#[derive(Serialize)]
struct Json<'a> {
    allocate_ms: f64,
    startup_ms: f64,
    partner_version: String,
    partner_system: &'a Option<String>,
    exchanges: Vec<Row>,
    total: Row,
    min_ms: f64,
    average_ms: f64,
    max_ms: f64,
}

#[derive(Serialize)]
struct Row {
    duration_ms: f64,
    bytes: u64,
    kb_per_s: f64,
    mb_per_s: f64,
}

impl Exchange {
    /// Bytes ÷ 1,024 a second; zero when no time passed.
    pub fn kb_per_s(&self) -> f64 {
        let seconds = self.duration.as_secs_f64();
        if seconds > 0.0 {
            self.bytes as f64 / 1024.0 / seconds
        } else {
            0.0
        }
    }

    /// Megabits a second, as APING counts them.
    pub fn mb_per_s(&self) -> f64 {
        self.kb_per_s() * 8.0 / 1000.0
    }

    fn row(&self) -> Row {
        Row {
            duration_ms: ms(self.duration),
            bytes: self.bytes,
            kb_per_s: self.kb_per_s(),
            mb_per_s: self.mb_per_s(),
        }
    }
}

impl ApingReport {
    /// All exchanges as one.
    pub fn total(&self) -> Exchange {
        Exchange {
            duration: self
                .exchanges
                .iter()
                .map(|exchange| exchange.duration)
                .sum(),
            bytes: self.exchanges.iter().map(|exchange| exchange.bytes).sum(),
        }
    }

    /// Shortest, average and longest duration, in milliseconds.
    pub fn statistics(&self) -> (f64, f64, f64) {
        let durations = self.exchanges.iter().map(|exchange| ms(exchange.duration));
        let count = self.exchanges.len().max(1) as f64;
        (
            durations.clone().reduce(f64::min).unwrap_or(0.0),
            ms(self.total().duration) / count,
            durations.reduce(f64::max).unwrap_or(0.0),
        )
    }

    /// One JSON object.
    pub fn to_json(&self) -> serde_json::Value {
        let (min_ms, average_ms, max_ms) = self.statistics();
        let json = Json {
            allocate_ms: ms(self.allocate),
            startup_ms: ms(self.startup),
            partner_version: format!("{}.{}", self.version.0, self.version.1),
            partner_system: &self.system,
            exchanges: self.exchanges.iter().map(Exchange::row).collect(),
            total: self.total().row(),
            min_ms,
            average_ms,
            max_ms,
        };
        serde_json::to_value(json).unwrap_or_default()
    }
}

/// The lines above the rows.
pub struct Head<'a>(pub &'a ApingReport);

/// The lines below the rows.
pub struct Foot<'a>(pub &'a ApingReport);

impl fmt::Display for ApingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", Head(self))?;
        for exchange in &self.exchanges {
            writeln!(f, "{exchange}")?;
        }
        Foot(self).fmt(f)
    }
}

impl fmt::Display for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |what: &str| format!("{what:<42}");
        let report = self.0;
        let allocate = line("Allocate duration:");
        writeln!(f, "{allocate}{:>10} ms", ms_text(report.allocate))?;
        let (major, minor) = report.version;
        let system = report.system.as_deref().unwrap_or("(unknown)");
        let connected = line("Connected to a partner running on:");
        writeln!(f, "{connected}{system}, APINGD {major}.{minor}")?;
        let startup = line("Program startup and version exchange:");
        writeln!(f, "{startup}{:>10} ms\n", ms_text(report.startup))?;
        let columns = [
            ["Duration", "Data sent", "Data rate", "Data rate"],
            ["(msec)", "(bytes)", "(KB/s)", "(Mb/s)"],
            ["--------", "---------", "---------", "---------"],
        ];
        let lines = columns.map(|[a, b, c, d]| format!("{a:>20}{b:>14}{c:>14}{d:>12}"));
        f.write_str(&lines.join("\n"))
    }
}

impl fmt::Display for Foot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.total().to_string();
        writeln!(f, "{:<8}{}\n", "Totals:", total.get(8..).unwrap_or(&total))?;
        let (min, average, max) = self.0.statistics();
        write!(
            f,
            "Duration statistics:   Min = {min:.3}   Ave = {average:.3}   Max = {max:.3}"
        )
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kb, mb) = (self.kb_per_s(), self.mb_per_s());
        write!(
            f,
            "{:>20}{:>14}{kb:>14.1}{mb:>12.3}",
            ms_text(self.duration),
            self.bytes
        )
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn ms_text(duration: Duration) -> String {
    format!("{:.3}", ms(duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_counted_as_aping_does() {
        let exchange = Exchange {
            duration: Duration::from_millis(20),
            bytes: 204_800,
        };
        assert_eq!(exchange.kb_per_s(), 10_000.0);
        assert_eq!(exchange.mb_per_s(), 80.0);
        let report = ApingReport {
            allocate: Duration::from_millis(34),
            startup: Duration::from_millis(723),
            version: (2, 43),
            system: None,
            exchanges: vec![
                exchange,
                Exchange {
                    duration: Duration::from_millis(30),
                    bytes: 204_800,
                },
            ],
        };
        assert_eq!(report.statistics(), (20.0, 25.0, 30.0));
        assert_eq!(report.total().kb_per_s(), 8_000.0);
        let text = report.to_string();
        assert!(
            text.contains("Min = 20.000   Ave = 25.000   Max = 30.000"),
            "{text}"
        );
        let still = Exchange {
            duration: Duration::ZERO,
            bytes: 1,
        };
        assert_eq!(still.kb_per_s(), 0.0);
    }
}
