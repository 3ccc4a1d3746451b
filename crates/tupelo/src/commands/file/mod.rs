//! `tupelo file`: keyed files and their records.
//!
//! `stat`, `dump`, `check` and `backup` also work while a region serves the folder. The
//! other commands write, or need a store without a writer. A store has one writer, so they
//! report the process that has opened it.

mod backup;
mod check;
mod define;
mod dump;
pub mod idcams;
mod load;
mod progress;
mod salvage;
mod stat;
pub mod which;

use miette::Result;

use crate::Outcome;

/// Define, load, dump, measure, check, back up and salvage files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file stat --app examples/bank\n  tupelo file dump ACCTFILE --app examples/bank")]
pub struct Args {
    #[command(subcommand)]
    what: FileAction,
}

#[derive(Debug, clap::Subcommand)]
enum FileAction {
    Define(define::Args),
    Load(load::Args),
    Dump(dump::Args),
    Stat(stat::Args),
    Idcams(Box<idcams::Args>),
    Check(check::Args),
    Salvage(salvage::Args),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        FileAction::Define(args) => define::run(args),
        FileAction::Load(args) => load::run(args),
        FileAction::Dump(args) => dump::run(args),
        FileAction::Stat(args) => stat::run(args),
        FileAction::Idcams(args) => idcams::run(*args),
        FileAction::Check(args) => check::run(args),
        FileAction::Salvage(args) => salvage::run(args),
        FileAction::Backup(args) => backup::backup(args),
        FileAction::Restore(args) => backup::restore(args),
    }
}
