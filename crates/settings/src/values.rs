//! Values of a parsed file as a type, with every mistake.
//!
//! The deserializer stops at its first error. So the entry with the error is removed from
//! the parsed file, and the rest is deserialized again; places stay as they are.

use std::mem;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};
use toml::{Spanned, de::Error};

/// A value that the type does not allow, an unknown key, or a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueMistake {
    /// The deserializer's message.
    pub message: String,
    /// The bytes of the value or of the key; of a missing key, those of its table.
    pub span: Range<usize>,
}

/// Deserializes a parsed file. Returns the value without the faulty entries, or `None` if
/// they cannot be left out; and all mistakes in the order of the file, at most `most`.
pub fn read_values<T: DeserializeOwned>(
    file: &Spanned<DeTable<'_>>,
    most: usize,
) -> (Option<T>, Vec<ValueMistake>) {
    let mut file = file.clone();
    let mut mistakes: Vec<ValueMistake> = Vec::new();
    let mut removed = Vec::new();
    let value = loop {
        let error = match T::deserialize(Deserializer::from(file.clone())) {
            Ok(value) => break Some(value),
            Err(error) => error,
        };
        let Some(span) = error.span().filter(|_| mistakes.len() < most) else {
            mistakes.push(mistake(&error, 0..0));
            break None;
        };
        // A key is missing because its value is faulty, which is reported already.
        let follows = missing_key(&error).is_some_and(|key| {
            let mut removed = removed.iter();
            removed.any(|entry: &RemovedEntry| entry.key == key && entry.around == span)
        });
        if !follows {
            mistakes.push(mistake(&error, span.clone()));
        }
        let around = file.span();
        match remove(file.get_mut(), &around, &span) {
            Some(entry) => removed.push(entry),
            None => break None,
        }
    };
    mistakes.sort_by_key(|mistake| mistake.span.start);
    (value, mistakes)
}

fn mistake(error: &Error, span: Range<usize>) -> ValueMistake {
    ValueMistake {
        message: error.message().trim().to_owned(),
        span,
    }
}

fn missing_key(error: &Error) -> Option<&str> {
    let rest = error.message().trim().strip_prefix("missing field `")?;
    rest.strip_suffix('`')
}

/// An entry that was removed because of its mistake.
struct RemovedEntry {
    key: String,
    /// The bytes of the table that had it.
    around: Range<usize>,
}

/// Removes the innermost entry whose key or value covers the bytes.
fn remove(
    table: &mut DeTable<'_>,
    around: &Range<usize>,
    span: &Range<usize>,
) -> Option<RemovedEntry> {
    let mut covering = None;
    for (key, value) in table.iter_mut() {
        let here = covers(&key.span(), span) || covers(&value.span(), span);
        if let Some(entry) = remove_below(key.get_ref(), value, span) {
            return Some(entry);
        }
        if here {
            covering = Some(key.get_ref().to_string());
        }
    }
    let key = covering?;
    table.remove(key.as_str());
    Some(RemovedEntry {
        key,
        around: around.clone(),
    })
}

/// Removes an entry of the tables within a value, or a table of a list.
fn remove_below(
    key: &str,
    value: &mut Spanned<DeValue<'_>>,
    span: &Range<usize>,
) -> Option<RemovedEntry> {
    let around = value.span();
    match value.get_mut() {
        DeValue::Table(table) => remove(table, &around, span),
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                let around = item.span();
                if let DeValue::Table(table) = item.get_mut()
                    && let Some(entry) = remove(table, &around, span)
                {
                    return Some(entry);
                }
            }
            let faulty = |item: &Spanned<DeValue<'_>>| {
                item.get_ref().is_table() && covers(&item.span(), span)
            };
            if !items.iter().any(faulty) {
                return None;
            }
            let all = mem::replace(items, DeArray::new());
            *items = all.into_iter().filter(|item| !faulty(item)).collect();
            Some(RemovedEntry {
                key: key.to_owned(),
                around,
            })
        }
        _ => None,
    }
}

fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct FileEntry {
        title: String,
        ports: Vec<u16>,
        peers: BTreeMap<String, PeerEntry>,
        list: Vec<PeerEntry>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PeerEntry {
        port: u16,
    }

    fn read(text: &str) -> (Option<FileEntry>, Vec<(String, String)>) {
        let (file, errors) = DeTable::parse_recoverable(text);
        assert!(errors.is_empty(), "{errors:?}");
        let (value, mistakes) = read_values(&file, 50);
        let shown = mistakes.into_iter().map(|m| {
            let message = m.message.split(',').next().unwrap_or_default().to_owned();
            (text[m.span].to_owned(), message)
        });
        (value, shown.collect())
    }

    #[test]
    fn every_mistake_is_found_and_the_rest_is_read() {
        let (file, mistakes) = read(
            "title = 1\nports = [1, 'x']\nnothing = { a = 2 }\n[peers.a]\nport = 5\n[peers.b]\nport = 'x'\nprot = 1\n[peers.c]\n[[list]]\nport = 1\n[[list]]\n[[list]]\nport = 3\n",
        );
        let found: Vec<&str> = mistakes.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(
            found,
            [
                "1",
                "'x'",
                "nothing",
                "'x'",
                "prot",
                "[peers.c]",
                "[[list]]"
            ],
            "{mistakes:?}"
        );
        let port = |port| PeerEntry { port };
        let file = file.unwrap();
        assert_eq!(file.peers, BTreeMap::from([("a".to_owned(), port(5))]));
        assert_eq!(file.list, [port(1), port(3)]);
        assert_eq!((file.title.as_str(), file.ports.len()), ("", 0));
    }

    #[test]
    fn a_key_whose_value_is_faulty_is_not_reported_as_missing() {
        let (file, mistakes) = read("[peers]\na = { port = true }\n");
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        assert_eq!(mistakes[0].0, "true");
        assert_eq!(file, Some(FileEntry::default()));
    }

    #[test]
    fn mistakes_beyond_the_limit_end_the_reading() {
        let (file, errors) = DeTable::parse_recoverable("a = 1\nb = 2\nc = 3\n");
        assert!(errors.is_empty());
        let (value, mistakes) = read_values::<FileEntry>(&file, 2);
        assert_eq!((value, mistakes.len()), (None, 3));
    }
}
