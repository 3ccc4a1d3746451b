//! JSON texts as a flat tape of nodes.
//!
//! One pass checks a text against RFC 8259 and notes where each value begins
//! and ends; validation, pass-through fields and expressions then read the
//! bytes in place. The tape's owner reuses it for the next request, so that a
//! warm parse allocates nothing.
//!
//! Invariant: numbers are never converted here; digits are passed on unchanged.

use std::borrow::Cow;
use std::collections::HashSet;

/// Deepest nesting of arrays and objects that anything here follows; what a
/// client may send is at most as deep.
pub(crate) const MAX_DEPTH: usize = 128;
/// Members of an object up to which names are compared each with each.
const FEW_MEMBERS: u32 = 16;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: JsonKind,
    /// A string with escapes in it.
    escaped: bool,
    start: u32,
    end: u32,
    /// Index after this value's last descendant.
    next: u32,
    /// Items of an array, members of an object.
    count: u32,
}

/// The places of all values of one text, in order.
#[derive(Debug, Default)]
pub(crate) struct JsonTape {
    entries: Vec<Entry>,
    open: Vec<u32>,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonError {
    /// Byte offset of the fault.
    pub offset: usize,
    pub message: &'static str,
}

/// A value of a parsed text.
#[derive(Clone, Copy)]
pub(crate) struct TapeValue<'a> {
    tape: &'a JsonTape,
    text: &'a str,
    at: u32,
}

impl JsonTape {
    /// Parses one JSON text; the tape then belongs to it.
    pub fn parse<'a>(&'a mut self, bytes: &'a [u8]) -> Result<TapeValue<'a>, JsonError> {
        self.parse_within(bytes, MAX_DEPTH)
    }

    /// As above, with arrays and objects nested at most this deep.
    pub fn parse_within<'a>(
        &'a mut self,
        bytes: &'a [u8],
        depth: usize,
    ) -> Result<TapeValue<'a>, JsonError> {
        let text = std::str::from_utf8(bytes).map_err(|e| JsonError {
            offset: e.valid_up_to(),
            message: "the text is not UTF-8",
        })?;
        if bytes.len() > u32::MAX as usize / 2 {
            return Err(JsonError {
                offset: 0,
                message: "the text is too long",
            });
        }
        self.entries.clear();
        self.open.clear();
        let end = Scanner {
            tape: self,
            bytes,
            at: 0,
            depth: depth.min(MAX_DEPTH),
        }
        .run()?;
        let rest = skip_blanks(bytes, end);
        if rest < bytes.len() {
            return Err(JsonError {
                offset: rest,
                message: "text follows the JSON value",
            });
        }
        Ok(TapeValue {
            tape: self,
            text,
            at: 0,
        })
    }
}

struct Scanner<'t, 'a> {
    tape: &'t mut JsonTape,
    bytes: &'a [u8],
    at: usize,
    /// Arrays and objects that may be open at once.
    depth: usize,
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

impl Scanner<'_, '_> {
    /// Scans one value with all its descendants; returns the offset after it.
    fn run(mut self) -> Result<usize, JsonError> {
        loop {
            // A value is expected here.
            self.blanks();
            let opened = self.value()?;
            if opened {
                let object = self.top_is_object();
                self.blanks();
                match (self.peek(), object) {
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        self.close();
                    }
                    (_, true) => {
                        self.key()?;
                        continue;
                    }
                    (_, false) => continue,
                }
            }
            // A value has ended here.
            loop {
                let Some(&top) = self.tape.open.last() else {
                    return Ok(self.at);
                };
                self.tape.entries[top as usize].count += 1;
                let object = self.top_is_object();
                self.blanks();
                match (self.peek(), object) {
                    (Some(b','), _) => {
                        self.at += 1;
                        if object {
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        self.close();
                    }
                    (_, true) => return self.fail("expected ',' or '}'"),
                    (_, false) => return self.fail("expected ',' or ']'"),
                }
            }
        }
    }

