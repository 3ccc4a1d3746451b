//! Types of columns, and tables as DECLARE TABLE or the server's catalogue has them.
//!
//! Reference: Db2 for z/OS SQL Reference, "Data types", "DECLARE TABLE".

use crate::text::{SqlToken, StatementProblem, TokenKind};

/// A type of Db2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlType {
    /// Not known: the server decides.
    Unknown,
    /// SMALLINT.
    Smallint,
    /// INTEGER.
    Integer,
    /// BIGINT.
    Bigint,
    /// DECIMAL with precision and scale.
    Decimal(u8, u8),
    /// REAL.
    Real,
    /// DOUBLE.
    Double,
    /// DECFLOAT with 16 or 34 digits.
    Decfloat(u8),
    /// CHAR with its length.
    Char(u32),
    /// VARCHAR with its greatest length.
    Varchar(u32),
    /// CLOB with its greatest length.
    Clob(u32),
    /// BINARY or CHAR FOR BIT DATA.
    Binary(u32),
    /// VARBINARY or VARCHAR FOR BIT DATA.
    Varbinary(u32),
    /// BLOB.
    Blob(u32),
    /// GRAPHIC, in characters.
    Graphic(u32),
    /// VARGRAPHIC, in characters.
    Vargraphic(u32),
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// TIMESTAMP with digits of a second.
    Timestamp(u8),
    /// ROWID.
    Rowid,
    /// XML.
    Xml,
}

impl SqlType {
    /// Whether it is a number.
    pub fn is_number(self) -> bool {
        use SqlType as T;
        matches!(
            self,
            T::Smallint
                | T::Integer
                | T::Bigint
                | T::Decimal(..)
                | T::Real
                | T::Double
                | T::Decfloat(_)
        )
    }

    /// Whether it is text of characters.
    pub fn is_text(self) -> bool {
        use SqlType as T;
        matches!(
            self,
            T::Char(_) | T::Varchar(_) | T::Clob(_) | T::Graphic(_) | T::Vargraphic(_)
        )
    }

    /// Whether it is DATE, TIME or TIMESTAMP.
    pub fn is_datetime(self) -> bool {
        matches!(self, SqlType::Date | SqlType::Time | SqlType::Timestamp(_))
    }

    /// Whether it is bytes.
    pub fn is_bytes(self) -> bool {
        matches!(
            self,
            SqlType::Binary(_) | SqlType::Varbinary(_) | SqlType::Blob(_)
        )
    }

    /// Precision and scale of an exact number as arithmetic takes it.
    pub fn decimal(self) -> Option<(u8, u8)> {
        match self {
            SqlType::Smallint => Some((5, 0)),
            SqlType::Integer => Some((11, 0)),
            SqlType::Bigint => Some((19, 0)),
            SqlType::Decimal(p, s) => Some((p, s)),
            _ => None,
        }
    }

    /// Whether it is a whole number of two's complement.
    pub fn is_integer(self) -> bool {
        matches!(self, SqlType::Smallint | SqlType::Integer | SqlType::Bigint)
    }

    /// Greatest length in characters; `None` if it is not text.
    pub fn length(self) -> Option<u32> {
        use SqlType as T;
        match self {
            T::Char(n) | T::Varchar(n) | T::Clob(n) | T::Graphic(n) | T::Vargraphic(n) => Some(n),
            _ => None,
        }
    }

    /// The type as PostgreSQL has it.
    pub fn postgresql(self) -> String {
        use SqlType as T;
        match self {
            T::Unknown => "unknown".to_owned(),
            T::Smallint => "smallint".to_owned(),
            T::Integer => "integer".to_owned(),
            T::Bigint => "bigint".to_owned(),
            T::Decimal(p, s) => format!("numeric({p},{s})"),
            T::Real => "real".to_owned(),
            T::Double => "double precision".to_owned(),
            T::Decfloat(_) => "numeric".to_owned(),
            T::Char(n) | T::Graphic(n) => format!("character({n})"),
            T::Varchar(n) | T::Vargraphic(n) => format!("db2.varchar_{n}"),
            T::Clob(_) | T::Xml => "text".to_owned(),
            T::Binary(_) | T::Varbinary(_) | T::Blob(_) | T::Rowid => "bytea".to_owned(),
            T::Date => "date".to_owned(),
            T::Time => "time(0)".to_owned(),
            T::Timestamp(digits) => format!("timestamp({})", digits.min(6)),
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Name in capitals.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Whether NULL may be in it.
    pub nullable: bool,
    /// Whether the server makes its values.
    pub identity: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Schema in capitals, if it was named.
    pub schema: Option<String>,
    /// Name in capitals.
    pub name: String,
    /// Columns in their order.
    pub columns: Vec<TableColumn>,
}

impl Table {
    /// The column of a name in capitals.
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|c| c.name == name)
    }
}

