//! One program in its own process, with its DDs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use batch::{
    CodePageOf, DdAllocation, ProgramStep, RecordConversion, RecordFormat, RecordSource, StoreAt,
};
use copybook::CodePage;
use database::Server;
use miette::{Context, IntoDiagnostic, Result, miette};
use store::{DiskReader, OpenError, ReadStore};

use super::programs::RunnablePrograms;
use super::sql::{SqlSteps, end_units_in_doubt};
use crate::app::Application;
use crate::app::config::ZonedSign;
use crate::commands::batch_step::{conversion, is_other};

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramExit {
    /// With its RETURN-CODE.
    Code(u32),
    /// Abnormally; the text says how.
    Abend(String),
}

/// Runs programs of one application in sequence.
pub struct StepRunner<'a> {
    app: &'a Application,
    programs: &'a RunnablePrograms,
    application: PathBuf,
    store: StoreAt,
    known: Vec<String>,
    folder: PathBuf,
    /// The SQL server, if some program has EXEC SQL.
    sql: Option<SqlSteps>,
    /// Whether a program without SYSIN may read from the terminal.
    is_interactive: bool,
}

impl<'a> StepRunner<'a> {
    /// A runner; reads the names of the store's files.
    pub fn new(app: &'a Application, programs: &'a RunnablePrograms) -> Result<Self> {
        let folder = app.state.join("batch").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot make {}", folder.display()))?;
        Ok(StepRunner {
            app,
            programs,
            application: app.folder.clone(),
            store: store_at(app),
            known: known(app)?,
            folder,
            sql: SqlSteps::of(app, &programs.folder)?,
            is_interactive: true,
        })
    }

    /// A runner of a job's steps, which do not read from the terminal.
    pub fn of_job(mut self) -> Self {
        self.is_interactive = false;
        self
    }

    /// All names of the store.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Runs a program to its end.
    pub fn run(
        &mut self,
        program: &str,
        parm: Option<String>,
        dds: Vec<(String, DdAllocation)>,
    ) -> Result<ProgramExit> {
        let dds: BTreeMap<String, DdAllocation> = dds.into_iter().collect();
        let input = self.input(&dds)?;
        let is_stored = |dd: &DdAllocation| {
            dd.sources
                .iter()
                .any(|s| matches!(s, RecordSource::Store(_)))
        };
        let result = self.folder.join("result");
        let folder = &self.programs.folder;
        let session = self.sql.as_ref().map(|sql| sql.open(folder, program));
        let session = session.transpose()?;
        let step = ProgramStep {
            program: program.to_owned(),
            modules: self.programs.folder.clone(),
            parm,
            application: self.application.clone(),
            store: dds.values().any(is_stored).then(|| self.store.clone()),
            sql: session.as_ref().map(|session| session.at.clone()),
            dds,
            result: result.clone(),
        };
        let path = self.folder.join("step.json");
        std::fs::write(&path, serde_json::to_vec(&step).into_diagnostic()?).into_diagnostic()?;
        let _ = std::fs::remove_file(&result);
        std::io::stdout().flush().into_diagnostic()?;
        let status = Command::new(std::env::current_exe().into_diagnostic()?)
            .arg("batch-step")
            .arg(&path)
            .stdin(input)
            .status()
            .into_diagnostic()?;
        drop(session);
        if let (Some(sql), Some(store)) = (&self.sql, &step.store) {
            // A process that was killed, or whose server was away, may have left a unit.
            end_units_in_doubt(store, || Ok(sql.server()))?;
        }
        let said = std::fs::read_to_string(&result).unwrap_or_default();
        Ok(match said.trim().parse::<i64>() {
            Ok(code) => ProgramExit::Code(u32::try_from(code).unwrap_or(u32::MAX)),
            Err(_) if said.starts_with("abend") => {
                ProgramExit::Abend(match said.trim().strip_prefix("abend ") {
                    Some(code) => format!("the program ended abnormally, with code {code}"),
                    None => "the program ended abnormally".to_owned(),
                })
            }
            Err(_) => ProgramExit::Abend(format!("the program's process ended with {status}")),
        })
    }
}

