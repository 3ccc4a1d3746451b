//! DSNTIAD, DSNTEP2 and DSNTEP4: run the statements of SYSIN in sequence, and print the
//! result of each on SYSPRINT.
//!
//! All statements up to COMMIT or ROLLBACK are one unit of work. The end of SYSIN
//! commits; more errors than the program tolerates roll back. A statement that fails has
//! no effect on the unit.
//!
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "DSNTIAUL, DSNTIAD,
//! and DSNTEP2"; Db2 for z/OS Utility Guide, "Return codes".

use std::io::Write;
use std::time::{Duration, Instant};

use database::{Connection, Exchange, Server};
use miette::{IntoDiagnostic, Result, miette};
use sql::code::{Sqlca, from_server_error, message_lines};
use sql::ddl::{self, WrittenStatement};
use sql::RewriteOptions;

use crate::app::sql_types::TypedTables;
use crate::commands::sql::{cell, is_number, statement_context};

/// A program that runs the statements of its SYSIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Db2Program {
    /// DSNTIAD: no queries.
    Tiad,
    /// DSNTEP2 and DSNTEP4.
    Tep,
}

/// The options of a program's parameters and `--#SET` lines.
struct ProgramOptions {
    terminator: char,
    most_errors: usize,
    /// DSNTIAD's RC0: the return code is always 0.
    is_always_zero: bool,
    /// Warnings do not change the return code.
    tolerates_warnings: bool,
    /// Most rows of a query that are printed.
    most_rows: usize,
}

/// Most time of a statement: building an index on a large table takes hours.
const STATEMENT_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// Most rows that are read.
const MOST_ROWS: usize = 100_000;
/// Errors that are tolerated unless MAXERRORS sets another number.
const MOST_ERRORS: usize = 10;
/// Columns of a line of SYSPRINT.
const LINE: usize = 120;

impl Db2Program {
    /// The program with a name.
    pub fn by_name(name: &str) -> Option<Db2Program> {
        match name {
            "DSNTIAD" => Some(Db2Program::Tiad),
            "DSNTEP2" | "DSNTEP4" => Some(Db2Program::Tep),
            _ => None,
        }
    }

    fn options(self, parm: &str, sysin: &str) -> Result<ProgramOptions, String> {
        let mut options = ProgramOptions {
            terminator: ';',
            most_errors: MOST_ERRORS,
            is_always_zero: false,
            tolerates_warnings: false,
            most_rows: MOST_ROWS,
        };
        let words = parm.split(['/', ',', ' ']).filter(|word| !word.is_empty());
        for word in words {
            let upper = word.to_ascii_uppercase();
            let (name, value) = match upper.split_once('(') {
                Some((name, _)) => (name, word[name.len() + 1..].trim_end_matches(')')),
                None => (upper.as_str(), ""),
            };
            match (self, name) {
                (_, "SQLTERM") => options.terminator = value.chars().next().unwrap_or(';'),
                (Db2Program::Tiad, "RC0") => options.is_always_zero = true,
                (Db2Program::Tep, "TOLWARN") => options.tolerates_warnings = !value.eq_ignore_ascii_case("NO"),
                (Db2Program::Tep, "MAXERRORS") => options.most_errors = number(value),
                (Db2Program::Tep, "ALIGN" | "MIXED" | "NOMIXED" | "PREPWARN") => {}
                _ => return Err(format!("the parameter {word} is not supported")),
            }
        }
        for line in sysin.lines().filter(|_| self == Db2Program::Tep) {
            let words: Vec<String> = line.split_whitespace().map(str::to_ascii_uppercase).collect();
            if let [set, name, value, ..] = words.as_slice()
                && set == "--#SET"
            {
                match name.as_str() {
                    "MAXERRORS" => options.most_errors = number(value),
                    "ROWS_OUT" | "ROWS_FETCH" => options.most_rows = number(value).min(MOST_ROWS),
                    "TOLWARN" => options.tolerates_warnings = value != "NO",
                    _ => {}
                }
            }
        }
        Ok(options)
    }
}

/// A number of a parameter; -1 and other texts mean no limit.
fn number(text: &str) -> usize {
    text.parse().unwrap_or(usize::MAX)
}

/// Runs a program, and returns its return code.
pub fn run(
    program: Db2Program,
    server: &Server,
    parm: &str,
    sysin: &str,
    out: &mut dyn Write,
) -> Result<u32> {
    let options = match program.options(parm, sysin) {
        Ok(options) => options,
        Err(why) => {
            writeln!(out, "{why}").into_diagnostic()?;
            return Ok(12);
        }
    };
    let config = server.config();
    let rewriting = RewriteOptions {
        qualifier: config.qualifier.clone(),
        decimal_digits: config.decimal_digits,
        ..RewriteOptions::default()
    };
    let connection = match server.open_owner() {
        Ok(connection) => connection,
        Err(error) => {
            writeln!(out, "the SQL server cannot be reached: {error}").into_diagnostic()?;
            return Ok(12);
        }
    };
    let mut run = ProgramOutput {
        program,
        options,
        connection,
        tables: TypedTables::default(),
        out,
        code: 0,
        errors: 0,
    };
    run.send("BEGIN")?;
    for statement in ddl::written(sysin, run.options.terminator, &rewriting) {
        run.statement(&statement)?;
        if run.errors > run.options.most_errors {
            writeln!(run.out, " MORE THAN {} ERRORS: ALL CHANGES SINCE THE LAST COMMIT ARE ROLLED BACK", run.options.most_errors)
                .into_diagnostic()?;
            run.send("ROLLBACK")?;
            return Ok(run.return_code());
        }
    }
    run.send("COMMIT")?;
    Ok(run.return_code())
}

