//! Files, transient data queues, programs, transactions and maps that commands name and
//! that do not exist. Each such command gets a condition, which a program may ignore, or
//! ends the task.
//!
//! Invariant: a name is reported only if it is a literal, or the value of an item
//! that no statement changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base::nearest;
use copybook::words;

use super::Application;
use super::compile::CompiledPrograms;
use super::finding::{Finding, Severity};
use super::interfaces::{literal, literal_at, value_of};
use crate::commands::record::source::read_source;

/// A kind of resource that commands name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ResourceKind {
    File,
    Queue,
    Program,
    Transaction,
    Map,
}

/// A resource that a command names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NamedResource {
    kind: ResourceKind,
    name: String,
    /// The set of a map.
    set: Option<String>,
}

/// Commands that name a resource: verb, options with its name, kind, and the greatest length
/// of a name. A longer one is the translator's error.
const COMMANDS: [(&str, &[&str], ResourceKind, usize); 21] = [
    ("READ", FILE, ResourceKind::File, 8),
    ("WRITE", FILE, ResourceKind::File, 8),
    ("REWRITE", FILE, ResourceKind::File, 8),
    ("DELETE", FILE, ResourceKind::File, 8),
    ("UNLOCK", FILE, ResourceKind::File, 8),
    ("STARTBR", FILE, ResourceKind::File, 8),
    ("READNEXT", FILE, ResourceKind::File, 8),
    ("READPREV", FILE, ResourceKind::File, 8),
    ("RESETBR", FILE, ResourceKind::File, 8),
    ("ENDBR", FILE, ResourceKind::File, 8),
    ("WRITEQ", &["QUEUE"], ResourceKind::Queue, 4),
    ("READQ", &["QUEUE"], ResourceKind::Queue, 4),
    ("DELETEQ", &["QUEUE"], ResourceKind::Queue, 4),
    ("LINK", &["PROGRAM"], ResourceKind::Program, 8),
    ("XCTL", &["PROGRAM"], ResourceKind::Program, 8),
    ("LOAD", &["PROGRAM"], ResourceKind::Program, 8),
    ("RETURN", &["TRANSID"], ResourceKind::Transaction, 4),
    ("START", &["TRANSID"], ResourceKind::Transaction, 4),
    ("RUN", &["TRANSID"], ResourceKind::Transaction, 4),
    ("SEND", &["MAP"], ResourceKind::Map, 7),
    ("RECEIVE", &["MAP"], ResourceKind::Map, 7),
];

/// Options that name a file.
const FILE: &[&str] = &["FILE", "DATASET"];

