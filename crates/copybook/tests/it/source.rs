//! Source text: formats, COPY, REPLACE, and whole programs.

use std::collections::HashMap;

use copybook::{
    CopyFolders, CopyMember, CopyResolver, ParseOptions, RecordLayout, ReferenceFormat, describe,
};
use serde_json::json;

/// Members held in memory.
struct MemoryMembers(HashMap<&'static str, &'static str>);

impl CopyResolver for MemoryMembers {
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<CopyMember>, String> {
        let key = match library {
            Some(library) => format!("{library}/{name}"),
            None => name.to_owned(),
        };
        Ok(self.0.get(key.as_str()).map(|text| CopyMember {
            name: key,
            text: (*text).into(),
        }))
    }
}

fn members(list: &[(&'static str, &'static str)]) -> MemoryMembers {
    MemoryMembers(list.iter().copied().collect())
}

fn parse(text: &str) -> Vec<RecordLayout> {
    copybook::parse(text, &ParseOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Paths and lengths of all fields of all records.
fn fields(layouts: &[RecordLayout]) -> Vec<String> {
    layouts
        .iter()
        .flat_map(|layout| {
            layout
                .iter()
                .map(|(id, field)| format!("{} {}", layout.path(id), field.length))
        })
        .collect()
}

const PROGRAM: &str = r#"       CBL LIB,APOST
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SAMPLE.
       AUTHOR. O'BRIEN WROTE THIS.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES.
           DECIMAL-POINT IS COMMA
           CURRENCY SIGN IS '#'.
       DATA DIVISION.
       FILE SECTION.
       FD  MASTER RECORD CONTAINS 10 CHARACTERS
           DATA RECORD IS MASTER-RECORD.
       01  MASTER-RECORD.
           05  MASTER-KEY            PIC X(10).
       WORKING-STORAGE SECTION.
           EXEC SQL BEGIN DECLARE SECTION END-EXEC.
       77  COUNTER                   PIC S9(4) COMP.
       01  AMOUNTS.
           05  NET                   PIC ###.##9,99.
           05  RATE                  PIC 9,999.
           EXEC SQL END DECLARE SECTION END-EXEC.
           EXEC SQL INCLUDE SQLCA END-EXEC.
           EXEC SQL DECLARE C1 CURSOR FOR SELECT A FROM B END-EXEC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY AREA1.
       SCREEN SECTION.
       01  SCREEN-1 BACKGROUND-COLOR 1.
       PROCEDURE DIVISION USING DFHCOMMAREA.
       MAIN-PART.
           COPY NOT-THERE.
           DISPLAY 'DATA DIVISION. 01 X PIC X.'.
           GOBACK.
"#;

#[test]
fn the_records_of_a_program_are_found() {
    let copy = members(&[("AREA1", "           05  CA-ID  PIC X(6).\n")]);
    let options = ParseOptions {
        copy: &copy,
        source_name: "sample.cbl",
        ..ParseOptions::default()
    };
    let parsed = copybook::parse_with_warnings(PROGRAM, &options).expect("accepted");
    assert_eq!(
        fields(&parsed.layouts),
        [
            "MASTER-RECORD 10",
            "MASTER-RECORD.MASTER-KEY 10",
            "COUNTER 2",
            "AMOUNTS 15",
            "AMOUNTS.NET 10",
            "AMOUNTS.RATE 5",
            "DFHCOMMAREA 6",
            "DFHCOMMAREA.CA-ID 6",
        ]
    );
    assert_eq!(parsed.warnings.list.len(), 1, "{}", parsed.warnings);
}

#[test]
fn texts_with_shifted_margins_are_laid_out() {
    for text in [
        "01 VENDOR.\n  05 V-NAME PIC X(20).\n* A COMMENT AT THE LEFT\n  05 V-NO PIC 9(5).\n",
        "      * A COMMENT\n      01 VENDOR.\n         05  V-NAME PIC X(20).\n         05  V-NO PIC 9(5).\n",
        "       * ONE COLUMN TOO FAR\n       01  VENDOR.\n           05 V-NAME PIC X(20).\n           05 V-NO PIC 9(5).\n",
    ] {
        assert_eq!(
            fields(&parse(text)),
            ["VENDOR 25", "VENDOR.V-NAME 20", "VENDOR.V-NO 5"],
            "{text}"
        );
    }
    // Within an entry a star is not a comment.
    let within = "       01  A PIC X\n       * 5.\n";
    assert!(copybook::parse(within, &ParseOptions::default()).is_err());
}

#[test]
fn a_text_below_level_01_gets_the_name_of_its_file() {
    let options = ParseOptions {
        source_name: "copy/cust_area.cpy",
        ..ParseOptions::default()
    };
    let layouts = copybook::parse("       05 A PIC X.\n", &options).expect("accepted");
    assert_eq!(fields(&layouts), ["CUST-AREA 1", "CUST-AREA.A 1"]);
}

#[test]
fn copy_replaces_parts_of_words_and_pictures() {
    let copy = members(&[(
        "PART",
        "           05  :P:-NAME PIC X(:N:).\n           05  OLD-KEY PIC 9.\n",
    )]);
    let options = ParseOptions {
        copy: &copy,
        ..ParseOptions::default()
    };
    let text = "       01  R.
           COPY PART REPLACING ==:P:== BY ==CUST== ==:N:== BY ==12==
                LEADING ==OLD== BY ==NEW==
                ==PIC 9== BY ==PIC S9(5) COMP-3==.
    ";
    let expanded = copybook::expand(text, &options).expect("accepted");
    assert_eq!(
        expanded,
        "01 R.\n05 CUST-NAME PIC X(12).\n05 NEW-KEY PIC S9(5) COMP-3.\n"
    );
}

#[test]
fn members_of_libraries_and_nested_replacements_work() {
    let copy = members(&[
        (
            "LIB/OUTER",
            "       05 A-:X:. COPY INNER REPLACING ==:Y:== BY ==Y==.\n",
        ),
        ("INNER", "           10 :X:-:Y: PIC X.\n"),
    ]);
    let options = ParseOptions {
        copy: &copy,
        ..ParseOptions::default()
    };
    let text = "       01 R.\n           COPY OUTER OF LIB REPLACING ==:X:== BY ==X==.\n";
    let layouts = copybook::parse(text, &options).expect("accepted");
    assert_eq!(fields(&layouts), ["R 1", "R.A-X 1", "R.A-X.X-Y 1"]);
}

#[test]
fn the_line_of_a_field_is_that_of_its_own_file() {
    let copy = members(&[("PART", "      * remark\n           05  A PIC X.\n")]);
    let options = ParseOptions {
        copy: &copy,
        ..ParseOptions::default()
    };
    let text = "\n       01  R.\n           COPY PART.\n           05  B PIC X.\n";
    let layouts = copybook::parse(text, &options).expect("accepted");
    let lines: Vec<u32> = layouts[0].fields.iter().map(|f| f.line).collect();
    assert_eq!(lines, [2, 2, 4]);
}

#[test]
fn replace_holds_until_the_next_replace() {
    let text = "       REPLACE ==XX== BY ==X(2)==.
       01  R.
           05  A PIC XX.
       REPLACE ALSO ==YY== BY ==X(3)==.
           05  B PIC XX.
           05  C PIC YY.
       REPLACE OFF.
           05  D PIC XX.
    ";
    let layouts = parse(text);
    let pictures: Vec<_> = layouts[0]
        .leaves()
        .filter_map(|(_, field)| field.picture.as_deref())
        .collect();
    assert_eq!(pictures, ["X(2)", "X(2)", "X(3)", "XX"]);
}

#[test]
fn text_beyond_column_72_does_not_count_in_fixed_format() {
    let line = format!("{:<72}PIC 9.", "       01  R PIC X.");
    assert_eq!(fields(&parse(&format!("{line}\n"))), ["R 1"]);
}

#[test]
fn the_format_can_be_forced() {
    let text = "      01 R PIC X.\n";
    let options = |format| ParseOptions {
        format,
        ..ParseOptions::default()
    };
    assert!(copybook::parse(text, &options(ReferenceFormat::Free)).is_ok());
    assert!(copybook::parse(text, &options(ReferenceFormat::Fixed)).is_err());
}

#[test]
fn diagnostics_point_at_the_text_they_mean() {
    let text = "       01  R.\n           05  ÄRGER  PIC X(5) COMP-3.\n";
    let faults = copybook::parse(text, &ParseOptions::default()).expect_err("a fault");
    let fault = &faults.list[0];
    assert_eq!((fault.at.line, fault.at.column), (2, 27));
    let start = fault.at.offset as usize;
    assert_eq!(&text[start..start + fault.at.length as usize], "X(5)");
    assert_eq!(fault.file.to_str(), Some("copybook"));
}

#[test]
fn fields_are_found_by_path_and_by_name() {
    let layouts = parse(
        "01 R.\n 05 A.\n  10 N PIC X.\n  10 M PIC X.\n 05 B.\n  10 N PIC X.\n 05 C.\n  10 B PIC X.\n",
    );
    let layout = &layouts[0];
    let path = |name: &str| layout.find(name).map(|id| layout.path(id));
    assert_eq!(path("m").as_deref(), Some("R.A.M"));
    assert_eq!(path("R.M").as_deref(), Some("R.A.M"));
    assert_eq!(path("B.N").as_deref(), Some("R.B.N"));
    assert_eq!(path("r.a.n").as_deref(), Some("R.A.N"));
    assert_eq!(path("N"), None);
    assert_eq!(path("R.B").as_deref(), Some("R.B"));
    assert_eq!(path(""), None);
}

#[test]
fn a_description_has_what_other_tools_need() {
    let layouts = parse(
        "01 R.\n 05 N PIC 99.\n 05 T OCCURS 1 TO 3 DEPENDING ON N INDEXED BY I.\n  10 P PIC S9(3)V99 COMP-3.\n 05 E PIC S9 SIGN LEADING SEPARATE.\n 05 F REDEFINES E PIC XX.\n",
    );
    let found = serde_json::to_value(describe(&layouts[0])).expect("it serialises");
    let expected = json!({
        "record": "R", "length": 13, "min_length": 7,
        "fields": [
            {"path": "R", "level": 1, "offset": 0, "length": 13, "type": "group", "line": 1},
            {"path": "R.N", "level": 5, "offset": 0, "length": 2, "type": "zoned",
             "picture": "99", "usage": "DISPLAY", "digits": 2, "signed": false, "line": 2},
            {"path": "R.T", "level": 5, "offset": 2, "length": 3, "type": "group",
             "occurs": {"min": 1, "max": 3, "stride": 3, "depending_on": "R.N",
                        "indexed_by": ["I"]}, "line": 3},
            {"path": "R.T.P", "level": 10, "offset": 2, "length": 3, "type": "packed",
             "picture": "S9(3)V99", "usage": "COMP-3", "digits": 5, "scale": 2, "signed": true,
             "line": 4},
            {"path": "R.E", "level": 5, "offset": 11, "length": 2, "type": "zoned",
             "picture": "S9", "usage": "DISPLAY", "digits": 1, "signed": true,
             "sign": "leading separate", "slides": true, "line": 5},
            {"path": "R.F", "level": 5, "offset": 11, "length": 2, "type": "alphanumeric",
             "picture": "XX", "usage": "DISPLAY", "redefines": "R.E", "slides": true, "line": 6},
        ],
    });
    assert_eq!(found, expected);
}

#[test]
fn double_byte_text_takes_two_bytes_a_character() {
    // GnuCOBOL has no DISPLAY-1; the sizes are those of the language reference.
    let text = "01 R.\n 05 A PIC G(4) DISPLAY-1.\n 05 B PIC G(2) USAGE DISPLAY-1.\n 05 C PIC N(3) DISPLAY-1.\n";
    assert_eq!(fields(&parse(text)), ["R 18", "R.A 8", "R.B 4", "R.C 6"]);
}

#[test]
fn tables_that_vary_inside_tables_that_vary_have_their_longest_form() {
    // GnuCOBOL refuses the nesting; the sizes are those of the language reference.
    let text = "01 R.\n 05 N PIC 9.\n 05 M PIC 9.\n 05 T OCCURS 1 TO 4 DEPENDING ON N.\n  10 U PIC XX OCCURS 0 TO 5 DEPENDING ON M.\n  10 V PIC X.\n 05 W PIC X.\n";
    let layouts = parse(text);
    assert_eq!((layouts[0].length, layouts[0].min_length), (47, 4));
    let slides: Vec<&str> = layouts[0]
        .iter()
        .filter(|(_, field)| field.slides)
        .filter_map(|(_, field)| field.name.as_deref())
        .collect();
    assert_eq!(slides, ["V", "W"]);
}

#[test]
fn words_that_only_some_compilers_reserve_can_be_names() {
    let text = "01 R.\n 05 TYPE PIC X.\n 05 HANDLE PIC 9(4) COMP NATIVE.\n 05 DOUBLE.\n";
    assert_eq!(
        fields(&parse(text)),
        ["R 11", "R.TYPE 1", "R.HANDLE 2", "R.FILLER 8"]
    );
}

#[test]
fn marks_line_ends_and_ends_of_file_of_other_systems_do_not_count() {
    for mark in ["", "\u{feff}", "\u{ef}\u{bb}\u{bf}"] {
        let text = format!("{mark}000100 01  R.\r\n000200     05  A PIC X.\r\n\u{1a}");
        assert_eq!(fields(&parse(&text)), ["R 1", "R.A 1"]);
    }
}

#[test]
fn text_in_the_wrong_columns_is_reported_with_the_right_ones() {
    let fixed = ParseOptions {
        format: ReferenceFormat::Fixed,
        ..ParseOptions::default()
    };
    let level = copybook::parse("       01  REC.\n05 B PIC X.\n", &fixed).unwrap_err();
    let text = level.to_string();
    assert!(
        text.contains("2:1: error: a level number in columns 1 to 6"),
        "{text}"
    );
    assert!(text.contains("columns 8 to 72"), "{text}");
    let long = "       01  REC.\n           05  A                                PIC X(10) VALUE SPACESANDMORE.\n";
    let period = "       01  REC.\n           05  A OCCURS 0 TO 5 TIMES PIC X(4) VALUE SPACES        SPACES.\n           05  B PIC X.\n";
    for text in [long, period] {
        let text = match copybook::parse_with_warnings(text, &fixed) {
            Err(all) => all.to_string(),
            Ok(book) => book.warnings.to_string(),
        };
        assert!(
            text.contains("2:73: warning: the text continues beyond column 72"),
            "{text}"
        );
    }
    assert!(copybook::parse("000100 01  REC.\n000200     05  A PIC X.\n", &fixed).is_ok());
}

/// The diagnostics of a text in fixed format, accepted or not.
fn diagnostics_text(text: &str) -> String {
    let fixed = ParseOptions {
        format: ReferenceFormat::Fixed,
        ..ParseOptions::default()
    };
    match copybook::parse_with_warnings(text, &fixed) {
        Err(all) => all.to_string(),
        Ok(book) => book.warnings.to_string(),
    }
}

#[test]
fn a_period_that_is_lost_beyond_column_72_is_reported_with_its_line_and_column() {
    let line = |text: &str, beyond: &str| format!("{text:<72}{beyond}\n");
    let head = "       01  REC.\n";
    // A separate word, a period after a parenthesis, and a whole entry.
    for (text, beyond, column) in [
        ("           05  A  PIC S9(7)V99", "COMP-3.", 79),
        (
            "           05  A                                            PIC X(10)",
            ".",
            73,
        ),
        ("", "  05  A PIC X.", 86),
        ("           05  Z PIC X.", "05 A PIC X.", 83),
    ] {
        let report = diagnostics_text(&format!(
            "{head}{}           05  B PIC X.\n",
            line(text, beyond)
        ));
        let place = format!("2:{column}: warning: the period in column {column} is not read");
        assert!(report.contains(&place), "{report}");
        assert!(report.contains("between columns 12 and 72"), "{report}");
    }
    // The last entry has no next one to show that it does not end.
    let last = diagnostics_text(&format!(
        "{head}{}",
        line("           05  A PIC 9(4)", "COMP.")
    ));
    assert!(
        last.contains("2:77: warning: the period in column 77"),
        "{last}"
    );
    // Marks of changes, numbers and comments are not text.
    for (text, beyond) in [
        ("           05  A PIC X.", "CHG0012"),
        ("           05  A PIC X.", "00001000"),
        ("           05  A PIC X.", "V 1.2."),
        (
            "           05  A PIC X. *> what it is, which takes more than the line",
            " has.",
        ),
        ("      *    05  A PIC X", "X."),
    ] {
        let report = diagnostics_text(&format!(
            "{head}{}           05  B PIC X.\n",
            line(text, beyond)
        ));
        assert_eq!(report, "", "{text}{beyond}");
    }
}

#[test]
fn a_missing_period_is_reported_with_the_line_that_lacks_it() {
    let report =
        diagnostics_text("       01  R.\n           05  A PIC X\n\n           05  B PIC X.\n");
    assert!(
        report.contains("4:12: error: the period that ends the entry before"),
        "{report}"
    );
    assert!(report.contains("after the text of line 2"), "{report}");
    // After the values of a condition, too, which may continue for lines.
    let values = "       01  R.\n           05  A PIC 99.\n               88  OK VALUES 1\n               02 THRU 04\n";
    let report = diagnostics_text(&format!("{values}           05  B PIC X.\n"));
    assert!(
        report.contains("5:12: error: the period that ends the entry before"),
        "{report}"
    );
    assert_eq!(
        diagnostics_text(&format!("{values}               05 06.\n")),
        ""
    );
}

#[test]
fn a_missing_member_is_reported_once_and_not_again_by_the_record_that_it_leaves_empty() {
    let report = diagnostics_text(
        "       01  REC.\n           COPY NOWHERE.\n       01  OTHER.\n           05  A PIC X.\n",
    );
    assert_eq!(report.matches("error:").count(), 1, "{report}");
    assert!(
        report.contains("there is no COPY member NOWHERE"),
        "{report}"
    );
    let copy = members(&[("LOOP", "           COPY LOOP.\n")]);
    let options = ParseOptions {
        copy: &copy,
        ..ParseOptions::default()
    };
    let report = copybook::parse("       01  REC.\n           COPY LOOP.\n", &options);
    let report = report.unwrap_err().to_string();
    assert_eq!(report.matches("error:").count(), 1, "{report}");
}

#[test]
fn a_name_that_copy_has_to_replace_is_reported_once() {
    let text = "       01  :TAG:-REC.
           05  :TAG:-A         PIC X(:LEN:).
           05  WS-:TAG:-B REDEFINES :TAG:-A PIC X(:LEN:).
               88  :TAG:-YES   VALUE ':NO:'.
";
    let report = diagnostics_text(text);
    assert_eq!(report.matches("error:").count(), 2, "{report}");
    assert!(
        report.contains(":1:12: error: :TAG: is a placeholder"),
        "{report}"
    );
    assert!(
        report.contains(":2:38: error: :LEN: is a placeholder"),
        "{report}"
    );
    assert!(report.contains("REPLACING ==:TAG:== BY ==…=="), "{report}");
    // Host variables with indicators are not placeholders.
    let sql = "           EXEC SQL DECLARE C CURSOR FOR SELECT :A:B END-EXEC.\n";
    assert_eq!(diagnostics_text(&format!("{sql}       01  R PIC X.\n")), "");
}

#[test]
fn what_a_beginner_meets_has_a_fix() {
    for (text, fix) in [
        (
            "       01  :TAG:-REC.\n           05  A PIC X.\n",
            "REPLACING ==:TAG:==",
        ),
        (
            "       01  R.\n           05  A PIC X(5) COMP-3.\n",
            "has 9, S, V and P",
        ),
        (
            "       01  R.\n           05  A PIC S9(3)V99 COMP-1.\n",
            "remove the PICTURE",
        ),
        (
            "       01  R.\n           05  A PIC ZZZ.ZZ9,99.\n",
            "DECIMAL-POINT IS COMMA",
        ),
        (
            "       01  R.\n           05  A PIC X(4).\n           05  B REDEFINES A PIC X(8).\n",
            "B has 8 bytes and A, which it redefines, has 4",
        ),
        ("\u{ff}\u{fe}0\x001\0 \0R\0.\0\n\0", "iconv -f UTF-16"),
        (
            "@@@@@@@\u{f0}\u{f1}@@\u{d9}\u{c5}\u{c3}K\u{15}@@@@@@@@@@@\u{f0}\u{f5}@@\u{c1}@\u{d7}\u{c9}\u{c3}@\u{e7}K",
            "EBCDIC",
        ),
        (
            "@@@@@@@\u{fffd}\u{fffd}@@\u{fffd}\u{fffd}\u{fffd}K\u{fffd}@@@@@@@\u{fffd}\u{fffd}@@\u{fffd}@\u{fffd}\u{fffd}K",
            "EBCDIC",
        ),
    ] {
        let report = diagnostics_text(text);
        assert!(report.contains(fix), "{text}: {report}");
    }
}

#[test]
fn addresses_have_the_bytes_of_gnucobol_or_those_of_31_bit_programs() {
    let text = "       01  R.\n           05  A POINTER.\n           05  B POINTER-32.\n           05  C \
                FUNCTION-POINTER.\n           05  D PROCEDURE-POINTER.\n";
    let bytes = |pointer_bytes| {
        let options = copybook::ParseOptions {
            pointer_bytes,
            ..copybook::ParseOptions::default()
        };
        let layout = copybook::parse(text, &options).expect("a layout").remove(0);
        let fields = layout.iter().skip(1);
        fields.map(|(_, field)| field.length).collect::<Vec<u32>>()
    };
    assert_eq!(bytes(8), [8, 8, 8, 8]);
    assert_eq!(bytes(4), [4, 4, 4, 8]);
}

#[test]
fn the_source_of_a_map_set_is_named_where_its_symbolic_map_is_missing() {
    let app = tempfile::tempdir().unwrap();
    let place = |name: &str| app.path().join(name);
    for folder in ["bms", "copybooks"] {
        std::fs::create_dir(place(folder)).unwrap();
    }
    let source = "* MAPS\nORDSET   DFHMSD TYPE=MAP,LANG=COBOL\nORDER    DFHMDI\n";
    let copy = CopyFolders::new([place("copybooks")]);
    for (file, remedy) in [
        ("bms/orders.map", "a name that ends with .bms"),
        ("bms/orders.bms", "the source of this map set has errors"),
        ("copybooks/ORDSET.bms", "put it into bms/ORDSET.bms"),
    ] {
        std::fs::write(place(file), source).unwrap();
        let hint = copy.hint("ORDSET");
        assert!(hint.contains(file) && hint.contains(remedy), "{hint}");
        assert!(copy.hint("OTHER").starts_with("searched in"));
        std::fs::remove_file(place(file)).unwrap();
    }
}
