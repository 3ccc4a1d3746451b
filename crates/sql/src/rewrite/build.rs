//! Pieces of PostgreSQL's SQL that rewriting puts together.

use sqlparser::ast::{
    CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName, ObjectNamePart, Value,
};

/// A name of this crate or the server, as it is.
pub fn plain(name: &str) -> Ident {
    Ident::new(name)
}

/// A name of a program or table, in quotes.
pub fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// `db2.substr` as a name of two parts.
pub fn object(name: &str) -> ObjectName {
    let parts = name.split('.');
    ObjectName(
        parts
            .map(|p| ObjectNamePart::Identifier(plain(p)))
            .collect(),
    )
}

/// A call.
pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    let args = args
        .into_iter()
        .map(|a| FunctionArg::Unnamed(FunctionArgExpr::Expr(a)));
    call_with(name, args.collect())
}

fn call_with(name: &str, args: Vec<FunctionArg>) -> Expr {
    Expr::Function(Function {
        name: object(name),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: Vec::new(),
        }),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    })
}

/// `make_interval(days => n)`.
pub fn interval(unit: &str, amount: Expr) -> Expr {
    let amount = match unit {
        "secs" => amount,
        "microseconds" => Expr::Nested(Box::new(binary(
            amount,
            sqlparser::ast::BinaryOperator::Multiply,
            Expr::value(Value::Number("0.000001".to_owned(), false)),
        ))),
        _ => cast(amount, "integer"),
    };
    let unit = if unit == "microseconds" { "secs" } else { unit };
    let arg = FunctionArg::Named {
        name: plain(unit),
        arg: FunctionArgExpr::Expr(amount),
        operator: FunctionArgOperator::RightArrow,
    };
    call_with("make_interval", vec![arg])
}

/// `CAST(expr AS type)`.
pub fn cast(expr: Expr, name: &str) -> Expr {
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(expr),
        data_type: data_type(name),
        format: None,
    }
}

/// A type of the server by its text.
pub fn data_type(name: &str) -> DataType {
    DataType::Custom(
        ObjectName(vec![ObjectNamePart::Identifier(plain(name))]),
        Vec::new(),
    )
}

/// A whole number.
pub fn number(value: impl ToString) -> Expr {
    Expr::value(Value::Number(value.to_string(), false))
}

/// A character constant.
pub fn text(value: impl Into<String>) -> Expr {
    Expr::value(Value::SingleQuotedString(value.into()))
}

/// Two operands.
pub fn binary(left: Expr, op: sqlparser::ast::BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(right),
    }
}

/// Takes an expression out of its place.
pub fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::value(Value::Null))
}

/// The number of a placeholder, from 1, parentheses passed over.
pub fn placeholder(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Nested(inner) => placeholder(inner),
        Expr::Value(v) => match &v.value {
            Value::Placeholder(name) => name.strip_prefix('$')?.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a character constant.
pub fn literal_text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Nested(inner) => literal_text(inner),
        Expr::Value(v) => match &v.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
