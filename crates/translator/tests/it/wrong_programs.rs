//! Wrong programs: every finding with its line, column and help.

use std::fmt::Write;
use std::path::Path;

use translator::{CopyLibrary, DiagnosticKind, ReferenceFormat, Severity, translate};

use super::{testdata, translated};

#[test]
fn every_finding_is_reported_with_its_place() {
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
    assert_eq!(list, [(17, "EXEC CICS SEND PAGE"), (19, "EXEC DLI")]);
}

#[test]
fn a_command_not_yet_supported_only_warns() {
    let translation = translated("handles.cbl");
    assert!(!translation.has_errors());
    let d = &translation.diagnostics[0];
    assert_eq!(
        d.kind,
        DiagnosticKind::Unsupported("EXEC CICS SEND PAGE".to_owned())
    );
    assert_eq!((d.severity, d.line, d.column), (Severity::Warning, 16, 22));
}

#[test]
fn an_option_that_lacks_its_value_shifts_no_other() {
    let text = b"       IDENTIFICATION DIVISION.
       PROGRAM-ID. BARE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 R PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS INQUIRE MONITOR APPLNAMEST RESP(R)
           END-EXEC
           GOBACK.
";
    let library = CopyLibrary::open::<&Path>(&[]);
    let bare = translate(Path::new("BARE.cbl"), text, ReferenceFormat::Auto, &library);
    let text = String::from_utf8_lossy(&bare.text).into_owned();
    let call = text.split("DFHEI1").nth(1).unwrap();
    assert!(call.contains("'/'"), "{text}");
}

#[test]
fn options_and_values_that_are_not_served_only_warn() {
    let translation = translated("unserved.cbl");
    assert!(!translation.has_errors());
    let shown: Vec<(u32, &str, Option<&str>)> = translation
        .diagnostics
        .iter()
        .map(|d| (d.line, d.message.as_str(), d.help.as_deref()))
        .collect();
    let told_of = |line, what, help| (line, what, Some(help));
    assert_eq!(
        shown,
        [
            told_of(
                8,
                "EXEC CICS ALLOCATE SESSION is not supported yet",
                "it answers SESSIONERR"
            ),
            told_of(
                10,
                "EXEC CICS CONNECT PROCESS SYNCLEVEL(2) is not supported yet",
                "it answers INVREQ"
            ),
            told_of(
                18,
                "EXEC CICS CONVERSE FMH is not supported yet",
                "it answers INVREQ"
            ),
            told_of(
                19,
                "EXEC CICS EXTRACT ATTACH is not supported: conversations are those of LU 6.2 with \
                 sync level 0 or 1, not of LU 6.1, MRO or sync level 2: CONNECT PROCESS and EXTRACT \
                 PROCESS begin them",
                "it ends the task with AEY9 when it is reached"
            ),
        ]
    );
}

#[test]
fn areas_of_maps_are_named_after_a_literal_and_required_otherwise() {
    let text = b"       IDENTIFICATION DIVISION.
       PROGRAM-ID. MAPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 M PIC X(7).
       01 MENUI PIC X(9).
       01 MENUO REDEFINES MENUI PIC X(9).
       PROCEDURE DIVISION.
           EXEC CICS SEND MAP('MENU') CURSOR ERASE END-EXEC
           EXEC CICS SEND MAP('ONLY') MAPONLY CURSOR(80) END-EXEC
           EXEC CICS RECEIVE MAP('MENU ') END-EXEC
           EXEC CICS RECEIVE MAP(M) END-EXEC
           GOBACK.
";
    let library = CopyLibrary::open::<&Path>(&[]);
    let maps = translate(Path::new("MAPS.cbl"), text, ReferenceFormat::Auto, &library);
    let said: Vec<String> = maps.diagnostics.iter().map(ToString::to_string).collect();
    let wanted = "RECEIVE MAP needs INTO, because MAP is not a literal";
    assert!(said.len() == 1 && said[0].contains(wanted), "{said:?}");
    let text = String::from_utf8_lossy(&maps.text).into_owned();
    let procedure = text.split("PROCEDURE DIVISION").nth(1).unwrap();
    let calls: Vec<&str> = procedure.split("DFHEI1").skip(1).collect();
    let [send, only, receive, ..] = calls[..] else {
        panic!("{procedure}");
    };
    assert!(send.contains("MENUO") && send.contains("-1"), "{send}");
    assert!(!only.contains("ONLYO") && only.contains("80"), "{only}");
    assert!(receive.contains("MENUI"), "{receive}");
}
