//! Line plots as SVG text: axes linear or logarithmic, several series, a mark, and
//! values at the pointer without a script.
//!
//!
//! A plot is drawn twice: wide, and with fewer ticks for a phone. The style sheet
//! shows the one that fits, so its text is never smaller than 11 px. This is own
//! code instead of a library (plotters): a page needs the style sheet's colours in
//! light and dark, two widths and values without a script, which no drawing library
//! has. Lines and axes are 20 KB of machine code.

use super::hover;
use super::scale::AxisScale;
use std::fmt::Write;

/// One plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// The title above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// A position on the horizontal axis to mark, with its label.
    pub mark: Option<(f64, String)>,
    /// A range of the horizontal axis to shade, with its label.
    pub shade: Option<(f64, f64, String)>,
}

/// One axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// The label of the axis.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Whether it begins at zero (linear axes only).
    pub from_zero: bool,
    /// Positions and labels of its ticks; empty for automatic ticks.
    pub ticks: Vec<(f64, String)>,
    /// Returns the label of any position for the table at the pointer, if the
    /// ticks are words. `None` if only ticks have labels.
    pub name: Option<fn(f64) -> String>,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
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
    /// Whether it counts errors: it is red, and no other series of the plot is.
    pub is_bad: bool,
}

/// The dimensions of a picture, in its own units.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) class: &'static str,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
    /// Number of ticks of a linear horizontal axis.
    ticks: f64,
    /// The width of a character.
    pub(super) character: f64,
    /// Number of positions at which the pointer shows values.
    pub(super) places: usize,
}

/// Next to each other on a page, or one below the other on a small window.
pub(super) const WIDE: Frame = Frame {
    class: "plot wide",
    width: 520.0,
    height: 270.0,
    left: 58.0,
    right: 510.0,
    ticks: 5.0,
    character: 7.0,
    places: 48,
};
/// On a phone, where 340 units are about 340 px.
pub(super) const NARROW: Frame = Frame {
    class: "plot narrow",
    width: 340.0,
    height: 240.0,
    left: 48.0,
    right: 332.0,
    ticks: 3.0,
    character: 6.6,
    places: 20,
};
const TOP: f64 = 24.0;
/// Space below the picture for ticks and the axis label.
const BOTTOM: f64 = 42.0;

impl Frame {
    pub(super) fn top(&self) -> f64 {
        TOP
    }

    pub(super) fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }
}

impl Plot {
    /// The plot for a page: a wide and a narrow SVG element, of which the
    /// page's style shows one.
    pub fn svg(&self) -> String {
        self.drawn(&WIDE, WIDE.height, "", true) + &self.drawn(&NARROW, NARROW.height, "", true)
    }

    /// The plot as one SVG element with its legend below, for use outside a
    /// page.
    pub fn svg_with_legend(&self) -> String {
        let mut keys = String::new();
        let left = WIDE.left;
        let mut top = WIDE.height + KEY_STEP / 2.0;
        for (i, series) in self.series.iter().enumerate() {
            keys += &format!(
                r#"<path class="line c{}{}" d="M{left} {top}h18"/><text x="{}" y="{}">{}</text>"#,
                self.colour(i),
                if series.dashed { " dashed" } else { "" },
                left + 24.0,
                top + 4.0,
                escape(&series.name)
            );
            top += KEY_STEP;
        }
        let alone = Frame {
            class: "plot",
            ..WIDE
        };
        self.drawn(&alone, top, &keys, false)
    }

    fn drawn(&self, frame: &Frame, height: f64, keys: &str, hover: bool) -> String {
        let mut out = String::new();
        self.write(frame, height, keys, hover, &mut out)
            .expect("writing to a string does not fail");
        out
    }

    fn write(
        &self,
        frame: &Frame,
        height: f64,
        keys: &str,
        hover: bool,
        out: &mut String,
    ) -> std::fmt::Result {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let mark = self.mark.iter().map(|m| m.0);
        let xs = points().map(|p| p.0).chain(mark);
        let x = AxisScale::new(&self.x, xs, frame.left, frame.right, frame.ticks);
        let ys = points().map(|p| p.1);
        let y = AxisScale::new(&self.y, ys, frame.bottom(), TOP, 5.0);
        begin(frame, height, &self.title, out)?;
        if let Some((from, to, name)) = &self.shade {
            let (a, b) = (x.place(*from), x.place(*to));
            write!(
                out,
                r#"<rect class="shade" x="{a:.1}" y="{TOP}" width="{:.1}" height="{}"/><text class="faint" x="{:.1}" y="{}" text-anchor="start">{}</text>"#,
                (b - a).max(0.0),
                frame.bottom() - TOP,
                a + 4.0,
                TOP + 12.0,
                escape(name)
            )?;
        }
        write_axes(frame, &self.x.label, &self.y.label, &x, &y, out)?;
        for (i, series) in self.series.iter().enumerate() {
            write_series(series, self.colour(i), &x, &y, out)?;
        }
        if let Some((at, text)) = &self.mark {
            let at = x.place(*at);
            let (anchor, dx) = if at > frame.width / 2.0 {
                ("end", -5.0)
            } else {
                ("start", 5.0)
            };
            write!(
                out,
                r#"<line class="mark" x1="{at:.1}" x2="{at:.1}" y1="{TOP}" y2="{}"/><text class="marked" x="{:.1}" y="{}" text-anchor="{anchor}">{}</text>"#,
                frame.bottom(),
                at + dx,
                TOP + 12.0,
                escape(text)
            )?;
        }
        if hover {
            hover::write(self, frame, &x, out)?;
        }
        out.push_str(keys);
        out.push_str("</svg>");
        Ok(())
    }

