//! Files that programs name and no definition has: each command on one answers
//! FILENOTFOUND, which a program may pass over in silence.
//!
//! Invariant: a name is told only where it is written, as a literal or as the
//! value of an item that nothing else is moved to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use copybook::words;

use super::Application;
use super::compile::Compiled;
use super::finding::{Finding, Severity};
use super::interfaces::{literal, literal_at, value_of};
use crate::commands::record::source::read_text;

/// Commands whose FILE (or DATASET) is a file.
const COMMANDS: [&str; 10] = [
    "READ", "WRITE", "REWRITE", "DELETE", "UNLOCK", "STARTBR", "READNEXT", "READPREV", "RESETBR",
    "ENDBR",
];

/// One warning for each file, where it is named first.
pub fn findings(app: &Application, compiled: &Compiled) -> Vec<Finding> {
    let defined = |name: &str| {
        let mut files = app.csd.files.iter();
        files.any(|file| file.name.as_str().eq_ignore_ascii_case(name))
    };
    let mut found: BTreeMap<String, (Finding, usize)> = BTreeMap::new();
    for built in &compiled.built {
        let Ok(text) = read_text(&built.source) else {
            continue;
        };
        for name in named(&text).into_iter().filter(|name| !defined(name)) {
            let first = || (finding(&built.source, &text, &name), 0);
            found.entry(name.clone()).or_insert_with(first).1 += 1;
        }
    }
    let told = found
        .into_values()
        .map(|(finding, programs)| match programs {
            1 => finding,
            more => Finding {
                message: format!("{}, in this program and {} more", finding.message, more - 1),
                ..finding
            },
        });
    told.collect()
}

fn finding(source: &Path, text: &str, name: &str) -> Finding {
    let (line, column) = literal_at(text, name).unwrap_or_default();
    Finding {
        severity: Severity::Warning,
        file: source.to_owned(),
        line,
        column,
        message: format!("there is no file {name}: commands on it answer FILENOTFOUND"),
        help: Some(format!(
            "write DEFINE FILE({name}) GROUP(APIS) KEYLENGTH(its key) RECORDSIZE(its records) \
             into resources.csd, and key_offset below [files.{name}] of tupelo.toml"
        )),
    }
}

/// The files that a program's commands name.
fn named(text: &str) -> BTreeSet<String> {
    let words = words(text);
    let mut names = BTreeSet::new();
    let commands = words.windows(3).enumerate();
    for (at, _) in commands
        .filter(|(_, w)| w[0] == "EXEC" && w[1] == "CICS" && COMMANDS.contains(&w[2].as_str()))
    {
        let command = &words[at..];
        let end = command
            .iter()
            .position(|w| w == "END-EXEC")
            .unwrap_or(command.len());
        let command = &command[..end];
        let option = command.iter().position(|w| w == "FILE" || w == "DATASET");
        let argument = option.and_then(|option| command.get(option + 2));
        let name = argument.and_then(|word| literal(word).or_else(|| value_of(&words, word)));
        names.extend(name.filter(|name| !name.is_empty()));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_literals_and_by_values_that_nothing_changes() {
        let text = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FILE PIC X(8) VALUE 'CUSTDAT '.
       01  WS-ANY  PIC X(8) VALUE 'ANY'.
       PROCEDURE DIVISION.
      *    EXEC CICS READ FILE('NOT') INTO(X) RIDFLD(K) END-EXEC
           MOVE 'OTHER' TO WS-ANY
           EXEC CICS READ FILE('ACCTFILE') INTO(X) RIDFLD(K) END-EXEC
           EXEC CICS STARTBR DATASET(WS-FILE) RIDFLD(K) END-EXEC
           EXEC CICS READ FILE(WS-ANY) INTO(X) RIDFLD(K) END-EXEC
           EXEC CICS INQUIRE FILE('ASKED') END-EXEC
           EXEC CICS DELETE CONTAINER('FILE') END-EXEC.
";
        let named: Vec<String> = named(text).into_iter().collect();
        assert_eq!(named, ["ACCTFILE", "CUSTDAT"]);
        assert_eq!(literal_at(text, "ACCTFILE"), Some((10, 33)));
        assert_eq!(literal_at(text, "CUSTDAT").map(|at| at.0), Some(5));
    }
}
