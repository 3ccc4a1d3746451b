//! The fields of its record that a program reads and writes.
//!
//! A COMMAREA is one record for both directions, and most of its fields have one only.
//! The PROCEDURE DIVISION, with its COPY members, decides: a target of MOVE,
//! GIVING, INTO, SET and COMPUTE is written; any other mention reads it. A
//! mentioned group counts for all its fields, storage with several descriptions
//! is read and written through any of them, and data that is passed on (`CALL …
//! USING`, `COMMAREA`, another record at the same address) is both. A field
//! without any visible use is both too.
//!
//! Invariant: a field that may be read is input, and one that may be written is
//! output; a statement that is not understood counts as both.

mod program;
mod scan;

use copybook::{FieldId, RecordLayout};
use program::Program;
use scan::StatementScan;
use std::collections::HashMap;
use std::path::PathBuf;

/// The use of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FieldUse {
    pub read: bool,
    pub written: bool,
}

impl FieldUse {
    const READ: FieldUse = FieldUse::of(true, false);
    const WRITTEN: FieldUse = FieldUse::of(false, true);
    const BOTH: FieldUse = FieldUse::of(true, true);

    const fn of(read: bool, written: bool) -> FieldUse {
        FieldUse { read, written }
    }

    fn add(&mut self, other: FieldUse) {
        self.read |= other.read;
        self.written |= other.written;
    }
}

/// Of every field, in the order of the layout.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    fields: Vec<FieldUse>,
    /// Whether the program reads the field by its name, or its group's, and
    /// nothing writes it.
    needed: Vec<bool>,
}

impl Usage {
    /// Analyses a program's text; `copies` are the folders of its COPY members.
    pub fn of(layout: &RecordLayout, text: &str, copies: &[PathBuf]) -> Usage {
        let Some(program) = Program::read(layout, text, copies) else {
            return Usage::default();
        };
        let mut uses = mentions(layout, &program);
        let record = uses[0];
        // The use of a group is the use of all below it.
        for index in 1..uses.len() {
            match layout.fields[index].parent {
                Some(RecordLayout::RECORD) | None => {}
                Some(parent) => {
                    let above = uses[parent.0 as usize];
                    uses[index].add(above);
                }
            }
        }
        let named = uses.clone();
        uses.iter_mut().for_each(|one| one.add(record));
        through_others(layout, &named, &mut uses);
        let needed = named
            .iter()
            .zip(&uses)
            .map(|(named, all)| named.read && !all.written)
            .collect();
        Usage {
            fields: uses,
            needed,
        }
    }

    /// Whether a field belongs into a request: it is not only written.
    pub fn goes_in(&self, layout: &RecordLayout, id: FieldId) -> bool {
        self.any(layout, id, |u| !u.written || u.read)
    }

    /// Whether a field belongs into a response: it is not only read, or nothing
    /// is written as far as can be seen.
    pub fn comes_out(&self, layout: &RecordLayout, id: FieldId) -> bool {
        let silent = self.fields.iter().all(|u| !u.written);
        silent || self.any(layout, id, |u| !u.read || u.written)
    }

