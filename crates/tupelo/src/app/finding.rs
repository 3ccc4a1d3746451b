//! Findings about source texts, as they are shown: place, message, the line with a
//! caret below it, and a hint.
//!
//! Every crate that reads such a text returns findings of `base`. Only this module
//! formats them for a terminal. The first line is `file:line:column: severity:
//! message`, which editors and other tools read.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

pub use base::{Diagnostic as Finding, Severity};

/// Whether two findings have the same message and place: two readers of one text
/// may give different hints.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let place = |f: &Finding| (f.severity, f.line, f.column);
    place(one) == place(other) && one.file == other.file && one.message == other.message
}

/// Findings in the order in which they were made, without duplicates.
#[derive(Debug, Default, Clone)]
pub struct Findings {
    /// The folder that paths are shown relative to.
    folder: PathBuf,
    all: Vec<Finding>,
}

impl Findings {
    /// An empty list. Paths below `folder` are shown relative to it.
    pub fn new(folder: &Path) -> Findings {
        Findings {
            folder: folder.to_owned(),
            all: Vec::new(),
        }
    }

    /// Adds a finding unless it is a duplicate.
    pub fn add(&mut self, finding: impl Into<Finding>) {
        let mut finding = finding.into();
        if let Ok(below) = finding.file.strip_prefix(&self.folder)
            && !below.as_os_str().is_empty()
        {
            finding.file = below.to_owned();
        }
        match self.all.iter_mut().find(|known| is_same(known, &finding)) {
            Some(known) if known.help.is_none() => known.help = finding.help,
            Some(_) => {}
            None => self.all.push(finding),
        }
    }

    /// Adds several findings.
    pub fn extend<F: Into<Finding>>(&mut self, findings: impl IntoIterator<Item = F>) {
        findings.into_iter().for_each(|finding| self.add(finding));
    }

    /// Adds a warning without a place.
    pub fn warn(&mut self, message: String) {
        self.add(Finding::new(Severity::Warning, (0, 0), message));
    }

    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.all.iter().filter(|f| f.severity == severity).count()
    }

    /// All findings.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.all.iter()
    }

    /// The findings that are not among `known`.
    pub fn without(&self, known: &[Finding]) -> Findings {
        let fresh = self.all.iter();
        let fresh = fresh.filter(|f| !known.iter().any(|known| is_same(known, f)));
        Findings {
            folder: self.folder.clone(),
            all: fresh.cloned().collect(),
        }
    }

    /// The findings of at least this severity, as text; with colours for a terminal.
    pub fn text(&self, least: Severity, colours: bool) -> String {
        let mut out = String::new();
        let mut read: Option<(PathBuf, Vec<String>)> = None;
        for finding in self.all.iter().filter(|f| f.severity >= least) {
            let path = self.folder.join(&finding.file);
            if finding.line > 0 && read.as_ref().is_none_or(|(known, _)| *known != path) {
                read = Some((path.clone(), lines(&path)));
            }
            let source = read
                .as_ref()
                .filter(|(known, _)| *known == path)
                .and_then(|(_, lines)| lines.get(finding.line.checked_sub(1)? as usize));
            let shown = finding
                .file
                .strip_prefix(&self.folder)
                .unwrap_or(&finding.file);
            let _ = write(
                &mut out,
                finding,
                shown,
                source.map(String::as_str),
                colours,
            );
        }
        out
    }
}

/// The lines of a text; bytes that are not UTF-8 are read as Latin-1.
fn lines(path: &Path) -> Vec<String> {
    let bytes = sources::read(path).unwrap_or_default();
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect());
    text.lines().map(str::to_owned).collect()
}

fn write(
    out: &mut String,
    finding: &Finding,
    file: &Path,
    source: Option<&str>,
    colours: bool,
) -> fmt::Result {
    let colour = match finding.severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Note => "\x1b[1;36m",
    };
    let paint = |code: &'static str| if colours { code } else { "" };
    let (bold, plain, faint) = (paint("\x1b[1m"), paint("\x1b[0m"), paint("\x1b[2m"));
    let colour = paint(colour);
    if !file.as_os_str().is_empty() {
        write!(out, "{bold}{}", file.display())?;
        if finding.line > 0 {
            write!(out, ":{}", finding.line)?;
            if finding.column > 0 {
                write!(out, ":{}", finding.column)?;
            }
        }
        write!(out, ":{plain} ")?;
    }
    writeln!(
        out,
        "{colour}{}:{plain} {}",
        finding.severity,
        printable(&finding.message)
    )?;
    if let Some(source) = source {
        let number = finding.line.to_string();
        let blank = " ".repeat(number.len());
        let source: String = source.trim_end().chars().take(WIDEST).collect();
        // A tab counts as one column, as it is one character in the text.
        let source = source.replace('\t', " ");
        writeln!(out, "  {faint}{number} |{plain} {}", printable(&source))?;
        let column = match finding.column {
            0 => quoted(&finding.message, &source).or_else(|| named(&finding.message, &source)),
            column => Some(column as usize),
        };
        if let Some(before) = column
            .filter(|column| *column <= WIDEST)
            .map(|column| column - 1)
        {
            let length = caret_length(&source, before);
            let carets = "^".repeat(length);
            writeln!(
                out,
                "  {faint}{blank} |{plain} {}{colour}{carets}{plain}",
                " ".repeat(before)
            )?;
        }
    }
    if let Some(help) = &finding.help {
        writeln!(out, "  {faint}help:{plain} {}", printable(help))?;
    }
    Ok(())
}