/// The known descriptions of tables.
pub trait Catalog {
    /// The table of a name in capitals.
    fn table(&self, schema: Option<&str>, name: &str) -> Option<&Table>;

    /// Whether a table that it does not have is not there. Where it is not so, what
    /// needs a type is left to a later rewriting.
    fn is_complete(&self) -> bool {
        false
    }
}

/// No table is known: the server decides all types.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCatalog;

impl Catalog for NoCatalog {
    fn table(&self, _schema: Option<&str>, _name: &str) -> Option<&Table> {
        None
    }
}

impl Catalog for Vec<Table> {
    fn table(&self, schema: Option<&str>, name: &str) -> Option<&Table> {
        let same = |t: &&Table| t.name == name;
        let exact = |t: &&Table| same(t) && t.schema.as_deref() == schema;
        self.iter().find(exact).or_else(|| {
            let loose = |t: &&Table| same(t) && (t.schema.is_none() || schema.is_none());
            self.iter().find(loose)
        })
    }
}

/// Reads `name TABLE (column type …, …)`.
pub(crate) fn declare_table(tokens: Vec<SqlToken>) -> Result<Table, StatementProblem> {
    let mut at = 0;
    let mut names = Vec::new();
    while let Some(token) = tokens.get(at) {
        if token.is("TABLE") && !names.is_empty() {
            break;
        }
        if !token.is_mark(".") {
            names.push(token.text.clone());
        }
        at += 1;
    }
    let end = tokens.last().map_or(0, |t| t.end);
    let open = tokens.get(at + 1).filter(|t| t.is_mark("("));
    let Some(open) = open else {
        let place = tokens.get(at + 1).map_or(end, |t| t.at);
        return Err(StatementProblem::error(
            place,
            -104,
            "DECLARE TABLE needs ( and the columns",
        ));
    };
    let name = names.pop().unwrap_or_default();
    let schema = names.pop();
    let open_at = open.at;
    let mut columns = Vec::new();
    let mut depth = 0usize;
    let mut from = at + 2;
    for i in at + 1..tokens.len() {
        let t = &tokens[i];
        depth += usize::from(t.is_mark("("));
        let closes = t.is_mark(")");
        if depth == 1 && (closes || t.is_mark(",")) {
            columns.extend(column(&tokens[from..i])?);
            from = i + 1;
        }
        depth = depth.saturating_sub(usize::from(closes));
        if depth == 0 {
            return Ok(Table {
                schema,
                name,
                columns,
            });
        }
    }
    let message = "the list of columns is never closed";
    Err(StatementProblem::error(open_at, -104, message).with_help("write ) after the last column"))
}

/// One column; `None` for a table constraint.
fn column(tokens: &[SqlToken]) -> Result<Option<TableColumn>, StatementProblem> {
    let Some(name) = tokens.first() else {
        return Ok(None);
    };
    let Some(first) = tokens.get(1) else {
        let message = format!("column {} has no type", name.text);
        return Err(StatementProblem::error(name.at, -104, message));
    };
    let (sql_type, used) = sql_type(&tokens[1..]).ok_or_else(|| {
        let known = TYPES.iter().map(|(n, _)| *n);
        let message = format!("there is no type {}", first.text);
        StatementProblem::error(first.at, -204, message).with_nearest(&first.text, known)
    })?;
    let rest = &tokens[1 + used..];
    let not_null = rest.windows(2).any(|w| w[0].is("NOT") && w[1].is("NULL"));
    Ok(Some(TableColumn {
        name: name.text.clone(),
        sql_type,
        nullable: !not_null,
        identity: rest.iter().any(|t| t.is("IDENTITY")),
    }))
}

