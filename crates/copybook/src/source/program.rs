//! The data division of whole programs.
//!
//! A copybook is data descriptions from its first line on. A program has them
//! between DATA DIVISION and PROCEDURE DIVISION, under section headers and
//! file descriptions; everything else is cut away before COPY is expanded, so
//! that members which only the procedure division needs need not be there.

use super::piece::{PieceKind, TextPiece};

/// What the environment division says about pictures and numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EnvironmentDivision {
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// CURRENCY SIGN, the symbol pictures use.
    pub currency: Option<char>,
}

/// Reads the SPECIAL-NAMES that matter to data descriptions.
pub fn environment(pieces: &[TextPiece]) -> EnvironmentDivision {
    let mut environment = EnvironmentDivision::default();
    let words: Vec<&TextPiece> = pieces.iter().filter(|p| !p.is_gap()).collect();
    let end = words
        .iter()
        .position(|p| p.is_word("DATA"))
        .unwrap_or(words.len());
    for (index, piece) in words[..end].iter().enumerate() {
        let rest = &words[index + 1..end];
        let without_is = rest
            .iter()
            .position(|p| !(p.is_word("IS") || p.is_word("SIGN")))
            .map_or(&[] as &[&TextPiece], |at| &rest[at..]);
        if piece.is_word("DECIMAL-POINT") && without_is.first().is_some_and(|p| p.is_word("COMMA"))
        {
            environment.decimal_comma = true;
        }
        if piece.is_word("CURRENCY") {
            environment.currency = currency(without_is);
        }
    }
    environment
}

/// `'X'` or `'text' WITH PICTURE SYMBOL 'X'`.
fn currency(rest: &[&TextPiece]) -> Option<char> {
    let sign = rest.first().filter(|p| p.kind == PieceKind::Literal)?;
    let symbol = rest
        .iter()
        .take(5)
        .position(|p| p.is_word("SYMBOL"))
        .and_then(|at| rest.get(at + 1))
        .filter(|p| p.kind == PieceKind::Literal);
    symbol.unwrap_or(sign).text.chars().nth(1)
}

/// Where the walk through a program stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramState {
    /// In a section with record descriptions.
    Data,
    /// In a section whose entries do not describe storage records.
    OtherSection,
    /// Outside the data division.
    Outside,
}

/// The record descriptions of a program, headers removed; REPLACE statements
/// are kept wherever they stand. Text that is not a program comes back as it
/// is.
pub fn data_division(pieces: Vec<TextPiece>) -> Vec<TextPiece> {
    let starts_program = |index: usize| {
        (pieces[index].is_word("IDENTIFICATION") || pieces[index].is_word("ID"))
            && follows(&pieces, index, "DIVISION")
            || pieces[index].is_word("PROGRAM-ID")
    };
    let mut state = if (0..pieces.len()).any(starts_program) {
        ProgramState::Outside
    } else {
        ProgramState::Data
    };
    let mut out = Vec::with_capacity(pieces.len());
    let mut sentence_start = true;
    let mut index = 0usize;
    while index < pieces.len() {
        let piece = &pieces[index];
        if let Some(next) = header(&pieces, index, state) {
            state = next;
            index = sentence_end(&pieces, index);
            sentence_start = true;
            continue;
        }
        let keeps_replace =
            state != ProgramState::Data && piece.is_word("REPLACE") && sentence_start;
        let file_entry = state == ProgramState::Data
            && sentence_start
            && ["FD", "SD", "CD", "RD"].iter().any(|w| piece.is_word(w));
        if keeps_replace || file_entry {
            let end = sentence_end(&pieces, index);
            if keeps_replace {
                out.extend_from_slice(&pieces[index..end]);
            }
            index = end;
            continue;
        }
        if state == ProgramState::Data {
            out.push(piece.clone());
        }
        if !piece.is_gap() {
            sentence_start = piece.is_char('.');
        }
        index += 1;
    }
    out
}

/// The state that the division or section header at `index` leads to.
fn header(pieces: &[TextPiece], index: usize, state: ProgramState) -> Option<ProgramState> {
    let piece = &pieces[index];
    if piece.kind != PieceKind::Word {
        return None;
    }
    if follows(pieces, index, "DIVISION") {
        if piece.is_word("DATA") {
            return Some(ProgramState::Data);
        }
        let other = ["PROCEDURE", "IDENTIFICATION", "ID", "ENVIRONMENT"];
        return other
            .iter()
            .any(|w| piece.is_word(w))
            .then_some(ProgramState::Outside);
    }
    if state == ProgramState::Outside || !follows(pieces, index, "SECTION") {
        return None;
    }
    let records = ["FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE"];
    let others = ["SCREEN", "REPORT", "COMMUNICATION"];
    if records.iter().any(|w| piece.is_word(w)) {
        Some(ProgramState::Data)
    } else if others.iter().any(|w| piece.is_word(w)) {
        Some(ProgramState::OtherSection)
    } else {
        None
    }
}

/// Whether the next piece after `index` that is not a gap is `word`.
fn follows(pieces: &[TextPiece], index: usize, word: &str) -> bool {
    pieces[index + 1..]
        .iter()
        .find(|p| !p.is_gap())
        .is_some_and(|p| p.is_word(word))
}

/// The index after the period that ends the sentence at `index`.
fn sentence_end(pieces: &[TextPiece], index: usize) -> usize {
    (index..pieces.len())
        .find(|&at| pieces[at].is_char('.') && pieces.get(at + 1).is_none_or(TextPiece::is_gap))
        .map_or(pieces.len(), |at| at + 1)
}
