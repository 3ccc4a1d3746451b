//! A heatmap: how a distribution changes over time. Two modes of answering, such as
//! cache hits and misses, appear as two bands where percentiles show one line.

use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write;

use super::ChartAxis;
use super::axis::ChartAxes;
use super::hover::{HoverBand, hover_bands};
use super::picture::{ChartFrame, both_widths, card};
use super::scale::AxisScale;

/// A heatmap.
#[derive(Clone, Debug)]
pub struct HeatChart {
    /// The title above it.
    pub title: String,
    /// The horizontal axis.
    pub x: ChartAxis,
    /// The vertical axis.
    pub y: ChartAxis,
    /// The columns, from the left. Neighbours are joined if there are more than
    /// the picture has room for.
    pub columns: Vec<HeatColumn>,
    /// Returns the lower bound of a bucket on the vertical axis.
    pub bound: fn(i32) -> f64,
    /// Returns the text at the pointer for a column, line by line.
    pub lines: fn(&HeatColumn) -> Vec<String>,
}

/// A column of a heatmap.
#[derive(Clone, Debug, Default)]
pub struct HeatColumn {
    /// Where it begins on the horizontal axis.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The buckets with their counts.
    pub counts: BTreeMap<i32, u64>,
}

impl HeatColumn {
    /// The sum of its counts.
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl HeatChart {
    /// The chart in a card, with a caption that may be empty.
    pub fn card(&self, caption: &str) -> Markup {
        let words = ChartAxes::words(&self.x, &self.y);
        let drawing = both_widths(&self.title, &words, |frame| self.drawn(frame));
        card(&self.title, &drawing, caption)
    }

    /// At most `most` columns, each of several neighbours if needed.
    fn joined(&self, most: usize) -> Vec<HeatColumn> {
        let each = self.columns.len().div_ceil(most).max(1);
        let join = |group: &[HeatColumn]| {
            let mut sum = group[0].clone();
            for column in &group[1..] {
                sum.to = column.to;
                for (bucket, n) in &column.counts {
                    *sum.counts.entry(*bucket).or_default() += n;
                }
            }
            sum
        };
        self.columns.chunks(each).map(join).collect()
    }

    fn drawn(&self, frame: &ChartFrame) -> Markup {
        let columns = self.joined(frame.places);
        let buckets = || columns.iter().flat_map(|c| c.counts.keys());
        let (low, high) = (buckets().min(), buckets().max());
        let range = low.into_iter().chain(high);
        let range: Vec<f64> = range
            .flat_map(|k| [self.bound(*k), self.bound(k + 1)])
            .collect();
        let ends = columns.iter().flat_map(|c| [c.from, c.to]);
        let x = AxisScale::new(&self.x, ends, frame.left, frame.right, 5.0);
        let y = AxisScale::new(&self.y, range.into_iter(), frame.bottom(), frame.top(), 5.0);
        let mut shades: [String; SHADES] = Default::default();
        let mut bands = Vec::new();
        for column in &columns {
            let sum = column.count().max(1) as f64;
            let (from, to) = (x.place(column.from), x.place(column.to));
            for (k, n) in &column.counts {
                let path = &mut shades[shade(*n as f64 / sum)];
                let (bottom, top) = (y.place(self.bound(*k)), y.place(self.bound(k + 1)));
                write!(path, "M{from:.1} {bottom:.1}V{top:.1}H{to:.1}V{bottom:.1}z")
                    .expect("writing to a string does not fail");
            }
            bands.push(HoverBand {
                at: (from + to) / 2.0,
                lines: (self.lines)(column),
            });
        }
        let axes = ChartAxes {
            x: (&self.x, x),
            y: (&self.y, y),
        };
        html! {
            (axes.drawn(frame))
            @for (shade, path) in shades.iter().enumerate().filter(|s| !s.1.is_empty()) {
                path class=(format_args!("heat h{shade}")) d=(path) {}
            }
            (hover_bands(frame, &bands))
        }
    }

    fn bound(&self, bucket: i32) -> f64 {
        (self.bound)(bucket)
    }
}

/// The shade of a share; each shade is three times the one before.
fn shade(share: f64) -> usize {
    let steps = (share.max(1e-6).ln() / 3f64.ln()).ceil();
    (SHADES as f64 - 1.0 + steps).clamp(0.0, SHADES as f64 - 1.0) as usize
}

/// Shades in the style sheet.
const SHADES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_is_one_shade_paler() {
        assert_eq!(shade(1.0), 5);
        assert_eq!(shade(0.34), 5);
        assert_eq!(shade(0.3), 4);
        assert_eq!(shade(0.0), 0);
    }

    #[test]
    fn neighbours_are_joined_where_room_is_short() {
        let column = |i: i32| HeatColumn {
            from: f64::from(i),
            to: f64::from(i + 1),
            counts: BTreeMap::from([(0, 3), (7, 1)]),
        };
        let chart = HeatChart {
            title: "Times".into(),
            x: ChartAxis::from_zero("seconds"),
            y: ChartAxis::log("ms"),
            columns: (0..100).map(column).collect(),
            bound: |k| 2f64.powi(k),
            lines: |column| vec![format!("{} requests", column.count())],
        };
        let joined = chart.joined(48);
        assert_eq!(joined.len(), 34);
        assert_eq!((joined[0].to, joined[0].count()), (3.0, 12));
        assert_eq!(joined.iter().map(HeatColumn::count).sum::<u64>(), 400);
        let shown = chart.card("").into_string();
        assert!(shown.contains("heat h5") && shown.contains("heat h4"));
        assert!(shown.contains("12 requests") && shown.contains("20 requests"));
        let empty = HeatChart {
            columns: Vec::new(),
            ..chart
        };
        assert!(!empty.card("").into_string().contains("NaN"));
    }
}
