//! `tupelo file define`: a new file in the store.

use miette::{IntoDiagnostic, Result, bail};
use store::{FileDef, KeyField, FileOrganisation, RecordFormat, WriteStore};

use super::which::FileSelection;
use crate::Outcome;
use crate::app::files::describe;

/// Define a file.
///
/// `tupelo serve` defines the files of the resource definitions; this command defines one
/// beforehand, or again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file define ACCTFILE --app examples/bank --key 0:8 --record 80 --recoverable")]
pub struct Args {
    #[command(flatten)]
    which: FileSelection,
    /// Offset and length of the key: a key-sequenced file.
    #[arg(long, value_name = "OFFSET:LENGTH", value_parser = key, required_unless_present_any = ["esds", "rrds"])]
    key: Option<KeyField>,
    /// An entry-sequenced file.
    #[arg(long, conflicts_with_all = ["key", "rrds"])]
    esds: bool,
    /// A file of relative records.
    #[arg(long, conflicts_with_all = ["key", "esds"])]
    rrds: bool,
    /// Length of the records.
    #[arg(long, value_name = "BYTES")]
    record: u32,
    /// Records may be shorter.
    #[arg(long)]
    variable: bool,
    /// Changes belong to the unit of work.
    #[arg(long)]
    recoverable: bool,
    /// Remove a file of that name with its records first.
    #[arg(long)]
    replace: bool,
}

fn key(text: &str) -> Result<KeyField, String> {
    let number = |n: &str| n.parse().map_err(|_| format!("{n:?} is not a number"));
    let (offset, length) = text.split_once(':').ok_or("write OFFSET:LENGTH")?;
    Ok(KeyField {
        offset_bytes: number(offset)?,
        length_bytes: number(length)?,
    })
}

/// Defines the file.
pub fn run(args: Args) -> Result<Outcome> {
    let app = args.which.application()?;
    let def = FileDef {
        name: args.which.name.parse().into_diagnostic()?,
        organisation: match args.key {
            Some(key) => FileOrganisation::Ksds(key),
            None if args.esds => FileOrganisation::Esds,
            None => FileOrganisation::Rrds,
        },
        format: if args.variable { RecordFormat::Variable } else { RecordFormat::Fixed },
        max_record_bytes: args.record,
        recoverable: args.recoverable,
    }
    .build()
    .into_diagnostic()?;
    let mut store = app.open_store()?;
    let known = store.reader().into_diagnostic()?.find(&def.name).into_diagnostic()?;
    if let Some(entry) = known {
        if !args.replace {
            bail!(
                help = "--replace removes it with its records",
                "file {} exists already: {}",
                def.name,
                describe(&entry.def)
            );
        }
        store.remove(entry.id).into_diagnostic()?;
    }
    println!("{}  {}", def.name, describe(&def));
    store.define(def).into_diagnostic()?;
    Ok(Outcome::Clean)
}
