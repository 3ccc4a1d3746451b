//! Literals and figurative constants of VALUE clauses.

use crate::model::Literal;
use crate::source::Token;

use super::{Parser, shown};

/// Figurative constants: the spellings and the singular.
const FIGURATIVES: &[(&[&str], &str)] = &[
    (&["ZERO", "ZEROS", "ZEROES"], "ZERO"),
    (&["SPACE", "SPACES"], "SPACE"),
    (&["LOW-VALUE", "LOW-VALUES"], "LOW-VALUE"),
    (&["HIGH-VALUE", "HIGH-VALUES"], "HIGH-VALUE"),
    (&["QUOTE", "QUOTES"], "QUOTE"),
    (&["NULL", "NULLS"], "NULL"),
];

fn figurative(word: &str) -> Option<Literal> {
    let row = FIGURATIVES
        .iter()
        .find(|(words, _)| words.contains(&word))?;
    Some(Literal::Figurative(row.1.into()))
}

impl Parser<'_> {
    /// A literal, `ALL` literal, figurative constant or named constant, with
    /// anything that `&` joins to it.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let mut value = self.one_literal()?;
        while *self.cursor.peek() == Token::Symbol('&') {
            let at = self.cursor.place();
            self.cursor.take();
            let next = self.one_literal()?;
            match joined(&value, &next) {
                Some(both) => value = both,
                None => {
                    self.diagnostics
                        .error(at, "only character literals can be joined with &");
                    return None;
                }
            }
        }
        Some(value)
    }

    fn one_literal(&mut self) -> Option<Literal> {
        let at = self.cursor.place();
        let value = match self.cursor.peek() {
            Token::Literal(literal) => Some(literal.clone()),
            Token::Number(text) => Some(Literal::Number(text.clone())),
            Token::Word(word) if word == "ALL" => {
                self.cursor.take();
                let inner = self.one_literal()?;
                return match inner {
                    Literal::Number(_) => {
                        self.diagnostics
                            .error(at, "ALL requires a character literal, not a number");
                        None
                    }
                    // ALL adds nothing to a figurative constant.
                    Literal::Figurative(_) | Literal::All(_) => Some(inner),
                    other => Some(Literal::All(Box::new(other))),
                };
            }
            Token::Word(word) => figurative(word)
                .or_else(|| self.constants.get(word).map(|constant| constant.literal())),
            _ => None,
        };
        if value.is_some() {
            self.cursor.take();
            return value;
        }
        let message = match self.cursor.peek() {
            Token::Bad(message) => message.clone(),
            other => format!("expected a value, found {}", shown(other)),
        };
        self.diagnostics.error(at, message);
        None
    }

    /// The values of a level 88: `VALUE[S] [IS|ARE] literal [THRU literal] …`
    /// and the FALSE phrase, which is not kept.
    pub(super) fn condition_values(&mut self) -> Option<Vec<(Literal, Option<Literal>)>> {
        let at = self.cursor.place();
        if !self.cursor.accept_any(&["VALUE", "VALUES"]) {
            let message = format!("expected VALUE, found {}", shown(self.cursor.peek()));
            self.diagnostics.error(at, message);
            return None;
        }
        self.cursor.accept_any(&["IS", "ARE"]);
        let mut values = Vec::new();
        loop {
            let low = self.literal()?;
            let mut high = None;
            if self.cursor.accept_any(&["THRU", "THROUGH"]) {
                high = Some(self.literal()?);
            }
            values.push((low, high));
            if *self.cursor.peek() == Token::Period {
                return Some(values);
            }
            if matches!(self.cursor.peek(), Token::Word(w) if w == "WHEN" || w == "FALSE") {
                self.false_phrase()?;
                return Some(values);
            }
            if self.at_next_entry() {
                // The period is missing; `period` says so.
                return Some(values);
            }
        }
    }

    /// Whether a level number with a name after it comes, on its own line: it is no
    /// further value.
    fn at_next_entry(&self) -> bool {
        let level = match self.cursor.peek() {
            Token::Number(n) if n.len() <= 2 => n.parse::<u8>().ok(),
            _ => None,
        };
        let named = self.cursor.second_word().is_some_and(|word| {
            let word = word.to_ascii_uppercase();
            !matches!(&*word, "THRU" | "THROUGH" | "ALL" | "WHEN" | "FALSE")
                && figurative(&word).is_none()
                && !self.constants.contains_key(&word)
        });
        self.cursor.at_line_start()
            && (level == Some(88) || named && matches!(level, Some(1..=49 | 66 | 77 | 78)))
    }

    /// `[WHEN SET TO] FALSE [IS] literal`.
    fn false_phrase(&mut self) -> Option<()> {
        if self.cursor.accept("WHEN") {
            self.cursor.accept("SET");
            self.cursor.accept("TO");
        }
        if !self.expect("FALSE") {
            return None;
        }
        self.cursor.accept("IS");
        self.literal()?;
        Some(())
    }
}

/// The literal that `a & b` makes.
fn joined(a: &Literal, b: &Literal) -> Option<Literal> {
    match (a, b) {
        (Literal::Text(a), Literal::Text(b)) => Some(Literal::Text(format!("{a}{b}"))),
        (Literal::Hex(a), Literal::Hex(b)) => Some(Literal::Hex([a.as_slice(), b].concat())),
        (Literal::Text(a), Literal::Hex(b)) => {
            Some(Literal::Hex([a.as_bytes(), b.as_slice()].concat()))
        }
        (Literal::Hex(a), Literal::Text(b)) => {
            Some(Literal::Hex([a.as_slice(), b.as_bytes()].concat()))
        }
        _ => None,
    }
}
