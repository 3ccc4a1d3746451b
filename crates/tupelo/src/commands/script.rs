//! `tupelo script`: tools for authors of scripts.

use std::path::{Path, PathBuf};

use copybook::RecordLayout;
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::Outcome;
use crate::app::Application;
use crate::commands::record::source::layout_of;

/// Tools for authors of scripts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo script types examples/bank --out examples/bank/scripts/tupelo.d.ts")]
pub struct Args {
    #[command(subcommand)]
    what: ScriptAction,
}

#[derive(Debug, clap::Subcommand)]
enum ScriptAction {
    /// Print TypeScript declarations: the objects that scripts use, and each copybook.
    #[command(after_help = "Example:\n  tupelo script types examples/bank --out examples/bank/scripts/tupelo.d.ts")]
    Types(TypesArgs),
}

/// The application.
#[derive(Debug, clap::Args)]
pub struct TypesArgs {
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The file to write; standard output when absent.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    let ScriptAction::Types(args) = args.what;
    let app = Application::open(&args.folder, None)?;
    let layouts = layouts(&app.copy_folders());
    let named = layouts.iter().map(|(name, layout)| (name.as_str(), layout));
    let text = script::declarations(named);
    match args.out {
        Some(path) => std::fs::write(&path, text)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?,
        None => print!("{text}"),
    }
    Ok(Outcome::Clean)
}

/// The copybooks that describe one record each, by name. COPY members that are parts of
/// other copybooks describe none by themselves.
fn layouts(folders: &[PathBuf]) -> Vec<(String, RecordLayout)> {
    let mut made: Vec<(String, RecordLayout)> = Vec::new();
    for folder in folders {
        for path in files(folder) {
            let name = path.file_stem().and_then(|n| n.to_str()).map(str::to_owned);
            if let (Some(name), Ok(layout)) = (name, layout_of(&path, folders))
                && made.iter().all(|(known, _)| *known != name)
            {
                made.push((name, layout));
            }
        }
    }
    made
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_file()).collect();
    paths.sort();
    paths
}
