//! XML PARSE: events and the flow of control.
//!
//! Reference: Enterprise COBOL Programming Guide, "Example: parsing a simple
//! document", "Example: parsing an XML document one segment at a time", "XML
//! PARSE exceptions with XMLPARSE(XMLSS) in effect".

use proptest::prelude::*;
use runtime::markup::descriptor::{Statement, Verb};
use runtime::markup::{CallOperands, StatementCache};

use crate::storage::{OperandArea, OperandStorage};

/// The events of a document with their texts, and XML-CODE at the end.
/// `answer` gives XML-CODE after an event, and may change the document.
fn events(
    document: &[u8],
    mut answer: impl FnMut(&str, &mut OperandStorage) -> Option<i64>,
) -> (Vec<String>, i64) {
    const ROOM: usize = 200;
    let mut statement = Statement::new(Verb::XmlParse, Vec::new());
    statement.is_utf8 = true;
    let mut storage = OperandStorage(vec![
        OperandArea::Bytes(statement.emit()),
        OperandArea::Bytes(document.to_vec()),
        OperandArea::Int(0),
        OperandArea::Int(5),
        OperandArea::Bytes(vec![b'.'; 30]),
        OperandArea::Int(0),
    ]);
    for _ in 0..3 {
        storage.0.push(OperandArea::Int(0));
        storage.0.push(OperandArea::Bytes(vec![b'.'; ROOM]));
    }
    let mut statements = StatementCache::default();
    let mut found = Vec::new();
    loop {
        statements.serve(&mut storage).unwrap();
        if storage.int(2) == 0 {
            return (found, storage.int(3));
        }
        let event = String::from_utf8(storage.bytes(4)).unwrap();
        let mut line = event.trim_end().to_owned();
        for (at, mark) in [(6, ' '), (8, '@'), (10, ':')] {
            let length = storage.int(at) as usize;
            if length > 0 {
                let text = &storage.bytes(at + 1)[..length];
                line.push(mark);
                line.push_str(&String::from_utf8_lossy(text));
            }
        }
        found.push(line);
        if let Some(code) = answer(event.trim_end(), &mut storage) {
            storage.set_int(3, code);
        }
    }
}

fn of(document: &str) -> (Vec<String>, i64) {
    events(document.as_bytes(), |_, _| None)
}

#[test]
fn a_simple_document_has_these_events() {
    let (found, code) = of("<?xml version=\"1.0\"?><msg type=\"short\">Hello, World!</msg>   ");
    assert_eq!(code, 0);
    assert_eq!(
        found,
        [
            "START-OF-DOCUMENT",
            "VERSION-INFORMATION 1.0",
            "START-OF-ELEMENT msg",
            "ATTRIBUTE-NAME type",
            "ATTRIBUTE-CHARACTERS short",
            "CONTENT-CHARACTERS Hello, World!",
            "END-OF-ELEMENT msg",
            "END-OF-DOCUMENT",
        ]
    );
}

#[test]
fn every_kind_of_markup_has_its_events() {
    let (found, code) = of("<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n\
         <!DOCTYPE s [<!ENTITY x '>'>]><!--note--><s a='b&apos;s'> <e/><?pi  do it?>\
         Ham &amp; &#233;<![CDATA[<x>]]>&unknown;</s><!-- end -->");
    assert_eq!(code, 0, "{found:#?}");
    assert_eq!(
        found,
        [
            "START-OF-DOCUMENT",
            "VERSION-INFORMATION 1.0",
            "ENCODING-DECLARATION UTF-8",
            "STANDALONE-DECLARATION yes",
            "DOCUMENT-TYPE-DECLARATION s",
            "COMMENT note",
            "START-OF-ELEMENT s",
            "ATTRIBUTE-NAME a",
            "ATTRIBUTE-CHARACTERS b's",
            "CONTENT-CHARACTERS  ",
            "START-OF-ELEMENT e",
            "END-OF-ELEMENT e",
            "PROCESSING-INSTRUCTION-TARGET pi",
            "PROCESSING-INSTRUCTION-DATA do it",
            "CONTENT-CHARACTERS Ham & \u{E9}",
            "START-OF-CDATA-SECTION",
            "CONTENT-CHARACTERS <x>",
            "END-OF-CDATA-SECTION",
            "UNRESOLVED-REFERENCE unknown",
            "END-OF-ELEMENT s",
            "COMMENT  end ",
            "END-OF-DOCUMENT",
        ]
    );
}

