//! `tupelo sql`: statements from the command line, from standard input, or from a
//! prompt.
//!
//! Statements are Db2's; a statement after `\` is sent unchanged, for features that only
//! PostgreSQL has.

use std::io::{BufRead, IsTerminal, Write};

use miette::{IntoDiagnostic, Result};
use sql::ddl;

use super::results::show;
use super::{OwnerSession, SqlTarget, error_text, problem_text};
use crate::Outcome;

/// Statements, and the server.
#[derive(Debug, clap::Args)]
pub struct StatementArgs {
    /// Statements; without one they are read from standard input, each ended by a
    /// semicolon.
    statement: Vec<String>,
    #[command(flatten)]
    target: SqlTarget,
}

/// Runs the statements.
pub fn run(args: &StatementArgs) -> Result<Outcome> {
    let mut session = args.target.open()?;
    let mut is_clean = true;
    if !args.statement.is_empty() {
        for statement in &args.statement {
            is_clean &= run_text(&mut session, statement)?;
        }
    } else {
        is_clean = read_statements(&mut session)?;
    }
    Ok(if is_clean {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

/// Reads standard input, and runs each statement at its semicolon.
fn read_statements(session: &mut OwnerSession) -> Result<bool> {
    let input = std::io::stdin();
    let is_terminal = input.is_terminal();
    let mut is_clean = true;
    let mut text = String::new();
    if is_terminal {
        println!("A statement ends with a semicolon; exit, quit or Ctrl-D leaves.");
    }
    ask(is_terminal, "sql> ");
    for line in input.lock().lines() {
        let line = line.into_diagnostic()?;
        if text.is_empty() && matches!(line.trim().to_lowercase().as_str(), "exit" | "quit" | "\\q")
        {
            return Ok(is_clean);
        }
        text.push_str(&line);
        text.push('\n');
        if line.trim_end().ends_with(';') {
            is_clean &= run_text(session, &text)?;
            text.clear();
        } else if text.trim().is_empty() {
            text.clear();
        }
        ask(is_terminal, if text.is_empty() { "sql> " } else { "...> " });
    }
    if !text.trim().is_empty() {
        is_clean &= run_text(session, &text)?;
    }
    Ok(is_clean)
}

fn ask(is_terminal: bool, prompt: &str) {
    if is_terminal {
        print!("{prompt}");
        let _ = std::io::stdout().flush();
    }
}

/// Runs the statements of a text. Returns false if one failed.
fn run_text(session: &mut OwnerSession, text: &str) -> Result<bool> {
    if let Some(own) = text.trim_start().strip_prefix('\\') {
        return run_one(session, own);
    }
    let mut is_clean = true;
    for statement in ddl::written(&unfolded(text), ';', &session.options) {
        let statement = session.translate(&statement)?;
        for note in &statement.notes {
            eprintln!("note: {note}");
        }
        if let Some(problem) = &statement.problem {
            eprintln!("{}", problem_text(problem));
            is_clean = false;
        }
        for sql in &statement.sql {
            is_clean &= run_one(session, sql)?;
        }
    }
    Ok(is_clean)
}

/// Typed text has no card columns: lines are broken where DSNTIAD would cut them.
fn unfolded(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.chars().count() > 72 {
            let end = rest.char_indices().nth(72).map_or(rest.len(), |(at, _)| at);
            let at = rest[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end);
            lines.push(&rest[..at]);
            rest = &rest[at..];
        }
        lines.push(rest);
    }
    lines.join("\n")
}

fn run_one(session: &mut OwnerSession, sql: &str) -> Result<bool> {
    let answer = session.query(sql)?;
    print!("{}", show(&answer));
    if let Some(error) = &answer.error {
        eprintln!("{}", error_text(error, sql));
        return Ok(false);
    }
    if answer.columns.is_empty() {
        let rows: u64 = answer.counts.iter().sum();
        println!("done, {rows} {}", if rows == 1 { "row" } else { "rows" });
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_broken_at_a_blank() {
        let text = format!("SELECT {} FROM T", "A, ".repeat(40));
        let unfolded = unfolded(&text);
        assert!(unfolded.lines().all(|line| line.chars().count() <= 72));
        assert_eq!(unfolded.replace('\n', ""), text);
    }
}
