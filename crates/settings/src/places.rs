//! The places of the keys of a TOML text, for messages about their values.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of a text with their places.
#[derive(Debug, Default)]
pub struct KeyPlaces {
    text: String,
    keys: Vec<KeyPlace>,
}

/// A key.
#[derive(Debug)]
pub struct KeyPlace {
    /// The names of the tables that contain the key, outermost first, and its own.
    pub path: Vec<String>,
    /// Its bytes.
    pub key: Range<usize>,
    /// The bytes of its value; for a table, of its heading.
    pub value: Range<usize>,
    /// Whether the value is a table or a list of tables.
    pub table: bool,
}

impl KeyPlace {
    /// The first byte of the shown place: the value, or the name of a table.
    fn start(&self) -> usize {
        if self.table {
            self.key.start
        } else {
            self.value.start
        }
    }
}

impl KeyPlaces {
    /// The keys of a text; of a text with mistakes, those before the first mistake.
    pub fn of(text: &str) -> KeyPlaces {
        let mut keys = Vec::new();
        let (table, _) = DeTable::parse_recoverable(text);
        below(&mut Vec::new(), table.get_ref(), &mut keys);
        KeyPlaces {
            text: text.to_owned(),
            keys,
        }
    }

    /// Line and column, from 1, of a dotted name such as `files.ACCT.data`: of its value,
    /// or of the name in a table's heading.
    pub fn find(&self, name: &str) -> Option<(u32, u32)> {
        let name = name.replace('"', "");
        let mut keys = self.keys.iter();
        let place = keys.find(|place| place.path.join(".") == name)?;
        Some(self.position(place.start()))
    }

    /// Line and column of a dotted name. If the text does not contain it, those of the
    /// nearest table around it, else 0 and 0.
    pub fn near(&self, name: &str) -> (u32, u32) {
        let around = name.rsplit_once('.').map(|(around, _)| around);
        match (self.find(name), around) {
            (Some(place), _) => place,
            (None, Some(around)) => self.near(around),
            (None, None) => (0, 0),
        }
    }

    /// The key whose value or name covers these bytes.
    pub fn at(&self, span: &Range<usize>) -> Option<&KeyPlace> {
        let has = |r: &Range<usize>| r.start <= span.start && span.end <= r.end;
        let here = |place: &&KeyPlace| has(&place.key) || has(&place.value);
        let mut keys = self.keys.iter().filter(here);
        let first = keys.next()?;
        // The innermost of the keys that cover the bytes.
        Some(keys.fold(
            first,
            |a, b| {
                if b.path.len() > a.path.len() { b } else { a }
            },
        ))
    }

    /// Line and column of the first value below a table that is this word, such as the name
    /// of a file.
    pub fn naming(&self, table: &str, word: &str) -> Option<(u32, u32)> {
        let names = |place: &&KeyPlace| {
            let text = self.text.get(place.value.clone()).unwrap_or_default();
            !place.table && text.trim_matches(['"', '\'']) == word
        };
        let below = |place: &&KeyPlace| place.path.join(".").starts_with(table);
        let first = self.keys.iter().filter(below).find(names)?;
        Some(self.position(first.start()))
    }

    /// Line and column, from 1, of a byte.
    pub fn position(&self, at: usize) -> (u32, u32) {
        position(&self.text, at)
    }
}

/// Line and column in characters, from 1, of a byte of a text.
pub fn position(text: &str, at: usize) -> (u32, u32) {
    let mut ends = (0..=at.min(text.len())).rev();
    let end = ends.find(|at| text.is_char_boundary(*at));
    let before = &text[..end.unwrap_or_default()];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    (
        count(before.matches('\n').count()),
        count(before[start..].chars().count()),
    )
}

fn below(path: &mut Vec<String>, table: &DeTable<'_>, keys: &mut Vec<KeyPlace>) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let tables = tables(value);
        keys.push(KeyPlace {
            path: path.clone(),
            key: key.span(),
            value: value.span(),
            table: !tables.is_empty(),
        });
        for table in tables {
            below(path, table, keys);
        }
        path.pop();
    }
}

/// The table of a value, or those in its list.
fn tables<'a, 'i>(value: &'a Spanned<DeValue<'i>>) -> Vec<&'a DeTable<'i>> {
    match value.get_ref() {
        DeValue::Table(table) => vec![table],
        DeValue::Array(items) => items
            .iter()
            .filter_map(|v| v.get_ref().as_table())
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_their_tables_are_written() {
        let text = "[files.A]\ndata = \"a\"\n[files]\nB = { data = \"b\" }\nC.data = 'c'\n[files.\"D\"]\n\n[[list]]\nx = 1\n";
        let places = KeyPlaces::of(text);
        assert_eq!(places.find("files.A.data"), Some((2, 8)));
        assert_eq!(places.find("files.B.data"), Some((4, 14)));
        assert_eq!(places.find("files.C.data"), Some((5, 10)));
        assert_eq!(places.near("files.D.data"), (6, 8));
        assert_eq!(places.find("files.\"A\""), Some((1, 8)));
        assert_eq!(places.find("list.x"), Some((9, 5)));
        assert_eq!(places.naming("files", "b"), Some((4, 14)));
        assert_eq!(places.naming("list", "b"), None);
        assert_eq!(places.find("region.applid"), None);
        assert_eq!(places.near("region.applid"), (0, 0));
    }

    #[test]
    fn a_text_with_mistakes_has_the_places_before_them() {
        let places = KeyPlaces::of("[a]\nb = 1\n[c\n");
        assert_eq!(places.find("a.b"), Some((2, 5)));
        assert_eq!(KeyPlaces::of("\u{0}[[[").find("a"), None);
    }
}
