//! Reading the parts of COPY and REPLACE statements.

use crate::diagnostic::SourcePosition;

use super::piece::{PieceKind, TextPiece};
use super::replace::bare;

/// Reads a statement piece by piece, gaps passed over.
pub struct PieceReader<'a> {
    pieces: &'a [TextPiece],
    /// The piece that is read next.
    pub index: usize,
}

impl<'a> PieceReader<'a> {
    /// From the piece at `index` on.
    pub fn new(pieces: &'a [TextPiece], index: usize) -> Self {
        PieceReader { pieces, index }
    }

    fn skip_gaps(&mut self) {
        while self
            .pieces
            .get(self.index)
            .is_some_and(|p| p.is_gap() || p.is_char(',') || p.is_char(';'))
        {
            self.index += 1;
        }
    }

    /// The next piece that is not a gap or separator.
    pub fn peek(&mut self) -> Option<&'a TextPiece> {
        self.skip_gaps();
        self.pieces.get(self.index)
    }

    /// Where the next piece is, or `otherwise` at the end.
    pub fn place(&mut self, otherwise: SourcePosition) -> SourcePosition {
        self.peek().map_or(otherwise, |piece| piece.at)
    }

    /// Takes the next piece if it is the word `word`.
    pub fn accept(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|piece| piece.is_word(word));
        self.index += usize::from(found);
        found
    }

    /// Takes the next piece if it is a period.
    pub fn period(&mut self) -> bool {
        let found = self.peek().is_some_and(|piece| piece.is_char('.'));
        self.index += usize::from(found);
        found
    }

    /// A word or a literal without its quotes.
    pub fn name(&mut self) -> Option<String> {
        let piece = self.peek()?;
        let name = match piece.kind {
            PieceKind::Word => piece.text.clone(),
            PieceKind::Literal => {
                let inner = &piece.text[1..piece.text.len() - 1];
                inner.to_owned()
            }
            _ => return None,
        };
        self.index += 1;
        // A member may be named with its extension: `COPY ACCOUNT.cpy.`
        let rest = &self.pieces[self.index..];
        if let [dot, extension, ..] = rest
            && piece.kind == PieceKind::Word
            && dot.is_char('.')
            && extension.kind == PieceKind::Word
        {
            self.index += 2;
            return Some(format!("{name}.{}", extension.text));
        }
        Some(name)
    }

    /// Skips what is together.
    fn adjoining(&mut self) {
        while self
            .pieces
            .get(self.index)
            .is_some_and(|p| !(p.is_gap() || p.is_char('.') || p.is_char(',') || p.is_char(';')))
        {
            self.index += 1;
        }
    }

    /// Pseudo-text, a literal, or an identifier with its qualifiers and
    /// subscripts.
    pub fn operand(&mut self) -> Option<Vec<TextPiece>> {
        let first = self.peek()?;
        if first.kind != PieceKind::PseudoText {
            if first.is_char('.') || first.kind == PieceKind::OpenLiteral {
                return None;
            }
            let start = self.index;
            self.adjoining();
            let mut end = self.index;
            while self.accept("OF") || self.accept("IN") {
                self.skip_gaps();
                self.adjoining();
                end = self.index;
            }
            if self.peek().is_some_and(|p| p.is_char('('))
                && let Some(length) = self.pieces[self.index..]
                    .iter()
                    .position(|p| p.is_char(')'))
            {
                end = self.index + length + 1;
            }
            self.index = end;
            return Some(self.pieces[start..end].to_vec());
        }
        let start = self.index + 1;
        let length = self.pieces[start..]
            .iter()
            .position(|p| p.kind == PieceKind::PseudoText)?;
        self.index = start + length + 1;
        Some(bare(&self.pieces[start..start + length]))
    }
}
