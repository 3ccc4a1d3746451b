//! Lines over axes: several series, linear or in steps, a mark, a shaded range, and
//! values at the pointer without a script.
//!
//! A chart is drawn twice: wide, and with fewer ticks for a telephone. Its text is
//! never smaller than 11 px.

use maud::{Markup, html};
use std::fmt::Write;

use super::ChartAxis;
use super::axis::ChartAxes;
use super::hover;
use super::picture::{ChartFrame, PxLength, SvgPicture, WIDE, both_widths, card};
use super::scale::AxisScale;

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub struct LineChart {
    /// The title above it.
    pub title: String,
    /// The horizontal axis.
    pub x: ChartAxis,
    /// The vertical axis.
    pub y: ChartAxis,
    /// The lines.
    pub series: Vec<ChartSeries>,
    /// A position on the horizontal axis to mark, with its label.
    pub mark: Option<(f64, String)>,
    /// A range of the horizontal axis to shade, with its label.
    pub shade: Option<(f64, f64, String)>,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct ChartSeries {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Whether it is dashed (a model rather than a measurement).
    pub dashed: bool,
    /// Whether points are marked.
    pub dots: bool,
    /// Whether a value stays until the next point (a count), instead of
    /// changing linearly between points.
    pub step: bool,
    /// Whether it counts errors: it is red, and no other series of the chart is.
    pub is_bad: bool,
}

impl LineChart {
    /// The chart in a card with its legend, and a caption that may be empty.
    pub fn card(&self, caption: &str) -> Markup {
        let drawing = html! { (self.legend()) (self.pictures()) };
        card(&self.title, &drawing, caption)
    }

    /// A wide and a narrow SVG element, of which the page's style shows one.
    pub fn pictures(&self) -> Markup {
        both_widths(&self.title, &self.description(), |frame| {
            let (axes, lines) = self.axes_and_lines(frame);
            html! {
                (lines)
                (hover::of_lines(self, frame, &axes.x.1))
            }
        })
    }

    /// The chart as an SVG file with its legend below.
    pub fn alone(&self) -> String {
        let top = WIDE.height + KEY_STEP / 2.0;
        let (_, lines) = self.axes_and_lines(&WIDE);
        let content = html! {
            (lines)
            @for (i, series) in self.series.iter().enumerate() {
                @let top = top + i as f64 * KEY_STEP;
                path class=(self.line_class(i)) d=(format_args!("M{} {top}h18", WIDE.left)) {}
                text x=(WIDE.left + 24.0) y=(top + 4.0) { (series.name) }
            }
        };
        let height = top + self.series.len() as f64 * KEY_STEP;
        let picture = SvgPicture {
            class: "plot",
            view: [0.0, 0.0, WIDE.width, height],
            title: &self.title,
            description: &self.description(),
        };
        picture.alone(&content)
    }

    /// The legend.
    pub fn legend(&self) -> Markup {
        html! {
            @for (i, series) in self.series.iter().enumerate() {
                span.key {
                    i class={ "c" (self.colour(i)) @if series.dashed { " dashed" } } {}
                    (series.name)
                }
            }
        }
    }

    fn axes_and_lines(&self, frame: &ChartFrame) -> (ChartAxes<'_>, Markup) {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let mark = self.mark.iter().map(|m| m.0);
        let xs = points().map(|p| p.0).chain(mark);
        let x = AxisScale::new(&self.x, xs, frame.left, frame.right, frame.ticks);
        let ys = points().map(|p| p.1);
        let y = AxisScale::new(&self.y, ys, frame.bottom(), frame.top(), 5.0);
        let axes = ChartAxes {
            x: (&self.x, x),
            y: (&self.y, y),
        };
        let drawn = html! {
            @if let Some(shade) = &self.shade { (drawn_shade(shade, frame, &axes.x.1)) }
            (axes.drawn(frame))
            @for (i, series) in self.series.iter().enumerate() {
                (self.drawn_series(i, series, &axes))
            }
            @if let Some(mark) = &self.mark { (drawn_mark(mark, frame, &axes.x.1)) }
        };
        (axes, drawn)
    }

    fn drawn_series(&self, number: usize, series: &ChartSeries, axes: &ChartAxes) -> Markup {
        let (x, y) = (&axes.x.1, &axes.y.1);
        let drawn = |p: &&(f64, f64)| x.has_place(p.0) && y.has_place(p.1);
        let mut path = String::new();
        for (i, point) in series.points.iter().filter(drawn).enumerate() {
            let (at, up) = (x.place(point.0), y.place(point.1));
            let written = match (i, series.step) {
                (0, _) => write!(path, "M{at:.1} {up:.1}"),
                (_, true) => write!(path, "H{at:.1}V{up:.1}"),
                (_, false) => write!(path, "L{at:.1} {up:.1}"),
            };
            written.expect("writing to a string does not fail");
        }
        let dots = series.points.iter().filter(drawn);
        html! {
            path class=(self.line_class(number)) d=(path) {}
            @for point in dots.take(if series.dots { usize::MAX } else { 0 }) {
                circle class={ "dot c" (self.colour(number)) }
                    cx=(PxLength(x.place(point.0))) cy=(PxLength(y.place(point.1))) r="3" {}
            }
        }
    }

    fn line_class(&self, number: usize) -> String {
        let dashed = if self.series[number].dashed {
            " dashed"
        } else {
            ""
        };
        format!("line c{}{dashed}", self.colour(number))
    }

    /// The colour of a series, by its number in the style sheet.
    fn colour(&self, at: usize) -> usize {
        if self.series[at].is_bad {
            return RED;
        }
        let has_bad = self.series.iter().any(|s| s.is_bad);
        let shown = at % COLOURS;
        if has_bad && shown >= RED {
            (shown + 1) % COLOURS
        } else {
            shown
        }
    }

    /// The axes and the lines in words, for a screen reader.
    fn description(&self) -> String {
        let axes = ChartAxes::words(&self.x, &self.y);
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        format!("{axes} Lines: {}.", names.join(", "))
    }
}

fn drawn_shade((from, to, name): &(f64, f64, String), frame: &ChartFrame, x: &AxisScale) -> Markup {
    let (from, to, top) = (x.place(*from), x.place(*to), frame.top());
    html! {
        rect.shade x=(PxLength(from)) y=(top) width=(PxLength((to - from).max(0.0)))
            height=(frame.bottom() - top) {}
        text.faint x=(PxLength(from + 4.0)) y=(top + 12.0) text-anchor="start" { (name) }
    }
}

fn drawn_mark((at, name): &(f64, String), frame: &ChartFrame, x: &AxisScale) -> Markup {
    let at = x.place(*at);
    let (anchor, dx) = if at > frame.width / 2.0 {
        ("end", -5.0)
    } else {
        ("start", 5.0)
    };
    html! {
        line.mark x1=(PxLength(at)) x2=(PxLength(at)) y1=(frame.top()) y2=(frame.bottom()) {}
        text.marked x=(PxLength(at + dx)) y=(frame.top() + 12.0) text-anchor=(anchor) { (name) }
    }
}

/// Colours of lines in the style sheet.
const COLOURS: usize = 8;
/// The red one.
const RED: usize = 1;
/// Distance between two lines of the legend.
const KEY_STEP: f64 = 18.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, points: &[(f64, f64)]) -> ChartSeries {
        ChartSeries {
            name: name.into(),
            points: points.to_vec(),
            ..ChartSeries::default()
        }
    }

    #[test]
    fn odd_values_still_give_a_picture() {
        for points in [
            vec![],
            vec![(0.0, 0.0)],
            vec![(1.0, f64::NAN), (2.0, f64::INFINITY)],
        ] {
            for log in [true, false] {
                let axis = || ChartAxis {
                    log,
                    ..ChartAxis::default()
                };
                let chart = LineChart {
                    x: axis(),
                    y: axis(),
                    series: vec![series("", &points)],
                    ..LineChart::default()
                };
                let svg = chart.pictures().into_string();
                assert!(svg.ends_with("</svg>") && !svg.contains("NaN"));
            }
        }
        let chart = LineChart {
            title: "<a & \"b\">".into(),
            ..LineChart::default()
        };
        let svg = chart.pictures().into_string();
        assert!(svg.contains("aria-label=\"&lt;a &amp; &quot;b&quot;&gt;\""));
    }

    #[test]
    fn a_screen_reader_gets_axes_with_units_and_the_names_of_the_lines() {
        let chart = LineChart {
            x: ChartAxis::from_zero("seconds"),
            y: ChartAxis::log("ms"),
            series: vec![series("p50", &[(0.0, 1.0)]), series("p99", &[(0.0, 2.0)])],
            ..LineChart::default()
        };
        let words =
            "<desc>Horizontal axis: seconds. Vertical axis: ms (log). Lines: p50, p99.</desc>";
        assert_eq!(chart.pictures().into_string().matches(words).count(), 2);
    }

    #[test]
    fn a_chart_alone_has_its_legend_and_its_style() {
        let chart = LineChart {
            series: vec![series("one", &[(0.0, 1.0), (1.0, 2.0)])],
            ..LineChart::default()
        };
        let svg = chart.alone();
        assert!(
            svg.starts_with("<svg class=\"plot\" viewBox=\"0 0 520 297\""),
            "{svg}"
        );
        assert!(svg.ends_with("one</text></svg>"), "{svg}");
        assert!(svg.contains("<style>") && !svg.contains("class=\"band\""));
    }
}
