//! Functions: the table of what each is in PostgreSQL.
//!
//! Most are functions of schema `db2` under the same name, which the server
//! selects by the types of their arguments; a few need types here, for the
//! digits of a result. A function that has no row is refused with the nearest.
//!
//! Reference: Db2 for z/OS SQL Reference, "Built-in functions".

use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Spanned,
};

use super::StatementRewriter;
use super::build::{binary, call, cast, literal_text, number, placeholder, take, text};
use super::expression::{pad, wider};
use super::results::rounded;
use crate::text::StatementProblem;
use crate::types::SqlType;

/// How a function is written.
#[derive(Clone, Copy)]
enum FunctionForm {
    /// `db2.name` with the same arguments.
    Own,
    /// A function of the server under this name.
    Server(&'static str),
    /// Code in this module.
    Special(SpecialFunction),
}

#[derive(Clone, Copy)]
enum SpecialFunction {
    Coalesce,
    Greatest,
    Least,
    Aggregate,
    Substr,
    Char,
    Varchar,
    Digits,
    Decimal,
    Integer(SqlType),
    Float,
    Round,
    Whole,
    Modulo,
    Length,
    Concat,
    Strip,
    Translate,
    Datetime(SqlType),
    Format,
    Window,
}

/// The type of a result.
#[derive(Clone, Copy)]
enum ResultType {
    Type(SqlType),
    /// The type of the first argument.
    First,
    /// Text as long as the first argument.
    Text,
}

struct FunctionRow {
    name: &'static str,
    least: usize,
    most: usize,
    shape: FunctionForm,
    gives: ResultType,
}

const fn own(name: &'static str, least: usize, most: usize, gives: ResultType) -> FunctionRow {
    FunctionRow {
        name,
        least,
        most,
        shape: FunctionForm::Own,
        gives,
    }
}

const fn server(
    name: &'static str,
    least: usize,
    most: usize,
    other: &'static str,
    gives: ResultType,
) -> FunctionRow {
    FunctionRow {
        name,
        least,
        most,
        shape: FunctionForm::Server(other),
        gives,
    }
}

const fn special(
    name: &'static str,
    least: usize,
    most: usize,
    what: SpecialFunction,
) -> FunctionRow {
    FunctionRow {
        name,
        least,
        most,
        shape: FunctionForm::Special(what),
        gives: ResultType::First,
    }
}

const INT: ResultType = ResultType::Type(SqlType::Integer);
const DOUBLE: ResultType = ResultType::Type(SqlType::Double);
const ANY: usize = 64;

#[rustfmt::skip]
const ROWS: &[FunctionRow] = &[
    special("COALESCE", 1, ANY, SpecialFunction::Coalesce),
    special("VALUE", 1, ANY, SpecialFunction::Coalesce),
    special("IFNULL", 2, 2, SpecialFunction::Coalesce),
    special("NVL", 2, ANY, SpecialFunction::Coalesce),
    server("NULLIF", 2, 2, "nullif", ResultType::First),
    special("MAX", 1, ANY, SpecialFunction::Greatest),
    special("MIN", 1, ANY, SpecialFunction::Least),
    special("GREATEST", 2, ANY, SpecialFunction::Greatest),
    special("LEAST", 2, ANY, SpecialFunction::Least),
    special("SUM", 1, 1, SpecialFunction::Aggregate),
    special("AVG", 1, 1, SpecialFunction::Aggregate),
    server("COUNT", 1, 1, "count", INT),
    server("COUNT_BIG", 1, 1, "count", ResultType::Type(SqlType::Decimal(31, 0))),
    server("STDDEV", 1, 1, "stddev_pop", DOUBLE),
    server("STDDEV_SAMP", 1, 1, "stddev_samp", DOUBLE),
    server("VARIANCE", 1, 1, "var_pop", DOUBLE),
    server("VARIANCE_SAMP", 1, 1, "var_samp", DOUBLE),
    special("ROW_NUMBER", 0, 0, SpecialFunction::Window),
    special("RANK", 0, 0, SpecialFunction::Window),
    special("DENSE_RANK", 0, 0, SpecialFunction::Window),
    special("SUBSTR", 2, 3, SpecialFunction::Substr),
    special("SUBSTRING", 2, 4, SpecialFunction::Substr),
    special("LENGTH", 1, 1, SpecialFunction::Length),
    own("CHARACTER_LENGTH", 1, 2, INT),
    special("CHAR", 1, 2, SpecialFunction::Char),
    special("VARCHAR", 1, 2, SpecialFunction::Varchar),
    special("DIGITS", 1, 1, SpecialFunction::Digits),
    special("DECIMAL", 1, 3, SpecialFunction::Decimal),
    special("DEC", 1, 3, SpecialFunction::Decimal),
    special("INTEGER", 1, 1, SpecialFunction::Integer(SqlType::Integer)),
    special("INT", 1, 1, SpecialFunction::Integer(SqlType::Integer)),
    special("SMALLINT", 1, 1, SpecialFunction::Integer(SqlType::Smallint)),
    special("BIGINT", 1, 1, SpecialFunction::Integer(SqlType::Bigint)),
    special("DOUBLE", 1, 1, SpecialFunction::Float),
    special("DOUBLE_PRECISION", 1, 1, SpecialFunction::Float),
    special("FLOAT", 1, 1, SpecialFunction::Float),
    special("REAL", 1, 1, SpecialFunction::Float),
    special("ROUND", 1, 2, SpecialFunction::Round),
    special("TRUNC", 1, 2, SpecialFunction::Round),
    special("TRUNCATE", 1, 2, SpecialFunction::Round),
    special("CONCAT", 2, 2, SpecialFunction::Concat),
    special("STRIP", 1, 3, SpecialFunction::Strip),
    own("TRIM", 1, 1, ResultType::Text),
    own("LTRIM", 1, 1, ResultType::Text),
    own("RTRIM", 1, 1, ResultType::Text),
    special("TRANSLATE", 1, 4, SpecialFunction::Translate),
    own("REPLACE", 3, 3, ResultType::Type(SqlType::Unknown)),
    own("OVERLAY", 3, 5, ResultType::Type(SqlType::Unknown)),
    own("INSERT", 4, 5, ResultType::Type(SqlType::Unknown)),
    own("LEFT", 2, 3, ResultType::Text),
    own("RIGHT", 2, 3, ResultType::Text),
    own("LPAD", 2, 3, ResultType::Type(SqlType::Unknown)),
    own("RPAD", 2, 3, ResultType::Type(SqlType::Unknown)),
    own("REPEAT", 2, 2, ResultType::Type(SqlType::Unknown)),
    own("SPACE", 1, 1, ResultType::Type(SqlType::Varchar(4000))),
    own("UPPER", 1, 2, ResultType::Text),
    own("UCASE", 1, 2, ResultType::Text),
    own("LOWER", 1, 2, ResultType::Text),
    own("LCASE", 1, 2, ResultType::Text),
    own("POSSTR", 2, 2, INT),
    own("LOCATE", 2, 4, INT),
    own("LOCATE_IN_STRING", 2, 4, INT),
    own("INSTR", 2, 4, INT),
    own("POSITION", 2, 3, INT),
    own("CHR", 1, 1, ResultType::Type(SqlType::Char(1))),
    own("ASCII", 1, 1, INT),
    own("HEX", 1, 1, ResultType::Type(SqlType::Varchar(254))),
    server("ABS", 1, 1, "abs", ResultType::First),
    server("ABSVAL", 1, 1, "abs", ResultType::First),
    server("SIGN", 1, 1, "sign", ResultType::First),
    special("MOD", 2, 2, SpecialFunction::Modulo),
    special("CEILING", 1, 1, SpecialFunction::Whole),
    special("CEIL", 1, 1, SpecialFunction::Whole),
    special("FLOOR", 1, 1, SpecialFunction::Whole),
    server("SQRT", 1, 1, "sqrt", DOUBLE),
    server("EXP", 1, 1, "exp", DOUBLE),
    server("LN", 1, 1, "ln", DOUBLE),
    server("LOG", 1, 1, "ln", DOUBLE),
    server("LOG10", 1, 1, "log", DOUBLE),
    server("POWER", 2, 2, "power", ResultType::First),
    server("SIN", 1, 1, "sin", DOUBLE),
    server("COS", 1, 1, "cos", DOUBLE),
    server("TAN", 1, 1, "tan", DOUBLE),
    server("RAND", 0, 0, "random", DOUBLE),
    own("MULTIPLY_ALT", 2, 2, ResultType::Type(SqlType::Unknown)),
    special("DATE", 1, 1, SpecialFunction::Datetime(SqlType::Date)),
    special("TIME", 1, 1, SpecialFunction::Datetime(SqlType::Time)),
    special("TIMESTAMP", 1, 2, SpecialFunction::Datetime(SqlType::Timestamp(6))),
    own("YEAR", 1, 1, INT),
    own("MONTH", 1, 1, INT),
    own("DAY", 1, 1, INT),
    own("DAYOFMONTH", 1, 1, INT),
    own("HOUR", 1, 1, INT),
    own("MINUTE", 1, 1, INT),
    own("SECOND", 1, 1, INT),
    own("MICROSECOND", 1, 1, INT),
    own("DAYS", 1, 1, INT),
    own("JULIAN_DAY", 1, 1, INT),
    own("DAYOFWEEK", 1, 1, INT),
    own("DAYOFWEEK_ISO", 1, 1, INT),
    own("DAYOFYEAR", 1, 1, INT),
    own("WEEK", 1, 1, INT),
    own("WEEK_ISO", 1, 1, INT),
    own("QUARTER", 1, 1, INT),
    own("MIDNIGHT_SECONDS", 1, 1, INT),
    own("TIMESTAMPDIFF", 2, 2, INT),
    own("LAST_DAY", 1, 1, ResultType::First),
    own("ADD_MONTHS", 2, 2, ResultType::First),
    own("NEXT_DAY", 2, 2, ResultType::First),
    own("MONTHS_BETWEEN", 2, 2, ResultType::Type(SqlType::Decimal(31, 15))),
    special("TIMESTAMP_FORMAT", 2, 2, SpecialFunction::Format),
    special("TO_DATE", 2, 2, SpecialFunction::Format),
    special("VARCHAR_FORMAT", 2, 2, SpecialFunction::Format),
    special("TO_CHAR", 2, 2, SpecialFunction::Format),
    own("IDENTITY_VAL_LOCAL", 0, 0, ResultType::Type(SqlType::Decimal(31, 0))),
    own("GENERATE_UNIQUE", 0, 0, ResultType::Type(SqlType::Binary(13))),
];

/// The names of all functions.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|r| r.name)
}

