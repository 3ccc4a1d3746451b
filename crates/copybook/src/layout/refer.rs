//! Names that clauses refer to: REDEFINES, DEPENDING ON, KEY, RENAMES.

use std::collections::HashMap;

use crate::diagnostic::Diagnostics;
use crate::parse::{DataReference, RecordEntries, RenamesEntry, WithPosition};

use super::tree::EntryTree;

/// Every name of the text and the records it occurs in.
pub struct NameIndex(HashMap<String, Vec<usize>>);

impl NameIndex {
    /// Collects the names of all records.
    pub fn of(records: &[RecordEntries]) -> NameIndex {
        let mut names: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, record) in records.iter().enumerate() {
            for entry in &record.entries {
                if let Some(name) = &entry.name {
                    names.entry(name.clone()).or_default().push(index);
                }
            }
        }
        NameIndex(names)
    }

    /// Whether a record other than `record` has an item called `name`.
    fn elsewhere(&self, name: &str, record: usize) -> bool {
        self.0
            .get(name)
            .is_some_and(|places| places.iter().any(|place| *place != record))
    }
}

/// The items of `tree` that a reference can mean.
fn candidates(tree: &EntryTree<'_>, reference: &DataReference) -> Vec<usize> {
    (0..tree.len())
        .filter(|&index| {
            if tree.entries[index].name.as_deref() != Some(&reference.name) {
                return false;
            }
            let mut groups = tree.ancestors(index);
            reference.qualifiers.iter().all(|qualifier| {
                groups.any(|group| tree.entries[group].name.as_deref() == Some(qualifier))
            })
        })
        .collect()
}

/// For every item, the one whose storage it redefines: where a redefinition
/// is redefined again, the original of both.
pub fn redefines(
    tree: &EntryTree<'_>,
    record: usize,
    records: &[RecordEntries],
    diagnostics: &mut Diagnostics,
) -> Vec<Option<usize>> {
    let mut out = vec![None; tree.len()];
    if let Some(target) = &tree.entries[0].redefines {
        redefines_record(tree, target, &records[..record], diagnostics);
    }
    for index in 1..tree.len() {
        let entry = &tree.entries[index];
        let (Some(target), Some(parent)) = (&entry.redefines, tree.parent[index]) else {
            continue;
        };
        let siblings = &tree.children[parent];
        let own = siblings.partition_point(|s| *s < index);
        let found = siblings[..own]
            .iter()
            .rposition(|s| tree.entries[*s].name.as_ref() == Some(&target.is));
        let Some(position) = found else {
            diagnostics.error_help(
                target.at,
                format!(
                    "{} is not an item of the same group before this one",
                    target.is
                ),
                "REDEFINES names an item of the same level in the same group",
            );
            continue;
        };
        let named = siblings[position];
        let original = out[named].unwrap_or(named);
        let follows = siblings[position + 1..own]
            .iter()
            .all(|s| out[*s] == Some(original));
        if !follows {
            diagnostics.error_help(
                target.at,
                format!("other items are between {} and its redefinition", target.is),
                "only further redefinitions of the same item may be between",
            );
        }
        for (item, what) in [(index, "the redefinition"), (original, "the original")] {
            if tree.is_variable(item) {
                diagnostics.error(
                    target.at,
                    format!(
                        "{what} {} cannot vary in length",
                        tree.entries[item].shown()
                    ),
                );
            }
        }
        if tree.entries[named].level != entry.level {
            diagnostics.error(
                target.at,
                format!(
                    "{} has another level number than its redefinition",
                    target.is
                ),
            );
        }
        out[index] = Some(original);
    }
    out
}

