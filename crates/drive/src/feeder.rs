//! Data that templates draw from: rows of a file, a sequence, random numbers.
//! A client takes a row at the start of each iteration and keeps it to the end.

use base::SeededRandom;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// One source of data, shared by all threads.
#[derive(Debug)]
pub struct Feeder {
    /// The name that templates use.
    pub name: String,
    source: RowSource,
    next: AtomicU64,
}

/// Where rows come from.
#[derive(Debug)]
pub enum RowSource {
    /// Rows of a table, in order (and from the start again) or at random.
    Rows {
        /// Column names.
        columns: Vec<String>,
        /// One value for each column and row.
        rows: Vec<Vec<Box<[u8]>>>,
        /// Whether rows are drawn at random.
        random: bool,
    },
    /// Consecutive numbers.
    Sequence {
        /// The first number.
        first: i64,
        /// The increment.
        step: i64,
    },
    /// Random numbers.
    Random {
        /// The lowest.
        low: u64,
        /// The highest.
        high: u64,
    },
}

impl Feeder {
    /// A feeder with a name; a table must have at least one row.
    pub fn new(name: impl Into<String>, source: RowSource) -> Feeder {
        Feeder {
            name: name.into(),
            source,
            next: AtomicU64::new(0),
        }
    }

    /// The number of a column; sequences and random numbers have one, `value`.
    pub fn column(&self, name: &str) -> Option<usize> {
        match &self.source {
            RowSource::Rows { columns, .. } => columns.iter().position(|c| c == name),
            RowSource::Sequence { .. } | RowSource::Random { .. } => (name == "value").then_some(0),
        }
    }

    /// The columns' names.
    pub fn columns(&self) -> Vec<&str> {
        match &self.source {
            RowSource::Rows { columns, .. } => columns.iter().map(String::as_str).collect(),
            RowSource::Sequence { .. } | RowSource::Random { .. } => vec!["value"],
        }
    }

    /// The first row, from 0, for whose value in a column `matches` returns a
    /// result, with that result. Sequences and random numbers are not searched.
    pub fn find_in_column<T>(
        &self,
        column: usize,
        matches: impl Fn(&[u8]) -> Option<T>,
    ) -> Option<(usize, T)> {
        let RowSource::Rows { rows, .. } = &self.source else {
            return None;
        };
        let mut rows = rows.iter().enumerate();
        rows.find_map(|(i, row)| Some((i, matches(row.get(column)?)?)))
    }

    /// Draws the next row; the result is what [`Feeder::write`] takes.
    pub fn draw(&self, rng: &mut SeededRandom) -> u64 {
        match &self.source {
            RowSource::Rows {
                rows, random: true, ..
            } => rng.between(0, rows.len() as u64 - 1),
            RowSource::Rows { rows, .. } => {
                self.next.fetch_add(1, Ordering::Relaxed) % rows.len() as u64
            }
            RowSource::Sequence { first, step } => {
                let n = self.next.fetch_add(1, Ordering::Relaxed) as i64;
                first.wrapping_add(step.wrapping_mul(n)) as u64
            }
            RowSource::Random { low, high } => rng.between(*low, *high),
        }
    }

    /// Appends a column of a drawn row.
    pub fn write(&self, row: u64, column: usize, out: &mut Vec<u8>) {
        match &self.source {
            RowSource::Rows { rows, .. } => {
                let value = rows.get(row as usize).and_then(|r| r.get(column));
                out.extend_from_slice(value.map_or(&[], |v| v));
            }
            RowSource::Sequence { .. } => write_number(row as i64, out),
            RowSource::Random { .. } => write_number(row, out),
        }
    }
}

/// Appends a number in decimal.
pub(crate) fn write_number(number: impl std::fmt::Display, out: &mut Vec<u8>) {
    write!(out, "{number}").expect("writing to memory does not fail");
}
