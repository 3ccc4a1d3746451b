//! `tupelo completions`: the shells' completions of the command line, from the command
//! table.

use std::io::Write;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use miette::{IntoDiagnostic, Result};

use crate::Outcome;
use crate::stdout::StdoutError;

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
    let mut command = shown();
    clap_complete::generate(args.shell, &mut command, "tupelo", &mut text);
    if args.shell == Shell::Fish {
        text = with_words(&command, String::from_utf8_lossy(&text).into_owned()).into_bytes();
    }
    let mut out = std::io::stdout().lock();
    out.write_all(&text).map_err(StdoutError).into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// Adds what the generator for fish omits: the values of positional arguments, and the
/// commands after `help`.
fn with_words(command: &Command, text: String) -> String {
    let before = "using_subcommand help; and not __fish_seen_subcommand_from ";
    let lines = text.lines().map(|line| {
        if line.contains(before) {
            // `help` itself is always there.
            line.replacen(" help\" -f", "\" -f", 1)
        } else {
            line.to_owned()
        }
    });
    let mut all: Vec<String> = lines.collect();
    words(command, &mut Vec::new(), &mut all);
    all.push(String::new());
    all.join("\n")
}

fn words(command: &Command, path: &mut Vec<String>, lines: &mut Vec<String>) {
    let condition = match path.as_slice() {
        [] => String::new(),
        [first] => format!("__fish_tupelo_using_subcommand {first}"),
        [first, rest @ ..] => format!(
            "__fish_tupelo_using_subcommand {first}; and __fish_seen_subcommand_from {}",
            rest.join(" ")
        ),
    };
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    for word in command.get_positionals().flat_map(|arg| arg.get_possible_values()) {
        let help = word.get_help().map_or(String::new(), |help| format!(" -d '{}'", quoted(&help.to_string())));
        lines.push(format!(
            "complete -c tupelo -n \"{condition}\" -f -a '{}'{help}",
            quoted(word.get_name())
        ));
    }
    for inner in command.get_subcommands() {
        path.push(inner.get_name().to_owned());
        words(inner, path, lines);
        path.pop();
    }
}

/// The command line without hidden commands.
fn shown() -> Command {
    let all = crate::Cli::command();
    let inner = all.get_subcommands().filter(|c| !c.is_hide_set()).cloned();
    Command::new("tupelo")
        .args(all.get_arguments().cloned())
        .subcommands(inner.collect::<Vec<_>>())
}
