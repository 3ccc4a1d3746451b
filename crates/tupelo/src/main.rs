//! `tupelo`: the command line.
//!
//! Each subcommand is one file under `commands/` and one row in its table. This
//! file parses, sets up logging and turns outcomes into exit codes: 0 clean, 1
//! findings or failed assertions, 2 could not run, 64 usage.

mod address;
mod app;
mod commands;
mod log;
mod operator;
mod operator_token;
mod stdout;
mod table;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use miette::IntoDiagnostic;

use commands::Command;
use stdout::StdoutError;

/// Runs COBOL transactions, puts them on the network, drives them and shows
/// where the time goes.
#[derive(Parser)]
#[command(
    name = "tupelo",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    help_template = commands::groups::help_template()
)]
#[command(
    after_help = "Start here:\n  tupelo new hello && tupelo serve hello\n\n\
    Exit status: 0 clean, 1 findings or failed checks, 2 could not run, 64 wrong usage."
)]
struct Cli {
    /// Log more (-v, -vv) of what the server does; TUPELO_LOG takes a filter.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

/// The result of a subcommand that could run.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// No findings.
    Clean,
    /// The command ran and found errors.
    Findings,
    /// The command ended with its own status.
    Status(ExitCode),
}

fn main() -> ExitCode {
    stdout::guard();
    if is_worker() {
        log::start(0);
        return ended(commands::worker::run(commands::worker::Args {}));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(64);
        }
        Err(help) => {
            let printed = help.print().map_err(StdoutError).into_diagnostic();
            return ended(printed.map(|()| Outcome::Clean));
        }
    };
    log::start(cli.verbose);
    ended(cli.command.run())
}

/// Whether a region starts this process as a worker. A request may wait for it, and to build
/// the whole command line takes as long as the first task.
fn is_worker() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    arguments.next().is_some_and(|first| first == "worker") && arguments.next().is_none()
}

/// The exit status of an outcome, after all output was written.
fn ended(outcome: miette::Result<Outcome>) -> ExitCode {
    let flushed = std::io::stdout().flush().map_err(StdoutError);
    match outcome.and_then(|outcome| flushed.into_diagnostic().map(|()| outcome)) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Status(status)) => status,
        Err(report) => ExitCode::from(stdout::report_failure(&report)),
    }
}
