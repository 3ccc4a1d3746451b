//! The distribution of response times: a histogram, and a heatmap over time. Two
//! modes of answering, such as cache hits and misses, appear as two bands where
//! percentiles show one line.

use super::hover::{HoverBand, write_bands};
use super::model::{DurationBuckets, LatencyReport, ReportInterval};
use super::scale::AxisScale;
use super::svg::{Axis, Frame, NARROW, WIDE, begin, escape, short, write_axes};
use std::fmt::Write;

/// The card of the histogram; empty if there are too few requests.
pub(super) fn histogram(latency: &LatencyReport) -> String {
    let shape = &latency.shape;
    if latency.count < FEWEST || shape.len() < 2 {
        return String::new();
    }
    both("Distribution of response times", "", |frame, out| {
        draw_histogram(frame, shape, latency.count, out)
    })
}

/// The card of the heatmap; empty if the run has too few intervals.
pub(super) fn heatmap(timeline: &[ReportInterval]) -> String {
    let answered = timeline.iter().filter(|m| !m.shape.is_empty()).count();
    if answered < 3 {
        return String::new();
    }
    let key = "<p class=soft>The stronger the colour, the more of an interval's requests took that long.</p>";
    both("Response times over time", key, |frame, out| {
        draw_heatmap(frame, timeline, out)
    })
}

/// A card with the picture in both widths.
fn both(
    title: &str,
    below: &str,
    draw: impl Fn(&Frame, &mut String) -> std::fmt::Result,
) -> String {
    let mut out = format!("<div class=card><h3>{}</h3>", escape(title));
    for frame in [&WIDE, &NARROW] {
        begin(frame, frame.height, title, &mut out)
            .and_then(|()| draw(frame, &mut out))
            .expect("writing to a string does not fail");
        out += "</svg>";
    }
    out + below + "</div>"
}

