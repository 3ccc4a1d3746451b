//! `tupelo api`: API projects.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use gateway::{Import, ImportBook, import};
use miette::{Context, IntoDiagnostic, Result, bail, miette};

use crate::Outcome;
use crate::app::counted;
use crate::app::finding::{Findings, Severity};
use crate::commands::record::source::read_text;

/// Make API projects.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo api import quote --program QUOTE01 --request copybooks/QUOTE.cpy")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Import(ImportArgs),
}

/// Make an API project from copybooks and the name of a program: an OpenAPI
/// document, an asset and the mappings of one operation, to be edited.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo api import quote --program QUOTE01 --request QUOTEREQ.cpy --response QUOTERPL.cpy --channel\n\n\
    A COMMAREA that is the same both ways takes one --request. A copybook of a\n\
    channel may name its container: --request IN-DATA=QUOTEREQ.cpy")]
pub struct ImportArgs {
    /// Name of the API, and its base path.
    name: String,
    /// The program.
    #[arg(long)]
    program: String,
    /// The transaction to run it under.
    #[arg(long)]
    transid: Option<String>,
    /// The program has a channel with containers, not a COMMAREA.
    #[arg(long)]
    channel: bool,
    /// Copybook of what goes in. May be given several times with --channel.
    #[arg(long, required = true, value_name = "[CONTAINER=]COPYBOOK")]
    request: Vec<String>,
    /// Copybook of what comes out; without it, the same as what goes in.
    #[arg(long, value_name = "[CONTAINER=]COPYBOOK")]
    response: Vec<String>,
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Overwrite a project that is there.
    #[arg(long)]
    force: bool,
}

/// Does it.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        What::Import(args) => run_import(&args),
    }
}

fn run_import(args: &ImportArgs) -> Result<Outcome> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if args.name.is_empty() || args.name.starts_with('.') || !args.name.chars().all(plain) {
        bail!(
            help = "letters, digits, -, _ and . are allowed",
            "{:?} is no name for an API: it is a folder and part of a path",
            args.name
        );
    }
    let books = |list: &[String]| list.iter().map(|given| book(given)).collect::<Result<Vec<_>>>();
    let request = books(&args.request)?;
    let response = match args.response.is_empty() {
        true => request.clone(),
        false => books(&args.response)?,
    };
    let files = import(&Import {
        name: args.name.clone(),
        program: args.program.to_ascii_uppercase(),
        transid: args.transid.as_ref().map(|t| t.to_ascii_uppercase()),
        channel: args.channel,
        request,
        response,
    })
    .map_err(|faults| {
        let mut findings = Findings::new(Path::new(""));
        findings.extend(faults.0);
        eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
        miette!("the project cannot be made: {}", counted(findings.count(Severity::Error), "error"))
    })?;
    let folder = args.app.join("apis").join(&args.name);
    if folder.exists() && !args.force {
        bail!(help = "--force overwrites it", "{} is there already", folder.display());
    }
    for file in &files {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, &file.text))
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?;
    }
    println!("Made {} with {} files. Next: tupelo serve {}", folder.display(), files.len(), args.app.display());
    Ok(Outcome::Clean)
}

/// `FILE` or `CONTAINER=FILE`.
fn book(given: &str) -> Result<ImportBook> {
    let (container, file) = match given.split_once('=') {
        Some((container, file)) => (Some(container.to_owned()), file),
        None => (None, given),
    };
    let file = PathBuf::from(file);
    Ok(ImportBook {
        text: read_text(&file)?,
        container,
        file,
    })
}
