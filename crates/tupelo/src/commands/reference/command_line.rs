//! The reference page of the command line: each command with its arguments, options and
//! examples, made from the definitions that parse them.
//!
//! Invariant: the page does not depend on the machine that makes it.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use super::one_line;

/// The page.
pub fn page(mut program: Command) -> String {
    program.build();
    let mut page = String::from(
        "# The command line\n\n\
         Every command and option, as `--help` prints them. \
         This page is made by `tupelo reference command-line`.\n\n\
         Exit status: 0 clean, 1 findings or failed checks, 2 could not run, 64 wrong usage.\n\n\
         Every command takes:\n\n",
    );
    let common: Vec<&Arg> = program
        .get_arguments()
        .filter(|arg| is_common(arg) && arg.get_id() != "version")
        .collect();
    table(&mut page, &common);
    for command in program.get_subcommands() {
        section(&mut page, "tupelo", command);
    }
    page
}

/// The section of a command, and those of its subcommands.
fn section(page: &mut String, above: &str, command: &Command) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{above} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## {name}\n\n{}\n", sentence(&about));
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !is_common(arg))
        .collect();
    if !arguments.is_empty() {
        let usage = command.clone().render_usage().to_string();
        for form in usage.trim_start_matches("Usage: ").lines() {
            let _ = write!(page, "\n`{}`\n", one_line(form));
        }
        page.push('\n');
        table(page, &arguments);
    }
    let long = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let beyond = long.strip_prefix(&about).unwrap_or(&long).to_owned();
    let after = command.get_after_long_help().or(command.get_after_help());
    for more in [beyond, after.map(ToString::to_string).unwrap_or_default()] {
        let more = more.trim_start_matches(['.', '\n']).trim_end();
        if !more.is_empty() {
            let _ = write!(page, "\n```text\n{more}\n```\n");
        }
    }
    for below in command.get_subcommands() {
        section(page, &name, below);
    }
}

/// Options that every command has are listed once.
fn is_common(arg: &Arg) -> bool {
    ["help", "version", "verbose"].contains(&arg.get_id().as_str())
}

fn table(page: &mut String, arguments: &[&Arg]) {
    *page += "| argument | default | meaning |\n|---|---|---|\n";
    for arg in arguments {
        let defaults: Vec<String> = arg
            .get_default_values()
            .iter()
            .filter(|value| takes_value(arg) && !value.is_empty())
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        let help = arg.get_long_help().or(arg.get_help());
        let help = one_line(&help.map(ToString::to_string).unwrap_or_default());
        // A default that depends on the environment is described in the help text.
        let (help, default) = match help.trim_end_matches(['.', ']']).rsplit_once(" [default: ") {
            Some((help, default)) => (help.to_owned(), default.to_owned()),
            None => (help, defaults.join(" ")),
        };
        let _ = writeln!(
            page,
            "| `{}` | {} | {}{} |",
            names(arg),
            default,
            sentence(&help),
            choices(arg)
        );
    }
}

/// `-c, --clients CLIENTS`, or the name of an argument without a dash.
fn names(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let value = if takes_value(arg) {
        arg.get_value_names().unwrap_or_default().join(" ")
    } else {
        String::new()
    };
    let mut parts: Vec<String> = Vec::new();
    let dashed: Vec<String> = short.into_iter().chain(long).collect();
    if !dashed.is_empty() {
        parts.push(dashed.join(", "));
    }
    if !value.is_empty() {
        parts.push(value.replace('|', "\\|"));
    }
    parts.join(" ")
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

/// The allowed words of an argument, each with its meaning if it has one.
fn choices(arg: &Arg) -> String {
    if !takes_value(arg) {
        return String::new();
    }
    let words: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}`: {}", value.get_name(), one_line(&help.to_string())),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(" {}.", words.join("; "))
    }
}

/// Adds the full stop that prose has and help texts have not.
fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '?', ':', '…']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Every command and every option of the program is on its page.
    #[test]
    fn every_command_and_option_is_on_the_page() {
        let page = super::page(crate::Cli::command());
        let mut program = crate::Cli::command();
        program.build();
        let mut waiting: Vec<(String, clap::Command)> = program
            .get_subcommands()
            .map(|command| ("tupelo".to_owned(), command.clone()))
            .collect();
        let mut options = 0;
        while let Some((above, command)) = waiting.pop() {
            if command.is_hide_set() || command.get_name() == "help" {
                continue;
            }
            let name = format!("{above} {}", command.get_name());
            let from = page.find(&format!("\n## {name}\n")).unwrap_or_else(|| panic!("{name}"));
            let section = page[from + 1..].split("\n## ").next().unwrap_or_default();
            for long in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let Some(long) = long.get_long().filter(|l| !["help", "verbose"].contains(l)) else {
                    continue;
                };
                assert!(section.contains(&format!("--{long}")), "{name} --{long}");
                options += 1;
            }
            waiting.extend(command.get_subcommands().map(|below| (name.clone(), below.clone())));
        }
        assert!(options > 100, "{options}");
    }
}
