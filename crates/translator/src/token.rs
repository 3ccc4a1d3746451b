//! From pieces of text to tokens: words, literals and single characters, each
//! with its place.
//!
//! Words that text replacement put side by side are one; a literal includes
//! its prefix and quotes. Tokens remember whether a blank was before them,
//! so that the text can be written back as it was.

use copybook::{PieceKind, TextPiece};

use crate::source::SourcePlace;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
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
    pub kind: TokenKind,
    pub text: String,
    pub place: SourcePlace,
    /// A blank or a new line was before it.
    pub spaced: bool,
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.is(w))
    }

    pub(crate) fn is_mark(&self, c: char) -> bool {
        self.kind == TokenKind::Mark && self.text.chars().eq([c])
    }

    pub(crate) fn upper(&self) -> String {
        self.text.to_ascii_uppercase()
    }

    /// A word of the same place.
    pub(crate) fn word(&self, text: impl Into<String>) -> Token {
        Token {
            kind: TokenKind::Word,
            text: text.into(),
            ..self.clone()
        }
    }
}

const PREFIXES: &[&str] = &["X", "N", "Z", "G", "B", "H", "NX", "U", "NC", "L", "BX"];

/// The tokens of a text, and the places of literals that have no end.
pub(crate) fn tokens(pieces: &[TextPiece]) -> (Vec<Token>, Vec<SourcePlace>) {
    let mut out: Vec<Token> = Vec::with_capacity(pieces.len() / 2);
    let mut open = Vec::new();
    let mut spaced = true;
    for piece in pieces {
        let place = SourcePlace {
            file: piece.at.file,
            line: piece.at.line,
            column: piece.at.column,
        };
        let last = out
            .last_mut()
            .filter(|t| !spaced && t.kind == TokenKind::Word);
        let mut token = Token {
            kind: TokenKind::Mark,
            text: piece.text.clone(),
            place,
            spaced,
        };
        spaced = piece.is_gap();
        match piece.kind {
            PieceKind::Gap => continue,
            PieceKind::Word => {
                if let Some(last) = last {
                    last.text.push_str(&token.text);
                    continue;
                }
                token.kind = TokenKind::Word;
            }
            PieceKind::Literal | PieceKind::OpenLiteral => {
                if piece.kind == PieceKind::OpenLiteral {
                    open.push(place);
                    let quote = if token.text.starts_with('"') {
                        '"'
                    } else {
                        '\''
                    };
                    token.text.push(quote);
                }
                token.kind = TokenKind::Literal;
                if let Some(last) = last
                    && PREFIXES.iter().any(|p| last.is(p))
                {
                    last.kind = TokenKind::Literal;
                    last.text.push_str(&token.text);
                    continue;
                }
            }
            PieceKind::PseudoText | PieceKind::Other => {}
        }
        out.push(token);
    }
    (out, open)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::{CopyLibrary, expand};
    use copybook::ReferenceFormat;

    fn lex(source: &str) -> Vec<String> {
        expand(
            Path::new("a"),
            source.as_bytes(),
            ReferenceFormat::Auto,
            &CopyLibrary::default(),
        )
        .tokens
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
        let source = "       ID DIVISION.\n       PROGRAM-ID. P.\n       AUTHOR. O'BRIEN\n           and others.\n       DATA DIVISION. *> x\n";
        assert_eq!(
            lex(source),
            [
                "ID",
                "DIVISION",
                ".",
                "PROGRAM-ID",
                ".",
                "P",
                ".",
                "DATA",
                "DIVISION",
                "."
            ]
        );
    }

    #[test]
    fn an_open_literal_is_reported() {
        let source = "           DISPLAY 'A.\n           STOP RUN.\n";
        let read = expand(
            Path::new("a"),
            source.as_bytes(),
            ReferenceFormat::Fixed,
            &CopyLibrary::default(),
        );
        assert_eq!(read.diagnostics[0].line, 1);
        assert!(read.diagnostics[0].message.contains("no closing quote"));
    }
}
