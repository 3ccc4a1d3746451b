//! The knee of throughput against load, and scalability.
//!
//!
//! Two fits of throughput against load. The *broken stick* finds the load at which
//! the line bends, with its confidence interval. The *Universal Scalability Law*
//! gives the reasons, contention (σ) and coherency (κ), and the load beyond which
//! throughput falls.
//!
//! Reference: Gunther, "Guerrilla Capacity Planning", chapter 4; Hudson,
//! "Fitting segmented curves whose join points have to be estimated", 1966.

use crate::stats::student_quantile;
use serde::{Deserialize, Serialize};

/// A line with one bend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenStick {
    /// The load at the bend.
    pub knee: f64,
    /// The 95 % interval of the knee.
    pub interval: (f64, f64),
    /// Throughput at the knee.
    pub throughput: f64,
    /// Throughput per unit of load before the knee.
    pub slope_before: f64,
    /// Throughput per unit of load after the knee; negative if throughput
    /// collapses.
    pub slope_after: f64,
}

/// The Universal Scalability Law, X(N) = λN ÷ (1 + σ(N−1) + κN(N−1)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalabilityLaw {
    /// Throughput of one unit of load.
    pub lambda: f64,
    /// Contention (σ): the serial fraction of the work.
    pub sigma: f64,
    /// Coherency (κ): the cost of keeping data consistent between all units.
    pub kappa: f64,
    /// Half the width of the 95 % intervals of λ, σ and κ.
    pub half_widths: [f64; 3],
    /// The load of the greatest throughput. `None` if throughput only grows.
    pub peak: Option<f64>,
    /// The fraction of the variance that the law explains.
    pub r_squared: f64,
}

impl ScalabilityLaw {
    /// Whether the law explains enough of the variance.
    pub fn describes(&self) -> bool {
        self.r_squared >= DESCRIBES
    }

    /// The throughput of the law at a load.
    pub fn at(&self, load: f64) -> f64 {
        let n = load;
        self.lambda * n / (1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0))
    }

    /// Whether the law agrees with the figures that it was fitted to: pairs of
    /// load and answers/s. A request has one answer at most, so with
    /// `are_requests` the law must not exceed the load. No figure may differ
    /// from the law by more than a tenth of the greatest figure. A maximum of
    /// the law within the tried loads may not exceed the measured maximum by
    /// more than that.
    pub fn agrees(&self, points: &[(f64, f64)], are_requests: bool) -> bool {
        let greatest = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let last = points.iter().map(|p| p.0).fold(0.0, f64::max);
        let off = |(load, answers): &(f64, f64)| (self.at(*load) - answers).abs();
        let is_near = points.iter().all(|p| off(p) <= greatest * FAR);
        let peak = self.peak.filter(|peak| *peak <= last);
        let is_reached = peak.is_none_or(|peak| self.at(peak) <= greatest * (1.0 + FAR));
        let is_possible = !are_requests || self.lambda <= ONE_ANSWER;
        is_near && is_reached && is_possible
    }
}

/// The accepted difference between law and figure, as a fraction of the maximum.
const FAR: f64 = 0.1;
/// Answers per request, with a reserve for the last interval of a run.
const ONE_ANSWER: f64 = 1.02;

/// Below this fraction of explained variance the law does not describe a system.
const DESCRIBES: f64 = 0.8;

/// The shape of a sequence of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KneeVerdict {
    /// The knee is within the tried loads.
    Found,
    /// Throughput follows the load to the last point.
    NotReached,
    /// Throughput does not follow even the first loads.
    AlreadyBeyond,
    /// Throughput follows the load to its maximum, and falls beyond: a line has
    /// no bend there.
    Collapses,
    /// Too few points.
    TooFew,
    /// The points are scattered: the interval of the bend is too wide.
    Unclear,
}

/// A throughput below this fraction of the maximum, at a higher load, has
/// collapsed.
pub const COLLAPSED: f64 = 0.9;

/// A knee is unclear if its interval is this fraction of the tried loads.
const ANYWHERE: f64 = 0.9;

/// The points, by load, up to a permanent collapse of throughput. All points
/// if there is no collapse.
pub fn before_collapse(points: &[(f64, f64)]) -> &[(f64, f64)] {
    let greatest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let kept = points.iter().rposition(|p| p.1 >= greatest * COLLAPSED);
    &points[..kept.map_or(0, |at| at + 1)]
}

