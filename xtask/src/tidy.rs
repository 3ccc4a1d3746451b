//! The house rules that no compiler checks: which crate may use which, what
//! stands on top of a file, how long it may be, where unsafe code and silenced
//! lints are, and which phrases and names make a reader read twice, in code and on
//! pages.
//!
//! A file or crate that is exempt is in a table below with its reason.

mod circles;
mod functions;
mod markup;
mod names;
mod pages;
mod phrases;
mod ratchets;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Every crate and its layer: a crate uses only crates of lower layers.
const LAYERS: &[(&str, u8)] = &[
    (BASE, 0),
    ("page", 0),
    ("copybook", 0),
    ("cics", 0),
    ("bms", 0),
    ("sna", 0),
    ("tn3270", 0),
    ("soap", 0),
    ("capture", 0),
    ("advise", 0),
    ("measure", 0),
    ("runtime", 0),
    ("settings", 0),
    ("skipped", 0),
    ("sql", 0),
    ("sources", 0),
    ("translator", 1),
    ("store", 1),
    ("link", 1),
    ("ezasoket", 1),
    ("seats", 1),
    ("tls", 1),
    ("webtask", 1),
    ("synth", 1),
    ("fetch", 2),
    ("worker", 2),
    ("kernel", 2),
    ("region", 2),
    ("batch", 2),
    ("gateway", 3),
    ("appc", 3),
    ("cpic", 3),
    ("sockets", 3),
    ("ipconn", 3),
    ("script", 3),
    ("web", 3),
    ("terminal", 3),
    ("database", 3),
    ("drive", 3),
    ("lab", 3),
    ("tupelo", 4),
    ("xtask", 4),
];

/// Below all others: any crate may use it.
const BASE: &str = "base";

/// Uses within a layer, and why.
const WITHIN_LAYER: &[(&str, &str, &str)] = &[
    (
        "capture",
        "sna",
        "it reads the wire formats of conversations",
    ),
    ("capture", "page", "its report is a page with charts"),
    ("measure", "page", "its report is a page with charts"),
    ("advise", "sna", "it knows the values of LU 6.2 parameters"),
    ("advise", "cics", "it reads definitions in DFHCSDUP syntax"),
    ("soap", "copybook", "its records are those of copybooks"),
    (
        "copybook",
        "sources",
        "COPY members are files of an application",
    ),
    (
        "runtime",
        "copybook",
        "items of statements have the kinds of copybooks",
    ),
    ("region", "kernel", "it is the shell on top of it"),
    (
        "batch",
        "kernel",
        "a unit with EXEC SQL is kept in the store as a region keeps it",
    ),
    (
        "runtime",
        "sql",
        "statements of programs are read and rewritten there",
    ),
    (
        "runtime",
        "cics",
        "its services know the clocks of commands",
    ),
    (
        "webtask",
        "link",
        "operands of commands travel as it has them",
    ),
    (
        "link",
        "store",
        "commands on files name records as the store does",
    ),
    ("cpic", "appc", "it is the C library over the node"),
    ("drive", "appc", "conversations are one of its protocols"),
    ("lab", "appc", "experiments drive a node"),
    ("lab", "drive", "experiments present load"),
];

/// Crates without unsafe code. `copybook` is pure as well, but its decoder
/// writes the bytes of JSON in place, which is where its speed comes from.
const SAFE: &[&str] = &[
    BASE,
    "page",
    "cics",
    "sql",
    "bms",
    "sna",
    "tn3270",
    "soap",
    "runtime",
    "capture",
    "synth",
    "advise",
    "translator",
    "webtask",
    "ipconn",
];

/// Crates that decide only: no file, socket, thread, clock or lock, in tests
/// neither. What must be done outside is data that another crate carries out.
const PURE: &[&str] = &["kernel"];

