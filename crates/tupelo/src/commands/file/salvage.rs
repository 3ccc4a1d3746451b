//! `tupelo file salvage`: writes the records of a damaged store that can still be read.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use miette::{Context, IntoDiagnostic, Result, bail};
use serde_json::json;
use store::transfer::{RecordConverter, RecordFraming, VerbatimConverter};
use store::{FileDef, FileOrganisation, SalvageReport, SalvagedFile, SalvagedRecord, SalvagedState};

use super::progress::bar;
use super::which::{FormatOptions, section_of};
use crate::Outcome;
use crate::app::config::DataFormat;
use crate::app::records::ExternalRecords;
use crate::app::{Application, counted};

/// Write the records that can still be read from a damaged store, one output for each file.
/// The store is not changed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo file salvage saved --app examples/bank\n  tupelo file load ACCTFILE saved/ACCTFILE.jsonl --app examples/bank\n\n\
    Exit status: 0 no damage, 1 damage was found, 2 the command could not run."
)]
pub struct Args {
    /// The folder to write to; it is made, or must be empty.
    to: PathBuf,
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// A data.mdb in another place, such as a copy.
    #[arg(long)]
    from: Option<PathBuf>,
    /// Format of the records; each file's own format when absent, and rdw if that is not
    /// possible.
    #[arg(long, value_enum)]
    format: Option<DataFormat>,
    /// Code page of the output: ascii, cp037, cp1047 …
    #[arg(long)]
    code_page: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Writes the records, and prints what was saved and what is lost.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open(&args.app, args.state.as_deref())?;
    make_folder(&args.to)?;
    let mut outputs = SalvageOutputs {
        app: &app,
        args: &args,
        outputs: BTreeMap::new(),
    };
    let pages = bar("reading pages", Some(0), false);
    let from = args.from.clone().unwrap_or_else(|| app.store_path());
    let report = store::salvage(&from, &mut |found| outputs.write(found), &mut |done, whole| {
        pages.set_length(whole);
        pages.set_position(done);
    });
    pages.finish_and_clear();
    let report = report.into_diagnostic()?;
    let written = outputs.finish().into_diagnostic()?;
    if args.json {
        println!("{}", to_json(&report, &written))
    } else {
        print(&report, &written)
    }
    Ok(if report.is_clean() { Outcome::Clean } else { Outcome::Findings })
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot make {}", folder.display()))?;
    match std::fs::read_dir(folder).into_diagnostic()?.next() {
        None => Ok(()),
        Some(_) => bail!("{} is not empty", folder.display()),
    }
}

/// The outputs, by a file's name and whether its records are certain.
struct SalvageOutputs<'a> {
    app: &'a Application,
    args: &'a Args,
    outputs: BTreeMap<(String, bool), SalvageOutput>,
}

/// The output of a file.
struct SalvageOutput {
    /// The path without its last extension.
    stem: PathBuf,
    framing: RecordFraming,
    convert: Box<dyn RecordConverter>,
    numbered: bool,
    to: OutputFile,
    /// Records that cannot be written in this format, unconverted.
    rest: Option<OutputFile>,
}

struct OutputFile {
    path: PathBuf,
    file: BufWriter<File>,
    records: u64,
}

/// A file that was written.
struct WrittenFile {
    path: PathBuf,
    records: u64,
    /// Whether its records are certain.
    is_certain: bool,
    format: &'static str,
}

impl SalvageOutputs<'_> {
    fn write(&mut self, found: SalvagedRecord<'_>) -> io::Result<()> {
        let key = (found.name.to_owned(), found.is_certain);
        let output = match self.outputs.entry(key) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(new) => new.insert(SalvageOutput::make(self.app, self.args, &found)?),
        };
        output.write(found)
    }

    fn finish(self) -> io::Result<Vec<(String, WrittenFile)>> {
        let mut written = Vec::new();
        for ((name, is_certain), output) in self.outputs {
            let format = format_name(output.framing);
            let rest = output.rest.map(|rest| (rest, "rdw"));
            for (mut target, format) in [(output.to, format)].into_iter().chain(rest) {
                target.file.flush()?;
                let file = WrittenFile {
                    path: target.path,
                    records: target.records,
                    is_certain,
                    format,
                };
                written.push((name.clone(), file));
            }
        }
        Ok(written)
    }
}

impl SalvageOutput {
    fn make(app: &Application, args: &Args, found: &SalvagedRecord<'_>) -> io::Result<Self> {
        let of_file = |def: &FileDef| {
            let form = FormatOptions::of(args.format, args.code_page.clone());
            form.records(app, &section_of(app, found.name), def).ok()
        };
        // Relative records must keep their numbers.
        let numbered = found.def.is_some_and(|def| def.organisation == FileOrganisation::Rrds);
        let records = found.def.filter(|_| !numbered).and_then(of_file);
        let records = records.unwrap_or_else(|| ExternalRecords {
            framing: RecordFraming::Rdw,
            convert: Box::new(VerbatimConverter),
            as_text: false,
            check: None,
        });
        let doubtful = if found.is_certain { "" } else { ".doubtful" };
        let stem = args.to.join(format!("{}{doubtful}", found.name));
        Ok(Self {
            to: OutputFile::make(&stem, extension(records.framing))?,
            stem,
            framing: records.framing,
            convert: records.convert,
            numbered,
            rest: None,
        })
    }

