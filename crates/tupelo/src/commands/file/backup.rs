//! `tupelo file backup` and `restore`: a copy of all files, and its restoration.

use std::path::PathBuf;

use miette::{IntoDiagnostic, Result};

use super::progress::bar;
use super::which::open_reader;
use crate::Outcome;
use crate::app::{Application, counted};

/// Copy every file of an application, also while a region serves it. All records are of
/// one committed state, and each is checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file backup bank-monday.mdb --app examples/bank")]
pub struct BackupArgs {
    /// The file to write.
    to: PathBuf,
    #[command(flatten)]
    home: StoreOptions,
}

/// Replace an application's files by a backup. The region must not be running. The backup
/// is checked first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file restore bank-monday.mdb --app examples/bank")]
pub struct RestoreArgs {
    /// The backup.
    from: PathBuf,
    #[command(flatten)]
    home: StoreOptions,
}

#[derive(Debug, clap::Args)]
struct StoreOptions {
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
}

/// Copies the files.
pub fn backup(args: BackupArgs) -> Result<Outcome> {
    let app = Application::open(&args.home.app, args.home.state.as_deref())?;
    let mut reader = open_reader(&app)?;
    let pages = bar("copying and checking", None, false);
    pages.enable_steady_tick(std::time::Duration::from_millis(200));
    let report = reader.backup(&args.to, &mut |done, _| pages.set_position(done));
    pages.finish_and_clear();
    let report = report.into_diagnostic()?;
    let records: u64 = report.files.iter().map(|file| file.records).sum();
    println!(
        "{}: {}, {}, checked",
        args.to.display(),
        counted(report.files.len(), "file"),
        counted(usize::try_from(records).unwrap_or(usize::MAX), "record")
    );
    Ok(Outcome::Clean)
}

/// Restores a copy.
pub fn restore(args: RestoreArgs) -> Result<Outcome> {
    let app = Application::open(&args.home.app, args.home.state.as_deref())?;
    let pages = bar("checking pages", Some(0), false);
    let restored = store::restore(&args.from, &app.store_path(), &mut |done, whole| {
        pages.set_length(whole);
        pages.set_position(done);
    });
    pages.finish_and_clear();
    for file in restored.into_diagnostic()?.files {
        println!("{}  {} records", file.name, file.records);
    }
    Ok(Outcome::Clean)
}