/// What a pure crate does not name. Put together so that this file passes.
const IMPURE: &[&str] = &[
    concat!("std::", "fs"),
    concat!("std::", "net"),
    concat!("std::", "os"),
    concat!("std::", "process"),
    concat!("std::", "thread"),
    concat!("std::", "env"),
    concat!("Sys", "temTime"),
    concat!("Ins", "tant"),
    concat!("Mu", "tex"),
    concat!("Rw", "Lock"),
    concat!("Cond", "var"),
    concat!("mp", "sc"),
];

/// Files longer than [`MOST_LINES`], and why.
const LONG: &[(&str, &str)] = &[
    ("crates/cics/src/cvda.rs", "a table of the manual"),
    (
        "crates/cics/src/command/table/inquiry.rs",
        "a table of the manual",
    ),
    ("crates/copybook/src/codepage/tables.rs", "generated"),
    (
        "crates/gateway/src/openapi/keywords.rs",
        "a table of the specification",
    ),
];

/// Lines of a file beyond which it says why or is split.
const MOST_LINES: usize = 800;

/// Words that never stay. They are put together here so that this file passes.
const UNFINISHED: &[&str] = &[
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("FIX", "ME"),
    concat!("#[", "ignore"),
];

/// Looks at everything; false when a rule is broken.
pub fn run() -> Result<bool> {
    let mut broken = Vec::new();
    pages::check(&mut broken)?;
    let mut crates: Vec<PathBuf> = fs::read_dir("crates")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    crates.push(PathBuf::from("xtask"));
    crates.sort();
    for folder in &crates {
        layers(folder, &mut broken)?;
        let mut sources = Vec::new();
        rust_files(folder, &mut sources)?;
        let mut long = 0;
        let mut language = LanguageCounts::default();
        for path in sources {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            file(&path, &text, &mut broken);
            markup::check(&path, &text, &mut broken);
            if PURE.iter().any(|name| folder.ends_with(name)) {
                pure(&path, &text, &mut broken);
            }
            language.count_file(&path, &text);
            for function in functions::long(&text) {
                long += 1;
                let (name, line, lines) = (function.name, function.line, function.lines);
                println!(
                    "{}:{line}: function {name} has {lines} lines",
                    path.display()
                );
            }
        }
        shape(folder, long, &mut broken)?;
        language.check(folder, &mut broken);
    }
    for name in SAFE {
        let lib = format!("crates/{name}/src/lib.rs");
        if !fs::read_to_string(&lib)?.contains("#![forbid(unsafe_code)]") {
            broken.push(format!("{lib}: #![forbid(unsafe_code)] is missing"));
        }
    }
    for line in &broken {
        println!("{line}");
    }
    println!("{} crates, {} rules broken", crates.len(), broken.len());
    Ok(broken.is_empty())
}

/// Circles between a crate's modules and its long functions, against the
/// ratchets.
fn shape(folder: &Path, long: usize, broken: &mut Vec<String>) -> Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut in_circles = 0;
    for circle in circles::of_crate(folder)? {
        if circle.folder.is_empty() {
            in_circles += circle.modules.len();
        }
        let within = match circle.folder.as_str() {
            "" => String::new(),
            folder => format!(" in {folder}"),
        };
        println!(
            "{name}: a circle{within} of {} files, {} lines: {}",
            circle.files,
            circle.lines,
            circle.modules.join(", ")
        );
    }
    let what = "top-level modules in circles";
    ratchets::check(ratchets::IN_CIRCLES, &name, in_circles, what, broken);
    let what = format!("functions of more than {} lines", functions::MOST_LINES);
    ratchets::check(ratchets::LONG_FUNCTIONS, &name, long, &what, broken);
    Ok(())
}

/// Phrases and names of a crate.
#[derive(Default)]
struct LanguageCounts {
    /// Where phrases of the list are, and what to write.
    phrases: Vec<String>,
    one_word: usize,
    types: usize,
}

