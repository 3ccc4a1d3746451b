//! Programs with their COPY members, as tokens.
//!
//! COPY, REPLACING and REPLACE are the copybook crate's; here are the members
//! that CICS supplies, and the bytes: a source is read one character a byte,
//! so that literals in any encoding pass through.

use std::path::{Path, PathBuf};

use copybook::{CopyFolders, CopyMember, CopyResolver, FaultKind, ReferenceFormat, preprocess};

use crate::diagnostic::{Diagnostic, DiagnosticKind, Severity};
use crate::source::{SourceFiles, SourcePlace, decode};
use crate::standard;
use crate::token::{Token, tokens};

/// The folders of COPY members.
#[derive(Debug, Clone, Default)]
pub struct CopyLibrary {
    folders: CopyFolders,
}

impl CopyLibrary {
    /// The members of folders, the first that has one wins; a folder that
    /// cannot be read is empty.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Self {
        CopyLibrary {
            folders: CopyFolders::new(folders.iter().map(AsRef::as_ref)),
        }
    }

    /// File of a member.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.folders.find(name, None).ok().flatten()
    }
}

impl CopyResolver for CopyLibrary {
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<CopyMember>, String> {
        match self.folders.find(name, library)? {
            Some(path) => {
                let bytes = sources::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                Ok(Some(CopyMember {
                    name: path.to_string_lossy().into_owned(),
                    text: decode(&bytes),
                }))
            }
            None => Ok(standard::member(name).map(|text| CopyMember {
                name: format!("{}.cpy", name.to_ascii_uppercase()),
                text: text.into_owned(),
            })),
        }
    }

    fn hint(&self, name: &str) -> String {
        self.folders.hint(name)
    }
}

/// A program with its members.
pub(crate) struct ExpandedSource {
    pub files: SourceFiles,
    pub tokens: Vec<Token>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a program with its members. `path` is what messages call it.
pub(crate) fn expand(
    path: &Path,
    text: &[u8],
    format: ReferenceFormat,
    library: &CopyLibrary,
) -> ExpandedSource {
    let read = preprocess(&path.to_string_lossy(), &decode(text), format, library);
    let mut files = SourceFiles::default();
    for (index, file) in read.diagnostics.files.iter().enumerate() {
        let name = match index {
            0 => path,
            _ => Path::new(&*file.name),
        };
        files.push(name);
    }
    let mut diagnostics: Vec<Diagnostic> = read.diagnostics.list.into_iter().map(from).collect();
    let (tokens, open) = tokens(&read.pieces);
    for at in open {
        let mut found = unclosed(&files, at);
        // The literal's quote is among the ignored columns: that is one error.
        let before = diagnostics.len();
        let beyond = |d: &Diagnostic| d.column > 72 && d.severity == Severity::Warning;
        diagnostics.retain(|d| !(d.line == found.line && d.file == found.file && beyond(d)));
        if diagnostics.len() < before {
            found.message = "the literal has no closing quote before column 73, and nothing is \
                             read after column 72"
                .to_owned();
        }
        diagnostics.push(found);
    }
    ExpandedSource {
        files,
        tokens,
        diagnostics,
    }
}

fn from(fault: copybook::Diagnostic) -> Diagnostic {
    Diagnostic {
        finding: fault.finding,
        kind: match fault.kind {
            FaultKind::Text => DiagnosticKind::Source,
            FaultKind::MissingMember(name) => DiagnosticKind::MissingMember(name),
            FaultKind::Unsupported(what) => DiagnosticKind::Unsupported(what),
        },
    }
}

fn unclosed(files: &SourceFiles, at: SourcePlace) -> Diagnostic {
    Diagnostic {
        finding: base::Diagnostic::new(
            Severity::Error,
            (at.line, at.column),
            "the literal has no closing quote",
        )
        .in_file(files.path(at.file))
        .with_help(
            "close it with the quote that it begins with, before column 73; to continue it, put a hyphen into column 7 of the next line, then the quote again",
        ),
        kind: DiagnosticKind::Source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(main: &str, members: &[(&str, &str)]) -> (String, Vec<Diagnostic>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in members {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let library = CopyLibrary::open(&[folder.path()]);
        let out = expand(
            Path::new("main.cbl"),
            main.as_bytes(),
            ReferenceFormat::Free,
            &library,
        );
        let mut text = String::new();
        for t in out.tokens {
            if t.spaced && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&t.text);
        }
        (text, out.diagnostics)
    }

    #[test]
    fn members_are_found_in_any_case_and_nest() {
        let (text, d) = read(
            "A. COPY One. B.",
            &[("ONE.cpy", "x COPY two. y"), ("two.CPY", "z")],
        );
        assert_eq!(d, []);
        assert_eq!(text, "A. x z y B.");
    }

    #[test]
    fn replacing_takes_words_tags_and_parts() {
        let (text, d) = read(
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
        let (text, d) = read(
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
        let (text, d) = read(source, &[]);
        assert_eq!(d, []);
        assert_eq!(text, source.replace('\n', " "));
    }

    #[test]
    fn a_literal_that_is_cut_at_column_72_is_one_fault() {
        let text = format!("{:<60}'GOES ON FOR LONG'.\n", "           DISPLAY");
        let library = CopyLibrary::open(&[Path::new(".")]);
        let read = expand(
            Path::new("m.cbl"),
            text.as_bytes(),
            ReferenceFormat::Fixed,
            &library,
        );
        let [one] = &read.diagnostics[..] else {
            panic!("{:?}", read.diagnostics);
        };
        assert_eq!((one.line, one.column), (1, 61));
        assert!(one.message.contains("before column 73"), "{}", one.message);
    }

    #[test]
    fn missing_and_looping_members_are_reported() {
        let (_, d) = read("COPY NOSUCH.\nCOPY L.", &[("L.cpy", "COPY L.")]);
        assert_eq!(d.len(), 2);
        assert_eq!(
            d[0].kind,
            DiagnosticKind::MissingMember("NOSUCH".to_owned())
        );
        assert!(d[1].message.contains("bring in itself"), "{}", d[1].message);
        let (text, d) = read("COPY DFHAID.", &[]);
        assert_eq!(d, []);
        assert!(text.contains("DFHPF12"));
    }

    #[test]
    fn bytes_of_any_encoding_pass_through() {
        let (text, d) = read("DISPLAY 'Ä'.", &[]);
        assert_eq!(d, []);
        assert_eq!(crate::source::encode(&text), "DISPLAY 'Ä'.".as_bytes());
    }
}
