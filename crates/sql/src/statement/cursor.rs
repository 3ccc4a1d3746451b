//! Cursors: DECLARE CURSOR, OPEN, FETCH, CLOSE.
//!
//! Reference: Db2 for z/OS SQL Reference, "DECLARE CURSOR", "FETCH".

use super::reader::Reader;
use super::{RowCount, Statement, dynamic};
use crate::text::{StatementProblem, TokenKind};

/// How a cursor is declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CursorOptions {
    /// WITH HOLD.
    pub hold: bool,
    /// SCROLL.
    pub scroll: bool,
    /// The changes that a scrollable cursor sees.
    pub sensitivity: CursorSensitivity,
    /// WITH ROWSET POSITIONING.
    pub rowset: bool,
    /// WITH RETURN.
    pub returned: bool,
    /// FOR UPDATE.
    pub for_update: bool,
    /// FOR FETCH ONLY.
    pub read_only: bool,
    /// SKIP LOCKED DATA.
    pub skip_locked: bool,
}

/// The changes that a scrollable cursor sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CursorSensitivity {
    /// Not said.
    #[default]
    Asensitive,
    /// INSENSITIVE.
    Insensitive,
    /// SENSITIVE STATIC.
    Static,
    /// SENSITIVE DYNAMIC.
    Dynamic,
}

/// The orientation of FETCH.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FetchOrientation {
    /// The next row.
    #[default]
    Next,
    /// The row before.
    Prior,
    /// The first row.
    First,
    /// The last row.
    Last,
    /// The same row again.
    Current,
    /// Before the first row.
    Before,
    /// After the last row.
    After,
    /// ABSOLUTE.
    Absolute(FetchDistance),
    /// RELATIVE.
    Relative(FetchDistance),
}

/// A number of rows to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchDistance {
    /// A number.
    Rows(i32),
    /// The value of the first input.
    Input,
}