/// REDEFINES on level 01: the original is a record before it.
fn redefines_record(
    tree: &EntryTree<'_>,
    target: &WithPosition<String>,
    before: &[RecordEntries],
    diagnostics: &mut Diagnostics,
) {
    let entry = &tree.entries[0];
    if entry.external.is_some() {
        diagnostics.error(target.at, "EXTERNAL and REDEFINES exclude each other");
    }
    let original = before
        .iter()
        .rev()
        .map(|record| &record.entries[0])
        .find(|e| e.name.as_ref() == Some(&target.is));
    match original {
        None => diagnostics.error_help(
            target.at,
            format!("{} is not a record before this one", target.is),
            "on level 01, REDEFINES names an earlier record",
        ),
        Some(original) if original.level != entry.level => diagnostics.error(
            target.at,
            format!(
                "{} has another level number than its redefinition",
                target.is
            ),
        ),
        Some(_) => {}
    }
}

/// For every table that depends on a counter in the same record, the counter.
pub fn counters(
    tree: &EntryTree<'_>,
    record: usize,
    names: &NameIndex,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<usize>> {
    let mut out = vec![None; tree.len()];
    for (index, slot) in out.iter_mut().enumerate() {
        let clause = tree.entries[index].occurs.as_ref();
        let Some(counter) = clause.and_then(|clause| clause.is.depending.as_ref()) else {
            continue;
        };
        let name = &counter.is.name;
        let all = candidates(tree, &counter.is);
        let before: Vec<usize> = all.iter().copied().filter(|c| *c < index).collect();
        match before.as_slice() {
            [only] => {
                if tree.children[*only].is_empty() {
                    *slot = Some(*only);
                } else {
                    diagnostics.error(counter.at, format!("{name} is a group and cannot count"));
                }
            }
            [] if !all.is_empty() => diagnostics.error_help(
                counter.at,
                format!("the counter {name} must be before the table"),
                "the counter's place would move with its own value",
            ),
            [] if names.elsewhere(name, record) => {}
            [] => diagnostics.error_help(
                counter.at,
                format!("there is no item {name}"),
                "DEPENDING ON names the item that holds the number of occurrences",
            ),
            _ => diagnostics.error_help(
                counter.at,
                format!("several items are called {name}"),
                "add OF and the name of the group",
            ),
        }
    }
    out
}

/// Checks that the keys of a table are items of it.
pub fn keys(tree: &EntryTree<'_>, diagnostics: &mut Diagnostics) {
    for index in 0..tree.len() {
        let Some(clause) = &tree.entries[index].occurs else {
            continue;
        };
        let own = index..tree.end(index);
        for key in &clause.is.keys {
            let known = candidates(tree, &key.is).iter().any(|c| own.contains(c));
            if !known {
                diagnostics.error(
                    key.at,
                    format!(
                        "the key {} is not an item of {}",
                        key.is.name,
                        tree.entries[index].shown()
                    ),
                );
            }
        }
    }
}

/// The first and last item that a level 66 covers.
pub fn renamed(
    tree: &EntryTree<'_>,
    entry: &RenamesEntry,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, usize)> {
    let from = renamed_item(tree, &entry.from, diagnostics)?;
    let Some(target) = &entry.through else {
        return Some((from, from));
    };
    let through = renamed_item(tree, target, diagnostics)?;
    let name = &target.is.name;
    if through <= from {
        diagnostics.error(
            target.at,
            format!("{name} must be after {}", entry.from.is.name),
        );
        return None;
    }
    if through < tree.end(from) {
        diagnostics.error(
            target.at,
            format!("{name} belongs to {}", entry.from.is.name),
        );
        return None;
    }
    Some((from, through))
}

fn renamed_item(
    tree: &EntryTree<'_>,
    reference: &WithPosition<DataReference>,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let name = &reference.is.name;
    let [item] = candidates(tree, &reference.is)[..] else {
        let several = !candidates(tree, &reference.is).is_empty();
        let message = if several {
            format!("several items of this record are called {name}")
        } else {
            format!("there is no item {name} in this record")
        };
        diagnostics.error(reference.at, message);
        return None;
    };
    let table = tree.entries[item].occurs.is_some()
        || tree
            .ancestors(item)
            .any(|group| tree.entries[group].occurs.is_some());
    if table || tree.is_variable(item) {
        diagnostics.error(
            reference.at,
            format!("{name} is part of a table and cannot be renamed"),
        );
        return None;
    }
    Some(item)
}
