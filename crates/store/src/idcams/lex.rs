//! Words, parentheses and ends of commands, with their places.
//!
//! Columns 2 to 72 are read. A command ends with its line, unless the line ends
//! in a continuation mark: `-` joins the next line with a blank, `+` joins it
//! without, its leading blanks left out. Comments are between `/*` and `*/`,
//! also over several lines.

use base::{Diagnostic, Severity};

/// A word or sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub line: u32,
    pub column: u32,
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, keyword or number, in upper case.
    Word(String),
    /// Text between apostrophes.
    Quoted(String),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `=`, `<`, `>` and pairs of them.
    Compare(String),
    /// The end of a command.
    End,
}

/// A character and its place.
#[derive(Clone, Copy)]
struct PlacedCharacter {
    c: char,
    line: u32,
    column: u32,
}

/// Last column read.
const LAST_COLUMN: usize = 72;

/// The tokens of a step's lines.
pub(super) fn tokens(lines: &[(u32, String)], diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let text = without_comments(&joined(lines, diagnostics), diagnostics);
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&PlacedCharacter { c, line, column }) = text.get(at) {
        at += 1;
        let kind = match c {
            '\n' | ';' => TokenKind::End,
            c if c == ',' || c.is_whitespace() => continue,
            '(' => TokenKind::Open,
            ')' => TokenKind::Close,
            '\'' => {
                let (quoted, closed) = quoted(&text, &mut at);
                if !closed {
                    diagnostics.push(error(line, column, "the apostrophe is not closed", None));
                }
                TokenKind::Quoted(quoted)
            }
            '=' | '<' | '>' | '¬' => {
                let mut sign = String::from(c);
                while let Some(next) = text
                    .get(at)
                    .filter(|next| matches!(next.c, '=' | '<' | '>'))
                {
                    sign.push(next.c);
                    at += 1;
                }
                TokenKind::Compare(sign)
            }
            _ => {
                let mut word = String::from(c.to_ascii_uppercase());
                while let Some(next) = text.get(at).filter(|next| is_in_word(next.c)) {
                    word.push(next.c.to_ascii_uppercase());
                    at += 1;
                }
                TokenKind::Word(word)
            }
        };
        let after_end = tokens.last().is_none_or(|last| last.kind == TokenKind::End);
        if kind != TokenKind::End || !after_end {
            tokens.push(Token { kind, line, column });
        }
    }
    tokens
}

/// An error, for the parser too.
pub(super) fn error(
    line: u32,
    column: u32,
    message: impl Into<String>,
    help: Option<String>,
) -> Diagnostic {
    Diagnostic::new(Severity::Error, (line, column), message).maybe_help(help)
}

/// The lines as one text, in which a line feed ends a command.
fn joined(lines: &[(u32, String)], diagnostics: &mut Vec<Diagnostic>) -> Vec<PlacedCharacter> {
    let mut text: Vec<PlacedCharacter> = Vec::new();
    let mut skips_blanks = false;
    for (line, content) in lines {
        let chars: Vec<char> = content.trim_end().chars().collect();
        let beyond = chars.get(LAST_COLUMN..).unwrap_or_default();
        if beyond
            .iter()
            .any(|c| !c.is_ascii_digit() && !c.is_whitespace())
        {
            diagnostics.push(
                Diagnostic::new(
                    Severity::Warning,
                    (*line, LAST_COLUMN as u32 + 1),
                    "text beyond column 72 is ignored",
                )
                .with_help("continue the line with a hyphen before column 72"),
            );
        }
        let mut chars = &chars[..chars.len().min(LAST_COLUMN)];
        while let [rest @ .., last] = chars
            && last.is_whitespace()
        {
            chars = rest;
        }
        let mark = chars.last().copied().filter(|c| matches!(c, '-' | '+'));
        if mark.is_some() {
            chars = &chars[..chars.len() - 1];
        }
        for (c, column) in chars.iter().zip(1..) {
            if skips_blanks && c.is_whitespace() {
                continue;
            }
            skips_blanks = false;
            text.push(PlacedCharacter {
                c: *c,
                line: *line,
                column,
            });
        }
        skips_blanks = mark == Some('+');
        let joint = match mark {
            Some('-') => ' ',
            Some(_) => continue,
            None => '\n',
        };
        text.push(PlacedCharacter {
            c: joint,
            line: *line,
            column: chars.len() as u32 + 1,
        });
    }
    text
}

