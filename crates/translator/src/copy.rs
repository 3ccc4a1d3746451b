//! COPY, REPLACING and REPLACE: members are read here, so that commands in
//! them are translated and every message names the member's own line.
//!
//! Reference: COBOL text manipulation. Replacement compares words without
//! regard to case and blanks, as the standard has it; what takes a text's
//! place stands where that text stood.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Kind as Finding, Severity};
use crate::lines::{Format, detect, lines};
use crate::outline::skip_exec;
use crate::replacing::{Replacement, parse_replacing, replace};
use crate::source::{Files, Place, decode};
use crate::standard;
use crate::token::{Kind, Token, tokens};

/// Where COPY members are.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// Upper-case file stem and name to path; the first folder wins.
    members: HashMap<String, PathBuf>,
}

/// Endings that a member's file may have.
const ENDINGS: &[&str] = &["cpy", "copy", "cbl", "cob", "inc", "txt", "dcl", "cbcpy"];

impl Library {
    /// Lists the members of folders; a folder that cannot be read is empty.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Self {
        let mut members = HashMap::new();
        for folder in folders {
            let Ok(entries) = std::fs::read_dir(folder) else {
                continue;
            };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
            paths.sort();
            for path in paths.into_iter().filter(|p| p.is_file()) {
                let (Some(name), Some(stem)) = (path.file_name(), path.file_stem()) else {
                    continue;
                };
                let name = name.to_string_lossy().to_ascii_uppercase();
                let stem = stem.to_string_lossy().to_ascii_uppercase();
                let ending = path
                    .extension()
                    .map(|e| e.to_string_lossy().to_ascii_lowercase());
                members.entry(name).or_insert_with(|| path.clone());
                if ending.is_none_or(|e| ENDINGS.contains(&e.as_str())) {
                    members.entry(stem).or_insert(path);
                }
            }
        }
        Library { members }
    }

    /// File of a member.
    pub fn find(&self, name: &str) -> Option<&Path> {
        self.members
            .get(&name.to_ascii_uppercase())
            .map(PathBuf::as_path)
    }
}

/// Members inside members; more is a loop.
const DEEPEST: usize = 32;

