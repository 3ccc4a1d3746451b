//! Named constants: level 78 and `01 name CONSTANT`.
//!
//! They take no storage, but pictures, OCCURS and VALUE use them.

use crate::diagnostic::SourcePosition;
use crate::model::Literal;
use crate::source::Token;

use super::{DataEntry, Parser, shown};

/// The value of a constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant(Literal);

impl Constant {
    /// Its value as a literal.
    pub fn literal(&self) -> Literal {
        self.0.clone()
    }

    /// Its value as a number without sign or fraction.
    pub fn integer(&self) -> Option<u64> {
        match &self.0 {
            Literal::Number(text) => text.strip_prefix('+').unwrap_or(text).parse().ok(),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// `78 name VALUE [IS] value.`
    pub(super) fn constant_78(&mut self, at: SourcePosition) {
        let name = self.user_word("the name of the constant");
        if let Some(name) = name
            && self.expect("VALUE")
        {
            self.cursor.accept("IS");
            self.define(name, at);
        } else {
            self.recover();
        }
    }

    /// `01 name CONSTANT [IS GLOBAL] [AS] value.`
    pub(super) fn constant_01(&mut self, entry: DataEntry, at: SourcePosition) {
        self.cursor.accept("CONSTANT");
        self.cursor.accept("IS");
        self.cursor.accept("GLOBAL");
        self.cursor.accept("AS");
        match entry.name {
            Some(name) => self.define(name, at),
            None => {
                self.diagnostics.error(at, "a constant needs a name");
                self.recover();
            }
        }
    }

    fn define(&mut self, name: String, at: SourcePosition) {
        let Some(value) = self.constant_value() else {
            self.recover();
            return;
        };
        self.period();
        if self
            .constants
            .insert(name.clone(), Constant(value))
            .is_some()
        {
            self.diagnostics
                .warn(at, format!("constant {name} is defined again"));
        }
    }

    /// A literal, or whole numbers and constants with + - * / between them,
    /// worked out from left to right by the usual precedence.
    fn constant_value(&mut self) -> Option<Literal> {
        if matches!(self.cursor.peek(), Token::Word(w) if w == "LENGTH" || w == "BYTE-LENGTH") {
            self.diagnostics.error_help(
                self.cursor.place(),
                "LENGTH OF in a constant is not supported",
                "write the number",
            );
            return None;
        }
        let first = self.literal()?;
        let arithmetic = |token: &Token| {
            matches!(token, Token::Symbol('+' | '*' | '/'))
                || matches!(token, Token::Word(w) if w == "-")
        };
        if !arithmetic(self.cursor.peek()) {
            return Some(first);
        }
        let at = self.cursor.place();
        let value = self.sum(first);
        if value.is_none() {
            self.diagnostics
                .error(at, "a constant expression requires whole numbers");
        }
        Some(Literal::Number(value?.to_string()))
    }

    fn sum(&mut self, first: Literal) -> Option<i64> {
        let mut total = self.product(first)?;
        loop {
            let minus = match self.cursor.peek() {
                Token::Symbol('+') => false,
                Token::Word(w) if w == "-" => true,
                Token::Period => return Some(total),
                other => {
                    let message = format!("{} is not expected here", shown(other));
                    self.diagnostics.error(self.cursor.place(), message);
                    return None;
                }
            };
            self.cursor.take();
            let next = self.literal()?;
            let next = self.product(next)?;
            total = if minus {
                total.checked_sub(next)?
            } else {
                total.checked_add(next)?
            };
        }
    }

    fn product(&mut self, first: Literal) -> Option<i64> {
        let mut total = whole(&first)?;
        loop {
            let divide = match self.cursor.peek() {
                Token::Symbol('*') => false,
                Token::Symbol('/') => true,
                _ => return Some(total),
            };
            self.cursor.take();
            let next = whole(&self.literal()?)?;
            total = if divide {
                total.checked_div(next)?
            } else {
                total.checked_mul(next)?
            };
        }
    }
}

fn whole(literal: &Literal) -> Option<i64> {
    match literal {
        Literal::Number(text) => text.strip_prefix('+').unwrap_or(text).parse().ok(),
        _ => None,
    }
}