/// [`broken_stick`] of the points before a collapse. The points after it belong to
/// an overloaded system and are left out.
pub fn knee_before_collapse(points: &[(f64, f64)]) -> (KneeVerdict, Option<BrokenStick>) {
    match broken_stick(before_collapse(points)) {
        found @ (KneeVerdict::Found | KneeVerdict::AlreadyBeyond, _) => found,
        _ => (KneeVerdict::Collapses, None),
    }
}

/// Fits a line with one bend to points (load, throughput). The verdict says whether
/// the bend is a knee.
pub fn broken_stick(points: &[(f64, f64)]) -> (KneeVerdict, Option<BrokenStick>) {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut loads: Vec<f64> = points.iter().map(|p| p.0).collect();
    loads.dedup();
    if loads.len() < 4 {
        return (KneeVerdict::TooFew, None);
    }
    let (first, last) = (loads[0], loads[loads.len() - 1]);
    let steps = 400;
    let mut tried = Vec::new();
    for i in 1..steps {
        let knee = first + (last - first) * f64::from(i) / f64::from(steps);
        if let Some((fit, error)) = bent_at(&points, knee) {
            tried.push((knee, fit, error));
        }
    }
    let Some(best) = tried.iter().min_by(|a, b| a.2.total_cmp(&b.2)) else {
        return (KneeVerdict::TooFew, None);
    };
    let (knee, [level, before, bend], error) = *best;
    // The profile's 95 % region: where the fit is not worse than chance allows.
    let freedom = (points.len() as f64 - 4.0).max(1.0);
    let noise = (error / freedom).max(1e-9 * level * level);
    let allowed = error + noise * student_quantile(0.975, freedom).powi(2);
    let inside = tried.iter().filter(|t| t.2 <= allowed).map(|t| t.0);
    let interval = inside.fold((knee, knee), |(a, b), k| (a.min(k), b.max(k)));
    let stick = BrokenStick {
        knee,
        interval,
        throughput: level,
        slope_before: before,
        slope_after: before + bend,
    };
    let straight = before > 0.0 && stick.slope_after > STILL_FOLLOWS * before;
    let verdict = if straight {
        KneeVerdict::NotReached
    } else if before <= 0.0 {
        KneeVerdict::AlreadyBeyond
    } else if stick.interval.1 - stick.interval.0 > ANYWHERE * (last - first) {
        KneeVerdict::Unclear
    } else {
        KneeVerdict::Found
    };
    (verdict, Some(stick))
}

/// Least squares of level + before·(x − knee) + bend·max(0, x − knee), and its
/// squared error.
fn bent_at(points: &[(f64, f64)], knee: f64) -> Option<([f64; 3], f64)> {
    let row = |x: f64| [1.0, x - knee, (x - knee).max(0.0)];
    let fit = least_squares(points.iter().map(|(x, y)| (row(*x), *y)))?;
    let value = |x: f64| row(x).iter().zip(fit).map(|(a, b)| a * b).sum::<f64>();
    let error = points.iter().map(|(x, y)| (value(*x) - y).powi(2)).sum();
    Some((fit, error))
}

