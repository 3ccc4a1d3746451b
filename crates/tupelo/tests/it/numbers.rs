//! Numbers and calls for which GnuCOBOL differs from Enterprise COBOL, as
//! programs of a region and as batch programs.

use crate::program::{run, text};
use crate::server::application;

const DEFINITIONS: &str = "DEFINE TRANSACTION(NUM) GROUP(G) PROGRAM(NUM)\n";

/// A program that displays the results of these statements, without CICS commands.
fn program(storage: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NUM.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{storage}       PROCEDURE DIVISION.\n       MAIN-PARA.\n{statements}           GOBACK.\n"
    )
}

/// The output of the program in a region and as a batch program, which must be
/// the same.
pub(crate) fn displays(storage: &str, statements: &str) -> Vec<String> {
    let source = program(storage, statements);
    let app = application(&[
        ("resources.csd", DEFINITIONS),
        ("cobol/NUM.cbl", &source),
        ("batch/NUM.cbl", &source),
    ]);
    let folder = app.path().to_str().unwrap();
    let batch = run(&["batch", "NUM", folder]);
    let in_batch: Vec<String> = text(&batch.stdout).lines().map(str::to_owned).collect();
    let task = run(&["run", "NUM", folder]);
    let all = format!("{}{}", text(&task.stdout), text(&task.stderr));
    for line in &in_batch {
        assert!(
            all.contains(line.as_str()),
            "batch has {line:?}, the region:\n{all}"
        );
    }
    in_batch
}

#[test]
fn zoned_digits_count_whatever_their_zones_are() {
    let storage = "       01  G.\n           05  Z      PIC 9(3).\n       01  H.\n           05  S      PIC S9(3).\n       01  N          PIC S9(5) COMP-3.\n       01  W          PIC 9(3).\n       01  E          PIC ZZ9.\n       01  T          PIC X OCCURS 9.\n";
    let statements = "           MOVE 5 TO N
           MOVE ' 12' TO G
           ADD Z TO N
           DISPLAY 'ADD ' N
           COMPUTE N = Z * 2
           DISPLAY 'COMPUTE ' N
           MOVE Z TO N
           DISPLAY 'MOVE ' N
           MOVE Z TO E
           DISPLAY 'EDIT ' E
           MOVE Z TO W
           DISPLAY 'SAME ' W
           MOVE '5  ' TO G
           ADD 1 TO Z
           DISPLAY 'TO ITSELF ' Z
           MOVE '1B2' TO G
           MOVE Z TO N
           DISPLAY 'LETTER ' N
           MOVE '12}' TO H
           MOVE S TO N
           DISPLAY 'OVERPUNCH ' N
           MOVE ' 1J' TO H
           ADD 1 TO S
           DISPLAY 'NEGATIVE ' S
           MOVE LOW-VALUES TO G
           MOVE Z TO N
           DISPLAY 'ZEROS ' N
";
    assert_eq!(
        displays(storage, statements),
        [
            "ADD +00017",
            "COMPUTE +00024",
            "MOVE +00012",
            "EDIT  12",
            "SAME  12",
            "TO ITSELF 501",
            "LETTER +00122",
            "OVERPUNCH -00120",
            "NEGATIVE 010-",
            "ZEROS +00000",
        ]
    );
}

#[test]
fn characters_that_are_moved_to_a_number_are_an_unsigned_integer_with_blanks_as_zeros() {
    let storage = "       01  A          PIC X(3) VALUE '1'.
       01  B          PIC X(5) VALUE ' 12'.
       01  C          PIC X(4) VALUE LOW-VALUES.
       01  D          PIC X(35) VALUE
           '9876 0000000000000000000000000001 3'.
       01  F          PIC X(5) VALUE '12.50'.
       01  EQ         PIC 9(3).
       01  LONGER     PIC 9(5).
       01  SHORTER    PIC 9(2).
       01  P          PIC S9(7) COMP-3.
       01  N          PIC S9(9) COMP.
       01  E          PIC Z(4)9.
       01  V          PIC 9(3)V99.
";
    let statements = "           MOVE A TO EQ
           DISPLAY 'SAME [' EQ ']'
           MOVE A TO LONGER
           DISPLAY 'LONGER ' LONGER
           MOVE A TO SHORTER
           DISPLAY 'SHORTER ' SHORTER
           MOVE A TO P
           DISPLAY 'PACKED ' P
           MOVE B TO N
           DISPLAY 'BINARY ' N
           MOVE B TO E
           DISPLAY 'EDITED ' E
           MOVE C TO N
           DISPLAY 'LOW-VALUES ' N
           MOVE D TO P
           DISPLAY 'LAST DIGITS ' P
           MOVE A TO V
           DISPLAY 'PLACES ' V
           MOVE F TO V
           DISPLAY 'NO DIGIT ' V
";
    assert_eq!(
        displays(storage, statements),
        [
            "SAME [1 0]",
            "LONGER 00100",
            "SHORTER 00",
            "PACKED +0000100",
            "BINARY +0000001200",
            "EDITED  1200",
            "LOW-VALUES +0000000000",
            "LAST DIGITS +0000103",
            "PLACES 10000",
            "NO DIGIT 01250",
        ]
    );
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
    let shown = displays(storage, &statements);
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
    let storage = "       01  G VALUE '1.2'.\n           05  Z      PIC 9(3).\n       01  X          PIC X(3).\n";
    assert_eq!(
        displays(storage, "           MOVE Z TO X\n           DISPLAY X\n"),
        ["1.2"]
    );
}

#[test]
fn functions_and_operators_follow_the_manual() {
    let storage = "       01  X PIC S9(5)V99 SIGN LEADING SEPARATE.\n       01  CURSOR PIC 9(4).\n       01  G.\n           05  S PIC S9(3).\n";
    let statements = "           COMPUTE X = FUNCTION NUMVAL('12.50CR')
           DISPLAY X
           COMPUTE X = FUNCTION NUMVAL(' 12.50 DB ')
           DISPLAY X
           COMPUTE X = FUNCTION NUMVAL-C('$1,012.50cr')
           DISPLAY X
           COMPUTE CURSOR = 2 ** 3 ** 2
           DISPLAY CURSOR
           MOVE '12K' TO G
           IF S NUMERIC DISPLAY 'NUMERIC' END-IF
           MOVE ' 1K' TO G
           IF S NOT NUMERIC DISPLAY 'NOT NUMERIC' END-IF
";
    assert_eq!(
        displays(storage, statements),
        [
            "-0001250",
            "-0001250",
            "-0101250",
            "0064",
            "NUMERIC",
            "NOT NUMERIC",
        ]
    );
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
