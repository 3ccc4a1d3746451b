//! The source file of each program, so that the report of an abend can show the line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use region::{Abend, MonitoringRecord};

use super::compile::CompiledPrograms;
use super::finding::listed;
use crate::commands::record::source::read_source;

/// The sources of programs by name; a reload replaces them.
#[derive(Debug, Default)]
pub struct ProgramTexts(RwLock<BTreeMap<String, PathBuf>>);

impl ProgramTexts {
    /// Sets the sources of the compiled programs.
    pub fn set(&self, compiled: &CompiledPrograms) {
        let of = |built: &translator::BuildResult| {
            let names: Vec<String> = built
                .programs
                .iter()
                .map(|n| n.to_ascii_uppercase())
                .collect();
            names
                .into_iter()
                .map(|name| (name, built.source.clone()))
                .collect::<Vec<_>>()
        };
        let all = compiled.built.iter().flat_map(of).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = all;
    }

    /// An abend for the client, logged with its task and its source line.
    pub fn logged_abend(&self, abend: &Abend, record: &MonitoringRecord) -> Abend {
        let program = if abend.program.is_blank() {
            record.program
        } else {
            abend.program
        };
        let statement = self.statement(program.as_str(), abend.line);
        let mut message = abend.message.clone();
        // For a condition of a container command, the report also names the
        // container and the channel of the command.
        if message.contains("CONTAINER") {
            for option in ["CONTAINER", "CHANNEL"] {
                let names = arguments(&statement.join(" "), option);
                if !names.is_empty() {
                    let names = listed(names.iter().map(String::as_str));
                    message += &format!(" ({} {names})", option.to_ascii_lowercase());
                }
            }
        }
        let place = match abend.line {
            0 => String::new(),
            line => format!(" line {line}"),
        };
        let shown = statement.first().map_or(String::new(), |line| {
            format!("\n{:>22} | {line}", abend.line)
        });
        tracing::info!(
            target: crate::log::TASK,
            "{} task {} {} in {program}{place}: {message}{shown}",
            abend.code(),
            record.task,
            record.transid,
        );
        Abend {
            code: abend.code,
            program,
            line: abend.line,
            message,
        }
    }

    /// The statement of a program that begins on a line: that line, and the following
    /// lines of its EXEC CICS command.
    fn statement(&self, program: &str, line: u32) -> Vec<String> {
        let texts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = texts.get(program.trim()) else {
            return Vec::new();
        };
        let (Ok(text), Some(before)) = (read_source(path), line.checked_sub(1)) else {
            return Vec::new();
        };
        let lines = text.lines().skip(before as usize).take(LONGEST);
        let mut statement = Vec::new();
        for line in lines {
            let ends =
                line.to_ascii_uppercase().contains("END-EXEC") || line.trim_end().ends_with('.');
            statement.push(line.trim().to_owned());
            if ends {
                break;
            }
        }
        statement
    }
}

/// The arguments of an option in a command's text.
fn arguments(text: &str, option: &str) -> Vec<String> {
    let upper = text.to_ascii_uppercase();
    let mut names = Vec::new();
    let mut rest = upper.as_str();
    while let Some(at) = rest.find(option) {
        rest = rest[at + option.len()..].trim_start();
        if let Some(inner) = rest.strip_prefix('(')
            && let Some(end) = inner.find(')')
        {
            names.push(
                inner[..end]
                    .trim()
                    .trim_matches(['\'', '"'])
                    .trim()
                    .to_owned(),
            );
        }
    }
    names
}

/// Most lines of a command.
const LONGEST: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_containers_of_a_command_are_found() {
        let text = "EXEC CICS GET CONTAINER ('IN-DATA') INTO(CONTAINER-AREA) END-EXEC";
        assert_eq!(arguments(text, "CONTAINER"), ["IN-DATA"]);
        assert!(arguments(text, "CHANNEL").is_empty());
        assert!(arguments("EXEC CICS RETURN END-EXEC", "CONTAINER").is_empty());
    }
}
