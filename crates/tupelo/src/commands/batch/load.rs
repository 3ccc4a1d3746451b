//! DSNUTILB: LOAD of data sets into tables.
//!
//! Each LOAD is one unit of work. Rows go to the server some hundred at a time; if it refuses
//! some, each is sent by itself. A record that cannot be loaded is written to SYSDISC and
//! reported with its number and its column, and the others are loaded.
//!
//! Reference: Db2 for z/OS Utility Guide and Reference, "LOAD", "Return codes".

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use batch::load::{
    LoadField, LoadItem, LoadStatement, fields_of_copybook, fields_of_table, fixed_bytes, items,
    sql_literal, values,
};
use batch::{DdAllocation, RecordFormat};
use copybook::CodePage;
use database::{Connection, Exchange, Server};
use miette::{IntoDiagnostic, Result, miette};
use sql::code::{StatementContext, from_server_error};
use sql::{StatementKind, Table, quoted_name};

use super::load_records::{DiscardWriter, each_record};
use crate::app::Application;
use crate::app::sql_types::look_up;

/// Rows that are sent together.
const ROWS_TOGETHER: usize = 200;
/// Most bytes of rows that are sent together.
const BYTES_TOGETHER: usize = 1 << 20;
/// Most time of a statement.
const STATEMENT_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// Records whose reason is printed.
const MOST_REASONS: u64 = 100;

/// Name of the program.
pub const PROGRAM: &str = "DSNUTILB";

/// The application's DDs and server.
pub struct LoadHost<'a> {
    /// Where copybooks and files of the store are.
    pub app: &'a Application,
    /// The server.
    pub server: &'a Server,
    /// The DDs of the step.
    pub dds: &'a [(String, DdAllocation)],
}

/// Runs the utilities of a text, and returns the highest return code.
pub fn run(host: &LoadHost<'_>, sysin: &str, out: &mut dyn Write) -> Result<u32> {
    let items = match items(sysin) {
        Ok(items) => items,
        Err(error) => {
            writeln!(out, "{error}").into_diagnostic()?;
            return Ok(8);
        }
    };
    let mut code = 0;
    for item in items {
        code = code.max(match item {
            LoadItem::LeftOut(name) => {
                writeln!(out, "{name} is left out").into_diagnostic()?;
                0
            }
            LoadItem::Load(statement) => load(host, &statement, out)?,
        });
        if code >= 8 {
            break;
        }
    }
    writeln!(out, "utility execution complete, highest return code={code}").into_diagnostic()?;
    Ok(code)
}

fn load(host: &LoadHost<'_>, statement: &LoadStatement, out: &mut dyn Write) -> Result<u32> {
    for name in &statement.left_out {
        writeln!(out, "note: {name} is left out").into_diagnostic()?;
    }
    let connection = match host.server.open_owner() {
        Ok(connection) => connection,
        Err(error) => {
            writeln!(out, "the SQL server cannot be reached: {error}").into_diagnostic()?;
            return Ok(12);
        }
    };
    match LoadRun::new(host, statement, connection, out) {
        Ok(mut run) => run.load(),
        Err(error) => {
            writeln!(out, "{error}").into_diagnostic()?;
            if let Some(help) = error.help() {
                writeln!(out, "  help: {help}").into_diagnostic()?;
            }
            Ok(8)
        }
    }
}

/// A row that is to be inserted, with its record.
struct PendingRow {
    number: u64,
    sql: String,
    record: Vec<u8>,
}

struct LoadRun<'a> {
    host: &'a LoadHost<'a>,
    statement: &'a LoadStatement,
    out: &'a mut dyn Write,
    connection: Connection,
    table: Table,
    fields: Vec<LoadField>,
    page: CodePage,
    input: DdAllocation,
    discards: DiscardWriter,
    /// INSERT up to the rows.
    insert: String,
    pending: Vec<PendingRow>,
    pending_bytes: usize,
    read: u64,
    loaded: u64,
    discarded: u64,
}

