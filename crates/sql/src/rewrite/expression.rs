//! Expressions, one form after the other; a form that is not here is refused.

use sqlparser::ast::{BinaryOperator, DataType, Expr, InTarget, Spanned, UnaryOperator, Value};

use super::StatementRewriter;
use super::build::{call, cast, literal_text, number, take, text};
use crate::dialect::{NEXT_VALUE, PREVIOUS_VALUE};
use crate::temporal;
use crate::text::{StatementProblem, lex};
use crate::types::{self, SqlType};

impl StatementRewriter<'_> {
    /// Rewrites an expression; its type.
    pub(super) fn expr(&mut self, expr: &mut Expr) -> SqlType {
        match expr {
            Expr::Identifier(_) => self.identifier(expr),
            Expr::CompoundIdentifier(parts) => self.compound(parts),
            Expr::Value(_) => self.value(expr),
            Expr::Nested(inner) => self.expr(inner),
            Expr::BinaryOp { .. } => self.binary(expr),
            Expr::UnaryOp { op, expr: inner } => {
                let op = *op;
                let sql_type = self.expr(inner);
                if !matches!(
                    op,
                    UnaryOperator::Not | UnaryOperator::Minus | UnaryOperator::Plus
                ) {
                    let span = inner.span();
                    self.refuse(span, &format!("the operator {op}"));
                }
                sql_type
            }
            Expr::IsNull(inner) | Expr::IsNotNull(inner) => {
                self.expr(inner);
                SqlType::Unknown
            }
            Expr::IsDistinctFrom(a, b) | Expr::IsNotDistinctFrom(a, b) => {
                self.compare(a, b);
                SqlType::Unknown
            }
            Expr::Between {
                expr, low, high, ..
            } => {
                let subject = self.expr(expr);
                for bound in [low, high] {
                    let bound_type = self.expr(bound);
                    self.pair(subject, bound, bound_type);
                    self.pair(bound_type, expr, subject);
                }
                SqlType::Unknown
            }
            Expr::In { expr, target, .. } => {
                let subject = self.expr(expr);
                self.in_target(subject, target);
                SqlType::Unknown
            }
            Expr::Like {
                expr,
                pattern,
                escape_char,
                ..
            } => {
                self.like(expr, pattern, escape_char);
                SqlType::Unknown
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                self.compare(left, right);
                SqlType::Unknown
            }
            Expr::Exists { subquery, .. } => {
                self.query(subquery);
                SqlType::Unknown
            }
            Expr::Subquery(query) => {
                let columns = self.query(query);
                columns.first().map_or(SqlType::Unknown, |(_, t)| *t)
            }
            Expr::Tuple(list) => {
                for item in list {
                    self.expr(item);
                }
                SqlType::Unknown
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(
                operand.as_deref_mut(),
                conditions,
                else_result.as_deref_mut(),
            ),
            Expr::Cast { .. } => self.cast_expression(expr),
            Expr::TypedString(_) => self.typed_string(expr),
            Expr::Interval(_) => {
                let at = self.place(expr.span());
                let message =
                    "a labeled duration belongs after + or - of a date, time or timestamp";
                self.error(at, -182, message.to_owned());
                SqlType::Unknown
            }
            Expr::Prefixed { prefix, value } => {
                let function = match prefix.value.as_str() {
                    NEXT_VALUE => "nextval",
                    PREVIOUS_VALUE => "db2.previous_value",
                    _ => "",
                };
                let Expr::CompoundIdentifier(parts) = &**value else {
                    return SqlType::Unknown;
                };
                let qualifier = (parts.len() == 1)
                    .then(|| self.options.qualifier.clone())
                    .flatten();
                let names = qualifier
                    .into_iter()
                    .chain(parts.iter().map(|p| p.value.clone()));
                let name: Vec<String> = names.map(|n| format!("\"{n}\"")).collect();
                *expr = call(function, vec![text(name.join("."))]);
                SqlType::Bigint
            }
            Expr::Function(_) => self.function(expr),
            Expr::Trim { .. } => self.trim(expr),
            Expr::Extract {
                field, expr: inner, ..
            } => {
                self.expr(inner);
                let field = field.to_string().to_ascii_lowercase();
                let function = format!("db2.{field}");
                let argument = take(inner);
                *expr = call(&function, vec![argument]);
                SqlType::Integer
            }
            other => {
                let span = other.span();
                self.refuse(span, "this form of an expression");
                SqlType::Unknown
            }
        }
    }

    fn value(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::Value(value) = expr else {
            return SqlType::Unknown;
        };
        match &value.value {
            Value::Placeholder(name) => match name.strip_prefix('$').map(str::parse) {
                Some(Ok(number)) => self.input(number),
                _ => SqlType::Unknown,
            },
            Value::Number(digits, _) => {
                let sql_type = number_type(digits);
                if sql_type == SqlType::Double {
                    // The server takes it for an exact number.
                    let constant = take(expr);
                    *expr = cast(constant, &sql_type.postgresql());
                }
                sql_type
            }
            Value::SingleQuotedString(text) => {
                SqlType::Varchar(u32::try_from(text.chars().count()).unwrap_or(u32::MAX))
            }
            Value::HexStringLiteral(digits) => {
                // Text until its neighbour says that it is bytes.
                let bytes = hex_bytes(digits);
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                let decoded: String = bytes.iter().map(|b| crate::field::to_server(*b)).collect();
                *expr = text(decoded);
                SqlType::Varchar(length)
            }
            Value::SingleQuotedByteStringLiteral(digits) => {
                *expr = cast(text(format!("\\x{digits}")), "bytea");
                SqlType::Varbinary(0)
            }
            Value::Null => SqlType::Unknown,
            _ => {
                let span = value.span;
                self.refuse(span, "this form of a constant");
                SqlType::Unknown
            }
        }
    }

    fn binary(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::BinaryOp { left, op, right } = expr else {
            return SqlType::Unknown;
        };
        use BinaryOperator as B;
        match op {
            B::And | B::Or => {
                self.expr(left);
                self.expr(right);
                SqlType::Unknown
            }
            B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq => {
                self.compare(left, right);
                SqlType::Unknown
            }
            B::StringConcat => {
                let a = self.expr(left);
                let b = self.expr(right);
                let length = a.length().zip(b.length()).map(|(a, b)| a.saturating_add(b));
                let (left, right) = (take(left), take(right));
                *expr = call("db2.concat", vec![left, right]);
                length.map_or(SqlType::Unknown, SqlType::Varchar)
            }
            B::Plus | B::Minus | B::Multiply | B::Divide => self.arithmetic(expr),
            _ => {
                let span = left.span();
                let message = format!("the operator {op}");
                self.refuse(span, &message);
                SqlType::Unknown
            }
        }
    }

    fn in_target(&mut self, subject: SqlType, target: &mut InTarget) {
        match target {
            InTarget::List(list) => {
                for item in list {
                    let item_type = self.expr(item);
                    self.pair(subject, item, item_type);
                }
            }
            InTarget::Subquery(query) => {
                self.query(query);
            }
            InTarget::Unnest(e) => {
                let span = e.span();
                self.refuse(span, "IN UNNEST");
            }
            InTarget::Table { .. } => {
                let at = self.tokens.first().map_or(0, |t| t.at);
                self.problems
                    .push(StatementProblem::refused(at, "IN with the name of a table"));
            }
        }
    }

    fn case(
        &mut self,
        operand: Option<&mut Expr>,
        conditions: &mut [sqlparser::ast::CaseWhen],
        otherwise: Option<&mut Expr>,
    ) -> SqlType {
        let subject = operand.map(|o| self.expr(o));
        let mut types = Vec::new();
        for when in conditions.iter_mut() {
            let condition = self.expr(&mut when.condition);
            if let Some(subject) = subject {
                self.pair(subject, &mut when.condition, condition);
            }
            types.push(self.expr(&mut when.result));
        }
        let mut results: Vec<&mut Expr> = conditions.iter_mut().map(|w| &mut w.result).collect();
        if let Some(otherwise) = otherwise {
            types.push(self.expr(otherwise));
            results.push(otherwise);
        }
        let result = common_type(&types);
        let datetime = types.iter().copied().find(|t| t.is_datetime());
        for (value, t) in results.into_iter().zip(types) {
            match datetime {
                Some(known) if t.is_text() => self.pair(known, value, t),
                _ => pad(result, value, t),
            }
        }
        datetime.unwrap_or(result)
    }

    /// CAST to a type of Db2.
    fn cast_expression(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::Cast {
            expr: inner,
            data_type,
            ..
        } = expr
        else {
            return SqlType::Unknown;
        };
        let written = data_type.to_string();
        let tokens = lex(&written).unwrap_or_default();
        let Some((target, _)) = types::sql_type(&tokens) else {
            let span = inner.span();
            self.refuse(span, &format!("CAST to {written}"));
            return SqlType::Unknown;
        };
        let source = self.expr(inner);
        let inner = take(inner);
        *expr = self.cast_to(inner, source, target);
        target
    }

    /// A value as another type: numbers are cut, texts are read.
    pub(super) fn cast_to(&mut self, expr: Expr, source: SqlType, target: SqlType) -> Expr {
        use SqlType as T;
        match target {
            T::Smallint | T::Integer | T::Bigint if !source.is_integer() => {
                let value = if source.is_number() {
                    expr
                } else {
                    cast(expr, "numeric")
                };
                cast(call("trunc", vec![value]), &target.postgresql())
            }
            T::Decimal(_, s) => {
                let fits = source.decimal().is_some_and(|(_, scale)| scale <= s);
                if fits {
                    return cast(expr, &target.postgresql());
                }
                let value = cast(expr, "numeric");
                cast(call("trunc", vec![value, number(s)]), &target.postgresql())
            }
            T::Date if source != T::Date => call("db2.date", vec![expr]),
            T::Time if source != T::Time => call("db2.time", vec![expr]),
            T::Timestamp(_) if !matches!(source, T::Timestamp(_)) => {
                call("db2.timestamp", vec![expr])
            }
            T::Char(n) | T::Varchar(n) if source.is_text() || source == T::Unknown => {
                let name = if matches!(target, T::Char(_)) {
                    "db2.char"
                } else {
                    "db2.varchar"
                };
                call(name, vec![expr, number(n)])
            }
            T::Char(n) | T::Varchar(n) => {
                let shown = self.as_text(expr, source);
                call("db2.varchar", vec![shown, number(n)])
            }
            _ => cast(expr, &target.postgresql()),
        }
    }

    /// DATE '…' and its like.
    fn typed_string(&mut self, expr: &mut Expr) -> SqlType {
        let span = expr.span();
        let Expr::TypedString(typed) = expr else {
            return SqlType::Unknown;
        };
        let sql_type = match &typed.data_type {
            DataType::Date => SqlType::Date,
            DataType::Time(..) => SqlType::Time,
            DataType::Timestamp(..) => SqlType::Timestamp(6),
            other => {
                let what = format!("a constant of type {other}");
                self.refuse(span, &what);
                return SqlType::Unknown;
            }
        };
        let Value::SingleQuotedString(written) = typed.value.value.clone() else {
            self.refuse(span, "this form of a constant");
            return SqlType::Unknown;
        };
        self.datetime_constant(expr, &written, sql_type, span);
        sql_type
    }

    /// Replaces a text by a date, time or timestamp constant.
    pub(super) fn datetime_constant(
        &mut self,
        expr: &mut Expr,
        written: &str,
        sql_type: SqlType,
        span: sqlparser::tokenizer::Span,
    ) {
        let read = match sql_type {
            SqlType::Date => temporal::parse_date(written).map(|d| d.to_string()),
            SqlType::Time => temporal::parse_time(written).map(|t| t.to_string()),
            _ => temporal::parse_timestamp(written).map(|t| t.to_string()),
        };
        match read {
            Ok(iso) => *expr = cast(text(iso), cast_name(sql_type)),
            Err(error) => {
                let at = self.place(span);
                let what = match sql_type {
                    SqlType::Date => "date",
                    SqlType::Time => "time",
                    _ => "timestamp",
                };
                let message = format!("'{written}' is not a {what}");
                let help = "ISO, USA, EUR and JIS are 2026-02-28, 02/28/2026, 28.02.2026";
                self.problems
                    .push(StatementProblem::error(at, error.sqlcode(), message).with_help(help));
            }
        }
    }

    /// TRIM with BOTH, LEADING or TRAILING.
    fn trim(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::Trim {
            trim_where,
            trim_what,
            expr: inner,
            ..
        } = expr
        else {
            return SqlType::Unknown;
        };
        let sql_type = self.expr(inner);
        let side = match trim_where {
            Some(sqlparser::ast::TrimWhereField::Leading) => "L",
            Some(sqlparser::ast::TrimWhereField::Trailing) => "T",
            _ => "B",
        };
        let what = match trim_what {
            Some(what) => {
                self.expr(what);
                take(what)
            }
            None => text(" "),
        };
        let inner = take(inner);
        *expr = call("db2.strip", vec![inner, text(side), what]);
        sql_type.length().map_or(SqlType::Unknown, SqlType::Varchar)
    }

    /// LIKE: no escape unless one is named, blanks at the pattern's end count.
    fn like(&mut self, expr: &mut Expr, pattern: &mut Expr, escape: &mut Option<Box<Expr>>) {
        self.expr(expr);
        self.expr(pattern);
        if let Some(number) = super::build::placeholder(pattern) {
            self.declare(number, crate::wire::oid::TEXT);
        } else if literal_text(pattern).is_none() {
            let inner = take(pattern);
            *pattern = call("db2.text", vec![inner]);
        }
        match escape {
            None => *escape = Some(Box::new(text(""))),
            Some(escape) => {
                self.expr(escape);
                if let Some(number) = super::build::placeholder(escape) {
                    self.declare(number, crate::wire::oid::TEXT);
                }
            }
        }
    }
}

