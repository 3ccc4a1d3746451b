//! What a program may reach outside of itself, and where the translator reports it.

use translator::{BuildResult, CompilerOptions, ModuleCompiler, ProgramSource, Severity};

fn build(text: &str) -> BuildResult {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.cbl");
    std::fs::write(&source, text).unwrap();
    let options = CompilerOptions::new(folder.path().join("modules"));
    let compiler = ModuleCompiler::new(options).unwrap();
    let first = compiler.build(&ProgramSource::new(&source));
    let again = compiler.build(&ProgramSource::new(&source));
    assert_eq!(first.diagnostics, again.diagnostics);
    assert_eq!(first.module, again.module);
    first
}

fn errors(built: &BuildResult) -> Vec<(u32, &str)> {
    let errors = built.diagnostics.iter();
    errors
        .filter(|d| d.severity == Severity::Error)
        .map(|d| (d.line, d.message.as_str()))
        .collect()
}

#[test]
fn calls_that_the_loader_would_bind_are_refused_where_they_stand() {
    let built = build(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES. CALL-CONVENTION 8 IS LOADER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 X PIC X(10) VALUE 'id'.
       01 Q USAGE PROCEDURE-POINTER.
       PROCEDURE DIVISION.
           CALL STATIC 'system' USING X.
           CALL LOADER 'getppid'.
           CALL 'SYSTEM' USING X.
           CALL 'CBL_OPEN_FILE' USING X X X X X.
           CALL X'91' USING X X X.
           CALL 'CBL_TOUPPER' USING X BY VALUE 10.
           CALL 'OTHER' USING X.
           SET Q TO ENTRY 'system'.
           GOBACK.
",
    );
    assert_eq!(built.module, None);
    let reported = errors(&built);
    let lines: Vec<u32> = reported.iter().map(|(line, _)| *line).collect();
    // An ENTRY is asked for at run time; its line is reported with the CALL that
    // has the same name.
    assert_eq!(lines, [11, 12, 13, 14, 15, 18], "{reported:?}");
    assert_eq!(reported[0].1, "CALL of 'system', which is not for programs");
}

#[test]
fn a_program_of_every_kind_of_statement_reaches_nothing_it_may_not() {
    let built = build(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 A PIC X(20) VALUE 'ONE TWO'.
       01 B PIC X(20).
       01 N PIC 9(4) VALUE 12.
       01 F COMP-2 VALUE 1.5.
       01 D PIC S9(9)V99 COMP-3 VALUE 2.
       01 K PIC S9(9) COMP VALUE 7.
       01 T.
          05 E OCCURS 1 TO 9 DEPENDING ON N ASCENDING KEY E INDEXED BY I
             PIC 9(4).
       01 P1 USAGE POINTER.
       PROCEDURE DIVISION.
           STRING A DELIMITED BY SPACE B DELIMITED BY SIZE INTO B.
           UNSTRING A DELIMITED BY ' ' INTO B A.
           INSPECT A REPLACING ALL 'O' BY 'X'.
           INSPECT A TALLYING N FOR ALL 'X'.
           INSPECT A CONVERTING 'AB' TO 'CD'.
           COMPUTE D ROUNDED = F * N ** 2 / 3 ON SIZE ERROR CONTINUE.
           DIVIDE K BY 3 GIVING N REMAINDER K.
           MOVE FUNCTION UPPER-CASE(A) TO B.
           MOVE FUNCTION CURRENT-DATE TO B.
           MOVE FUNCTION NUMVAL('12') TO K.
           ACCEPT B FROM DATE YYYYMMDD.
           DISPLAY A N F D UPON CONSOLE.
           INITIALIZE T.
           SORT E ASCENDING KEY E.
           SEARCH ALL E WHEN E(I) = 3 CONTINUE END-SEARCH.
           ALLOCATE 10 CHARACTERS RETURNING P1.
           FREE P1.
           EVALUATE TRUE WHEN A IS NUMERIC CONTINUE END-EVALUATE.
           PERFORM X VARYING N FROM 1 BY 1 UNTIL N > 3.
           CALL B USING A ON EXCEPTION CONTINUE END-CALL.
           CANCEL 'OTHER'.
           STOP RUN.
       X. ADD 1 TO K.
",
    );
    assert_eq!(errors(&built), [], "{:?}", built.diagnostics);
    assert!(built.module.is_some());
}

#[test]
fn a_program_with_commands_has_no_files_of_its_own() {
    let file = |command: &str| {
        build(&format!(
            "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT PW ASSIGN TO '/etc/shadow'
             ORGANIZATION IS LINE SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD PW.
       01 R PIC X(80).
       PROCEDURE DIVISION.
           OPEN INPUT PW.
           READ PW.
           {command}
           GOBACK.
"
        ))
    };
    let with = file("EXEC CICS RETURN END-EXEC.");
    let lines: Vec<u32> = errors(&with).iter().map(|(line, _)| *line).collect();
    assert_eq!((with.module.clone(), lines), (None, vec![6, 13]));
    let without = file("CONTINUE.");
    assert!(without.module.is_some(), "{:?}", without.diagnostics);
    let notes = without
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Note);
    assert_eq!(notes.count(), 2);
}