    fn top_is_object(&self) -> bool {
        let top = self.tape.open.last().copied().unwrap_or(0);
        self.tape
            .entries
            .get(top as usize)
            .is_some_and(|e| e.kind == JsonKind::Object)
    }

    fn close(&mut self) {
        if let Some(top) = self.tape.open.pop() {
            let next = self.tape.entries.len() as u32;
            let entry = &mut self.tape.entries[top as usize];
            entry.end = self.at as u32;
            entry.next = next;
        }
    }

    fn key(&mut self) -> Result<(), JsonError> {
        self.blanks();
        if self.peek() != Some(b'"') {
            return self.fail("expected a member's name in double quotes");
        }
        self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return self.fail("expected ':'");
        }
        self.at += 1;
        Ok(())
    }

    /// Scans a scalar, or opens an array or object. Returns whether it opened one.
    fn value(&mut self) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'{') => return self.open(JsonKind::Object),
            Some(b'[') => return self.open(JsonKind::Array),
            Some(b't') => self.word("true", JsonKind::Bool)?,
            Some(b'f') => self.word("false", JsonKind::Bool)?,
            Some(b'n') => self.word("null", JsonKind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => return self.fail("expected a JSON value"),
            None => return self.fail("the text ends before a JSON value"),
        }
        Ok(false)
    }

    fn open(&mut self, kind: JsonKind) -> Result<bool, JsonError> {
        if self.tape.open.len() >= self.depth {
            return self.fail("the text is nested too deep");
        }
        let index = self.push(kind, self.at, false);
        self.tape.open.push(index);
        self.at += 1;
        Ok(true)
    }

    fn push(&mut self, kind: JsonKind, start: usize, escaped: bool) -> u32 {
        let index = self.tape.entries.len() as u32;
        self.tape.entries.push(Entry {
            kind,
            escaped,
            start: start as u32,
            end: self.at as u32,
            next: index + 1,
            count: 0,
        });
        index
    }

    fn word(&mut self, word: &str, kind: JsonKind) -> Result<(), JsonError> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.fail("expected a JSON value");
        }
        let start = self.at;
        self.at += word.len();
        self.push(kind, start, false);
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.fail("expected a digit"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        self.push(JsonKind::Number, start, false);
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), JsonError> {
        let from = self.at;
        self.digits();
        if self.at == from {
            self.fail("expected a digit")
        } else {
            Ok(())
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(run) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return self.fail("the text ends inside a string");
            };
            if let Some(i) = rest[..run].iter().position(|b| *b < 0x20) {
                self.at += i;
                return self.fail("a control character in a string must be escaped");
            }
            self.at += run + 1;
            if rest[run] == b'"' {
                break;
            }
            escaped = true;
            self.escape()?;
        }
        self.push(JsonKind::String, start, escaped);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let Some(unit) = hex4(&self.bytes[self.at + 1..]) else {
                    return self.fail("expected four hexadecimal digits after \\u");
                };
                self.at += 5;
                let low = match self.bytes.get(self.at..self.at + 2) {
                    Some(b"\\u") => hex4(&self.bytes[self.at + 2..]),
                    _ => None,
                };
                match unit {
                    0xD800..=0xDBFF if low.is_some_and(|l| (0xDC00..0xE000).contains(&l)) => {
                        self.at += 6;
                    }
                    0xD800..=0xDFFF => return self.fail("half of a surrogate pair is missing"),
                    _ => {}
                }
            }
            _ => return self.fail("an unknown escape in a string"),
        }
        Ok(())
    }

    fn blanks(&mut self) {
        self.at = skip_blanks(self.bytes, self.at);
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, message: &'static str) -> Result<T, JsonError> {
        Err(JsonError {
            offset: self.at,
            message,
        })
    }
}

fn hex4(bytes: &[u8]) -> Option<u32> {
    let mut value = 0;
    for b in bytes.get(..4)? {
        value = value * 16 + (*b as char).to_digit(16)?;
    }
    Some(value)
}