/// The column from 1 of the word that a message quotes, if the line contains the
/// word as a whole: the COBOL compiler reports only the line.
fn quoted(message: &str, source: &str) -> Option<usize> {
    let word = message.split('\'').nth(1).filter(|word| !word.is_empty())?;
    whole_word(word, source)
}

/// The column of the last name in capitals: definitions are reported by their line.
fn named(message: &str, source: &str) -> Option<usize> {
    let name = |word: &&str| {
        let letters = word.chars().filter(char::is_ascii_uppercase).count();
        letters > 1 && !word.contains(|c: char| c.is_ascii_lowercase())
    };
    let words = message.split_whitespace().rev();
    let words = words.map(|word| word.trim_end_matches([':', ',', ';', '.']));
    words.filter(name).find_map(|word| whole_word(word, source))
}

fn whole_word(word: &str, source: &str) -> Option<usize> {
    let word = word.to_ascii_uppercase();
    let upper = source.to_ascii_uppercase();
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let whole = |at: usize| {
        let before = upper[..at].chars().next_back();
        let after = upper[at + word.len()..].chars().next();
        let ends = |side: Option<char>, own: Option<char>| {
            !(side.is_some_and(part) && own.is_some_and(part))
        };
        ends(before, word.chars().next()) && ends(after, word.chars().next_back())
    };
    let mut places = upper.match_indices(&word).map(|(at, _)| at);
    let at = places.find(|at| whole(*at))?;
    Some(source[..at].chars().count() + 1)
}

/// The length of the word that begins at a column.
fn caret_length(source: &str, before: usize) -> usize {
    let word = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '$');
    let mut from = source.chars().skip(before);
    if let Some(quote @ ('"' | '\'')) = from.next()
        && let Some(inside) = from.position(|c| c == quote)
    {
        return (inside + 2).min(40);
    }
    source
        .chars()
        .skip(before)
        .take_while(word)
        .count()
        .clamp(1, 40)
}

/// The text without control characters, which would control the terminal.
fn printable(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() && c != '\n' {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// Longer lines are cut.
const WIDEST: usize = 200;

/// Sorted names for a sentence, without duplicates.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.into_iter().collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(file: &Path) -> Finding {
        Finding {
            severity: Severity::Error,
            file: file.to_owned(),
            line: 2,
            column: 8,
            message: "there is no RIDFDL".into(),
            help: Some("is RIDFLD meant?".into()),
        }
    }

    #[test]
    fn a_finding_shows_its_line_with_a_caret_and_the_fix_and_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.cbl");
        std::fs::write(&file, "first\n  READ RIDFDL(X)\n").unwrap();
        let mut findings = Findings::new(folder.path());
        findings.add(finding(&file));
        findings.add(finding(&file));
        let text = findings.text(Severity::Note, false);
        assert_eq!(
            text,
            "a.cbl:2:8: error: there is no RIDFDL\n  2 |   READ RIDFDL(X)\n    |        ^^^^^^\n  help: is RIDFLD meant?\n"
        );
        assert!(findings.text(Severity::Note, true).contains("\x1b[1;31m"));
    }

    #[test]
    fn what_two_readers_of_a_text_say_is_one_finding() {
        let mut findings = Findings::new(Path::new("/app"));
        for (file, help) in [
            ("/app/copybooks/A.cpy", None),
            ("copybooks/A.cpy", Some("searched in copybooks")),
            ("/app/copybooks/A.cpy", Some("searched elsewhere")),
        ] {
            findings.add(Finding {
                help: help.map(str::to_owned),
                ..finding(Path::new(file))
            });
        }
        assert_eq!(findings.count(Severity::Error), 1);
        let text = findings.text(Severity::Note, false);
        assert!(text.contains("help: searched in copybooks"), "{text}");
        assert!(findings.without(&findings.all).all.is_empty());
    }

    #[test]
    fn a_line_without_a_column_has_its_caret_where_the_quoted_word_stands() {
        assert_eq!(
            quoted("'NAME-X' is not defined", "  MOVE A TO name-x."),
            Some(13)
        );
        assert_eq!(
            quoted("'NAME' is not defined", "  MOVE WS-NAME TO NAME-2 NAME."),
            Some(26)
        );
        assert_eq!(quoted("'X' is not defined", "  MOVE XX TO X."), Some(14));
        assert_eq!(quoted("syntax error", "  MOVE"), None);
        assert_eq!(quoted("it's 'é'", "é"), None);
    }

    #[test]
    fn a_line_without_a_column_is_marked_at_the_reported_name() {
        let line = "DEFINE TRANSACTION(BINQ) PROGRAM(NONE)";
        assert_eq!(
            named("TRANSACTION(BINQ): there is no program NONE", line),
            Some(34)
        );
        let message = "TRANSACTION(BINQ): there is no TRANCLASS(C), so nothing bounds it";
        assert_eq!(named(message, line), Some(8));
        assert_eq!(named("there is no X", line), None);
    }

    #[test]
    fn a_text_in_quotes_is_marked_as_a_whole() {
        assert_eq!(caret_length("listen = \"8080\"", 9), 6);
        assert_eq!(caret_length("x = \"open", 4), 1);
        assert_eq!(caret_length("x = name-1 y", 4), 6);
    }

    #[test]
    fn a_missing_place_and_control_characters_do_no_harm() {
        let mut strange = finding(Path::new("/nowhere/x"));
        strange.line = 7;
        strange.message = "a\x1b[2Jb".into();
        let mut findings = Findings::new(Path::new("/nowhere"));
        findings.add(strange);
        let text = findings.text(Severity::Note, false);
        assert!(text.starts_with("x:7:8: error: a\u{fffd}[2Jb\n"), "{text}");
    }
}
