//! Line plots as SVG text: axes linear or logarithmic, several series, a
//! marked place. Small enough to be ours, so that a report needs no script.

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
    /// A place on the horizontal axis to mark, and what to write there.
    pub mark: Option<(f64, String)>,
    /// A part of the horizontal axis that is shaded, and its name.
    pub shade: Option<(f64, f64, String)>,
}

/// One axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Whether it begins at zero (linear axes).
    pub from_zero: bool,
    /// Places and texts of its ticks; empty for round numbers.
    pub ticks: Vec<(f64, String)>,
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
}

struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    ticks: Vec<(f64, String)>,
}

impl Plot {
    /// The plot as an SVG element.
    pub fn svg(&self) -> String {
        self.drawn(HEIGHT, "")
    }

    /// The plot as an SVG element with its legend below, for a picture that
    /// stands alone.
    pub fn svg_with_legend(&self) -> String {
        let mut keys = String::new();
        let mut top = HEIGHT + KEY_STEP / 2.0;
        for (i, series) in self.series.iter().enumerate() {
            keys += &format!(
                r#"<path class="line c{}{}" d="M{LEFT} {top}h18"/><text x="{}" y="{}">{}</text>"#,
                i % COLOURS,
                if series.dashed { " dashed" } else { "" },
                LEFT + 24.0,
                top + 4.0,
                escape(&series.name)
            );
            top += KEY_STEP;
        }
        self.drawn(top, &keys)
    }

    fn drawn(&self, height: f64, keys: &str) -> String {
        let mut out = String::new();
        self.write(height, keys, &mut out)
            .expect("writing to a string does not fail");
        out
    }

    fn write(&self, height: f64, keys: &str, out: &mut String) -> std::fmt::Result {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let mark = self.mark.iter().map(|m| m.0);
        let x = Scale::new(
            &self.x,
            points().map(|p| p.0).chain(mark),
            LEFT,
            WIDTH - RIGHT,
        );
        let y = Scale::new(&self.y, points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        write!(
            out,
            r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{0}</title>"#,
            escape(&self.title)
        )?;
        if let Some((from, to, name)) = &self.shade {
            let (a, b) = (x.place(*from), x.place(*to));
            write!(
                out,
                r#"<rect class="shade" x="{a:.1}" y="{TOP}" width="{:.1}" height="{}"/><text class="faint" x="{:.1}" y="{}" text-anchor="start">{}</text>"#,
                (b - a).max(0.0),
                HEIGHT - BOTTOM - TOP,
                a + 4.0,
                TOP + 12.0,
                escape(name)
            )?;
        }
        for (value, text) in &y.ticks {
            let at = y.place(*value);
            write!(
                out,
                r#"<line class="grid" x1="{LEFT}" x2="{}" y1="{at:.1}" y2="{at:.1}"/><text x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
                WIDTH - RIGHT,
                LEFT - 6.0,
                at + 4.0,
                escape(text)
            )?;
        }
        for (value, text) in &x.ticks {
            let at = x.place(*value);
            write!(
                out,
                r#"<line class="grid" x1="{at:.1}" x2="{at:.1}" y1="{TOP}" y2="{}"/><text x="{at:.1}" y="{}" text-anchor="middle">{}</text>"#,
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 16.0,
                escape(text)
            )?;
        }
        write!(
            out,
            r#"<text class="label" x="{}" y="{}" text-anchor="middle">{}</text><text class="label" transform="translate(14 {}) rotate(-90)" text-anchor="middle">{}</text>"#,
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 6.0,
            escape(&self.x.label),
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(&self.y.label)
        )?;
        for (i, series) in self.series.iter().enumerate() {
            self.write_series(series, i % COLOURS, &x, &y, out)?;
        }
        if let Some((at, text)) = &self.mark {
            let at = x.place(*at);
            let (anchor, dx) = if at > WIDTH / 2.0 {
                ("end", -5.0)
            } else {
                ("start", 5.0)
            };
            write!(
                out,
                r#"<line class="mark" x1="{at:.1}" x2="{at:.1}" y1="{TOP}" y2="{}"/><text class="marked" x="{:.1}" y="{}" text-anchor="{anchor}">{}</text>"#,
                HEIGHT - BOTTOM,
                at + dx,
                TOP + 12.0,
                escape(text)
            )?;
        }
        out.push_str(keys);
        out.push_str("</svg>");
        Ok(())
    }

    fn write_series(
        &self,
        series: &Series,
        colour: usize,
        x: &Scale,
        y: &Scale,
        out: &mut String,
    ) -> std::fmt::Result {
        let known = |v: f64, log: bool| v.is_finite() && (!log || v > 0.0);
        let drawn = |p: &&(f64, f64)| known(p.0, x.log) && known(p.1, y.log);
        let mut path = String::new();
        for (i, point) in series.points.iter().filter(drawn).enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            write!(
                path,
                "{command}{:.1} {:.1}",
                x.place(point.0),
                y.place(point.1)
            )?;
        }
        let dashed = if series.dashed { " dashed" } else { "" };
        write!(out, r#"<path class="line c{colour}{dashed}" d="{path}"/>"#)?;
        if series.dots {
            for point in series.points.iter().filter(drawn) {
                write!(
                    out,
                    r#"<circle class="dot c{colour}" cx="{:.1}" cy="{:.1}" r="3"><title>{}: {}, {}</title></circle>"#,
                    x.place(point.0),
                    y.place(point.1),
                    escape(&series.name),
                    short(point.0),
                    short(point.1)
                )?;
            }
        }
        Ok(())
    }

    /// The legend as HTML.
    pub fn legend(&self) -> String {
        let mut out = String::new();
        for (i, series) in self.series.iter().enumerate() {
            let dashed = if series.dashed { " dashed" } else { "" };
            out += &format!(
                r#"<span class="key"><i class="c{}{dashed}"></i>{}</span>"#,
                i % COLOURS,
                escape(&series.name)
            );
        }
        out
    }
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
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
        let mut scale = Scale {
            log: axis.log,
            low,
            high,
            from,
            to,
            ticks: axis.ticks.clone(),
        };
        if scale.ticks.is_empty() {
            scale.ticks = scale.round_ticks();
        }
        scale
    }

    fn round_ticks(&mut self) -> Vec<(f64, String)> {
        if self.log {
            let decades = (self.low.log10().round() as i32)..=(self.high.log10().round() as i32);
            return decades
                .map(|d| 10f64.powi(d))
                .map(|v| (v, short(v)))
                .collect();
        }
        let rough = (self.high - self.low) / 5.0;
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

    fn place(&self, value: f64) -> f64 {
        let share = match self.log {
            true => {
                let value = value.max(self.low).log10();
                (value - self.low.log10()) / (self.high.log10() - self.low.log10())
            }
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + share * (self.to - self.from)
    }
}

/// A number as short as it stays readable.
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
    match text.contains('.') && !text.contains(['e', 'M', 'k']) {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Text inside an element or an attribute.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// Colours in the page's style sheet.
const COLOURS: usize = 8;
/// From one line of the legend to the next.
const KEY_STEP: f64 = 16.0;

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
