//! Arithmetic: precision and scale of results, divisions that cut, durations.
//!
//! Reference: Db2 for z/OS SQL Reference, "Arithmetic with two decimal
//! operands", "Datetime arithmetic".

use sqlparser::ast::{BinaryOperator, Expr, Spanned};

use super::StatementRewriter;
use super::build::{binary, call, cast, interval, number, take};
use crate::types::SqlType;

impl StatementRewriter<'_> {
    /// Rewrites + - * / with both operands; the result's type.
    pub(super) fn arithmetic(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::BinaryOp { left, op, right } = expr else {
            return SqlType::Unknown;
        };
        let op = op.clone();
        if let Expr::Interval(duration) = &mut **right {
            let unit = duration
                .leading_field
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            self.expr(&mut duration.value);
            let amount = take(&mut duration.value);
            let subject = self.expr(left);
            let left = take(left);
            return self.duration(expr, left, subject, op, &unit, amount);
        }
        let (a, b) = (self.expr(left), self.expr(right));
        if a.is_datetime() || b.is_datetime() {
            return self.datetime_difference(expr, a, b);
        }
        for (side, t) in [(&mut *left, a), (&mut *right, b)] {
            if t.is_text() {
                let inner = take(side);
                **side = cast(inner, "numeric");
            }
        }
        // Db2 computes with large integers; the server with those of the columns.
        if a == SqlType::Smallint && b == SqlType::Smallint {
            let inner = take(left);
            **left = cast(inner, "integer");
        }
        if matches!(op, BinaryOperator::Divide) {
            return self.division(expr, a, b);
        }
        if a.is_integer() && b.is_integer() {
            return whole_number(a, b);
        }
        match (a.decimal(), b.decimal()) {
            (Some(a), Some(b)) => {
                let (p, s) = if matches!(op, BinaryOperator::Multiply) {
                    product(a, b, self.options.decimal_digits)
                } else {
                    sum(a, b, self.options.decimal_digits)
                };
                SqlType::Decimal(p, s)
            }
            _ if a.is_number() && b.is_number() => SqlType::Double,
            _ => SqlType::Unknown,
        }
    }

    fn division(&mut self, expr: &mut Expr, a: SqlType, b: SqlType) -> SqlType {
        if a.is_integer() && b.is_integer() {
            return whole_number(a, b);
        }
        let (Some(x), Some(y)) = (a.decimal(), b.decimal()) else {
            return if a.is_number() && b.is_number() {
                SqlType::Double
            } else {
                SqlType::Unknown
            };
        };
        let Some((p, s)) = quotient(x, y, self.options.decimal_digits) else {
            let at = self.place(expr.span());
            let message = "the result of the division has no digits left for its scale".to_owned();
            self.error(at, -419, message);
            return SqlType::Unknown;
        };
        // One operand must be exact, or the server divides whole numbers.
        let mut whole = take(expr);
        if let Expr::BinaryOp { left, .. } = &mut whole
            && a.is_integer()
        {
            let inner = take(left);
            **left = cast(inner, "numeric");
        }
        *expr = call("trunc", vec![whole, number(s)]);
        SqlType::Decimal(p, s)
    }

    fn duration(
        &mut self,
        expr: &mut Expr,
        left: Expr,
        subject: SqlType,
        op: BinaryOperator,
        unit: &str,
        amount: Expr,
    ) -> SqlType {
        if !matches!(op, BinaryOperator::Plus | BinaryOperator::Minus) {
            let at = self.place(left.span());
            self.error(
                at,
                -182,
                "a labeled duration is added or subtracted".to_owned(),
            );
        }
        let left = if subject.is_text() {
            call("db2.timestamp", vec![left])
        } else {
            left
        };
        let changed = binary(left, op, interval(unit, amount));
        *expr = match subject {
            SqlType::Date => cast(Expr::Nested(Box::new(changed)), "date"),
            _ => Expr::Nested(Box::new(changed)),
        };
        subject
    }

    /// The difference of two dates, times or timestamps is a decimal duration.
    fn datetime_difference(&mut self, expr: &mut Expr, a: SqlType, b: SqlType) -> SqlType {
        let span = expr.span();
        let Expr::BinaryOp { left, op, right } = expr else {
            return SqlType::Unknown;
        };
        if matches!(op, BinaryOperator::Minus) {
            if a.is_datetime() && !b.is_datetime() && !b.is_number() {
                self.as_datetime(a, right, b);
            } else if b.is_datetime() && !a.is_datetime() && !a.is_number() {
                self.as_datetime(b, left, a);
            }
        }
        let known = if a.is_datetime() { a } else { b };
        let both = a.is_datetime() && b.is_datetime() || !(a.is_number() || b.is_number());
        let (function, sql_type) = match known {
            SqlType::Date => ("date", SqlType::Decimal(8, 0)),
            SqlType::Time => ("time", SqlType::Decimal(6, 0)),
            _ => ("timestamp", SqlType::Decimal(20, 6)),
        };
        let (left, right) = (take(left), take(right));
        if both && matches!(op, BinaryOperator::Minus) {
            *expr = call(&format!("db2.{function}_difference"), vec![left, right]);
            return sql_type;
        }
        // A decimal duration is added to a date, or subtracted from it.
        let (subject, duration) = if a.is_datetime() {
            (left, right)
        } else {
            (right, left)
        };
        let adds = match op {
            BinaryOperator::Plus => true,
            BinaryOperator::Minus if a.is_datetime() => false,
            _ => {
                self.refuse(span, "this arithmetic with a date, time or timestamp");
                return SqlType::Unknown;
            }
        };
        let sign = if adds { number(1) } else { number(-1) };
        *expr = call(
            &format!("db2.{function}_plus"),
            vec![subject, duration, sign],
        );
        known
    }
}