impl<'a> LoadRun<'a> {
    fn new(
        host: &'a LoadHost<'a>,
        statement: &'a LoadStatement,
        mut connection: Connection,
        out: &'a mut dyn Write,
    ) -> Result<LoadRun<'a>> {
        let find = |name: &str| host.dds.iter().find(|(of, _)| of.eq_ignore_ascii_case(name));
        let input = find(&statement.input).map(|(_, dd)| dd.clone());
        let input = input.ok_or_else(|| miette!("there is no DD {}", statement.input))?;
        let qualifier = host.server.config().qualifier.clone();
        let schema = statement.schema.clone().or(qualifier);
        let name = (schema.clone(), statement.table.clone());
        let table = look_up(&name, &mut connection)?;
        let (full, shown) = (table_name(&name), shown_name(&name));
        let table = table.ok_or_else(|| miette!("SQLCODE -204: {shown} IS AN UNDEFINED NAME"))?;
        let of_dd = input.code_page.as_ref();
        let fields = match of_dd.and_then(|of| of.copybook.as_ref()) {
            _ if !statement.fields.is_empty() => statement.fields.clone(),
            Some(path) => {
                let layout = host.app.layout_of(path)?;
                fields_of_copybook(&layout, &table).into_diagnostic()?
            }
            None => fields_of_table(&table).into_diagnostic()?,
        };
        if let Some(field) = fields.iter().find(|f| table.column(&f.column).is_none()) {
            let column = &field.column;
            return Err(miette!("SQLCODE -206: {shown} HAS NO COLUMN {column}"));
        }
        let page = match of_dd {
            Some(of) => Some(CodePage::by_name(&of.name).into_diagnostic()?),
            None => statement.code_page,
        };
        let discards = find(&statement.discards).map(|(_, dd)| dd);
        let framing = framing(&input, &fields, &table)?;
        let columns: Vec<String> = fields.iter().map(|f| quoted_name(&f.column)).collect();
        let is_made = |f: &LoadField| table.column(&f.column).is_some_and(|c| c.identity);
        let overriding = if fields.iter().any(is_made) {
            " OVERRIDING SYSTEM VALUE"
        } else {
            ""
        };
        let input = DdAllocation {
            record_bytes: framing.1.or(input.record_bytes),
            ..input
        };
        Ok(LoadRun {
            insert: format!("INSERT INTO {full} ({}){overriding} VALUES ", columns.join(", ")),
            discards: DiscardWriter::open(discards, framing.0)?,
            page: page.unwrap_or_else(CodePage::latin1),
            host,
            statement,
            out,
            connection,
            table,
            fields,
            input,
            pending: Vec::new(),
            pending_bytes: 0,
            read: 0,
            loaded: 0,
            discarded: 0,
        })
    }

    fn send(&mut self, sql: &str) -> Result<Exchange> {
        let deadline = Instant::now() + STATEMENT_LIMIT;
        let answer = self.connection.query(sql, 10, deadline);
        answer.map_err(|error| miette!("{error}"))
    }

    /// Runs a statement that must not fail.
    fn must(&mut self, sql: &str) -> Result<Exchange> {
        let answer = self.send(sql)?;
        match &answer.error {
            Some(error) => Err(miette!("{}", error.message)),
            None => Ok(answer),
        }
    }

    fn load(&mut self) -> Result<u32> {
        match self.load_all() {
            Ok(code) => Ok(code),
            Err(error) => {
                self.send("ROLLBACK").ok();
                writeln!(self.out, "{error}").into_diagnostic()?;
                Ok(8)
            }
        }
    }

    fn load_all(&mut self) -> Result<u32> {
        let both = (self.table.schema.clone(), self.table.name.clone());
        let (name, shown) = (table_name(&both), shown_name(&both));
        self.must("BEGIN")?;
        if self.statement.replaces {
            self.must(&format!("DELETE FROM {name}"))?;
        } else if !self.statement.resumes {
            let there = self.must(&format!("SELECT 1 FROM {name} LIMIT 1"))?;
            if !there.rows.is_empty() {
                return Err(miette!("{shown} is not empty: RESUME YES or REPLACE loads it"));
            }
        }
        let (input, app) = (self.input.clone(), self.host.app);
        let mut failed = None;
        each_record(app, &input, &mut |record| match self.record(record) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        self.flush()?;
        self.must("COMMIT")?;
        self.discards.finish()?;
        let (read, loaded, discarded) = (self.read, self.loaded, self.discarded);
        if discarded > MOST_REASONS {
            let more = discarded - MOST_REASONS;
            writeln!(self.out, "{more} further records are discarded").into_diagnostic()?;
        }
        writeln!(self.out, "{shown}: {read} records read, {loaded} loaded, {discarded} discarded")
            .into_diagnostic()?;
        Ok(if discarded > 0 { 4 } else { 0 })
    }

    fn record(&mut self, record: &[u8]) -> Result<()> {
        self.read += 1;
        let number = self.read;
        match values(record, &self.fields, &self.table, self.page) {
            Err(bad) => self.discard(number, record, &bad.to_string()),
            Ok(values) => {
                let mut sql = String::from("(");
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        sql.push_str(", ");
                    }
                    sql_literal(value, &mut sql);
                }
                sql.push(')');
                self.pending_bytes += sql.len();
                self.pending.push(PendingRow {
                    number,
                    sql,
                    record: record.to_vec(),
                });
                if self.pending.len() >= ROWS_TOGETHER || self.pending_bytes >= BYTES_TOGETHER {
                    self.flush()?;
                }
                Ok(())
            }
        }
    }

    /// Inserts the rows that wait.
    fn flush(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let all: Vec<&str> = rows.iter().map(|row| row.sql.as_str()).collect();
        if self.insert_rows(&all.join(", "))?.is_none() {
            self.loaded += rows.len() as u64;
            return Ok(());
        }
        for row in rows {
            match self.insert_rows(&row.sql)? {
                None => self.loaded += 1,
                Some(reason) => self.discard(row.number, &row.record, &reason)?,
            }
        }
        Ok(())
    }

    /// Inserts rows; the reason if the server refuses one, and then none is inserted.
    fn insert_rows(&mut self, rows: &str) -> Result<Option<String>> {
        self.must("SAVEPOINT r_s")?;
        let sql = format!("{}{rows}", self.insert);
        let answer = self.send(&sql)?;
        if let Some(error) = answer.error {
            self.must("ROLLBACK TO SAVEPOINT r_s")?;
            let context = StatementContext {
                kind: StatementKind::Insert,
                has_inputs: false,
                rolls_back: false,
                connecting: false,
            };
            let code = from_server_error(&error, context).sqlcode;
            let detail = if error.detail.is_empty() { "" } else { ": " };
            let text = format!("SQLCODE {code}: {}{detail}{}", error.message, error.detail);
            return Ok(Some(text));
        }
        self.must("RELEASE SAVEPOINT r_s")?;
        Ok(None)
    }

    fn discard(&mut self, number: u64, record: &[u8], reason: &str) -> Result<()> {
        self.discarded += 1;
        if self.discarded <= MOST_REASONS {
            writeln!(self.out, "record {number}: {reason}").into_diagnostic()?;
        }
        self.discards.write(record)?;
        let most = self.statement.most_discards;
        if most > 0 && self.discarded >= most {
            self.discards.finish()?;
            return Err(miette!("{most} records are discarded (DISCARDS): nothing is loaded"));
        }
        Ok(())
    }
}