/// How a type's parentheses are read.
#[derive(Clone, Copy)]
enum TypeShape {
    Plain(SqlType),
    Length(fn(u32) -> SqlType, u32),
    Decimal,
    Float,
    Timestamp,
    Decfloat,
}

const TYPES: &[(&str, TypeShape)] = &[
    ("SMALLINT", TypeShape::Plain(SqlType::Smallint)),
    ("INTEGER", TypeShape::Plain(SqlType::Integer)),
    ("INT", TypeShape::Plain(SqlType::Integer)),
    ("BIGINT", TypeShape::Plain(SqlType::Bigint)),
    ("DECIMAL", TypeShape::Decimal),
    ("DEC", TypeShape::Decimal),
    ("NUMERIC", TypeShape::Decimal),
    ("REAL", TypeShape::Plain(SqlType::Real)),
    ("DOUBLE", TypeShape::Plain(SqlType::Double)),
    ("FLOAT", TypeShape::Float),
    ("DECFLOAT", TypeShape::Decfloat),
    ("CHAR", TypeShape::Length(SqlType::Char, 1)),
    ("CHARACTER", TypeShape::Length(SqlType::Char, 1)),
    ("VARCHAR", TypeShape::Length(SqlType::Varchar, 1)),
    ("CLOB", TypeShape::Length(SqlType::Clob, 1 << 20)),
    ("GRAPHIC", TypeShape::Length(SqlType::Graphic, 1)),
    ("VARGRAPHIC", TypeShape::Length(SqlType::Vargraphic, 1)),
    ("DBCLOB", TypeShape::Length(SqlType::Clob, 1 << 20)),
    ("BINARY", TypeShape::Length(SqlType::Binary, 1)),
    ("VARBINARY", TypeShape::Length(SqlType::Varbinary, 1)),
    ("BLOB", TypeShape::Length(SqlType::Blob, 1 << 20)),
    ("DATE", TypeShape::Plain(SqlType::Date)),
    ("TIME", TypeShape::Plain(SqlType::Time)),
    ("TIMESTAMP", TypeShape::Timestamp),
    ("ROWID", TypeShape::Plain(SqlType::Rowid)),
    ("XML", TypeShape::Plain(SqlType::Xml)),
];

/// Whether a word is the name of a type.
pub(crate) fn is_type_name(word: &str) -> bool {
    TYPES.iter().any(|(name, _)| *name == word) || word == "LONG"
}

/// The type that tokens begin with, and how many they are.
pub(crate) fn sql_type(tokens: &[SqlToken]) -> Option<(SqlType, usize)> {
    let first = tokens.first().filter(|t| t.kind == TokenKind::Word)?;
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|t| t.is(word));
    if first.is("LONG") {
        let text = is(1, "VARCHAR");
        let long = if text {
            SqlType::Varchar(32_704)
        } else {
            SqlType::Vargraphic(16_352)
        };
        return (text || is(1, "VARGRAPHIC")).then_some((long, 2));
    }
    let (_, mut shape) = *TYPES.iter().find(|(n, _)| *n == first.text)?;
    let mut used = 1;
    if first.is("DOUBLE") && is(1, "PRECISION") {
        used = 2;
    }
    if first.is_any(&["CHAR", "CHARACTER", "BINARY"]) {
        if is(1, "VARYING") {
            let varying = if first.is("BINARY") {
                SqlType::Varbinary
            } else {
                SqlType::Varchar
            };
            shape = TypeShape::Length(varying, 1);
            used = 2;
        } else if is(1, "LARGE") && is(2, "OBJECT") {
            shape = TypeShape::Length(
                if first.is("BINARY") {
                    SqlType::Blob
                } else {
                    SqlType::Clob
                },
                1 << 20,
            );
            used = 3;
        }
    }
    let (numbers, more) = parentheses(&tokens[used..])?;
    used += more;
    let number = |at: usize| numbers.get(at).copied();
    let mut found = match shape {
        TypeShape::Plain(t) => t,
        TypeShape::Length(make, otherwise) => make(number(0).unwrap_or(otherwise)),
        TypeShape::Decimal => {
            let precision = u8::try_from(number(0).unwrap_or(5)).ok()?;
            let scale = u8::try_from(number(1).unwrap_or(0)).ok()?;
            SqlType::Decimal(precision, scale)
        }
        TypeShape::Float if number(0).is_some_and(|n| n <= 21) => SqlType::Real,
        TypeShape::Float => SqlType::Double,
        TypeShape::Timestamp => SqlType::Timestamp(u8::try_from(number(0).unwrap_or(6)).ok()?),
        TypeShape::Decfloat => SqlType::Decfloat(u8::try_from(number(0).unwrap_or(34)).ok()?),
    };
    loop {
        let rest = &tokens[used..];
        let is = |at: usize, word: &str| rest.get(at).is_some_and(|t| t.is(word));
        if is(0, "FOR") && is(1, "BIT") && is(2, "DATA") {
            found = match found {
                SqlType::Char(n) => SqlType::Binary(n),
                SqlType::Varchar(n) => SqlType::Varbinary(n),
                other => other,
            };
            used += 3;
        } else if is(0, "FOR") && (is(1, "SBCS") || is(1, "MIXED")) && is(2, "DATA") {
            used += 3;
        } else if is(0, "CCSID") {
            used += 2;
        } else if (is(0, "WITHOUT") || is(0, "WITH")) && is(1, "TIME") && is(2, "ZONE") {
            used += 3;
        } else {
            return Some((found, used.min(tokens.len())));
        }
    }
}