fn without_comments(
    text: &[PlacedCharacter],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PlacedCharacter> {
    let mut bare = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut in_quotes = false;
    while let Some(&place) = text.get(at) {
        let pair = |at: usize| (text[at].c, text.get(at + 1).map(|next| next.c));
        in_quotes = match place.c {
            '\'' => !in_quotes,
            '\n' => false,
            _ => in_quotes,
        };
        if in_quotes || pair(at) != ('/', Some('*')) {
            bare.push(place);
            at += 1;
            continue;
        }
        let end = (at + 2..text.len()).find(|&at| pair(at) == ('*', Some('/')));
        if end.is_none() {
            diagnostics.push(error(
                place.line,
                place.column,
                "the comment is not closed",
                Some("*/ ends a comment".to_owned()),
            ));
        }
        bare.push(PlacedCharacter { c: ' ', ..place });
        at = end.map_or(text.len(), |end| end + 2);
    }
    bare
}

/// Text up to the closing apostrophe; two apostrophes mean one.
fn quoted(text: &[PlacedCharacter], at: &mut usize) -> (String, bool) {
    let mut quoted = String::new();
    while let Some(place) = text.get(*at).filter(|place| place.c != '\n') {
        *at += 1;
        if place.c == '\'' {
            match text.get(*at).filter(|next| next.c == '\'') {
                Some(_) => *at += 1,
                None => return (quoted, true),
            }
        }
        quoted.push(place.c);
    }
    (quoted, false)
}

fn is_in_word(c: char) -> bool {
    !(c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';' | '\'' | '=' | '<' | '>' | '¬'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let lines: Vec<_> = (1..).zip(text.lines().map(str::to_owned)).collect();
        let mut diagnostics = Vec::new();
        let tokens = tokens(&lines, &mut diagnostics);
        let mut all: Vec<_> = tokens
            .iter()
            .map(|token| match &token.kind {
                TokenKind::Word(word) => word.clone(),
                TokenKind::Quoted(text) => format!("'{text}'"),
                TokenKind::Open => "(".to_owned(),
                TokenKind::Close => ")".to_owned(),
                TokenKind::Compare(sign) => sign.clone(),
                TokenKind::End => ".".to_owned(),
            })
            .collect();
        all.extend(
            diagnostics
                .iter()
                .map(|found| format!("!{}:{}", found.line, found.column)),
        );
        all.join(" ")
    }

    #[test]
    fn a_hyphen_joins_lines_with_a_blank_and_a_plus_without() {
        assert_eq!(
            words(" define cl(name(a.b) -\n   keys(4,0))"),
            "DEFINE CL ( NAME ( A.B ) KEYS ( 4 0 ) ) ."
        );
        assert_eq!(
            words(" DELETE A.VERY.+\n     LONG.NAME"),
            "DELETE A.VERY.LONG.NAME ."
        );
        assert_eq!(
            words(" DELETE A-\n B\n DELETE C; DELETE D"),
            "DELETE A B . DELETE C . DELETE D ."
        );
    }

    #[test]
    fn comments_and_blank_lines_have_no_meaning() {
        assert_eq!(
            words("/* one */\n\n DELETE A /* two */ -\n B /* three\n four */"),
            "DELETE A B ."
        );
        assert_eq!(words(" DELETE A /* open"), "DELETE A !1:11");
    }

    #[test]
    fn sequence_numbers_are_ignored_and_other_text_there_is_reported() {
        let long = format!("{:72}00010000\n{:72}B", " DELETE A", " DELETE");
        assert_eq!(words(&long), "DELETE A . DELETE . !2:73");
    }

    #[test]
    fn conditions_and_quotes_are_read() {
        assert_eq!(
            words(" IF MAXCC>=8 THEN SET MAXCC=0\n X 'it''s (' ¬= <"),
            "IF MAXCC >= 8 THEN SET MAXCC = 0 . X 'it's (' ¬= < ."
        );
        assert_eq!(words(" X 'open"), "X 'open' . !1:4");
    }
}
