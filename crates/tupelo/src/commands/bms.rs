//! `tupelo bms`: map sources without a region.
//!
//! The rules are those of crate `bms`; this file reads the source, prints its
//! diagnostics and writes the result.

use std::fs;
use std::path::PathBuf;

use bms::{MapSet, MapSource, OccursForm};
use miette::{Context, IntoDiagnostic, Result, miette};

use crate::Outcome;

/// Process BMS map sources: write their symbolic copybooks, or show their maps.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo bms copybook bms/MENU.bms --out copybooks/MENU.cpy\n  tupelo bms show bms/MENU.bms")]
pub struct Args {
    #[command(subcommand)]
    action: BmsAction,
}

#[derive(Debug, clap::Subcommand)]
enum BmsAction {
    Copybook(CopybookArgs),
    Show(ShowArgs),
}

/// Write the COBOL copybook of a map set.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo bms copybook bms/MENU.bms --out copybooks/MENU.cpy\n  \
    tupelo bms copybook bms/LIST.bms --occurs rehosted\n\n\
    Diagnostics of the source are printed with line and column. No copybook is written for a source with errors.\n\n\
    Exit status: 0 clean, 1 errors in the source, 2 could not run, 64 wrong usage."
)]
pub struct CopybookArgs {
    /// The map source.
    file: PathBuf,
    /// The file to write; standard output when absent.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How fields with OCCURS are written.
    #[arg(long, value_enum, default_value_t = Occurs::Assembler)]
    occurs: Occurs,
    /// Write COBOL whatever LANG is.
    #[arg(long)]
    force_cobol: bool,
}

/// Forms of OCCURS.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Occurs {
    /// As the mainframe's assembler: attributes in the output record only.
    Assembler,
    /// As rehosting products: attributes in the input record too.
    Rehosted,
}

/// Paint the maps of a source as text, with their fields and the cursor.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tupelo bms show bms/MENU.bms\n  \
    tupelo bms show bms/MENU.bms --map MENU01\n\n\
    Exit status: 0 clean, 1 errors in the source, 2 could not run, 64 wrong usage.")]
pub struct ShowArgs {
    /// The map source.
    file: PathBuf,
    /// Only this map.
    #[arg(long, value_name = "NAME")]
    map: Option<String>,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.action {
        BmsAction::Copybook(args) => copybook(&args),
        BmsAction::Show(args) => show(&args),
    }
}

fn copybook(args: &CopybookArgs) -> Result<Outcome> {
    let source = read(&args.file)?;
    if source.has_errors() {
        return Ok(Outcome::Findings);
    }
    let form = match args.occurs {
        Occurs::Assembler => OccursForm::Assembler,
        Occurs::Rehosted => OccursForm::Rehosted,
    };
    let mut text = String::new();
    for set in &source.sets {
        text.push_str(&text_of(set, form, args)?);
    }
    match &args.out {
        Some(path) => fs::write(path, text)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?,
        None => print!("{text}"),
    }
    Ok(Outcome::Clean)
}

fn text_of(set: &MapSet, form: OccursForm, args: &CopybookArgs) -> Result<String> {
    if args.force_cobol {
        return Ok(bms::cobol_copybook(set, form));
    }
    bms::copybook(set, form).map_err(|refused| {
        miette!(
            help = "--force-cobol writes COBOL",
            "{}: map set {}: {refused}",
            args.file.display(),
            set.name
        )
    })
}

fn show(args: &ShowArgs) -> Result<Outcome> {
    let source = read(&args.file)?;
    let wanted = args.map.as_deref().map(str::to_ascii_uppercase);
    let mut shown = 0;
    for map in source.sets.iter().flat_map(|set| &set.maps) {
        if wanted.as_deref().is_some_and(|name| name != map.name) {
            continue;
        }
        if shown > 0 {
            println!();
        }
        for line in bms::paint(map) {
            println!("{}", line.trim_end());
        }
        shown += 1;
    }
    if let Some(name) = wanted.filter(|_| shown == 0) {
        let names = source.sets.iter().flat_map(|set| &set.maps);
        let names: Vec<&str> = names.map(|map| map.name.as_str()).collect();
        return Err(miette!(
            "{}: there is no map {name}; its maps are {}",
            args.file.display(),
            names.join(", ")
        ));
    }
    if source.has_errors() {
        return Ok(Outcome::Findings);
    }
    Ok(Outcome::Clean)
}

/// Reads a source, and prints its diagnostics on standard error.
fn read(file: &PathBuf) -> Result<MapSource> {
    let bytes = fs::read(file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let source = bms::parse(&bms::source_text(&bytes));
    for diagnostic in &source.diagnostics {
        eprintln!("{}", diagnostic.clone().in_file(file));
    }
    if source.sets.is_empty() {
        return Err(miette!("{}: the file has no map set", file.display()));
    }
    Ok(source)
}
