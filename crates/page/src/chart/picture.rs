//! The SVG element of a picture, its two widths, and the card around it.

use maud::{Markup, Render, html};
use std::fmt::Write;

/// An SVG element with its name and description.
#[derive(Clone, Copy, Debug)]
pub struct SvgPicture<'p> {
    /// Its classes in the style sheet: `plot wide` and `plot narrow` are the two
    /// widths of a picture, of which a page shows one.
    pub class: &'p str,
    /// Left edge, top edge, width and height, in the picture's own units.
    pub view: [f64; 4],
    /// Its name for a screen reader.
    pub title: &'p str,
    /// What it shows, for a screen reader; may be empty.
    pub description: &'p str,
}

impl SvgPicture<'_> {
    /// The element around `content`.
    pub fn around(&self, content: &Markup) -> Markup {
        self.element(content, false, None)
    }

    /// The element, stretched to the size that its class has in the style sheet.
    pub(super) fn stretched(&self, content: &Markup) -> Markup {
        self.element(content, false, Some("none"))
    }

    /// The element as a file of its own, with the style sheet inside.
    pub fn alone(&self, content: &Markup) -> String {
        self.element(content, true, None).into_string()
    }

    fn element(&self, content: &Markup, with_style: bool, aspect: Option<&str>) -> Markup {
        let [left, top, width, height] = self.view;
        let view = format!("{left} {top} {width} {height}");
        html! {
            svg class=(self.class) viewBox=(view) role="img" aria-label=(self.title)
                preserveAspectRatio=[aspect] xmlns="http://www.w3.org/2000/svg" {
                @if !self.description.is_empty() { desc { (self.description) } }
                @if with_style { (crate::frame::style_sheet(GROUND)) }
                (content)
            }
        }
    }
}

/// A picture outside a page has the ground of a card.
const GROUND: &str = "svg{background:var(--card)}";

/// A card with a picture, its title and its caption, which may be empty.
pub fn card(title: &str, drawing: &Markup, caption: &str) -> Markup {
    html! {
        div.card {
            h3 { (title) }
            (drawing)
            @if !caption.is_empty() { p.soft { (caption) } }
        }
    }
}

/// A position or length in a picture, with one decimal.
#[derive(Clone, Copy, Debug)]
pub struct PxLength(pub f64);

impl Render for PxLength {
    fn render_to(&self, buffer: &mut String) {
        write!(buffer, "{:.1}", self.0).expect("writing to a string does not fail");
    }
}

/// The dimensions of a chart, in its own units.
#[derive(Clone, Copy)]
pub(super) struct ChartFrame {
    class: &'static str,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
    /// Number of ticks of a linear horizontal axis.
    pub(super) ticks: f64,
    /// The width of a character.
    pub(super) character: f64,
    /// Number of positions at which the pointer shows values.
    pub(super) places: usize,
}

/// Next to each other on a page, or one below the other on a small window.
pub(super) const WIDE: ChartFrame = ChartFrame {
    class: "plot wide",
    width: 520.0,
    height: 270.0,
    left: 58.0,
    right: 510.0,
    ticks: 5.0,
    character: 7.0,
    places: 48,
};
/// On a telephone, where 340 units are about 340 px.
pub(super) const NARROW: ChartFrame = ChartFrame {
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

impl ChartFrame {
    pub(super) fn top(&self) -> f64 {
        TOP
    }

    pub(super) fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }

    /// The element of this size around `content`.
    pub(super) fn around(&self, title: &str, description: &str, content: &Markup) -> Markup {
        let picture = SvgPicture {
            class: self.class,
            view: [0.0, 0.0, self.width, self.height],
            title,
            description,
        };
        picture.around(content)
    }
}

/// A chart in both widths.
pub(super) fn both_widths(
    title: &str,
    description: &str,
    draw: impl Fn(&ChartFrame) -> Markup,
) -> Markup {
    html! {
        @for frame in [&WIDE, &NARROW] {
            (frame.around(title, description, &draw(frame)))
        }
    }
}
