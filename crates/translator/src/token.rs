//! From lines to tokens: words, literals and single characters, each with its
//! place.
//!
//! A word is a run of letters, digits, `-`, `_` and bytes above 127, as the
//! COBOL compiler's own preprocessor has it; a literal includes its prefix and
//! quotes. Tokens remember whether a blank stood before them, so that the text
//! can be written back as it was.

use crate::lines::Line;
use crate::source::Place;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word or a number.
    Word,
    /// A literal with its quotes.
    Literal,
    /// Any other character.
    Mark,
}

/// A piece of program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub text: String,
    pub place: Place,
    /// A blank or a new line stood before it.
    pub spaced: bool,
    /// First of its line, in area A where the format has one.
    pub area_a: bool,
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.is(w))
    }

    pub(crate) fn is_mark(&self, c: char) -> bool {
        self.kind == Kind::Mark && self.text.chars().eq([c])
    }

    pub(crate) fn upper(&self) -> String {
        self.text.to_ascii_uppercase()
    }

    /// A word of the same place.
    pub(crate) fn word(&self, text: impl Into<String>) -> Token {
        Token {
            kind: Kind::Word,
            text: text.into(),
            ..self.clone()
        }
    }
}

/// A literal without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenLiteral(pub Place);

const PREFIXES: &[&str] = &["X", "N", "Z", "G", "B", "H", "NX", "U", "NC", "L", "BX"];

/// Paragraphs of the IDENTIFICATION DIVISION whose text is a comment.
const COMMENT_ENTRIES: &[&str] = &[
    "AUTHOR",
    "INSTALLATION",
    "DATE-WRITTEN",
    "DATE-COMPILED",
    "SECURITY",
    "REMARKS",
];

const AFTER_COMMENT_ENTRY: &[&str] = &[
    "ENVIRONMENT",
    "DATA",
    "PROCEDURE",
    "CONFIGURATION",
    "FILE",
    "WORKING-STORAGE",
    "LINKAGE",
    "LOCAL-STORAGE",
    "INPUT-OUTPUT",
    "IDENTIFICATION",
    "ID",
    "PROGRAM-ID",
    "COPY",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_' || c > '\u{7f}'
}

/// Splits lines into tokens.
pub(crate) fn tokens(lines: &[Line], file: u16, debugging: bool) -> (Vec<Token>, Vec<OpenLiteral>) {
    let mut lexer = Lexer {
        out: Vec::new(),
        errors: Vec::new(),
        file,
        open: None,
        entry: false,
    };
    for line in lines {
        if !line.debugging || debugging {
            lexer.line(line);
        }
    }
    lexer.close();
    (lexer.out, lexer.errors)
}

struct Lexer {
    out: Vec<Token>,
    errors: Vec<OpenLiteral>,
    file: u16,
    /// The quote of a literal that its line did not end, and the blanks that
    /// belong to it if the next line continues it.
    open: Option<(char, usize)>,
    /// In a comment entry.
    entry: bool,
}

impl Lexer {
    fn line(&mut self, line: &Line) {
        let text = &line.text;
        let first = text.iter().position(|c| *c != ' ').unwrap_or(text.len());
        if self.entry && self.still_in_comment_entry(line, first) {
            return;
        }
        let mut at = first;
        let mut joined = false;
        if line.continues {
            if let Some((quote, fill)) = self.open.take() {
                if text.get(at) == Some(&quote) {
                    let blanks = std::iter::repeat_n(' ', fill);
                    if let Some(last) = self.out.last_mut() {
                        last.text.extend(blanks);
                    }
                    at = self.literal(text, at + 1, quote, line.fill);
                } else {
                    self.unclosed();
                }
            } else {
                joined = true;
            }
        } else {
            self.close();
        }
        let mut spaced = true;
        while at < text.len() {
            let c = text[at];
            if c == ' ' {
                at += 1;
                spaced = true;
                joined = false;
                continue;
            }
            if c == '*' && text.get(at + 1) == Some(&'>') {
                return;
            }
            let place = Place {
                file: self.file,
                line: line.number,
                column: line
                    .column
                    .saturating_add(u32::try_from(at).unwrap_or(u32::MAX)),
            };
            let area_a = at == first && !line.continues && at < 4;
            let starts_at = at;
            let mut token = |kind, text: String| {
                self.out.push(Token {
                    kind,
                    text,
                    place,
                    spaced: spaced && !(joined && kind == Kind::Word && starts_at == first),
                    area_a,
                });
            };
            if is_word(c) {
                let end = text[at..]
                    .iter()
                    .position(|c| !is_word(*c))
                    .map_or(text.len(), |n| at + n);
                let word: String = text[at..end].iter().collect();
                at = end;
                let quote = text.get(at).copied().filter(|c| *c == '\'' || *c == '"');
                if let Some(quote) =
                    quote.filter(|_| PREFIXES.iter().any(|p| word.eq_ignore_ascii_case(p)))
                {
                    token(Kind::Literal, format!("{word}{quote}"));
                    at = self.literal(text, at + 1, quote, line.fill);
                } else {
                    token(Kind::Word, word);
                    self.join(joined && starts_at == first);
                    self.start_comment_entry(text, at);
                    if self.entry {
                        return;
                    }
                }
            } else if c == '\'' || c == '"' {
                token(Kind::Literal, c.to_string());
                at = self.literal(text, at + 1, c, line.fill);
            } else {
                token(Kind::Mark, c.to_string());
                at += 1;
            }
            spaced = false;
        }
    }

