//! Scores counted by kind and by third, and printed.

use std::collections::BTreeMap;
use std::fmt;

use super::key::KeyCase;
use super::score::{VerdictGrade, VerdictScore};

/// Counts of many captures.
#[derive(Default)]
pub struct Table {
    /// By third, then by kind.
    rows: BTreeMap<(String, String), CountRow>,
}

/// Counts of one kind in one third.
#[derive(Clone, Default)]
struct CountRow {
    captures: u32,
    right: u32,
    in_three: u32,
    absent: u32,
    misleading: u32,
    cost_known: u32,
    cost_right: u32,
    owner_right: u32,
    remedy_right: u32,
    healthy: u32,
    quiet: u32,
}

/// The row of all kinds in a third, and the third of all captures.
const ALL: &str = "all";

impl Table {
    /// Counts one capture: in its own row, its third's and the total.
    pub fn add(&mut self, case: &KeyCase, score: &VerdictScore) {
        for third in [case.third.as_str(), ALL] {
            for kind in [case.kind.as_str(), ALL] {
                let row = self.rows.entry((third.into(), kind.into())).or_default();
                row.add(case, score);
            }
        }
    }
}

impl CountRow {
    fn add(&mut self, case: &KeyCase, score: &VerdictScore) {
        if case.healthy() {
            self.healthy += 1;
            self.quiet += u32::from(score.quiet);
            return;
        }
        self.captures += 1;
        match score.named {
            VerdictGrade::Right => self.right += 1,
            VerdictGrade::InThree => self.in_three += 1,
            VerdictGrade::Absent => self.absent += 1,
            VerdictGrade::Misleading => self.misleading += 1,
        }
        self.cost_known += u32::from(score.cost.is_some());
        self.cost_right += u32::from(score.cost == Some(true));
        self.owner_right += u32::from(score.owner == Some(true));
        self.remedy_right += u32::from(score.remedy);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<9} {:<17} {:>8} {:>7} {:>8} {:>7} {:>10} {:>8} {:>7} {:>7} {:>7}",
            "third",
            "kind",
            "captures",
            "right",
            "in three",
            "absent",
            "misleading",
            "cost",
            "owner",
            "remedy",
            "quiet"
        )?;
        for ((third, kind), row) in &self.rows {
            let of = |part: u32, whole: u32| match whole {
                0 => "-".to_owned(),
                _ => format!("{part}/{whole}"),
            };
            writeln!(
                f,
                "{third:<9} {kind:<17} {:>8} {:>7} {:>8} {:>7} {:>10} {:>8} {:>7} {:>7} {:>7}",
                row.captures + row.healthy,
                row.right,
                row.right + row.in_three,
                row.absent,
                row.misleading,
                of(row.cost_right, row.cost_known),
                of(row.owner_right, row.right),
                of(row.remedy_right, row.captures),
                of(row.quiet, row.healthy)
            )?;
        }
        let Some(all) = self.rows.get(&(ALL.into(), ALL.into())) else {
            return Ok(());
        };
        let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
        writeln!(
            f,
            "right {:.1} %, in the first three {:.1} %, absent {:.1} %, misleading {:.1} %",
            percent(all.right, all.captures),
            percent(all.right + all.in_three, all.captures),
            percent(all.absent, all.captures),
            percent(all.misleading, all.captures)
        )?;
        writeln!(
            f,
            "cost within 20 % {:.1} %, remedy right {:.1} %, healthy and quiet {:.1} %",
            percent(all.cost_right, all.cost_known),
            percent(all.remedy_right, all.captures),
            percent(all.quiet, all.healthy)
        )
    }
}