fn draw_histogram(
    frame: &Frame,
    shape: &DurationBuckets,
    count: u64,
    out: &mut String,
) -> std::fmt::Result {
    let share = |n: u64| n as f64 / count.max(1) as f64 * 100.0;
    let edges = shape.iter().flat_map(|(k, _)| [edge(*k), edge(k + 1)]);
    let x = AxisScale::new(&times(), edges, frame.left, frame.right, 5.0);
    let tallest = shape.iter().map(|(_, n)| share(*n)).fold(0.0, f64::max);
    let linear = Axis {
        from_zero: true,
        ..Axis::default()
    };
    let ends = [0.0, tallest].into_iter();
    let y = AxisScale::new(&linear, ends, frame.bottom(), frame.top(), 5.0);
    write_axes(frame, "ms (log)", "% of the requests", &x, &y, out)?;
    let mut bands = Vec::new();
    let mut path = String::new();
    for (k, n) in shape {
        let (from, to) = (x.place(edge(*k)), x.place(edge(k + 1)));
        let top = y.place(share(*n));
        write!(
            path,
            "M{from:.1} {}V{top:.1}H{:.1}V{}z",
            frame.bottom(),
            to - 0.5,
            frame.bottom()
        )?;
        bands.push(HoverBand {
            at: (from + to) / 2.0,
            lines: vec![
                format!("{} to {} ms", short(edge(*k)), short(edge(k + 1))),
                format!("{:.2} %, {n} requests", share(*n)),
            ],
        });
    }
    write!(out, r#"<path class="columns" d="{path}"/>"#)?;
    write_bands(frame, &bands, out)
}

fn draw_heatmap(frame: &Frame, timeline: &[ReportInterval], out: &mut String) -> std::fmt::Result {
    let columns = columns(timeline, frame.places);
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for (k, _) in columns.iter().flat_map(|c| &c.shape) {
        (low, high) = (low.min(*k), high.max(*k + 1));
    }
    let seconds = Axis {
        from_zero: true,
        ..Axis::default()
    };
    let ends = columns.iter().flat_map(|c| [c.from_s, c.to_s]);
    let x = AxisScale::new(&seconds, ends, frame.left, frame.right, 5.0);
    let range = [edge(low), edge(high)].into_iter();
    let y = AxisScale::new(&times(), range, frame.bottom(), frame.top(), 5.0);
    write_axes(frame, "seconds", "ms (log)", &x, &y, out)?;
    let mut shades: [String; SHADES] = Default::default();
    let mut bands = Vec::new();
    for column in &columns {
        let sum: u64 = column.shape.iter().map(|(_, n)| n).sum();
        let (from, to) = (x.place(column.from_s), x.place(column.to_s));
        for (k, n) in &column.shape {
            let shade = shade(*n as f64 / sum.max(1) as f64);
            let (bottom, top) = (y.place(edge(*k)), y.place(edge(k + 1)));
            write!(
                shades[shade],
                "M{from:.1} {bottom:.1}V{top:.1}H{to:.1}V{bottom:.1}z"
            )?;
        }
        let most = column.shape.iter().max_by_key(|(_, n)| *n);
        let mut lines = vec![format!(
            "{} to {} s",
            short(column.from_s),
            short(column.to_s)
        )];
        lines.push(format!("{sum} requests"));
        if let Some((k, _)) = most {
            lines.push(format!(
                "most {} to {} ms",
                short(edge(*k)),
                short(edge(k + 1))
            ));
        }
        bands.push(HoverBand {
            at: (from + to) / 2.0,
            lines,
        });
    }
    for (i, path) in shades.iter().enumerate().filter(|s| !s.1.is_empty()) {
        write!(out, r#"<path class="heat h{i}" d="{path}"/>"#)?;
    }
    write_bands(frame, &bands, out)
}

/// A column of the heatmap: one interval, or several.
struct HeatColumn {
    from_s: f64,
    to_s: f64,
    shape: DurationBuckets,
}

/// Columns of intervals, several to a column if there are more than `most`.
fn columns(timeline: &[ReportInterval], most: usize) -> Vec<HeatColumn> {
    let each = timeline.len().div_ceil(most).max(1);
    let mut from_s = 0.0;
    let mut columns = Vec::new();
    for group in timeline.chunks(each) {
        let to_s = group.last().map_or(from_s, |m| m.at_s);
        let mut shape = std::collections::BTreeMap::new();
        for (k, n) in group.iter().flat_map(|m| &m.shape) {
            *shape.entry(*k).or_default() += n;
        }
        columns.push(HeatColumn {
            from_s,
            to_s,
            shape: shape.into_iter().collect(),
        });
        from_s = to_s;
    }
    columns
}

/// The shade of a percentage; each shade is three times the one before.
fn shade(share: f64) -> usize {
    let steps = (share.max(1e-6).ln() / 3f64.ln()).ceil();
    (SHADES as f64 - 1.0 + steps).clamp(0.0, SHADES as f64 - 1.0) as usize
}

/// The lower bound of a bucket, in ms.
fn edge(bucket: i32) -> f64 {
    crate::Histogram::bucket_begin_ns(bucket) / 1e6
}

/// An axis of times.
fn times() -> Axis {
    Axis {
        log: true,
        ..Axis::default()
    }
}

/// Fewer requests do not show a distribution.
const FEWEST: u64 = 100;
/// Shades of the heatmap, in the style sheet.
const SHADES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;

    fn histogram_of(ms: &[f64]) -> Histogram {
        let mut histogram = Histogram::default();
        for ms in ms {
            histogram.record((ms * 1e6) as u64);
        }
        histogram
    }

    #[test]
    fn the_columns_hold_every_request() {
        let times: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 100.0).collect();
        let latency = LatencyReport::of(&histogram_of(&times));
        assert_eq!(latency.shape.iter().map(|s| s.1).sum::<u64>(), 1000);
        let card = histogram(&latency);
        assert_eq!(card.matches("<svg").count(), 2);
        assert_eq!(card.matches("class=\"columns\"").count(), 2);
        assert_eq!(histogram(&LatencyReport::default()), "");
    }

    #[test]
    fn the_heatmap_has_a_shade_for_each_share_and_needs_some_intervals() {
        let moment = |at_s: f64, ms: &[f64]| ReportInterval {
            at_s,
            shape: histogram_of(ms).shape(),
            ..ReportInterval::default()
        };
        let mut timeline: Vec<ReportInterval> = (1..=100)
            .map(|i| moment(f64::from(i), &[1.0, 1.0, 1.0, 50.0]))
            .collect();
        let card = heatmap(&timeline);
        assert!(
            card.contains("heat h5") && card.contains("heat h4"),
            "{card}"
        );
        assert_eq!(columns(&timeline, 48).len(), 34);
        assert_eq!(
            columns(&timeline, 48)[0]
                .shape
                .iter()
                .map(|s| s.1)
                .sum::<u64>(),
            12
        );
        timeline.truncate(2);
        assert_eq!(heatmap(&timeline), "");
    }

    #[test]
    fn a_third_is_one_shade_paler() {
        assert_eq!(shade(1.0), 5);
        assert_eq!(shade(0.34), 5);
        assert_eq!(shade(0.3), 4);
        assert_eq!(shade(0.0), 0);
    }
}
