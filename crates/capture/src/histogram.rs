//! A histogram of durations in a fixed number of bytes.
//!
//! Each power of two of nanoseconds is cut in 16 equal parts, so a value read
//! back is at most 1/16 (6 %) above the true one. Counts add up exactly and
//! in any order, which keeps results independent of threads.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Durations, counted by size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Grows to the largest bucket used.
    counts: Vec<u64>,
    count: u64,
    sum_ns: i128,
    max_ns: i64,
}

impl Histogram {
    /// Counts one duration; negative ones count as 0.
    pub fn record(&mut self, ns: i64) {
        let ns = ns.max(0);
        let bucket = bucket(ns as u64);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum_ns += ns as i128;
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds everything that `other` counted.
    pub fn merge(&mut self, other: &Histogram) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Durations counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The exact mean; 0 when empty.
    pub fn mean_ns(&self) -> i64 {
        match self.count {
            0 => 0,
            count => (self.sum_ns / count as i128) as i64,
        }
    }

    /// The exact maximum.
    pub fn max_ns(&self) -> i64 {
        self.max_ns
    }

    /// The upper edge of the bucket that holds the quantile, at most the
    /// maximum; 0 when empty.
    pub fn quantile_ns(&self, quantile: f64) -> i64 {
        let wanted = (quantile.clamp(0.0, 1.0) * self.count as f64)
            .ceil()
            .max(1.0) as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return upper(bucket).min(self.max_ns);
            }
        }
        self.max_ns
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Histogram", 6)?;
        out.serialize_field("count", &self.count)?;
        out.serialize_field("mean_ns", &self.mean_ns())?;
        out.serialize_field("p50_ns", &self.quantile_ns(0.5))?;
        out.serialize_field("p90_ns", &self.quantile_ns(0.9))?;
        out.serialize_field("p99_ns", &self.quantile_ns(0.99))?;
        out.serialize_field("max_ns", &self.max_ns)?;
        out.end()
    }
}

/// Values below 32 have a bucket each; above, 16 buckets a power of two.
fn bucket(ns: u64) -> usize {
    if ns < 32 {
        return ns as usize;
    }
    let power = 63 - ns.leading_zeros() as usize;
    let part = (ns >> (power - 4)) as usize & 15;
    32 + (power - 5) * 16 + part
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> i64 {
    if bucket < 32 {
        return bucket as i64;
    }
    let (power, part) = ((bucket - 32) / 16 + 5, (bucket - 32) % 16);
    let low = (16 + part as u128) << (power - 4);
    let width = 1u128 << (power - 4);
    (low + width - 1).min(i64::MAX as u128) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_at_most_a_sixteenth_above_the_truth() {
        let mut histogram = Histogram::default();
        for ns in 1..=100_000 {
            histogram.record(ns);
        }
        for quantile in [0.1, 0.5, 0.9, 0.99, 1.0] {
            let truth = (quantile * 100_000.0) as i64;
            let found = histogram.quantile_ns(quantile);
            assert!(
                found >= truth && found <= truth + truth / 16 + 1,
                "{quantile}: {found}"
            );
        }
        assert_eq!(histogram.mean_ns(), 50_000);
        assert_eq!(histogram.max_ns(), 100_000);
    }

    #[test]
    fn the_largest_duration_has_a_bucket() {
        let mut histogram = Histogram::default();
        histogram.record(i64::MAX);
        histogram.record(-5);
        assert_eq!(histogram.quantile_ns(1.0), i64::MAX);
        assert_eq!(histogram.quantile_ns(0.0), 0);
    }
}
