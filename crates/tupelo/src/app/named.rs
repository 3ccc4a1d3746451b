//! Files and transient data queues that programs name and no definition has. Each
//! command on one gets FILENOTFOUND or QIDERR, which a program may ignore.
//!
//! Invariant: a name is reported only if it is a literal, or the value of an item
//! that no statement changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use copybook::words;

use super::Application;
use super::compile::CompiledPrograms;
use super::finding::{Finding, Severity};
use super::interfaces::{literal, literal_at, value_of};
use crate::commands::record::source::read_source;

/// A resource that a command names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NamedResource {
    File,
    Queue,
}

/// Commands whose FILE (or DATASET) is a file.
const FILE_COMMANDS: [&str; 10] = [
    "READ", "WRITE", "REWRITE", "DELETE", "UNLOCK", "STARTBR", "READNEXT", "READPREV", "RESETBR",
    "ENDBR",
];

/// Commands whose QUEUE is a transient data queue where TD is among their words.
const QUEUE_COMMANDS: [&str; 3] = ["WRITEQ", "READQ", "DELETEQ"];

/// One warning for each file and queue, at its first use.
pub fn findings(app: &Application, compiled: &CompiledPrograms) -> Vec<Finding> {
    let is = |defined: &str, name: &str| defined.eq_ignore_ascii_case(name);
    let defined = |(kind, name): &(NamedResource, String)| match kind {
        NamedResource::File => app
            .csd
            .files
            .iter()
            .any(|file| is(file.name.as_str(), name)),
        NamedResource::Queue => {
            app.csd
                .tdqueues
                .iter()
                .any(|queue| is(queue.name.as_str(), name))
                || super::queues::is_supplied(name)
        }
    };
    let mut found: BTreeMap<(NamedResource, String), (Finding, usize)> = BTreeMap::new();
    for built in &compiled.built {
        let Ok(text) = read_source(&built.source) else {
            continue;
        };
        for named in named(&text).into_iter().filter(|named| !defined(named)) {
            let first = || (finding(&built.source, &text, &named), 0);
            found.entry(named.clone()).or_insert_with(first).1 += 1;
        }
    }
    let findings = found
        .into_values()
        .map(|(finding, programs)| match programs {
            1 => finding,
            more => Finding {
                message: format!("{}, in this program and {} more", finding.message, more - 1),
                ..finding
            },
        });
    findings.collect()
}

fn finding(source: &Path, text: &str, (kind, name): &(NamedResource, String)) -> Finding {
    let (message, help) = match kind {
        NamedResource::File => (
            format!("there is no file {name}: commands on it answer FILENOTFOUND"),
            format!(
                "write DEFINE FILE({name}) GROUP(APIS) KEYLENGTH(its key) RECORDSIZE(its records) \
                 into resources.csd, and key_offset below [files.{name}] of tupelo.toml"
            ),
        ),
        NamedResource::Queue => (
            format!("there is no transient data queue {name}: commands on it answer QIDERR"),
            format!(
                "write DEFINE TDQUEUE({name}) GROUP(APIS) TYPE(EXTRA) TYPEFILE(OUTPUT) for a file \
                 of lines into resources.csd, or TYPE(INTRA) for a queue that programs read"
            ),
        ),
    };
    let (line, column) = literal_at(text, name).unwrap_or_default();
    Finding::new(Severity::Warning, (line, column), message)
        .in_file(source)
        .with_help(help)
}

/// The files and queues of this region that a program's commands name.
fn named(text: &str) -> BTreeSet<(NamedResource, String)> {
    let words = words(text);
    let mut names = BTreeSet::new();
    let commands = words.windows(3).enumerate();
    for (at, verb) in
        commands.filter_map(|(at, w)| (w[0] == "EXEC" && w[1] == "CICS").then_some((at, &w[2])))
    {
        let kind = match verb.as_str() {
            verb if FILE_COMMANDS.contains(&verb) => NamedResource::File,
            verb if QUEUE_COMMANDS.contains(&verb) => NamedResource::Queue,
            _ => continue,
        };
        let command = &words[at..];
        let end = command
            .iter()
            .position(|w| w == "END-EXEC")
            .unwrap_or(command.len());
        let command = &command[..end];
        let has = |word: &str| command.iter().any(|w| w == word);
        if kind == NamedResource::Queue && (!has("TD") || has("SYSID")) {
            continue;
        }
        let option = command.iter().position(|w| match kind {
            NamedResource::File => w == "FILE" || w == "DATASET",
            NamedResource::Queue => w == "QUEUE",
        });
        let argument = option.and_then(|option| command.get(option + 2));
        let name = argument.and_then(|word| literal(word).or_else(|| value_of(&words, word)));
        names.extend(
            name.filter(|name| !name.is_empty())
                .map(|name| (kind, name)),
        );
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_literals_and_by_values_that_nothing_changes() {
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
           EXEC CICS DELETE CONTAINER('FILE') END-EXEC
           EXEC CICS WRITEQ TD QUEUE('CSMT') FROM(X) END-EXEC
           EXEC CICS WRITEQ TD QUEUE('FAR') FROM(X) SYSID('B') END-EXEC
           EXEC CICS WRITEQ TS QUEUE('ANYQ') FROM(X) END-EXEC.
";
        let named: Vec<(NamedResource, String)> = named(text).into_iter().collect();
        let name = |kind, name: &str| (kind, name.to_owned());
        let expected = [
            name(NamedResource::File, "ACCTFILE"),
            name(NamedResource::File, "CUSTDAT"),
            name(NamedResource::Queue, "CSMT"),
        ];
        assert_eq!(named, expected);
        assert_eq!(literal_at(text, "ACCTFILE"), Some((10, 33)));
        assert_eq!(literal_at(text, "CUSTDAT").map(|at| at.0), Some(5));
    }
}