/// Numbers in parentheses, K, M and G included.
fn parentheses(tokens: &[SqlToken]) -> Option<(Vec<u32>, usize)> {
    if !tokens.first().is_some_and(|t| t.is_mark("(")) {
        return Some((Vec::new(), 0));
    }
    let mut numbers: Vec<u32> = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(1) {
        if token.is_mark(")") {
            return Some((numbers, at + 1));
        }
        let factor = match token.text.as_str() {
            "K" => 1 << 10,
            "M" => 1 << 20,
            "G" => 1 << 30,
            _ => 0,
        };
        if factor > 0 {
            let last = numbers.last_mut()?;
            *last = last.saturating_mul(factor);
        } else if token.kind == TokenKind::Number {
            numbers.push(token.text.parse().ok()?);
        } else if !(token.is_mark(",") || token.is_any(&["OCTETS", "CODEUNITS32", "CHAR", "BYTES"]))
        {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lex;

    fn parse(text: &str) -> Option<SqlType> {
        sql_type(&lex(text).unwrap()).map(|(t, _)| t)
    }

    #[test]
    fn types_are_read_in_every_spelling() {
        assert_eq!(parse("CHAR(02)"), Some(SqlType::Char(2)));
        assert_eq!(parse("DECIMAL(11)"), Some(SqlType::Decimal(11, 0)));
        assert_eq!(parse("DEC"), Some(SqlType::Decimal(5, 0)));
        assert_eq!(parse("CHARACTER VARYING (20)"), Some(SqlType::Varchar(20)));
        assert_eq!(parse("CHAR(8) FOR BIT DATA"), Some(SqlType::Binary(8)));
        assert_eq!(
            parse("TIMESTAMP(12) WITHOUT TIME ZONE"),
            Some(SqlType::Timestamp(12))
        );
        assert_eq!(parse("CLOB(1M)"), Some(SqlType::Clob(1 << 20)));
        assert_eq!(parse("FLOAT(21)"), Some(SqlType::Real));
        assert_eq!(parse("MONEY"), None);
    }

    #[test]
    fn a_declared_table_has_its_columns() {
        let text = "GENASA1.CUSTOMER TABLE (ID INTEGER NOT NULL, \"NAME\" VARCHAR(20), \
                    PRIMARY KEY (ID), D DECIMAL(9,2) NOT NULL WITH DEFAULT)";
        let table = declare_table(lex(text).unwrap());
        // PRIMARY KEY is not of DECLARE TABLE: it is reported as a type.
        assert!(table.is_err());
        let text = text.replace(" PRIMARY KEY (ID),", "");
        let table = declare_table(lex(&text).unwrap()).unwrap();
        assert_eq!(table.schema.as_deref(), Some("GENASA1"));
        let shown: Vec<_> = table
            .columns
            .iter()
            .map(|c| (c.sql_type, c.nullable))
            .collect();
        assert_eq!(
            shown,
            [
                (SqlType::Integer, false),
                (SqlType::Varchar(20), true),
                (SqlType::Decimal(9, 2), false)
            ]
        );
    }
}
