//! Records to XML and back.

use soap::xml::NamespaceScopes;
use soap::{MessageLayout, XmlCodec, XmlOptions};

pub const ORDER: &str = "
       01  ORDER-IN.
           05  ORDER-NO       PIC 9(6).
           05  CUSTOMER.
               10  CUST-NAME  PIC X(20).
               10  CREDIT     PIC S9(5)V99 COMP-3.
           05  LINE-COUNT     PIC 9(2).
           05  FILLER         PIC X(3).
           05  ORDER-LINE OCCURS 0 TO 5 DEPENDING ON LINE-COUNT.
               10  ITEM       PIC X(8).
               10  QTY        PIC S9(4) COMP.
";

pub fn structure(copybook: &str) -> MessageLayout {
    soap::wsdl::structure_of(copybook, "order", "urn:order")
        .unwrap()
        .0
}

fn codec(copybook: &str) -> XmlCodec {
    XmlCodec::build(&structure(copybook), &XmlOptions::default()).unwrap()
}

const MESSAGE: &str = "<order xmlns=\"urn:order\"><ORDER_NO>42</ORDER_NO><CUSTOMER>\
    <CUST_NAME>Müller &lt; Co</CUST_NAME><CREDIT>-12.50</CREDIT></CUSTOMER>\
    <ORDER_LINE><ITEM>NAIL</ITEM><QTY>7</QTY></ORDER_LINE>\
    <ORDER_LINE><ITEM>NUT</ITEM><QTY>-1</QTY></ORDER_LINE></order>";

fn encode(codec: &XmlCodec, text: &str) -> Result<Vec<u8>, String> {
    let made = codec.encode(text, NamespaceScopes::new());
    made.map(|m| m.record).map_err(|e| e.to_string())
}

#[test]
fn a_message_becomes_a_record_and_is_written_again() {
    let mut options = XmlOptions::default();
    options.record.code_page = copybook::CodePage::by_ccsid(1047).unwrap();
    let codec = XmlCodec::build(&structure(ORDER), &options).unwrap();
    let record = encode(&codec, MESSAGE).unwrap();
    assert_eq!(record.len(), 6 + 20 + 4 + 2 + 3 + 2 * 10);
    let mut out = Vec::new();
    codec.decode(&record, &mut out).unwrap();
    let written = MESSAGE.replace("</CUSTOMER>", "</CUSTOMER><LINE_COUNT>2</LINE_COUNT>");
    assert_eq!(String::from_utf8(out).unwrap(), written);
}

#[test]
fn prefixes_order_and_layout_of_the_text_do_not_matter() {
    let codec = codec(ORDER);
    let plain = encode(&codec, &MESSAGE.replace("Müller", "Muller")).unwrap();
    let other = encode(
        &codec,
        "<?xml version='1.0'?>\n<p:order xmlns:p='urn:order' xmlns:x='urn:x' x:id='7'>
           <p:ORDER_LINE><p:QTY> 7 </p:QTY><p:ITEM>NAIL</p:ITEM></p:ORDER_LINE>
           <!-- the second --><q:ORDER_LINE xmlns:q='urn:order'><q:ITEM>N<![CDATA[U]]>T</q:ITEM>
             <q:QTY>-1</q:QTY></q:ORDER_LINE>
           <CUSTOMER xmlns='urn:order'><CUST_NAME>Muller &#60; Co</CUST_NAME>
             <CREDIT>-012.5</CREDIT></CUSTOMER>
           <p:ORDER_NO>+42</p:ORDER_NO></p:order>\n",
    );
    assert_eq!(other.unwrap(), plain);
}

#[test]
fn nil_gives_the_initial_value() {
    let codec =
        codec("       01 R.\n           05 A PIC X(3) VALUE 'abc'.\n           05 N PIC 9(3).\n");
    let text = "<order xmlns='urn:order' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\
        <A i:nil='true'/><N i:nil='1'></N></order>";
    assert_eq!(encode(&codec, text).unwrap(), b"abc000");
}

#[test]
fn faults_name_the_element_and_its_place() {
    let codec = codec(ORDER);
    let wrong = |from: &str, to: &str| {
        let text = MESSAGE.replace("Müller", "Muller").replacen(from, to, 1);
        encode(&codec, &text).unwrap_err()
    };
    let cases = [
        (">42<", ">x<", "order/ORDER_NO"),
        (">42<", ">1234567<", "too large"),
        ("<QTY>-1<", "<QTY>1.5<", "order/ORDER_LINE[2]/QTY"),
        (
            "ITEM>NUT</ITEM",
            "THING>NUT</THING",
            "unknown element THING; expected: ITEM, QTY",
        ),
        (
            "<ITEM>NUT</ITEM>",
            "",
            "order/ORDER_LINE[2]/ITEM: the element is missing",
        ),
        (
            "urn:order",
            "urn:other",
            "expected the element {urn:order}order, found {urn:other}order",
        ),
        (
            "<QTY>7</QTY>",
            "<p:QTY>7</p:QTY>",
            "the prefix p is not declared",
        ),
        (
            "<QTY>7</QTY>",
            "<QTY>7</QTY><QTY>8</QTY>",
            "the element occurs twice",
        ),
        (
            "<QTY>7</QTY>",
            "<QTY xmlns='urn:b'>7</QTY>",
            "QTY is in the namespace \"urn:b\"",
        ),
        (
            "<QTY>7</QTY>",
            "<QTY unit='kg'>7</QTY>",
            "unknown attribute unit",
        ),
        (
            "<CUSTOMER>",
            "<CUSTOMER>text",
            "expected elements, found text",
        ),
        (">42<", "><b/><", "expected text, found an element"),
    ];
    for (from, to, reported) in cases {
        let error = wrong(from, to);
        assert!(error.contains(reported), "{error}");
        assert!(error.starts_with("line 1, column "), "{error}");
    }
    let lines = "<ORDER_LINE><ITEM>A</ITEM><QTY>1</QTY></ORDER_LINE>".repeat(4);
    let error = wrong("</order>", &format!("{lines}</order>"));
    assert!(
        error.contains("ORDER_LINE[6]: the element occurs more than 5 times"),
        "{error}"
    );
}

#[test]
fn a_record_that_cannot_be_shown_names_the_element() {
    let codec = codec(ORDER);
    let record = encode(&codec, &MESSAGE.replace("Müller", "Muller")).unwrap();
    let mut out = b"kept".to_vec();
    let mut bad = record.clone();
    bad[0] = b'?';
    let error = codec.decode(&bad, &mut out).unwrap_err().to_string();
    assert!(error.starts_with("order/ORDER_NO: "), "{error}");
    let mut bad = record.clone();
    bad[8] = 7;
    let error = codec.decode(&bad, &mut out).unwrap_err().to_string();
    assert!(error.contains("CUST_NAME: the character X'07'"), "{error}");
    assert!(codec.decode(&record[..30], &mut out).is_err());
    assert_eq!(out, b"kept");
    // Low-values at the end are bytes that were never filled.
    let mut unfilled = record;
    unfilled[12..26].fill(0);
    codec.decode(&unfilled, &mut out).unwrap();
    assert!(
        String::from_utf8(out)
            .unwrap()
            .contains("<CUST_NAME>Muller</CUST_NAME>")
    );
}
