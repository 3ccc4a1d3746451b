//! JSON and XML statements, as programs of a region and as batch programs.
//!
//! Reference: Enterprise COBOL Language Reference, "JSON GENERATE statement",
//! "JSON PARSE statement", "XML GENERATE statement", "XML PARSE statement".

use crate::displays::{displays, displays_its_lines, program_and_lines};
use crate::program::{run, text};
use crate::server::application;

#[test]
fn generate_sets_text_count_and_code_and_runs_one_phrase() {
    displays_its_lines("GENERATE");
}

#[test]
fn tables_of_varying_length_and_conversions_are_followed() {
    displays_its_lines("VARYING");
}

#[test]
fn json_parse_fills_a_record_and_its_registers() {
    displays_its_lines("JSONPARSE");
}

#[test]
fn xml_parse_performs_its_procedure_for_each_event() {
    let (source, expected) = program_and_lines("XMLPARSE");
    let shown = displays(&source);
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    assert_eq!(shown, expected.lines().collect::<Vec<_>>());
}

#[test]
fn what_is_not_done_is_an_error_with_its_line() {
    let program = |statement: &str| {
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NUM.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  D PIC X(50).\n       01  G.\n           05  A PIC X.\n           05  W PIC N(2).\n       PROCEDURE DIVISION.\n       MAIN-PARA.\n           {statement}\n           GOBACK.\n"
        )
    };
    for (statement, message) in [
        (
            "XML PARSE D VALIDATING WITH FILE S PROCESSING PROCEDURE MAIN-PARA END-XML",
            "XML PARSE with VALIDATING is not supported",
        ),
        (
            "XML PARSE D RETURNING NATIONAL PROCESSING PROCEDURE MAIN-PARA",
            "XML PARSE with RETURNING NATIONAL is not supported",
        ),
        (
            "JSON GENERATE D FROM G",
            "JSON GENERATE with a national item is not supported",
        ),
        (
            "JSON GENERATE D FROM NOWHERE",
            "NOWHERE is not one data item",
        ),
        ("JSON PARSE D END-JSON", "JSON PARSE has no INTO"),
        (
            "JSON GENERATE D FROM G NAME OF B IS 'b'",
            "B is not one item of G",
        ),
        (
            "XML GENERATE D FROM G WITH ENCODING 1140 SUPPRESS W",
            "ENCODING 1140 is not supported",
        ),
    ] {
        let app = application(&[
            (
                "resources.csd",
                "DEFINE TRANSACTION(NUM) GROUP(G) PROGRAM(NUM)\n",
            ),
            ("cobol/NUM.cbl", &program(statement)),
        ]);
        let ended = run(&["check", app.path().to_str().unwrap()]);
        let all = format!("{}{}", text(&ended.stdout), text(&ended.stderr));
        assert!(!ended.status.success(), "{all}");
        assert!(
            all.contains(message) && all.contains(":11"),
            "{statement}:\n{all}"
        );
        assert!(!all.contains("syntax error"), "{all}");
    }
}
