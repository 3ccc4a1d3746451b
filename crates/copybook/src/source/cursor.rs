//! Tokens of the data division, read from pieces.
//!
//! Adjacent pieces are joined here: words that REPLACING put together,
//! numbers with their point and sign, literals with their prefix. A PICTURE
//! string is read by [`Cursor::picture`], because its characters alone do not
//! distinguish it from other text.

use crate::diagnostic::SourcePosition;
use crate::model::Literal;

use super::piece::{PieceKind, TextPiece};

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A word, in upper case.
    Word(String),
    /// A number as written, with a point as its decimal sign.
    Number(String),
    /// A literal that is not a number.
    Literal(Literal),
    /// The period that ends an entry.
    Period,
    /// Any other character.
    Symbol(char),
    /// Text that is not a token; what is wrong with it.
    Bad(String),
    /// The end of the text.
    End,
}

/// Reads tokens from pieces.
pub struct Cursor<'a> {
    pieces: &'a [TextPiece],
    index: usize,
    decimal_comma: bool,
    /// The token at `index`, its place, whether it is first on its line, and the
    /// index after it.
    next: (Token, SourcePosition, bool, usize),
}

impl<'a> Cursor<'a> {
    /// Reads `pieces` from their start.
    pub fn new(pieces: &'a [TextPiece], decimal_comma: bool) -> Self {
        let mut cursor = Cursor {
            pieces,
            index: 0,
            decimal_comma,
            next: (Token::End, SourcePosition::default(), false, 0),
        };
        cursor.fill();
        cursor
    }

    /// The token ahead.
    pub fn peek(&self) -> &Token {
        &self.next.0
    }

    /// Where the token ahead is.
    pub fn place(&self) -> SourcePosition {
        self.next.1
    }

    /// Whether the token ahead is the first on its line.
    pub fn at_line_start(&self) -> bool {
        self.next.2
    }

    /// Whether the token after the one ahead is one of `words`.
    pub fn second_is(&self, words: &[&str]) -> bool {
        let start = self.skip(self.next.3);
        self.pieces
            .get(start)
            .is_some_and(|piece| words.iter().any(|word| piece.is_word(word)))
    }

    /// The word after the token ahead, if a word is there.
    pub fn second_word(&self) -> Option<&str> {
        let piece = self.pieces.get(self.skip(self.next.3))?;
        let letters = piece.text.contains(|c: char| c.is_ascii_alphabetic());
        (piece.kind == PieceKind::Word && letters).then_some(&*piece.text)
    }

    /// Where the last piece of text before the token ahead stands.
    pub fn before(&self) -> Option<SourcePosition> {
        let start = self.skip(self.index);
        let read = self.pieces.get(..start)?;
        read.iter().rfind(|p| !p.is_gap()).map(|p| p.at)
    }

    /// Takes the token ahead.
    pub fn take(&mut self) -> Token {
        let token = std::mem::replace(&mut self.next.0, Token::End);
        self.index = self.next.3;
        self.fill();
        token
    }

