//! Horizontal bars of several parts: the time of a run by cause, one bar for each
//! run, the same part in the same colour. Important parts have strong colours, the
//! others light ones.

use maud::{Markup, html};

use super::picture::{PxLength, SvgPicture, card};
use crate::short;

/// A chart of bars. Lengths are in `unit`.
#[derive(Clone, Debug, Default)]
pub struct BarChart {
    /// The title above it.
    pub title: String,
    /// The unit of all lengths.
    pub unit: String,
    /// The bars, from the top.
    pub bars: Vec<StackedBar>,
}

/// One bar.
#[derive(Clone, Debug)]
pub struct StackedBar {
    /// Its name.
    pub name: String,
    /// Its parts, from the left.
    pub parts: Vec<BarPart>,
}

/// A part of a bar.
#[derive(Clone, Debug)]
pub struct BarPart {
    /// Its name, the same in every bar.
    pub name: String,
    /// Its length.
    pub length: f64,
    /// Whether it is an important part.
    pub strong: bool,
}

impl BarChart {
    /// The chart in a card, with a caption that may be empty.
    pub fn card(&self, caption: &str) -> Markup {
        let drawing = html! {
            @for (class, width) in [("bars wide", WIDTH), ("bars narrow", NARROW_WIDTH)] {
                @let (height, bars) = self.drawn(width);
                (self.picture(class, [width, height], &self.description()).around(&bars))
            }
        };
        card(&self.title, &drawing, caption)
    }

    /// The chart as an SVG file.
    pub fn alone(&self) -> String {
        let (height, bars) = self.drawn(WIDTH);
        let picture = self.picture("bars", [WIDTH, height], "");
        picture.alone(&bars)
    }

    fn picture<'c>(
        &'c self,
        class: &'c str,
        [width, height]: [f64; 2],
        description: &'c str,
    ) -> SvgPicture<'c> {
        SvgPicture {
            class,
            view: [-6.0, -4.0, width, height],
            title: &self.title,
            description,
        }
    }

    /// The height of the picture, and the bars with their legend.
    fn drawn(&self, width: f64) -> (f64, Markup) {
        let names = self.names();
        let sums = self.bars.iter().map(StackedBar::length);
        let longest = sums.fold(f64::MIN_POSITIVE, f64::max);
        let scale = (width - AFTER) / longest;
        let key_top = TOP + self.bars.len() as f64 * STEP + 6.0;
        let keys = place_keys(&names, width);
        let rows = keys.last().map_or(0, |k| k.1 + 1);
        let content = html! {
            @for (row, bar) in self.bars.iter().enumerate() {
                (self.drawn_bar(bar, TOP + row as f64 * STEP, scale, &names))
            }
            @for ((left, row), (name, class)) in keys.iter().zip(&names) {
                @let top = key_top + *row as f64 * KEY_STEP;
                rect class={ "part " (class) } x=(PxLength(*left)) y=(PxLength(top)) width="10" height="10" {}
                text x=(PxLength(left + 15.0)) y=(PxLength(top + 9.0)) { (name) }
            }
        };
        ((key_top + rows as f64 * KEY_STEP + 8.0).round(), content)
    }

    fn drawn_bar(
        &self,
        bar: &StackedBar,
        top: f64,
        scale: f64,
        names: &[(&str, String)],
    ) -> Markup {
        let class = |part: &BarPart| {
            let found = names.iter().find(|n| n.0 == part.name);
            found.map_or("", |n| n.1.as_str())
        };
        let mut left = 0.0;
        let mut placed = Vec::new();
        for part in &bar.parts {
            let width = part.length.max(0.0) * scale;
            placed.push((left, width, part));
            left += width;
        }
        html! {
            text.label x="0" y=(PxLength(top + 12.0)) { (bar.name) }
            @for (left, width, part) in placed {
                rect class={ "part " (class(part)) } x=(PxLength(left)) y=(PxLength(top + 17.0))
                    width=(PxLength(width)) height=(THICK) {
                    title { (part.name) ": " (short(part.length)) " " (self.unit) }
                }
            }
            text x=(PxLength(left + 6.0)) y=(PxLength(top + 29.0)) {
                (short(bar.length())) " " (self.unit)
            }
        }
    }

    /// Every part's name with its class in the style sheet, which has its colour.
    fn names(&self) -> Vec<(&str, String)> {
        let mut names: Vec<(&str, String)> = Vec::new();
        for part in self.bars.iter().flat_map(|b| &b.parts) {
            if !names.iter().any(|n| n.0 == part.name) {
                let kind = if part.strong { 's' } else { 'q' };
                let same = names.iter().filter(|n| n.1.starts_with(kind)).count();
                names.push((&part.name, format!("{kind}{}", same % COLOURS)));
            }
        }
        names
    }

    /// The lengths in words, for a screen reader.
    fn description(&self) -> String {
        let bar =
            |bar: &StackedBar| format!("{}: {} {}.", bar.name, short(bar.length()), self.unit);
        let bars: Vec<String> = self.bars.iter().map(bar).collect();
        bars.join(" ")
    }
}

impl StackedBar {
    /// The sum of its parts.
    fn length(&self) -> f64 {
        self.parts.iter().map(|p| p.length.max(0.0)).sum()
    }
}

/// The position and row of each key of the legend.
fn place_keys(names: &[(&str, String)], width_there: f64) -> Vec<(f64, usize)> {
    let (mut left, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for (name, _) in names {
        let width = 28.0 + name.chars().count() as f64 * LETTER;
        if left > 0.0 && left + width > width_there {
            (left, row) = (0.0, row + 1);
        }
        places.push((left, row));
        left += width;
    }
    places
}

const WIDTH: f64 = 560.0;
/// For a telephone, where the wide one's letters would be half as large.
const NARROW_WIDTH: f64 = 330.0;
/// Space after the longest bar for its length.
const AFTER: f64 = 80.0;
const TOP: f64 = 4.0;
const STEP: f64 = 44.0;
const THICK: f64 = 16.0;
const KEY_STEP: f64 = 17.0;
const LETTER: f64 = 7.0;
/// Colours of each kind in the style sheet.
const COLOURS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_room_and_parts_keep_their_colour() {
        let part = |name: &str, length, strong| BarPart {
            name: name.to_owned(),
            length,
            strong,
        };
        let bar = |name: &str, parts| StackedBar {
            name: name.into(),
            parts,
        };
        let all = [
            bar("<a>", vec![part("x", 1.0, false), part("y", 3.0, true)]),
            bar("b", vec![part("y", 2.0, true)]),
        ];
        let chart = BarChart {
            title: "time".into(),
            unit: "ms".into(),
            bars: all.to_vec(),
        };
        let card = chart.card("").into_string();
        for part in [
            r#"q0" x="0.0" y="21.0" width="120.0""#,
            r#"s0" x="120.0" y="21.0" width="360.0""#,
            r#"s0" x="0.0" y="65.0" width="240.0""#,
            r#"s0" x="62.5" y="21.0" width="187.5""#,
            "&lt;a&gt;",
            "<desc>&lt;a&gt;: 4 ms. b: 2 ms.</desc>",
        ] {
            assert!(card.contains(part), "{part}: {card}");
        }
        // A file has no second width that takes its place.
        assert!(chart.alone().starts_with("<svg class=\"bars\""));
    }

    #[test]
    fn nothing_to_show_is_no_reason_to_fail() {
        let shown = BarChart::default().card("").into_string();
        assert!(!shown.contains("NaN"), "{shown}");
    }
}
