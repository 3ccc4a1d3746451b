//! Wrong programs: every finding with its line, column and help.

use std::fmt::Write;

use translator::{Kind, Severity};

use super::{testdata, translated};

#[test]
fn every_finding_is_told_with_its_place() {
    let translation = translated("wrong.cbl");
    let mut said = String::new();
    for d in &translation.diagnostics {
        writeln!(said, "{d}").unwrap();
    }
    let here = testdata().to_string_lossy().into_owned();
    let said = said.replace(&here, "testdata");
    let golden = testdata().join("wrong.golden");
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&golden, &said).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert!(said == expected, "differs:\n{said}");
}

#[test]
fn what_is_unsupported_is_listed() {
    let translation = translated("wrong.cbl");
    let list: Vec<(u32, &str)> = translation
        .unsupported()
        .map(|(d, n)| (d.line, n))
        .collect();
    assert_eq!(
        list,
        [
            (6, "EXEC SQL"),
            (17, "EXEC CICS WRITEQ TS"),
            (19, "EXEC DLI")
        ]
    );
}

#[test]
fn a_command_not_yet_supported_only_warns() {
    let translation = translated("handles.cbl");
    assert!(!translation.has_errors());
    let d = &translation.diagnostics[0];
    assert_eq!(d.kind, Kind::Unsupported("EXEC CICS SEND TEXT".to_owned()));
    assert_eq!((d.severity, d.line, d.column), (Severity::Warning, 16, 22));
}
