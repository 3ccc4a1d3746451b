//! SAME AS and TYPE: items that have the description of another.

use crate::diagnostic::Diagnostics;
use crate::parse::{DataEntry, DataReference, RecordEntries};

/// Entries that one text may grow to.
const MAX_ENTRIES: usize = 200_000;

/// Puts the description of the other item in place of every SAME AS and TYPE
/// clause. Only items described before can be named, so no description contains
/// itself.
pub fn expand(records: Vec<RecordEntries>, diagnostics: &mut Diagnostics) -> Vec<RecordEntries> {
    let used = |record: &RecordEntries| record.entries.iter().any(|e| e.like.is_some());
    if !records.iter().any(used) {
        return records;
    }
    let mut done: Vec<RecordEntries> = Vec::with_capacity(records.len());
    let mut total = 0usize;
    for record in records {
        let mut expanded = RecordEntries {
            entries: Vec::with_capacity(record.entries.len()),
            renames: record.renames,
        };
        for entry in record.entries {
            let Some(like) = entry.like.clone() else {
                expanded.entries.push(entry);
                continue;
            };
            let model = done
                .iter()
                .find_map(|record| description(&record.entries, &like.is))
                .or_else(|| description(&expanded.entries, &like.is));
            let Some(model) = model else {
                diagnostics.error_help(
                    like.at,
                    format!("there is no item {} before this one", like.is.name),
                    "SAME AS and TYPE name an item that is described earlier",
                );
                continue;
            };
            total += model.len();
            if total > MAX_ENTRIES {
                diagnostics.error(like.at, "the text grows too long through SAME AS");
                return done;
            }
            adopt(entry, &model, &mut expanded.entries, diagnostics);
        }
        if !expanded.entries.is_empty() {
            done.push(expanded);
        }
    }
    done
}

/// The entries of the item that `reference` names, itself first.
fn description(entries: &[DataEntry], reference: &DataReference) -> Option<Vec<DataEntry>> {
    let start = entries.iter().enumerate().position(|(index, e)| {
        e.name.as_ref() == Some(&reference.name)
            && has_groups(&entries[..=index], &reference.qualifiers)
    })?;
    let level = entries[start].level;
    let length = entries[start + 1..]
        .iter()
        .position(|e| e.level <= level)
        .map_or(entries.len() - start, |n| n + 1);
    Some(entries[start..start + length].to_vec())
}

/// Whether the last of `entries` belongs to groups of these names, innermost
/// first.
fn has_groups(entries: &[DataEntry], names: &[String]) -> bool {
    let mut level = entries.last().map_or(0, |e| e.level);
    let mut names = names.iter().peekable();
    for entry in entries.iter().rev() {
        if entry.level < level {
            level = entry.level;
            names.next_if(|name| entry.name.as_ref() == Some(*name));
        }
    }
    names.peek().is_none()
}

/// Adds `entry` with the clauses of `model` and copies of the items below it.
fn adopt(
    entry: DataEntry,
    model: &[DataEntry],
    out: &mut Vec<DataEntry>,
    diagnostics: &mut Diagnostics,
) {
    let from = model[0].level;
    let base = if entry.level == 77 { 1 } else { entry.level };
    let mut first = model[0].clone();
    first.level = entry.level;
    first.at = entry.at;
    first.name = entry.name;
    first.redefines = entry.redefines;
    first.occurs = entry.occurs;
    first.external = entry.external;
    first.typedef = entry.typedef;
    first.value = entry.value.or(first.value);
    out.push(first);
    for item in &model[1..] {
        let level = base.saturating_add(item.level.saturating_sub(from));
        if level > 49 {
            diagnostics.error(entry.at, "the levels of the copied items go beyond 49");
            return;
        }
        let mut copy = item.clone();
        copy.level = level;
        out.push(copy);
    }
}