impl<'a> TapeValue<'a> {
    fn entry(&self) -> &'a Entry {
        &self.tape.entries[self.at as usize]
    }

    pub fn kind(&self) -> JsonKind {
        self.entry().kind
    }

    /// The value's own text, quotes and brackets included.
    pub fn raw(&self) -> &'a str {
        let entry = self.entry();
        &self.text[entry.start as usize..entry.end as usize]
    }

    /// A string's content, escapes undone.
    pub fn str(&self) -> Option<Cow<'a, str>> {
        let entry = self.entry();
        if entry.kind != JsonKind::String {
            return None;
        }
        let inner = &self.text[entry.start as usize + 1..entry.end as usize - 1];
        Some(if entry.escaped {
            Cow::Owned(unescape(inner))
        } else {
            Cow::Borrowed(inner)
        })
    }

    /// A scalar as plain text, a string without its quotes.
    pub fn plain(&self) -> Cow<'a, str> {
        self.str().unwrap_or(Cow::Borrowed(self.raw()))
    }

    /// Items of an array or members of an object.
    pub fn len(&self) -> usize {
        self.entry().count as usize
    }

    /// The items of an array; nothing for other kinds.
    pub fn items(&self) -> impl Iterator<Item = TapeValue<'a>> + use<'a> {
        let this = *self;
        let mut left = if self.kind() == JsonKind::Array {
            self.len()
        } else {
            0
        };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let item = TapeValue { at, ..this };
            at = item.entry().next;
            Some(item)
        })
    }

    /// The members of an object; nothing for other kinds.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'a, str>, TapeValue<'a>)> + use<'a> {
        let this = *self;
        let mut left = if self.kind() == JsonKind::Object {
            self.len()
        } else {
            0
        };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let key = TapeValue { at, ..this };
            let value = TapeValue { at: at + 1, ..this };
            at = value.entry().next;
            Some((key.str().unwrap_or_default(), value))
        })
    }

    /// A member of an object; of two with one name, the last.
    pub fn get(&self, name: &str) -> Option<TapeValue<'a>> {
        let mut found = None;
        for (key, value) in self.members() {
            if key == name {
                found = Some(value);
            }
        }
        found
    }

    /// Follows names from here, through the items of arrays as JSONata does.
    pub fn path(&self, names: &[String]) -> PathResult<'a> {
        let mut value = *self;
        for (i, name) in names.iter().enumerate() {
            match value.kind() {
                JsonKind::Object => match value.get(name) {
                    Some(member) => value = member,
                    None => return PathResult::Nothing,
                },
                JsonKind::Array => return value.through(&names[i..]),
                _ => return PathResult::Nothing,
            }
        }
        PathResult::One(value)
    }

    /// Follows names from each item of this array.
    ///
    /// Reference: jsonata.js, `evaluatePath`, `evaluateStep` and `lookup`.
    fn through(self, names: &[String]) -> PathResult<'a> {
        let mut values: Vec<TapeValue<'a>> = self.items().collect();
        for (i, name) in names.iter().enumerate() {
            // Each value's result, and whether a list in it is flattened: not
            // one that was made of several.
            let mut results: Vec<(TapeValue<'a>, bool)> = Vec::new();
            for value in values {
                match value.kind() {
                    JsonKind::Object => results.extend(value.get(name).map(|found| (found, true))),
                    JsonKind::Array => {
                        let mut found = Vec::new();
                        value.collect_members(name, &mut found);
                        let alone = found.len() == 1;
                        results.extend(found.into_iter().map(|found| (found, alone)));
                    }
                    _ => {}
                }
            }
            // The list that one value alone gives stays the list it is.
            if let [(only, _)] = results.as_slice()
                && i + 1 == names.len()
            {
                return PathResult::One(*only);
            }
            values = Vec::with_capacity(results.len());
            for (result, apart) in results {
                match result.kind() {
                    JsonKind::Array if apart => values.extend(result.items()),
                    _ => values.push(result),
                }
            }
        }
        match values.as_slice() {
            [] => PathResult::Nothing,
            [only] => PathResult::One(*only),
            _ => PathResult::Many(values),
        }
    }

    /// The members of this name in the objects below an array, lists of lists
    /// taken apart.
    fn collect_members(self, name: &str, out: &mut Vec<TapeValue<'a>>) {
        for item in self.items() {
            match item.kind() {
                JsonKind::Array => item.collect_members(name, out),
                _ => match item.get(name) {
                    Some(list) if list.kind() == JsonKind::Array => out.extend(list.items()),
                    found => out.extend(found),
                },
            }
        }
    }

    /// A name that one of the objects has twice.
    pub fn repeated_name(&self) -> Option<Cow<'a, str>> {
        let entries = &self.tape.entries;
        for (at, entry) in entries.iter().enumerate() {
            if entry.kind != JsonKind::Object || entry.count < 2 {
                continue;
            }
            let object = TapeValue {
                at: at as u32,
                ..*self
            };
            if entry.count <= FEW_MEMBERS {
                for (i, (name, _)) in object.members().enumerate() {
                    if object.members().take(i).any(|(before, _)| before == name) {
                        return Some(name);
                    }
                }
                continue;
            }
            let mut seen = HashSet::with_capacity(entry.count as usize);
            for (name, _) in object.members() {
                if !seen.insert(name.clone()) {
                    return Some(name);
                }
            }
        }
        None
    }
}