    /// Whether a field is read and never written: the program counts on it.
    pub fn is_needed(&self, id: FieldId) -> bool {
        self.needed.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// Of a group: whether it is so of any field below.
    fn any(&self, layout: &RecordLayout, id: FieldId, so: fn(FieldUse) -> bool) -> bool {
        let Some(own) = self.fields.get(id.0 as usize) else {
            return true;
        };
        match layout[id].children.as_slice() {
            [] => so(*own),
            children => children.iter().any(|child| self.any(layout, *child, so)),
        }
    }
}

/// The use of each field at its mentions, or those of its conditions.
fn mentions(layout: &RecordLayout, program: &Program) -> Vec<FieldUse> {
    let mut named: HashMap<&str, Vec<FieldId>> = HashMap::new();
    for name in &program.names {
        named.entry(name).or_default().push(RecordLayout::RECORD);
    }
    for (id, field) in layout.iter().skip(1) {
        let conditions = field.conditions.iter().map(|c| c.name.as_str());
        for name in field.name.as_deref().into_iter().chain(conditions) {
            named.entry(name).or_default().push(id);
        }
    }
    let mut uses = vec![FieldUse::default(); layout.fields.len()];
    let mut scan = StatementScan::default();
    let words = program.procedures.as_slice();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        // SQL marks a field with a colon.
        let is_value = !scan.at_option() || at.checked_sub(1).is_some_and(|n| words[n] == ":");
        let fields = named.get(word.as_str()).filter(|_| is_value);
        let Some(fields) = fields else {
            scan.word(word);
            at += 1;
            continue;
        };
        let is_record = |word: &String| program.names.contains(word);
        // One name of the record to another: the same bytes again.
        if scan.verb == "MOVE" && !scan.receiving && is_record(word) {
            let to = at + 1 + parenthesized(&words[at + 1..]).0;
            if words.get(to).is_some_and(|w| w == "TO") && words.get(to + 1).is_some_and(is_record)
            {
                scan.word("TO");
                at = to + 2 + parenthesized(&words[to + 2..]).0;
                continue;
            }
        }
        let mut qualifiers = Vec::new();
        at += 1;
        while let Some([of, group]) = words.get(at..at + 2)
            && matches!(of.as_str(), "OF" | "IN")
        {
            qualifiers.push(group);
            at += 2;
        }
        let used = match (scan.about_length(), scan.about_address()) {
            (true, _) => None,
            (_, true) => address(&mut scan),
            _ => Some(scan.mention(parenthesized(&words[at..]).1)),
        };
        let foreign = qualifiers
            .iter()
            .any(|q| !is_record(q) && !named.contains_key(q.as_str()));
        let used = match (used, foreign) {
            (Some(_), true) if program.is_declared => None,
            (Some(_), true) => Some(FieldUse::BOTH),
            (used, _) => used,
        };
        if let Some(used) = used {
            let below = |id: FieldId, group: &str| is_below(layout, id, group);
            for id in fields {
                let all = |q: &&String| is_record(q) || foreign || below(*id, q);
                if qualifiers.iter().all(all) {
                    uses[id.0 as usize].add(used);
                }
            }
        }
        scan.word(FIELD);
    }
    uses
}

/// The use by taking a field's address: `None` if the record is given its place,
/// and any if another item has it then.
fn address(scan: &mut StatementScan) -> Option<FieldUse> {
    match (scan.verb == "SET", scan.receiving) {
        (true, true) => {
            scan.own_address = true;
            None
        }
        (true, false) if scan.own_address => None,
        _ => Some(FieldUse::BOTH),
    }
}

/// Whether a field is in a group of that name, or a condition of the field.
fn is_below(layout: &RecordLayout, id: FieldId, group: &str) -> bool {
    let mut at = Some(id);
    while let Some(id) = at {
        if layout[id].name.as_deref() == Some(group) {
            return true;
        }
        at = layout[id].parent;
    }
    false
}

/// The number of words in parentheses from here, and whether they select
/// characters.
fn parenthesized(words: &[String]) -> (usize, bool) {
    let (mut depth, mut in_part) = (0, false);
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" => depth += 1,
            ")" if depth > 0 => depth -= 1,
            _ if depth == 0 => return (at, in_part),
            ":" => in_part |= depth == 1,
            _ => {}
        }
    }
    (words.len(), in_part)
}

/// Storage that is used through one of its descriptions is used through the
/// others.
fn through_others(layout: &RecordLayout, named: &[FieldUse], uses: &mut [FieldUse]) {
    for (item, _) in layout.iter() {
        let others = layout.iter().filter(|(_, f)| f.redefines == Some(item));
        let all: Vec<FieldId> = others.map(|(id, _)| id).collect();
        if all.is_empty() {
            continue;
        }
        let all: Vec<FieldId> = std::iter::once(item).chain(all).collect();
        let of: Vec<FieldUse> = all.iter().map(|id| within(layout, named, *id)).collect();
        for (at, id) in all.iter().enumerate() {
            for (_, other) in of.iter().enumerate().filter(|(other, _)| *other != at) {
                mark(layout, uses, *id, *other);
            }
        }
    }
}

fn within(layout: &RecordLayout, uses: &[FieldUse], id: FieldId) -> FieldUse {
    let mut all = uses[id.0 as usize];
    for child in &layout[id].children {
        all.add(within(layout, uses, *child));
    }
    all
}

fn mark(layout: &RecordLayout, uses: &mut [FieldUse], id: FieldId, used: FieldUse) {
    uses[id.0 as usize].add(used);
    for child in &layout[id].children {
        mark(layout, uses, *child, used);
    }
}

/// A field among the words just passed.
const FIELD: &str = "?";

#[cfg(test)]
mod tests;