/// Reads a program with its members.
pub(crate) struct Expander<'a> {
    pub library: &'a Library,
    pub files: Files,
    pub diagnostics: Vec<Diagnostic>,
    debugging: bool,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(library: &'a Library) -> Self {
        Expander {
            library,
            files: Files::default(),
            diagnostics: Vec::new(),
            debugging: false,
        }
    }

    /// The tokens of a program, after COPY and REPLACE.
    pub(crate) fn program(&mut self, path: &Path, text: &[u8], format: Format) -> Vec<Token> {
        let source = decode(text);
        let format = match format {
            Format::Auto => detect(&source).unwrap_or(Format::Fixed),
            known => known,
        };
        self.debugging = has_debugging_mode(&source);
        let read = self.read(path, &source, format);
        let mut open = vec![path.to_owned()];
        let expanded = self.expand(read, format, &mut open);
        self.replace_statements(expanded)
    }

    fn read(&mut self, path: &Path, source: &str, format: Format) -> Vec<Token> {
        let file = self.files.add(path);
        let (read, errors) = tokens(&lines(source, format), file, self.debugging);
        for error in errors {
            self.say(
                Severity::Error,
                error.0,
                "the literal has no closing quote".to_owned(),
                None,
            );
        }
        read
    }

    pub(crate) fn say(
        &mut self,
        severity: Severity,
        at: Place,
        message: String,
        help: Option<String>,
    ) {
        self.find(severity, at, Finding::Source, message, help);
    }

    fn find(
        &mut self,
        severity: Severity,
        at: Place,
        kind: Finding,
        message: String,
        help: Option<String>,
    ) {
        self.diagnostics.push(Diagnostic {
            severity,
            file: self.files.path(at.file).to_owned(),
            line: at.line,
            column: at.column,
            kind,
            message,
            help,
        });
    }

    /// Puts members in the place of COPY statements.
    fn expand(&mut self, read: Vec<Token>, format: Format, open: &mut Vec<PathBuf>) -> Vec<Token> {
        if !read.iter().any(|t| t.is("COPY")) {
            return read;
        }
        let mut out = Vec::with_capacity(read.len());
        let mut at = 0;
        while at < read.len() {
            if let Some(end) = command_end(&read, at) {
                out.extend_from_slice(&read[at..end]);
                at = end;
                continue;
            }
            if !read[at].is("COPY") || !starts_copy(&read, at) {
                out.push(read[at].clone());
                at += 1;
                continue;
            }
            let (statement, next) = parse_copy(&read, at);
            match statement {
                Ok(copy) => {
                    let inner = self.member(&copy, format, open);
                    out.extend(inner);
                }
                Err(message) => self.say(Severity::Error, read[at].place, message, None),
            }
            at = next;
        }
        out
    }

    fn member(&mut self, copy: &Copy, format: Format, open: &mut Vec<PathBuf>) -> Vec<Token> {
        let at = copy.place;
        let (path, text) = match self.library.find(&copy.name) {
            Some(path) => match std::fs::read(path) {
                Ok(bytes) => (path.to_owned(), decode(&bytes)),
                Err(e) => {
                    let message = format!("COPY member {} cannot be read: {e}", copy.name);
                    self.find(
                        Severity::Error,
                        at,
                        Finding::MissingMember(copy.name.clone()),
                        message,
                        None,
                    );
                    return Vec::new();
                }
            },
            None => match standard::member(&copy.name) {
                Some(text) => (PathBuf::from(format!("{}.cpy", copy.name)), text.to_owned()),
                None => {
                    let message =
                        format!("COPY member {} is not in any copybook folder", copy.name);
                    self.find(
                        Severity::Error,
                        at,
                        Finding::MissingMember(copy.name.clone()),
                        message,
                        None,
                    );
                    return Vec::new();
                }
            },
        };
        if open.contains(&path) || open.len() >= DEEPEST {
            let message = format!("COPY member {} copies itself", copy.name);
            self.say(Severity::Error, at, message, None);
            return Vec::new();
        }
        let inner_format = detect(&text).unwrap_or(format);
        let read = self.read(&path, &text, inner_format);
        open.push(path);
        let expanded = self.expand(read, inner_format, open);
        open.pop();
        replace(expanded, &copy.replacing)
    }

    /// Carries out REPLACE statements.
    fn replace_statements(&mut self, read: Vec<Token>) -> Vec<Token> {
        if !read.iter().any(|t| t.is("REPLACE")) {
            return read;
        }
        let mut out = Vec::with_capacity(read.len());
        let mut pending = Vec::new();
        let mut active: Vec<Replacement> = Vec::new();
        let mut at = 0;
        while at < read.len() {
            if let Some(end) = command_end(&read, at) {
                pending.extend_from_slice(&read[at..end]);
                at = end;
                continue;
            }
            if !read[at].is("REPLACE") || !starts_statement(&read, at) {
                pending.push(read[at].clone());
                at += 1;
                continue;
            }
            out.extend(replace(std::mem::take(&mut pending), &active));
            let end = (at..read.len()).find(|&i| ends_sentence(&read, i));
            let body_start = at + 1 + usize::from(read.get(at + 1).is_some_and(|t| t.is("ALSO")));
            if read
                .get(body_start)
                .is_some_and(|t| t.is("OFF") || t.is("LAST"))
            {
                active.clear();
                at = end.map_or(read.len(), |e| e + 1);
                continue;
            }
            let (list, next) = parse_replacing(&read, body_start);
            if list.is_empty() {
                self.say(
                    Severity::Error,
                    read[at].place,
                    "REPLACE without ==text== BY ==text==".to_owned(),
                    None,
                );
            }
            active = list;
            at = next;
            if read.get(at).is_some_and(|t| t.is_mark('.')) {
                at += 1;
            }
        }
        out.extend(replace(pending, &active));
        out
    }
}

/// Whether the token at an index ends a sentence.
fn ends_sentence(read: &[Token], at: usize) -> bool {
    read[at].is_mark('.') && read.get(at + 1).is_none_or(|t| t.spaced)
}

/// `WITH DEBUGGING MODE` makes debugging lines program text.
fn has_debugging_mode(source: &str) -> bool {
    let up = source.to_ascii_uppercase();
    up.lines().any(|l| {
        l.chars().nth(6) != Some('*')
            && l.find("DEBUGGING")
                .is_some_and(|at| l[at + 9..].trim_start().starts_with("MODE"))
    })
}

/// The index after an EXEC block: `COPY` and `REPLACE` are options in it.
fn command_end(read: &[Token], at: usize) -> Option<usize> {
    let starts = read[at].is_any(&["EXEC", "EXECUTE"])
        && read
            .get(at + 1)
            .is_some_and(|t| t.is_any(&["CICS", "SQL", "DLI"]));
    let end = skip_exec(read, at);
    (starts && end > at + 1).then_some(end)
}

