//! Durations in nanoseconds with three significant digits, mergeable exactly: the
//! only histogram type of the project's instruments.
//!
//! Reference: HdrHistogram, <https://hdrhistogram.github.io/HdrHistogram/>.

use hdrhistogram::Histogram as Hdr;
use std::fmt;

/// A histogram of durations from 1 ns to one hour. Longer durations count as one
/// hour.
#[derive(Clone)]
pub struct Histogram(Hdr<u64>);

impl Histogram {
    /// An empty histogram (about 260 KB).
    pub fn new() -> Histogram {
        let hdr = Hdr::new_with_bounds(1, LONGEST_NS, DIGITS);
        Histogram(hdr.expect("constant bounds are valid"))
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns);
    }

    /// Counts a duration `count` times.
    pub fn record_n(&mut self, ns: u64, count: u64) {
        self.0.saturating_record_n(ns, count);
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        if !other.is_empty() {
            let added = self.0.add(&other.0);
            added.expect("histograms of one range always add");
        }
    }

    /// Removes all counts.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.0.reset();
        }
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Whether there are no counts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The duration that a fraction `quantile` (0 to 1) of the counts does not
    /// exceed, in ns; 0 if empty.
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.0.value_at_quantile(quantile)
    }

    /// The mean in ns; 0 if empty.
    pub fn mean(&self) -> f64 {
        self.0.mean()
    }

    /// The standard deviation in ns; 0 if empty.
    pub fn deviation(&self) -> f64 {
        self.0.stdev()
    }

    /// The smallest duration in ns; 0 if empty.
    pub fn min(&self) -> u64 {
        if self.is_empty() { 0 } else { self.0.min() }
    }

    /// The largest duration in ns; 0 if empty.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// The number of durations of at most `ns`.
    pub fn count_within(&self, ns: u64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.0.count_between(0, ns)
    }

    /// The value and count of every non-empty bucket, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0
            .iter_recorded()
            .map(|step| (step.value_iterated_to(), step.count_at_value()))
    }

    /// The counts in buckets of equal width on a logarithmic scale, by number.
    /// Bucket `k` begins at [`Histogram::bucket_begin_ns`]. Only non-empty
    /// buckets, ascending.
    pub fn shape(&self) -> Vec<(i32, u64)> {
        let mut shape: Vec<(i32, u64)> = Vec::new();
        for (ns, count) in self.buckets() {
            let bucket = ((ns.max(1) as f64).log10() * BUCKETS_A_DECADE).floor() as i32;
            match shape.last_mut().filter(|last| last.0 == bucket) {
                Some(last) => last.1 += count,
                None => shape.push((bucket, count)),
            }
        }
        shape
    }

    /// The lower bound of a bucket of [`Histogram::shape`], in ns.
    pub fn bucket_begin_ns(bucket: i32) -> f64 {
        10f64.powf(f64::from(bucket) / BUCKETS_A_DECADE)
    }

    /// The underlying histogram, for the log's serializer.
    pub(crate) fn inner(&self) -> &Hdr<u64> {
        &self.0
    }

    /// Converts a histogram from a log, of any range and precision.
    pub(crate) fn from_inner(hdr: &Hdr<u64>) -> Histogram {
        let mut histogram = Histogram::new();
        for step in hdr.iter_recorded() {
            histogram.record_n(step.value_iterated_to(), step.count_at_value());
        }
        histogram
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram::new()
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("p50", &self.quantile(0.5))
            .field("max", &self.max())
            .finish()
    }
}

/// One hour: a longer duration is an outage, not a response time.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// Three significant digits: a bucket is at most 0.1 % wide.
const DIGITS: u8 = 3;
/// A bucket of a shape is 12 % wide.
const BUCKETS_A_DECADE: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_keeps_every_count_in_the_bucket_it_belongs_to() {
        let mut histogram = Histogram::new();
        for ns in [1, 1_000, 1_050, 999_000, 3_600_000_000_000] {
            histogram.record(ns);
        }
        let shape = histogram.shape();
        assert_eq!(shape, [(0, 1), (60, 2), (119, 1), (251, 1)]);
        assert!((Histogram::bucket_begin_ns(60) - 1_000.0).abs() < 1e-6);
        assert_eq!(Histogram::new().shape(), []);
    }

    #[test]
    fn merging_loses_no_count() {
        let (mut a, mut b, mut both) = (Histogram::new(), Histogram::new(), Histogram::new());
        for i in 0..10_000u64 {
            let ns = i * i;
            if i % 3 == 0 {
                a.record(ns);
            } else {
                b.record(ns);
            }
            both.record(ns);
        }
        a.merge(&b);
        assert_eq!(a, both);
        assert_eq!(a.count(), 10_000);
    }

    #[test]
    fn a_duration_beyond_the_range_counts_as_the_longest() {
        let mut h = Histogram::new();
        h.record(u64::MAX);
        assert_eq!(h.count(), 1);
        assert!(h.max() >= LONGEST_NS);
    }
}
