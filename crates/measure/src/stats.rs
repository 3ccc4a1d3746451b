//! Small-sample statistics: the significance of a difference, and the precision of
//! a mean.
//!
//! Reference: Welch, "The generalization of Student's problem", 1947; the
//! incomplete beta function after Lentz's continued fraction (DLMF 8.17);
//! batch means with unequal batches after Law, "Simulation Modeling and
//! Analysis", chapter 9, and Cochran, "Sampling Techniques", chapter 6.

use serde::{Deserialize, Serialize};

/// Mean and spread of repeated measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleStatistics {
    /// Number of values.
    pub count: usize,
    /// The mean.
    pub mean: f64,
    /// The sample variance (divided by count − 1).
    pub variance: f64,
}

/// The result of comparing two samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleComparison {
    /// B's mean ÷ A's mean − 1.
    pub change: f64,
    /// The 95 % interval of the change.
    pub interval: (f64, f64),
    /// The probability of such a difference if the true means are equal.
    pub p_value: f64,
}

impl SampleStatistics {
    /// The statistics of some values.
    pub fn of(values: &[f64]) -> SampleStatistics {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count.max(1) as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let variance = squares / count.saturating_sub(1).max(1) as f64;
        SampleStatistics {
            count,
            mean,
            variance,
        }
    }

    /// Half the width of the mean's 95 % confidence interval; infinite for
    /// fewer than two values.
    pub fn half_width(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let error = (self.variance / self.count as f64).sqrt();
        student_quantile(0.975, (self.count - 1) as f64) * error
    }
}

/// The mean response time of a queue from batches of time, given as (count, sum) of
/// each. Returns the mean and half the width of its interval at `confidence` (0 to
/// 1). The width is infinite for fewer than two batches.
///
///
/// Successive responses of a queue are correlated, so their own variance
/// underestimates that of the mean. Batches that are long compared with the
/// correlation are nearly independent, so their variance is used. Each batch is
/// weighted by its count.
pub fn batch_mean(batches: &[(f64, f64)], confidence: f64) -> (f64, f64) {
    let count: f64 = batches.iter().map(|b| b.0).sum();
    let sum: f64 = batches.iter().map(|b| b.1).sum();
    let mean = sum / count.max(f64::MIN_POSITIVE);
    if batches.len() < 2 {
        return (mean, f64::INFINITY);
    }
    let n = batches.len() as f64;
    let squares: f64 = batches.iter().map(|(c, s)| (s - mean * c).powi(2)).sum();
    let error = (n / (n - 1.0) * squares).sqrt() / count.max(f64::MIN_POSITIVE);
    let quantile = student_quantile(1.0 - (1.0 - confidence) / 2.0, n - 1.0);
    (mean, quantile * error)
}

/// Compares two sets of measurements with different variances. Returns `None` if
/// either has fewer than two values or A's mean is zero.
///
///
/// Times, rates and CPU are positive and vary by factors, so their logarithms are
/// compared (Welch's test). The change is that of the geometric means, and its
/// interval is that of a ratio, which cannot be below −100 %. If a value is zero,
/// as error counts may be, the values themselves are compared.
pub fn compare(a: &[f64], b: &[f64]) -> Option<SampleComparison> {
    let positive = |values: &[f64]| values.iter().all(|v| *v > 0.0);
    if !(positive(a) && positive(b)) {
        let mut found = compare_means(&SampleStatistics::of(a), &SampleStatistics::of(b))?;
        // A count cannot fall by more than 100 %.
        found.interval.0 = found.interval.0.max(-1.0);
        return Some(found);
    }
    let logs =
        |values: &[f64]| SampleStatistics::of(&values.iter().map(|v| v.ln()).collect::<Vec<_>>());
    let (difference, half, p_value) = welch(&logs(a), &logs(b))?;
    let change = |log: f64| log.exp_m1();
    Some(SampleComparison {
        change: change(difference),
        interval: (change(difference - half), change(difference + half)),
        p_value,
    })
}

/// The means whose change [`compare`] returns.
pub fn centres(a: &[f64], b: &[f64]) -> [f64; 2] {
    let logarithmic = a.iter().chain(b).all(|v| *v > 0.0);
    [a, b].map(|values| {
        if logarithmic && !values.is_empty() {
            let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
            SampleStatistics::of(&logs).mean.exp()
        } else {
            SampleStatistics::of(values).mean
        }
    })
}

/// Compares the means of two samples. Returns `None` if either has fewer than two
/// values, or if A's mean is zero.
fn compare_means(a: &SampleStatistics, b: &SampleStatistics) -> Option<SampleComparison> {
    if a.mean == 0.0 {
        return None;
    }
    let (difference, half, p_value) = welch(a, b)?;
    let ends = [(difference - half) / a.mean, (difference + half) / a.mean];
    Some(SampleComparison {
        change: difference / a.mean,
        interval: (ends[0].min(ends[1]), ends[0].max(ends[1])),
        p_value,
    })
}

