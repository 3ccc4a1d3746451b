//! `tupelo batch`: COBOL batch programs, alone or as the steps of a job.
//!
//! `programs` compiles, `step` runs one program in a process of its own, `job`
//! goes through the steps of a job.

mod job;
mod programs;
mod step;

use std::path::PathBuf;
use std::process::ExitCode;

use miette::{Result, bail};

use super::file::idcams::Given;
use crate::Outcome;
use crate::stdout::wrong_usage;
use crate::app::Application;

use programs::Programs;
use step::{Ended, Runner, what};

/// Run a COBOL batch program, or a job of them, with files of the store and of
/// this machine. Beside a running region the region changes its files for them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo batch LOADACCT bank --dd ACCTS=ACCTFILE --dd SYSIN=accounts.txt,lines\n  \
    tupelo batch --jcl nightly.jcl bank\n\n\
    WHAT is a file of the store, a path (with ,fixed ,lines or ,rdw behind it: how records are written),\n\
    * for standard input, SYSOUT for standard output or DUMMY. ,mod adds at the end; ,reuse empties a file\n\
    of the store at OPEN OUTPUT. Paths joined by + are read one after the other.\n\n\
    Exit status: the program's RETURN-CODE, or the greatest condition code of the job (255 for more),\n\
    1 the job or a program has mistakes, 2 it could not run, 250 the program ended abnormally."
)]
pub struct Args {
    /// The program: its name in FOLDER/batch, or a path. With --jcl, the folder.
    program: Option<String>,
    /// The application folder; the one that is current when absent.
    folder: Option<PathBuf>,
    /// Run the steps of this job instead.
    #[arg(long, value_name = "FILE")]
    jcl: Option<PathBuf>,
    /// PARM of the program.
    #[arg(long)]
    parm: Option<String>,
    /// Only read the job and compile, and tell the mistakes.
    #[arg(long)]
    check: bool,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    #[command(flatten)]
    given: Given,
}

/// Runs the program or the job.
pub fn run(args: Args) -> Result<Outcome> {
    let given = match (&args.jcl, &args.folder, &args.program) {
        (Some(_), None, Some(folder)) => Some(PathBuf::from(folder)),
        (_, folder, _) => folder.clone(),
    };
    let folder = given.unwrap_or_else(|| PathBuf::from("."));
    let app = Application::open(&folder, args.state.as_deref())?;
    if let Some(path) = &args.jcl {
        if args.given.converts() {
            eprintln!("--code-page and --copybook hold for REPRO; programs read the records of their DDs as they are");
        }
        return job::run(&args, path, app);
    }
    if args.given.converts() {
        bail!(
            help = "tupelo record decode X.cpy FILE --code-page cp037 | tupelo record encode X.cpy -o NEW converts a file by its copybook",
            "--code-page and --copybook are for REPRO in a job: a program reads the records of its DDs as they are"
        );
    }
    let program = args.program.as_deref().ok_or_else(|| {
        wrong_usage("there is no program to run", Some("tupelo batch PROGRAM [FOLDER], or --jcl FILE"))
    })?;
    let Some(programs) = Programs::build(&app, Some(program), &[])? else {
        return Ok(Outcome::Findings);
    };
    if args.check {
        return Ok(Outcome::Clean);
    }
    let mut runner = Runner::new(&app, &programs)?;
    let mut dds = Vec::new();
    for (name, text) in &args.given.dd {
        dds.push((name.to_ascii_uppercase(), what(text, runner.known())?));
    }
    let ended = runner.run(programs.entry(), args.parm.clone(), dds)?;
    Ok(Outcome::Status(match ended {
        Ended::Code(code) => exit_code(code),
        Ended::Abend(why) => {
            eprintln!("{}: {why}", programs.entry());
            ExitCode::from(ABEND)
        }
    }))
}

/// Exit status of a program that ended abnormally.
const ABEND: u8 = 250;

fn exit_code(code: u32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