/// The name of a type in a CAST of a constant.
fn cast_name(sql_type: SqlType) -> &'static str {
    match sql_type {
        SqlType::Date => "date",
        SqlType::Time => "time",
        _ => "timestamp",
    }
}

/// The type of a numeric constant.
fn number_type(digits: &str) -> SqlType {
    if digits.contains(['e', 'E']) {
        return SqlType::Double;
    }
    let Some((whole, fraction)) = digits.split_once('.') else {
        return match digits.parse::<i64>() {
            Ok(n) if i32::try_from(n).is_ok() => SqlType::Integer,
            Ok(_) => SqlType::Bigint,
            Err(_) => SqlType::Decimal(u8::try_from(digits.len()).unwrap_or(31), 0),
        };
    };
    let count = |text: &str| u8::try_from(text.len()).unwrap_or(31);
    SqlType::Decimal(
        count(whole).saturating_add(count(fraction)).max(1),
        count(fraction),
    )
}

fn hex_bytes(digits: &str) -> Vec<u8> {
    let values: Vec<u8> = digits
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|d| u8::try_from(d).unwrap_or(0))
        .collect();
    values.chunks_exact(2).map(|d| d[0] * 16 + d[1]).collect()
}

/// Pads CHAR to the length of a result that may be of several lengths.
pub(super) fn pad(result: SqlType, value: &mut Expr, source: SqlType) {
    if let (SqlType::Char(most), SqlType::Char(own)) = (result, source)
        && own < most
    {
        let inner = take(value);
        *value = cast(inner, &result.postgresql());
    }
}

/// The type of a result that may be of any of these types, as far as they are known.
pub(super) fn common_type(types: &[SqlType]) -> SqlType {
    let known = types.iter().copied().filter(|t| *t != SqlType::Unknown);
    known.reduce(wider).unwrap_or(SqlType::Unknown)
}

/// The type of a result that may be of either type.
pub(super) fn wider(a: SqlType, b: SqlType) -> SqlType {
    use SqlType as T;
    if let (Some((p, s)), Some((q, t))) = (a.decimal(), b.decimal()) {
        if a.is_integer() && b.is_integer() {
            return if p >= q { a } else { b };
        }
        let scale = s.max(t);
        return T::Decimal(
            (p - s.min(p)).max(q - t.min(q)).saturating_add(scale),
            scale,
        );
    }
    if let (T::Char(a), T::Char(b)) = (a, b) {
        return T::Char(a.max(b));
    }
    if let (Some(a), Some(b)) = (a.length(), b.length()) {
        return T::Varchar(a.max(b));
    }
    if a.is_number() && b.is_number() {
        return T::Double;
    }
    a
}
