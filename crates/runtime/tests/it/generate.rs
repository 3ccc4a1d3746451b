//! JSON GENERATE and XML GENERATE.
//!
//! Reference: Enterprise COBOL Language Reference, the statements' chapters;
//! Programming Guide, "Producing JSON output", "Producing XML output".

use runtime::markup::descriptor::{FigurativeSet, Statement, ValueRange, Verb, XmlForm};

use crate::storage::{generate, node, nodes, text};

const CLAIM: &str = "
       01  CLM.
           05  REF-NBR  PIC X(4).
           05  CNT      PIC 9(3).
";

#[test]
fn a_record_becomes_an_object_and_elements() {
    let cases: &[(&str, &[u8], &str, &str)] = &[
        (
            CLAIM,
            b"R123007",
            r#"{"CLM":{"REF-NBR":"R123","CNT":7}}"#,
            "<CLM><REF-NBR>R123</REF-NBR><CNT>7</CNT></CLM>",
        ),
        (
            "       01  G.\n           05  MSG PIC X(20).\n",
            b"Hello, World!       ",
            r#"{"G":{"MSG":"Hello, World!"}}"#,
            "<G><MSG>Hello, World!</MSG></G>",
        ),
        (
            "       01  G.\n           05  A PIC S99V9 OCCURS 2.\n           05  B PIC 999/99/9999.\n",
            b"01500p987/65/4321",
            r#"{"G":{"A":[1.5,0.0],"B":"987/65/4321"}}"#,
            "<G><A>1.5</A><A>0.0</A><B>987/65/4321</B></G>",
        ),
        (
            "       01  G.\n           05  T OCCURS 2.\n               10  X PIC X.\n               10  FILLER PIC X.\n               10  Y PIC 9 COMP-3.\n           05  R REDEFINES T PIC X(6).\n",
            b"a.\x1Cb.\x2C",
            r#"{"G":{"T":[{"X":"a","Y":1},{"X":"b","Y":2}]}}"#,
            "<G><T><X>a</X><Y>1</Y></T><T><X>b</X><Y>2</Y></T></G>",
        ),
        (
            "       01  G.\n           05  FILLER.\n               10  X PIC X(2).\n           05  Y PIC X(3) JUSTIFIED RIGHT.\n           05  Z PIC X(3).\n",
            b"a  bc   ",
            r#"{"G":{"X":"a","Y":"bc","Z":" "}}"#,
            "<G><X>a</X><Y>bc</Y><Z> </Z></G>",
        ),
        (
            "       01  ITEM PIC X(6).\n",
            b"a\"<\\\x09&",
            r#"{"ITEM":"a\"<\\\t&"}"#,
            "<ITEM>a&quot;&lt;\\\x09&amp;</ITEM>",
        ),
    ];
    for (copybook, record, json, xml) in cases {
        assert_eq!(text(Verb::JsonGenerate, nodes(copybook), record), *json);
        assert_eq!(text(Verb::XmlGenerate, nodes(copybook), record), *xml);
    }
}