/// DECLARE name … CURSOR … FOR …; the name is read.
pub(super) fn declare(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<(), StatementProblem> {
    let cursor = &mut statement.cursor;
    loop {
        if reader.accept("INSENSITIVE") {
            cursor.sensitivity = CursorSensitivity::Insensitive;
        } else if reader.accept("SENSITIVE") {
            cursor.sensitivity = if reader.accept("DYNAMIC") {
                CursorSensitivity::Dynamic
            } else {
                reader.accept("STATIC");
                CursorSensitivity::Static
            };
        } else if reader.accept("SCROLL") {
            cursor.scroll = true;
        } else if !(reader.accept("ASENSITIVE") || reader.accept_all(&["NO", "SCROLL"])) {
            break;
        }
    }
    reader.expect("CURSOR")?;
    loop {
        if reader.accept_all(&["WITH", "HOLD"]) {
            cursor.hold = true;
        } else if reader.accept_all(&["WITH", "ROWSET", "POSITIONING"]) {
            cursor.rowset = true;
        } else if reader.accept_all(&["WITH", "RETURN"]) {
            cursor.returned = true;
            let _ = reader.accept_all(&["TO", "CALLER"]) || reader.accept_all(&["TO", "CLIENT"]);
        } else if !(reader.accept_all(&["WITHOUT", "HOLD"])
            || reader.accept_all(&["WITHOUT", "RETURN"])
            || reader.accept_all(&["WITHOUT", "ROWSET", "POSITIONING"]))
        {
            break;
        }
    }
    reader.expect("FOR")?;
    let query = reader
        .peek()
        .is_some_and(|t| t.is_any(&["SELECT", "WITH"]) || t.is_mark("("));
    if !query {
        statement.prepared = Some(reader.name("SELECT or the name of a statement")?);
        return reader.end();
    }
    statement.body = reader.rest();
    dynamic::finish(statement)
}

/// OPEN cursor; the verb is read.
pub(super) fn open(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    statement.name = Some(reader.name("the name of a cursor")?);
    using(statement, reader)?;
    reader.end()
}

/// USING with host variables or a descriptor.
pub(super) fn using(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<(), StatementProblem> {
    if !reader.accept("USING") {
        return Ok(());
    }
    if reader.accept("DESCRIPTOR") {
        statement.descriptor = Some(reader.host("an SQLDA")?.name);
    } else {
        statement.inputs = reader.hosts()?;
    }
    Ok(())
}

/// FETCH; the verb is read.
pub(super) fn fetch(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<(), StatementProblem> {
    let _ = reader.accept("INSENSITIVE") || reader.accept("SENSITIVE");
    let accept_rowset = |reader: &mut Reader| reader.accept("ROWSET");
    let mut rowset = false;
    let both = |a: &'static str| [a, "ROWSET"];
    let simple = [
        ("NEXT", FetchOrientation::Next),
        ("PRIOR", FetchOrientation::Prior),
        ("FIRST", FetchOrientation::First),
        ("LAST", FetchOrientation::Last),
        ("CURRENT", FetchOrientation::Current),
        ("BEFORE", FetchOrientation::Before),
        ("AFTER", FetchOrientation::After),
    ];
    // A cursor may be named as a direction is: FETCH NEXT INTO.
    let names_cursor = reader
        .tokens
        .get(reader.at + 1)
        .is_none_or(|t| t.is("INTO"));
    for (word, orientation) in simple {
        if names_cursor {
            break;
        }
        if reader.accept_all(&both(word)) {
            rowset = true;
            statement.orientation = orientation;
        } else if reader.accept(word) {
            statement.orientation = orientation;
        } else {
            continue;
        }
        break;
    }
    let starting = reader.accept_all(&["ROWSET", "STARTING", "AT"]);
    rowset |= starting;
    for absolute in [true, false] {
        if reader.accept(if absolute { "ABSOLUTE" } else { "RELATIVE" }) {
            let distance = distance(statement, reader)?;
            statement.orientation = if absolute {
                FetchOrientation::Absolute(distance)
            } else {
                FetchOrientation::Relative(distance)
            };
        }
    }
    rowset |= accept_rowset(reader);
    statement.cursor.rowset = rowset;
    reader.accept("FROM");
    statement.name = Some(reader.name("the name of a cursor")?);
    for_rows(statement, reader)?;
    if reader.accept("INTO") {
        if reader.accept("DESCRIPTOR") {
            statement.descriptor = Some(reader.host("an SQLDA")?.name);
        } else {
            statement.outputs = reader.hosts()?;
        }
    } else if reader.accept_all(&["USING", "DESCRIPTOR"]) {
        statement.descriptor = Some(reader.host("an SQLDA")?.name);
    }
    reader.end()
}

fn distance(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<FetchDistance, StatementProblem> {
    let negative = reader.accept_mark("-");
    reader.accept_mark("+");
    if let Some(token) = reader.peek().filter(|t| t.kind == TokenKind::Number) {
        let number: i32 = token
            .text
            .parse()
            .map_err(|_| reader.unexpected("a whole number"))?;
        reader.at += 1;
        return Ok(FetchDistance::Rows(if negative { -number } else { number }));
    }
    statement
        .inputs
        .push(reader.host("a number or a host variable")?);
    Ok(FetchDistance::Input)
}

/// FOR n ROWS.
pub(super) fn for_rows(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<(), StatementProblem> {
    if !reader.accept("FOR") {
        return Ok(());
    }
    let number = reader.peek().filter(|t| t.kind == TokenKind::Number);
    match number.map(|t| t.text.parse::<u32>()) {
        Some(Ok(rows)) => {
            reader.at += 1;
            statement.rows = Some(RowCount::Rows(rows));
        }
        Some(Err(_)) => return Err(reader.unexpected("a number of rows")),
        None => {
            let host = reader.host("a number of rows")?;
            statement.inputs.push(host);
            statement.rows = Some(RowCount::Input(statement.inputs.len()));
        }
    }
    if !(reader.accept("ROWS") || reader.accept("ROW")) {
        return Err(reader.unexpected("ROWS"));
    }
    Ok(())
}