#[test]
fn names_have_their_namespaces_and_prefixes() {
    let (found, _) = of("<a xmlns='urn:d' xmlns:p='urn:p'><p:b p:c='1' d='2'/></a>");
    assert_eq!(
        found[1..],
        [
            "START-OF-ELEMENT a@urn:d",
            "NAMESPACE-DECLARATION@urn:d",
            "NAMESPACE-DECLARATION@urn:p:p",
            "START-OF-ELEMENT b@urn:p:p",
            "ATTRIBUTE-NAME c@urn:p:p",
            "ATTRIBUTE-CHARACTERS 1",
            "ATTRIBUTE-NAME d",
            "ATTRIBUTE-CHARACTERS 2",
            "END-OF-ELEMENT b@urn:p:p",
            "END-OF-ELEMENT a@urn:d",
            "END-OF-DOCUMENT",
        ]
    );
}

#[test]
fn what_is_not_well_formed_is_an_exception_and_the_last_event() {
    for (document, code) in [
        ("<msg>Hello</mmsg>", 0x000C_3035),
        ("<a b=c/>", 0x000C_3000),
        ("<a b='1' b='2'/>", 0x000C_3000),
        ("<a>&nothing;</a>", 0x000C_3000),
        ("<p:a/>", 0x000C_3000),
        ("<a/><b/>", 0x000C_3000),
        ("text", 0x000C_3000),
        (
            "<?xml version='1.0' ?><?xml version='1.0'?><a/>",
            0x000C_3000,
        ),
    ] {
        let (found, ended) = of(document);
        assert_eq!(ended, code, "{document}: {found:?}");
        assert!(found.last().unwrap().starts_with("EXCEPTION"), "{found:?}");
    }
}

#[test]
fn the_procedure_ends_the_parse_with_minus_one() {
    let (found, code) = events(b"<a><b/><c/></a>", |event, _| {
        (event == "END-OF-ELEMENT").then_some(-1)
    });
    assert_eq!(found.last().unwrap(), "END-OF-ELEMENT b");
    assert_eq!(code, -1);
}

#[test]
fn a_document_comes_in_segments_while_the_procedure_sets_the_code_to_one() {
    let mut rest = vec!["<Tagl", "ine>COBOL is", " alive</Tagline>"].into_iter();
    let (found, code) = events(b"<?xml version='1.0'?>", |event, storage| {
        if event != "END-OF-INPUT" {
            return None;
        }
        let segment = rest.next()?;
        storage.0[1] = OperandArea::Bytes(segment.as_bytes().to_vec());
        Some(1)
    });
    assert_eq!(code, 0);
    let others: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|e| *e != "END-OF-INPUT")
        .collect();
    assert_eq!(
        others,
        [
            "START-OF-DOCUMENT",
            "VERSION-INFORMATION 1.0",
            "START-OF-ELEMENT Tagline",
            "CONTENT-CHARACTERS COBOL is alive",
            "END-OF-ELEMENT Tagline",
            "END-OF-DOCUMENT",
        ]
    );
    assert_eq!(found.len() - others.len(), 3);
}

#[test]
fn a_document_that_ends_too_early_requests_more_and_then_is_an_exception() {
    let (found, code) = of("<a><b>");
    assert_eq!(code, 0x000C_3000);
    let end = &found[found.len() - 2..];
    assert_eq!(end[0], "END-OF-INPUT");
    assert!(end[1].starts_with("EXCEPTION"));
}

proptest! {
    #[test]
    fn no_document_makes_the_parser_panic(
        document in "[<>/!?\\[\\]&;#x=\"' a-cAD:\\-]{0,60}",
        cut in 0usize..60,
    ) {
        let bytes = document.as_bytes();
        let cut = cut.min(bytes.len());
        let mut rest = Some(bytes[cut..].to_vec());
        events(&bytes[..cut], |event, storage| {
            let segment = rest.take().filter(|_| event == "END-OF-INPUT")?;
            storage.0[1] = OperandArea::Bytes(segment);
            Some(1)
        });
    }
}
