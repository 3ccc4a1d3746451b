//! `tupelo drive` without the rest of tupelo: `cargo run -p drive --example
//! drive -- http://127.0.0.1:8080/ -c 50 -t 10s`.

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "drive")]
struct Cli {
    #[command(flatten)]
    args: drive::cli::Args,
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        let code = if error.use_stderr() { 64 } else { 0 };
        // Nothing is left to do when even the message cannot be printed.
        let _ = error.print();
        std::process::exit(code)
    });
    drive::cli::run(&cli.args).unwrap_or_else(|error| {
        eprintln!("error: standard output: {error}");
        ExitCode::from(2)
    })
}
