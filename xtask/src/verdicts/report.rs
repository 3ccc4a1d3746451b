//! What the program's JSON says, as far as a score needs it.

use anyhow::{Context, Result};
use serde::Deserialize;

/// The report of one capture.
#[derive(Debug, Default, Deserialize)]
pub struct VerdictReport {
    /// The largest slice; none when nothing is worth naming.
    pub verdict: Option<TimeSlice>,
    /// All slices, the largest first.
    #[serde(default)]
    pub slices: Vec<TimeSlice>,
    /// What the reader is warned of.
    #[serde(default)]
    pub warnings: Vec<serde_json::Value>,
}

/// One part of the time that a user lost.
#[derive(Clone, Debug, Deserialize)]
pub struct TimeSlice {
    /// One of the ten kinds of evidence, or "unexplained".
    pub kind: String,
    /// Who owns it: network, server, client or user.
    #[serde(default)]
    pub owner: Option<String>,
    /// Time lost, in milliseconds.
    #[serde(default)]
    pub lost_ms: Option<f64>,
    /// What helps; none when there is nothing to do.
    #[serde(default)]
    pub remedy: Option<String>,
}

impl VerdictReport {
    /// The verdict, then the slices after it, each kind once.
    pub fn ranked(&self) -> Vec<&TimeSlice> {
        let mut ranked: Vec<&TimeSlice> = Vec::new();
        for slice in self.verdict.iter().chain(&self.slices) {
            if ranked.iter().all(|other| other.kind != slice.kind) {
                ranked.push(slice);
            }
        }
        ranked
    }
}

/// Reads a report; a field that no score needs may be of any shape.
///
/// # Errors
/// When it has no field `verdict`: it is then a report of an earlier form.
pub fn read(json: &[u8]) -> Result<VerdictReport> {
    let value: serde_json::Value = serde_json::from_slice(json).context("not JSON")?;
    let fields = value.as_object().context("not an object")?;
    anyhow::ensure!(
        fields.contains_key("verdict"),
        "the report has no field `verdict`"
    );
    serde_json::from_value(value).context("not a report")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_stands_first_and_is_not_counted_again_among_the_slices() {
        let json = br#"{"verdict": {"kind": "chatty", "lost_ms": 5.0},
            "slices": [{"kind": "chatty"}, {"kind": "slow-path"}], "other": 1}"#;
        let report = read(json).unwrap();
        let kinds: Vec<&str> = report.ranked().iter().map(|s| s.kind.as_str()).collect();
        assert_eq!(kinds, ["chatty", "slow-path"]);
        assert!(read(b"{\"verdict\": null}").unwrap().ranked().is_empty());
        assert!(read(b"{\"slices\": []}").is_err());
    }
}
