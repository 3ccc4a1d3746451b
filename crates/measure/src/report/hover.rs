//! The values at the pointer: a plot is divided into vertical bands. Each has a
//! line and a small table that the style sheet shows while the pointer (or a
//! finger) is on it. No script is needed, so the report works in any mail program.

use super::scale::AxisScale;
use super::svg::{Axis, Frame, Plot, Series, escape, short};
use std::fmt::Write;

/// Writes the bands of a plot.
pub(super) fn write(
    plot: &Plot,
    frame: &Frame,
    x: &AxisScale,
    out: &mut String,
) -> std::fmt::Result {
    let places = places(&plot.series, x, frame.places);
    let bands: Vec<HoverBand> = places
        .iter()
        .map(|at| HoverBand {
            at: x.place(*at),
            lines: lines(plot, *at),
        })
        .collect();
    write_bands(frame, &bands, out)
}

/// The content of one band.
pub(super) struct HoverBand {
    /// The horizontal position, in the picture's units.
    pub(super) at: f64,
    /// The text, line by line.
    pub(super) lines: Vec<String>,
}

/// Writes bands that fill the picture; each ends midway to its neighbour.
pub(super) fn write_bands(
    frame: &Frame,
    bands: &[HoverBand],
    out: &mut String,
) -> std::fmt::Result {
    let (top, bottom) = (frame.top(), frame.bottom());
    for (i, band) in bands.iter().enumerate() {
        let middle =
            |other: Option<&HoverBand>, end: f64| other.map_or(end, |o| (o.at + band.at) / 2.0);
        let from = middle(i.checked_sub(1).and_then(|b| bands.get(b)), frame.left);
        let to = middle(bands.get(i + 1), frame.right);
        let longest = band.lines.iter().map(|l| l.chars().count()).max();
        let width = longest.unwrap_or(0) as f64 * frame.character + 12.0;
        let left = if band.at + 8.0 + width > frame.width {
            (band.at - 8.0 - width).max(0.0)
        } else {
            band.at + 8.0
        };
        write!(
            out,
            r#"<g class="band"><path class="field" d="M{from:.1} {top}H{to:.1}V{bottom}H{from:.1}z"/><g class="tip"><path class="here" d="M{:.1} {top}V{bottom}"/><rect x="{left:.1}" y="{top}" width="{width:.0}" height="{}" rx="3"/><text y="{}">"#,
            band.at,
            band.lines.len() as f64 * LINE + 6.0,
            top + 1.0,
        )?;
        for line in &band.lines {
            write!(
                out,
                r#"<tspan x="{:.1}" dy="{LINE}">{}</tspan>"#,
                left + 6.0,
                escape(line)
            )?;
        }
        out.push_str("</text></g></g>");
    }
    Ok(())
}

/// The positions that have values, thinned out evenly to `most`.
fn places(series: &[Series], x: &AxisScale, most: usize) -> Vec<f64> {
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
fn lines(plot: &Plot, at: f64) -> Vec<String> {
    let mut lines = vec![named(&plot.x, at)];
    for series in plot.series.iter().take(MOST_LINES) {
        if let Some(value) = value(series, at) {
            lines.push(format!("{}: {}", cut(&series.name), short(value)));
        }
    }
    lines
}

/// The label of a position: the text of its tick if there is one.
fn named(axis: &Axis, at: f64) -> String {
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
fn value(series: &Series, at: f64) -> Option<f64> {
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

    fn plot(step: bool) -> Plot {
        Plot {
            x: Axis {
                label: "ms".into(),
                ..Axis::default()
            },
            series: vec![
                Series {
                    name: "a<b".into(),
                    points: vec![(0.0, 1.0), (2.0, 30.0)],
                    step,
                    ..Series::default()
                },
                Series {
                    name: "other".into(),
                    points: vec![(1.0, 5.0)],
                    ..Series::default()
                },
            ],
            ..Plot::default()
        }
    }

    #[test]
    fn each_place_shows_the_values_that_are_known_there() {
        assert_eq!(lines(&plot(false), 0.0), ["0 ms", "a<b: 1"]);
        assert_eq!(lines(&plot(false), 1.0), ["1 ms", "other: 5"]);
        assert_eq!(lines(&plot(true), 1.0), ["1 ms", "a<b: 1", "other: 5"]);
        let svg = plot(true).svg();
        assert!(svg.contains("a&lt;b: 30") && !svg.contains("a<b"), "{svg}");
        // Three positions in the wide picture and three in the narrow one.
        assert_eq!(svg.matches("class=\"band\"").count(), 6);
    }

    #[test]
    fn a_long_run_has_no_more_places_than_can_be_pointed_at() {
        let mut plot = plot(false);
        plot.series[0].points = (0..10_000).map(|i| (f64::from(i), 1.0)).collect();
        let wide = plot.svg().matches("class=\"band\"").count();
        assert_eq!(
            wide,
            super::super::svg::WIDE.places + super::super::svg::NARROW.places
        );
    }
}