/// One warning for each missing resource, at its first use.
pub fn findings(app: &Application, compiled: &CompiledPrograms) -> Vec<Finding> {
    let known = KnownNames::new(app, compiled);
    let mut found: BTreeMap<NamedResource, (Finding, usize)> = BTreeMap::new();
    for built in &compiled.built {
        let Ok(text) = read_source(&built.source) else {
            continue;
        };
        for named in named(&text).into_iter().filter(|named| !known.has(named)) {
            let first = || (finding(&built.source, &text, &named, &known), 0);
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

/// Whether a program can be run: a COBOL program, a script, or one of another region.
pub fn is_program(app: &Application, compiled: &CompiledPrograms, name: &str) -> bool {
    let here = compiled.programs.iter().any(|p| p.name == name);
    let mut tried = compiled.built.iter().flat_map(|b| &b.programs);
    let elsewhere =
        |p: &cics::csd::ProgramDef| p.name.as_str() == name && p.remote_system.is_some();
    name.is_empty()
        || name.starts_with("DFH")
        || here
        || app.config.script.programs.contains_key(name)
        || tried.any(|p| p == name)
        || app.csd.programs.iter().any(elsewhere)
}

/// What an application has.
struct KnownNames<'a> {
    app: &'a Application,
    compiled: &'a CompiledPrograms,
    /// The maps of each set. `None` if a source has errors or cannot be read.
    maps: Option<BTreeMap<String, Vec<String>>>,
}

impl<'a> KnownNames<'a> {
    fn new(app: &'a Application, compiled: &'a CompiledPrograms) -> KnownNames<'a> {
        let broken = |finding: &Finding| finding.severity == Severity::Error;
        let maps = match app.map_sets() {
            Ok(sets) if !compiled.maps.iter().any(broken) => {
                let names = |set: &bms::MapSet| set.maps.iter().map(|m| m.name.clone()).collect();
                Some(sets.iter().map(|s| (s.name.clone(), names(s))).collect())
            }
            _ => None,
        };
        KnownNames {
            app,
            compiled,
            maps,
        }
    }

    fn has(&self, named: &NamedResource) -> bool {
        let name = named.name.as_str();
        let mut names = self.names(named.kind).into_iter();
        if names.any(|known| known.eq_ignore_ascii_case(name)) {
            return true;
        }
        match named.kind {
            ResourceKind::File => false,
            ResourceKind::Queue => super::queues::is_supplied(name),
            ResourceKind::Program => {
                let name = name.to_ascii_uppercase();
                // A source with errors may not have given the names of its programs.
                let source = |b: &translator::BuildResult| {
                    let stem = b.source.file_stem();
                    b.module.is_none() && stem.is_some_and(|s| s.eq_ignore_ascii_case(&name))
                };
                is_program(self.app, self.compiled, &name) || self.compiled.built.iter().any(source)
            }
            ResourceKind::Transaction => {
                let supplied = |b: &terminal::BuiltIn| b.transaction.eq_ignore_ascii_case(name);
                terminal::BUILT_INS.iter().any(supplied)
                    || self.app.broken_definitions.contains(name)
            }
            ResourceKind::Map => {
                let set = named.set.as_deref().unwrap_or(name).to_ascii_uppercase();
                let Some(maps) = &self.maps else { return true };
                let maps = maps.get(&set);
                maps.is_some_and(|maps| maps.iter().any(|m| m.eq_ignore_ascii_case(name)))
            }
        }
    }

    fn has_set(&self, set: &str) -> bool {
        let set = set.to_ascii_uppercase();
        self.maps
            .as_ref()
            .is_none_or(|maps| maps.contains_key(&set))
    }

    /// The defined resources of a kind, without maps, whose names depend on their set.
    fn names(&self, kind: ResourceKind) -> Vec<&str> {
        let csd = &self.app.csd;
        match kind {
            ResourceKind::File => csd.files.iter().map(|f| f.name.as_str()).collect(),
            ResourceKind::Queue => csd.tdqueues.iter().map(|q| q.name.as_str()).collect(),
            ResourceKind::Transaction => csd.transactions.iter().map(|t| t.name.as_str()).collect(),
            ResourceKind::Program => {
                let built = self.compiled.built.iter().flat_map(|b| &b.programs);
                built.map(String::as_str).collect()
            }
            ResourceKind::Map => Vec::new(),
        }
    }

    /// The name that was probably meant.
    fn near(&self, named: &NamedResource) -> Option<String> {
        let near = |name: &str, names: Vec<&str>| nearest(name, names).map(str::to_owned);
        if named.kind != ResourceKind::Map {
            return near(&named.name, self.names(named.kind));
        }
        let maps = self.maps.as_ref()?;
        let set = named.set.as_ref().unwrap_or(&named.name);
        match maps.get(&set.to_ascii_uppercase()) {
            Some(maps) => near(&named.name, maps.iter().map(String::as_str).collect()),
            None => near(set, maps.keys().map(String::as_str).collect())
                .map(|set| format!("MAPSET('{set}')")),
        }
    }
}

fn finding(source: &Path, text: &str, named: &NamedResource, known: &KnownNames) -> Finding {
    let name = &named.name;
    let (message, help) = match named.kind {
        ResourceKind::File => (
            format!("there is no file {name}: commands on it answer FILENOTFOUND"),
            format!(
                "write DEFINE FILE({name}) GROUP(APIS) KEYLENGTH(its key) RECORDSIZE(its records) \
                 into resources.csd, and key_offset below [files.{name}] of tupelo.toml"
            ),
        ),
        ResourceKind::Queue => (
            format!("there is no transient data queue {name}: commands on it answer QIDERR"),
            format!(
                "write DEFINE TDQUEUE({name}) GROUP(APIS) TYPE(EXTRA) TYPEFILE(OUTPUT) for a file \
                 of lines into resources.csd, or TYPE(INTRA) for a queue that programs read"
            ),
        ),
        ResourceKind::Program => (
            format!("there is no program {name}: LINK, XCTL and LOAD answer PGMIDERR"),
            "a program is a file of cobol/ whose PROGRAM-ID is this name, or a program of another \
             region (REMOTESYSTEM)"
                .to_owned(),
        ),
        ResourceKind::Transaction => (
            format!(
                "there is no transaction {name}: START answers TRANSIDERR, and after RETURN the \
                 next input is answered with DFHAC2001"
            ),
            format!(
                "write DEFINE TRANSACTION({name}) GROUP(APIS) PROGRAM(its program) into resources.csd"
            ),
        ),
        ResourceKind::Map => {
            let set = named.set.as_ref().unwrap_or(name);
            let message = if known.has_set(set) {
                format!("there is no map {name} in the map set {set}: the task ends with ABM0")
            } else {
                format!("there is no map set {set}: the task ends with ABM0")
            };
            let help = "a map is a DFHMDI of a source in bms/ whose name ends with .bms; the name \
                        of its DFHMSD is that of the set";
            (message, help.to_owned())
        }
    };
    let help = match known.near(named) {
        Some(near) => format!("{} If not, {help}", base::did_you_mean(near)),
        None => help,
    };
    let at = place(text, named, known);
    Finding::new(Severity::Warning, at.unwrap_or_default(), message)
        .in_file(source)
        .with_help(help)
}

/// Line and column of the name in a command, or of the literal that is its value.
fn place(text: &str, named: &NamedResource, known: &KnownNames) -> Option<(u32, u32)> {
    let missing_set = named.set.as_deref().filter(|set| !known.has_set(set));
    if let Some(set) = missing_set {
        return argument_at(text, "MAPSET", set).or_else(|| literal_at(text, set));
    }
    let options = COMMANDS
        .iter()
        .filter(|(_, _, kind, _)| *kind == named.kind);
    let mut options = options.flat_map(|(_, options, _, _)| *options);
    let name = &named.name;
    options
        .find_map(|option| argument_at(text, option, name))
        .or_else(|| literal_at(text, name))
}

/// Line and column of a literal that is the argument of an option.
fn argument_at(text: &str, option: &str, name: &str) -> Option<(u32, u32)> {
    let is_argument = |before: &str| {
        let before = before.trim_end().strip_suffix('(').map(str::trim_end);
        before.is_some_and(|before| {
            let word = before.rsplit([' ', ')', ',']).next().unwrap_or_default();
            word.eq_ignore_ascii_case(option)
        })
    };
    text.lines().zip(1..).find_map(|(line, number)| {
        let comment = matches!(line.chars().nth(6), Some('*' | '/'));
        let mut places = line.match_indices(name);
        let (at, _) = places.find(|(at, _)| {
            let after = line[at + name.len()..].trim_start_matches(' ');
            let before = line[..*at].strip_suffix(['\'', '"']);
            after.starts_with(['\'', '"']) && before.is_some_and(is_argument)
        })?;
        (!comment).then(|| (number, line[..at].chars().count() as u32 + 1))
    })
}

/// The resources of this region that a program's commands name.
fn named(text: &str) -> BTreeSet<NamedResource> {
    let words = words(text);
    let mut names = BTreeSet::new();
    let commands = words.windows(3).enumerate();
    for (at, verb) in
        commands.filter_map(|(at, w)| (w[0] == "EXEC" && w[1] == "CICS").then_some((at, &w[2])))
    {
        let Some((_, options, kind, longest)) = COMMANDS.iter().find(|(v, ..)| v == verb) else {
            continue;
        };
        let command = &words[at..];
        let end = command
            .iter()
            .position(|w| w == "END-EXEC")
            .unwrap_or(command.len());
        let command = &command[..end];
        let has = |word: &str| command.iter().any(|w| w == word);
        if has("SYSID") || (*kind == ResourceKind::Queue && !has("TD")) {
            continue;
        }
        let argument = |names: &[&str]| {
            let option = command.iter().position(|w| names.contains(&w.as_str()))?;
            command.get(option + 2)
        };
        let value = |word: &String| literal(word).or_else(|| value_of(&words, word));
        let Some(name) = argument(options).and_then(value) else {
            continue;
        };
        let set = match argument(&["MAPSET"]).filter(|_| *kind == ResourceKind::Map) {
            None => None,
            Some(word) => match value(word) {
                None => continue,
                set => set,
            },
        };
        if !name.is_empty() && name.len() <= *longest {
            names.insert(NamedResource {
                kind: *kind,
                name,
                set,
            });
        }
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
           EXEC CICS WRITEQ TS QUEUE('ANYQ') FROM(X) END-EXEC
           EXEC CICS XCTL PROGRAM('NEXTPGM') END-EXEC
           EXEC CICS LINK PROGRAM(WS-ANY) END-EXEC
           EXEC CICS SEND MAP('M1') MAPSET('SET1') ERASE END-EXEC
           EXEC CICS SEND MAP('M2') MAPSET(WS-ANY) ERASE END-EXEC
           EXEC CICS SEND TEXT FROM(X) END-EXEC
           EXEC CICS RETURN TRANSID('TRN1') END-EXEC.
";
        let named: Vec<NamedResource> = named(text).into_iter().collect();
        let name = |kind, name: &str, set: Option<&str>| NamedResource {
            kind,
            name: name.to_owned(),
            set: set.map(str::to_owned),
        };
        let expected = [
            name(ResourceKind::File, "ACCTFILE", None),
            name(ResourceKind::File, "CUSTDAT", None),
            name(ResourceKind::Queue, "CSMT", None),
            name(ResourceKind::Program, "NEXTPGM", None),
            name(ResourceKind::Transaction, "TRN1", None),
            name(ResourceKind::Map, "M1", Some("SET1")),
        ];
        assert_eq!(named, expected);
        assert_eq!(argument_at(text, "PROGRAM", "NEXTPGM"), Some((18, 36)));
        assert_eq!(literal_at(text, "ACCTFILE"), Some((10, 33)));
        assert_eq!(literal_at(text, "CUSTDAT").map(|at| at.0), Some(5));
    }
}
