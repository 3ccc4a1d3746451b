//! A cursor over JSON text.
//!
//! Reference: RFC 8259. Only what encoding needs: literals, strings with their
//! escapes, and values to skip. Numbers are read by `number::scan_json`.

use std::borrow::Cow;

use super::scan;

/// A place in JSON text.
pub(super) struct Cursor<'a> {
    pub input: &'a [u8],
    pub pos: usize,
}

/// Where and why text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub offset: usize,
    pub reason: &'static str,
}

/// A string's characters as they are between the quotes.
#[derive(Clone, Copy)]
pub(super) struct RawString<'a> {
    pub bytes: &'a [u8],
    /// Place of the first character.
    pub at: usize,
    /// Plain ASCII without escapes.
    pub plain: bool,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.input.get(self.pos).copied()
    }

    /// Skips blanks.
    #[inline(always)]
    pub(super) fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.pos += 1;
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fail(&self, reason: &'static str) -> SyntaxError {
        let reason = if self.pos >= self.input.len() {
            "the text ends too early"
        } else {
            reason
        };
        SyntaxError {
            offset: self.pos,
            reason,
        }
    }

    /// Skips `expected` if it is here.
    #[inline(always)]
    pub(super) fn take(&mut self, expected: &[u8]) -> bool {
        let len = expected.len();
        match self.input.get(self.pos..self.pos + len) {
            Some(found) if same(found, expected) => {
                self.pos += len;
                true
            }
            _ => false,
        }
    }

    pub(super) fn literal(&mut self, word: &'static [u8]) -> Result<(), SyntaxError> {
        if self.take(word) {
            Ok(())
        } else {
            Err(self.fail("not a value"))
        }
    }

    /// The kind of value is here.
    pub(super) fn kind(&self) -> Result<&'static str, SyntaxError> {
        Ok(match self.peek() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => return Err(self.fail("not a value")),
        })
    }

    /// Skips a string and returns what is between its quotes.
    #[inline]
    pub(super) fn string(&mut self) -> Result<RawString<'a>, SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.fail("a string expected"));
        }
        let at = self.pos + 1;
        let plain = scan::plain_len::<false>(self.input, at);
        self.pos = at + plain;
        if self.peek() == Some(b'"') {
            self.pos += 1;
            return Ok(RawString {
                bytes: &self.input[at..at + plain],
                at,
                plain: true,
            });
        }
        self.string_on(at)
    }

    /// The rest of a string that is not plain.
    fn string_on(&mut self, at: usize) -> Result<RawString<'a>, SyntaxError> {
        loop {
            self.pos += scan::plain_len::<true>(self.input, self.pos);
            match self.peek() {
                Some(b'"') => {
                    let bytes = &self.input[at..self.pos];
                    self.pos += 1;
                    return Ok(RawString {
                        bytes,
                        at,
                        plain: false,
                    });
                }
                // Whatever is escaped is not the end; what it is comes later.
                Some(b'\\') if self.pos + 1 < self.input.len() => self.pos += 2,
                Some(b'\\') => {
                    self.pos += 1;
                    return Err(self.fail(""));
                }
                _ => return Err(self.fail("a control character in a string")),
            }
        }
    }

    /// Skips a value of any kind, checking that it is JSON.
    pub(super) fn skip(&mut self) -> Result<(), SyntaxError> {
        self.skip_nested(0)
    }

    fn skip_nested(&mut self, depth: u32) -> Result<(), SyntaxError> {
        if depth > DEEPEST {
            return Err(self.fail("nested too deeply"));
        }
        match self.peek() {
            Some(b'"') => self.string()?.check(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(b'{') => self.skip_members(depth),
            Some(b'[') => self.skip_elements(depth),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            _ => Err(self.fail("not a value")),
        }
    }

    fn skip_members(&mut self, depth: u32) -> Result<(), SyntaxError> {
        self.pos += 1;
        self.blanks();
        if self.take(b"}") {
            return Ok(());
        }
        loop {
            self.blanks();
            self.string()?.check()?;
            self.blanks();
            if !self.take(b":") {
                return Err(self.fail("`:` expected"));
            }
            self.blanks();
            self.skip_nested(depth + 1)?;
            self.blanks();
            if self.take(b"}") {
                return Ok(());
            }
            if !self.take(b",") {
                return Err(self.fail("`,` or `}` expected"));
            }
        }
    }

    fn skip_elements(&mut self, depth: u32) -> Result<(), SyntaxError> {
        self.pos += 1;
        self.blanks();
        if self.take(b"]") {
            return Ok(());
        }
        loop {
            self.blanks();
            self.skip_nested(depth + 1)?;
            self.blanks();
            if self.take(b"]") {
                return Ok(());
            }
            if !self.take(b",") {
                return Err(self.fail("`,` or `]` expected"));
            }
        }
    }

    fn skip_number(&mut self) -> Result<(), SyntaxError> {
        self.take(b"-");
        let whole = self.digits()?;
        if whole > 1 && self.input[self.pos - whole] == b'0' {
            return Err(self.fail("a number with a leading zero"));
        }
        if self.take(b".") {
            self.digits()?;
        }
        if self.take(b"e") || self.take(b"E") {
            if !self.take(b"-") {
                self.take(b"+");
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, SyntaxError> {
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == start {
            Err(self.fail("a digit expected"))
        } else {
            Ok(self.pos - start)
        }
    }
}

impl<'a> RawString<'a> {
    /// The characters, escapes undone.
    pub(super) fn text(&self) -> Result<Cow<'a, str>, SyntaxError> {
        if self.plain
            && let Ok(text) = std::str::from_utf8(self.bytes)
        {
            return Ok(Cow::Borrowed(text));
        }
        let mut out = String::with_capacity(self.bytes.len());
        self.each(|piece| match piece {
            StringPiece::Run(run) => out.push_str(run),
            StringPiece::Char(c) => out.push(c),
        })?;
        Ok(Cow::Owned(out))
    }

    fn check(&self) -> Result<(), SyntaxError> {
        if self.plain {
            Ok(())
        } else {
            self.each(|_| ())
        }
    }

    /// Reports the characters piece by piece.
    pub(super) fn each(&self, mut report: impl FnMut(StringPiece<'_>)) -> Result<(), SyntaxError> {
        let fail = |at: usize, reason| SyntaxError {
            offset: self.at + at,
            reason,
        };
        let mut at = 0;
        while at < self.bytes.len() {
            let run = self.bytes[at..]
                .iter()
                .position(|b| *b == b'\\')
                .unwrap_or(self.bytes.len() - at);
            if run > 0 {
                let text = std::str::from_utf8(&self.bytes[at..at + run])
                    .map_err(|e| fail(at + e.valid_up_to(), "not UTF-8"))?;
                report(StringPiece::Run(text));
                at += run;
                continue;
            }
            let (c, len) = self.escape(at).ok_or_else(|| fail(at, "not an escape"))?;
            report(StringPiece::Char(c));
            at += len;
        }
        Ok(())
    }

    /// The character of the escape at `at`, and the escape's length.
    fn escape(&self, at: usize) -> Option<(char, usize)> {
        let c = match self.bytes.get(at + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit(at)?;
                if !(0xd800..0xdc00).contains(&unit) {
                    // A second half alone is not a character.
                    return char::from_u32(unit).map(|c| (c, 6));
                }
                let second = self.unit(at + 6).filter(|u| (0xdc00..0xe000).contains(u))?;
                let code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).map(|c| (c, 12));
            }
            _ => return None,
        };
        Some((c, 2))
    }

    /// The code unit of `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits
            .iter()
            .try_fold(0, |unit, d| Some(unit << 4 | char::from(*d).to_digit(16)?))
    }
}

