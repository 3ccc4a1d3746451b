//! An axis of a chart: its label with the unit, and its lines and numbers.

use maud::{Markup, html};

use super::picture::{ChartFrame, PxLength};
use super::scale::AxisScale;

/// One axis.
#[derive(Clone, Debug, Default)]
pub struct ChartAxis {
    /// Its label, which has the unit.
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

impl ChartAxis {
    /// A linear axis that begins at zero.
    pub fn from_zero(label: impl Into<String>) -> ChartAxis {
        ChartAxis {
            label: label.into(),
            from_zero: true,
            ..ChartAxis::default()
        }
    }

    /// A logarithmic axis. Its label says so.
    pub fn log(unit: &str) -> ChartAxis {
        ChartAxis {
            label: format!("{unit} (log)"),
            log: true,
            ..ChartAxis::default()
        }
    }

    /// An axis with the given ticks only.
    pub fn with_ticks(label: impl Into<String>, ticks: Vec<(f64, String)>) -> ChartAxis {
        ChartAxis {
            label: label.into(),
            ticks,
            ..ChartAxis::default()
        }
    }
}

/// Both axes of a chart with their scales.
pub(super) struct ChartAxes<'c> {
    /// The horizontal axis.
    pub(super) x: (&'c ChartAxis, AxisScale),
    /// The vertical axis.
    pub(super) y: (&'c ChartAxis, AxisScale),
}

impl ChartAxes<'_> {
    /// Lines, numbers and labels of both axes.
    pub(super) fn drawn(&self, frame: &ChartFrame) -> Markup {
        let (left, right, top, bottom) = (frame.left, frame.right, frame.top(), frame.bottom());
        let (x, y) = (&self.x.1, &self.y.1);
        // A label that would exceed the picture is moved to its edge.
        let label_place = |at: f64, text: &str| {
            let half = text.chars().count() as f64 * frame.character / 2.0;
            if at + half > frame.width {
                (frame.width - 1.0, "end")
            } else {
                (at, "middle")
            }
        };
        html! {
            @for (value, text) in &y.ticks {
                @let at = y.place(*value);
                line.grid x1=(left) x2=(right) y1=(PxLength(at)) y2=(PxLength(at)) {}
                text x=(left - 6.0) y=(PxLength(at + 4.0)) text-anchor="end" { (text) }
            }
            @for (value, text) in x.apart(frame.character, frame.width) {
                @let at = x.place(*value);
                @let (place, anchor) = label_place(at, text);
                line.grid x1=(PxLength(at)) x2=(PxLength(at)) y1=(top) y2=(bottom) {}
                text x=(PxLength(place)) y=(bottom + 16.0) text-anchor=(anchor) { (text) }
            }
            text.label x=((left + right) / 2.0) y=(frame.height - 6.0) text-anchor="middle" {
                (self.x.0.label)
            }
            text.label x="2" y="13" { (self.y.0.label) }
        }
    }

    /// The axes in words, for a screen reader.
    pub(super) fn words(x: &ChartAxis, y: &ChartAxis) -> String {
        format!("Horizontal axis: {}. Vertical axis: {}.", x.label, y.label)
    }
}
