//! `tupelo file load`: records into a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::PathBuf;

use miette::{Context, IntoDiagnostic, Result};
use store::WriteStore;
use store::transfer::{LoadEvent, LoadMode, LoadOptions, load};

use super::which::{Form, Which};
use crate::Outcome;

/// Load records into a file, in place of those that are there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file load ACCTFILE accounts.bin --app examples/bank --format fixed --code-page cp037\n\n\
    Exit status: 0 all records were taken, 1 some were refused, 2 it could not run.")]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// What to load; standard input when absent.
    input: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
    /// Keep the records that are there, and add.
    #[arg(long)]
    add: bool,
    /// Pass over up to so many records that cannot be taken.
    #[arg(long, default_value_t = 0, value_name = "RECORDS")]
    max_rejects: u64,
}

/// Loads, and tells of each record that is refused.
pub fn run(args: Args) -> Result<Outcome> {
    let app = args.which.application()?;
    let section = args.which.section(&app);
    let mut store = app.open_store()?;
    let entry = args.which.entry(&mut *store.reader().into_diagnostic()?)?;
    let records = args.form.records(&app, &section, &entry.def)?;
    let mut input: Box<dyn BufRead> = match &args.input {
        Some(path) => Box::new(BufReader::new(
            File::open(path)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot read {}", path.display()))?,
        )),
        None => Box::new(io::stdin().lock()),
    };
    let options = LoadOptions {
        mode: if args.add { LoadMode::Add } else { LoadMode::Replace },
        max_rejects: args.max_rejects,
        ..LoadOptions::new(records.framing)
    };
    let shows = io::stderr().is_terminal();
    let loaded = load(&mut store, entry.id, &mut *input, &options, &*records.convert, &mut |event| {
        match event {
            LoadEvent::Rejected { number, key, reason } => {
                let key = key.map_or(String::new(), |k| format!(" key {k}"));
                eprintln!("record {number}{key}: {reason}");
            }
            LoadEvent::Progress(report) if shows => eprint!("\r{} records", report.loaded),
            LoadEvent::Building(done) if shows => eprint!("\r{} index entries", done.written),
            LoadEvent::Progress(_) | LoadEvent::Building(_) => {}
        }
    });
    if shows {
        eprint!("\r");
    }
    let (report, _) = loaded.into_diagnostic()?;
    println!(
        "{}: {} records loaded, {} bytes, {} refused",
        entry.def.name, report.loaded, report.bytes, report.rejected
    );
    Ok(match report.rejected {
        0 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}