/// A part of a string.
pub(super) enum StringPiece<'a> {
    /// Characters without escapes.
    Run(&'a str),
    /// One escaped character.
    Char(char),
}

/// Line and column, both from 1, of a byte offset.
pub(super) fn line_and_column(input: &[u8], offset: usize) -> (usize, usize) {
    let before = &input[..offset.min(input.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    (line, before.len() - start + 1)
}

/// Equality of short byte strings of one length, without a call.
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    let len = a.len();
    if len != b.len() {
        return false;
    }
    let word = |s: &[u8], at: usize| {
        s.get(at..at + 8)
            .map(|w| u64::from_ne_bytes(w.try_into().unwrap_or([0; 8])))
    };
    if len >= 8 {
        let mut at = 0;
        while at + 8 <= len {
            if word(a, at) != word(b, at) {
                return false;
            }
            at += 8;
        }
        return word(a, len - 8) == word(b, len - 8);
    }
    a.iter().zip(b).all(|(x, y)| x == y)
}

/// Deepest nesting that is skipped.
const DEEPEST: u32 = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> Result<usize, SyntaxError> {
        let mut cursor = Cursor {
            input: text.as_bytes(),
            pos: 0,
        };
        cursor.skip().map(|()| cursor.pos)
    }

    #[test]
    fn values_to_skip_are_still_checked() {
        for good in [
            "1",
            "-0.5e+3",
            "\"a\\u00e9\\n\"",
            "[]",
            "{}",
            "[1, {\"a\": [null, true]}, false]",
        ] {
            assert_eq!(skipped(good), Ok(good.len()), "{good}");
        }
        for bad in [
            "",
            "01",
            "1.",
            "\"",
            "\"\\x\"",
            "\"\u{1}\"",
            "[1,]",
            "{\"a\"}",
            "nul",
            "{,}",
        ] {
            assert!(skipped(bad).is_err(), "{bad}");
        }
        assert!(skipped(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn escapes_become_characters() {
        let text = |json: &str| {
            let mut cursor = Cursor {
                input: json.as_bytes(),
                pos: 0,
            };
            cursor
                .string()
                .and_then(|raw| raw.text().map(Cow::into_owned))
        };
        assert_eq!(
            text(r#""a\"\\\/\b\f\n\r\tz""#).unwrap(),
            "a\"\\/\u{8}\u{c}\n\r\tz"
        );
        assert_eq!(text(r#""\u00e9\ud83d\ude00é""#).unwrap(), "é😀é");
        for bad in [
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ude00""#,
            r#""\u12g4""#,
            r#""\"#,
        ] {
            assert!(text(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn places_are_counted_from_one() {
        assert_eq!(line_and_column(b"ab\ncd", 0), (1, 1));
        assert_eq!(line_and_column(b"ab\ncd", 4), (2, 2));
    }
}
