//! Findings about source texts, as they are shown: place, message, the line with a
//! caret below it, and a hint.
//!
//! Every crate that reads such a text returns findings of `base`, which also formats
//! one of them for a terminal. This module collects them and reads their lines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base::excerpt;
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
            out += &excerpt(finding, shown, source.map(String::as_str), colours);
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
            help: Some("did you mean RIDFLD?".into()),
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
            "a.cbl:2:8: error: there is no RIDFDL\n  2 |   READ RIDFDL(X)\n    |        ^^^^^^\n  help: did you mean RIDFLD?\n"
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
