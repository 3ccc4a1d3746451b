//! Steps that run TSO in the background (IKJEFT01, IKJEFT1A, IKJEFT1B): their SYSTSIN
//! has DSN, which runs programs with EXEC SQL, DSNTIAD and DSNTEP2.
//!
//! The condition code of DSN is the highest of its subcommands', that of the step is its
//! last command's. IKJEFT1B ends at the first command whose code is not 0. A program that
//! abends ends the step abnormally, except under IKJEFT01, where its code is 12.
//!
//! Reference: z/OS TSO/E Customization, "IKJEFT01, IKJEFT1A, IKJEFT1B"; Db2 for z/OS
//! Command Reference, "DSN (TSO)".

use std::fs::OpenOptions;
use std::io::Write;

use batch::tso::{self, ProgramRun, TsoCommand, TsoKind};
use batch::{DdAllocation, RecordSource};
use base::{Diagnostic, Severity};
use miette::{Context, IntoDiagnostic, Result, miette};

use super::db2_programs::{self, Db2Program};
use super::step::{ProgramExit, StepRunner};

/// Programs that run TSO.
const NAMES: [&str; 3] = ["IKJEFT01", "IKJEFT1A", "IKJEFT1B"];

/// Programs that Db2 supplies and that are rejected by name.
const REFUSED: [(&str, &str); 3] = [
    ("DSNTIAUL", "`tupelo sql` prints the rows of a query"),
    ("DSNTEJ1P", "write DSNTEP2"),
    ("DSNTPSMP", "procedures are not supported"),
];

/// Condition code of a program that abends under IKJEFT01.
const ABENDED: u32 = 12;

/// Whether a step's program runs TSO.
pub fn is_tso(program: &str) -> bool {
    NAMES.contains(&program)
}

/// Why a program cannot run as a step or under DSN, if it is one of Db2's.
pub fn refusal(program: &str) -> Option<Diagnostic> {
    let help = if Db2Program::by_name(program).is_some() {
        "run it under IKJEFT01: DSN SYSTEM(name), RUN PROGRAM(…) in SYSTSIN"
    } else {
        REFUSED.iter().find(|(name, _)| *name == program)?.1
    };
    Some(Diagnostic::new(Severity::Error, (0, 1), format!("{program} is not supported")).with_help(help))
}

/// The programs of the application that commands run.
pub fn programs(commands: &[TsoCommand]) -> impl Iterator<Item = (&TsoCommand, &ProgramRun)> {
    commands.iter().filter_map(|command| match &command.kind {
        TsoKind::Run(run) if Db2Program::by_name(&run.program).is_some() => None,
        TsoKind::Run(run) | TsoKind::Call(run) => Some((command, run)),
        _ => None,
    })
}

/// Diagnostics of the commands of a SYSTSIN; `first_line` is its line in the job.
pub fn problems(commands: &[TsoCommand], first_line: u32) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for command in commands {
        let line = first_line + command.line - 1;
        let wrong = match &command.kind {
            TsoKind::Wrong(why) => Some(Diagnostic::new(Severity::Error, (line, 1), why)),
            TsoKind::Run(run) if Db2Program::by_name(&run.program).is_some() => None,
            TsoKind::Run(run) | TsoKind::Call(run) => {
                refusal(&run.program).map(|diagnostic| Diagnostic { line, ..diagnostic })
            }
            _ => None,
        };
        found.extend(wrong);
    }
    found
}

/// Runs a step.
pub fn run(step_program: &str, runner: &mut StepRunner<'_>, dds: &[(String, DdAllocation)]) -> Result<ProgramExit> {
    let mut log = ListingPrinter::of(dds, "SYSTSPRT")?;
    let commands = tso::parse(&runner.text(find(dds, "SYSTSIN"))?);
    let (mut code, mut dsn_code) = (0, 0);
    for command in &commands {
        log.line(&command.text)?;
        let ended = match &command.kind {
            TsoKind::Dsn => {
                dsn_code = 0;
                continue;
            }
            TsoKind::End => {
                code = dsn_code;
                continue;
            }
            TsoKind::LeftOut(name) => {
                log.line(&format!("{name} is ignored"))?;
                continue;
            }
            TsoKind::Wrong(why) => {
                log.line(why)?;
                ProgramExit::Code(ABENDED)
            }
            TsoKind::Run(run) => {
                let ended = one(run, runner, dds)?;
                if let ProgramExit::Code(of_program) = ended {
                    dsn_code = dsn_code.max(of_program);
                    ProgramExit::Code(dsn_code)
                } else {
                    ended
                }
            }
            TsoKind::Call(run) => one(run, runner, dds)?,
        };
        match ended {
            ProgramExit::Code(own) => code = own,
            ProgramExit::Abend(why) if step_program == "IKJEFT01" => {
                log.line(&why)?;
                eprintln!("{}: {why}", command.text);
                (code, dsn_code) = (ABENDED, ABENDED);
            }
            ProgramExit::Abend(_) => return Ok(ended),
        }
        if step_program == "IKJEFT1B" && code > 0 {
            break;
        }
    }
    Ok(ProgramExit::Code(code))
}

/// Runs one program.
fn one(run: &ProgramRun, runner: &mut StepRunner<'_>, dds: &[(String, DdAllocation)]) -> Result<ProgramExit> {
    let Some(program) = Db2Program::by_name(&run.program) else {
        return runner.run(&run.program, run.parm.clone(), dds.to_vec());
    };
    let sysin = runner.text(find(dds, "SYSIN"))?;
    let mut out = ListingPrinter::of(dds, "SYSPRINT")?;
    let server = runner.server()?;
    let parm = run.parm.as_deref().unwrap_or_default();
    let code = db2_programs::run(program, &server, parm, &sysin, &mut out)?;
    out.flush().into_diagnostic()?;
    Ok(ProgramExit::Code(code))
}

/// The DD with a name.
pub fn find<'d>(dds: &'d [(String, DdAllocation)], name: &str) -> Option<&'d DdAllocation> {
    dds.iter().find(|(of, _)| of == name).map(|(_, dd)| dd)
}

/// The output of a DD; output is discarded if the DD is absent.
pub struct ListingPrinter(Box<dyn Write>);

impl ListingPrinter {
    /// The output of the DD with a name.
    pub fn of(dds: &[(String, DdAllocation)], name: &str) -> Result<ListingPrinter> {
        let Some(dd) = find(dds, name) else {
            return Ok(ListingPrinter(Box::new(std::io::sink())));
        };
        Ok(ListingPrinter(match dd.sources.first() {
            Some(RecordSource::Output) => Box::new(std::io::stdout()),
            Some(RecordSource::File { path, .. }) => {
                let mut options = OpenOptions::new();
                options.create(true).write(true).append(dd.append).truncate(!dd.append);
                let file = options.open(path).into_diagnostic();
                Box::new(file.wrap_err_with(|| format!("cannot write {}", path.display()))?)
            }
            Some(RecordSource::Store(file)) => {
                return Err(miette!("DD {name} is the file {file} of the store: write SYSOUT=*"));
            }
            _ => Box::new(std::io::sink()),
        }))
    }

    fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.0, "{text}").into_diagnostic()
    }
}

impl Write for ListingPrinter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
