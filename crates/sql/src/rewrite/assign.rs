//! Assignment to columns: Db2 cuts where PostgreSQL rounds.

use sqlparser::ast::Expr;

use super::StatementRewriter;
use super::build::{call, literal_text, number, placeholder, take};
use crate::types::SqlType;

impl StatementRewriter<'_> {
    /// Rewrites a value that is assigned to a column.
    pub(super) fn assign(&mut self, target: SqlType, value: &mut Expr) {
        let source = self.expr(value);
        self.fit(target, value, source);
    }

    /// Makes a rewritten value fit a column.
    pub(super) fn fit(&mut self, target: SqlType, value: &mut Expr, source: SqlType) {
        if is_default_or_null(value) {
            return;
        }
        match target {
            SqlType::Unknown => self.pair(target, value, source),
            t if t.is_datetime() || t.is_bytes() => self.pair(t, value, source),
            t if t.is_number() && source.is_text() => self.pair(t, value, source),
            SqlType::Decimal(_, scale) => cut(value, source, scale),
            t if t.is_integer() => cut(value, source, 0),
            SqlType::Varchar(n) | SqlType::Vargraphic(n) => {
                // Blanks beyond the column's length are left out, as Db2 does.
                let longer = source.length().is_none_or(|l| l > n);
                if longer
                    && (source.is_text() || source == SqlType::Unknown)
                    && literal_text(value).is_none()
                {
                    if let Some(parameter) = placeholder(value) {
                        self.declare(parameter, crate::wire::oid::BPCHAR);
                    }
                    let inner = take(value);
                    *value = call("db2.fit", vec![inner, number(n)]);
                }
            }
            _ => {}
        }
    }
}

/// Cuts digits after the scale, unless there are none.
fn cut(value: &mut Expr, source: SqlType, scale: u8) {
    let fits = match source.decimal() {
        Some((_, own)) => own <= scale,
        // The server decides the type of an expression without one.
        None => {
            !matches!(
                source,
                SqlType::Real | SqlType::Double | SqlType::Decfloat(_)
            ) && is_simple(value)
        }
    };
    if fits {
        return;
    }
    let inner = take(value);
    let inner = if source.decimal().is_some() {
        inner
    } else {
        super::build::cast(inner, "numeric")
    };
    *value = call("trunc", vec![inner, number(scale)]);
}

/// A value that is not a computation: a column of unknown type, a parameter.
fn is_simple(value: &Expr) -> bool {
    placeholder(value).is_some()
        || matches!(
            value,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) | Expr::Subquery(_)
        )
}

fn is_default_or_null(value: &Expr) -> bool {
    match value {
        Expr::Identifier(i) => i.value == "DEFAULT" && i.quote_style.is_none(),
        Expr::Value(v) => matches!(v.value, sqlparser::ast::Value::Null),
        _ => false,
    }
}
