//! Exchanging text: the rules of REPLACING phrases and REPLACE statements.

use super::piece::{PieceKind, TextPiece};

/// The part of a word that a rule replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// Whole words and literals, any number of them in a row.
    Whole,
    /// The beginning of a word.
    Leading,
    /// The end of a word.
    Trailing,
}

/// One `old BY new`.
#[derive(Debug, Clone)]
pub struct ReplaceRule {
    /// How it matches.
    pub kind: RuleKind,
    /// The text to replace; never empty.
    pub from: Vec<TextPiece>,
    /// The replacement.
    pub to: Vec<TextPiece>,
}

/// Text longer than this many pieces is not replaced any further.
const MAX_PIECES: usize = 4_000_000;

/// Carries out `rules` over `pieces`; at every place the first that fits.
pub fn apply(pieces: Vec<TextPiece>, rules: &[ReplaceRule]) -> Vec<TextPiece> {
    if rules.is_empty() {
        return pieces;
    }
    let mut out = Vec::with_capacity(pieces.len());
    let mut index = 0usize;
    while index < pieces.len() {
        if out.len() > MAX_PIECES {
            out.extend_from_slice(&pieces[index..]);
            break;
        }
        let found = rules
            .iter()
            .find_map(|rule| rule.at(&pieces, index).map(|end| (rule, end)));
        match found {
            Some((rule, end)) => {
                rule.emit(&pieces[index], &mut out);
                index = end;
            }
            None => {
                out.push(pieces[index].clone());
                index += 1;
            }
        }
    }
    out
}

/// Pieces without the gaps at both ends.
pub fn bare(pieces: &[TextPiece]) -> Vec<TextPiece> {
    let start = pieces.iter().position(|p| !p.is_gap());
    let end = pieces.iter().rposition(|p| !p.is_gap());
    match (start, end) {
        (Some(start), Some(end)) => pieces[start..=end].to_vec(),
        _ => Vec::new(),
    }
}

impl ReplaceRule {
    /// The index after what this rule matches at `index`, if it does.
    fn at(&self, pieces: &[TextPiece], index: usize) -> Option<usize> {
        match self.partial() {
            Some(part) => {
                let piece = &pieces[index];
                let long = piece.text.len() >= part.len();
                let fits = piece.kind == PieceKind::Word
                    && long
                    && match self.kind {
                        RuleKind::Leading => piece
                            .text
                            .get(..part.len())
                            .is_some_and(|head| head.eq_ignore_ascii_case(part)),
                        _ => piece
                            .text
                            .get(piece.text.len() - part.len()..)
                            .is_some_and(|tail| tail.eq_ignore_ascii_case(part)),
                    };
                fits.then_some(index + 1)
            }
            None => self.whole(pieces, index),
        }
    }

    /// The partial word of a LEADING or TRAILING rule; a rule whose text is
    /// more than one word matches as a whole.
    fn partial(&self) -> Option<&str> {
        match (self.kind, self.from.as_slice()) {
            (RuleKind::Whole, _) => None,
            (_, [piece]) if piece.kind == PieceKind::Word => Some(&piece.text),
            _ => None,
        }
    }

    /// Separators count on neither side: what would be one word without them
    /// is not two pieces.
    fn whole(&self, pieces: &[TextPiece], index: usize) -> Option<usize> {
        let mut at = index;
        for wanted in self.from.iter().filter(|p| !is_separator(p)) {
            if at > index {
                while pieces.get(at).is_some_and(is_separator) {
                    at += 1;
                }
            }
            if !pieces.get(at)?.matches(wanted) {
                return None;
            }
            at += 1;
        }
        (at > index).then_some(at)
    }

    /// Puts the new text in place of `old`.
    fn emit(&self, old: &TextPiece, out: &mut Vec<TextPiece>) {
        let put = |piece: &TextPiece, text: String, first: bool| TextPiece {
            kind: piece.kind,
            text,
            at: old.at,
            first_on_line: first && old.first_on_line,
        };
        match self.partial() {
            Some(part) => {
                let new: String = self.to.iter().map(|p| p.text.as_str()).collect();
                let text = match self.kind {
                    RuleKind::Leading => new + &old.text[part.len()..],
                    _ => old.text[..old.text.len() - part.len()].to_owned() + &new,
                };
                if !text.is_empty() {
                    out.push(put(old, text, true));
                }
            }
            None => {
                for (index, piece) in self.to.iter().enumerate() {
                    out.push(put(piece, piece.text.clone(), index == 0));
                }
            }
        }
    }
}

fn is_separator(piece: &TextPiece) -> bool {
    piece.is_gap() || piece.is_char(',') || piece.is_char(';')
}
