//! `tupelo file check`: checks a store for damage.

use std::path::PathBuf;

use miette::{IntoDiagnostic, Result};
use serde_json::json;
use store::CheckReport;

use super::progress::bar;
use crate::Outcome;
use crate::app::Application;

/// Check every page and record of a store. A region may be serving it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo file check --app examples/bank\n\n\
    Exit status: 0 no damage, 1 damage was found, 2 the check could not run."
)]
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

/// Checks, and prints the damage.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open(&args.app, args.state.as_deref())?;
    let pages = bar("checking pages", Some(0), false);
    let report = store::check(&app.store_path(), &app.store_options(), &mut |done, whole| {
        pages.set_length(whole);
        pages.set_position(done);
    });
    pages.finish_and_clear();
    let report = report.into_diagnostic()?;
    if args.json {
        println!("{}", to_json(&report))
    } else {
        print(&report)
    }
    Ok(if report.is_clean() { Outcome::Clean } else { Outcome::Findings })
}

/// Prints what was checked, and the damage.
pub fn print(report: &CheckReport) {
    for file in &report.files {
        let without = if file.has_check_sums {
            ""
        } else {
            ", without check sums: load the file again to add them"
        };
        println!("{}  {} records{without}", file.name, file.records);
    }
    println!("{} pages checked", report.pages);
    for finding in &report.findings {
        println!("damaged: {finding}");
    }
    if report.more_findings > 0 {
        println!("and {} more", report.more_findings);
    }
    if !report.is_clean() {
        println!("`tupelo file restore` replaces the store by a backup");
        println!("`tupelo file salvage` writes the records that can still be read");
    }
}

fn to_json(report: &CheckReport) -> serde_json::Value {
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            json!({
                "file": file.name.as_str(), "records": file.records,
                "has_check_sums": file.has_check_sums,
            })
        })
        .collect();
    json!({
        "pages": report.pages, "files": files,
        "findings": report.findings, "more_findings": report.more_findings,
    })
}
