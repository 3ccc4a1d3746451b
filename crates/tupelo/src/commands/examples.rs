//! Tests that this program accepts every command line that the help, the guide and the
//! README show, so that renamed options are found.
//!
//! Invariant: no example is run. The whole program's tests and `scripts/first-hour` show
//! that the examples work.

use std::path::Path;

use clap::{Command, CommandFactory, Parser};

use crate::Cli;

/// The examples of a command and of those below it.
fn of_help(command: &Command, found: &mut Vec<String>) {
    let texts = [
        command.get_long_about(),
        command.get_after_help(),
        command.get_after_long_help(),
    ];
    for text in texts.into_iter().flatten() {
        // A paragraph names commands in its sentences, an example is indented.
        let whole = joined(&text.to_string());
        let lines = whole.lines().filter(|line| line.starts_with("  "));
        // A description of the example may follow after three blanks.
        let lines = lines.map(|line| line.trim_start().split("   ").next().unwrap_or_default());
        found.extend(lines.flat_map(commands).map(str::to_owned));
    }
    command
        .get_subcommands()
        .for_each(|inner| of_help(inner, found));
}

/// The examples of a page: the lines of its code blocks.
fn of_page(text: &str, found: &mut Vec<String>) {
    for block in text.split("```").skip(1).step_by(2) {
        found.extend(joined(block).lines().flat_map(commands).map(str::to_owned));
    }
}

/// A text with continued lines joined.
fn joined(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + " " + part.trim_start())
}

/// The commands of a shell line that are this program's.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start().trim_start_matches("$ ");
    line.split("&& ")
        .map(str::trim)
        .filter(|c| c.starts_with("tupelo "))
}

/// The words of one command, without redirections and pipes.
fn words(command: &str) -> Vec<String> {
    let all = shlex::split(command).unwrap_or_else(|| panic!("no command for a shell: {command}"));
    let for_the_shell = |word: &String| {
        matches!(word.as_str(), "|" | "&" | ";" | "<")
            || word.starts_with('>')
            || word.starts_with("2>")
    };
    let of_the_shell = all.iter().position(for_the_shell);
    all[..of_the_shell.unwrap_or(all.len())].to_vec()
}

/// The examples that are rejected, with the reason.
fn refused(examples: &[String]) -> Vec<String> {
    let tried = examples.iter().filter_map(|example| {
        // `…` stands for a value of the reader.
        if example.contains("...") || example.contains('…') {
            return None;
        }
        let error = Cli::try_parse_from(words(example))
            .err()
            .filter(clap::Error::use_stderr)?;
        Some(format!("{example}\n{error}"))
    });
    tried.collect()
}

#[test]
fn every_example_of_the_help_is_accepted() {
    let mut found = Vec::new();
    of_help(&Cli::command(), &mut found);
    assert!(found.len() > 80, "{found:#?}");
    let refused = refused(&found);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// The commands below `path` whose help has no example of themselves. A command that only
/// groups others needs an example of one of those.
fn without_example(command: &Command, path: &str, missing: &mut Vec<String>) {
    for inner in command.get_subcommands() {
        if inner.is_hide_set() || inner.get_name() == "help" {
            continue;
        }
        let path = format!("{path} {}", inner.get_name());
        let help = inner.clone().render_long_help().to_string();
        let whole = joined(&help);
        let own = |line: &str| {
            line.starts_with("  ")
                && commands(line).any(|c| format!("{c} ").starts_with(&format!("{path} ")))
        };
        if !whole.lines().any(own) {
            missing.push(path.clone());
        }
        without_example(inner, &path, missing);
    }
}

#[test]
fn every_command_has_an_example_of_itself() {
    let mut missing = Vec::new();
    without_example(&Cli::command(), "tupelo", &mut missing);
    assert_eq!(missing, [""; 0]);
    let bare = Command::new("tupelo").subcommand(Command::new("bare"));
    without_example(&bare, "tupelo", &mut missing);
    assert_eq!(missing, ["tupelo bare"]);
}

#[test]
fn every_command_of_the_guide_is_accepted() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_dir(top.join("docs/guide")).unwrap();
    let pages = guide
        .map(|entry| entry.unwrap().path())
        .chain([top.join("README.md")]);
    let mut found = Vec::new();
    for page in pages {
        of_page(&std::fs::read_to_string(page).unwrap(), &mut found);
    }
    assert!(found.len() > 100, "{found:#?}");
    let refused = refused(&found);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn an_unknown_option_is_found() {
    let wrong = ["tupelo serve hello --port 8080 &".to_owned()];
    assert_eq!(refused(&wrong).len(), 1);
    let right = ["tupelo serve hello --listen 8080 >log 2>&1 &".to_owned()];
    assert!(refused(&right).is_empty());
}
