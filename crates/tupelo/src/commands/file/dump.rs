//! `tupelo file dump`: a file's records, in the order of their keys.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use indicatif::ProgressBar;
use miette::{Context, IntoDiagnostic, Result};
use store::transfer::{DumpError, DumpOptions, dump};

use super::progress::bar;
use super::which::{FormatOptions, FileSelection, open_reader};
use crate::Outcome;

/// Write a file's records. A region may be serving it: all records are of one
/// committed state.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file dump ACCTFILE --app examples/bank --format json")]
pub struct Args {
    #[command(flatten)]
    which: FileSelection,
    #[command(flatten)]
    form: FormatOptions,
    /// Write each record after its address: the number of a relative record (4 bytes), the byte
    /// address of an entry (8), the highest byte first.
    #[arg(long)]
    numbered: bool,
    /// Where to write; standard output when absent.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Writes the records.
pub fn run(args: Args) -> Result<Outcome> {
    let app = args.which.application()?;
    let section = args.which.section(&app);
    let mut reader = open_reader(&app)?;
    let entry = args.which.entry(&mut reader)?;
    let records = args.form.records(&app, &section, &entry.def)?;
    let records = if args.numbered { records.numbered(&entry.def)? } else { records };
    let mut output: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(BufWriter::new(
            File::create(path)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", path.display()))?,
        )),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let options = DumpOptions {
        numbered: args.numbered,
        ..DumpOptions::new(records.framing)
    };
    let there = reader.file_stat(entry.id).into_diagnostic()?.records;
    let done = if args.output.is_some() || !io::stdout().is_terminal() {
        bar("records", Some(there), false)
    } else {
        ProgressBar::hidden()
    };
    let report = dump(
        &mut reader,
        entry.id,
        &mut *output,
        &options,
        &*records.convert,
        &mut |report| done.set_position(report.records),
    )
    .and_then(|report| output.flush().map(|()| report).map_err(DumpError::Output));
    done.finish_and_clear();
    let report = report.into_diagnostic()?;
    if args.output.is_some() {
        eprintln!("{}: {} records, {} bytes", entry.def.name, report.records, report.bytes);
    }
    Ok(Outcome::Clean)
}
