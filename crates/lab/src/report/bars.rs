//! Horizontal bars of several parts: the time of a run by cause, one bar for each
//! run, the same part in the same colour. Important parts have strong colours, the
//! others light ones.

use super::model::Picture;
use measure::report::{escape, short};

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

/// The picture of some bars. Lengths are in `unit`.
pub fn bars(title: &str, unit: &str, bars: &[StackedBar], caption: &str) -> Picture {
    let mut names: Vec<(&str, String)> = Vec::new();
    for part in bars.iter().flat_map(|b| &b.parts) {
        if !names.iter().any(|n| n.0 == part.name) {
            let kind = if part.strong { 's' } else { 'q' };
            let same = names.iter().filter(|n| n.1.starts_with(kind)).count();
            names.push((&part.name, format!("{kind}{}", same % COLOURS)));
        }
    }
    let sum = |bar: &StackedBar| bar.parts.iter().map(|p| p.length.max(0.0)).sum::<f64>();
    let longest = bars.iter().map(sum).fold(f64::MIN_POSITIVE, f64::max);
    let draw = |class, width| drawing((title, unit), bars, &names, longest, (class, width));
    Picture::Svg {
        title: title.into(),
        svg: draw("wide", WIDTH),
        narrow: draw("narrow", NARROW_WIDTH),
        caption: caption.into(),
    }
}

/// The bars in an SVG element of this class and width.
fn drawing(
    (title, unit): (&str, &str),
    bars: &[StackedBar],
    names: &[(&str, String)],
    longest: f64,
    (class, width): (&str, f64),
) -> String {
    let sum = |bar: &StackedBar| bar.parts.iter().map(|p| p.length.max(0.0)).sum::<f64>();
    let room = width - AFTER;
    let key_top = TOP + bars.len() as f64 * STEP + 6.0;
    let keys = place_keys(names, width);
    let rows = keys.last().map_or(0, |k| k.1 + 1);
    let height = key_top + rows as f64 * KEY_STEP + 8.0;
    let mut svg = format!(
        r#"<svg class="bars {class}" viewBox="-6 -4 {width} {height:.0}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{}</title>"#,
        escape(title)
    );
    for (row, bar) in bars.iter().enumerate() {
        let top = TOP + row as f64 * STEP;
        let text = top + 12.0;
        svg += &format!(
            r#"<text class="label" x="0" y="{text:.1}">{}</text>"#,
            escape(&bar.name)
        );
        let mut left = 0.0;
        for part in &bar.parts {
            let width = part.length.max(0.0) / longest * room;
            let found = names.iter().find(|n| n.0 == part.name);
            let colour = found.map_or("", |n| &n.1);
            svg += &format!(
                r#"<rect class="part {colour}" x="{left:.1}" y="{:.1}" width="{width:.1}" height="{THICK}"><title>{}: {} {unit}</title></rect>"#,
                top + 17.0,
                escape(&part.name),
                short(part.length)
            );
            left += width;
        }
        svg += &format!(
            r#"<text x="{:.1}" y="{:.1}">{} {unit}</text>"#,
            left + 6.0,
            top + 29.0,
            short(sum(bar))
        );
    }
    for (i, (left, row)) in keys.iter().enumerate() {
        let top = key_top + *row as f64 * KEY_STEP;
        svg += &format!(
            r#"<rect class="part {}" x="{left:.1}" y="{top:.1}" width="10" height="10"/><text x="{:.1}" y="{:.1}">{}</text>"#,
            names[i].1,
            left + 15.0,
            top + 9.0,
            escape(names[i].0)
        );
    }
    svg + "</svg>"
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

/// Styles of the bars in addition to the common style.
pub(super) const STYLE: &str = ".part{stroke:var(--card);stroke-width:.5}\
.s0{fill:var(--c1)}.s1{fill:var(--c4)}.s2{fill:var(--c3)}.s3{fill:var(--warn)}\
.q0{fill:var(--faint)}.q1{fill:var(--c0)}.q2{fill:var(--c2)}.q3{fill:var(--c0);opacity:.55}";

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
/// Colours of each kind, [`STYLE`].
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
        let picture = bars("time", "ms", &all, "");
        let Picture::Svg { svg, narrow, .. } = picture else {
            panic!("bars are a drawing");
        };
        assert!(
            narrow.contains(r#"s0" x="62.5" y="21.0" width="187.5""#),
            "{narrow}"
        );
        assert!(svg.contains("&lt;a&gt;"));
        for part in [
            r#"q0" x="0.0" y="21.0" width="120.0""#,
            r#"s0" x="120.0" y="21.0" width="360.0""#,
            r#"s0" x="0.0" y="65.0" width="240.0""#,
        ] {
            assert!(svg.contains(part), "{svg}");
        }
    }

    #[test]
    fn nothing_to_show_is_no_reason_to_fail() {
        bars("", "ms", &[], "");
    }
}
