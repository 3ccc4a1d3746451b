//! The types of tables for Db2's statements that an operator or a job runs.
//!
//! A statement is translated just before it runs. Tables that it names and that are not known
//! yet are looked up at the server, and it is translated again: constants for dates are read as
//! Db2 reads them, and numbers are truncated where the server would round.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use database::Connection;
use miette::{Result, miette};
use runtime::sql::{TABLE_COLUMNS, table_column};
use sql::ddl::{AppliedStatement, WrittenStatement};
use sql::{Catalog, Table};

/// Most time that a look-up may take.
const LIMIT: Duration = Duration::from_secs(60);
/// Most columns of a table.
const MOST_COLUMNS: usize = 2000;
/// Statements that change no table's definition.
const DATA: &[&str] = &[
    "INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "VALUES",
];

/// Schema and name of a table.
pub type TableName = (Option<String>, String);

/// The tables that were looked up since the last definition.
#[derive(Debug, Default)]
pub struct TypedTables {
    /// `None` for a table that is not there.
    known: Vec<(TableName, Option<Table>)>,
    wanted: RefCell<Vec<TableName>>,
}

impl Catalog for TypedTables {
    fn table(&self, schema: Option<&str>, name: &str) -> Option<&Table> {
        let same = |(s, n): &TableName| s.as_deref() == schema && n == name;
        if let Some((_, table)) = self.known.iter().find(|(known, _)| same(known)) {
            return table.as_ref();
        }
        let mut wanted = self.wanted.borrow_mut();
        if !wanted.iter().any(same) {
            wanted.push((schema.map(str::to_owned), name.to_owned()));
        }
        None
    }

    // A table that is not there is the server's to report.
}

impl TypedTables {
    /// The statement as it is to be run now.
    ///
    /// # Errors
    /// The connection failed.
    pub fn translate(
        &mut self,
        statement: &WrittenStatement,
        connection: &mut Connection,
    ) -> Result<AppliedStatement> {
        let first = statement.text.split_whitespace().next().unwrap_or_default();
        if !DATA.iter().any(|word| first.eq_ignore_ascii_case(word)) {
            self.known.clear();
        }
        loop {
            let translated = statement.translate(self);
            let wanted = std::mem::take(self.wanted.get_mut());
            if wanted.is_empty() {
                return Ok(translated);
            }
            for name in wanted {
                let table = look_up(&name, connection)?;
                self.known.push((name, table));
            }
        }
    }
}

/// The table of a name at the server; `None` if it is not there.
///
/// # Errors
/// The connection failed.
pub fn look_up((schema, name): &TableName, connection: &mut Connection) -> Result<Option<Table>> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let ask = TABLE_COLUMNS
        .replace("$1", &quoted(schema.as_deref().unwrap_or_default()))
        .replace("$2", &quoted(name));
    let answer = connection.query(&ask, MOST_COLUMNS, Instant::now() + LIMIT);
    let answer = answer.map_err(|error| miette!("{error}"))?;
    let columns = (0..answer.rows.len()).filter_map(|row| {
        let texts: Vec<&str> = (0..answer.rows[row].len())
            .map(|column| answer.text(row, column).unwrap_or_default())
            .collect();
        table_column(&texts)
    });
    let columns: Vec<_> = columns.collect();
    Ok((!columns.is_empty()).then(|| Table {
        schema: schema.clone(),
        name: name.clone(),
        columns,
    }))
}
