//! Lengths of records that vary and have storage with several descriptions.

use std::path::Path;
use std::process::Command;

use translator::{CopyLibrary, ReferenceFormat, Severity, TranslatedSource, flags, translate};

fn program(record: &str, statements: &str) -> TranslatedSource {
    let text = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. VARY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SHOWN                  PIC 9(4).
       01  NUMBERS.
           05  N                  PIC 9(4) COMP OCCURS 2.
{record}
       PROCEDURE DIVISION.
{statements}
           GOBACK.
"
    );
    let library = CopyLibrary::open::<&Path>(&[]);
    translate(
        Path::new("VARY.cbl"),
        text.as_bytes(),
        ReferenceFormat::Auto,
        &library,
    )
}

/// What a program displays.
fn run(program: &TranslatedSource) -> String {
    assert!(!program.has_errors(), "{:?}", program.diagnostics);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vary.i"), &program.text).unwrap();
    let made = Command::new("cobc")
        .current_dir(folder.path())
        .args(flags().filter(|flag| *flag != "-m"))
        .args(["-x", "-debug", "-o", "vary", "vary.i"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let out = Command::new(folder.path().join("vary")).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

const RECORD: &str = "       01  ORD.
           05  ORD-HEAD.
             10  ORD-COUNT        PIC 9(2) COMP.
             10  ORD-DATE         PIC 9(8).
             10  ORD-DATE-R REDEFINES ORD-DATE.
               15  ORD-YEAR       PIC 9(4).
               15  ORD-DAY        PIC 9(4).
           05  ORD-PARTY          PIC X(20).
           05  ORD-FIRM REDEFINES ORD-PARTY PIC X(20).
           05  ORD-BODY.
             10  ORD-TEXT         PIC X(3).
             10  ORD-SAME REDEFINES ORD-TEXT PIC 9(3).
             10  ORD-LINE OCCURS 0 TO 9 DEPENDING ON ORD-COUNT.
               15  ORD-QTY        PIC 9(4).
               15  ORD-QTY-X REDEFINES ORD-QTY PIC X(4).";

#[test]
fn the_length_of_a_group_that_varies_counts_no_storage_twice() {
    let statements = "           MOVE 2 TO ORD-COUNT
           MOVE LENGTH OF ORD TO SHOWN
           DISPLAY SHOWN WITH NO ADVANCING
           COMPUTE SHOWN = LENGTH OF ORD-BODY OF ORD + 1
           DISPLAY \" \" SHOWN WITH NO ADVANCING
           MOVE LENGTH ORD-BODY TO SHOWN
           DISPLAY \" \" SHOWN WITH NO ADVANCING
           MOVE LENGTH OF ORD-HEAD TO N (LENGTH OF N (1))
           MOVE N (2) TO SHOWN
           DISPLAY \" \" SHOWN WITH NO ADVANCING
           IF LENGTH OF ORD = 41 DISPLAY \" THIS\" WITH NO ADVANCING.
           MOVE ZERO TO ORD-COUNT
           MOVE FUNCTION LENGTH(ORD) TO SHOWN
           DISPLAY \" \" SHOWN.";
    let program = program(RECORD, statements);
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
    assert_eq!(run(&program), "0041 0012 0011 0010 THIS 0033\n");
}

#[test]
fn a_command_is_given_such_a_length() {
    let put = "           EXEC CICS PUT CONTAINER('A') FROM(ORD)
               FLENGTH(LENGTH OF ORD) END-EXEC
           EXEC CICS PUT CONTAINER('B') FROM(ORD)
               FLENGTH(LENGTH ORD-BODY) END-EXEC";
    let program = program(RECORD, put);
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
    let text = String::from_utf8(program.text).unwrap();
    assert!(text.contains("= FUNCTION LENGTH ( ORD)"), "{text}");
    assert!(text.contains("= FUNCTION LENGTH (ORD-BODY)"), "{text}");
}

#[test]
fn a_record_that_the_compiler_lays_out_wrongly_is_reported() {
    let followed = format!("{RECORD}\n           05  ORD-END            PIC X.");
    let built = program(&followed, "           DISPLAY ORD-END");
    let said: Vec<(Severity, u32, &str)> = built
        .diagnostics
        .iter()
        .map(|d| (d.severity, d.line, d.message.as_str()))
        .collect();
    let message = "GnuCOBOL counts this REDEFINES twice: LENGTH OF ORD and the fields after the \
                   table are wrong";
    assert_eq!(said, [(Severity::Warning, 12, message)]);
    // Without a second description, or without a field after it, no record is reported.
    let once: Vec<&str> = followed
        .lines()
        .filter(|l| !l.contains("REDEFINES"))
        .collect();
    let once = once
        .join("\n")
        .replace("               15  ORD-DAY", "             10  ORD-DAY");
    let once = once.replace("               15  ORD-YEAR", "             10  ORD-YEAR");
    let built = program(&once, "           DISPLAY ORD-END");
    assert!(built.diagnostics.is_empty(), "{:?}", built.diagnostics);
}
