//! The smallest parts of COBOL text that COPY REPLACING and REPLACE work on.
//!
//! A piece is a run of word characters, a literal with its quotes, one other
//! character, or a gap. Pieces without a gap between them are adjacent: the
//! token cursor joins them again, so `:TAG:-NAME` becomes one word when
//! `:TAG:` is replaced.

use crate::diagnostic::SourcePosition;

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Letters, digits, hyphens, underscores and characters beyond ASCII.
    Word,
    /// A literal with its quotes, inner doubled quotes included.
    Literal,
    /// A literal whose closing quote is missing.
    OpenLiteral,
    /// `==`, the delimiter of pseudo-text.
    PseudoText,
    /// Any other single character.
    Other,
    /// White space, a line end, or a comment.
    Gap,
}

/// One piece of text and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPiece {
    /// What it is.
    pub kind: PieceKind,
    /// Its characters; a single blank for a gap.
    pub text: String,
    /// Its start.
    pub at: SourcePosition,
    /// Whether it is the first piece on its line.
    pub first_on_line: bool,
}

impl TextPiece {
    /// Whether this is the word `word`, in any letter case.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == PieceKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether this is the single character `c`.
    pub fn is_char(&self, c: char) -> bool {
        self.kind == PieceKind::Other && self.text.starts_with(c)
    }

    /// Whether this separates what is on its two sides.
    pub fn is_gap(&self) -> bool {
        self.kind == PieceKind::Gap
    }

    /// Whether two pieces match for COPY REPLACING and REPLACE: literals
    /// character by character, everything else in any letter case.
    pub fn matches(&self, other: &TextPiece) -> bool {
        match (self.kind, other.kind) {
            (PieceKind::Literal, PieceKind::Literal) => self.text == other.text,
            (a, b) => a == b && self.text.eq_ignore_ascii_case(&other.text),
        }
    }
}

/// Whether `c` can be part of a COBOL word.
pub fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_' || !c.is_ascii()
}
