//! JSON text as values, with the order and the duplicates that it has.
//!
//! Names and strings are bytes of the program's code page; characters that are
//! written as `\u` escapes are UTF-8 beyond ASCII.
//! Reference: RFC 8259.
//!
//! Invariant: nesting is limited, so that no text uses up the stack.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonValue {
    Null,
    Boolean(bool),
    /// As it is written.
    Number(Vec<u8>),
    String(Vec<u8>),
    Array(Vec<JsonValue>),
    Object(Vec<(Vec<u8>, JsonValue)>),
}

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonFault {
    /// It is not well formed.
    Invalid,
    /// There is nothing in it.
    Empty,
    /// Something follows the value.
    Superfluous,
}

/// Most levels of objects and arrays.
const MOST_LEVELS: usize = 256;

/// The value of a text, which may have blanks around it.
pub(super) fn parse(text: &[u8]) -> Result<JsonValue, JsonFault> {
    let mut parser = JsonParser { text, at: 0 };
    parser.blanks();
    if parser.peek().is_none() {
        return Err(JsonFault::Empty);
    }
    let value = parser.value(0).ok_or(JsonFault::Invalid)?;
    parser.blanks();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(JsonFault::Superfluous),
    }
}

struct JsonParser<'a> {
    text: &'a [u8],
    at: usize,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn accept(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn word(&mut self, word: &[u8], value: JsonValue) -> Option<JsonValue> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, level: usize) -> Option<JsonValue> {
        self.blanks();
        match self.peek()? {
            b'{' | b'[' if level == MOST_LEVELS => None,
            b'{' => self.object(level),
            b'[' => self.array(level),
            b'"' => self.string().map(JsonValue::String),
            b't' => self.word(b"true", JsonValue::Boolean(true)),
            b'f' => self.word(b"false", JsonValue::Boolean(false)),
            b'n' => self.word(b"null", JsonValue::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, level: usize) -> Option<JsonValue> {
        let mut members = Vec::new();
        self.accept(b'{')?;
        self.blanks();
        if self.accept(b'}').is_some() {
            return Some(JsonValue::Object(members));
        }
        loop {
            self.blanks();
            let name = self.string()?;
            self.blanks();
            self.accept(b':')?;
            members.push((name, self.value(level + 1)?));
            self.blanks();
            if self.accept(b',').is_none() {
                self.accept(b'}')?;
                return Some(JsonValue::Object(members));
            }
        }
    }

    fn array(&mut self, level: usize) -> Option<JsonValue> {
        let mut elements = Vec::new();
        self.accept(b'[')?;
        self.blanks();
        if self.accept(b']').is_some() {
            return Some(JsonValue::Array(elements));
        }
        loop {
            elements.push(self.value(level + 1)?);
            self.blanks();
            if self.accept(b',').is_none() {
                self.accept(b']')?;
                return Some(JsonValue::Array(elements));
            }
        }
    }

    fn number(&mut self) -> Option<JsonValue> {
        let start = self.at;
        let _ = self.accept(b'-');
        let is_zero = self.peek()? == b'0';
        let digits = self.digits();
        if digits == 0 || is_zero && digits > 1 {
            return None;
        }
        if self.accept(b'.').is_some() && self.digits() == 0 {
            return None;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return None;
            }
        }
        Some(JsonValue::Number(self.text[start..self.at].to_vec()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        self.accept(b'"')?;
        let mut out = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(out),
                b'\\' => self.escape(&mut out)?,
                0..0x20 => return None,
                _ => out.push(byte),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let byte = self.peek()?;
        self.at += 1;
        out.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let character = self.unicode()?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        self.accept(b'\\')?;
        self.accept(b'u')?;
        let second = self.unit()?;
        if !(0xDC00..0xE000).contains(&second) {
            return None;
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_valid_invalid_empty_or_go_on_too_long() {
        let number = |text: &str| Ok(JsonValue::Number(text.as_bytes().to_vec()));
        for (text, expected) in [
            (" -0.5e+3 ", number("-0.5e+3")),
            ("0", number("0")),
            ("-0", number("-0")),
            ("01", Err(JsonFault::Invalid)),
            ("-01", Err(JsonFault::Invalid)),
            ("1.", Err(JsonFault::Invalid)),
            ("   ", Err(JsonFault::Empty)),
            ("{} x", Err(JsonFault::Superfluous)),
            ("{\"a\":}", Err(JsonFault::Invalid)),
            ("[1,]", Err(JsonFault::Invalid)),
            ("\"a\nb\"", Err(JsonFault::Invalid)),
            (
                "\"\\u0041\\ud83d\\ude00\\/\"",
                Ok(JsonValue::String("A\u{1F600}/".as_bytes().to_vec())),
            ),
        ] {
            assert_eq!(parse(text.as_bytes()), expected, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()), Err(JsonFault::Invalid));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\[\\]{},:\"\\\\u0-9a-f.eE+\\-truefalsn ]{0,60}") {
            let _ = parse(text.as_bytes());
        }
    }
}
