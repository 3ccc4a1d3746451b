//! `SQL TYPE IS` in data descriptions: the COBOL that it declares.
//!
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "LOB, binary
//! and varbinary host variables in COBOL".

use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

impl TranslationState {
    /// Replaces `SQL TYPE IS` by groups of level 49 and pictures.
    pub(crate) fn sql_types(&mut self) {
        let mut at = 0;
        while at + 3 < self.tokens.len() {
            let shape = self.tokens[at].is("SQL")
                && self.tokens[at + 1].is("TYPE")
                && self.tokens[at + 2].is("IS");
            if shape {
                self.sql_type(at);
            }
            at += 1;
        }
    }

    fn sql_type(&mut self, at: usize) {
        let mut end = at + 3;
        while end < self.tokens.len() && !self.tokens[end].is_mark('.') {
            end += 1;
        }
        let words: Vec<String> = self.tokens[at + 3..end].iter().map(Token::upper).collect();
        let length = words.iter().skip_while(|w| *w != "(").nth(1).and_then(|w| {
            length(
                w,
                words.iter().find(|w| matches!(w.as_str(), "K" | "M" | "G")),
            )
        });
        // USAGE IS before it is part of the clause.
        let mut start = at;
        while start > 0 && self.tokens[start - 1].is_any(&["USAGE", "IS"]) {
            start -= 1;
        }
        let name = self.tokens[..start]
            .iter()
            .rev()
            .find(|t| t.kind == TokenKind::Word);
        let name = name.map(Token::upper).unwrap_or_default();
        let text = match (words.first().map(String::as_str), length) {
            (Some("CLOB" | "BLOB" | "DBCLOB"), Some(n)) => {
                format!(". 49 {name}-LENGTH PIC S9(9) COMP-5. 49 {name}-DATA PIC X({n})")
            }
            (Some("VARBINARY" | "VARCHAR"), Some(n)) => {
                format!(". 49 {name}-LEN PIC S9(4) COMP-5. 49 {name}-TEXT PIC X({n})")
            }
            (Some("BINARY" | "CHAR"), Some(n)) => format!("PIC X({n})"),
            (Some("ROWID"), _) => {
                format!(". 49 {name}-LEN PIC S9(4) COMP-5. 49 {name}-TEXT PIC X(40)")
            }
            // The compiler reports it.
            _ => return,
        };
        let like = self.tokens[at].clone();
        // The text is one entry after the other: it is put in as tokens.
        let pieces = text.split_inclusive(". ").flat_map(|part| {
            let (words, period) = match part.strip_suffix(". ") {
                Some(words) => (words, true),
                None => (part, false),
            };
            let words = words.split(' ').filter(|w| !w.is_empty());
            let mut tokens: Vec<Token> = words.map(|w| like.word(w)).collect();
            for token in &mut tokens {
                token.spaced = true;
            }
            if period {
                tokens.push(Token {
                    kind: TokenKind::Mark,
                    text: ".".to_owned(),
                    spaced: false,
                    ..like.clone()
                });
            }
            tokens
        });
        let pieces: Vec<Token> = pieces.collect();
        self.tokens.splice(start..end, pieces);
    }
}

/// A length such as `10`, `10K` or `10` with K after it.
fn length(word: &str, unit: Option<&String>) -> Option<u64> {
    let digits = word.trim_end_matches(['K', 'M', 'G']);
    let factor = match word
        .strip_prefix(digits)
        .filter(|u| !u.is_empty())
        .or(unit.map(String::as_str))
    {
        Some("K") => 1 << 10,
        Some("M") => 1 << 20,
        Some("G") => 1 << 30,
        _ => 1,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}
