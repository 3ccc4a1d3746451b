//! The frame of every HTML report of the project: one page, one style, no
//! script and no outside part. What stands in it is its caller's.

use super::fold::fold;
use super::svg::escape;

/// A whole page around `body`, which is HTML already; `title` is text.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{}</style></head><body><main>{}</main></body></html>\n",
        escape(title),
        STYLE,
        fold(body)
    )
}

/// The style sheet of the reports, for pictures that stand alone.
pub const STYLE: &str = include_str!("page.css");