    /// The legend as HTML.
    pub fn legend(&self) -> String {
        let mut out = String::new();
        for (i, series) in self.series.iter().enumerate() {
            let dashed = if series.dashed { " dashed" } else { "" };
            out += &format!(
                r#"<span class="key"><i class="c{}{dashed}"></i>{}</span>"#,
                self.colour(i),
                escape(&series.name)
            );
        }
        out
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
}

/// The start tag of a picture, with its title for screen readers.
pub(super) fn begin(frame: &Frame, height: f64, title: &str, out: &mut String) -> std::fmt::Result {
    write!(
        out,
        r#"<svg class="{}" viewBox="0 0 {} {height}" role="img" aria-label="{}" xmlns="http://www.w3.org/2000/svg">"#,
        frame.class,
        frame.width,
        escape(title)
    )
}

/// Lines, numbers and names of both axes.
pub(super) fn write_axes(
    frame: &Frame,
    x_label: &str,
    y_label: &str,
    x: &AxisScale,
    y: &AxisScale,
    out: &mut String,
) -> std::fmt::Result {
    let (left, right, bottom) = (frame.left, frame.right, frame.bottom());
    for (value, text) in &y.ticks {
        let at = y.place(*value);
        write!(
            out,
            r#"<line class="grid" x1="{left}" x2="{right}" y1="{at:.1}" y2="{at:.1}"/><text x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 6.0,
            at + 4.0,
            escape(text)
        )?;
    }
    for (value, text) in x.apart(frame.character, frame.width) {
        let at = x.place(*value);
        // A label that would exceed the picture is moved to its edge.
        let half = text.chars().count() as f64 * frame.character / 2.0;
        let (place, anchor) = if at + half > frame.width {
            (frame.width - 1.0, "end")
        } else {
            (at, "middle")
        };
        write!(
            out,
            r#"<line class="grid" x1="{at:.1}" x2="{at:.1}" y1="{TOP}" y2="{bottom}"/><text x="{place:.1}" y="{}" text-anchor="{anchor}">{}</text>"#,
            bottom + 16.0,
            escape(text)
        )?;
    }
    write!(
        out,
        r#"<text class="label" x="{}" y="{}" text-anchor="middle">{}</text><text class="label" x="2" y="13">{}</text>"#,
        (left + right) / 2.0,
        frame.height - 6.0,
        escape(x_label),
        escape(y_label)
    )
}

fn write_series(
    series: &Series,
    colour: usize,
    x: &AxisScale,
    y: &AxisScale,
    out: &mut String,
) -> std::fmt::Result {
    let drawn = |p: &&(f64, f64)| x.has_place(p.0) && y.has_place(p.1);
    let mut path = String::new();
    for (i, point) in series.points.iter().filter(drawn).enumerate() {
        let (at, up) = (x.place(point.0), y.place(point.1));
        match (i, series.step) {
            (0, _) => write!(path, "M{at:.1} {up:.1}")?,
            (_, true) => write!(path, "H{at:.1}V{up:.1}")?,
            (_, false) => write!(path, "L{at:.1} {up:.1}")?,
        }
    }
    let dashed = if series.dashed { " dashed" } else { "" };
    write!(out, r#"<path class="line c{colour}{dashed}" d="{path}"/>"#)?;
    if series.dots {
        for point in series.points.iter().filter(drawn) {
            write!(
                out,
                r#"<circle class="dot c{colour}" cx="{:.1}" cy="{:.1}" r="3"/>"#,
                x.place(point.0),
                y.place(point.1)
            )?;
        }
    }
    Ok(())
}

/// A number with few digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".into(),
        s if s >= 1e6 => format!("{:.1}M", value / 1e6),
        s if s >= 1e5 => format!("{:.0}k", value / 1e3),
        s if s >= 1e4 => format!("{:.1}k", value / 1e3).replace(".0k", "k"),
        s if s >= 100.0 => format!("{value:.0}"),
        s if s >= 1.0 => format!("{value:.2}"),
        s if s >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    };
    if text.contains('.') && !text.contains(['e', 'M', 'k']) {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Escapes text for use within an element or an attribute.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Colours in the page's style sheet.
pub(super) const COLOURS: usize = 8;
/// The red one.
const RED: usize = 1;
/// Distance between two lines of the legend.
const KEY_STEP: f64 = 18.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (1.0, "1"),
            (2.5, "2.5"),
            (1500.0, "1500"),
            (20_000.0, "20k"),
            (12_500.0, "12.5k"),
            (130_000.0, "130k"),
            (0.00001, "1.0e-5"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn odd_values_still_give_a_picture() {
        let series = |points| Series {
            points,
            ..Series::default()
        };
        for points in [
            vec![],
            vec![(0.0, 0.0)],
            vec![(1.0, f64::NAN), (2.0, f64::INFINITY)],
        ] {
            for log in [true, false] {
                let axis = || Axis {
                    log,
                    ..Axis::default()
                };
                let plot = Plot {
                    x: axis(),
                    y: axis(),
                    series: vec![series(points.clone())],
                    ..Plot::default()
                };
                let svg = plot.svg();
                assert!(svg.ends_with("</svg>") && !svg.contains("NaN"));
            }
        }
        let plot = Plot {
            title: "<a & \"b\">".into(),
            ..Plot::default()
        };
        assert!(plot.svg().contains("&lt;a &amp; &quot;b&quot;&gt;"));
    }
}
