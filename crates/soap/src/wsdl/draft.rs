//! A copybook that is being made.
//!
//! Items are numbered as they are emitted, which is the order in which a parser
//! numbers them: the record is 0.

use copybook::generated::TakenNames;
use std::fmt::Write as _;

/// One record.
pub(super) struct CopybookDraft {
    title: String,
    /// Level, name and clause.
    items: Vec<(u32, String, String)>,
    names: TakenNames,
}

impl CopybookDraft {
    pub fn new(title: String) -> CopybookDraft {
        let mut names = TakenNames::default();
        names.take(&title);
        CopybookDraft {
            title,
            items: Vec::new(),
            names,
        }
    }

    /// A name that no other item has.
    pub fn name(&mut self, base: &str) -> String {
        let end = base.len().min(MAX_NAME);
        self.names.unique(base[..end].trim_end_matches('-'), 0)
    }

    /// Whether the copybook draft has no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The number of the last item.
    pub fn last(&self) -> u32 {
        // Level 88 is not an item.
        self.items.iter().filter(|(level, ..)| *level != 88).count() as u32
    }

    /// Adds an item. Returns its number.
    pub fn emit(&mut self, level: u32, name: &str, clause: &str) -> u32 {
        self.items.push((level, name.to_owned(), clause.to_owned()));
        self.last()
    }

    /// COBOL source in fixed form.
    pub fn text(&self) -> String {
        let mut text = format!("       01  {}.\n", self.title);
        for (level, name, clause) in &self.items {
            let indent = " ".repeat(7 + (*level as usize).min(25));
            let line = format!("{indent}{level:02} {name:<24} {clause}");
            let line = line.trim_end();
            // Column 72 is the last one that counts.
            let _ = if line.len() < 72 {
                writeln!(text, "{line}.")
            } else {
                writeln!(text, "{indent}{level:02} {name}\n{indent}   {clause}.")
            };
        }
        text
    }
}

/// Longest name, in characters; a number may follow.
const MAX_NAME: usize = 26;
