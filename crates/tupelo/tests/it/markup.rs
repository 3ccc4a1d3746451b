//! JSON and XML statements, as programs of a region and as batch programs.
//!
//! Reference: Enterprise COBOL Language Reference, "JSON GENERATE statement",
//! "JSON PARSE statement", "XML GENERATE statement", "XML PARSE statement".

use crate::numbers::displays;
use crate::program::{run, text};
use crate::server::application;

const CLAIM: &str = "       01  CLM.
           05  REF-NBR  PIC X(4) VALUE 'R123'.
           05  CNT      PIC 9(3) VALUE 7.
           05  LN OCCURS 2 PIC S9(2)V9 COMP-3 VALUE -1.5.
       01  BUF  PIC X(90) VALUE ALL '.'.
       01  SHORT-BUF PIC X(10) VALUE ALL '.'.
       01  LEN  PIC 9(5) VALUE 99.
       01  I    PIC 9 VALUE 2.
";

#[test]
fn generate_sets_text_count_and_code_and_runs_one_phrase() {
    let statements = "           JSON GENERATE BUF FROM CLM COUNT IN LEN
               ON EXCEPTION DISPLAY 'EXCEPTION ' JSON-CODE
               NOT ON EXCEPTION DISPLAY 'GENERATED ' LEN
           END-JSON
           DISPLAY BUF(1:LEN)
           XML GENERATE BUF FROM CLM COUNT IN LEN
               NOT ON EXCEPTION DISPLAY 'GENERATED ' LEN
               ON EXCEPTION DISPLAY 'EXCEPTION ' XML-CODE.
           DISPLAY BUF(1:LEN)
           IF LEN > 1
           JSON GENERATE SHORT-BUF FROM CLM COUNT LEN
               EXCEPTION IF LEN = 10 DISPLAY 'EXCEPTION ' SHORT-BUF
               NOT EXCEPTION DISPLAY 'GENERATED'
           ELSE DISPLAY 'NOT HERE'.
           DISPLAY 'CODE ' JSON-CODE
           XML GENERATE SHORT-BUF FROM CLM
           DISPLAY 'CODE ' XML-CODE
           JSON GENERATE BUF FROM CLM COUNT IN LEN
               NAME OF CLM IS OMITTED REF-NBR IS 'ref' LN IS 'it''s'
               SUPPRESS CNT WHEN ZERO OR SPACES EVERY NUMERIC WHEN ZERO
           END-JSON
           DISPLAY BUF(1:LEN)
           XML GENERATE BUF FROM CLM COUNT IN LEN WITH ATTRIBUTES
               NAMESPACE IS 'urn:x' NAMESPACE-PREFIX 'p'
               TYPE OF CNT IS CONTENT SUPPRESS LN
           END-XML
           DISPLAY BUF(1:LEN)
           JSON GENERATE BUF FROM LN(I) COUNT IN LEN END-JSON
           DISPLAY BUF(1:LEN)
";
    assert_eq!(
        displays(CLAIM, statements),
        [
            "GENERATED 00051",
            "{\"CLM\":{\"REF-NBR\":\"R123\",\"CNT\":7,\"LN\":[-1.5,-1.5]}}",
            "GENERATED 00072",
            "<CLM><REF-NBR>R123</REF-NBR><CNT>7</CNT><LN>-1.5</LN><LN>-1.5</LN></CLM>",
            "EXCEPTION {\"CLM\":{\"R",
            "CODE +000000001",
            "CODE +000000400",
            "{\"ref\":\"R123\",\"CNT\":7,\"it's\":[-1.5,-1.5]}",
            "<p:CLM xmlns:p=\"urn:x\" REF-NBR=\"R123\">7</p:CLM>",
            "{\"LN\":-1.5}",
        ]
    );
}

#[test]
fn tables_of_varying_length_and_conversions_are_followed() {
    let storage = "       01  N PIC 9 VALUE 2.
       01  G.
           05  Rows OCCURS 0 TO 4 DEPENDING ON N.
               10  A PIC X.
               10  B PIC 9 COMP.
           05  FILLER PIC XX VALUE '??'.
           05  Last-One PIC X(3) VALUE 'END'.
           05  FLAG PIC X VALUE 'Y'.
               88  IS-ON VALUE 'Y' 'T' WHEN SET TO FALSE 'N'.
       01  BUF PIC X(200).
       01  LEN PIC S9(4) COMP.
";
    let statements = "           MOVE 'a' TO A(1) MOVE 1 TO B(1)
           MOVE 'b' TO A(2) MOVE 2 TO B(2)
           MOVE 'END' TO Last-One SET IS-ON TO TRUE
           JSON GENERATE BUF FROM G COUNT IN LEN
               CONVERTING FLAG TO JSON BOOLEAN USING IS-ON
           END-JSON
           DISPLAY BUF(1:LEN)
           MOVE 0 TO N MOVE 'END' TO Last-One SET IS-ON TO TRUE
           XML GENERATE BUF FROM G COUNT IN LEN
               WITH XML-DECLARATION END-XML
           DISPLAY BUF(1:LEN)
";
    assert_eq!(
        displays(storage, statements),
        [
            "{\"G\":{\"Rows\":[{\"A\":\"a\",\"B\":1},{\"A\":\"b\",\"B\":2}],\"Last-One\":\"END\",\"FLAG\":true}}",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><G><Last-One>END</Last-One><FLAG>Y</FLAG></G>",
        ]
    );
}