/// The result of a path.
#[derive(Clone)]
pub(crate) enum PathResult<'a> {
    Nothing,
    One(TapeValue<'a>),
    /// Values in several places: two or more.
    Many(Vec<TapeValue<'a>>),
}

impl<'a> PathResult<'a> {
    /// Appends the value's text, an array of them for many; false for nothing.
    pub fn write(&self, out: &mut Vec<u8>) -> bool {
        match self {
            PathResult::Nothing => return false,
            PathResult::One(value) => out.extend_from_slice(value.raw().as_bytes()),
            PathResult::Many(values) => {
                for (i, value) in values.iter().enumerate() {
                    out.push(if i == 0 { b'[' } else { b',' });
                    out.extend_from_slice(value.raw().as_bytes());
                }
                out.push(b']');
            }
        }
        true
    }

    /// The elements of a list; one value for itself, `None` for null. Whether
    /// there is a list at all.
    pub fn rows(self) -> Option<Vec<TapeValue<'a>>> {
        match self {
            PathResult::Nothing => None,
            PathResult::One(value) => match value.kind() {
                JsonKind::Array => Some(value.items().collect()),
                JsonKind::Null => None,
                _ => Some(vec![value]),
            },
            PathResult::Many(values) => Some(values),
        }
    }
}

/// Undoes the escapes of a string that the scanner accepted.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(i) = rest.find('\\') {
        out.push_str(&rest[..i]);
        let code = rest.as_bytes().get(i + 1).copied().unwrap_or(b'\\');
        rest = rest.get(i + 2..).unwrap_or("");
        match code {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let mut unit = hex4(rest.as_bytes()).unwrap_or(0xFFFD);
                rest = rest.get(4..).unwrap_or("");
                if (0xD800..0xDC00).contains(&unit) {
                    let low = rest.as_bytes().get(2..).and_then(hex4).unwrap_or(0xDC00);
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
                    rest = rest.get(6..).unwrap_or("");
                }
                out.push(char::from_u32(unit).unwrap_or('\u{FFFD}'));
            }
            other => out.push(other as char),
        }
    }
    out.push_str(rest);
    out
}

/// Appends `text` as a JSON string with its quotes.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    for (i, b) in bytes.iter().enumerate() {
        let short = match b {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..=0x1F => b"\\u",
            _ => continue,
        };
        out.extend_from_slice(&bytes[from..i]);
        out.extend_from_slice(short);
        if short == b"\\u" {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"00");
            out.push(HEX[usize::from(b >> 4)]);
            out.push(HEX[usize::from(b & 15)]);
        }
        from = i + 1;
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