impl StatementRewriter<'_> {
    /// Rewrites a call; the type of its result.
    pub(super) fn function(&mut self, expr: &mut Expr) -> SqlType {
        let span = expr.span();
        let Expr::Function(function) = expr else {
            return SqlType::Unknown;
        };
        let parts: Vec<String> = function
            .name
            .0
            .iter()
            .filter_map(|p| p.as_ident().map(|i| i.value.clone()))
            .collect();
        let at = self.place(span);
        let name = match parts.as_slice() {
            [name] => name.clone(),
            [schema, name] if matches!(schema.as_str(), "SYSIBM" | "SYSFUN") => name.clone(),
            _ => {
                let what = format!("the function {}", parts.join("."));
                self.problems.push(StatementProblem::refused(at, &what));
                return SqlType::Unknown;
            }
        };
        let Some(row) = ROWS.iter().find(|r| r.name == name) else {
            let mut problem = StatementProblem::refused(at, &format!("the function {name}"));
            problem.sqlcode = -440;
            problem.help = base::suggestion(&name, function_names());
            self.problems.push(problem);
            return SqlType::Unknown;
        };
        let has_words = matches!(
            row.shape,
            FunctionForm::Special(SpecialFunction::Char | SpecialFunction::Strip)
        );
        let types = self.arguments(function, has_words);
        let count = types.len();
        if count < row.least || count > row.most {
            let message = format!("{name} has {count} arguments; it takes {}", takes(row));
            self.error(at, -170, message);
            return SqlType::Unknown;
        }
        if let Some(over) = &mut function.over {
            self.window(over);
        }
        let first = types.first().copied().unwrap_or(SqlType::Unknown);
        match row.shape {
            FunctionForm::Own => {
                function.name = super::build::object(&format!("db2.{}", name.to_ascii_lowercase()));
            }
            FunctionForm::Server(other) => function.name = super::build::object(other),
            FunctionForm::Special(what) => return self.special(expr, &name, what, &types),
        }
        match row.gives {
            ResultType::Type(t) => t,
            ResultType::First => first,
            ResultType::Text => first.length().map_or(SqlType::Unknown, SqlType::Varchar),
        }
    }

    /// Rewrites the arguments; their types. Formats and sides are words after the
    /// first argument of CHAR and STRIP, and columns everywhere else.
    fn arguments(&mut self, function: &mut Function, has_words: bool) -> Vec<SqlType> {
        let FunctionArguments::List(list) = &mut function.args else {
            return Vec::new();
        };
        let mut types = Vec::new();
        // Units of a length are the server's own.
        list.args.retain(|arg| {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(i))) = arg else {
                return true;
            };
            !matches!(
                i.value.as_str(),
                "OCTETS" | "CODEUNITS16" | "CODEUNITS32" | "SYSTEM"
            )
        });
        for (at, arg) in list.args.iter_mut().enumerate() {
            match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => {
                    if has_words
                        && at > 0
                        && let Expr::Identifier(i) = e
                        && i.quote_style.is_none()
                        && WORDS.contains(&i.value.as_str())
                    {
                        *e = text(i.value.clone());
                    }
                    types.push(self.expr(e));
                }
                FunctionArg::Unnamed(_) => types.push(SqlType::Unknown),
                FunctionArg::Named { name, .. } => {
                    let span = name.span;
                    self.refuse(span, "a named argument");
                }
                FunctionArg::ExprNamed { arg, .. } => {
                    let at = self.tokens.first().map_or(0, |t| t.at);
                    let _ = arg;
                    self.problems
                        .push(StatementProblem::refused(at, "a named argument"));
                }
            }
        }
        types
    }

    fn window(&mut self, over: &mut sqlparser::ast::WindowType) {
        let sqlparser::ast::WindowType::WindowSpec(spec) = over else {
            return;
        };
        for expr in &mut spec.partition_by {
            self.expr(expr);
        }
        for item in &mut spec.order_by {
            self.expr(&mut item.expr);
        }
    }

    fn special(
        &mut self,
        expr: &mut Expr,
        name: &str,
        what: SpecialFunction,
        types: &[SqlType],
    ) -> SqlType {
        let span = expr.span();
        let first = types.first().copied().unwrap_or(SqlType::Unknown);
        let Expr::Function(function) = expr else {
            return SqlType::Unknown;
        };
        match what {
            SpecialFunction::Window => {
                function.name = super::build::object(&name.to_ascii_lowercase());
                return SqlType::Bigint;
            }
            SpecialFunction::Aggregate => {
                function.name = super::build::object(&name.to_ascii_lowercase());
                return self.aggregate(expr, name, first);
            }
            SpecialFunction::Greatest | SpecialFunction::Least if types.len() == 1 => {
                let server = if matches!(what, SpecialFunction::Greatest) {
                    "max"
                } else {
                    "min"
                };
                function.name = super::build::object(server);
                return first;
            }
            _ => {}
        }
        let mut args = take_arguments(function);
        let mut arg = |n: usize| args.get_mut(n).map_or_else(|| text(""), take);
        let (result, sql_type) = match what {
            SpecialFunction::Coalesce => {
                return self.coalesce(expr, args, types);
            }
            SpecialFunction::Greatest | SpecialFunction::Least => {
                let server = if matches!(what, SpecialFunction::Greatest) {
                    "greatest"
                } else {
                    "least"
                };
                let result = types.iter().copied().reduce(wider).unwrap_or(first);
                for (arg, t) in args.iter_mut().zip(types) {
                    pad(result, arg, *t);
                }
                (null_if_any(server, args), result)
            }
            SpecialFunction::Substr => {
                let most = first.length().unwrap_or(0);
                let (subject, start) = (arg(0), arg(1));
                if types.len() > 2 {
                    let length = arg(2);
                    let known = literal_number(&length);
                    let call = call("db2.substr", vec![subject, start, length, number(most)]);
                    (call, known.map_or(SqlType::Unknown, SqlType::Varchar))
                } else {
                    let call = call("db2.substr", vec![subject, start, number(most)]);
                    (
                        call,
                        first.length().map_or(SqlType::Unknown, SqlType::Varchar),
                    )
                }
            }
            SpecialFunction::Char => return self.char_function(expr, args, types),
            SpecialFunction::Varchar => {
                let shown = self.as_text(arg(0), first);
                if types.len() > 1 {
                    let length = arg(1);
                    let known = literal_number(&length).unwrap_or(255);
                    (
                        call("db2.varchar", vec![shown, length]),
                        SqlType::Varchar(known),
                    )
                } else {
                    (
                        shown,
                        first.length().map_or(SqlType::Unknown, SqlType::Varchar),
                    )
                }
            }
            SpecialFunction::Digits => {
                let Some((precision, scale)) = first.decimal() else {
                    if first == SqlType::Unknown && !self.catalog.is_complete() {
                        // The server's catalogue will know.
                        *expr = arg(0);
                        return SqlType::Unknown;
                    }
                    let at = self.place(span);
                    let message = "DIGITS needs a number whose digits are known".to_owned();
                    self.error(at, -171, message);
                    return SqlType::Unknown;
                };
                let precision = if first == SqlType::Integer {
                    10
                } else {
                    precision
                };
                let call = call("db2.digits", vec![arg(0), number(precision), number(scale)]);
                (call, SqlType::Char(u32::from(precision)))
            }
            SpecialFunction::Decimal => {
                let precision = literal_number(&arg(1)).unwrap_or(15);
                let scale = literal_number(&arg(2)).unwrap_or(0);
                let narrow = |n: u32| u8::try_from(n).unwrap_or(31);
                let target = SqlType::Decimal(narrow(precision), narrow(scale));
                (self.cast_to(arg(0), first, target), target)
            }
            SpecialFunction::Integer(target) => {
                let subject = arg(0);
                let written = self.unpadded(subject, first);
                (self.cast_to(written, first, target), target)
            }
            SpecialFunction::Float => {
                let target = if name == "REAL" {
                    SqlType::Real
                } else {
                    SqlType::Double
                };
                (cast(arg(0), &target.postgresql()), target)
            }
            SpecialFunction::Round => {
                let server = if name == "ROUND" { "round" } else { "trunc" };
                let digits = if types.len() > 1 { arg(1) } else { number(0) };
                rounded(server, arg(0), first, cast(digits, "integer"))
            }
            SpecialFunction::Whole => {
                let server = if name == "FLOOR" { "floor" } else { "ceil" };
                let result = match first {
                    SqlType::Decimal(p, _) => SqlType::Decimal(p, 0),
                    other => other,
                };
                let whole = call(server, vec![arg(0)]);
                if first.is_integer() {
                    // The server gives a floating-point number.
                    (cast(whole, &first.postgresql()), result)
                } else {
                    (whole, result)
                }
            }
            SpecialFunction::Modulo => {
                let second = types.get(1).copied().unwrap_or(SqlType::Unknown);
                let result = match (first.decimal(), second.decimal()) {
                    _ if first.is_integer() && second.is_integer() => {
                        super::arithmetic::whole_number(first, second)
                    }
                    (Some(a), Some(b)) => {
                        let (p, s) = super::arithmetic::remainder(a, b);
                        SqlType::Decimal(p, s)
                    }
                    _ => first,
                };
                (call("mod", args), result)
            }
            SpecialFunction::Length => {
                let length = match first {
                    // Packed digits and the sign.
                    SqlType::Decimal(p, _) => call("db2.length", vec![arg(0), number(p / 2 + 1)]),
                    _ => call("db2.length", args),
                };
                (length, SqlType::Integer)
            }
            SpecialFunction::Concat => {
                let length = types
                    .iter()
                    .try_fold(0u32, |sum, t| sum.checked_add(t.length()?));
                (
                    call("db2.concat", args),
                    length.map_or(SqlType::Unknown, SqlType::Varchar),
                )
            }
            SpecialFunction::Strip => {
                let side = match literal_text(&arg(1)) {
                    Some(side) if side.starts_with('L') => "L",
                    Some(side) if side.starts_with('T') => "T",
                    _ => "B",
                };
                let what = if types.len() > 2 { arg(2) } else { text(" ") };
                let call = call("db2.strip", vec![arg(0), text(side), what]);
                (
                    call,
                    first.length().map_or(SqlType::Unknown, SqlType::Varchar),
                )
            }
            SpecialFunction::Translate => {
                let name = if types.len() == 1 {
                    "db2.upper"
                } else {
                    "db2.translate"
                };
                (call(name, args), first)
            }
            SpecialFunction::Datetime(target) => {
                let mut subject = arg(0);
                if types.len() > 1 {
                    (call("db2.timestamp", vec![subject, arg(1)]), target)
                } else if let Some(written) = literal_text(&subject).map(str::to_owned)
                    && crate::temporal::is_of_own_form(&written, target)
                {
                    self.datetime_constant(&mut subject, &written, target, span);
                    (subject, target)
                } else {
                    (self.cast_to(subject, first, target), target)
                }
            }
            SpecialFunction::Format => {
                let from_text = matches!(name, "TIMESTAMP_FORMAT" | "TO_DATE");
                let pattern = match literal_text(&arg(1)) {
                    Some(pattern) => text(format_words(pattern)),
                    None => {
                        self.refuse(span, &format!("{name} with a computed format"));
                        return SqlType::Unknown;
                    }
                };
                if from_text {
                    (
                        call("db2.timestamp_format", vec![arg(0), pattern]),
                        SqlType::Timestamp(6),
                    )
                } else {
                    (
                        call("db2.varchar_format", vec![arg(0), pattern]),
                        SqlType::Varchar(255),
                    )
                }
            }
            SpecialFunction::Aggregate | SpecialFunction::Window => (arg(0), first),
        };
        *expr = result;
        sql_type
    }

    /// A value as text without blanks at its end.
    pub(super) fn as_text(&mut self, expr: Expr, source: SqlType) -> Expr {
        if source.is_text() {
            return expr;
        }
        if source.is_datetime() {
            let style = text(self.options.dates.name());
            return call("db2.char", vec![expr, style]);
        }
        call("db2.varchar", vec![expr])
    }

    /// Text that holds a number, without the blanks that a cast would refuse.
    fn unpadded(&mut self, expr: Expr, source: SqlType) -> Expr {
        if source.is_text() && placeholder(&expr).is_none() {
            return call("btrim", vec![cast(expr, "text")]);
        }
        expr
    }
}

