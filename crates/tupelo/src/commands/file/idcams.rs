//! `tupelo file idcams`: runs a site's own IDCAMS commands on the store.
//!
//! The whole deck is read first; with an error in it no command runs. Then the result of
//! each command is printed with its condition code, and IF and SET use the codes as in
//! IDCAMS: 0 done, 4 done with a warning, 8 not done because something does not exist, 12
//! not done.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Cursor, IsTerminal, Write};
use std::path::{Path, PathBuf};

use batch::CodePageOf;
use base::Diagnostic;
use miette::{Context, IntoDiagnostic, Result, miette};
use store::idcams::{ConditionCode, Command, DataRef, DdStatement, EntryKind, Statement, JobStep, parse};
use store::transfer::{DumpOptions, LoadEvent, LoadMode, LoadOptions, FileSource, copy, dump, load};
use store::{
    FileAccessPath, CatalogueEntry, DefineError, FileDef, FileId, FileName, IndexEntry, DiskStore, CatalogueName, FileOrganisation, ReadExt,
    ReadStore, SeekKey, UnitOfWork, WriteStore,
};

use super::progress::bar;
use super::which::{FormatOptions, section_of};
use crate::Outcome;
use crate::app::Application;
use crate::app::config::ZonedSign;
use crate::app::files::describe;
use crate::app::finding::{Finding, Findings, Severity};

mod through_region;

use through_region::{RecordBatch, StoreOwner};

/// Run IDCAMS commands: DEFINE CLUSTER, ALTERNATEINDEX and PATH, BLDINDEX, REPRO and
/// DELETE, in a file of commands or in the IDCAMS steps of a job. While a region runs, it
/// runs the commands.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo file idcams define.jcl --app examples/bank --name PROD.ACCT.KSDS=ACCTFILE \\\n    \
    --dd INFILE1=accounts.bin --format fixed --code-page cp037\n\n\
    Exit status: 0 the greatest condition code is 0 or 4, 1 the code is greater or the text has errors, 2 the commands could not run."
)]
pub struct Args {
    /// The commands, or JCL with IDCAMS steps.
    deck: PathBuf,
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// Only read the deck, and print its errors.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    given: NameAssignments,
}

/// Assignments to names and texts of a deck or a job.
#[derive(Debug, Clone, clap::Args)]
pub struct NameAssignments {
    /// Assigns a file of this machine to a DD name or a data set name.
    #[arg(long, value_name = "NAME=WHAT", value_parser = pair)]
    pub dd: Vec<(String, String)>,
    /// Assigns the name in the store to a data set.
    #[arg(long, value_name = "DATASET=NAME", value_parser = pair)]
    pub name: Vec<(String, String)>,
    /// Replaces a text, such as a placeholder.
    #[arg(long, value_name = "TEXT=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    form: FormatOptions,
}

impl NameAssignments {
    /// Whether records are converted, which only REPRO does.
    pub fn converts(&self) -> bool {
        self.form.converts()
    }

    /// The code page and copybook for a program's DDs.
    pub fn code_page(&self, signs: ZonedSign) -> Result<Option<CodePageOf>> {
        self.form.code_page(signs)
    }
}