/// Whether `text` is a JSON number.
pub(crate) fn is_number(text: &str) -> bool {
    // The end of the digits at the start; `None` without digits.
    let digits_end = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        Some(end.unwrap_or(text.len())).filter(|n| *n > 0)
    };
    let text = text.strip_prefix('-').unwrap_or(text);
    let whole = if text.starts_with('0') {
        Some(1)
    } else {
        digits_end(text)
    };
    let Some(mut rest) = whole.map(|n| &text[n..]) else {
        return false;
    };
    if let Some(fraction) = rest.strip_prefix('.') {
        match digits_end(fraction) {
            Some(n) => rest = &fraction[n..],
            None => return false,
        }
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        match digits_end(exponent) {
            Some(n) => rest = &exponent[n..],
            None => return false,
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str, check: impl FnOnce(TapeValue<'_>)) {
        let mut tape = JsonTape::default();
        check(tape.parse(text.as_bytes()).unwrap());
    }

    #[test]
    fn values_are_found_where_they_stand() {
        parse(
            r#" {"a": [1, 2.50, {"b": "x\n\u00e9\ud83d\ude00"}], "c": null} "#,
            |v| {
                let a = v.get("a").unwrap();
                assert_eq!(a.len(), 3);
                let items: Vec<_> = a.items().collect();
                assert_eq!(items[1].raw(), "2.50");
                assert_eq!(items[2].get("b").unwrap().plain(), "x\né😀");
                assert_eq!(v.get("c").unwrap().kind(), JsonKind::Null);
            },
        );
    }

    #[test]
    fn a_number_keeps_every_digit() {
        parse("[123456789012345678901234567890.10]", |v| {
            assert_eq!(
                v.items().next().unwrap().raw(),
                "123456789012345678901234567890.10"
            );
        });
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_offset() {
        let mut tape = JsonTape::default();
        for (text, offset) in [
            ("", 0),
            ("{", 1),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("01", 1),
            ("\"\u{1}\"", 1),
            ("\"\\ud800\"", 7),
            ("1 2", 2),
            ("nul", 0),
            ("{\"a\":1,}", 7),
        ] {
            assert_eq!(
                tape.parse(text.as_bytes()).err().map(|e| e.offset),
                Some(offset),
                "{text}"
            );
        }
        assert!(tape.parse(&b"[".repeat(1000)).is_err());
        assert!(tape.parse_within(b"[[{}]]", 3).is_ok());
        assert_eq!(
            tape.parse_within(b"[[{}]]", 2).err().map(|e| e.offset),
            Some(2)
        );
    }

    #[test]
    fn strings_are_written_with_their_escapes() {
        let mut out = Vec::new();
        write_string("a\"b\\\u{1}é\n", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "\"a\\\"b\\\\\\u0001é\\n\"");
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}:,"a0-9\\untrelsf. \-e]{0,40}"#) {
            let mut tape = JsonTape::default();
            let ours = tape.parse(text.as_bytes());
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // serde_json alone refuses numbers beyond the range of a double.
            let range = theirs.as_ref().is_err_and(|e| e.to_string().contains("out of range"));
            prop_assert!(ours.is_ok() == theirs.is_ok() || range, "{text}");
        }

        #[test]
        fn is_number_agrees_with_the_parser(text in "[0-9eE+.-]{0,8}") {
            let mut tape = JsonTape::default();
            prop_assert_eq!(is_number(&text), tape.parse(text.as_bytes()).is_ok());
        }

        #[test]
        fn written_strings_read_back(text in "\\PC{0,40}|[\u{0}-\u{ff}]{0,40}") {
            let mut out = Vec::new();
            write_string(&text, &mut out);
            let mut tape = JsonTape::default();
            prop_assert_eq!(tape.parse(&out).unwrap().plain(), text);
        }
    }
}
