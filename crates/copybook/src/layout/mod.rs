//! From entries to laid-out records.
//!
//! The pass goes through a record several times: [`tree`] finds what belongs
//! to what, [`kind`] says what each item's bytes mean, [`size`] places them,
//! and [`refer`] resolves the names that clauses use.
//!
//! Reference: GnuCOBOL 3.1 with `-std=ibm` is the measure of every offset and
//! length; where it differs from the language references, a comment says so.
//!
//! Invariant: all arithmetic is on 64 bits and every sum is checked against
//! the largest record before it is used.

mod kind;
mod like;
mod refer;
mod size;
mod tree;

use std::collections::HashMap;

use crate::diagnostic::Diagnostics;
use crate::model::{Field, FieldId, FieldKind, Occurs, RecordLayout, Renames};
use crate::parse::{ParsedText, RecordEntries};
use crate::picture::Context;

use kind::ItemMeaning;
use size::ItemPlacement;
use tree::EntryTree;

/// What pictures depend on.
#[derive(Debug, Clone, Copy)]
pub struct PictureRules {
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// The currency symbol.
    pub currency: char,
    /// Bytes of a POINTER.
    pub pointer_bytes: u32,
}

/// Lays out every record; those with faults are left out and reported.
pub fn lay_out(
    parsed: ParsedText,
    rules: PictureRules,
    diagnostics: &mut Diagnostics,
) -> Vec<RecordLayout> {
    let ParsedText { records, integers } = parsed;
    let records = like::expand(records, diagnostics);
    let names = refer::NameIndex::of(&records);
    let mut layouts = Vec::new();
    for (index, record) in records.iter().enumerate() {
        if record.entries[0].typedef {
            continue;
        }
        let pass = LayoutPass {
            record,
            index,
            names: &names,
            integers: &integers,
            rules,
        };
        if let Some(layout) = pass.run(&records, diagnostics) {
            layouts.push(layout);
        }
    }
    layouts
}

/// The layout of one record.
struct LayoutPass<'a> {
    record: &'a RecordEntries,
    /// Its place among the records of the text.
    index: usize,
    names: &'a refer::NameIndex,
    integers: &'a HashMap<String, u64>,
    rules: PictureRules,
}

impl LayoutPass<'_> {
    fn run(
        &self,
        records: &[RecordEntries],
        diagnostics: &mut Diagnostics,
    ) -> Option<RecordLayout> {
        let tree = EntryTree::of(&self.record.entries, diagnostics);
        let redefines = refer::redefines(&tree, self.index, records, diagnostics);
        let constant = |name: &str| self.integers.get(name).copied();
        let context = Context {
            currency: self.rules.currency,
            decimal_comma: self.rules.decimal_comma,
            constant: &constant,
        };
        let meanings = kind::meanings(&tree, context, self.rules.pointer_bytes, diagnostics);
        let counters = refer::counters(&tree, self.index, self.names, diagnostics);
        refer::keys(&tree, diagnostics);
        // Sizes mean nothing when an item is not understood.
        let meanings: Vec<ItemMeaning> = meanings.into_iter().collect::<Option<_>>()?;
        let placements = size::place(&tree, &meanings, &redefines, diagnostics)?;
        warn_of_sliding(&tree, &placements, diagnostics);
        warn_of_longer(&tree, &placements, &redefines, diagnostics);
        let renames = self.renames(&tree, &placements, diagnostics);
        let root = &placements[0];
        let times = tree.occurs(0);
        let mut layout = RecordLayout {
            fields: Vec::with_capacity(tree.len()),
            renames,
            length: as_bytes(root.length * times.1),
            min_length: as_bytes(root.min_length * times.0),
        };
        for (index, meaning) in meanings.into_iter().enumerate() {
            let counter = counters[index];
            let redefines = redefines[index];
            layout.fields.push(field(
                &tree,
                index,
                meaning,
                &placements[index],
                redefines,
                counter,
            ));
        }
        Some(layout)
    }

    /// Resolves level 66.
    fn renames(
        &self,
        tree: &EntryTree<'_>,
        placements: &[ItemPlacement],
        diagnostics: &mut Diagnostics,
    ) -> Vec<Renames> {
        let mut renames = Vec::new();
        for entry in &self.record.renames {
            let Some((from, through)) = refer::renamed(tree, entry, diagnostics) else {
                continue;
            };
            let start = placements[from].offset;
            let end = placements[through].offset + placements[through].length;
            renames.push(Renames {
                name: entry.name.is.clone(),
                from: FieldId(from as u32),
                through: FieldId(through as u32),
                offset: as_bytes(start),
                length: as_bytes(end.saturating_sub(start)),
            });
        }
        renames
    }
}

