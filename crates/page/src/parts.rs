//! Parts that several reports have: tiles of figures, cards of charts, notes, and
//! the two bars of a change.

use maud::{Markup, Render, html};

/// A figure in a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct TileFigure {
    /// The figure with its unit.
    pub value: String,
    /// The name below it.
    pub name: String,
}

impl TileFigure {
    /// A tile of a figure and its name.
    pub fn new(value: impl Into<String>, name: impl Into<String>) -> TileFigure {
        TileFigure {
            value: value.into(),
            name: name.into(),
        }
    }
}

impl Render for TileFigure {
    fn render(&self) -> Markup {
        html! {
            div.tile {
                b { (self.value) }
                span { (self.name) }
            }
        }
    }
}

/// The three most important figures, then the others in smaller tiles.
pub fn tiles(first: &[TileFigure; 3], others: &[TileFigure]) -> Markup {
    html! {
        div.tiles.three {
            @for tile in first { (tile) }
        }
        @if !others.is_empty() {
            div.tiles.others {
                @for tile in others { (tile) }
            }
        }
    }
}

/// Cards of charts next to each other, as many as fit.
pub fn cards(cards: &[Markup]) -> Markup {
    html! {
        div.plots {
            @for card in cards { (card) }
        }
    }
}

/// A paragraph of less weight.
pub fn note(text: impl Render) -> Markup {
    html! { p.soft { (text) } }
}

/// The saving of a change as two bars: the value now, and the value after it.
#[derive(Clone, Debug)]
pub struct ChangeBars {
    /// The measured thing; empty if the text before the bars names it.
    pub subject: String,
    /// The value now, as text.
    pub before: String,
    /// The value after the change, as text.
    pub after: String,
    /// The value after the change as a fraction of the value now, 0 to 1.
    pub left: f64,
    /// The colour of the part that the change saves, a CSS value.
    pub colour: String,
    /// The opacity of that colour, 0 to 1.
    pub opacity: f64,
}

impl Render for ChangeBars {
    fn render(&self) -> Markup {
        let left = self.left.clamp(0.0, 1.0) * 100.0;
        let saved = format!(
            "width:{:.1}%;background:{};opacity:{}",
            100.0 - left,
            self.colour,
            self.opacity
        );
        html! {
            @if !self.subject.is_empty() { (note(&self.subject)) }
            div.saving {
                span { (self.before) }
                i { b style=(saved) {} }
                span { (self.after) }
                i style=(format_args!("width:{left:.1}%")) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_names_of_tiles_are_text() {
        let tile = |n: &str| TileFigure::new(n, "a < b");
        let page = tiles(&[tile("1"), tile("<2>"), tile("3")], &[]).into_string();
        assert!(
            page.contains("<b>&lt;2&gt;</b><span>a &lt; b</span>"),
            "{page}"
        );
        assert!(!page.contains("others"), "{page}");
        let with_others = tiles(&[tile("1"), tile("2"), tile("3")], &[tile("4")]);
        assert!(with_others.into_string().contains("tiles others"));
    }

    #[test]
    fn the_bars_of_a_change_are_to_scale() {
        let bars = ChangeBars {
            subject: String::new(),
            before: "now 8 ms".into(),
            after: "without it 2 ms".into(),
            left: 0.25,
            colour: "var(--c1)".into(),
            opacity: 1.0,
        };
        let shown = bars.render().into_string();
        assert!(
            shown.contains("width:75.0%;background:var(--c1)"),
            "{shown}"
        );
        assert!(shown.contains("<i style=\"width:25.0%\"></i>"), "{shown}");
    }
}