impl LanguageCounts {
    fn count_file(&mut self, path: &Path, text: &str) {
        // The list itself has every phrase.
        if !path.ends_with("tidy/phrases.rs") {
            let shown = path.display();
            self.phrases.extend(phrases::find(text).iter().map(|found| {
                let (line, phrase, better) = (found.line, found.phrase, found.better);
                format!("{shown}:{line}: \"{phrase}\"; better: {better}")
            }));
        }
        let (one_word, types) = names::one_word(text);
        self.one_word += one_word.len();
        self.types += types;
    }

    /// Compares with the ratchets. A crate over its row of phrases gets all
    /// places, because any of them may be the new one.
    fn check(&self, folder: &Path, broken: &mut Vec<String>) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let has = self.phrases.len();
        let before = broken.len();
        ratchets::check(ratchets::PHRASES, &name, has, "phrases of the list", broken);
        if broken.len() > before {
            broken.extend(self.phrases.iter().cloned());
        }
        let what = format!("type names of one word among {}", self.types);
        ratchets::check(ratchets::ONE_WORD, &name, self.one_word, &what, broken);
    }
}

/// A crate uses only what is below it.
fn layers(folder: &Path, broken: &mut Vec<String>) -> Result<()> {
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let Some(own) = layer(&name) else {
        bail!("{name} has no layer: add it to LAYERS in xtask/src/tidy.rs");
    };
    let mut in_dependencies = false;
    for line in text.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        }
        let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let Some(theirs) = layer(used).filter(|_| in_dependencies) else {
            continue;
        };
        let is_allowed = used == BASE
            || WITHIN_LAYER
                .iter()
                .any(|(a, b, _)| *a == name && *b == used);
        if theirs >= own && !is_allowed {
            broken.push(format!("{name} (layer {own}) uses {used} (layer {theirs})"));
        }
    }
    Ok(())
}

fn layer(name: &str) -> Option<u8> {
    let found = LAYERS.iter().find(|(crate_name, _)| *crate_name == name);
    found.map(|(_, layer)| *layer)
}

/// Header, length, silenced lints, unfinished work.
fn file(path: &Path, text: &str, broken: &mut Vec<String>) {
    let shown = path.display();
    if !text.starts_with("//!") {
        broken.push(format!("{shown}: no `//!` header says what the file is"));
    }
    let lines = text.lines().count();
    let long = LONG.iter().any(|(exempt, _)| Path::new(exempt) == path);
    if lines > MOST_LINES && !long {
        broken.push(format!("{shown}: {lines} lines, more than {MOST_LINES}"));
    }
    let mut before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let silences =
            line.contains(concat!("#[", "allow(")) || line.contains(concat!("#![", "allow("));
        let says_why = line.contains("reason =")
            || before.trim_start().starts_with("//")
            // A list over several lines has its reason at its end.
            || line.trim_end().ends_with('(')
            // A macro's own attribute stands for all of its rows.
            || text.starts_with("//! The table itself");
        if silences && !says_why {
            broken.push(format!("{shown}:{number}: `allow` without a reason"));
        }
        for word in UNFINISHED {
            if line.contains(word) {
                broken.push(format!("{shown}:{number}: {word}"));
            }
        }
        before = line;
    }
}

/// A pure crate has no way to the world outside. Comments may name one.
fn pure(path: &Path, text: &str, broken: &mut Vec<String>) {
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split("//").next().unwrap_or_default();
        let names = |word: &&&str| {
            let mut at = code.match_indices(**word);
            at.any(|(at, word)| {
                let end = code[at + word.len()..].chars().next();
                !end.is_some_and(|c| c.is_alphanumeric() || c == '_')
            })
        };
        if let Some(word) = IMPURE.iter().find(names) {
            broken.push(format!(
                "{}:{number}: {word} in a pure crate",
                path.display()
            ));
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default();
            if name != "target" && name != "testdata" {
                rust_files(&path, found)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    Ok(())
}
