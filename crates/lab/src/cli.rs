//! `tupelo lab`: the arguments and their actions. The binary only calls [`run`].

use crate::error::LabError;
use crate::experiments::{self, Context, EXPERIMENTS, Experiment, MachineNeeds};
use crate::net::permission;
use crate::repeat;
use crate::report::{self, ExperimentReport, ReportPage};
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Reproduce the papers' experiments and print the published and the measured
/// figures
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo lab                       list the experiments\n  \
    tupelo lab nagle --html nagle.html\n  tupelo lab threadsafe --repeat 10\n  tupelo lab all --json\n\n\
    Network experiments make network namespaces of their own and need root or\n\
    user namespaces. Exit status: 0 clean, 1 a planted cause was not named,\n\
    2 could not run, 64 wrong usage."
)]
pub struct Args {
    /// The experiment, or `all`; without a name the experiments are listed.
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
    /// Seed of all random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Seconds of each load [default: 1.5 or the experiment's own]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub seconds: Option<u64>,
    /// Repetitions, whose figures get an interval [default: 1, 3 or 5, as the
    /// experiment says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub repeat: Option<u64>,
}

/// The names of the experiments, for help and completions.
fn names() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("Every experiment");
    let each = EXPERIMENTS
        .iter()
        .map(|e| PossibleValue::new(e.name).help(e.about));
    PossibleValuesParser::new(each.chain([all]))
}

/// Runs the command and prints its output.
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
    // Checks that the report can be written before the work.
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
    let shows_progress = std::io::stderr().is_terminal() && !args.json;
    let progress = |text: &str| {
        if shows_progress {
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
        std::fs::write(&path, picture.alone())
            .map_err(LabError::system(path.display().to_string()))?;
        report.files.push(path);
    }
    Ok(())
}

/// Starts this command again as root of a new user namespace, so that an ordinary
/// user may create networks. Returns `None` if that is not needed or not possible;
/// then the experiments report the missing permission.
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
