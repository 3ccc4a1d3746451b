//! `tupelo drive`: the arguments and what each form does. The binary only calls
//! [`run`].

mod args;
mod capacity;
mod interrupt;
mod load;
mod matrix;
mod output;
mod print;
mod record;
mod self_test;

pub use args::{
    Args, Command, CompareArgs, HowArgs, ImportArgs, KneeArgs, LoadArgs, MergeArgs, ObserveArgs,
    OutputArgs, RecordArgs, SchemaArgs,
};

use crate::objective::Objective;
use print::{errln, outln};
use std::process::ExitCode;
use thiserror::Error;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CliError {
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
    /// The command failed.
    #[error("{0}")]
    Failed(String),
    /// Ctrl-C before the run began.
    #[error("interrupted before the first request; nothing was begun")]
    Interrupted,
}

/// Runs the command and prints its output. Returns an error only if standard output
/// could not be written; the work is done even then.
pub fn run(args: &Args) -> Result<ExitCode, std::io::Error> {
    let outcome = match &args.command {
        Some(Command::Knee(args)) => capacity::knee(args),
        Some(Command::Compare(args)) => capacity::compare_two(args),
        Some(Command::Import(args)) => import(args),
        Some(Command::Merge(args)) => merge(args),
        Some(Command::Record(args)) => record::run(args),
        Some(Command::Schema(args)) => schema(args),
        None => match &args.self_test {
            Some(lengths) => self_test::run(lengths, &args.load, &args.output),
            None => load::run(&args.load, &args.observe, &args.output),
        },
    };
    let status = match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            errln!("error: {error}");
            ExitCode::from(match error {
                CliError::Failed(_) | CliError::Interrupted => 2,
                CliError::Usage(_) => 64,
            })
        }
    };
    print::lost().map_or(Ok(status), Err)
}

fn import(args: &ImportArgs) -> Result<bool, CliError> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file).map_err(|e| failed(format!("{name}: {e}")))?;
    // Fiddler writes a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let imported = match args.file.extension().and_then(|e| e.to_str()) {
        Some("har") => crate::import::har(text),
        Some("jmx") => crate::import::jmx(text),
        _ => {
            let text = format!("{name}: expected a .har or .jmx file");
            return Err(CliError::Usage(text));
        }
    };
    let imported = imported.map_err(|e| failed(format!("{name}: {e}")))?;
    for note in &imported.notes {
        errln!("note: {note}");
    }
    match &args.out {
        Some(path) => output::write(path, imported.scenario.as_bytes())?,
        None => print::out(format_args!("{}", imported.scenario)),
    }
    Ok(true)
}

fn merge(args: &MergeArgs) -> Result<bool, CliError> {
    let known = ["--csv", "--hdr", "--html", "--objective", "--baseline"];
    args.output.only("merge", &known)?;
    args.output.check(false)?;
    let objectives = args.output.parsed_objectives()?;
    let mut logs = Vec::new();
    for path in &args.logs {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| failed(format!("{name}: {e}")))?;
        logs.push((name, bytes));
    }
    let report = crate::merge::merge(&logs).map_err(failed)?;
    if report.server_cpu_us().is_none() && objectives.iter().any(Objective::needs_observation) {
        let why = "an objective refers to the server's CPU, which these logs do not contain";
        return Err(failed(why));
    }
    let met = args.output.judge(&report, &objectives)?;
    args.output.print_json(&report)?;
    args.output.write_report(&report)?;
    if let Some(path) = &args.output.hdr {
        let log = crate::merge::merged_log(&logs, &report).map_err(failed)?;
        output::write(path, &log)?;
    }
    Ok(met)
}

fn schema(args: &SchemaArgs) -> Result<bool, CliError> {
    if args.markdown {
        print::out(format_args!("{}", crate::scenario::reference()))
    } else {
        outln!("{:#}", crate::scenario::json_schema())
    }
    Ok(true)
}

/// An error that is not a usage error.
pub(crate) fn failed(error: impl std::fmt::Display) -> CliError {
    CliError::Failed(error.to_string())
}
