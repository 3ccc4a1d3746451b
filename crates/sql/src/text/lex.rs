//! Tokens of Db2's SQL.
//!
//! Own code rather than the parser's tokenizer, because host variables have
//! COBOL names with hyphens, `¬=` and X'…' are Db2's, and offsets must lead
//! back to a COBOL source.
//!
//! Reference: Db2 for z/OS SQL Reference, "Tokens", "Constants", "Host variables".
//! Invariant: no text makes it panic; a text beyond [`MAX_TEXT_BYTES`] is refused.

use super::problem::StatementProblem;

/// Longest statement, in bytes; Db2's own limit.
pub const MAX_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word that is not quoted: its text is in capitals.
    Word,
    /// A quoted name without its quotes.
    Quoted,
    /// A number.
    Number,
    /// A character constant without its quotes.
    Text,
    /// Digits of a hexadecimal constant X'…'.
    Hex,
    /// Digits of a binary constant BX'…'.
    BinaryHex,
    /// Text of a graphic constant G'…' or N'…'.
    Graphic,
    /// Digits of a graphic constant UX'…' or GX'…'.
    GraphicHex,
    /// A host variable: its name in capitals, parts joined by a period.
    Host,
    /// `?`
    Marker,
    /// An operator or separator, in its usual spelling.
    Mark,
}

/// A token of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlToken {
    /// The token's kind.
    pub kind: TokenKind,
    /// Its value.
    pub text: String,
    /// Offset of its first byte.
    pub at: usize,
    /// Offset after its last byte.
    pub end: usize,
    /// Whether a blank, comment or line end was before it.
    pub spaced: bool,
}

impl SqlToken {
    /// Whether the SQL token is this unquoted word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// Whether the SQL token is one of these unquoted words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Word && words.contains(&self.text.as_str())
    }

    /// Whether the SQL token is this operator or separator.
    pub fn is_mark(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }
}

/// The tokens of a text.
pub fn lex(text: &str) -> Result<Vec<SqlToken>, StatementProblem> {
    if text.len() > MAX_TEXT_BYTES {
        let message = "the statement is longer than 2 MB";
        return Err(StatementProblem::error(0, -101, message));
    }
    let mut lexer = SqlLexer {
        text,
        at: 0,
        spaced: true,
        out: Vec::new(),
    };
    while lexer.token()? {}
    Ok(lexer.out)
}

struct SqlLexer<'a> {
    text: &'a str,
    at: usize,
    spaced: bool,
    out: Vec<SqlToken>,
}

const QUOTED_PREFIXES: &[(&str, TokenKind)] = &[
    ("X", TokenKind::Hex),
    ("BX", TokenKind::BinaryHex),
    ("G", TokenKind::Graphic),
    ("N", TokenKind::Graphic),
    ("UX", TokenKind::GraphicHex),
    ("GX", TokenKind::GraphicHex),
];

/// Operators as they are written, and as they usually are; longest first.
const MARKS: &[(&str, &str)] = &[
    ("||", "||"),
    ("!!", "||"),
    ("<>", "<>"),
    ("<=", "<="),
    (">=", ">="),
    ("!=", "<>"),
    ("^=", "<>"),
    ("¬=", "<>"),
    ("!>", "<="),
    ("^>", "<="),
    ("¬>", "<="),
    ("!<", ">="),
    ("^<", ">="),
    ("¬<", ">="),
    ("=>", "=>"),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("(", "("),
    (")", ")"),
    (",", ","),
    (".", "."),
    (";", ";"),
    (":", ":"),
    ("[", "["),
    ("]", "]"),
];

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '#' | '@' | '$')
}

fn is_word(c: char) -> bool {
    is_word_start(c) || c.is_ascii_digit()
}

