//! Ways around a layout: by index, by path, by name, leaf by leaf.
//!
//! Paths are COBOL names from the record down, joined with dots, FILLER
//! standing for items without a name: `REC.GROUP.FIELD`.

use std::ops::Index;

use crate::model::{Field, FieldId, FieldKind, RecordLayout};

impl Index<FieldId> for RecordLayout {
    type Output = Field;

    fn index(&self, id: FieldId) -> &Field {
        &self.fields[id.0 as usize]
    }
}

impl RecordLayout {
    /// The record itself, index 0.
    pub const RECORD: FieldId = FieldId(0);

    /// The record's name; `FILLER` when the 01 level has none.
    pub fn name(&self) -> &str {
        self.fields
            .first()
            .and_then(|f| f.name.as_deref())
            .unwrap_or("FILLER")
    }

    /// Every field with its id, in source order.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields
            .iter()
            .enumerate()
            .map(|(index, field)| (FieldId(index as u32), field))
    }

    /// Every elementary item with its id, in source order, FILLER included.
    pub fn leaves(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.iter()
            .filter(|(_, field)| field.kind != FieldKind::Group)
    }

    /// The field's path from the record down, joined with dots.
    pub fn path(&self, id: FieldId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            let field = &self[id];
            names.push(field.name.as_deref().unwrap_or("FILLER"));
            at = field.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// Finds a field by name, in any letter case. A dotted path may leave out
    /// levels, as COBOL qualification may (`REC.FIELD`); a name that fits
    /// several fields finds the one that fits level by level from the record,
    /// or `None`.
    pub fn find(&self, path: &str) -> Option<FieldId> {
        let wanted: Vec<&str> = path.split('.').collect();
        let mut found = None;
        let mut several = false;
        for (id, _) in self.iter() {
            if !self.matches(id, &wanted) {
                continue;
            }
            if self.path(id).eq_ignore_ascii_case(path) {
                return Some(id);
            }
            several |= found.is_some();
            found = Some(id);
        }
        if several { None } else { found }
    }

    /// Whether `id` is called by the last of `wanted` and the names before it
    /// occur among its ancestors, in order.
    fn matches(&self, id: FieldId, wanted: &[&str]) -> bool {
        let Some((last, mut rest)) = wanted.split_last() else {
            return false;
        };
        if !self.is_called(id, last) {
            return false;
        }
        let mut at = self[id].parent;
        while let (Some(ancestor), Some((name, before))) = (at, rest.split_last()) {
            if self.is_called(ancestor, name) {
                rest = before;
            }
            at = self[ancestor].parent;
        }
        rest.is_empty()
    }

    fn is_called(&self, id: FieldId, name: &str) -> bool {
        self[id]
            .name
            .as_deref()
            .unwrap_or("FILLER")
            .eq_ignore_ascii_case(name)
    }
}