/// GnuCOBOL adds up lengths when it finds an item after a table of varying length,
/// without regard to slack bytes and shared storage.
fn warn_of_sliding(
    tree: &EntryTree<'_>,
    placements: &[ItemPlacement],
    diagnostics: &mut Diagnostics,
) {
    for (entry, placement) in tree.entries.iter().zip(placements) {
        let clauses = [
            ("REDEFINES", entry.redefines.as_ref().map(|r| r.at)),
            ("SYNCHRONIZED", entry.synchronized),
        ];
        for (clause, at) in clauses {
            if let Some(at) = at.filter(|_| placement.slides) {
                diagnostics.warn(
                    at,
                    format!("{clause} after a table of varying length: compiled programs may place {} elsewhere", entry.shown()),
                );
            }
        }
    }
}

/// A redefinition that is longer than what it redefines moves what follows.
fn warn_of_longer(
    tree: &EntryTree<'_>,
    placements: &[ItemPlacement],
    redefines: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) {
    let bytes = |index: usize| placements[index].length * tree.occurs(index).1;
    for (index, original) in redefines.iter().enumerate() {
        let entry = &tree.entries[index];
        if let Some(original) = *original
            && let Some(clause) = &entry.redefines
            && bytes(index) > bytes(original)
        {
            diagnostics.warn_help(
                clause.at,
                format!(
                    "{} has {} bytes and {}, which it redefines, has {}: the next item begins after the longer one",
                    entry.shown(),
                    bytes(index),
                    clause.is,
                    bytes(original)
                ),
                "compare both with the program's own copybook",
            );
        }
    }
}

/// Lengths that were checked against the largest item.
fn as_bytes(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The model's view of one item.
fn field(
    tree: &EntryTree<'_>,
    index: usize,
    meaning: ItemMeaning,
    placement: &ItemPlacement,
    redefines: Option<usize>,
    counter: Option<usize>,
) -> Field {
    let entry = &tree.entries[index];
    let length = as_bytes(placement.length);
    let (min, max) = tree.occurs(index);
    let is_group = meaning.kind == FieldKind::Group;
    Field {
        name: entry.name.clone(),
        level: entry.level,
        parent: tree.parent[index].map(|p| FieldId(p as u32)),
        children: tree.children[index]
            .iter()
            .map(|c| FieldId(*c as u32))
            .collect(),
        offset: as_bytes(placement.offset),
        length,
        slides: placement.slides,
        kind: meaning.kind,
        occurs: entry.occurs.as_ref().map(|clause| Occurs {
            min: as_bytes(min),
            max: as_bytes(max),
            depending_on: counter.map(|c| FieldId(c as u32)),
            stride: length,
            indexes: clause.is.indexes.clone(),
        }),
        redefines: redefines.map(|r| FieldId(r as u32)),
        conditions: entry.conditions.clone(),
        value: entry.value.as_ref().map(|value| value.is.clone()),
        justified: entry.justified.is_some() && !is_group,
        blank_when_zero: entry.blank_when_zero.is_some() && !is_group,
        picture: entry.picture.as_ref().map(|picture| picture.is.clone()),
        line: entry.at.line,
    }
}
