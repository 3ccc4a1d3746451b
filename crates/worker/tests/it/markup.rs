//! JSON and XML statements, on operands that libcob describes.

use crate::cobol::CobolHarness;

fn displayed(storage: &str, procedure: &str) -> Vec<String> {
    let program = format!("{procedure}\n");
    let played = CobolHarness::new()
        .program("A", storage, "", &program)
        .run("A", "")
        .play();
    assert!(played.end(0)["abend"].is_null(), "{:?}", played.ends);
    played.displayed
}

#[test]
fn generate_writes_text_count_and_code() {
    let storage = "01 CLM.\n05 REF-NBR PIC X(4) VALUE \"R123\".\n05 CNT PIC 9(3) VALUE 7.\n\
        05 LN OCCURS 2 PIC S9(2)V9 COMP-3 VALUE -1.5.\n01 BUF PIC X(90) VALUE ALL \".\".\n\
        01 SHORT-BUF PIC X(10).\n01 LEN PIC 9(5) VALUE 99.\n01 I PIC 9 VALUE 2.";
    assert_eq!(
        displayed(
            storage,
            "JSON GENERATE BUF FROM CLM COUNT IN LEN ON EXCEPTION DISPLAY \"E\" NOT ON EXCEPTION DISPLAY \"N\" END-JSON\n\
             DISPLAY BUF(1:LEN)\n\
             XML GENERATE BUF FROM CLM COUNT IN LEN END-XML\nDISPLAY BUF(1:LEN)\n\
             XML GENERATE SHORT-BUF FROM CLM COUNT IN LEN NOT ON EXCEPTION DISPLAY \"N\"\n\
             ON EXCEPTION DISPLAY XML-CODE SHORT-BUF LEN END-XML\n\
             JSON GENERATE BUF FROM LN(I) COUNT IN LEN NAME OF LN IS \"it's\" END-JSON\n\
             DISPLAY BUF(1:LEN)\nGOBACK."
        ),
        [
            "N",
            "{\"CLM\":{\"REF-NBR\":\"R123\",\"CNT\":7,\"LN\":[-1.5,-1.5]}}",
            "<CLM><REF-NBR>R123</REF-NBR><CNT>7</CNT><LN>-1.5</LN><LN>-1.5</LN></CLM>",
            "+000000400<CLM><REF-00010",
            "{\"it's\":-1.5}",
        ]
    );
}

#[test]
fn parse_fills_items_and_registers() {
    let storage = "01 TXT PIC X(80).\n01 G.\n05 AMOUNT PIC S9(3)V99 COMP-3 VALUE 0.\n\
        05 WHO PIC X(5) VALUE SPACES.\n05 T PIC 9(2) OCCURS 3 VALUE 0.\n\
        01 DOC PIC X(60) VALUE '<m a=\"1\">A &amp; <n>12.5</n></m>'.\n01 N PIC 9(3)V99.";
    assert_eq!(
        displayed(
            storage,
            "MOVE '{\"g\":{\"amount\":-12.5,\"Who\":\"Ann\",\"T\":[1,2,3]}}' TO TXT\n\
             JSON PARSE TXT INTO G END-JSON\n\
             IF AMOUNT = -12.5 DISPLAY WHO T(1) T(2) T(3) JSON-CODE JSON-STATUS END-IF\n\
             XML PARSE DOC PROCESSING PROCEDURE P-SHOW NOT ON EXCEPTION DISPLAY \"N\" END-XML\n\
             DISPLAY FUNCTION LENGTH(XML-TEXT)\n\
             MOVE '<a>' TO DOC\n\
             XML PARSE DOC PROCESSING PROCEDURE P-SHOW ON EXCEPTION DISPLAY XML-CODE END-XML\n\
             GOBACK.\nP-SHOW.\nDISPLAY XML-EVENT(1:17) '{' XML-TEXT '}'\n\
             IF XML-TEXT = '12.5' COMPUTE N = FUNCTION NUMVAL(XML-TEXT) DISPLAY N END-IF."
        ),
        [
            "Ann  010203+000000000+0000000000",
            "START-OF-DOCUMENT{}",
            "START-OF-ELEMENT {m}",
            "ATTRIBUTE-NAME   {a}",
            "ATTRIBUTE-CHARACT{1}",
            "CONTENT-CHARACTER{A & }",
            "START-OF-ELEMENT {n}",
            "CONTENT-CHARACTER{12.5}",
            "01250",
            "END-OF-ELEMENT   {n}",
            "END-OF-ELEMENT   {m}",
            "END-OF-DOCUMENT  {}",
            "N",
            "0000000000",
            "START-OF-DOCUMENT{}",
            "START-OF-ELEMENT {a}",
            "END-OF-INPUT     {}",
            "EXCEPTION        {<a>}",
            "+000798720",
        ]
    );
}

#[test]
fn an_invalid_number_ends_the_task_as_a_data_exception() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 G VALUE \"1.2\".\n05 N PIC 9(3).\n01 BUF PIC X(60).",
            "",
            "JSON GENERATE BUF FROM G END-JSON\nGOBACK.\n",
        )
        .run("A", "")
        .play();
    let end = played.end(0).to_string();
    assert!(
        end.contains("ASRA") && end.contains("N holds X'312E32'"),
        "{end}"
    );
}