impl NameAssignments {
    /// A file's text with its placeholders replaced.
    pub fn text(&self, path: &Path) -> Result<String> {
        let bytes = std::fs::read(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let set = self.set.iter();
        Ok(set.fold(text, |text, (from, to)| text.replace(from, to)))
    }

    /// The column in the original line of a column of a line of that text.
    fn column(&self, line: &str, column: u32) -> u32 {
        let written: Vec<(char, u32)> = line.chars().zip(1..).collect();
        let read = self.set.iter().fold(written, |line, (from, to)| replaced(&line, from, to));
        let at = usize::try_from(column).unwrap_or_default().checked_sub(1);
        at.and_then(|at| read.get(at)).map_or(column, |(_, column)| *column)
    }
}

/// A line with a text replaced, each character with its column in the original line.
fn replaced(line: &[(char, u32)], from: &str, to: &str) -> Vec<(char, u32)> {
    let from: Vec<char> = from.chars().collect();
    let (mut made, mut rest) = (Vec::new(), line);
    while let [first, tail @ ..] = rest {
        let here = rest.iter().map(|(c, _)| c).take(from.len());
        if !from.is_empty() && here.eq(&from) {
            made.extend(to.chars().map(|c| (c, first.1)));
            rest = &rest[from.len()..];
        } else {
            made.push(*first);
            rest = tail;
        }
    }
    made
}

/// Prints the diagnostics of a text, and returns the number of errors. With errors, also
/// prints that no command was run.
pub fn report_diagnostics<'d>(given: &NameAssignments, path: &Path, found: impl Iterator<Item = &'d Diagnostic>) -> usize {
    let bytes = std::fs::read(path).unwrap_or_default();
    let written = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = written.lines().collect();
    let in_file = |mut finding: Finding| {
        let line = lines.get((finding.line as usize).wrapping_sub(1));
        finding.column = line.map_or(finding.column, |line| given.column(line, finding.column));
        finding
    };
    let mut findings = Findings::new(Path::new(""));
    findings.extend(found.map(|found| in_file(found.clone().in_file(path))));
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
    let errors = findings.count(Severity::Error);
    if errors > 0 {
        eprintln!("{errors} {}; no command was run", if errors == 1 { "error" } else { "errors" });
    }
    errors
}

