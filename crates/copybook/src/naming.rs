//! JSON names for the fields of a layout.
//!
//! The codec and the schema generator both name fields through [`JsonNames`], so
//! that a schema always describes what the codec writes. The rules follow the
//! service tooling that API projects were made with: hyphens become
//! underscores, a leading digit gets an underscore, duplicates get digits.
//!
//! Invariant: within one JSON object no two names are equal, and a field that
//! carries no data of its own (FILLER without named items beneath) has none.

use std::collections::HashSet;

use crate::model::{FieldId, RecordLayout};

/// How COBOL names become JSON names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamingStyle {
    /// COBOL spelling in upper case, hyphens included.
    #[default]
    Kept,
    /// Hyphens become underscores and a leading digit gets one before it.
    JsonSafe {
        /// Whether letters become lower case.
        lowercase: bool,
    },
}

/// The JSON name of every field in one layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonNames {
    /// One entry a field, in the order of the layout's arena.
    json: Vec<Option<Box<str>>>,
    /// For every field, its named children sorted by JSON name.
    children: Vec<Vec<(Box<str>, FieldId)>>,
}

impl JsonNames {
    /// Names every field of `layout`. A group without a name that has named
    /// items beneath it is called `FILLER` (`filler` in lower case).
    pub fn new(layout: &RecordLayout, naming: NamingStyle) -> Self {
        let count = layout.fields.len();
        let visible = visible_fields(layout);
        let mut json: Vec<Option<Box<str>>> = vec![None; count];
        let mut children = vec![Vec::new(); count];
        if count > 0 {
            json[0] = Some(spell(layout.fields[0].name.as_deref(), naming).into());
        }
        for (parent, field) in layout.fields.iter().enumerate() {
            let mut taken: HashSet<String> = HashSet::new();
            let named = || {
                field
                    .children
                    .iter()
                    .copied()
                    .filter(|&child| visible[child.0 as usize])
            };
            // Names that represent themselves are kept; only later duplicates are
            // changed, and never into a name that another sibling has.
            let own: HashSet<String> = named()
                .map(|child| spell(layout[child].name.as_deref(), naming))
                .collect();
            for child in named() {
                let name = spell(layout[child].name.as_deref(), naming);
                let unique = if taken.insert(name.clone()) {
                    name
                } else {
                    let fresh = (2u64..)
                        .map(|n| format!("{name}{n}"))
                        .find(|candidate| !own.contains(candidate) && !taken.contains(candidate))
                        .expect("an unbounded range holds a free number");
                    taken.insert(fresh.clone());
                    fresh
                };
                let unique: Box<str> = unique.into();
                json[child.0 as usize] = Some(unique.clone());
                children[parent].push((unique, child));
            }
            children[parent].sort();
        }
        JsonNames { json, children }
    }

    /// The JSON name of a field. Returns `None` if the field does not appear in
    /// JSON.
    pub fn json(&self, field: FieldId) -> Option<&str> {
        self.json.get(field.0 as usize)?.as_deref()
    }

    /// The direct subordinate of `parent` that has the JSON name `name`.
    pub fn child(&self, parent: FieldId, name: &str) -> Option<FieldId> {
        let children = self.children.get(parent.0 as usize)?;
        let at = children
            .binary_search_by(|(key, _)| key.as_ref().cmp(name))
            .ok()?;
        Some(children[at].1)
    }
}

/// Which fields appear in JSON: those with a name, and unnamed groups with a
/// visible field beneath.
fn visible_fields(layout: &RecordLayout) -> Vec<bool> {
    let mut visible: Vec<bool> = layout.fields.iter().map(|f| f.name.is_some()).collect();
    // Children follow their parents in the arena, so one pass backwards is enough.
    for index in (0..layout.fields.len()).rev() {
        if visible[index]
            && let Some(parent) = layout.fields[index].parent
        {
            visible[parent.0 as usize] = true;
        }
    }
    visible
}

/// One name by the rules, without regard to its neighbours.
fn spell(name: Option<&str>, naming: NamingStyle) -> String {
    let name = name.unwrap_or("FILLER");
    match naming {
        NamingStyle::Kept => name.to_owned(),
        NamingStyle::JsonSafe { lowercase } => {
            let mut out = String::with_capacity(name.len() + 1);
            if name.starts_with(|c: char| c.is_ascii_digit()) {
                out.push('_');
            }
            for c in name.chars() {
                match c {
                    '-' => out.push('_'),
                    c if lowercase => out.extend(c.to_lowercase()),
                    c => out.push(c),
                }
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_names_have_no_hyphens_and_no_leading_digit() {
        let lower = NamingStyle::JsonSafe { lowercase: true };
        let upper = NamingStyle::JsonSafe { lowercase: false };
        assert_eq!(spell(Some("CUST-NAME"), lower), "cust_name");
        assert_eq!(spell(Some("CUST-NAME"), upper), "CUST_NAME");
        assert_eq!(spell(Some("2ND-LINE"), upper), "_2ND_LINE");
        assert_eq!(spell(Some("CUST-NAME"), NamingStyle::Kept), "CUST-NAME");
        assert_eq!(spell(None, lower), "filler");
    }
}