impl StepRunner<'_> {
    /// The SQL server of the job.
    pub fn server(&mut self) -> Result<Arc<Server>> {
        let sql = match self.sql.take() {
            Some(sql) => sql,
            None => SqlSteps::always(self.app)?,
        };
        Ok(self.sql.insert(sql).server())
    }

    /// The records of a DD as lines; empty if it is absent.
    pub fn text(&self, dd: Option<&DdAllocation>) -> Result<String> {
        let mut text = Vec::new();
        if let Some(dd) = dd {
            let conversion = match dd.code_page.as_ref().filter(|of| is_other(of)) {
                Some(of) => Some(conversion(&self.application, of)?),
                None => None,
            };
            add_records(&mut text, dd, conversion.as_ref())?;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The input of ACCEPT: the records of DD SYSIN, one a line. A DD that is standard input
    /// stays so.
    fn input(&self, dds: &BTreeMap<String, DdAllocation>) -> Result<Stdio> {
        let mut sources = dds.values().flat_map(|dd| &dd.sources);
        if sources.any(|source| *source == RecordSource::Input) {
            return Ok(Stdio::inherit());
        }
        let Some(sysin) = dds.get("SYSIN") else {
            return Ok(if self.is_interactive {
                Stdio::inherit()
            } else {
                Stdio::null()
            });
        };
        let conversion = match sysin.code_page.as_ref().filter(|of| is_other(of)) {
            Some(of) => Some(conversion(&self.application, of)?),
            None => None,
        };
        if let [
            RecordSource::File {
                path,
                format: None | Some(RecordFormat::Lines),
            },
        ] = &sysin.sources[..]
            && conversion.is_none()
        {
            return Ok(File::open(path).map_or_else(|_| Stdio::null(), Stdio::from));
        }
        let mut text = Vec::new();
        add_records(&mut text, sysin, conversion.as_ref())?;
        let path = self.folder.join("sysin");
        std::fs::write(&path, text).into_diagnostic()?;
        File::open(&path).into_diagnostic().map(Stdio::from)
    }
}

/// Adds the records of a DD as lines.
fn add_records(
    text: &mut Vec<u8>,
    dd: &DdAllocation,
    conversion: Option<&RecordConversion>,
) -> Result<()> {
    for source in &dd.sources {
        match source {
            RecordSource::Lines(lines) => text.extend_from_slice(lines.as_bytes()),
            RecordSource::File { path, format } => text.extend(cards(path, *format, conversion)?),
            RecordSource::Store(_)
            | RecordSource::Input
            | RecordSource::Output
            | RecordSource::Dummy => {}
        }
    }
    Ok(())
}

/// The records of a file as lines; empty if the file cannot be read, which the
/// program's OPEN reports.
fn cards(
    path: &Path,
    format: Option<RecordFormat>,
    conversion: Option<&RecordConversion>,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(CARDS_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return Ok(Vec::new());
    }
    let mut records: Vec<&[u8]> = Vec::new();
    let mut line = |record| records.push(record);
    let is_ebcdic = conversion.is_some_and(|c| c.is_ebcdic);
    match format {
        None | Some(RecordFormat::Lines) => {
            let end = if is_ebcdic { 0x15 } else { b'\n' };
            let whole = bytes.strip_suffix(&[end]).unwrap_or(&bytes);
            whole.split(|b| *b == end).for_each(line);
        }
        Some(RecordFormat::Fixed) => bytes.chunks(CARD_BYTES).for_each(line),
        Some(RecordFormat::Rdw) => {
            let mut rest = &bytes[..];
            while let Some(([high, low, _, _], tail)) = rest.split_first_chunk() {
                let record = usize::from(u16::from_be_bytes([*high, *low])).saturating_sub(4);
                let (record, tail) = tail.split_at(record.min(tail.len()));
                line(record);
                rest = tail;
            }
        }
    }
    let mut lines = Vec::new();
    for record in records {
        match conversion {
            Some(conversion) => conversion
                .convert
                .inward(record, &mut lines)
                .into_diagnostic()?,
            None => lines.extend_from_slice(record),
        }
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Bytes of a SYSIN record that ACCEPT reads.
const CARD_BYTES: usize = 80;

/// Most bytes of a SYSIN without line ends that ACCEPT reads.
const CARDS_BYTES: u64 = 1 << 20;

impl Drop for StepRunner<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The application's store.
pub fn store_at(app: &Application) -> StoreAt {
    let options = app.store_options();
    StoreAt {
        path: app.store_path(),
        state: app.state.clone(),
        map_bytes: options.map_bytes,
        max_readers: options.max_readers,
        sync: app.config.store.sync,
    }
}

/// The names of files, indexes and paths; empty if there is no store yet.
fn known(app: &Application) -> Result<Vec<String>> {
    let mut reader = match DiskReader::open(&app.store_path(), &app.store_options()) {
        Err(OpenError::Missing { .. }) => return Ok(Vec::new()),
        opened => opened.into_diagnostic()?,
    };
    let names = reader.names().into_diagnostic()?;
    Ok(names.iter().map(|named| named.name().to_string()).collect())
}

/// Parses the text after `--dd NAME=`.
pub fn what(text: &str, known: &[String], signs: ZonedSign) -> Result<DdAllocation> {
    let mut dd = DdAllocation::default();
    let mut words = text.split(',');
    let place = words.next().unwrap_or_default();
    let (mut written, mut code_page, mut copybook) = (None, None, None);
    for word in words {
        match word {
            "fixed" => written = Some(RecordFormat::Fixed),
            "lines" => written = Some(RecordFormat::Lines),
            "rdw" => written = Some(RecordFormat::Rdw),
            "mod" => dd.append = true,
            "reuse" => dd.reuse = true,
            other => match other.split_once('=') {
                Some(("copybook", path)) => copybook = Some(PathBuf::from(path)),
                Some(("fixed", bytes)) if bytes.parse::<u32>().is_ok_and(|n| n > 0) => {
                    written = Some(RecordFormat::Fixed);
                    dd.record_bytes = bytes.parse().ok();
                }
                _ if CodePage::by_name(other).is_ok() => code_page = Some(other.to_owned()),
                _ => {
                    return Err(miette!(
                        help = "expected fixed, fixed=80, lines, rdw, mod, reuse, a code page such as cp037, or copybook=PATH after a file",
                        "{other:?} in {text:?} is not an option of a DD"
                    ));
                }
            },
        }
    }
    dd.code_page = match (code_page, copybook) {
        (Some(name), copybook) => Some(CodePageOf {
            name,
            copybook,
            letter_signs: signs == ZonedSign::Ebcdic,
        }),
        (None, Some(_)) => {
            return Err(miette!(
                help = "for example FILE,fixed,cp037,copybook=X.cpy",
                "{text:?} has a copybook but no code page to convert from"
            ));
        }
        (None, None) => None,
    };
    let stored = |name: &str| known.iter().find(|k| k.eq_ignore_ascii_case(name)).cloned();
    let sources = place.split('+').map(|place| match place {
        "*" => RecordSource::Input,
        name if name.eq_ignore_ascii_case("SYSOUT") => RecordSource::Output,
        name if name.eq_ignore_ascii_case("DUMMY") => RecordSource::Dummy,
        name => match stored(name) {
            Some(name) => RecordSource::Store(name),
            None => RecordSource::File {
                path: name.into(),
                format: written,
            },
        },
    });
    dd.sources = sources.collect();
    Ok(dd)
}
