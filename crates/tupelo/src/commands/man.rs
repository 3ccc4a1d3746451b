//! `tupelo man`: manual pages, from the command table: one for the program and
//! one for each command, as `git` has them.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use miette::{Context, IntoDiagnostic, Result};

use crate::Outcome;
use crate::stdout::StdoutError;

/// Print the manual page, or write one for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tupelo man | man -l -\n  tupelo man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write tupelo.1, tupelo-serve.1 and so on into this folder.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints or writes them.
pub fn run(args: Args) -> Result<Outcome> {
    // `help` shows the same text as the pages, and has no page of its own.
    let mut command = crate::Cli::command().disable_help_subcommand(true);
    command.build();
    match args.dir {
        Some(folder) => {
            fs::create_dir_all(&folder).into_diagnostic()?;
            write(&command, "tupelo", &folder)?;
        }
        None => {
            let page = Man::new(command);
            page.render(&mut std::io::stdout().lock()).map_err(StdoutError).into_diagnostic()?;
        }
    }
    Ok(Outcome::Clean)
}

/// Writes the page of a command and of the commands below it.
fn write(command: &Command, name: &str, folder: &Path) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    // clap needs an owned name here: the page has the whole name of the command.
    let named = command.clone().name(name.to_owned());
    Man::new(named).render(&mut text).into_diagnostic()?;
    fs::write(&path, text)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", path.display()))?;
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        write(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(())
}
