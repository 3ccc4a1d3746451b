//! Numbers and calls for which GnuCOBOL differs from Enterprise COBOL, as
//! programs of a region and as batch programs.

use crate::displays::{DEFINITIONS, displays, displays_its_lines};
use crate::program::{run, text};
use crate::server::application;

/// A program that displays the results of these statements, without CICS commands.
fn program(storage: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NUM.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{storage}       PROCEDURE DIVISION.\n       MAIN-PARA.\n{statements}           GOBACK.\n"
    )
}

#[test]
fn zoned_digits_count_whatever_their_zones_are() {
    displays_its_lines("ZONED");
}

#[test]
fn characters_that_are_moved_to_a_number_are_an_unsigned_integer_with_blanks_as_zeros() {
    displays_its_lines("CHARACTERS");
}

#[test]
fn comparisons_with_numbers_of_another_form_compare_only_digits() {
    let storage = "       01  G VALUE ' 12'.
           05  Z      PIC 9(3).
       01  H VALUE ' 1K'.
           05  S      PIC S9(3).
       01  T VALUE ' 1 2 3'.
           05  E      PIC 9(2) OCCURS 3.
       01  B          PIC S9(4) COMP VALUE 12.
       01  P          PIC S9(5) COMP-3 VALUE 12.
       01  P9         PIC S9(15) COMP-3 VALUE 12.
       01  Q          PIC 9(3) VALUE 12.
       01  Q5         PIC 9(5) VALUE 12.
       01  NS         PIC S9(3) VALUE -12.
       01  NUMBERS    VALUE ' 2'.
           05  N      PIC 99.
";
    let mut statements = String::new();
    for (condition, _) in COMPARISONS {
        statements += &format!("           IF {condition} DISPLAY 'YES' ELSE DISPLAY 'NO'.\n");
    }
    let shown = displays(&program(storage, &statements));
    for ((condition, holds), line) in COMPARISONS.iter().zip(&shown) {
        assert_eq!(line == "YES", *holds, "{condition}");
    }
    assert_eq!(shown.len(), COMPARISONS.len());
}

/// Conditions on zoned items with blanks, and whether they hold. An unsigned item
/// is compared with a literal, or with an unsigned one of its form, as characters.
const COMPARISONS: &[(&str, bool)] = &[
    ("Z = B", true),
    ("Z = P", true),
    ("Z = P9", true),
    ("Z = Q5", true),
    ("Z > NS", true),
    ("Z + 1 = 13", true),
    ("Z = 12.0", true),
    ("S = -12", true),
    ("S = NS", true),
    ("S < 0", true),
    ("S NEGATIVE", true),
    ("E(N) + 1 = 3", true),
    ("E(2) < B", true),
    ("Z = 12", false),
    ("Z > 11", false),
    ("Z = Q", false),
];

#[test]
fn an_invalid_digit_or_sign_is_a_data_exception_where_it_is_computed_with() {
    for (storage, statements, bytes) in [
        ("PIC 9(3)", "           ADD Z TO N\n", "312E32"),
        ("PIC 9(3)", "           MOVE Z TO N\n", "312E32"),
        ("PIC S9(3)", "           COMPUTE N = Z + 1\n", "202020"),
    ] {
        let value = if bytes == "202020" { "   " } else { "1.2" };
        let storage = format!(
            "       01  G VALUE '{value}'.\n           05  Z      {storage}.\n       01  N          PIC S9(5) COMP-3 VALUE 5.\n"
        );
        let source = program(&storage, statements);
        let app = application(&[
            ("resources.csd", DEFINITIONS),
            ("cobol/NUM.cbl", &source),
            ("batch/NUM.cbl", &source),
        ]);
        let folder = app.path().to_str().unwrap();
        for command in ["run", "batch"] {
            let ended = run(&[command, "NUM", folder]);
            let all = format!("{}{}", text(&ended.stdout), text(&ended.stderr));
            assert!(!ended.status.success(), "{all}");
            let expected = format!("data exception (0C7): Z holds X'{bytes}'");
            assert!(all.contains(&expected), "{command}: {all}");
        }
    }
}

#[test]
fn a_move_to_characters_takes_any_bytes() {
    displays_its_lines("ANYBYTES");
}

#[test]
fn functions_and_operators_follow_the_manual() {
    displays_its_lines("FUNCTIONS");
}

#[test]
fn one_of_two_exception_phrases_of_a_call_runs() {
    let storage = "       01  PN PIC X(8) VALUE 'NOPROG'.\n";
    let statements = "           CALL PN ON EXCEPTION DISPLAY '1 EXCEPTION'
             NOT ON EXCEPTION DISPLAY '1 NOT EXCEPTION' END-CALL
           CALL 'NOPROG' NOT ON EXCEPTION DISPLAY '2 NOT EXCEPTION'
             ON EXCEPTION IF PN = 'NOPROG' DISPLAY '2 EXCEPTION'.
           CALL 'SUBOK' ON EXCEPTION DISPLAY '3 EXCEPTION'
             NOT ON EXCEPTION DISPLAY '3 NOT EXCEPTION'.
";
    let source = program(storage, statements);
    let sub = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. SUBOK.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let app = application(&[
        ("resources.csd", DEFINITIONS),
        ("cobol/NUM.cbl", &source),
        ("cobol/SUBOK.cbl", sub),
    ]);
    let ended = run(&["run", "NUM", app.path().to_str().unwrap()]);
    let all = format!("{}{}", text(&ended.stdout), text(&ended.stderr));
    let shown: Vec<&str> = all
        .lines()
        .filter_map(|l| l.split_once("NUM  NUM"))
        .map(|(_, said)| said.trim())
        .collect();
    assert_eq!(
        shown,
        ["1 EXCEPTION", "2 EXCEPTION", "3 NOT EXCEPTION"],
        "{all}"
    );
}
