//! `tupelo sql apply`: definitions and data in Db2's SQL, as DSNTIAD and DSNTEP2 run them.
//!
//! Each statement is rewritten and run by itself; COMMIT and ROLLBACK in the text end units
//! of work. After a statement that fails the others are still run, as by DSNTEP2, and the
//! exit status is 1.

use std::io::Read;
use std::path::PathBuf;

use miette::{IntoDiagnostic, Result, WrapErr};
use sql::ddl::{self, AppliedStatement};

use super::job;
use super::results::show;
use super::{OwnerSession, SqlTarget, error_text, problem_text};
use crate::Outcome;
use crate::commands::batch::{LoadHost, run_utilities, what};

/// Run Db2 definitions and data from a file: CREATE TABLE, INSERT, GRANT, SELECT.
///
/// The text is read as by DSNTIAD: `*` and `--` begin comments, `;` ends a statement, and
/// columns 73 to 80 of card images are sequence numbers. Storage groups, table spaces and
/// buffer pools are ignored with a note. LOAD reads the data sets that `--dd` names.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo sql apply --app bank ddl/tables.sql\n  tupelo sql apply --app bank \
                  load.sql --dd SYSREC=accounts.bin,fixed,cp037\n\nExit status: 0 \
                  all statements were done, 1 a statement failed, 2 the server could not be reached."
)]
pub struct Args {
    /// The file, `-` for standard input. Of a job the SYSIN of its steps is run.
    file: PathBuf,
    /// Replace a text by another, as a site does before it submits a job.
    #[arg(long, value_name = "NAME=TEXT", value_parser = name_and_text)]
    set: Vec<(String, String)>,
    /// Data set of LOAD: a path, with ,fixed ,rdw or ,lines, a code page, or ,copybook=PATH, as
    /// in `tupelo batch`.
    #[arg(long, value_name = "NAME=FILE", value_parser = name_and_text)]
    dd: Vec<(String, String)>,
    #[command(flatten)]
    target: SqlTarget,
    /// Stop at the first statement that fails, as DSNTIAD does.
    #[arg(long)]
    stop: bool,
    /// Print nothing for successful statements.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the statements.
pub fn run(args: &Args) -> Result<Outcome> {
    let text = job::statements(&read(&args.file)?, &args.set);
    let mut session = args.target.open()?;
    let name = args.file.display().to_string();
    let list = ddl::written(&text, ';', &session.options);
    let mut counts = ApplyCounts::default();
    for statement in &list {
        let (is_done, is_left_out) = if is_load(&statement.text) {
            (load(args, &session, &statement.text)?, false)
        } else {
            let statement = &session.translate(statement)?;
            let place = format!("{name}:{}", statement.line);
            let is_done = one(&mut session, statement, &place, args.quiet)?;
            (is_done, statement.sql.is_empty())
        };
        counts.done += usize::from(is_done && !is_left_out);
        counts.left_out += usize::from(is_done && is_left_out);
        counts.failed += usize::from(!is_done);
        if !is_done && args.stop {
            break;
        }
    }
    println!(
        "{} statements done, {} left out, {} failed",
        counts.done, counts.left_out, counts.failed
    );
    Ok(if counts.failed == 0 {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

fn is_load(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.eq_ignore_ascii_case("LOAD")
}

/// Runs LOAD. Returns false if it failed.
fn load(args: &Args, session: &OwnerSession, text: &str) -> Result<bool> {
    let app = args.target.application()?;
    let signs = app.config.region.zoned_sign;
    let dds = args.dd.iter().map(|(name, text)| {
        let dd = what(text, &[], signs)?;
        Ok((name.to_ascii_uppercase(), dd))
    });
    let dds = dds.collect::<Result<Vec<_>>>()?;
    let host = LoadHost {
        app: &app,
        server: &session.server,
        dds: &dds,
    };
    Ok(run_utilities(&host, text, &mut std::io::stdout())? < 8)
}

#[derive(Default)]
struct ApplyCounts {
    done: usize,
    left_out: usize,
    failed: usize,
}

/// Runs a statement. Returns false if it failed.
fn one(
    session: &mut OwnerSession,
    statement: &AppliedStatement,
    place: &str,
    quiet: bool,
) -> Result<bool> {
    if let Some(problem) = &statement.problem {
        eprintln!("{place}: {}", problem_text(problem));
        return Ok(false);
    }
    if !quiet {
        for note in &statement.notes {
            println!("{place}: note: {note}");
        }
    }
    for sql in &statement.sql {
        let answer = session.query(sql)?;
        if let Some(error) = &answer.error {
            eprintln!("{place}: {}", error_text(error, &statement.text));
            for more in [&error.detail, &error.hint] {
                if !more.is_empty() {
                    eprintln!("  {more}");
                }
            }
            return Ok(false);
        }
        if !quiet {
            print!("{}", show(&answer));
        }
    }
    Ok(true)
}

fn name_and_text(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("write NAME=TEXT")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn read(file: &PathBuf) -> Result<String> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes).into_diagnostic()?;
    } else {
        bytes = std::fs::read(file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
