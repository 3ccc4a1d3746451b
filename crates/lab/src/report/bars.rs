//! Horizontal bars split into parts: where the time of a run went, one bar a
//! run, the same part in the same colour.

use super::model::Picture;
use measure::report::{escape, short};

/// One bar: its name and its parts, each with a name and a length.
pub type Bar = (String, Vec<(String, f64)>);

/// The picture of some bars. Lengths are in `unit`.
pub fn bars(title: &str, unit: &str, bars: &[Bar], caption: &str) -> Picture {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in bars.iter().flat_map(|b| &b.1) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let sum = |bar: &Bar| bar.1.iter().map(|p| p.1.max(0.0)).sum::<f64>();
    let longest = bars.iter().map(sum).fold(f64::MIN_POSITIVE, f64::max);
    let key_top = TOP + bars.len() as f64 * STEP + 6.0;
    let keys = place_keys(&names);
    let rows = keys.last().map_or(0, |k| k.1 + 1);
    let height = key_top + rows as f64 * KEY_STEP + 4.0;
    let mut svg = format!(
        r#"<svg viewBox="0 0 {WIDTH} {height:.0}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{}</title>"#,
        escape(title)
    );
    for (row, bar) in bars.iter().enumerate() {
        let top = TOP + row as f64 * STEP;
        let text = top + 12.0;
        svg += &format!(
            r#"<text class="label" x="0" y="{text:.1}">{}</text>"#,
            escape(&bar.0)
        );
        let mut left = 0.0;
        for (name, length) in &bar.1 {
            let width = length.max(0.0) / longest * ROOM;
            let colour = names.iter().position(|n| n == name).unwrap_or(0) % COLOURS;
            svg += &format!(
                r#"<rect class="part p{colour}" x="{left:.1}" y="{:.1}" width="{width:.1}" height="{THICK}"><title>{}: {} {unit}</title></rect>"#,
                top + 17.0,
                escape(name),
                short(*length)
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
            r#"<rect class="part p{}" x="{left:.1}" y="{top:.1}" width="10" height="10"/><text x="{:.1}" y="{:.1}">{}</text>"#,
            i % COLOURS,
            left + 15.0,
            top + 9.0,
            escape(names[i])
        );
    }
    svg += "</svg>";
    Picture::Svg {
        title: title.into(),
        svg,
        caption: caption.into(),
    }
}

/// Where each key of the legend begins, and in which row.
fn place_keys(names: &[&str]) -> Vec<(f64, usize)> {
    let (mut left, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for name in names {
        let width = 28.0 + name.chars().count() as f64 * LETTER;
        if left > 0.0 && left + width > WIDTH {
            (left, row) = (0.0, row + 1);
        }
        places.push((left, row));
        left += width;
    }
    places
}

/// What the bars need beyond the common style.
pub(super) const STYLE: &str = ".part{stroke:var(--card);stroke-width:.5}\
.p0{fill:var(--c0)}.p1{fill:var(--c1)}.p2{fill:var(--c2)}.p3{fill:var(--c3)}.p4{fill:var(--c4)}\
.p5{fill:var(--faint)}.p6{fill:var(--ink)}";

const WIDTH: f64 = 560.0;
/// The longest bar, so that its length can stand behind it.
const ROOM: f64 = 480.0;
const TOP: f64 = 4.0;
const STEP: f64 = 44.0;
const THICK: f64 = 16.0;
const KEY_STEP: f64 = 17.0;
const LETTER: f64 = 6.4;
const COLOURS: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_room_and_parts_keep_their_colour() {
        let part = |name: &str, ms: f64| (name.to_owned(), ms);
        let picture = bars(
            "time",
            "ms",
            &[
                ("<a>".into(), vec![part("x", 1.0), part("y", 3.0)]),
                ("b".into(), vec![part("y", 2.0)]),
            ],
            "",
        );
        let Picture::Svg { svg, .. } = picture else {
            panic!("bars are a drawing");
        };
        assert!(svg.contains("&lt;a&gt;"));
        assert!(
            svg.contains(r#"p1" x="120.0" y="21.0" width="360.0""#),
            "{svg}"
        );
        assert!(
            svg.contains(r#"p1" x="0.0" y="65.0" width="240.0""#),
            "{svg}"
        );
    }

    #[test]
    fn nothing_to_show_is_no_reason_to_fail() {
        bars("", "ms", &[], "");
        bars("", "ms", &[("a".into(), Vec::new())], "");
    }
}
