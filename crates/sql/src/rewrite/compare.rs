//! Comparisons: what a type asks of the value on the other side.

use sqlparser::ast::{Expr, Spanned};

use super::StatementRewriter;
use super::build::{call, cast, literal_text, placeholder, take, text};
use crate::types::SqlType;
use crate::wire::oid;

impl StatementRewriter<'_> {
    /// Rewrites both sides of a comparison.
    pub(super) fn compare(&mut self, left: &mut Expr, right: &mut Expr) {
        let (a, b) = (self.expr(left), self.expr(right));
        if let (Expr::Tuple(left), Expr::Tuple(right)) = (&mut *left, &mut *right) {
            for (l, r) in left.iter_mut().zip(right) {
                self.compare(l, r);
            }
            return;
        }
        self.pair(a, right, b);
        self.pair(b, left, a);
        // Two constants would compare with the blanks at their ends.
        if literal_text(left).is_some() && literal_text(right).is_some() {
            let inner = take(left);
            *left = cast(inner, "bpchar");
        }
    }

    /// Makes a value comparable with one of a known type.
    pub(super) fn pair(&mut self, known: SqlType, value: &mut Expr, value_type: SqlType) {
        if known.is_datetime() {
            self.as_datetime(known, value, value_type);
        } else if known.is_bytes() {
            self.as_bytes(value);
        } else if known == SqlType::Unknown {
            // The server knows the type of the other side.
            if value_type.is_text()
                && let Some(number) = placeholder(value)
                && value_type.length().is_some()
            {
                self.declare(number, 0);
            }
        } else if known.is_text() && value_type.is_number() {
            let at = self.place(value.span());
            let message = "a character column is compared with a number".to_owned();
            self.error(at, -401, message);
        } else if known.is_number() && value_type.is_text() {
            let inner = take(value);
            *value = cast(inner, "numeric");
        }
    }

    /// A date, time or timestamp: a constant is read now, a host variable is
    /// read by the client, any other text by the server.
    pub(super) fn as_datetime(&mut self, known: SqlType, value: &mut Expr, value_type: SqlType) {
        if value_type.is_datetime() {
            return;
        }
        if let Some(written) = literal_text(value).map(str::to_owned) {
            let span = value.span();
            self.datetime_constant(value, &written, known, span);
        } else if let Some(number) = placeholder(value) {
            self.declare(
                number,
                match known {
                    SqlType::Date => oid::DATE,
                    SqlType::Time => oid::TIME,
                    _ => oid::TIMESTAMP,
                },
            );
        } else if value_type.is_text() {
            let function = match known {
                SqlType::Date => "db2.date",
                SqlType::Time => "db2.time",
                _ => "db2.timestamp",
            };
            let inner = take(value);
            *value = call(function, vec![inner]);
        }
    }

    fn as_bytes(&mut self, value: &mut Expr) {
        if let Some(number) = placeholder(value) {
            self.declare(number, oid::BYTEA);
        } else if let Some(written) = literal_text(value) {
            let digits: String = written
                .chars()
                .map(|c| format!("{:02x}", crate::field::from_server(c)))
                .collect();
            *value = cast(text(format!("\\x{digits}")), "bytea");
        }
    }
}
