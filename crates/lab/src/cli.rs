//! `tupelo lab`: the arguments and what they do. The binary only dispatches
//! to [`run`].

use crate::error::LabError;
use crate::experiments::{self, Context, EXPERIMENTS, Experiment, MachineNeeds};
use crate::net::permission;
use crate::repeat;
use crate::report::{self, ExperimentReport, ReportPage};
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Reproduce the papers' experiments and print what they published beside
/// what is found here.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo lab                       list the experiments\n  \
    tupelo lab nagle --html nagle.html\n  tupelo lab threadsafe --repeat 10\n  tupelo lab all --json\n\n\
    Network experiments make network namespaces of their own and need root or\n\
    user namespaces. Exit status: 0 clean, 1 a planted cause was not named,\n\
    2 could not run, 64 wrong usage."
)]
pub struct Args {
    /// The experiment, or `all`; none to list them.
    #[arg(value_parser = names(), hide_possible_values = true)]
    pub name: Option<String>,
    /// One JSON object a figure instead of text.
    #[arg(long)]
    pub json: bool,
    /// Write a report with pictures.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Keep captures and pictures in this folder.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// What everything random depends on.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// How long each load is presented to a server [default: 1.5 or what the
    /// experiment says].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub seconds: Option<u64>,
    /// Repetitions, whose figures get an interval [default: 1, 3 or 5, as the
    /// experiment says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub repeat: Option<u64>,
}

/// What the experiments are called, for help and completions.
fn names() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("Every experiment");
    let each = EXPERIMENTS
        .iter()
        .map(|e| PossibleValue::new(e.name).help(e.about));
    PossibleValuesParser::new(each.chain([all]))
}

/// Runs what was asked for; everything it has to say is said on the way.
pub fn run(args: &Args) -> ExitCode {
    let chosen: Vec<&Experiment> = match args.name.as_deref() {
        None => {
            list(args.json);
            return ExitCode::SUCCESS;
        }
        Some("all") => EXPERIMENTS.iter().collect(),
        Some(name) => experiments::find(name).into_iter().collect(),
    };
    if chosen.iter().any(|e| e.needs == MachineNeeds::Network)
        && let Some(status) = as_root_of_a_namespace()
    {
        return status;
    }
    // Where the report cannot be written, say so before the work.
    let page = match args.html.as_deref().map(ReportPage::begin).transpose() {
        Ok(page) => page,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let alone = chosen.len() == 1;
    let mut reports = Vec::new();
    for experiment in chosen {
        match one(experiment, args) {
            Ok(report) => reports.push(report),
            Err(error) if error.is_lacking() && !alone => {
                eprintln!("skipped {}: {error}", experiment.name);
            }
            Err(error) => {
                eprintln!("error: {}: {error}", experiment.name);
                return ExitCode::from(2);
            }
        }
    }
    if reports.is_empty() {
        return ExitCode::from(2);
    }
    if let Some(page) = page
        && let Err(error) = page.finish(&report::html(&reports))
    {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    if reports.iter().all(ExperimentReport::holds) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

fn one(experiment: &Experiment, args: &Args) -> Result<ExperimentReport, LabError> {
    let tell = std::io::stderr().is_terminal() && !args.json;
    let progress = |text: &str| {
        if tell {
            eprintln!("{}: {text}", experiment.name);
        }
    };
    let wanted = args.repeat.map_or(experiment.repeats, |n| n as usize);
    let mut runs = Vec::new();
    for repetition in 1..=wanted.max(1) {
        if wanted > 1 {
            progress(&format!("repetition {repetition} of {wanted}"));
        }
        let context = Context {
            seed: args.seed,
            seconds: args.seconds,
            repetition,
            // Captures and pictures are those of the last repetition.
            keep: args.keep.clone().filter(|_| repetition == wanted),
            progress: &progress,
        };
        runs.push((experiment.run)(&context)?);
    }
    let mut report = repeat::merged(runs);
    if let Some(folder) = &args.keep {
        keep_pictures(folder, experiment, &mut report)?;
    }
    if args.json {
        print!("{}", report::json_lines(&report))
    } else {
        println!("{}", report::text(&report))
    }
    Ok(report)
}

/// Writes the pictures of a report to a folder.
fn keep_pictures(
    folder: &Path,
    experiment: &Experiment,
    report: &mut ExperimentReport,
) -> Result<(), LabError> {
    std::fs::create_dir_all(folder).map_err(LabError::system(folder.display().to_string()))?;
    for (number, picture) in report.pictures.iter().enumerate() {
        let path = folder.join(format!("{}-{}.svg", experiment.name, number + 1));
        std::fs::write(&path, report::standalone(picture))
            .map_err(LabError::system(path.display().to_string()))?;
        report.files.push(path);
    }
    Ok(())
}

/// Starts this very command again where an ordinary user may make networks:
/// as root of a user namespace of its own. None where that is not needed, or
/// not possible; then the experiments say what is missing.
fn as_root_of_a_namespace() -> Option<ExitCode> {
    let refused = permission::check().is_err_and(|error| error.is_lacking());
    if !refused || permission::is_inside() {
        return None;
    }
    let mut again = Command::new(std::env::current_exe().ok()?);
    again.args(std::env::args_os().skip(1));
    let status = permission::inside_user_namespace(&mut again)
        .status()
        .ok()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Some(ExitCode::from(code.unwrap_or(2)))
}

fn list(json: bool) {
    let width = EXPERIMENTS.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for e in EXPERIMENTS {
        if json {
            println!(
                "{}",
                serde_json::json!({"experiment": e.name, "about": e.about, "paper": e.paper})
            )
        } else {
            println!("{:width$}  {}  ({})", e.name, e.about, e.paper)
        }
    }
}