/// NAME=VALUE.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads the deck and runs its commands.
pub fn run(args: Args) -> Result<Outcome> {
    let deck = parse(&args.given.text(&args.deck)?);
    if report_diagnostics(&args.given, &args.deck, deck.diagnostics.iter()) > 0 {
        return Ok(Outcome::Findings);
    }
    if args.check {
        let commands: usize = deck.steps.iter().map(|step| step.statements.len()).sum();
        println!("{}: {commands} commands", args.deck.display());
        return Ok(Outcome::Clean);
    }
    let app = Application::open(&args.app, args.state.as_deref())?;
    Ok(match run_steps(&deck.steps, app, args.given)? {
        0..=4 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}

/// Runs the commands of steps without errors, and returns the highest condition code.
pub fn run_steps(steps: &[JobStep], app: Application, given: NameAssignments) -> Result<u32> {
    let mut runner = CommandRunner {
        home: StoreOwner::open(&app)?,
        app,
        given,
        last: 0,
        max: 0,
    };
    let mut greatest = 0;
    for step in steps {
        (runner.last, runner.max) = (0, 0);
        if let Some(name) = &step.name {
            println!("{name}");
        }
        runner.statements(&step.statements, step);
        greatest = greatest.max(runner.max);
    }
    Ok(greatest)
}

/// Runs commands on a store.
struct CommandRunner {
    home: StoreOwner,
    app: Application,
    given: NameAssignments,
    last: u32,
    max: u32,
}

/// A command that failed: the condition code and the reason.
struct CommandFailure(u32, miette::Report);

impl From<miette::Report> for CommandFailure {
    fn from(report: miette::Report) -> Self {
        CommandFailure(12, report)
    }
}

impl From<DefineError> for CommandFailure {
    fn from(error: DefineError) -> Self {
        let code = match error {
            DefineError::NotDefined { .. } | DefineError::UnknownFile(_) => 8,
            DefineError::AlreadyDefined { .. } => {
                return CommandFailure(12, miette!("{error}: DELETE it first, or remove its DEFINE"));
            }
            _ => 12,
        };
        CommandFailure(code, miette!("{error}"))
    }
}

/// The condition code and a text of a command that was done.
type CommandResult = Result<(u32, String), CommandFailure>;

/// The place of records.
enum RecordPlace {
    Stored(FileAccessPath),
    File(PathBuf),
    Lines(Vec<String>),
}

impl CommandRunner {
    fn statements(&mut self, statements: &[Statement], step: &JobStep) {
        for statement in statements {
            self.statement(statement, step);
        }
    }

    fn statement(&mut self, statement: &Statement, step: &JobStep) {
        let done = match &statement.command {
            Command::Set(ConditionCode::Last, value) => return self.last = *value,
            Command::Set(ConditionCode::Max, value) => return self.max = *value,
            Command::If {
                code,
                compare,
                value,
                then,
                otherwise,
            } => {
                let code = match code {
                    ConditionCode::Last => self.last,
                    ConditionCode::Max => self.max,
                };
                let branch = if compare.holds(code, *value) { then } else { otherwise };
                return self.statements(branch, step);
            }
            Command::PassedOver(verb) => Ok((0, format!("{verb} ignored"))),
            Command::DefineCluster(def) => self.define_cluster(def),
            Command::DefineIndex(def) => self.define_index(def),
            Command::DefinePath(def) => self.define_path(def),
            Command::Delete { names, kind } => self.delete(names, *kind),
            Command::BuildIndex { base, indexes } => self.build_indexes(base, indexes, step),
            Command::Repro {
                from,
                to,
                replace,
                reuse,
                skip,
                count,
            } => self.repro((from, to), (*replace, *reuse), (*skip, *count), step),
        };
        let (code, text) = match done {
            Ok((code, text)) => (code, text),
            Err(CommandFailure(code, report)) => (code, format!("not done: {report}")),
        };
        self.last = code;
        self.max = self.max.max(code);
        println!("{:>5}  {code:>2}  {text}", statement.line);
    }

    /// A data set's name in the store.
    fn stored_name(&self, name: &FileName) -> Result<FileName> {
        let mut renamed = self.given.name.iter();
        match renamed.find(|(from, _)| from.eq_ignore_ascii_case(name.as_str())) {
            Some((_, to)) => to.parse().into_diagnostic(),
            None => Ok(name.clone()),
        }
    }

    fn named(&self, name: &FileName) -> Result<Option<CatalogueName>> {
        let mut reader = self.home.reader()?;
        let names = reader.names().into_diagnostic()?;
        Ok(names.into_iter().find(|named| named.name() == name))
    }

    fn define_cluster(&mut self, def: &store::FileDef) -> CommandResult {
        let mut def = def.clone();
        def.name = self.stored_name(&def.name)?;
        let text = format!("{} defined: {}", def.name, describe(&def));
        match &mut self.home {
            StoreOwner::Own(store) => store.define(def).map(drop)?,
            StoreOwner::Region { region, .. } => {
                StoreOwner::command(region, &through_region::cluster_text(&def))?;
            }
        }
        Ok((0, text))
    }

    fn define_index(&mut self, def: &store::IndexDef) -> CommandResult {
        let mut def = def.clone();
        def.name = self.stored_name(&def.name)?;
        def.base = self.stored_name(&def.base)?;
        let text = format!("{} defined over {}", def.name, def.base);
        match &mut self.home {
            StoreOwner::Own(store) => store.define_index(def).map(drop)?,
            StoreOwner::Region { region, .. } => {
                StoreOwner::command(region, &through_region::index_text(&def))?;
            }
        }
        Ok((0, text))
    }

    fn define_path(&mut self, def: &store::PathDef) -> CommandResult {
        let mut def = def.clone();
        def.name = self.stored_name(&def.name)?;
        def.entry = self.stored_name(&def.entry)?;
        let text = format!("{} defined, to {}", def.name, def.entry);
        match &mut self.home {
            StoreOwner::Own(store) => store.define_path(def)?,
            StoreOwner::Region { region, .. } => {
                StoreOwner::command(region, &through_region::path_text(&def))?;
            }
        }
        Ok((0, text))
    }

    /// Deletes entries. Missing ones are reported, with condition code 8.
    fn delete(&mut self, names: &[FileName], kind: Option<EntryKind>) -> CommandResult {
        let (mut code, mut results) = (0, Vec::new());
        for name in names {
            let name = self.stored_name(name)?;
            match self.named(&name)? {
                None => {
                    code = 8;
                    results.push(format!("{name} does not exist"));
                    continue;
                }
                Some(found) if kind.is_some_and(|kind| !kind.is(&found)) => {
                    code = 8;
                    let wanted = kind.map_or("", EntryKind::text);
                    results.push(format!("{name} is not {wanted}, and is kept"));
                    continue;
                }
                Some(found) => match (&mut self.home, found) {
                    (
                        StoreOwner::Own(store),
                        CatalogueName::File(CatalogueEntry { id, .. }) | CatalogueName::Index(IndexEntry { id, .. }),
                    ) => store.remove(id)?,
                    (StoreOwner::Own(store), CatalogueName::Path(_)) => store.remove_path(&name)?,
                    (StoreOwner::Region { region, .. }, _) => {
                        StoreOwner::command(region, &format!(" DELETE {name}\n"))?;
                    }
                },
            }
            results.push(format!("{name} deleted"));
        }
        Ok((code, results.join(", ")))
    }

    fn build_indexes(&mut self, base: &DataRef, indexes: &[DataRef], step: &JobStep) -> CommandResult {
        let base = match self.place(base, step)? {
            RecordPlace::Stored(FileAccessPath { base, index: None }) => base,
            _ => return Err(miette!("the base is not a file of the store").into()),
        };
        let mut results = Vec::new();
        for index in indexes {
            let name = self.data_set(index, step)?.parse().into_diagnostic()?;
            let name = self.stored_name(&name)?;
            let entry = match self.named(&name)? {
                Some(CatalogueName::Path(path)) => self.named(&path.entry)?,
                other => other,
            };
            let Some(CatalogueName::Index(entry)) = entry else {
                return Err(CommandFailure(8, miette!("{name} is not an alternate index")));
            };
            if entry.base != base.id {
                return Err(miette!("{name} is not an index of {}", base.def.name).into());
            }
            let store = match &mut self.home {
                StoreOwner::Own(store) => store,
                StoreOwner::Region { region, .. } => {
                    let base = &base.def.name;
                    let text = format!(" BLDINDEX INDATASET({base}) OUTDATASET({name})\n");
                    results.push(StoreOwner::command(region, &text)?);
                    continue;
                }
            };
            let entries = bar("index entries", None, false);
            let mut written = 0;
            let built = store.build_index(entry.id, LoadOptions::SORT_BYTES, &mut |done| {
                written = done.written;
                entries.set_position(done.read);
            });
            entries.finish_and_clear();
            built.into_diagnostic()?;
            results.push(format!("{name} built, {written} entries"));
        }
        Ok((0, results.join(", ")))
    }

    fn data_set(&self, of: &DataRef, step: &JobStep) -> Result<String> {
        match of {
            DataRef::DataSet(name) => Ok(name.clone()),
            DataRef::Dd(dd) => match step.dds.get(dd) {
                Some(DdStatement::DataSet(name)) => Ok(name.clone()),
                Some(DdStatement::Other) => Err(miette!(
                    help = format!("--dd {dd}=FILE writes the records to a file of this machine"),
                    "DD {dd} is SYSOUT or DUMMY, not a data set"
                )),
                _ => Err(miette!(
                    help = format!("--dd {dd}=FILE assigns a file of this machine"),
                    "no data set is known for DD {dd}"
                )),
            },
        }
    }

    /// The place that a DD or data set name is assigned to.
    fn place(&self, of: &DataRef, step: &JobStep) -> Result<RecordPlace> {
        let given = |name: &str| {
            let mut given = self.given.dd.iter();
            given.find(|(dd, _)| dd.eq_ignore_ascii_case(name)).map(|(_, file)| file.into())
        };
        if let DataRef::Dd(dd) = of {
            if let Some(file) = given(dd) {
                return Ok(RecordPlace::File(file));
            }
            if let Some(DdStatement::Lines(lines)) = step.dds.get(dd) {
                return Ok(RecordPlace::Lines(lines.clone()));
            }
        }
        let data_set = self.data_set(of, step)?;
        if let Some(file) = given(&data_set) {
            return Ok(RecordPlace::File(file));
        }
        let known = match data_set.parse::<FileName>() {
            Ok(name) => {
                let name = self.stored_name(&name)?;
                let mut reader = self.home.reader()?;
                reader.access(&name).into_diagnostic()?
            }
            Err(_) => None,
        };
        match known {
            Some(access) => Ok(RecordPlace::Stored(access)),
            None => Err(miette!(
                help = format!("--dd {data_set}=FILE assigns a file of this machine"),
                "{data_set} is not in the store"
            )),
        }
    }

    fn repro(
        &mut self,
        (from, to): (&DataRef, &DataRef),
        (replace, reuse): (bool, bool),
        (skip, count): (u64, Option<u64>),
        step: &JobStep,
    ) -> CommandResult {
        let (from, to) = (self.place(from, step)?, self.place(to, step)?);
        match (from, to) {
            (RecordPlace::Stored(from), RecordPlace::File(to)) => self.unload(&from, &to, (skip, count)),
            (from, RecordPlace::Stored(FileAccessPath { base: to, .. })) => {
                let mode = self.mode(to.id, replace, reuse)?;
                if let StoreOwner::Region { .. } = &self.home {
                    return self.send(from, &to, (mode, reuse), (skip, count));
                }
                self.fill(from, &to, (mode, skip, count))
            }
            _ => Err(miette!("one side of a REPRO is a file of the store").into()),
        }
    }

    /// The load mode; a file without records can be loaded at once.
    fn mode(&self, to: FileId, replace: bool, reuse: bool) -> Result<LoadMode> {
        let mut reader = self.home.reader()?;
        let is_empty = reader.read(to, SeekKey::First, |_| ()).into_diagnostic()?.is_none();
        Ok(match (is_empty || reuse, replace) {
            (true, _) => LoadMode::Replace,
            (false, true) => LoadMode::Merge,
            (false, false) => LoadMode::Add,
        })
    }

    fn fill(
        &mut self,
        from: RecordPlace,
        to: &CatalogueEntry,
        (mode, skip, count): (LoadMode, u64, Option<u64>),
    ) -> CommandResult {
        let StoreOwner::Own(store) = &mut self.home else {
            return Err(miette!("a region has opened the store").into());
        };
        fill(store, (&self.app, &self.given), from, (to.id, &to.def), (mode, skip, count))
    }

    /// Makes the region add the records, or replace records with the same keys if REPLACE
    /// was given.
    fn send(
        &mut self,
        from: RecordPlace,
        to: &CatalogueEntry,
        (mode, reuse): (LoadMode, bool),
        (skip, count): (u64, Option<u64>),
    ) -> CommandResult {
        let StoreOwner::Region { region, .. } = &self.home else {
            return Err(miette!("no region has opened the store").into());
        };
        let mut reader = self.home.reader()?;
        let is_empty = reader.read(to.id, SeekKey::First, |_| ()).into_diagnostic()?.is_none();
        if reuse && !is_empty {
            let text = "REUSE of a file with records needs exclusive use of the store: stop the region";
            return Err(miette!("{}: {text}", to.def.name).into());
        }
        let next = UnitOfWork::new().next_address(&mut reader, to.id).into_diagnostic()?;
        let replace = mode == LoadMode::Merge;
        let report = |key: &[u8], why: &str| eprintln!("record {}: {why}", key.escape_ascii());
        let (mut sent, mut refused) = (through_region::SendResult::default(), 0);
        match from {
            // Records without keys would be read again without end.
            RecordPlace::Stored(from) if from.base.id == to.id && to.def.organisation == FileOrganisation::Esds => {
                return Err(miette!("{} cannot be added to itself", to.def.name).into());
            }
            RecordPlace::Stored(from) => {
                let is_numbered = from.base.def.organisation == FileOrganisation::Rrds;
                let records = RecordBatch {
                    reader: &mut reader,
                    from: FileSource::from(&from),
                    next: next.filter(|_| !is_numbered),
                };
                sent = StoreOwner::send(region, records, to, replace, (skip, count), report)?;
            }
            from => {
                let (_folder, mut aside, id) = through_region::staging_store(&self.app, &to.def)?;
                let both = (&self.app, &self.given);
                let options = (LoadMode::Replace, skip, count);
                let (code, text) = fill(&mut aside, both, from, (id, &to.def), options)?;
                if code > 0 {
                    refused = 1;
                    eprintln!("{text}");
                }
                let mut records = aside.disk_reader().into_diagnostic()?;
                // The file's number in this store may differ.
                let entry = records.find(&to.def.name).into_diagnostic()?;
                if let Some(entry) = entry {
                    let records = RecordBatch {
                        reader: &mut records,
                        from: FileSource::from(entry.id),
                        next,
                    };
                    sent = StoreOwner::send(region, records, to, replace, (0, None), report)?;
                }
            }
        }
        let text = format!("{}: {} records added, {} refused", to.def.name, sent.added, sent.refused);
        let code = match sent.refused + refused {
            0 => 0,
            n if n <= ERROR_LIMIT => 4,
            _ => 12,
        };
        Ok((code, text))
    }

    fn unload(&mut self, from: &FileAccessPath, to: &Path, (skip, count): (u64, Option<u64>)) -> CommandResult {
        let def = &from.base.def;
        let section = section_of(&self.app, def.name.as_str());
        let records = self.given.form.records_at(&self.app, &section, def, to)?;
        let mut reader = self.home.reader()?;
        let output = File::create(to)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", to.display()))?;
        let mut output = BufWriter::new(output);
        let options = DumpOptions {
            skip,
            count,
            ..DumpOptions::new(records.framing)
        };
        let report = dump(&mut reader, from, &mut output, &options, &*records.convert, &mut |_| ());
        let report = report.into_diagnostic()?;
        output.flush().into_diagnostic()?;
        Ok((0, format!("{}: {} records written to {}", def.name, report.records, to.display())))
    }
}

/// Loads records into a file of a store that this process has opened.
fn fill(
    store: &mut DiskStore,
    (app, given): (&Application, &NameAssignments),
    from: RecordPlace,
    (to, def): (FileId, &FileDef),
    (mode, skip, count): (LoadMode, u64, Option<u64>),
) -> CommandResult {
        let section = section_of(app, def.name.as_str());
        let as_lines = store::transfer::RecordFraming::ascii_lines(def);
        let records = match &from {
            RecordPlace::File(path) => Some(given.form.records_at(app, &section, def, path)?),
            _ => None,
        };
        let options = LoadOptions {
            mode,
            skip,
            count,
            max_rejects: ERROR_LIMIT,
            ..LoadOptions::new(records.as_ref().map_or(as_lines, |records| records.framing))
        };
        let progress = bar("records", None, false);
        let mut events = |event: LoadEvent<'_>| match event {
            LoadEvent::Rejected { number, key, reason } => {
                let key = key.map_or(String::new(), |key| format!(" key {key}"));
                progress.suspend(|| eprintln!("record {number}{key}: {reason}"));
            }
            LoadEvent::Progress(report) => progress.set_position(report.read),
            LoadEvent::Storing(report) => progress.set_position(report.loaded),
            LoadEvent::Building(done) => progress.set_position(done.read),
        };
        let loaded = match (&from, records) {
            (RecordPlace::Stored(from), _) => copy(store, from, to, &options, &mut events),
            (RecordPlace::Lines(lines), _) => {
                let text = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
                let mut input = Cursor::new(text);
                let verbatim = &store::transfer::VerbatimConverter;
                load(store, to, &mut input, &options, verbatim, &mut events)
            }
            (RecordPlace::File(path), Some(records)) => {
                let mut input: Box<dyn BufRead> = Box::new(BufReader::new(open(path)?));
                load(store, to, &mut *input, &options, &*records.convert, &mut events)
            }
            (RecordPlace::File(_), None) => unreachable!("a file of this machine has a form"),
        };
        progress.finish_and_clear();
        let (report, _) = loaded.into_diagnostic()?;
        let text = format!("{}: {} records loaded, {} refused", def.name, report.loaded, report.rejected);
        Ok((if report.rejected == 0 { 0 } else { 4 }, text))
    }

fn open(path: &Path) -> Result<File> {
    File::open(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", path.display()))
}

/// Records that REPRO may reject before it ends: ERRORLIMIT's default.
const ERROR_LIMIT: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_after_a_placeholder_is_that_of_the_original_line() {
        let line: Vec<(char, u32)> = " DELETE <HLQ>.<B>".chars().zip(1..).collect();
        let read = replaced(&line, "<HLQ>", "USER");
        let text: String = read.iter().map(|(c, _)| *c).collect();
        assert_eq!(text, " DELETE USER.<B>");
        let at = text.find("<B>").expect("it is there");
        assert_eq!(read[at].1, 15);
        assert_eq!(replaced(&line, "", "X"), line);
    }
}
