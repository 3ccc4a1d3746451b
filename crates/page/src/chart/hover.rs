//! The values at the pointer: a plot is divided into vertical bands. Each has a
//! line and a small table that the style sheet shows while the pointer (or a
//! finger) is on it. No script is needed, so the report works in any mail program.

use maud::{Markup, html};

use super::picture::{ChartFrame, PxLength};
use super::scale::AxisScale;
use super::{ChartAxis, ChartSeries, LineChart};
use crate::short;

/// The bands of a line chart.
pub(super) fn of_lines(chart: &LineChart, frame: &ChartFrame, x: &AxisScale) -> Markup {
    let places = places(&chart.series, x, frame.places);
    let bands: Vec<HoverBand> = places
        .iter()
        .map(|at| HoverBand {
            at: x.place(*at),
            lines: lines(chart, *at),
        })
        .collect();
    hover_bands(frame, &bands)
}

/// The content of one band.
pub(super) struct HoverBand {
    /// The horizontal position, in the picture's units.
    pub(super) at: f64,
    /// The text, line by line.
    pub(super) lines: Vec<String>,
}

/// Bands that fill the picture; each ends midway to its neighbour.
pub(super) fn hover_bands(frame: &ChartFrame, bands: &[HoverBand]) -> Markup {
    let (top, bottom) = (frame.top(), frame.bottom());
    let middle = |band: &HoverBand, other: Option<&HoverBand>, end: f64| {
        other.map_or(end, |other| (other.at + band.at) / 2.0)
    };
    html! {
        @for (i, band) in bands.iter().enumerate() {
            @let from = middle(band, i.checked_sub(1).and_then(|b| bands.get(b)), frame.left);
            @let to = middle(band, bands.get(i + 1), frame.right);
            @let (left, width) = box_place(frame, band);
            g.band {
                path.field d={
                    "M" (PxLength(from)) " " (top) "H" (PxLength(to)) "V" (bottom) "H" (PxLength(from)) "z"
                } {}
                g.tip {
                    path.here d={ "M" (PxLength(band.at)) " " (top) "V" (bottom) } {}
                    rect x=(PxLength(left)) y=(top) width=(format_args!("{width:.0}"))
                        height=(band.lines.len() as f64 * LINE + 6.0) rx="3" {}
                    text y=(top + 1.0) {
                        @for line in &band.lines {
                            tspan x=(PxLength(left + 6.0)) dy=(LINE) { (line) }
                        }
                    }
                }
            }
        }
    }
}

/// The left edge and the width of a band's box of text: to the right of its
/// position where there is room.
fn box_place(frame: &ChartFrame, band: &HoverBand) -> (f64, f64) {
    let longest = band.lines.iter().map(|l| l.chars().count()).max();
    let width = longest.unwrap_or(0) as f64 * frame.character + 12.0;
    if band.at + 8.0 + width > frame.width {
        ((band.at - 8.0 - width).max(0.0), width)
    } else {
        (band.at + 8.0, width)
    }
}

/// The positions that have values, thinned out evenly to `most`.
fn places(series: &[ChartSeries], x: &AxisScale, most: usize) -> Vec<f64> {
    let points = series.iter().flat_map(|s| &s.points);
    let mut all: Vec<f64> = points.map(|p| p.0).filter(|v| x.has_place(*v)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if all.len() <= most {
        return all;
    }
    let last = all.len() - 1;
    (0..most).map(|i| all[i * last / (most - 1)]).collect()
}

/// The label of a position, and the value of each series there.
fn lines(chart: &LineChart, at: f64) -> Vec<String> {
    let mut lines = vec![named(&chart.x, at)];
    for series in chart.series.iter().take(MOST_LINES) {
        if let Some(value) = value(series, at) {
            lines.push(format!("{}: {}", cut(&series.name), short(value)));
        }
    }
    lines
}

/// The label of a position: the text of its tick if there is one.
fn named(axis: &ChartAxis, at: f64) -> String {
    if let Some(name) = axis.name {
        return name(at);
    }
    let label = axis.label.trim_end_matches(" (log)");
    if axis.ticks.is_empty() {
        return format!("{} {label}", short(at));
    }
    let tick = axis.ticks.iter().rfind(|t| t.0 <= at * (1.0 + 1e-9));
    tick.map_or_else(|| short(at), |t| t.1.clone())
}

/// The value of a series at a position, or the current level of a step line.
fn value(series: &ChartSeries, at: f64) -> Option<f64> {
    let known = series.points.iter().filter(|p| p.1.is_finite());
    if series.step {
        known.rev().find(|p| p.0 <= at).map(|p| p.1)
    } else {
        known
            .rev()
            .find(|p| (p.0 - at).abs() <= at.abs() * 1e-9)
            .map(|p| p.1)
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Height of a line of text.
const LINE: f64 = 15.0;
/// More lines would cover the picture.
const MOST_LINES: usize = 8;
const LONGEST_NAME: usize = 26;

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(step: bool) -> LineChart {
        LineChart {
            x: ChartAxis {
                label: "ms".into(),
                ..ChartAxis::default()
            },
            series: vec![
                ChartSeries {
                    name: "a<b".into(),
                    points: vec![(0.0, 1.0), (2.0, 30.0)],
                    step,
                    ..ChartSeries::default()
                },
                ChartSeries {
                    name: "other".into(),
                    points: vec![(1.0, 5.0)],
                    ..ChartSeries::default()
                },
            ],
            ..LineChart::default()
        }
    }

    #[test]
    fn each_place_shows_the_values_that_are_known_there() {
        assert_eq!(lines(&chart(false), 0.0), ["0 ms", "a<b: 1"]);
        assert_eq!(lines(&chart(false), 1.0), ["1 ms", "other: 5"]);
        assert_eq!(lines(&chart(true), 1.0), ["1 ms", "a<b: 1", "other: 5"]);
        let svg = chart(true).pictures().into_string();
        assert!(svg.contains("a&lt;b: 30") && !svg.contains("a<b"), "{svg}");
        // Three positions in the wide picture and three in the narrow one.
        assert_eq!(svg.matches("class=\"band\"").count(), 6);
    }

    #[test]
    fn a_long_run_has_no_more_places_than_can_be_pointed_at() {
        let mut chart = chart(false);
        chart.series[0].points = (0..10_000).map(|i| (f64::from(i), 1.0)).collect();
        let wide = chart.pictures().into_string();
        let wide = wide.matches("class=\"band\"").count();
        assert_eq!(
            wide,
            super::super::picture::WIDE.places + super::super::picture::NARROW.places
        );
    }
}
