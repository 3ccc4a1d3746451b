//! What a developer does more than once, under one roof: `cargo xtask ci` is
//! the gate that CI calls, `cargo xtask bench NAME` measures one budget of the
//! design against its named peer. Adding a task means adding a file here and
//! one arm below.

mod bench;
mod ci;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer tasks of the workspace")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Format check, lints as errors, and all tests
    Ci(ci::Args),
    /// Measure budgets against their peers in one run
    Bench(bench::Args),
    /// An HTTP server to drive: answers at once, or is a queue of known
    /// capacity; prints its address and ends with its standard input
    Serve(bench::ServeArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Serve(args) => bench::serve(&args),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