    /// Appends to the last token up to the closing quote.
    fn literal(&mut self, text: &[char], mut at: usize, quote: char, fill: usize) -> usize {
        let Some(last) = self.out.last_mut() else {
            return text.len();
        };
        while let Some(&c) = text.get(at) {
            last.text.push(c);
            at += 1;
            if c == quote {
                if text.get(at) == Some(&quote) {
                    last.text.push(quote);
                    at += 1;
                } else {
                    return at;
                }
            }
        }
        self.open = Some((quote, fill));
        at
    }

    /// Joins a word that was continued from the line before.
    fn join(&mut self, joined: bool) {
        let n = self.out.len();
        if joined && n >= 2 && self.out[n - 2].kind == Kind::Word {
            let Some(tail) = self.out.pop() else { return };
            self.out[n - 2].text.push_str(&tail.text);
        }
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.unclosed();
        }
    }

    fn unclosed(&mut self) {
        if let Some(last) = self.out.last_mut() {
            self.errors.push(OpenLiteral(last.place));
            let quote = last
                .text
                .chars()
                .find(|c| matches!(c, '\'' | '"'))
                .unwrap_or('"');
            last.text.push(quote);
        }
    }

    /// After `AUTHOR` and a period the text is a comment.
    fn start_comment_entry(&mut self, text: &[char], at: usize) {
        let Some(last) = self.out.last() else { return };
        let followed = text[at..].iter().find(|c| **c != ' ') == Some(&'.');
        if last.area_a && followed && last.is_any(COMMENT_ENTRIES) {
            self.out.pop();
            self.entry = true;
        }
    }

    fn still_in_comment_entry(&mut self, line: &Line, first: usize) -> bool {
        let word: String = line.text[first..]
            .iter()
            .take_while(|c| is_word(**c))
            .collect();
        let is = |list: &[&str]| list.iter().any(|w| word.eq_ignore_ascii_case(w));
        if first >= 4 || !(is(AFTER_COMMENT_ENTRY) || is(COMMENT_ENTRIES)) {
            return true;
        }
        self.entry = false;
        false
    }
}

/// Makes one word of words that stand together without a blank, as text
/// replacement leaves them.
pub(crate) fn merge_adjacent(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let Some(last) = out.last_mut()
            && !token.spaced
            && token.kind == Kind::Word
            && last.kind == Kind::Word
        {
            last.text.push_str(&token.text);
            continue;
        }
        out.push(token);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Format, lines};

    fn lex(source: &str) -> Vec<String> {
        tokens(&lines(source, Format::Auto), 0, false)
            .0
            .into_iter()
            .map(|t| t.text)
            .collect()
    }

    #[test]
    fn words_literals_and_marks() {
        assert_eq!(
            lex("       MOVE X'00' TO WS-A(1:2), 'it''s'.\n"),
            [
                "MOVE", "X'00'", "TO", "WS-A", "(", "1", ":", "2", ")", ",", "'it''s'", "."
            ]
        );
    }

    #[test]
    fn a_literal_goes_on_in_the_next_line_with_its_blanks() {
        let first = format!("       {:<65}", "    DISPLAY 'AB");
        let out = lex(&format!("{first}\n      -    'CD'.\n"));
        assert_eq!(out[1].len(), 65 - 12 + 3);
        assert!(out[1].starts_with("'AB  ") && out[1].ends_with("  CD'"));
    }

    #[test]
    fn a_word_goes_on_in_the_next_line() {
        assert_eq!(
            lex("           MOVE WS-LO\n      -    NG TO B.\n"),
            ["MOVE", "WS-LONG", "TO", "B", "."]
        );
    }

    #[test]
    fn comment_entries_and_comments_are_no_text() {
        let source = "       ID DIVISION.\n       AUTHOR. O'BRIEN\n           and others.\n       DATA DIVISION. *> x\n";
        assert_eq!(
            lex(source),
            ["ID", "DIVISION", ".", "DATA", "DIVISION", "."]
        );
    }

    #[test]
    fn an_open_literal_is_told() {
        let (_, errors) = tokens(
            &lines(
                "           DISPLAY 'A.\n           STOP RUN.\n",
                Format::Fixed,
            ),
            0,
            false,
        );
        assert_eq!(errors[0].0.line, 1);
    }
}