#[test]
fn a_table_has_the_rows_of_its_counter_and_what_follows_is_nearer() {
    let copybook = "
       01  G.
           05  N PIC 9.
           05  T PIC X OCCURS 0 TO 5 DEPENDING ON N.
           05  Z PIC X.
";
    for (count, record, json) in [
        (0, &b"0z"[..], r#"{"G":{"N":0,"T":[],"Z":"z"}}"#),
        (2, b"2abz", r#"{"G":{"N":2,"T":["a","b"],"Z":"z"}}"#),
        (
            5,
            b"5abcdez",
            r#"{"G":{"N":5,"T":["a","b","c","d","e"],"Z":"z"}}"#,
        ),
    ] {
        let statement = Statement::new(Verb::JsonGenerate, nodes(copybook));
        let done = generate(&statement, record, 80, count).unwrap();
        assert_eq!(done.text.trim_end_matches('.'), json);
    }
}

#[test]
fn a_receiver_that_is_too_small_is_filled_and_the_code_reports_it() {
    for (verb, code, begin) in [
        (Verb::JsonGenerate, 1, r#"{"CLM":{"R"#),
        (Verb::XmlGenerate, 400, "<CLM><REF-"),
    ] {
        let statement = Statement::new(verb, nodes(CLAIM));
        let done = generate(&statement, b"R123007", 10, 0).unwrap();
        assert_eq!(
            (done.text.as_str(), done.count, done.code),
            (begin, 10, code)
        );
        // What is longer than the text keeps what it has.
        let done = generate(&statement, b"R123007", 60, 0).unwrap();
        assert_eq!(done.code, 0);
        assert!(done.text[done.count as usize..].bytes().all(|b| b == b'.'));
    }
}

#[test]
fn names_suppression_and_conversion_follow_their_phrases() {
    let copybook = "
       01  GRP.
           05  AC-NO PIC X(6).
           05  MORE.
               10  STUFF PIC S99V9 OCCURS 2.
           05  SSN PIC X(4).
           05  FLAG PIC X.
";
    let record = b"SX1234000000    Y";
    let with = |change: &dyn Fn(&mut [runtime::markup::descriptor::Node])| {
        let mut nodes = nodes(copybook);
        change(&mut nodes);
        text(Verb::JsonGenerate, nodes, record)
    };
    assert_eq!(
        with(&|nodes| {
            node(nodes, "AC-NO").name = b"accountNumber".to_vec();
            node(nodes, "SSN").suppress = FigurativeSet(FigurativeSet::SPACE);
            node(nodes, "STUFF").suppress = FigurativeSet(FigurativeSet::ZERO);
            node(nodes, "FLAG").truths = vec![ValueRange {
                low: b"Y".to_vec(),
                high: b"Y".to_vec(),
            }];
        }),
        r#"{"GRP":{"accountNumber":"SX1234","FLAG":true}}"#
    );
    assert_eq!(
        with(&|nodes| {
            node(nodes, "GRP").name.clear();
            node(nodes, "STUFF").is_hidden = true;
            node(nodes, "SSN").null = FigurativeSet(FigurativeSet::SPACE);
        }),
        r#"{"AC-NO":"SX1234","SSN":null,"FLAG":"Y"}"#
    );
}

#[test]
fn attributes_content_namespace_and_declaration_are_written() {
    let mut nodes = nodes(
        "
       01  DOC.
           05  ID-NO PIC 9(3).
           05  BODY PIC X(5).
           05  3D PIC X.
           05  XML-LIKE PIC X.
           05  T PIC X OCCURS 2.
",
    );
    node(&mut nodes, "ID-NO").form = XmlForm::Attribute;
    node(&mut nodes, "BODY").form = XmlForm::Content;
    let mut statement = Statement::new(Verb::XmlGenerate, nodes);
    statement.has_declaration = true;
    statement.is_utf8 = true;
    statement.namespace = b"urn:a&b ".to_vec();
    for (prefix, expected) in [
        (
            "",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><DOC xmlns=\"urn:a&amp;b\" ID-NO=\"42\">text<_3D>d</_3D><_XML-LIKE>x</_XML-LIKE><T>1</T><T>2</T></DOC>",
        ),
        (
            "p",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><p:DOC xmlns:p=\"urn:a&amp;b\" ID-NO=\"42\">text<p:_3D>d</p:_3D><p:_XML-LIKE>x</p:_XML-LIKE><p:T>1</p:T><p:T>2</p:T></p:DOC>",
        ),
    ] {
        statement.prefix = prefix.as_bytes().to_vec();
        let done = generate(&statement, b"042text dx12", 400, 0).unwrap();
        assert_eq!(&done.text[..done.count as usize], expected);
    }
}

#[test]
fn characters_that_xml_does_not_have_become_hexadecimal_and_an_exception() {
    let statement = Statement::new(Verb::XmlGenerate, nodes(CLAIM));
    let done = generate(&statement, b"\x00\x00\x00\x00007", 200, 0).unwrap();
    assert_eq!(done.code, 417);
    assert!(
        done.text
            .contains("<hex.REF-NBR>00000000</hex.REF-NBR><CNT>7</CNT>")
    );
    let json = text(Verb::JsonGenerate, nodes(CLAIM), b"\0a\x7F 007");
    assert_eq!(json, "{\"CLM\":{\"REF-NBR\":\"\\u0000a\x7F\",\"CNT\":7}}");
}

#[test]
fn an_invalid_number_is_a_data_exception() {
    let statement = Statement::new(Verb::JsonGenerate, nodes(CLAIM));
    let fault = generate(&statement, b"R1231.2", 60, 0).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "data exception (0C7): CNT holds X'312E32', which is not a number"
    );
}
