//! The shares of a whole as one bar, with a legend of the shares that are large
//! enough to see.

use maud::{Markup, Render, html};

use super::picture::SvgPicture;

/// A bar of shares.
#[derive(Clone, Debug, Default)]
pub struct ShareBar {
    /// Its parts, from the left. Their sum is the whole.
    pub parts: Vec<SharePart>,
}

/// A part of the whole.
#[derive(Clone, Debug)]
pub struct SharePart {
    /// Its name.
    pub name: String,
    /// Its size with the unit, as text at the pointer.
    pub value: String,
    /// Its size, in the same unit for all parts.
    pub size: f64,
    /// Its colour, a CSS value.
    pub colour: String,
    /// The opacity of the colour, 0 to 1.
    pub opacity: f64,
}

impl SharePart {
    fn style(&self) -> String {
        format!("fill:{}", self.colour)
    }
}

impl Render for ShareBar {
    /// The bar and its legend; empty if the whole is nothing.
    fn render(&self) -> Markup {
        let total: f64 = self.parts.iter().map(|p| p.size).sum();
        if total <= 0.0 {
            return html! {};
        }
        let percent = |part: &SharePart| part.size * 100.0 / total;
        let shown = || self.parts.iter().filter(|p| percent(p) >= LEAST_PERCENT);
        let words: Vec<String> = shown()
            .map(|part| format!("{} {:.0} %", part.name, percent(part)))
            .collect();
        let mut left = 0.0;
        let mut placed = Vec::new();
        for part in &self.parts {
            let width = percent(part) * WIDTH / 100.0;
            placed.push((left, width, part));
            left += width;
        }
        let bar = html! {
            @for (left, width, part) in placed {
                rect x=(format_args!("{left:.2}")) y="0" width=(format_args!("{width:.2}"))
                    height=(HEIGHT) style=(part.style()) opacity=(part.opacity) {
                    title { (part.name) ": " (part.value) }
                }
            }
        };
        let picture = SvgPicture {
            class: "shares",
            view: [0.0, 0.0, WIDTH, HEIGHT],
            title: &words.join(", "),
            description: "",
        };
        html! {
            (picture.stretched(&bar))
            p {
                @for (part, words) in shown().zip(&words) {
                    span.key {
                        svg.share viewBox="0 0 12 12" aria-hidden="true" {
                            rect width="12" height="12" style=(part.style()) opacity=(part.opacity) {}
                        }
                        (words)
                    }
                    " "
                }
            }
        }
    }
}

/// Size in the picture's own units; the style sheet gives the height in px.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 26.0;

/// Smaller parts have no entry in the legend.
const LEAST_PERCENT: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fill_the_bar_and_small_ones_have_no_entry_in_the_legend() {
        let part = |name: &str, size: f64| SharePart {
            name: name.into(),
            value: format!("{size} ms"),
            size,
            colour: "var(--c0)".into(),
            opacity: 0.5,
        };
        let bar = ShareBar {
            parts: vec![part("a<b", 750.0), part("c", 246.0), part("d", 4.0)],
        };
        let shown = bar.render().into_string();
        assert!(
            shown.contains("x=\"750.00\" y=\"0\" width=\"246.00\""),
            "{shown}"
        );
        assert!(
            shown.contains("aria-label=\"a&lt;b 75 %, c 25 %\""),
            "{shown}"
        );
        assert_eq!(shown.matches("class=\"key\"").count(), 2);
        assert_eq!(ShareBar::default().render().into_string(), "");
    }
}
