//! The position of a value along an axis, and the ticks that fit.

use super::ChartAxis;
use crate::short;

/// Maps values to positions in the picture.
pub(super) struct AxisScale {
    pub(super) log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    pub(super) ticks: Vec<(f64, String)>,
}

impl AxisScale {
    /// The scale that shows all `values` between the positions `from` and `to`,
    /// with about `count` ticks.
    pub(super) fn new(
        axis: &ChartAxis,
        values: impl Iterator<Item = f64>,
        from: f64,
        to: f64,
        count: f64,
    ) -> AxisScale {
        let usable = values.filter(|v| v.is_finite() && (!axis.log || *v > 0.0));
        let ticks = axis.ticks.iter().map(|t| t.0);
        let (mut low, mut high) = usable
            .chain(ticks)
            .fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            (low, high) = (if axis.log { 0.1 } else { 0.0 }, 1.0);
        }
        if axis.from_zero && !axis.log {
            low = low.min(0.0);
        }
        if axis.log {
            low = 10f64.powf(low.log10().floor());
            high = 10f64.powf(high.log10().ceil()).max(low * 10.0);
        } else if high <= low {
            high = low + 1.0;
        }
        let mut scale = AxisScale {
            log: axis.log,
            low,
            high,
            from,
            to,
            ticks: axis.ticks.clone(),
        };
        if scale.ticks.is_empty() {
            scale.ticks = scale.round_ticks(count);
        }
        scale
    }

    fn round_ticks(&mut self, count: f64) -> Vec<(f64, String)> {
        if self.log {
            let decades = (self.low.log10().round() as i32)..=(self.high.log10().round() as i32);
            return decades
                .map(|d| 10f64.powi(d))
                .map(|v| (v, short(v)))
                .collect();
        }
        let rough = (self.high - self.low) / count;
        let unit = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|m| m * unit)
            .into_iter()
            .find(|s| *s >= rough)
            .unwrap_or(rough);
        self.high = (self.high / step).ceil() * step;
        let first = (self.low / step).ceil();
        let count = ((self.high / step) - first).round() as i64;
        (0..=count)
            .map(|i| (first + i as f64) * step)
            .map(|v| (v, short(v)))
            .collect()
    }

    /// The position of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = if self.log {
            let value = value.max(self.low).log10();
            (value - self.low.log10()) / (self.high.log10() - self.low.log10())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Whether a value has a position on the axis.
    pub(super) fn has_place(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// The ticks whose labels do not overlap. Labels are centred, with
    /// `character` units for each character. The first label is always kept.
    pub(super) fn apart(&self, character: f64, width: f64) -> Vec<&(f64, String)> {
        let mut free = f64::MIN;
        let fits = |tick: &&(f64, String)| {
            let half = (tick.1.chars().count() as f64 + 1.0) * character / 2.0;
            // A label that would exceed the picture is moved to its
            // edge.
            let at = self.place(tick.0).min(width - half);
            let fits = at - half >= free;
            if fits {
                free = at + half;
            }
            fits
        };
        self.ticks.iter().filter(fits).collect()
    }
}
