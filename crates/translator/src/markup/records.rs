//! The records that a program describes, laid out.
//!
//! The data descriptions are those of the text that the compiler sees, COPY
//! members included. Each is written on a line of its own, so that the line of
//! a laid-out item leads back to its tokens: its name as it is spelt, and the
//! counter of its table.

use std::ops::Range;

use copybook::{Field, FieldId, ParseOptions, RecordLayout, ReferenceFormat};

use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::writer::inline;

/// Laid-out records of a program.
pub(super) struct LaidOutRecords {
    layouts: Vec<RecordLayout>,
    /// Tokens of each entry, by its line.
    entries: Vec<Range<usize>>,
    pub decimal_comma: bool,
}

/// An item of a program.
#[derive(Clone, Copy)]
pub(super) struct RecordItem<'a> {
    pub layout: &'a RecordLayout,
    pub id: FieldId,
}

impl RecordItem<'_> {
    pub(super) fn field(&self) -> &Field {
        &self.layout[self.id]
    }
}

impl LaidOutRecords {
    /// The records of a program.
    pub(super) fn of(tokens: &[Token], unit: &ProgramUnit) -> LaidOutRecords {
        let mut records = LaidOutRecords {
            layouts: Vec::new(),
            entries: Vec::new(),
            decimal_comma: false,
        };
        let end = unit.procedure.unwrap_or(unit.end).min(tokens.len());
        let Some(data) = unit.data else {
            return records;
        };
        records.entries = entries(tokens, data, end);
        let environment = &tokens[unit.start.min(data)..data];
        records.decimal_comma = environment.iter().any(|t| t.is("DECIMAL-POINT"));
        let mut options = ParseOptions {
            format: ReferenceFormat::Free,
            decimal_comma: records.decimal_comma,
            ..ParseOptions::default()
        };
        if let Some(currency) = currency(environment) {
            options.currency = currency;
        }
        let text = |keep: &dyn Fn(usize) -> bool| {
            let entries = records.entries.iter().enumerate();
            let lines = entries.map(|(line, entry)| {
                if keep(line) {
                    format!("{}.\n", inline(&tokens[entry.clone()]))
                } else {
                    "\n".to_owned()
                }
            });
            lines.collect::<String>()
        };
        if let Ok(layouts) = copybook::parse(&text(&|_| true), &options) {
            records.layouts = layouts;
            return records;
        }
        // One record that is not understood leaves the others.
        let mut understood = vec![false; records.entries.len()];
        for record in record_lines(tokens, &records.entries) {
            let alone = text(&|line| record.contains(&line));
            let is_understood = copybook::parse(&alone, &options).is_ok();
            understood[record].fill(is_understood);
        }
        records.layouts =
            copybook::parse(&text(&|line| understood[line]), &options).unwrap_or_default();
        records
    }

    /// The item of a name and its qualifiers, innermost first; `None` if there
    /// is none or more than one.
    pub(super) fn find(&self, names: &[String]) -> Option<RecordItem<'_>> {
        let mut found = None;
        for layout in &self.layouts {
            for (id, _) in layout.iter() {
                if is_named(layout, id, names) {
                    if found.is_some() {
                        return None;
                    }
                    found = Some(RecordItem { layout, id });
                }
            }
        }
        found
    }

    /// Tokens of the entry of an item.
    pub(super) fn entry(&self, field: &Field) -> Range<usize> {
        let line = (field.line as usize).saturating_sub(1);
        self.entries.get(line).cloned().unwrap_or(0..0)
    }
}

/// Whether an item has a name, and its groups the qualifiers.
pub(super) fn is_named(layout: &RecordLayout, id: FieldId, names: &[String]) -> bool {
    let is = |id: FieldId, name: &str| layout[id].name.as_deref() == Some(name);
    let Some((name, mut qualifiers)) = names.split_first() else {
        return false;
    };
    if !is(id, name) {
        return false;
    }
    let mut at = layout[id].parent;
    while let (Some(group), Some((qualifier, rest))) = (at, qualifiers.split_first()) {
        if is(group, qualifier) {
            qualifiers = rest;
        }
        at = layout[group].parent;
    }
    qualifiers.is_empty()
}

/// The name of an identifier and its qualifiers, in capitals.
pub(super) fn names_of(tokens: &[Token]) -> Vec<String> {
    let words = tokens.iter().take_while(|t| !t.is_mark('('));
    let is_name = |t: &&Token| t.kind == TokenKind::Word && !t.is_any(&["OF", "IN"]);
    words.filter(is_name).map(Token::upper).collect()
}

fn entries(tokens: &[Token], from: usize, to: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        let end = (at..to).find(|&i| is_period(tokens, i)).unwrap_or(to);
        if level(&tokens[at]).is_some() {
            found.push(at..end);
        }
        at = end + 1;
    }
    found
}

fn level(token: &Token) -> Option<u8> {
    let level = token.text.parse().ok();
    level.filter(|l| token.kind == TokenKind::Word && matches!(l, 1..=49 | 66 | 77 | 78 | 88))
}

/// Lines of each record.
fn record_lines(tokens: &[Token], entries: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut records: Vec<Range<usize>> = Vec::new();
    for (line, entry) in entries.iter().enumerate() {
        let level = level(&tokens[entry.start]);
        match records
            .last_mut()
            .filter(|_| !matches!(level, Some(1 | 77 | 78)))
        {
            Some(record) => record.end = line + 1,
            None => records.push(line..line + 1),
        }
    }
    records
}

/// CURRENCY SIGN.
fn currency(environment: &[Token]) -> Option<char> {
    let at = environment.iter().position(|t| t.is("CURRENCY"))?;
    let literal = environment[at..]
        .iter()
        .find(|t| t.kind == TokenKind::Literal)?;
    literal.text.chars().nth(1)
}