/// Words that are arguments of CHAR and STRIP.
const WORDS: &[&str] = &[
    "ISO", "USA", "EUR", "JIS", "LOCAL", "LEADING", "TRAILING", "BOTH", "L", "T", "B",
];

fn takes(row: &FunctionRow) -> String {
    if row.least == row.most {
        return row.least.to_string();
    }
    format!("{} to {}", row.least, row.most)
}

fn take_arguments(function: &mut Function) -> Vec<Expr> {
    let FunctionArguments::List(list) = &mut function.args else {
        return Vec::new();
    };
    let args = list.args.drain(..);
    args.filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some(e),
        _ => None,
    })
    .collect()
}

/// The value of a whole number.
pub(super) fn literal_number(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Nested(inner) => literal_number(inner),
        Expr::Value(v) => match &v.value {
            sqlparser::ast::Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The greatest or least, NULL if any argument is.
fn null_if_any(server: &str, args: Vec<Expr>) -> Expr {
    let is_null = |e: &Expr| Expr::IsNull(Box::new(e.clone()));
    let any = args
        .iter()
        .map(is_null)
        .reduce(|a, b| binary(a, BinaryOperator::Or, b));
    let otherwise = call(server, args);
    let Some(condition) = any else {
        return otherwise;
    };
    Expr::Case {
        case_token: sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
        end_token: sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen {
            condition,
            result: Expr::value(sqlparser::ast::Value::Null),
        }],
        else_result: Some(Box::new(otherwise)),
    }
}

/// Words of a format as PostgreSQL has them.
fn format_words(pattern: &str) -> String {
    let mut out = pattern.to_uppercase();
    for (db2, server) in [
        ("NNNNNN", "US"),
        ("FF6", "US"),
        ("FF3", "MS"),
        ("RRRR", "YYYY"),
        ("RR", "YY"),
    ] {
        out = out.replace(db2, server);
    }
    out
}