struct ProgramOutput<'a> {
    program: Db2Program,
    options: ProgramOptions,
    connection: Connection,
    tables: TypedTables,
    out: &'a mut dyn Write,
    code: u32,
    errors: usize,
}

impl ProgramOutput<'_> {
    fn return_code(&self) -> u32 {
        if self.options.is_always_zero { 0 } else { self.code }
    }

    fn send(&mut self, sql: &str) -> Result<Exchange> {
        let deadline = Instant::now() + STATEMENT_LIMIT;
        let answer = self.connection.query(sql, MOST_ROWS, deadline);
        answer.map_err(|error| miette!("{error}"))
    }

    fn statement(&mut self, statement: &WrittenStatement) -> Result<()> {
        let statement = &self.tables.translate(statement, &mut self.connection)?;
        writeln!(self.out, "***INPUT STATEMENT:").into_diagnostic()?;
        for line in statement.text.lines() {
            writeln!(self.out, " {line}").into_diagnostic()?;
        }
        for note in &statement.notes {
            writeln!(self.out, " NOTE: {note}").into_diagnostic()?;
        }
        if let Some(problem) = &statement.problem {
            let code = if problem.sqlcode == 0 { -104 } else { problem.sqlcode };
            writeln!(self.out, " {}", problem.message).into_diagnostic()?;
            return self.outcome(&Sqlca::of(code, &[]));
        }
        let first = statement.text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        if self.program == Db2Program::Tiad && matches!(first.as_str(), "SELECT" | "WITH" | "VALUES") {
            writeln!(self.out, " DSNTIAD RUNS NO QUERIES: USE DSNTEP2").into_diagnostic()?;
            return self.outcome(&Sqlca::of(-104, &["SELECT"]));
        }
        let mut last = Exchange::default();
        for sql in &statement.sql {
            if matches!(sql.as_str(), "COMMIT" | "ROLLBACK") {
                last = self.send(sql)?;
                self.send("BEGIN")?;
                continue;
            }
            self.send("SAVEPOINT r_s")?;
            last = self.send(sql)?;
            if last.error.is_some() {
                self.send("ROLLBACK TO SAVEPOINT r_s")?;
                break;
            }
            self.send("RELEASE SAVEPOINT r_s")?;
        }
        self.result(&first, &last)
    }

    fn result(&mut self, first: &str, answer: &Exchange) -> Result<()> {
        if let Some(error) = &answer.error {
            writeln!(self.out, " {}", error.message).into_diagnostic()?;
            return self.outcome(&from_server_error(error, statement_context(first)));
        }
        let rows: u64 = answer.counts.iter().sum();
        if !answer.columns.is_empty() {
            self.out.write_all(frame(answer, self.options.most_rows).as_bytes()).into_diagnostic()?;
            return writeln!(self.out, " SUCCESSFUL RETRIEVAL OF {rows:>10} ROW(S)").into_diagnostic();
        }
        let is_change = matches!(first, "INSERT" | "UPDATE" | "DELETE" | "MERGE");
        let outcome = if is_change && rows == 0 {
            Sqlca::not_found()
        } else {
            Sqlca::success(i32::try_from(rows).unwrap_or(i32::MAX))
        };
        self.outcome(&outcome)?;
        if is_change && rows > 0 {
            writeln!(self.out, " SUCCESSFUL {first} OF {rows:>10} ROW(S)").into_diagnostic()?;
        }
        Ok(())
    }

    /// Prints an SQLCA, and counts it.
    fn outcome(&mut self, ca: &Sqlca) -> Result<()> {
        let own = match ca.sqlcode {
            0 => 0,
            1.. if self.options.tolerates_warnings => 0,
            1.. => 4,
            ..=-800 => 12,
            _ => 8,
        };
        self.errors += usize::from(ca.sqlcode < 0);
        self.code = self.code.max(own);
        writeln!(self.out, " RESULT OF SQL STATEMENT:").into_diagnostic()?;
        // For a success the first line is complete.
        let lines = message_lines(ca, LINE);
        let shown = if ca.sqlcode == 0 { 1 } else { lines.len() };
        for line in &lines[..shown.min(lines.len())] {
            writeln!(self.out, "{line}").into_diagnostic()?;
        }
        Ok(())
    }
}

/// The rows of a query in DSNTEP2's frame.
fn frame(answer: &Exchange, most_rows: usize) -> String {
    let heads = answer.columns.iter().map(|column| column.name.to_string());
    let heads: Vec<String> = heads.collect();
    let rows = answer.rows.iter().take(most_rows);
    let rows: Vec<Vec<String>> = rows
        .map(|row| row.iter().map(|value| value.as_deref().map_or("?".to_owned(), |v| cell(Some(v)))).collect())
        .collect();
    let widths: Vec<usize> = (0..heads.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.chain([&heads[at]]).map(|text| text.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = format!("       +{}+\n", "-".repeat(widths.iter().map(|w| w + 3).sum::<usize>().saturating_sub(1)));
    let row_text = |cells: &[String], is_head: bool| {
        let cells = cells.iter().zip(&widths).zip(&answer.columns);
        let shown = cells.map(|((text, width), column)| {
            if is_number(column) && !is_head {
                format!(" {text:>width$} ")
            } else {
                format!(" {text:<width$} ")
            }
        });
        shown.collect::<Vec<_>>().join("|")
    };
    let mut text = format!("{line}       |{}|\n{line}", row_text(&heads, true));
    for (number, row) in (1..).zip(&rows) {
        text.push_str(&format!("{number:>6}_|{}|\n", row_text(row, false)));
    }
    text + &line
}