#[test]
fn json_parse_fills_a_record_and_its_registers() {
    let storage = "       01  TXT PIC X(120).
       01  G.
           05  AMOUNT PIC S9(5)V99 COMP-3 VALUE 0.
           05  NAME-1 PIC X(5) VALUE SPACES.
           05  T PIC 9(2) OCCURS 3 VALUE 0.
           05  SHOWN PIC ZZ9.99-.
           05  FLAG PIC X VALUE '-'.
               88  IS-ON VALUE 'Y' WHEN SET TO FALSE 'N'.
       01  ED PIC -(5)9.99.
";
    let statements = "           MOVE '{\"g\":{\"amount\":-12.5,\"who\":\"Ann\",\"T\":[1,2,3],'
             TO TXT
           MOVE '\"shown\":-7,\"flag\":true}}' TO TXT(50:)
           JSON PARSE TXT INTO G NAME OF NAME-1 IS 'who'
               CONVERTING FLAG FROM JSON BOOLEAN USING IS-ON
               ON EXCEPTION DISPLAY 'EXCEPTION ' JSON-CODE
               NOT ON EXCEPTION DISPLAY 'PARSED ' JSON-STATUS
           END-JSON
           MOVE AMOUNT TO ED
           DISPLAY ED '/' NAME-1 '/' T(1) T(2) T(3) '/' SHOWN '/' FLAG
           MOVE '{\"G\":{\"amount\":1},\"more\":2}' TO TXT
           JSON PARSE TXT INTO G END-JSON
           DISPLAY JSON-CODE JSON-STATUS
           MOVE '{\"G\":' TO TXT
           JSON PARSE TXT INTO G ON EXCEPTION
               DISPLAY 'EXCEPTION ' JSON-CODE END-JSON
";
    assert_eq!(
        displays(storage, statements),
        [
            "PARSED +0000000000",
            "   -12.50/Ann  /010203/  7.00-/Y",
            "+000000000+0000000003",
            "EXCEPTION +000000100",
        ]
    );
}

#[test]
fn xml_parse_performs_its_procedure_for_each_event() {
    let source = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  DOC PIC X(90) VALUE
       '<?xml version=\"1.0\"?><m xmlns=\"u:m\">A &amp; <n>12.5</n></m>'.
       01  BAD PIC X(20) VALUE '<msg>Hello</mmsg>'.
       01  AMOUNT PIC 9(3)V99.
       01  E PIC X(10).
       PROCEDURE DIVISION.
       MAIN-PARA.
           XML PARSE DOC PROCESSING PROCEDURE SHOW THRU SHOW-EXIT
             ON EXCEPTION DISPLAY 'EXCEPTION ' XML-CODE
             NOT ON EXCEPTION DISPLAY 'PARSED ' XML-CODE
           END-XML
           XML PARSE BAD PROCESSING PROCEDURE IS QUIET
             ON EXCEPTION DISPLAY 'EXCEPTION ' XML-CODE.
           XML PARSE DOC PROCESSING QUIET-STOP
             NOT ON EXCEPTION DISPLAY 'PARSED'
           END-XML
           DISPLAY 'STOPPED ' XML-CODE ' ' XML-EVENT
           GOBACK.
       SHOW.
           DISPLAY XML-EVENT '{' XML-TEXT '}' XML-NAMESPACE
           IF XML-EVENT = 'START-OF-ELEMENT' MOVE XML-TEXT TO E.
           IF XML-EVENT = 'CONTENT-CHARACTERS' AND E = 'n'
             MOVE FUNCTION NUMVAL(XML-TEXT) TO AMOUNT
             DISPLAY 'AMOUNT ' AMOUNT ' ' FUNCTION LENGTH(XML-TEXT)
               ' ' XML-TEXT(1:2) ' ' XML-INFORMATION
           END-IF.
       SHOW-EXIT.
           EXIT.
       QUIET.
           IF XML-EVENT = 'EXCEPTION' DISPLAY 'AT ' XML-TEXT.
       QUIET-STOP.
           IF XML-TEXT = 'm' MOVE -1 TO XML-CODE.
";
    let app = application(&[
        (
            "resources.csd",
            "DEFINE TRANSACTION(NUM) GROUP(G) PROGRAM(NUM)\n",
        ),
        ("cobol/NUM.cbl", source),
        ("batch/NUM.cbl", source),
    ]);
    let folder = app.path().to_str().unwrap();
    let batch = run(&["batch", "NUM", folder]);
    let shown: Vec<String> = text(&batch.stdout)
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    let expected = [
        "START-OF-DOCUMENT             {}",
        "VERSION-INFORMATION           {1.0}",
        "START-OF-ELEMENT              {m}u:m",
        "NAMESPACE-DECLARATION         {}u:m",
        "CONTENT-CHARACTERS            {A & }",
        "START-OF-ELEMENT              {n}u:m",
        "CONTENT-CHARACTERS            {12.5}",
        "AMOUNT 01250 0000000004 12 +0000000001",
        "END-OF-ELEMENT                {n}u:m",
        "END-OF-ELEMENT                {m}u:m",
        "END-OF-DOCUMENT               {}",
        "PARSED +000000000",
        "AT <msg>Hello</mmsg>",
        "EXCEPTION +000798773",
        "STOPPED -000000001 START-OF-ELEMENT",
    ];
    assert_eq!(shown, expected, "{}", text(&batch.stderr));
    let task = run(&["run", "NUM", folder]);
    let all = format!("{}{}", text(&task.stdout), text(&task.stderr));
    for line in expected {
        assert!(all.contains(line), "batch has {line:?}, the region:\n{all}");
    }
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
