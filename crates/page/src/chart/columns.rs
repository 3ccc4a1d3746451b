//! Columns over a range of values each: a histogram.

use maud::{Markup, html};
use std::fmt::Write;

use super::ChartAxis;
use super::axis::ChartAxes;
use super::hover::{HoverBand, hover_bands};
use super::picture::{ChartFrame, both_widths, card};
use super::scale::AxisScale;

/// A chart of columns.
#[derive(Clone, Debug, Default)]
pub struct ColumnChart {
    /// The title above it.
    pub title: String,
    /// The horizontal axis.
    pub x: ChartAxis,
    /// The vertical axis.
    pub y: ChartAxis,
    /// The columns, from the left.
    pub columns: Vec<ChartColumn>,
}

/// One column.
#[derive(Clone, Debug, Default)]
pub struct ChartColumn {
    /// Where it begins on the horizontal axis.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its height on the vertical axis.
    pub value: f64,
    /// The text at the pointer, line by line.
    pub lines: Vec<String>,
}

impl ColumnChart {
    /// The chart in a card, with a caption that may be empty.
    pub fn card(&self, caption: &str) -> Markup {
        let words = ChartAxes::words(&self.x, &self.y);
        let drawing = both_widths(&self.title, &words, |frame| self.drawn(frame));
        card(&self.title, &drawing, caption)
    }

    fn drawn(&self, frame: &ChartFrame) -> Markup {
        let edges = self.columns.iter().flat_map(|c| [c.from, c.to]);
        let x = AxisScale::new(&self.x, edges, frame.left, frame.right, 5.0);
        let heights = self.columns.iter().map(|c| c.value);
        let y = AxisScale::new(&self.y, heights, frame.bottom(), frame.top(), 5.0);
        let bottom = frame.bottom();
        let mut path = String::new();
        let mut bands = Vec::new();
        for column in &self.columns {
            let (from, to) = (x.place(column.from), x.place(column.to));
            let (top, end) = (y.place(column.value), to - 0.5);
            write!(path, "M{from:.1} {bottom}V{top:.1}H{end:.1}V{bottom}z")
                .expect("writing to a string does not fail");
            bands.push(HoverBand {
                at: (from + to) / 2.0,
                lines: column.lines.clone(),
            });
        }
        let axes = ChartAxes {
            x: (&self.x, x),
            y: (&self.y, y),
        };
        html! {
            (axes.drawn(frame))
            path.columns d=(path) {}
            (hover_bands(frame, &bands))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_drawn_and_has_its_text() {
        let column = |from: f64, value: f64| ChartColumn {
            from,
            to: from + 1.0,
            value,
            lines: vec![format!("<{value}>")],
        };
        let chart = ColumnChart {
            title: "Sizes".into(),
            x: ChartAxis::from_zero("KB"),
            y: ChartAxis::from_zero("%"),
            columns: vec![column(0.0, 40.0), column(1.0, 60.0)],
        };
        let shown = chart.card("").into_string();
        assert_eq!(shown.matches("class=\"columns\"").count(), 2);
        // Two columns in each of two widths.
        assert_eq!(shown.matches("&lt;60&gt;").count(), 2);
        let path = shown.split("class=\"columns\" d=\"").nth(1).unwrap();
        assert_eq!(path.split('"').next().unwrap().matches('z').count(), 2);
        assert!(shown.contains("<desc>Horizontal axis: KB. Vertical axis: %.</desc>"));
    }
}
