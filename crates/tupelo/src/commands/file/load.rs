//! `tupelo file load`: loads records into a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use indicatif::ProgressBar;
use miette::{Context, IntoDiagnostic, Result, bail};
use store::transfer::{RecordConverter, LoadError, LoadEvent, LoadMode, LoadOptions, LoadReport, RejectReason, VerbatimConverter, load};

use super::progress::bar;
use super::which::{FormatOptions, FileSelection};
use crate::Outcome;

/// Load records into a file, replacing its records.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file load ACCTFILE accounts.bin --app examples/bank --format fixed --code-page cp037\n\n\
    Exit status: 0 all records were taken, 1 some were refused, 2 it could not run.")]
pub struct Args {
    #[command(flatten)]
    which: FileSelection,
    /// What to load; standard input when absent.
    input: Option<PathBuf>,
    #[command(flatten)]
    form: FormatOptions,
    /// Each record is after its address, as `file dump --numbered` writes it.
    #[arg(long)]
    numbered: bool,
    /// Keep the existing records, and add to them.
    #[arg(long)]
    add: bool,
    /// Skip at most this many records that cannot be loaded.
    #[arg(long, default_value_t = 0, value_name = "RECORDS")]
    max_rejects: u64,
    /// Load records without conversion even if their copybook does not allow them.
    #[arg(long)]
    unchecked: bool,
}

/// Loads, and prints each record that is rejected.
pub fn run(args: Args) -> Result<Outcome> {
    let app = args.which.application()?;
    let section = args.which.section(&app);
    let mut store = app.open_store()?;
    let entry = args.which.entry_for_writing(&app, &mut store)?;
    let records = args.form.records(&app, &section, &entry.def)?;
    let records = if args.numbered { records.numbered(&entry.def)? } else { records };
    if records.as_text {
        eprintln!(
            "{}: every byte is taken for a character, since there is no copybook: packed and binary numbers would be destroyed (--copybook, or copybook in [files.{}])",
            entry.def.name, entry.def.name
        );
    }
    let (mut input, bytes): (Box<dyn BufRead>, ProgressBar) = match &args.input {
        Some(path) => {
            let file = File::open(path)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot read {}", path.display()))?;
            let bytes = bar("loading", file.metadata().ok().map(|m| m.len()), true);
            (Box::new(BufReader::new(bytes.wrap_read(file))), bytes)
        }
        None => {
            let bytes = bar("loading", None, true);
            (Box::new(BufReader::new(bytes.wrap_read(io::stdin().lock()))), bytes)
        }
    };
    let options = LoadOptions {
        mode: if args.add { LoadMode::Add } else { LoadMode::Replace },
        max_rejects: args.max_rejects,
        numbered: args.numbered,
        ..LoadOptions::new(records.framing)
    };
    let mut shown = ProgressDisplay {
        bar: bytes,
        stage: "loading",
    };
    let convert: &dyn RecordConverter = match &records.check {
        Some(_) if args.unchecked => &VerbatimConverter,
        // A record with its address is longer than the copybook describes.
        Some(check) if !args.numbered => check,
        _ => &*records.convert,
    };
    let is_checked = records.check.is_some();
    let loaded = load(&mut store, entry.id, &mut *input, &options, convert, &mut |event| {
        match event {
            LoadEvent::Rejected { number, key, reason } => {
                let key = key.map_or(String::new(), |k| format!(" key {k}"));
                shown.bar.suspend(|| eprintln!("record {number}{key}: {reason}"));
            }
            // The bytes read are shown as they are read.
            LoadEvent::Progress(_) => {}
            LoadEvent::Storing(report) => shown.show("storing", Some(report.read), report.loaded),
            LoadEvent::Building(done) => shown.show("building indexes", None, done.read),
        }
    });
    shown.bar.finish_and_clear();
    let report = loaded.map(|(report, _)| report).or_else(|error| explained(error, is_checked, args.add))?;
    println!(
        "{}: {} records loaded, {} bytes, {} refused",
        entry.def.name, report.loaded, report.bytes, report.rejected
    );
    Ok(match report.rejected {
        0 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}

/// Why a load ended; the reason for the record was printed before.
fn explained(error: LoadError, is_checked: bool, adds: bool) -> Result<LoadReport> {
    match error {
        LoadError::Rejected {
            number,
            reason: RejectReason::Convert(_),
            ..
        } if is_checked => bail!(
            help = "--code-page cp037 converts EBCDIC by the copybook; --unchecked loads the bytes unconverted; --max-rejects N skips up to N records",
            "the load ended at record {number}{}",
            if adds { "" } else { "; the file has its earlier records" }
        ),
        LoadError::Rejected { number, .. } => bail!(
            help = "--max-rejects N skips up to N records that cannot be loaded",
            "the load ended at record {number}"
        ),
        other => Err(other).into_diagnostic(),
    }
}

/// The bar on the terminal, and the stage it shows.
struct ProgressDisplay {
    bar: ProgressBar,
    stage: &'static str,
}

impl ProgressDisplay {
    fn show(&mut self, stage: &'static str, whole: Option<u64>, done: u64) {
        if self.stage != stage {
            self.bar.finish_and_clear();
            self.bar = bar(stage, whole, false);
            self.stage = stage;
        }
        self.bar.set_position(done);
    }
}