impl SqlLexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: TokenKind, text: String, at: usize) {
        self.out.push(SqlToken {
            kind,
            text,
            at,
            end: self.at,
            spaced: self.spaced,
        });
        self.spaced = false;
    }

    /// Reads one token or gap; whether there was one.
    fn token(&mut self) -> Result<bool, StatementProblem> {
        let Some(c) = self.peek() else {
            return Ok(false);
        };
        let at = self.at;
        let text = self.text;
        let rest = &text[at..];
        if c.is_whitespace() || c == '\0' {
            self.at += c.len_utf8();
            self.spaced = true;
        } else if rest.starts_with("--") {
            self.at += rest.find('\n').unwrap_or(rest.len());
            self.spaced = true;
        } else if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else {
                return Err(StatementProblem::error(
                    at,
                    -10,
                    "the comment is never closed",
                ));
            };
            self.at += end + 2;
            self.spaced = true;
        } else if is_word_start(c) {
            self.word()?;
        } else if c.is_ascii_digit()
            || c == '.' && rest[1..].starts_with(|n: char| n.is_ascii_digit())
        {
            self.number();
        } else if c == '\'' || c == '"' {
            let value = self.quoted(c)?;
            let kind = if c == '"' {
                TokenKind::Quoted
            } else {
                TokenKind::Text
            };
            self.push(kind, value, at);
        } else if c == '?' {
            self.at += 1;
            self.push(TokenKind::Marker, "?".to_owned(), at);
        } else if c == ':' && self.host() {
        } else if let Some((written, usual)) = MARKS.iter().find(|(w, _)| rest.starts_with(w)) {
            self.at += written.len();
            self.push(TokenKind::Mark, (*usual).to_owned(), at);
        } else {
            return Err(StatementProblem::error(
                at,
                -7,
                format!("{c} is not a character of SQL"),
            ));
        }
        Ok(true)
    }

    fn word(&mut self) -> Result<(), StatementProblem> {
        let at = self.at;
        let length = self.rest().find(|c| !is_word(c));
        self.at += length.unwrap_or(self.rest().len());
        let word = self.text[at..self.at].to_uppercase();
        let prefix = QUOTED_PREFIXES.iter().find(|(p, _)| *p == word);
        if let Some((_, kind)) = prefix
            && self.peek() == Some('\'')
        {
            let value = self.quoted('\'')?;
            let hex = *kind != TokenKind::Graphic;
            let whole = value.len().is_multiple_of(2);
            if hex && !(whole && value.bytes().all(|b| b.is_ascii_hexdigit())) {
                let message = format!("{word}'{value}' is not made of pairs of hexadecimal digits");
                return Err(StatementProblem::error(at, -110, message));
            }
            self.push(*kind, value, at);
            return Ok(());
        }
        self.push(TokenKind::Word, word, at);
        Ok(())
    }

    fn number(&mut self) {
        let at = self.at;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits(self.rest());
        if self.rest().starts_with('.') {
            self.at += 1;
            self.at += digits(self.rest());
        }
        let rest = self.rest().as_bytes();
        if let [b'e' | b'E', after @ ..] = rest {
            let sign = usize::from(matches!(after.first(), Some(b'+' | b'-')));
            let exponent = digits(&self.text[self.at + 1 + sign..]);
            if exponent > 0 {
                self.at += 1 + sign + exponent;
            }
        }
        let text = self.text[at..self.at].to_owned();
        self.push(TokenKind::Number, text, at);
    }

    /// The value between quotes, doubled ones undone.
    fn quoted(&mut self, quote: char) -> Result<String, StatementProblem> {
        let at = self.at;
        let mut value = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.rest().find(quote) else {
                let message = format!("the constant has no closing {quote}");
                return Err(StatementProblem::error(at, -10, message));
            };
            value.push_str(&self.rest()[..length]);
            self.at += length + 1;
            if !self.rest().starts_with(quote) {
                return Ok(value);
            }
            value.push(quote);
            self.at += 1;
        }
    }

    /// A host variable after the colon; whether there is one.
    fn host(&mut self) -> bool {
        let at = self.at;
        let is_cobol =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '#' | '@' | '$');
        let after = &self.rest()[1..];
        let blanks = after.len() - after.trim_start().len();
        let mut from = at + 1 + blanks;
        let mut name = String::new();
        loop {
            let part = &self.text[from..];
            let length = part.find(|c| !is_cobol(c)).unwrap_or(part.len());
            // A hyphen at the end is an operator.
            let length = part[..length].trim_end_matches('-').len();
            if length == 0 {
                break;
            }
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&part[..length].to_uppercase());
            from += length;
            self.at = from;
            let next = &self.text[from..];
            let goes_on = next.starts_with('.') && next[1..].starts_with(is_cobol);
            if !goes_on {
                break;
            }
            from += 1;
        }
        if name.is_empty() {
            return false;
        }
        self.push(TokenKind::Host, name, at);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lex(text).unwrap().into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn host_variables_have_cobol_names_and_may_stand_apart_from_the_colon() {
        let out = lex("a=:WS-KEY, : B-1,:G.F:IND -:X-1").unwrap();
        let hosts: Vec<&str> = out
            .iter()
            .filter(|t| t.kind == TokenKind::Host)
            .map(|t| t.text.as_str())
            .collect();
        assert_eq!(hosts, ["WS-KEY", "B-1", "G.F", "IND", "X-1"]);
    }

    #[test]
    fn not_equal_has_one_spelling() {
        assert_eq!(
            texts("a ¬= b ^= c != d <> e"),
            ["A", "<>", "B", "<>", "C", "<>", "D", "<>", "E"]
        );
        assert_eq!(texts("a¬>b !< c"), ["A", "<=", "B", ">=", "C"]);
    }

    #[test]
    fn constants_keep_their_case_and_comments_are_gaps() {
        assert_eq!(
            texts("'it''s' -- x\n \"Ab\" /* y */ X'c1' 1.5E-3 .5"),
            ["it's", "Ab", "c1", "1.5E-3", ".5"]
        );
        assert_eq!(lex("x'c'").unwrap_err().sqlcode, -110);
        assert_eq!(lex("'a").unwrap_err().at, 0);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_lexer_panic(text in "\\PC{0,80}") {
            let _ = lex(&text);
        }
    }
}
