//! Pages of reports: the frame with its one style sheet, tables, tiles and charts.
//!
//! Escaping is a matter of types. Content is [`maud::Markup`], made by
//! [`maud::html!`], which escapes every text that it is given. Only this crate
//! declares a text to be markup: style sheets and scripts that are part of the
//! program, and JSON whose `<` are replaced. `cargo xtask tidy` checks that.
//!
//! Reports have no script and no external part, so they can be mailed. Charts are
//! drawn in two widths, and the style sheet shows the one that fits.
//!
//! Invariant: no figure is computed here. The crate formats and draws what it gets.

#![forbid(unsafe_code)]

pub mod chart;
mod frame;
mod number;
mod parts;
mod table;

pub use frame::{TOKENS, data, page, script, style};
pub use number::short;
pub use parts::{ChangeBars, TileFigure, cards, note, tiles};
pub use table::{PageTable, TableColumn};
