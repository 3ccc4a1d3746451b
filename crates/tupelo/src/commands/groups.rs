//! The commands of `tupelo --help`, grouped by task.
//!
//! clap lists subcommands in one column. The groups here are written into the
//! template of the help instead; the description of a command stays the doc
//! comment of its row in the table.

use clap::Command;

/// A heading, and its commands in their order.
type CommandGroup = (&'static str, &'static [&'static str]);

/// Every command is in one group.
const GROUPS: &[CommandGroup] = &[
    (
        "Make and run applications",
        &["new", "check", "serve", "run", "batch"],
    ),
    (
        "APIs, services, screens and scripts",
        &["api", "web", "bms", "script"],
    ),
    (
        "Records, files, tables and users",
        &["record", "file", "sql", "user"],
    ),
    (
        "Inspect and control a running region",
        &[
            "top",
            "task",
            "locks",
            "limits",
            "uow",
            "connection",
            "console",
            "sockets",
            "trace",
        ],
    ),
    (
        "Measure, explain and tune",
        &["drive", "capture", "lab", "advise"],
    ),
    ("APPC", &["appc", "aping"]),
    (
        "About this program",
        &["reference", "completions", "man", "help"],
    ),
];

/// The help of the whole program.
pub fn help_template() -> String {
    let commands =
        <super::Command as clap::Subcommand>::augment_subcommands(Command::new("tupelo"));
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}{{after-help}}",
        grouped(&commands)
    )
}

/// The groups with one line a command.
fn grouped(commands: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        text += &format!("\n{heading}:\n");
        for name in *names {
            let about = commands.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(|| HELP.to_owned(), ToString::to_string);
            text += &row(name, &about);
        }
    }
    text
}

/// A command and its description, whose further lines are indented.
fn row(name: &str, about: &str) -> String {
    let mut lines = vec![String::new()];
    for word in about.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if !line.is_empty() && line.len() + 1 + word.len() > WIDTH {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let below = format!("\n{:14}", "");
    format!("  {name:12}{}\n", lines.join(&below))
}

/// clap's description of its own command.
const HELP: &str = "Print this message or the help of the given subcommand(s)";

/// Characters of a description in one line.
const WIDTH: usize = 84;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group_of_the_help() {
        let program = crate::Cli::command();
        let visible = program.get_subcommands().filter(|c| !c.is_hide_set());
        let mut commands: Vec<&str> = visible.map(Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        commands.sort_unstable();
        commands.dedup();
        grouped.sort_unstable();
        assert_eq!(commands, grouped);
    }

    #[test]
    fn the_help_shows_each_group_with_its_commands() {
        let help = crate::Cli::command().render_help().to_string();
        for (heading, names) in GROUPS {
            let after = help
                .split(&format!("\n{heading}:\n"))
                .nth(1)
                .expect(heading);
            let block = after.split("\n\n").next().unwrap();
            for name in *names {
                assert!(block.contains(&format!("  {name} ")), "{name}\n{block}");
            }
        }
        assert!(!help.contains('{'), "{help}");
    }
}