/// How the records of the input follow each other, and their length if it is fixed.
fn framing(
    input: &DdAllocation,
    fields: &[LoadField],
    table: &Table,
) -> Result<(RecordFormat, Option<u32>)> {
    let layout_bytes = fixed_bytes(fields, table);
    let given = input.sources.iter().find_map(|source| match source {
        batch::RecordSource::File { format, .. } => *format,
        batch::RecordSource::Lines(_) => Some(RecordFormat::Lines),
        _ => None,
    });
    let length = input.record_bytes.or(layout_bytes);
    match (given, length) {
        (Some(RecordFormat::Fixed), None) => Err(miette!(
            help = "write ,fixed=BYTES after the DD's file",
            "the length of the records is not known"
        )),
        (Some(RecordFormat::Fixed) | None, Some(length)) => Ok((RecordFormat::Fixed, Some(length))),
        (None, None) => Ok((RecordFormat::Rdw, None)),
        (Some(format), _) => Ok((format, length)),
    }
}

fn shown_name((schema, name): &(Option<String>, String)) -> String {
    match schema {
        Some(schema) => format!("{schema}.{name}"),
        None => name.clone(),
    }
}

fn table_name((schema, name): &(Option<String>, String)) -> String {
    match schema {
        Some(schema) => format!("{}.{}", quoted_name(schema), quoted_name(name)),
        None => quoted_name(name),
    }
}
