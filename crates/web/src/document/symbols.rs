//! The symbols of a document: names and values.
//!
//! A list is `name=value` between delimiters, `&` when nothing else is said.
//! Values come escaped as those of forms do, unless UNESCAPED is given.
//!
//! Reference: CICS API reference, DOCUMENT SET; CICS Internet guide, "Symbols
//! in a document template".

use std::collections::HashMap;

use crate::fields::unescaped;

/// Most symbols of a document.
const MOST: usize = 10_000;
/// Longest name.
const MAX_NAME: usize = 32;

/// Names and values.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable(HashMap<String, SymbolValue>);

#[derive(Debug, Clone)]
struct SymbolValue {
    bytes: Vec<u8>,
    /// A template has set it.
    of_template: bool,
}

impl SymbolValue {
    fn of_program(bytes: Vec<u8>) -> SymbolValue {
        SymbolValue {
            bytes,
            of_template: false,
        }
    }
}

/// A name or a list is wrong, at this offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolError(pub usize);

impl SymbolTable {
    /// The value of a symbol.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(|value| value.bytes.as_slice())
    }

    /// Whether a template has set the value, not a program.
    pub fn is_of_template(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.of_template)
    }

    /// Gives a symbol its value.
    pub fn set(&mut self, name: &str, value: Vec<u8>) -> Result<(), SymbolError> {
        let full = self.0.len() >= MOST && !self.0.contains_key(name);
        if full || !is_name(name.as_bytes()) {
            return Err(SymbolError(0));
        }
        self.0
            .insert(name.to_owned(), SymbolValue::of_program(value));
        Ok(())
    }

    /// Gives a symbol a value unless it has one, as `#set` does.
    pub fn set_default(&mut self, name: &str, value: &[u8]) {
        if self.0.len() < MOST && is_name(name.as_bytes()) {
            let value = || SymbolValue {
                bytes: value.to_vec(),
                of_template: true,
            };
            self.0.entry(name.to_owned()).or_insert_with(value);
        }
    }

    /// Takes a list over; nothing of one that is wrong.
    pub fn set_list(&mut self, list: &[u8], delimiter: u8, raw: bool) -> Result<(), SymbolError> {
        let mut found = Vec::new();
        let mut at = 0;
        for pair in list.split(|b| *b == delimiter) {
            let begin = at;
            at += pair.len() + 1;
            if pair.iter().all(|b| matches!(b, b' ' | 0)) {
                continue;
            }
            let equals = memchr::memchr(b'=', pair).ok_or(SymbolError(begin))?;
            let name = pair[..equals].trim_ascii();
            if !is_name(name) {
                return Err(SymbolError(begin));
            }
            let value = &pair[equals + 1..];
            let value = if raw {
                value.to_vec()
            } else {
                unescaped(value)
            };
            found.push((String::from_utf8_lossy(name).into_owned(), value));
        }
        if self.0.len() + found.len() > MOST {
            return Err(SymbolError(0));
        }
        let found = found.into_iter();
        self.0
            .extend(found.map(|(name, bytes)| (name, SymbolValue::of_program(bytes))));
        Ok(())
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        self.0.values().map(|value| value.bytes.len()).sum()
    }
}

/// Whether bytes can name a symbol: letters, digits, `$ _ - # . @`.
pub fn is_name(name: &[u8]) -> bool {
    let letter = |b: &u8| b.is_ascii_alphanumeric() || b"$_-#.@".contains(b);
    !name.is_empty() && name.len() <= MAX_NAME && name.iter().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_over_whole_or_not_at_all() {
        let mut symbols = SymbolTable::default();
        symbols.set_list(b"A=1&B=x+y%21&", b'&', false).unwrap();
        assert_eq!(symbols.get("A"), Some(&b"1"[..]));
        assert_eq!(symbols.get("B"), Some(&b"x y!"[..]));
        symbols.set_list(b"B=x+y!C=2", b'!', true).unwrap();
        assert_eq!(symbols.get("B"), Some(&b"x+y"[..]));
        let wrong = symbols.set_list(b"D=1&no value", b'&', false);
        assert_eq!(wrong, Err(SymbolError(4)));
        assert_eq!(symbols.get("D"), None);
        assert!(symbols.set("a b", vec![]).is_err());
    }
}