/// Welch's test: B's mean minus A's, half the width of its 95 % interval, and the
/// p-value. Returns `None` if either has fewer than two values.
fn welch(a: &SampleStatistics, b: &SampleStatistics) -> Option<(f64, f64, f64)> {
    if a.count < 2 || b.count < 2 {
        return None;
    }
    let (va, vb) = (a.variance / a.count as f64, b.variance / b.count as f64);
    let difference = b.mean - a.mean;
    let error = (va + vb).sqrt();
    if error == 0.0 {
        let p_value = if difference == 0.0 { 1.0 } else { 0.0 };
        return Some((difference, 0.0, p_value));
    }
    let freedom =
        (va + vb).powi(2) / (va * va / (a.count - 1) as f64 + vb * vb / (b.count - 1) as f64);
    let half = student_quantile(0.975, freedom) * error;
    let p_value = 2.0 * (1.0 - student_cdf((difference / error).abs(), freedom));
    Some((difference, half, p_value))
}

/// The median; the mean of the two middle values if their number is even.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Student's distribution function with `freedom` degrees of freedom.
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    let x = freedom / (freedom + t * t);
    let tail = 0.5 * incomplete_beta(freedom / 2.0, 0.5, x);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The quantile of Student's distribution at `probability`.
pub fn student_quantile(probability: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (-1e3, 1e3);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if student_cdf(middle, freedom) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front =
        (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let safe = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for i in 1..300 {
        let m = f64::from(i);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / safe(1.0 + even * d);
        c = safe(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / safe(1.0 + odd * d);
        c = safe(1.0 + odd / c);
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    h
}

/// The logarithm of the gamma function (Stirling's series after a shift).
fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut x = x;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706), (4.0, 2.776), (10.0, 2.228), (1000.0, 1.962)] {
            let got = student_quantile(0.975, freedom);
            assert!((got - expected).abs() < 1e-3, "{freedom}: {got}");
        }
    }

    #[test]
    fn batches_of_equal_size_give_students_interval() {
        let values = [9.0, 11.0, 10.0, 12.0, 8.0];
        let batches: Vec<(f64, f64)> = values.iter().map(|v| (4.0, 4.0 * v)).collect();
        let (mean, half) = batch_mean(&batches, 0.95);
        let sample = SampleStatistics::of(&values);
        assert!((mean - sample.mean).abs() < 1e-12);
        assert!((half - sample.half_width()).abs() < 1e-9, "{half}");
        assert!(batch_mean(&batches, 0.995).1 > half);
        assert_eq!(batch_mean(&batches[..1], 0.95).1, f64::INFINITY);
    }

    #[test]
    fn a_batch_counts_by_what_it_holds() {
        let (mean, half) = batch_mean(&[(1.0, 10.0), (3.0, 60.0)], 0.95);
        assert!((mean - 17.5).abs() < 1e-12 && half.is_finite());
    }

    #[test]
    fn noise_is_not_taken_for_a_difference() {
        let a = [10.0, 10.4, 9.7, 10.1, 9.8];
        let same = [10.1, 9.9, 10.3, 9.6, 10.0];
        let slower = [11.0, 11.3, 10.8, 11.2, 10.9];
        assert!(compare(&a, &same).unwrap().p_value > 0.5);
        let found = compare(&a, &slower).unwrap();
        assert!(found.p_value < 0.01 && found.interval.0 > 0.05, "{found:?}");
        assert!((found.change - 0.104).abs() < 1e-3, "{found:?}");
        let [of_a, of_b] = centres(&a, &slower);
        assert!((of_b / of_a - 1.0 - found.change).abs() < 1e-12);
        assert_eq!(centres(&[0.0, 4.0], &[1.0]), [2.0, 1.0]);
        assert!(compare(&a, &[1.0]).is_none());
        assert!(compare(&[0.0, 0.0], &a).is_none());
        // Exchanging A and B changes only the sign.
        let back = compare(&slower, &a).unwrap();
        assert!((back.p_value - found.p_value).abs() < 1e-12);
        assert!(((1.0 + back.change) * (1.0 + found.change) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_interval_falls_below_minus_a_hundred_percent() {
        let (wild, small) = ([1.0, 9.0, 100.0], [0.1, 5.0, 0.01]);
        let found = compare(&wild, &small).unwrap();
        assert!(found.interval.0 > -1.0 && found.interval.0 < found.change);
        let errors = compare(&[1.0, 30.0, 0.0], &[0.0, 0.0, 1.0]).unwrap();
        assert_eq!(errors.interval.0, -1.0);
    }

    #[test]
    fn of_equal_servers_one_comparison_in_twenty_errs() {
        // Five rounds each, with times that vary by factors. Chance is
        // simulated by the sum of twelve uniform numbers.
        let mut random = base::SeededRandom::new(1);
        let mut rounds = || -> Vec<f64> {
            let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            (0..5).map(|_| (0.3 * normal()).exp()).collect()
        };
        let runs = 4000;
        let taken = (0..runs).filter(|_| {
            let found = compare(&rounds(), &rounds()).unwrap();
            let without_zero = found.interval.0 > 0.0 || found.interval.1 < 0.0;
            assert_eq!(without_zero, found.p_value < 0.05, "{found:?}");
            without_zero
        });
        let share = taken.count() as f64 / f64::from(runs);
        assert!((0.03..0.06).contains(&share), "{share}");
    }
}