/// The type of an operation of two integers.
pub(super) fn whole_number(a: SqlType, b: SqlType) -> SqlType {
    if a == SqlType::Bigint || b == SqlType::Bigint {
        SqlType::Bigint
    } else {
        SqlType::Integer
    }
}

/// Precision and scale of the rest of a division.
pub(super) fn remainder(a: (u8, u8), b: (u8, u8)) -> (u8, u8) {
    let scale = a.1.max(b.1);
    let whole = a.0.saturating_sub(a.1).min(b.0.saturating_sub(b.1));
    (whole.saturating_add(scale).min(31), scale)
}

/// Greatest precision of a result.
fn most(a: (u8, u8), b: (u8, u8), digits: u8) -> i16 {
    if digits >= 31 || a.0 > 15 || b.0 > 15 {
        31
    } else {
        15
    }
}

fn narrow(value: i16) -> u8 {
    u8::try_from(value.clamp(0, 31)).unwrap_or(31)
}

/// Precision and scale of a sum or difference.
pub(super) fn sum(a: (u8, u8), b: (u8, u8), digits: u8) -> (u8, u8) {
    let most = most(a, b, digits);
    let (p, s) = (i16::from(a.0), i16::from(a.1));
    let (q, t) = (i16::from(b.0), i16::from(b.1));
    let scale = s.max(t);
    let precision = (p - s).max(q - t) + scale + 1;
    (narrow(precision.min(most)), narrow(scale))
}

/// Precision and scale of a product.
pub(super) fn product(a: (u8, u8), b: (u8, u8), digits: u8) -> (u8, u8) {
    let most = most(a, b, digits);
    let precision = i16::from(a.0) + i16::from(b.0);
    let scale = i16::from(a.1) + i16::from(b.1);
    (narrow(precision.min(most)), narrow(scale.min(most)))
}

/// Precision and scale of a quotient; `None` where the scale is negative.
pub(super) fn quotient(a: (u8, u8), b: (u8, u8), digits: u8) -> Option<(u8, u8)> {
    let (p, s) = (i16::from(a.0), i16::from(a.1));
    let (q, t) = (i16::from(b.0), i16::from(b.1));
    let scale = if most(a, b, digits) == 15 {
        15 - (p - s + t)
    } else if q > 15 {
        let x = (t - (q - 15)).max(0);
        15 - (p - s + x)
    } else {
        let n = if q % 2 == 1 { 30 - q } else { 29 - q };
        n - (p - s + t)
    };
    let most = most(a, b, digits);
    (scale >= 0).then_some((narrow(most), narrow(scale)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_follow_the_manual() {
        // DECIMAL(9,2) / DECIMAL(5,2), DEC15: 15 - (9 - 2 + 2).
        assert_eq!(quotient((9, 2), (5, 2), 15), Some((15, 6)));
        // DEC31 with p' odd: N = 25, 25 - (9 - 2 + 2).
        assert_eq!(quotient((9, 2), (5, 2), 31), Some((31, 16)));
        assert_eq!(quotient((15, 0), (15, 2), 15), None);
        assert_eq!(sum((9, 2), (5, 3), 15), (11, 3));
        assert_eq!(product((9, 2), (5, 3), 15), (14, 5));
    }
}
