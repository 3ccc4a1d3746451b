//! `tupelo`: the command line.
//!
//! Each subcommand is one file under `commands/` and one row in its table. This
//! file parses, sets up logging and turns outcomes into exit codes: 0 clean, 1
//! findings or failed assertions, 2 could not run, 64 usage.

mod app;
mod commands;
mod stdout;
mod table;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use commands::Command;

/// Runs COBOL transactions, puts them on the network, drives them and shows
/// where the time goes.
#[derive(Parser)]
#[command(
    name = "tupelo",
    version,
    max_term_width = 100,
    arg_required_else_help = true
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

/// How a subcommand ended that could run.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// It ran and found something wrong.
    Findings,
    /// It ended with a status of its own.
    Status(ExitCode),
}

fn main() -> ExitCode {
    stdout::guard();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            let _ = error.print();
            return if usage {
                ExitCode::from(64)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    start_logging(cli.verbose);
    match cli.command.run() {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Status(status)) => status,
        Err(report) if stdout::ended_by_reader(&report) => ExitCode::from(stdout::ENDED_BY_SIGPIPE),
        Err(report) => {
            eprintln!("{report:?}");
            ExitCode::from(2)
        }
    }
}

fn start_logging(verbose: u8) {
    let default = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("TUPELO_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}
