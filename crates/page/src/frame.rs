//! The frame of every HTML report: one page, one style sheet, no script and no
//! external part. The caller supplies the body.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A whole page around `body`.
pub fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                (style_sheet(""))
            }
            body {
                main { (body) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The style element, with `more` rules after those of the style sheet.
pub(crate) fn style_sheet(more: &'static str) -> Markup {
    html! { style { (PreEscaped(STYLE)) (PreEscaped(more)) } }
}

/// A style element of rules that are part of the program.
pub fn style(rules: &'static str) -> Markup {
    html! { style { (PreEscaped(rules)) } }
}

/// A script element of a script that is part of the program. Figures and texts for
/// it come from [`data`].
pub fn script(code: &'static str) -> Markup {
    html! { script { (PreEscaped(code)) } }
}

/// A JSON text for the page's scripts, which read it from the element with the
/// identity `id`. No text in it can end the element.
pub fn data(id: &str, json: &str) -> Markup {
    let json = json.replace('<', "\\u003c");
    html! { script id=(id) type="application/json" { (PreEscaped(json)) } }
}

/// The colours of reports and of the console by name, light and dark.
pub const TOKENS: &str = include_str!("tokens.css");

/// The style sheet of all reports: first the colours, light and dark, then the rules.
const STYLE: &str = concat!(include_str!("tokens.css"), include_str!("page.css"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The colours of the style sheet by name, light or dark.
    fn colours(dark: bool) -> BTreeMap<&'static str, [f64; 3]> {
        let (light, rest) = STYLE
            .split_once("@media screen and (prefers-color-scheme:dark)")
            .unwrap();
        let rules = if dark {
            rest.split("}}").next().unwrap()
        } else {
            light
        };
        let named = rules.split("--").filter_map(|rule| rule.split_once(":#"));
        let read = |(name, value): (&'static str, &str)| {
            let digits: Vec<u32> = value.chars().map_while(|c| c.to_digit(16)).collect();
            let part = |i: usize| match digits.len() {
                3 => digits[i] * 17,
                _ => digits[i * 2] * 16 + digits[i * 2 + 1],
            };
            (name, [0, 1, 2].map(|i| f64::from(part(i)) / 255.0))
        };
        named.map(read).collect()
    }

    /// Reference: WCAG 2.1, "contrast ratio".
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let part = |v: f64| {
            if v <= 0.03928 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        };
        let light = |c: [f64; 3]| 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
        let (a, b) = (light(a) + 0.05, light(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn no_text_ends_an_element() {
        let body = html! { p { "</main><script>" } };
        let shown = page("</title>", &body);
        assert!(!shown.contains("<script>") && shown.matches("</title>").count() == 1);
        let shown = data("apis", "[\"</script><b>\"]").into_string();
        assert_eq!(
            shown,
            "<script id=\"apis\" type=\"application/json\">[\"\\u003c/script>\\u003cb>\"]</script>"
        );
    }

    #[test]
    fn every_colour_of_a_text_can_be_read_on_every_ground() {
        for dark in [false, true] {
            let colours = colours(dark);
            let (card, line) = (colours["card"], colours["line"]);
            // The shading of a warm-up or wait is drawn over a card.
            let shade = [0, 1, 2].map(|i| line[i] * 0.6 + card[i] * 0.4);
            for name in ["ink", "soft", "faint", "warn", "red", "gold", "good", "c0"] {
                for ground in [card, colours["back"], shade] {
                    let ratio = contrast(colours[name], ground);
                    assert!(
                        ratio >= 4.5,
                        "{name} on {ground:?}, dark {dark}: {ratio:.2}"
                    );
                }
            }
            assert!(contrast(colours["warn"], colours["warnback"]) >= 4.5);
        }
    }
}