/// Fits the Universal Scalability Law to points (load, throughput). Returns `None`
/// for fewer than four points or if no fit exists.
pub fn scalability(points: &[(f64, f64)]) -> Option<ScalabilityLaw> {
    let points: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|p| p.0 > 0.0 && p.1 > 0.0)
        .collect();
    if points.len() < 4 {
        return None;
    }
    let model = |p: &[f64; 3], n: f64| p[0] * n / (1.0 + p[1] * (n - 1.0) + p[2] * n * (n - 1.0));
    let error = |p: &[f64; 3]| {
        points
            .iter()
            .map(|(n, x)| (model(p, *n) - x).powi(2))
            .sum::<f64>()
    };
    let rate = points.iter().map(|(n, x)| x / n).fold(0.0, f64::max);
    let mut best = [rate, 0.01, 0.0];
    let mut damping = 1e-3;
    for _ in 0..500 {
        let mut normal = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        for (n, x) in &points {
            let gradient = gradient(&best, *n);
            let rest = x - model(&best, *n);
            for i in 0..3 {
                right[i] += gradient[i] * rest;
                for j in 0..3 {
                    normal[i][j] += gradient[i] * gradient[j];
                }
            }
        }
        let mut damped = normal;
        (0..3).for_each(|i| damped[i][i] *= 1.0 + damping);
        let Some(step) = solve(damped, right) else {
            break;
        };
        let next = [
            best[0] + step[0],
            (best[1] + step[1]).max(0.0),
            (best[2] + step[2]).max(0.0),
        ];
        let (was, is) = (error(&best), error(&next));
        if is <= was && next[0] > 0.0 {
            best = next;
            damping = (damping / 3.0f64).max(1e-12);
            if was - is <= 1e-14 * was {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    let total: f64 = points.iter().map(|p| (p.1 - mean).powi(2)).sum();
    let [lambda, sigma, kappa] = best;
    Some(ScalabilityLaw {
        lambda,
        sigma,
        kappa,
        half_widths: half_widths(&points, &best, error(&best)),
        peak: (kappa > 0.0 && sigma < 1.0).then(|| ((1.0 - sigma) / kappa).sqrt()),
        r_squared: if total > 0.0 {
            1.0 - error(&best) / total
        } else {
            0.0
        },
    })
}

fn gradient(p: &[f64; 3], n: f64) -> [f64; 3] {
    let below = 1.0 + p[1] * (n - 1.0) + p[2] * n * (n - 1.0);
    let shared = -p[0] * n / (below * below);
    [n / below, shared * (n - 1.0), shared * n * (n - 1.0)]
}

fn half_widths(points: &[(f64, f64)], p: &[f64; 3], error: f64) -> [f64; 3] {
    let freedom = points.len() as f64 - 3.0;
    let mut normal = [[0.0; 3]; 3];
    for (n, _) in points {
        let g = gradient(p, *n);
        for i in 0..3 {
            (0..3).for_each(|j| normal[i][j] += g[i] * g[j]);
        }
    }
    let t = student_quantile(0.975, freedom.max(1.0));
    std::array::from_fn(|i| {
        let mut unit = [0.0; 3];
        unit[i] = 1.0;
        match solve(normal, unit) {
            Some(column) => t * (column[i].max(0.0) * error / freedom.max(1.0)).sqrt(),
            None => f64::INFINITY,
        }
    })
}

fn least_squares(rows: impl Iterator<Item = ([f64; 3], f64)>) -> Option<[f64; 3]> {
    let mut normal = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for (row, y) in rows {
        for i in 0..3 {
            right[i] += row[i] * y;
            (0..3).for_each(|j| normal[i][j] += row[i] * row[j]);
        }
    }
    solve(normal, right)
}

/// Gaussian elimination with pivots. Returns `None` for a singular matrix.
fn solve(mut m: [[f64; 3]; 3], mut right: [f64; 3]) -> Option<[f64; 3]> {
    for i in 0..3 {
        let pivot = (i..3).max_by(|a, b| m[*a][i].abs().total_cmp(&m[*b][i].abs()))?;
        m.swap(i, pivot);
        right.swap(i, pivot);
        if m[i][i].abs() < 1e-300 || !m[i][i].is_finite() {
            return None;
        }
        for j in i + 1..3 {
            let factor = m[j][i] / m[i][i];
            let upper = m[i];
            (i..3).for_each(|k| m[j][k] -= factor * upper[k]);
            right[j] -= factor * right[i];
        }
    }
    let mut x = [0.0; 3];
    for i in (0..3).rev() {
        let rest: f64 = (i + 1..3).map(|j| m[i][j] * x[j]).sum();
        x[i] = (right[i] - rest) / m[i][i];
    }
    Some(x)
}

/// Throughput still follows the load if the slope after the bend is more than this
/// fraction of the slope before it.
const STILL_FOLLOWS: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collapse_is_no_knee_and_moves_none() {
        let rising = |n: f64| (n, n);
        // Follows the load to 240, and serves a fifth of it beyond.
        let mut points: Vec<_> = [30.0, 60.0, 120.0, 180.0, 240.0].map(rising).to_vec();
        points.extend([(300.0, 50.0), (480.0, 40.0)]);
        assert_eq!(
            knee_before_collapse(&points),
            (KneeVerdict::Collapses, None)
        );
        assert_eq!(before_collapse(&points).len(), 5);
        // With a plateau before the collapse, the knee is where that begins.
        points.splice(5..5, [(260.0, 241.0), (280.0, 240.0), (290.0, 239.0)]);
        let (verdict, stick) = knee_before_collapse(&points);
        assert_eq!(verdict, KneeVerdict::Found);
        let knee = stick.unwrap().knee;
        assert!((knee - 240.0).abs() < 5.0, "{knee}");
    }

    #[test]
    fn a_capacity_is_found_where_throughput_stops_growing() {
        let points: Vec<(f64, f64)> = (1..=20)
            .map(|i| {
                (
                    f64::from(i) * 100.0,
                    (f64::from(i) * 100.0).min(1230.0) + f64::from(i % 3),
                )
            })
            .collect();
        let (verdict, stick) = broken_stick(&points);
        let stick = stick.unwrap();
        assert_eq!(verdict, KneeVerdict::Found);
        assert!((stick.knee - 1230.0).abs() < 15.0, "{stick:?}");
        assert!(stick.interval.0 <= stick.knee && stick.knee <= stick.interval.1);
        assert!(stick.slope_after.abs() < 0.05);
    }

    /// A search on a machine that stalled during one step.
    #[test]
    fn a_bend_that_could_be_anywhere_is_no_knee() {
        let answers = [
            (100.0, 99.7),
            (200.0, 200.3),
            (300.0, 300.7),
            (400.0, 397.3),
            (412.0, 414.7),
            (419.0, 161.0),
            (425.0, 416.3),
            (450.0, 424.0),
            (500.0, 414.7),
            (600.0, 413.3),
        ];
        let (verdict, stick) = broken_stick(&answers);
        assert_eq!(verdict, KneeVerdict::Unclear, "{stick:?}");
        let quiet: Vec<_> = answers.into_iter().filter(|p| p.0 != 419.0).collect();
        let (verdict, stick) = broken_stick(&quiet);
        assert_eq!(verdict, KneeVerdict::Found);
        assert!((stick.unwrap().knee - 415.0).abs() < 10.0, "{stick:?}");
    }

    #[test]
    fn a_straight_line_has_no_knee() {
        let points: Vec<(f64, f64)> = (1..=10)
            .map(|i| (f64::from(i), f64::from(i) * 2.0))
            .collect();
        assert_eq!(broken_stick(&points).0, KneeVerdict::NotReached);
        assert_eq!(broken_stick(&points[..3]).0, KneeVerdict::TooFew);
    }

    #[test]
    fn the_law_gives_back_the_coefficients_it_was_made_with() {
        let law = |n: f64| 995.0 * n / (1.0 + 0.0267 * (n - 1.0) + 0.000_769 * n * (n - 1.0));
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0, 12.0, 20.0, 32.0, 48.0]
            .map(|n| (n, law(n)))
            .to_vec();
        let fit = scalability(&points).unwrap();
        assert!((fit.lambda / 995.0 - 1.0).abs() < 1e-3, "{fit:?}");
        assert!((fit.sigma / 0.0267 - 1.0).abs() < 1e-2, "{fit:?}");
        assert!((fit.kappa / 0.000_769 - 1.0).abs() < 1e-2, "{fit:?}");
        assert!((fit.peak.unwrap() - 35.6).abs() < 0.5);
        assert!(fit.r_squared > 0.999);
    }

    #[test]
    fn a_law_that_its_figures_contradict_is_not_believed() {
        // Answers as many as requests up to 379, and then no more: a law of
        // contention gives far more than the loads just before that.
        let law = |lambda, sigma, kappa, peak| ScalabilityLaw {
            lambda,
            sigma,
            kappa,
            half_widths: [0.0; 3],
            peak,
            r_squared: 0.95,
        };
        let points: Vec<(f64, f64)> = (1..=8)
            .map(|i| f64::from(i) * 100.0)
            .map(|n| (n, n.min(379.0)))
            .collect();
        assert!(!law(1.2, 0.0, 2e-6, Some(651.0)).agrees(&points, true));
        assert!(!law(0.9, 0.0, 0.0, None).agrees(&points, true));
        let grown: Vec<(f64, f64)> = (1..=8)
            .map(f64::from)
            .map(|n| (n, 50.0 * n / (1.0 + 0.1 * (n - 1.0))))
            .collect();
        let fit = scalability(&grown).unwrap();
        assert!(fit.agrees(&grown, false), "{fit:?}");
        // Requests have one answer each, clients have many.
        assert!(!fit.agrees(&grown, true));
    }
}
