//! One line of the budget table, in the field order the design fixes.

use serde::Serialize;
use std::fmt;

/// The heading above rows printed for people.
pub const HEADING: &str = "bench            row                                      value  unit            peer               peer value    ratio  must       met";

/// One measured budget.
#[derive(Serialize)]
pub struct BudgetRow {
    /// The bench's name.
    pub bench: &'static str,
    /// What this row measured.
    pub row: String,
    /// Our figure, in `unit`.
    pub value: f64,
    /// The unit of `value` and `peer_value`.
    pub unit: &'static str,
    /// The program or limit measured for comparison.
    pub peer: String,
    /// The peer's figure; none when the peer is not installed.
    pub peer_value: Option<f64>,
    /// Ours divided by the peer's.
    pub ratio: Option<f64>,
    /// The line to cross, in words (`ratio <= 1.15`).
    pub must: String,
    /// Whether it was crossed; none when nothing could be compared.
    pub met: Option<bool>,
    /// What was counted, on both sides.
    pub counted: &'static str,
}

/// The line a row has to cross.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each bench uses the bounds that its budget names")]
pub enum RowBound {
    /// Ours ÷ peer's at most this.
    RatioAtMost(f64),
    /// Ours ÷ peer's at least this.
    RatioAtLeast(f64),
    /// Our value at most this, whatever the peer does.
    ValueAtMost(f64),
    /// Our value at least this, whatever the peer does.
    ValueAtLeast(f64),
    /// Within this distance of the peer's value (a limit known by arithmetic).
    Within(f64),
    /// No bound: printed for comparison.
    ComparisonOnly,
}

impl BudgetRow {
    /// A row judged by `bound`.
    pub fn judged(
        bench: &'static str,
        row: impl Into<String>,
        (value, unit): (f64, &'static str),
        (peer, peer_value): (&str, Option<f64>),
        bound: RowBound,
    ) -> BudgetRow {
        let ratio = peer_value.filter(|p| *p != 0.0).map(|p| value / p);
        let (must, met) = match bound {
            RowBound::RatioAtMost(x) => (format!("ratio <= {x}"), ratio.map(|r| r <= x)),
            RowBound::RatioAtLeast(x) => (format!("ratio >= {x}"), ratio.map(|r| r >= x)),
            RowBound::ValueAtMost(x) => (format!("value <= {x}"), Some(value <= x)),
            RowBound::ValueAtLeast(x) => (format!("value >= {x}"), Some(value >= x)),
            RowBound::Within(x) => (
                format!("within {x}"),
                peer_value.map(|p| (value - p).abs() <= x),
            ),
            RowBound::ComparisonOnly => (String::new(), None),
        };
        BudgetRow {
            bench,
            row: row.into(),
            value,
            unit,
            peer: peer.to_owned(),
            peer_value,
            ratio,
            must,
            met,
            counted: super::counted::on_both_sides(bench),
        }
    }
}

impl fmt::Display for BudgetRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.3}"));
        write!(
            f,
            "{:<16} {:<36} {:>9.3}  {:<15} {:<18} {:>10} {:>8}  {:<10} {}",
            self.bench,
            self.row,
            self.value,
            self.unit,
            self.peer,
            number(self.peer_value),
            number(self.ratio),
            self.must,
            match self.met {
                Some(true) => "yes",
                Some(false) => "NO",
                None => "-",
            }
        )
    }
}
