//! Compares EXEC SQL with the server's catalogue for `tupelo check`: unknown tables and
//! columns, types that do not match.
//!
//! Statements are prepared in a session of the programs' role and never executed. The
//! private cluster is used while it runs. A server of the settings, or a cluster that
//! does not run, is used only with `--database`.

use std::io;
use std::time::{Duration, Instant};

use database::cluster::Cluster;
use database::{Connection, DateFormat};
use miette::{IntoDiagnostic, Result, miette};
use runtime::sql::{Session, SessionOptions, SqlTransport, StatementChecker, StatementFinding};
use sql::StatementKind;
use sql::block::StatementBlock;
use sql::temporal::DateStyle;
use translator::{BuildResult, SqlUse};

use super::compile::CompiledPrograms;
use super::finding::{Finding, Severity};
use super::{Application, counted, sql as settings};

/// Most time that the server may take for a statement.
const LIMIT: Duration = Duration::from_secs(60);

/// The findings, or why nothing could be compared.
pub struct SqlReport {
    /// Findings about statements.
    pub findings: Vec<Finding>,
    /// A line for the user; `None` when all statements were compared, or there are none.
    pub note: Option<String>,
}

/// Compares the statements of all programs with the catalogue, those of batch programs
/// too.
pub fn report(
    app: &Application,
    compiled: &CompiledPrograms,
    batch: &[BuildResult],
    connects: bool,
) -> SqlReport {
    let built = compiled.built.iter().chain(batch);
    let uses: Vec<&SqlUse> = built.flat_map(|built| &built.sql).collect();
    let mut report = SqlReport {
        findings: Vec::new(),
        note: None,
    };
    if uses.is_empty() {
        return report;
    }
    let count = counted(uses.len(), "statement");
    if !connects && let Some(why) = cannot_look(app) {
        report.note = Some(format!(
            "{count} of EXEC SQL not compared with the tables: {why}"
        ));
        return report;
    }
    match compare(app, &uses) {
        Ok(findings) => report.findings = findings,
        Err(why) => {
            let why = why.to_string();
            let line = why.lines().next().unwrap_or_default();
            report.note = Some(format!(
                "{count} of EXEC SQL not compared with the tables: {line}"
            ));
        }
    }
    report
}

/// Why the catalogue is not used without `--database`.
fn cannot_look(app: &Application) -> Option<String> {
    if app.config.sql.url.is_some() {
        return Some("--database connects to the server of [sql]".to_owned());
    }
    let runs = Cluster::join(&app.state.join("sql"))
        .ok()
        .flatten()
        .is_some();
    (!runs).then(|| "no region runs its SQL server; --database starts it".to_owned())
}

/// The connection of a session of the programs' role.
struct CheckTransport(Connection);

impl SqlTransport for CheckTransport {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.socket().send_all(bytes, Instant::now() + LIMIT)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.socket().receive(buffer, Instant::now() + LIMIT)
    }
}

fn compare(app: &Application, uses: &[&SqlUse]) -> Result<Vec<Finding>> {
    let server = settings::server(app)?;
    let found = compare_at(&server, app, uses);
    server.stop();
    found
}

fn compare_at(
    server: &database::Server,
    app: &Application,
    uses: &[&SqlUse],
) -> Result<Vec<Finding>> {
    let config = server.config();
    let tables = table_names(server)?;
    let connection = server.open_role(&config.role).into_diagnostic()?;
    let mut transport = CheckTransport(connection);
    let mut session = Session::new(SessionOptions {
        dates: match config.dates {
            DateFormat::Iso => DateStyle::Iso,
            DateFormat::Usa => DateStyle::Usa,
            DateFormat::Eur => DateStyle::Eur,
            DateFormat::Jis => DateStyle::Jis,
        },
        decimal_digits: config.decimal_digits,
        qualifier: config.qualifier.clone(),
        ..SessionOptions::default()
    });
    let blocks = uses
        .iter()
        .filter_map(|one| Some((*one, StatementBlock::parse(&one.block).ok()?)));
    let (fetches, others): (Vec<_>, Vec<_>) =
        blocks.partition(|(_, block)| block.kind == StatementKind::Fetch);
    let mut checker = StatementChecker::default();
    let mut findings = Vec::new();
    // The queries of cursors come before their FETCHes.
    for (at, block) in others.iter().chain(&fetches) {
        let found = checker.check(&mut session, &mut transport, block);
        let found = found.map_err(|why| miette!("the SQL server: {why}"))?;
        findings.extend(found.into_iter().map(|one| finding(app, at, one, &tables)));
    }
    Ok(findings)
}

/// The names of all tables, for hints.
fn table_names(server: &database::Server) -> Result<Vec<String>> {
    const MOST: usize = 100_000;
    let names = "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' \
                 AND n.nspname NOT IN ('db2', 'information_schema')";
    let mut owner = server.open_owner().into_diagnostic()?;
    let answer = owner
        .query(names, MOST, Instant::now() + LIMIT)
        .map_err(|error| miette!("{error}"))?;
    Ok((0..answer.rows.len())
        .filter_map(|row| answer.text(row, 0).map(str::to_owned))
        .collect())
}

fn finding(app: &Application, at: &SqlUse, found: StatementFinding, tables: &[String]) -> Finding {
    let help = found.help.or_else(|| {
        // The message begins with the name, which may have a schema.
        let name = found.message.split(' ').next()?.rsplit('.').next()?;
        let near = base::suggestion(name, tables.iter().map(String::as_str));
        near.filter(|_| found.sqlcode == UNDEFINED)
    });
    let message = match found.sqlcode {
        0 => found.message,
        code => format!("SQLCODE {code}: {}", found.message),
    };
    Finding::new(
        if matches!(found.sqlcode, 0 | UNDEFINED) {
            Severity::Warning
        } else {
            Severity::Error
        },
        (at.line, at.column),
        message,
    )
    .in_file(
        at.file
            .strip_prefix(&app.folder)
            .unwrap_or(&at.file)
            .to_owned(),
    )
    .maybe_help(help)
}

/// SQLCODE of an undefined name.
const UNDEFINED: i32 = -204;
