//! A job: runs its steps in order, as their conditions allow, and prints a table of
//! condition codes at the end.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use batch::jcl::{self, AfterAbend, DataSetDisposition, DdPart, JclJob, Status};
use batch::tso::TsoCommand;
use batch::{DdAllocation, RecordSource};
use base::{Diagnostic, Severity};
use miette::{Context, IntoDiagnostic, Result};

use super::programs::{RunnablePrograms, in_folder, name_of};
use super::sql::end_units_in_doubt;
use super::step::{ProgramExit, StepRunner, store_at, what};
use super::{load, tso};
use super::{ABEND, Args, exit_code};
use crate::Outcome;
use crate::app::Application;
use crate::commands::file::idcams;

/// The result of a step.
enum StepEnd {
    Ran(ProgramExit),
    /// A data set does not agree with DISP; the reason ends the job.
    NotAllocated(&'static str),
    PassedOver,
}

/// Reads the job, checks that all of it can run, and runs it.
pub fn run(args: &Args, path: &Path, app: Application) -> Result<Outcome> {
    let text = args.given.text(path)?;
    let job = jcl::parse(&text);
    let deck = store::idcams::parse(&text);
    if !report_problems(args, path, &job, &deck, &app) {
        return Ok(Outcome::Findings);
    }
    let utility = ["IDCAMS", "IEFBR14", load::PROGRAM];
    let all = job.steps.iter().map(|step| step.program.clone());
    let mut wanted: Vec<String> = all
        .filter(|p| !utility.contains(&p.as_str()) && !tso::is_tso(p))
        .collect();
    for (commands, _) in job.steps.iter().filter_map(tso_commands) {
        wanted.extend(tso::programs(&commands).map(|(_, run)| run.program.clone()));
    }
    let Some(programs) = RunnablePrograms::build(&app, None, &wanted)? else {
        return Ok(Outcome::Findings);
    };
    if args.check {
        println!("{}: {} steps", path.display(), job.steps.len());
        return Ok(Outcome::Clean);
    }
    let mut run = JobRun {
        args,
        app: &app,
        programs: &programs,
        job: &job,
        ended: Vec::new(),
        temporary: tempdir(&app)?,
        passed: BTreeSet::new(),
    };
    end_units_in_doubt(&store_at(&app), || crate::app::sql::server(&app))?;
    let mut decks = deck.steps.iter();
    for step in &job.steps {
        let commands = (step.program == "IDCAMS").then(|| decks.next()).flatten();
        let outcome = if run.is_due(step) {
            match run.refused(step)? {
                Some(why) => StepEnd::NotAllocated(why),
                None => StepEnd::Ran(run.step(step, commands)?),
            }
        } else {
            StepEnd::PassedOver
        };
        run.ended.push(outcome);
    }
    let status = run.table();
    for path in &run.passed {
        let _ = std::fs::remove_file(path);
    }
    let _ = std::fs::remove_dir_all(&run.temporary);
    Ok(Outcome::Status(status))
}

/// Prints the diagnostics of the text. Returns false if the job cannot run.
fn report_problems(
    args: &Args,
    path: &Path,
    job: &JclJob,
    deck: &store::idcams::CommandDeck,
    app: &Application,
) -> bool {
    let has_idcams = job.steps.iter().any(|step| step.program == "IDCAMS");
    let commands = deck.diagnostics.iter().filter(|_| has_idcams);
    let there: Vec<String> = in_folder(&app.folder.join("batch"))
        .iter()
        .map(|p| name_of(p))
        .collect();
    let is_there = |name: &str| {
        ["IDCAMS", "IEFBR14", load::PROGRAM, ""].contains(&name)
            || tso::is_tso(name)
            || there.iter().any(|t| t == name)
    };
    let missing = |name: &str, line: u32, column: u32| {
        let refused = tso::refusal(name).map(|refused| Diagnostic {
            line,
            column,
            ..refused
        });
        refused.unwrap_or_else(|| {
            let message = format!("there is no program {name} in the folder batch");
            let help = "supported utilities are IDCAMS, IEFBR14, DSNUTILB, and IKJEFT01 with DSN, \
                        DSNTIAD and DSNTEP2";
            Diagnostic::new(Severity::Error, (line, column), message).with_help(help)
        })
    };
    let unknown = job.steps.iter().filter(|step| !is_there(&step.program));
    let mut unknown: Vec<Diagnostic> = unknown
        .map(|step| missing(&step.program, step.line, step.column))
        .collect();
    unknown.extend(job.steps.iter().filter_map(load_problem));
    for (commands, line) in job.steps.iter().filter_map(tso_commands) {
        unknown.extend(tso::problems(&commands, line));
        let absent = tso::programs(&commands)
            .filter(|(_, run)| !is_there(&run.program) && tso::refusal(&run.program).is_none());
        unknown
            .extend(absent.map(|(command, run)| missing(&run.program, line + command.line - 1, 1)));
    }
    idcams::report_diagnostics(
        &args.given,
        path,
        job.diagnostics.iter().chain(commands).chain(&unknown),
    ) == 0
}

/// The commands of a TSO step whose SYSTSIN is in the job, and its first line.
fn tso_commands(step: &jcl::JclStep) -> Option<(Vec<TsoCommand>, u32)> {
    let dd = step.dds.iter().find(|dd| dd.name == "SYSTSIN")?;
    match &dd.parts[..] {
        [DdPart::Lines(text)] if tso::is_tso(&step.program) => {
            Some((batch::tso::parse(text), dd.line + 1))
        }
        _ => None,
    }
}

/// What is wrong with the SYSIN of a step of DSNUTILB.
fn load_problem(step: &jcl::JclStep) -> Option<Diagnostic> {
    let dd = step.dds.iter().find(|dd| dd.name == "SYSIN")?;
    match &dd.parts[..] {
        [DdPart::Lines(text)] if step.program == load::PROGRAM => {
            let error = batch::load::items(text).err()?;
            Some(Diagnostic::new(Severity::Error, (dd.line, 1), error.to_string()))
        }
        _ => None,
    }
}

/// The folder of this job's temporary data sets.
fn tempdir(app: &Application) -> Result<PathBuf> {
    let folder = app
        .state
        .join("batch")
        .join(format!("job-{}", std::process::id()));
    std::fs::create_dir_all(&folder).into_diagnostic()?;
    Ok(folder)
}

struct JobRun<'a> {
    args: &'a Args,
    app: &'a Application,
    programs: &'a RunnablePrograms,
    job: &'a JclJob,
    /// One entry for each step that was reached.
    ended: Vec<StepEnd>,
    temporary: PathBuf,
    /// New data sets that were passed on; they are deleted at the end of the job.
    passed: BTreeSet<PathBuf>,
}

