//! What a developer does more than once, under one roof: `cargo xtask ci` is
//! the gate that CI calls, `cargo xtask bench NAME` measures one budget of the
//! design against its named peer. Adding a task means adding a file here and
//! one arm below.

mod bench;
mod bounds;
mod cargo;
mod ci;
mod crash;
mod docs;
mod fuzz;
mod licences;
mod sim;
mod test262;
mod tidy;
mod verdicts;

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
    /// What every change must pass: house rules, format, tests, lints, crash tests
    Ci(ci::Args),
    /// Measure budgets against their peers in one run
    Bench(bench::Args),
    /// Write the reference pages, or compare them with --check
    Docs(docs::Args),
    /// Fuzz one parser for a while (needs the nightly compiler)
    Fuzz(fuzz::Args),
    /// Judge licences and sources of all dependencies by deny.toml
    Licences,
    /// Kill workers and regions of a bank under load, and count its money
    Crash(crash::Args),
    /// Show what the others have while programs and neighbours take all they can
    #[command(subcommand)]
    Bounds(bounds::Args),
    /// Play the region's histories in virtual time, by seed
    Sim(sim::Args),
    /// Check the house rules that no compiler checks
    Tidy,
    /// Run the conformance suite of JavaScript on the engines of scripts
    Test262(test262::Args),
    /// Score the verdicts of `capture explain` against a key of captures
    Verdicts(verdicts::Args),
    /// An HTTP server to drive: answers at once, or is a queue of known
    /// capacity; prints its address and ends with its standard input
    Serve(bench::ServeArgs),
    /// Present HTTP load and print its figures, as one process to measure
    Present(bench::PresentArgs),
    /// An APPC node and a plain TCP server to measure against; prints their
    /// addresses and ends with its standard input
    AppcPeer,
    /// A bare epoll server that answers lines on a client's other connection;
    /// prints its address and ends with its standard input
    SocketsPeer,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Docs(args) => docs::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Licences => licences::run(),
        Task::Crash(args) => crash::run(&args),
        Task::Bounds(args) => bounds::run(&args),
        Task::Sim(args) => sim::run(&args),
        Task::Tidy => tidy::run(),
        Task::Test262(args) => test262::run(&args),
        Task::Verdicts(args) => verdicts::run(&args),
        Task::Serve(args) => bench::serve(&args),
        Task::Present(args) => bench::present(&args),
        Task::AppcPeer => bench::appc_peer(),
        Task::SocketsPeer => bench::sockets_peer(),
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
