//! The tables of the server: names and types of columns.
//!
//! The rewriter asks for a table by its name; one that is not known yet is noted,
//! and looked up over the connection afterwards. A table that is not there is not
//! kept, for it may be made later.

use std::cell::RefCell;
use std::collections::HashMap;

use sql::wire::{ClientEvent, oid};
use sql::{Catalog, SqlType, StatementKind, Table, TableColumn};

use super::exchange::SqlTransport;
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

/// Schema and name of a table.
pub(super) type TableName = (Option<String>, String);

/// What is known of the server's tables.
#[derive(Debug, Default)]
pub(super) struct ServerCatalog {
    tables: HashMap<String, Vec<(Option<String>, Table)>>,
    wanted: RefCell<Vec<TableName>>,
    /// Looked up for the statement at hand, and not there.
    absent: Vec<TableName>,
    is_prepared: bool,
}

impl Catalog for ServerCatalog {
    fn table(&self, schema: Option<&str>, name: &str) -> Option<&Table> {
        let same = |s: &Option<String>| s.as_deref() == schema;
        let known = self.tables.get(name).into_iter().flatten();
        if let Some((_, table)) = known.into_iter().find(|(s, _)| same(s)) {
            return Some(table);
        }
        let is_absent = self.absent.iter().any(|(s, n)| same(s) && n == name);
        let mut wanted = self.wanted.borrow_mut();
        if !is_absent && !wanted.iter().any(|(s, n)| same(s) && n == name) {
            wanted.push((schema.map(str::to_owned), name.to_owned()));
        }
        None
    }

    fn is_complete(&self) -> bool {
        // What was asked for and not looked up yet may be there.
        self.wanted.borrow().is_empty()
    }
}

impl ServerCatalog {
    /// The tables that were asked for and are not known.
    pub fn take_wanted(&mut self) -> Vec<TableName> {
        let wanted = std::mem::take(&mut *self.wanted.borrow_mut());
        if wanted.is_empty() {
            self.absent.clear();
        }
        wanted
    }
}

/// The columns of a table in their order, for [`table_column`]. Parameters are schema, or
/// nothing for the search path, and table.
pub const TABLE_COLUMNS: &str = "SELECT a.attname::text, coalesce(b.typname, t.typname)::text, \
    (CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END)::text, t.typname::text, \
    a.attnotnull::text, (a.attidentity <> '')::text \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype \
    WHERE c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped \
    AND CASE WHEN $1 = '' THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $1 END \
    ORDER BY a.attnum";

impl Session {
    /// Tables may be others from now on.
    pub(super) fn forget_catalog(&mut self) {
        self.catalog = ServerCatalog::default();
    }

    /// Looks tables up; all of them in one batch.
    pub(super) fn look_up(
        &mut self,
        transport: &mut dyn SqlTransport,
        names: &[TableName],
    ) -> Result<(), SqlFailure> {
        self.open_batch();
        let client = &mut self.exchange.client;
        if !std::mem::replace(&mut self.catalog.is_prepared, true) {
            // It may be there from before the catalogue was forgotten.
            client.close_statement("t_columns");
            client.parse("t_columns", TABLE_COLUMNS, &[oid::TEXT, oid::TEXT]);
        }
        for (schema, name) in names {
            client.bind("", "t_columns", 2, |bind| -> Result<(), SqlFailure> {
                for text in [schema.as_deref().unwrap_or_default(), name] {
                    bind.value(|out| {
                        out.extend_from_slice(text.as_bytes());
                        Ok::<(), SqlFailure>(())
                    })?;
                }
                Ok(())
            })?;
            client.execute("", 0);
        }
        let mut found: Vec<Vec<TableColumn>> = Vec::new();
        // BEGIN and SAVEPOINT complete before the look-ups do.
        let mut columns = Vec::new();
        let context = self.context(StatementKind::SelectInto, false);
        self.run(transport, context, StatementEffect::Reads, &mut |event| {
            match event {
                ClientEvent::Row(row) => {
                    let texts = row.values().map(|v| v.map(String::from_utf8_lossy));
                    let texts: Vec<_> = texts.map(Option::unwrap_or_default).collect();
                    columns.extend(table_column(&texts));
                }
                ClientEvent::Complete(_) => found.push(std::mem::take(&mut columns)),
                _ => {}
            }
            Ok(())
        })?;
        let results = found.split_off(found.len().saturating_sub(names.len()));
        for ((schema, name), columns) in names.iter().zip(results) {
            if columns.is_empty() {
                self.catalog.absent.push((schema.clone(), name.clone()));
                continue;
            }
            let table = Table {
                schema: schema.clone(),
                name: name.clone(),
                columns,
            };
            let same_name = self.catalog.tables.entry(name.clone()).or_default();
            same_name.push((schema.clone(), table));
        }
        Ok(())
    }
}

/// The column of a row of [`TABLE_COLUMNS`]; `None` if the row is of another statement.
pub fn table_column(texts: &[impl AsRef<str>]) -> Option<TableColumn> {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let [name, base, modifier, type_name, not_null, identity] = texts[..] else {
        return None;
    };
    Some(TableColumn {
        name: name.to_owned(),
        sql_type: sql_type(base, modifier.parse().unwrap_or(-1), type_name),
        nullable: not_null != "true",
        identity: identity == "true",
    })
}

/// Db2's type of a result's column or a parameter.
pub(super) fn type_of(number: u32, modifier: i32) -> SqlType {
    let base = match number {
        oid::INT2 => "int2",
        oid::INT4 => "int4",
        oid::INT8 => "int8",
        oid::NUMERIC => "numeric",
        oid::FLOAT4 => "float4",
        oid::FLOAT8 => "float8",
        oid::BPCHAR => "bpchar",
        oid::VARCHAR => "varchar",
        oid::TEXT => "text",
        oid::BYTEA => "bytea",
        oid::DATE => "date",
        oid::TIME => "time",
        oid::TIMESTAMP | oid::TIMESTAMPTZ => "timestamp",
        _ => "",
    };
    sql_type(base, modifier, "")
}

/// Db2's type of a type of the server; `name` is that of the domain.
fn sql_type(base: &str, modifier: i32, name: &str) -> SqlType {
    let length = u32::try_from(modifier - 4).ok();
    if let Some(most) = name.strip_prefix("varchar_").and_then(|n| n.parse().ok()) {
        return SqlType::Varchar(most);
    }
    match base {
        "int2" => SqlType::Smallint,
        "int4" => SqlType::Integer,
        "int8" => SqlType::Bigint,
        "numeric" => match length {
            Some(bits) => SqlType::Decimal((bits >> 16) as u8, (bits & 0x7ff) as u8),
            None => SqlType::Decfloat(34),
        },
        "float4" => SqlType::Real,
        "float8" => SqlType::Double,
        "bpchar" => length.map_or(SqlType::Varchar(MOST_TEXT), SqlType::Char),
        "varchar" => SqlType::Varchar(length.unwrap_or(MOST_TEXT)),
        "text" => SqlType::Clob(1 << 20),
        "bytea" => SqlType::Varbinary(MOST_TEXT),
        "date" => SqlType::Date,
        "time" => SqlType::Time,
        "timestamp" | "timestamptz" => SqlType::Timestamp(6),
        _ => SqlType::Unknown,
    }
}

/// Greatest length of a VARCHAR of Db2.
const MOST_TEXT: u32 = 32_704;