    fn write(&mut self, found: SalvagedRecord<'_>) -> io::Result<()> {
        let mut outside = Vec::new();
        if self.numbered {
            outside.extend_from_slice(found.key);
        }
        let converted = self.convert.outward(found.record, &mut outside).is_ok();
        if converted && self.framing.write(&mut self.to.file, &outside)?.is_ok() {
            self.to.records += 1;
            return Ok(());
        }
        if self.rest.is_none() {
            self.rest = Some(OutputFile::make(&self.stem, "rest.rdw")?);
        }
        let Some(rest) = &mut self.rest else {
            return Ok(());
        };
        rest.records += 1;
        // A descriptor word has room for the length of every record.
        RecordFraming::Rdw.write(&mut rest.file, found.record)?.map_err(io::Error::other)
    }
}

impl OutputFile {
    fn make(stem: &Path, extension: &str) -> io::Result<Self> {
        let path = PathBuf::from(format!("{}.{extension}", stem.display()));
        Ok(Self {
            file: BufWriter::new(File::create(&path)?),
            path,
            records: 0,
        })
    }
}

fn format_name(framing: RecordFraming) -> &'static str {
    match framing {
        RecordFraming::JsonLines => "json",
        RecordFraming::Fixed { .. } => "fixed",
        RecordFraming::Lines { .. } => "lines",
        RecordFraming::Rdw => "rdw",
    }
}

fn extension(framing: RecordFraming) -> &'static str {
    match framing {
        RecordFraming::JsonLines => "jsonl",
        RecordFraming::Fixed { .. } => "bin",
        RecordFraming::Lines { .. } => "txt",
        RecordFraming::Rdw => "rdw",
    }
}

fn print(report: &SalvageReport, written: &[(String, WrittenFile)]) {
    match report.state {
        _ if written.is_empty() => println!("no records were found"),
        SalvagedState::Newest => {}
        SalvagedState::Before => println!(
            "the root of the last commit is damaged: these are the records of the commit before it"
        ),
        SalvagedState::Unknown => println!(
            "the last commit cannot be identified: these are the records of the last commit or the one before it"
        ),
    }
    for note in &report.notes {
        println!("{note}");
    }
    for file in &report.files {
        print_file(file);
        for (_, written) in written.iter().filter(|(name, _)| *name == file.name) {
            let doubtful = if written.is_certain { "" } else { ", doubtful" };
            let numbered = match &file.def {
                Some(def) if def.organisation == FileOrganisation::Rrds => " --numbered",
                _ => "",
            };
            println!(
                "  {}  {}, --format {}{numbered}{doubtful}",
                written.path.display(),
                counted_records(written.records),
                written.format
            );
        }
    }
    if report.files.iter().any(|file| file.doubtful > 0) {
        println!("doubtful records are complete, but may be old versions or belong to another file");
    }
}

fn print_file(file: &SalvagedFile) {
    let mut line = format!("{}  {}", file.name, counted_records(file.records));
    match file.missing {
        Some(0) => {}
        Some(missing) => line += &format!(", {missing} missing"),
        None => line += ", unknown how many are missing",
    }
    let counts = [
        (file.doubtful, "doubtful record"),
        (file.damaged_records, "damaged record"),
        (file.damaged_pages, "damaged page"),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        line += &format!(", {}", counted(usize::try_from(count).unwrap_or(usize::MAX), what));
    }
    println!("{line}");
    const SHOWN: usize = 20;
    for (from, to) in file.lost.iter().take(SHOWN) {
        println!(
            "  {}",
            match (from, to) {
                (Some(from), Some(to)) => format!("lost: keys between {from} and {to}"),
                (Some(from), None) => format!("lost: keys after {from}"),
                (None, Some(to)) => format!("lost: keys before {to}"),
                (None, None) => "lost: anywhere".to_owned(),
            }
        );
    }
    let more = file.lost.len().saturating_sub(SHOWN) as u64 + file.more_lost;
    if more > 0 {
        println!("  and {more} more ranges (--json lists up to 1,000)");
    }
}

fn counted_records(records: u64) -> String {
    counted(usize::try_from(records).unwrap_or(usize::MAX), "record")
}

fn to_json(report: &SalvageReport, written: &[(String, WrittenFile)]) -> serde_json::Value {
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            let of_file = written.iter().filter(|(name, _)| *name == file.name);
            let written: Vec<_> = of_file
                .map(|(_, written)| {
                    json!({
                        "path": written.path.display().to_string(), "records": written.records,
                        "format": written.format, "certain": written.is_certain,
                    })
                })
                .collect();
            let text = |key: &Option<store::Key>| key.as_ref().map(ToString::to_string);
            let lost = file.lost.iter().map(|(from, to)| json!({ "after": text(from), "before": text(to) }));
            json!({
                "file": file.name, "records": file.records, "doubtful": file.doubtful,
                "missing": file.missing, "damaged_records": file.damaged_records,
                "damaged_pages": file.damaged_pages, "lost": lost.collect::<Vec<_>>(),
                "more_lost": file.more_lost, "written": written,
            })
        })
        .collect();
    let state = match report.state {
        SalvagedState::Newest => "newest",
        SalvagedState::Before => "before",
        SalvagedState::Unknown => "unknown",
    };
    json!({ "state": state, "notes": report.notes, "files": files })
}