fn starts_copy(read: &[Token], at: usize) -> bool {
    let Some(name) = read.get(at + 1) else {
        return false;
    };
    let named = matches!(name.kind, Kind::Word | Kind::Literal);
    // As a name in other statements it would stand in an expression.
    named && !name.is("OF") && !name.is("IN") && !name.is("BY") && !name.is("TO")
}

fn starts_statement(read: &[Token], at: usize) -> bool {
    at == 0
        || read[at - 1].is_mark('.')
        || read[at].area_a
        || read[at].place.line > read[at - 1].place.line
}

struct Copy {
    name: String,
    place: Place,
    replacing: Vec<Replacement>,
}

/// Parses a COPY statement and gives the index after it.
fn parse_copy(read: &[Token], at: usize) -> (Result<Copy, String>, usize) {
    let name = read[at + 1].text.trim_matches(['\'', '"']).to_owned();
    let mut copy = Copy {
        name,
        place: read[at].place,
        replacing: Vec::new(),
    };
    let mut next = at + 2;
    // A member's name may hold its ending: COPY A.cpy. is two words and a mark.
    if read.get(next).is_some_and(|t| t.is_mark('.') && !t.spaced)
        && read
            .get(next + 1)
            .is_some_and(|t| t.kind == Kind::Word && !t.spaced)
    {
        copy.name = format!("{}.{}", copy.name, read[next + 1].text);
        next += 2;
    }
    if read.get(next).is_some_and(|t| t.is_any(&["OF", "IN"])) {
        next += 2;
    }
    while read
        .get(next)
        .is_some_and(|t| t.is_any(&["SUPPRESS", "PRINTING"]))
    {
        next += 1;
    }
    if read.get(next).is_some_and(|t| t.is("REPLACING")) {
        let (list, after) = parse_replacing(read, next + 1);
        if list.is_empty() {
            return (
                Err("REPLACING without a text BY another".to_owned()),
                after.max(next + 1),
            );
        }
        copy.replacing = list;
        next = after;
    }
    if read.get(next).is_some_and(|t| t.is_mark('.')) {
        (Ok(copy), next + 1)
    } else {
        (Err(format!("COPY {} has no period", copy.name)), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(main: &str, members: &[(&str, &str)]) -> (String, Vec<Diagnostic>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in members {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let library = Library::open(&[folder.path()]);
        let mut expander = Expander::new(&library);
        let out = expander.program(Path::new("main.cbl"), main.as_bytes(), Format::Free);
        let mut text = String::new();
        for t in out {
            if t.spaced && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&t.text);
        }
        (text, expander.diagnostics)
    }

    #[test]
    fn members_are_found_in_any_case_and_nest() {
        let (text, d) = expand(
            "A. COPY One. B.",
            &[("ONE.cpy", "x COPY two. y"), ("two.CPY", "z")],
        );
        assert_eq!(d, []);
        assert_eq!(text, "A. x z y B.");
    }

    #[test]
    fn replacing_takes_words_tags_and_parts() {
        let (text, d) = expand(
            "COPY M REPLACING ==:TAG:== BY ==WS== OLD-A BY NEW-A LEADING ==PRE== BY ==POST==.",
            &[(
                "M.cpy",
                "01 :TAG:-NAME PIC X(:TAG:). 01 old-a PRE-FIX X-PRE.",
            )],
        );
        assert_eq!(d, []);
        assert_eq!(text, "01 WS-NAME PIC X(WS). 01 NEW-A POST-FIX X-PRE.");
    }

    #[test]
    fn replace_statements_hold_until_off() {
        let (text, d) = expand(
            "REPLACE ==A B== BY ==C==.\nA  b D.\nREPLACE OFF.\nA B.",
            &[],
        );
        assert_eq!(d, []);
        assert_eq!(text, "C D. A B.");
    }

    #[test]
    fn copy_and_replace_are_options_in_a_command() {
        let source =
            "EXEC CICS ISSUE COPY TERMID(A) END-EXEC EXEC CICS ISSUE\nREPLACE DESTID(B) END-EXEC.";
        let (text, d) = expand(source, &[]);
        assert_eq!(d, []);
        assert_eq!(text, source.replace('\n', " "));
    }

    #[test]
    fn missing_and_looping_members_are_told() {
        let (_, d) = expand("COPY NOSUCH.\nCOPY L.", &[("L.cpy", "COPY L.")]);
        assert_eq!(d.len(), 2);
        assert_eq!(d[0].kind, Finding::MissingMember("NOSUCH".to_owned()));
        assert!(d[1].message.contains("copies itself"));
        let (text, d) = expand("COPY DFHAID.", &[]);
        assert_eq!(d, []);
        assert!(text.contains("DFHPF12"));
    }
}