impl JobRun<'_> {
    /// Whether the conditions allow a step to run.
    fn is_due(&self, step: &jcl::JclStep) -> bool {
        if self
            .ended
            .iter()
            .any(|outcome| matches!(outcome, StepEnd::NotAllocated(_)))
        {
            return false;
        }
        let has_abended =
            |outcome: &StepEnd| matches!(outcome, StepEnd::Ran(ProgramExit::Abend(_)));
        match (self.ended.iter().any(has_abended), step.after_abend) {
            (true, AfterAbend::No) | (false, AfterAbend::Only) => return false,
            _ => {}
        }
        let before = self.job.steps.iter().zip(&self.ended);
        let codes: Vec<(&str, u32)> = before
            .filter_map(|(step, outcome)| match outcome {
                StepEnd::Ran(ProgramExit::Code(code)) => Some((step.name.as_str(), *code)),
                _ => None,
            })
            .collect();
        let mut tests = self.job.cond.iter().chain(&step.cond);
        !tests.any(|test| {
            let mut codes = codes.iter();
            codes.any(|(name, code)| {
                test.step.as_ref().is_none_or(|wanted| wanted == name) && test.holds(*code)
            })
        })
    }

    /// Reports missing data sets with DISP=OLD or SHR, and existing ones with DISP=NEW.
    /// Data sets that an IDCAMS step lacks are reported by its commands.
    fn refused(&self, step: &jcl::JclStep) -> Result<Option<&'static str>> {
        let runner = StepRunner::new(self.app, self.programs)?;
        let mut refused = None;
        for dd in step.dds.iter().filter(|dd| self.given(&dd.name).is_none()) {
            for part in &dd.parts {
                let DdPart::DataSet { name, status, .. } = part else {
                    continue;
                };
                if self.given(name).is_some() {
                    continue;
                }
                let (why, what) = match (status, self.is_there(name, runner.known())) {
                    (Status::Old, false) if step.program != "IDCAMS" => (
                        "no data set",
                        format!(
                            "there is no data set {name} (--dd {name}=WHAT assigns one)"
                        ),
                    ),
                    (Status::New, true) if !name.starts_with("&&") => (
                        "duplicate",
                        format!(
                            "DISP=NEW, and the data set {name} exists (an earlier step may delete it)"
                        ),
                    ),
                    _ => continue,
                };
                eprintln!("{} line {}: DD {}: {what}", step.name, dd.line, dd.name);
                refused = Some(why);
            }
        }
        Ok(refused)
    }

    fn is_there(&self, name: &str, known: &[String]) -> bool {
        match self.data_set(name, known) {
            RecordSource::File { path, .. } => path.exists(),
            _ => true,
        }
    }

    fn step(
        &mut self,
        step: &jcl::JclStep,
        commands: Option<&store::idcams::JobStep>,
    ) -> Result<ProgramExit> {
        let mut runner = StepRunner::new(self.app, self.programs)?.of_job();
        self.allocate(step, runner.known())?;
        if let Some(commands) = commands {
            let ended = self.idcams(step, commands)?;
            self.dispose(step, runner.known(), false);
            return Ok(ended);
        }
        if step.program == "IEFBR14" {
            self.dispose(step, runner.known(), false);
            return Ok(ProgramExit::Code(0));
        }
        let mut dds = Vec::new();
        for dd in &step.dds {
            dds.push((dd.name.clone(), self.dd(dd, runner.known())?));
        }
        if !step.dds.iter().any(|dd| dd.name == "SYSOUT") {
            dds.push(("SYSOUT".to_owned(), RecordSource::Output.into()));
        }
        let ended = if tso::is_tso(&step.program) {
            tso::run(&step.program, &mut runner, &dds)?
        } else if step.program == load::PROGRAM {
            self.utilities(&mut runner, &dds)?
        } else {
            runner.run(&step.program, step.parm.clone(), dds)?
        };
        self.dispose(step, runner.known(), matches!(ended, ProgramExit::Abend(_)));
        if let ProgramExit::Abend(why) = &ended {
            eprintln!("{} {}: {why}", step.name, step.program);
        }
        Ok(ended)
    }

    /// Runs a step of DSNUTILB.
    fn utilities(
        &self,
        runner: &mut StepRunner<'_>,
        dds: &[(String, DdAllocation)],
    ) -> Result<ProgramExit> {
        let sysin = runner.text(tso::find(dds, "SYSIN"))?;
        let mut out = tso::ListingPrinter::of(dds, "SYSPRINT")?;
        let server = runner.server()?;
        let host = load::LoadHost {
            app: self.app,
            server: &server,
            dds,
        };
        let code = load::run(&host, &sysin, &mut out)?;
        out.flush().into_diagnostic()?;
        Ok(ProgramExit::Code(code))
    }

    fn idcams(
        &self,
        step: &jcl::JclStep,
        commands: &store::idcams::JobStep,
    ) -> Result<ProgramExit> {
        let mut given = self.args.given.clone();
        for part in step.dds.iter().flat_map(|dd| &dd.parts) {
            if let DdPart::DataSet { name, .. } = part {
                let path = self.path(name);
                if path.is_file() {
                    given.dd.push((name.clone(), path.display().to_string()));
                }
            }
        }
        let app = Application::open(&self.app.folder, Some(&self.app.state))?;
        idcams::run_steps(std::slice::from_ref(commands), app, given).map(ProgramExit::Code)
    }

    /// The assignment of the command line to a name.
    fn given(&self, name: &str) -> Option<&str> {
        let mut given = self.args.given.dd.iter();
        given
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, what)| what.as_str())
    }

    fn dd(&self, dd: &jcl::DdConcatenation, known: &[String]) -> Result<DdAllocation> {
        if let Some(text) = self.given(&dd.name) {
            return what(text, known, self.app.config.region.zoned_sign);
        }
        let mut made = DdAllocation::default();
        for part in &dd.parts {
            match part {
                DdPart::Lines(text) => made.sources.push(RecordSource::Lines(text.clone())),
                DdPart::Output => made.sources.push(RecordSource::Output),
                DdPart::Dummy => made.sources.push(RecordSource::Dummy),
                DdPart::DataSet { name, status, .. } => {
                    made.append |= *status == Status::Mod;
                    match self.given(name) {
                        Some(text) => {
                            let given = what(text, known, self.app.config.region.zoned_sign)?;
                            made.append |= given.append;
                            made.reuse |= given.reuse;
                            made.code_page = made.code_page.or(given.code_page);
                            made.record_bytes = made.record_bytes.or(given.record_bytes);
                            made.sources.extend(given.sources);
                        }
                        None => made.sources.push(self.data_set(name, known)),
                    }
                }
            }
        }
        Ok(made)
    }

    /// A file of the store, or a file of the state folder.
    fn data_set(&self, name: &str, known: &[String]) -> RecordSource {
        let mut renamed = self.args.given.name.iter();
        let stored = renamed
            .find(|(from, _)| from.eq_ignore_ascii_case(name))
            .map_or(name, |(_, to)| to);
        match known.iter().find(|k| k.eq_ignore_ascii_case(stored)) {
            Some(stored) => RecordSource::Store(stored.clone()),
            None => RecordSource::File {
                path: self.path(name),
                format: None,
            },
        }
    }

    /// The path of a sequential data set.
    fn path(&self, name: &str) -> PathBuf {
        let keep = |c: char| {
            if c.is_ascii_alphanumeric() || ".-$#@_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let plain: String = name.trim_start_matches("&&").chars().map(keep).collect();
        let plain = plain.to_ascii_uppercase();
        if name.starts_with("&&") {
            self.temporary.join(plain)
        } else {
            let folder = self.app.state.join("datasets");
            let _ = std::fs::create_dir_all(&folder);
            folder.join(plain)
        }
    }

    /// Makes the data sets with DISP=NEW or MOD. A step has them whether its program opens
    /// them or not.
    fn allocate(&self, step: &jcl::JclStep, known: &[String]) -> Result<()> {
        for dd in step.dds.iter().filter(|dd| self.given(&dd.name).is_none()) {
            for part in &dd.parts {
                if let DdPart::DataSet {
                    name,
                    status: Status::New | Status::Mod,
                    ..
                } = part
                    && self.given(name).is_none()
                    && let RecordSource::File { path, .. } = self.data_set(name, known)
                    && !path.exists()
                {
                    let made = std::fs::File::create(&path).into_diagnostic();
                    made.wrap_err_with(|| format!("cannot make {}", path.display()))?;
                }
            }
        }
        Ok(())
    }

    /// Deletes the data sets whose DISP is DELETE, except those of the store.
    fn dispose(&mut self, step: &jcl::JclStep, known: &[String], has_abended: bool) {
        let own = step.dds.iter().filter(|dd| self.given(&dd.name).is_none());
        let sets = own.flat_map(|dd| &dd.parts).filter_map(|part| match part {
            DdPart::DataSet {
                name,
                status,
                normal,
                abnormal,
            } if self.given(name).is_none() => {
                let after = if has_abended { *abnormal } else { *normal };
                Some((self.data_set(name, known), *status, after))
            }
            _ => None,
        });
        for (source, status, after) in sets.collect::<Vec<_>>() {
            let RecordSource::File { path, .. } = source else {
                continue;
            };
            match after {
                DataSetDisposition::Usual => {}
                DataSetDisposition::Keep => {
                    self.passed.remove(&path);
                }
                DataSetDisposition::Pass => {
                    if status == Status::New {
                        self.passed.insert(path);
                    }
                }
                DataSetDisposition::Delete => {
                    let _ = std::fs::remove_file(&path);
                    self.passed.remove(&path);
                }
            }
        }
    }

    /// Prints how each step ended, and returns the exit status of the job.
    fn table(&self) -> std::process::ExitCode {
        println!("\n{}\n{:<9}{:<9}CODE", self.job.name, "STEP", "PROGRAM");
        let (mut greatest, mut has_abended) = (0, false);
        for (step, outcome) in self.job.steps.iter().zip(&self.ended) {
            let code = match outcome {
                StepEnd::PassedOver => "not run".to_owned(),
                StepEnd::NotAllocated(why) => {
                    has_abended = true;
                    (*why).to_owned()
                }
                StepEnd::Ran(ProgramExit::Code(code)) => {
                    greatest = greatest.max(*code);
                    format!("{code:04}")
                }
                StepEnd::Ran(ProgramExit::Abend(_)) => {
                    has_abended = true;
                    "abend".to_owned()
                }
            };
            println!("{:<9}{:<9}{code}", step.name, step.program);
        }
        if has_abended {
            ABEND.into()
        } else {
            exit_code(greatest)
        }
    }
}
