//! Functions whose result has a type of its own: SUM and AVG, COALESCE, CHAR, ROUND and TRUNCATE.
//!
//! Reference: Db2 for z/OS SQL Reference, "Aggregate functions" and "Scalar functions".

use sqlparser::ast::Expr;

use super::StatementRewriter;
use super::build::{call, cast, literal_text, number, take, text};
use super::expression::{common_type, pad};
use super::functions::literal_number;
use crate::types::SqlType;

impl StatementRewriter<'_> {
    /// SUM and AVG have the type of their argument, AVG cuts.
    pub(super) fn aggregate(&mut self, expr: &mut Expr, name: &str, argument: SqlType) -> SqlType {
        let (result, scale) = match (name, argument) {
            (_, SqlType::Smallint | SqlType::Integer) => (SqlType::Integer, 0),
            (_, SqlType::Bigint) => (SqlType::Bigint, 0),
            ("SUM", SqlType::Decimal(p, s)) => {
                let wide = p > 15 || self.options.decimal_digits >= 31;
                let most = if wide { (p + 10).min(31) } else { 15 };
                return SqlType::Decimal(most, s);
            }
            ("AVG", SqlType::Decimal(p, s)) => {
                let wide = p > 15 || self.options.decimal_digits >= 31;
                let (most, base) = if wide { (31, 28) } else { (15, 15) };
                let scale = (base - i16::from(p) + i16::from(s)).clamp(0, 31);
                let scale = u8::try_from(scale).unwrap_or(0);
                let inner = take(expr);
                *expr = call("trunc", vec![inner, number(scale)]);
                return SqlType::Decimal(most, scale);
            }
            (_, other) => return other,
        };
        let inner = take(expr);
        let inner = if name == "AVG" {
            call("trunc", vec![inner, number(scale)])
        } else {
            inner
        };
        *expr = cast(inner, &result.postgresql());
        result
    }

    /// COALESCE and VALUE: all arguments have one type, texts one length.
    pub(super) fn coalesce(
        &mut self,
        expr: &mut Expr,
        mut args: Vec<Expr>,
        types: &[SqlType],
    ) -> SqlType {
        let known = types.iter().copied().find(|t| *t != SqlType::Unknown);
        let typed = args
            .iter()
            .zip(types)
            .find(|(a, t)| **t != SqlType::Unknown && literal_text(a).is_none())
            .map(|(_, t)| *t);
        let target = typed.or(known).unwrap_or(SqlType::Unknown);
        for (arg, t) in args.iter_mut().zip(types) {
            self.pair(target, arg, *t);
        }
        let result = common_type(types);
        for (arg, t) in args.iter_mut().zip(types) {
            pad(result, arg, *t);
        }
        *expr = call("coalesce", args);
        result
    }

    /// CHAR of a text, number, date, time or timestamp.
    pub(super) fn char_function(
        &mut self,
        expr: &mut Expr,
        mut args: Vec<Expr>,
        types: &[SqlType],
    ) -> SqlType {
        let first = types[0];
        let subject = take(&mut args[0]);
        let (result, sql_type) = if first.is_datetime() {
            let style = args.get(1).and_then(literal_text).map(str::to_owned);
            let style = style.unwrap_or_else(|| self.options.dates.name().to_owned());
            let length = match first {
                SqlType::Date => 10,
                SqlType::Time => 8,
                _ => 26,
            };
            (
                call("db2.char", vec![subject, text(style)]),
                SqlType::Char(length),
            )
        } else if let Some(length) = args.get(1).and_then(literal_number) {
            let shown = self.as_text(subject, first);
            (
                call("db2.char", vec![shown, number(length)]),
                SqlType::Char(length),
            )
        } else if let Some(own) = first.length() {
            let char_type = SqlType::Char(own);
            (
                subject,
                if matches!(first, SqlType::Char(_)) {
                    char_type
                } else {
                    SqlType::Varchar(own)
                },
            )
        } else {
            let length = match first {
                SqlType::Smallint => 6,
                SqlType::Integer => 11,
                SqlType::Bigint => 20,
                SqlType::Decimal(p, _) => u32::from(p) + 2,
                _ => 24,
            };
            let shown = match first {
                SqlType::Decimal(p, s) => call("db2.char", vec![subject, number(p), number(s)]),
                t if t.is_integer() => {
                    call("db2.char", vec![cast(subject, "text"), number(length)])
                }
                SqlType::Unknown => call("db2.char", vec![subject]),
                SqlType::Real | SqlType::Double => call(
                    "db2.char",
                    vec![call("db2.varchar", vec![subject]), number(length)],
                ),
                _ => cast(subject, "text"),
            };
            (shown, SqlType::Char(length))
        };
        *expr = result;
        sql_type
    }
}

/// ROUND and TRUNCATE; the type of the result, which keeps the scale of a decimal number.
pub(super) fn rounded(
    server: &str,
    subject: Expr,
    first: SqlType,
    digits: Expr,
) -> (Expr, SqlType) {
    let exact = match first {
        SqlType::Decimal(..) => subject,
        _ => cast(subject, "numeric"),
    };
    let result = call(server, vec![exact, digits]);
    match first {
        SqlType::Decimal(p, s) => {
            let precision = if server == "round" { p + 1 } else { p };
            let shown = call("round", vec![result, number(s)]);
            (shown, SqlType::Decimal(precision.min(31), s))
        }
        // A small number may grow: ROUND(32767, -1).
        t if t.is_integer() => (cast(result, &t.postgresql()), t),
        SqlType::Real | SqlType::Double => {
            (cast(result, &SqlType::Double.postgresql()), SqlType::Double)
        }
        other => (result, other),
    }
}