    /// Takes the token ahead if it is the word `word`.
    pub fn accept(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.take();
        }
        found
    }

    /// Takes the token ahead if it is one of `words`.
    pub fn accept_any(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.accept(word))
    }

    /// Takes the word PICTURE ahead and reads the string after it: everything up to
    /// the next gap, without the period or comma that ends it.
    pub fn picture(&mut self) -> Option<(String, SourcePosition)> {
        let skip_gaps = |mut index: usize| {
            while self.pieces.get(index).is_some_and(TextPiece::is_gap) {
                index += 1;
            }
            index
        };
        let mut index = skip_gaps(self.next.3);
        let is_word = self.pieces.get(index).is_some_and(|p| p.is_word("IS"));
        if is_word && self.pieces.get(index + 1).is_some_and(TextPiece::is_gap) {
            index = skip_gaps(index + 1);
        }
        let mut at = self.pieces.get(index).map_or(self.next.1, |p| p.at);
        let mut text = String::new();
        while let Some(piece) = self.pieces.get(index) {
            let ends = piece.is_gap()
                || ['.', ',', ';'].iter().any(|c| piece.is_char(*c))
                    && self.pieces.get(index + 1).is_none_or(TextPiece::is_gap);
            if ends {
                break;
            }
            text.push_str(&piece.text);
            index += 1;
        }
        at.length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.index = index;
        self.fill();
        (!text.is_empty()).then(|| (text.to_uppercase(), at))
    }

    /// The index of the first piece from `index` on that is not a separator.
    fn skip(&self, mut index: usize) -> usize {
        while let Some(piece) = self.pieces.get(index) {
            let comma = piece.is_char(',') && !self.starts_decimal(index);
            if !(piece.is_gap() || comma || piece.is_char(';')) {
                break;
            }
            index += 1;
        }
        index
    }

    /// Whether a decimal sign at `index` is followed by a digit.
    fn starts_decimal(&self, index: usize) -> bool {
        let sign = if self.decimal_comma { ',' } else { '.' };
        let Some([point, digits]) = self.pieces.get(index..index + 2) else {
            return false;
        };
        point.is_char(sign)
            && digits.kind == PieceKind::Word
            && digits.text.starts_with(|c: char| c.is_ascii_digit())
    }

    fn fill(&mut self) {
        let start = self.skip(self.index);
        let Some(piece) = self.pieces.get(start) else {
            let last = self.pieces.iter().rfind(|p| !p.is_gap());
            let at = last.map_or(SourcePosition::default(), |p| p.at);
            self.next = (Token::End, at, true, start);
            return;
        };
        let mut at = piece.at;
        let (token, end) = self.token(start, piece);
        if let Some(last) = self.pieces.get(end.saturating_sub(1))
            && last.at.file == at.file
            && last.at.line == at.line
            && last.at.offset > at.offset
        {
            at.length = last.at.offset + last.at.length - at.offset;
        }
        self.next = (token, at, piece.first_on_line, end);
    }

    /// The token at `start` and the index after it.
    fn token(&self, start: usize, piece: &TextPiece) -> (Token, usize) {
        match piece.kind {
            PieceKind::Literal => {
                let text = unquote(&piece.text);
                (Token::Literal(Literal::Text(text)), start + 1)
            }
            PieceKind::OpenLiteral => {
                let message = "the closing quote of this literal is missing";
                (Token::Bad(message.into()), start + 1)
            }
            PieceKind::Word => self.word(start),
            PieceKind::Other => {
                let c = piece.text.chars().next().unwrap_or(' ');
                let signed = c == '+' && self.number_follows(start + 1);
                if signed || self.starts_decimal(start) {
                    return self.number(start);
                }
                match c {
                    '.' => (Token::Period, start + 1),
                    c => (Token::Symbol(c), start + 1),
                }
            }
            PieceKind::PseudoText => (Token::Symbol('='), start + 1),
            PieceKind::Gap => (Token::End, start + 1),
        }
    }

    fn number_follows(&self, index: usize) -> bool {
        self.starts_decimal(index)
            || self.pieces.get(index).is_some_and(|p| {
                p.kind == PieceKind::Word && p.text.chars().all(|c| c.is_ascii_digit())
            })
    }

    fn word(&self, start: usize) -> (Token, usize) {
        let mut text = String::new();
        let mut index = start;
        while let Some(piece) = self.pieces.get(index)
            && piece.kind == PieceKind::Word
        {
            text.push_str(&piece.text);
            index += 1;
        }
        let unsigned = text.strip_prefix('-').unwrap_or(&text);
        if unsigned.chars().all(|c| c.is_ascii_digit())
            && (!unsigned.is_empty() || self.starts_decimal(index))
        {
            return self.number(start);
        }
        if let Some(piece) = self.pieces.get(index)
            && piece.kind == PieceKind::Literal
            && let Some(token) = prefixed(&text, &unquote(&piece.text))
        {
            return (token, index + 1);
        }
        (Token::Word(text.to_uppercase()), index)
    }

    /// Joins sign, digits, point, more digits and exponent.
    fn number(&self, start: usize) -> (Token, usize) {
        let mut text = String::new();
        let mut index = start;
        while let Some(piece) = self.pieces.get(index) {
            let exponent_sign = text.ends_with(['E', 'e']) && piece.is_char('+');
            let leading_sign = text.is_empty() && piece.is_char('+');
            let joins = piece.kind == PieceKind::Word || leading_sign || exponent_sign;
            if joins {
                text.push_str(&piece.text);
            } else if self.starts_decimal(index) && !text.contains('.') {
                text.push('.');
            } else {
                break;
            }
            index += 1;
        }
        let text = text.to_ascii_uppercase();
        if is_number(&text) {
            (Token::Number(text), index)
        } else {
            (Token::Bad(format!("{text} is not a number")), index)
        }
    }
}

/// Sign, digits, optional fraction, optional exponent.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once('E') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && e.len() <= 4 && digits(e)
    });
    digits(whole) && digits(fraction) && !fraction.is_empty() && exponent_fits
}

/// The characters of a literal, doubled quotes undone.
fn unquote(text: &str) -> String {
    let Some(quote) = text.chars().next() else {
        return String::new();
    };
    let inner = &text[quote.len_utf8()..text.len() - quote.len_utf8()];
    let doubled: String = [quote, quote].iter().collect();
    inner.replace(&doubled, &quote.to_string())
}

/// A literal with a prefix. Returns `None` if `prefix` is not one.
fn prefixed(prefix: &str, text: &str) -> Option<Token> {
    let number = |radix: u32, kind: &str| match u64::from_str_radix(text, radix) {
        Ok(value) => Token::Number(value.to_string()),
        Err(_) => Token::Bad(format!("\"{text}\" is not a {kind} number")),
    };
    Some(match prefix.to_ascii_uppercase().as_str() {
        "N" | "G" => Token::Literal(Literal::Text(text.to_owned())),
        "Z" => Token::Literal(Literal::Text(format!("{text}\0"))),
        "X" => hex(text, 2),
        "NX" => hex(text, 4),
        "H" => number(16, "hexadecimal"),
        "B" => number(2, "binary"),
        "O" => number(8, "octal"),
        _ => return None,
    })
}

/// Hexadecimal digits, `unit` of them a character.
fn hex(text: &str, unit: usize) -> Token {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    match digits {
        None => Token::Bad(format!(
            "\"{text}\" has characters that are not hexadecimal digits"
        )),
        Some(digits) if digits.is_empty() || !digits.len().is_multiple_of(unit) => {
            Token::Bad(format!(
                "a hexadecimal literal requires {unit} digits a character, this one has {}",
                digits.len()
            ))
        }
        Some(digits) => Token::Literal(Literal::Hex(
            digits
                .chunks(2)
                .map(|pair| pair[0] << 4 | pair[1])
                .collect(),
        )),
    }
}
