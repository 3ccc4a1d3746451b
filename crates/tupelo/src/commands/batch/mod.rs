//! `tupelo batch`: COBOL batch programs, alone or as the steps of a job.
//!
//! `programs` compiles, `step` runs one program in its own process, `job` runs the steps
//! of a job. `tso` runs TSO steps, and `db2_programs` the programs that Db2 supplies for
//! them; `load` is DSNUTILB.

mod db2_programs;
mod job;
mod load;
mod load_records;
mod programs;
mod sql;
mod step;
mod tso;

use std::path::PathBuf;
use std::process::ExitCode;

use miette::Result;

use super::file::idcams::NameAssignments;
use crate::Outcome;
use crate::app::Application;
use crate::app::config::ZonedSign;
use crate::commands::batch_step::{conversion, is_other};
use crate::stdout::wrong_usage;

pub use load::{LoadHost, run as run_utilities};
pub use programs::{FOLDER, RunnablePrograms, in_folder};
use step::{ProgramExit, StepRunner, store_at};
pub use step::what;

/// Run a COBOL batch program, or a job of them, with files of the store and of this
/// machine. While a region runs, it changes its files on behalf of the program.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo batch LOADACCT bank --dd ACCTS=ACCTFILE --dd SYSIN=accounts.txt,lines\n  \
    tupelo batch --jcl nightly.jcl bank\n\n\
    WHAT is a file of the store, a path (followed by ,fixed ,lines or ,rdw, the record format),\n\
    * for standard input, SYSOUT for standard output or DUMMY. ,fixed=80 gives LOAD the length. ,mod adds at the end; ,reuse empties a file\n\
    of the store at OPEN OUTPUT. Paths joined by + are concatenated. --code-page and --copybook\n\
    convert the records of all files of this machine, ,cp037,copybook=X.cpy those of one DD.\n\n\
    Exit status: the program's RETURN-CODE, or the greatest condition code of the job (255 for more),\n\
    1 the job or a program has errors, 2 the job could not run, 250 the program ended abnormally."
)]
pub struct Args {
    /// The program: its name in FOLDER/batch, or a path. With --jcl, the folder.
    program: Option<String>,
    /// The application folder; the current folder when absent.
    folder: Option<PathBuf>,
    /// Run the steps of this job instead.
    #[arg(long, value_name = "FILE")]
    jcl: Option<PathBuf>,
    /// PARM of the program.
    #[arg(long)]
    parm: Option<String>,
    /// How the programs write signs of zoned numbers; [region] zoned_sign when absent.
    #[arg(long, value_enum)]
    zoned_sign: Option<ZonedSign>,
    /// Only read the job, compile, and print the errors.
    #[arg(long)]
    check: bool,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    #[command(flatten)]
    given: NameAssignments,
}

/// Runs the program or the job.
pub fn run(args: Args) -> Result<Outcome> {
    let given = match (&args.jcl, &args.folder, &args.program) {
        (Some(_), None, Some(folder)) => Some(PathBuf::from(folder)),
        (_, folder, _) => folder.clone(),
    };
    let folder = given.unwrap_or_else(|| PathBuf::from("."));
    let mut app = Application::open(&folder, args.state.as_deref())?;
    if let Some(signs) = args.zoned_sign {
        app.config.region.zoned_sign = signs;
    }
    if let Some(path) = &args.jcl {
        if args.given.converts() {
            eprintln!(
                "--code-page and --copybook apply to REPRO; --dd NAME=FILE,cp037,copybook=X.cpy converts a DD of a program"
            );
        }
        return job::run(&args, path, app);
    }
    let signs = app.config.region.zoned_sign;
    let code_page = args.given.code_page(signs)?;
    let program = args.program.as_deref().ok_or_else(|| {
        wrong_usage(
            "there is no program to run",
            Some("tupelo batch PROGRAM [FOLDER], or --jcl FILE"),
        )
    })?;
    let Some(programs) = RunnablePrograms::build(&app, Some(program), &[])? else {
        return Ok(Outcome::Findings);
    };
    if args.check {
        return Ok(Outcome::Clean);
    }
    sql::end_units_in_doubt(&store_at(&app), || crate::app::sql::server(&app))?;
    let mut runner = StepRunner::new(&app, &programs)?;
    let mut dds = Vec::new();
    for (name, text) in &args.given.dd {
        let mut dd = what(text, runner.known(), signs)?;
        let is_file = dd
            .sources
            .iter()
            .any(|s| matches!(s, batch::RecordSource::File { .. }));
        if is_file && dd.code_page.is_none() {
            dd.code_page.clone_from(&code_page);
        }
        if let Some(of) = dd.code_page.as_ref().filter(|of| is_other(of)) {
            // Errors of a copybook are reported before the program runs.
            conversion(&app.folder, of)?;
            if of.copybook.is_none() {
                eprintln!(
                    "DD {name}: every byte is taken for a character, since there is no copybook: packed and binary numbers would be destroyed (--copybook)"
                );
            }
        }
        dds.push((name.to_ascii_uppercase(), dd));
    }
    let ended = runner.run(programs.entry(), args.parm.clone(), dds)?;
    Ok(Outcome::Status(match ended {
        ProgramExit::Code(code) => exit_code(code),
        ProgramExit::Abend(why) => {
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
