//! `tupelo file stat`: the size of a store and its files, and its readers.

use std::path::PathBuf;

use miette::{IntoDiagnostic, Result};
use serde_json::json;
use store::{FileStat, DiskReader, CatalogueName, ReadStore};

use super::which::open_reader;
use crate::Outcome;
use crate::app::Application;
use crate::app::files::describe;
use crate::table::Table;

/// Show each file's records, bytes and depth, and the store's free room.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file stat --app examples/bank")]
pub struct Args {
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the figures.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open(&args.app, args.state.as_deref())?;
    let mut reader = open_reader(&app)?;
    let files = reader.file_stats().into_diagnostic()?;
    let others = others(&mut reader)?;
    let store = reader.store_stat().into_diagnostic()?;
    if args.json {
        let files: Vec<_> = files
            .iter()
            .map(|(entry, stat)| {
                json!({
                    "file": entry.def.name.as_str(), "definition": describe(&entry.def),
                    "records": stat.records, "bytes": stat.bytes, "depth": stat.depth,
                })
            })
            .collect();
        let others: Vec<_> = others
            .iter()
            .map(|(name, stat, definition)| {
                json!({
                    "name": name, "definition": definition,
                    "entries": stat.map(|stat| stat.records),
                })
            })
            .collect();
        let object = json!({
            "files": files,
            "indexes_and_paths": others,
            "store": {
                "page_bytes": store.page_bytes, "map_bytes": store.map_bytes, "pages": store.pages,
                "free_pages": store.free_pages, "last_transaction": store.last_transaction,
                "readers": store.readers.len(), "max_readers": store.max_readers,
            },
        });
        println!("{}", serde_json::to_string(&object).into_diagnostic()?);
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&["file", ">records", ">bytes", ">depth", "definition"]);
    for (entry, stat) in &files {
        table.row([
            entry.def.name.to_string(),
            stat.records.to_string(),
            stat.bytes.to_string(),
            stat.depth.to_string(),
            describe(&entry.def),
        ]);
    }
    for (name, stat, definition) in others {
        let figure = |of: fn(&FileStat) -> u64| stat.as_ref().map_or(String::new(), |s| of(s).to_string());
        table.row([
            name,
            figure(|s| s.records),
            figure(|s| s.bytes),
            figure(|s| s.depth.into()),
            definition,
        ]);
    }
    print!("{table}");
    println!(
        "store: {} of {} MB used, {} of {} pages free, {} of {} reader slots taken",
        store.pages * store.page_bytes / 1_000_000,
        store.map_bytes / 1_000_000,
        store.free_pages,
        store.pages,
        store.readers.len(),
        store.max_readers
    );
    Ok(Outcome::Clean)
}

/// Alternate indexes with their figures, and paths.
fn others(reader: &mut DiskReader) -> Result<Vec<(String, Option<FileStat>, String)>> {
    let mut others = Vec::new();
    for named in reader.names().into_diagnostic()? {
        let name = named.name().to_string();
        match named {
            CatalogueName::File(_) => {}
            CatalogueName::Index(entry) => {
                let stat = reader.file_stat(entry.id).into_diagnostic()?;
                let definition = format!(
                    "{} alternate index over {}, key of {} bytes at offset {}{}{}",
                    if entry.def.unique { "unique" } else { "non-unique" },
                    entry.def.base,
                    entry.def.key.length_bytes,
                    entry.def.key.offset_bytes,
                    if entry.def.upgrade { "" } else { ", not of the upgrade set" },
                    if entry.built { "" } else { ", not built" },
                );
                others.push((name, Some(stat), definition));
            }
            CatalogueName::Path(def) => others.push((name, None, format!("path to {}", def.entry))),
        }
    }
    Ok(others)
}
