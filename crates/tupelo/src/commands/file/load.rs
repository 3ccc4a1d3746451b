//! `tupelo file load`: records into a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use indicatif::ProgressBar;
use miette::{Context, IntoDiagnostic, Result, bail};
use store::transfer::{RecordConverter, LoadError, LoadEvent, LoadMode, LoadOptions, LoadReport, RejectReason, VerbatimConverter, load};

use super::progress::bar;
use super::which::{FormatOptions, FileSelection};
use crate::Outcome;

/// Load records into a file, in place of those that are there.
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
    /// Each record stands behind its address, as `file dump --numbered` writes it.
    #[arg(long)]
    numbered: bool,
    /// Keep the records that are there, and add.
    #[arg(long)]
    add: bool,
    /// Pass over up to so many records that cannot be taken.
    #[arg(long, default_value_t = 0, value_name = "RECORDS")]
    max_rejects: u64,
    /// Take records as they are, also those that their copybook does not allow.
    #[arg(long)]
    unchecked: bool,
}

/// Loads, and tells of each record that is refused.
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
        // A record behind its address has more than the copybook describes.
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

/// Why a load ended: what was wrong with the record has been reported.
fn explained(error: LoadError, is_checked: bool, adds: bool) -> Result<LoadReport> {
    match error {
        LoadError::Rejected {
            number,
            reason: RejectReason::Convert(_),
            ..
        } if is_checked => bail!(
            help = "--code-page cp037 converts EBCDIC by the copybook; --unchecked takes the bytes as they are; --max-rejects N passes over up to N records",
            "the load ended at record {number}{}",
            if adds { "" } else { ", and the file has the records that it had" }
        ),
        LoadError::Rejected { number, .. } => bail!(
            help = "--max-rejects N passes over up to N records that cannot be taken",
            "the load ended at record {number}"
        ),
        other => Err(other).into_diagnostic(),
    }
}

/// The bar on the terminal, and what it is about.
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
