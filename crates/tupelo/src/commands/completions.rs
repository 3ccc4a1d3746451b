//! `tupelo completions`: what a shell needs to complete the command line, from
//! the command table.

use std::io::Write;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use miette::{IntoDiagnostic, Result};

use crate::Outcome;
use crate::stdout::Unwritten;

/// Print a shell's completions of the command line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tupelo completions bash > ~/.local/share/bash-completion/completions/tupelo\n  \
    tupelo completions zsh > \"${fpath[1]}/_tupelo\"\n  \
    tupelo completions fish > ~/.config/fish/completions/tupelo.fish")]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints them.
pub fn run(args: Args) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut shown(), "tupelo", &mut text);
    let mut out = std::io::stdout().lock();
    out.write_all(&text).map_err(Unwritten).into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// The command line without what is hidden.
fn shown() -> Command {
    let all = crate::Cli::command();
    let inner = all.get_subcommands().filter(|c| !c.is_hide_set()).cloned();
    Command::new("tupelo")
        .args(all.get_arguments().cloned())
        .subcommands(inner.collect::<Vec<_>>())
}
