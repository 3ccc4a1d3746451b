//! JSON text to records.

use copybook::codec::{
    InitialContents, InvalidPolicy, MissingMembers, NullPolicy, OverlongPolicy, Overpunch,
    UnknownMembers, UnmappablePolicy,
};
use copybook::number::RoundingMode;
use copybook::{CodePage, EncodeError, NamingStyle};

use super::{codec, decoded, encoded};

const BOOK: &str = "01 R.
           05 ID PIC 9(4).
           05 NAME PIC X(6) VALUE 'NONE'.
           05 FILLER PIC X VALUE '*'.
           05 AMOUNT PIC S9(3)V99 COMP-3.
           05 TAGS PIC X(2) OCCURS 3.";

#[test]
fn members_come_in_any_order_and_the_rest_keeps_its_initial_value() {
    let codec = codec(BOOK, |_| ());
    let record = encoded(
        &codec,
        " {\"TAGS\": [\"a\"],\n\t\"AMOUNT\" :-1.5 , \"ID\":7}\n",
    );
    let mut expected = b"0007NONE  *".to_vec();
    expected.extend_from_slice(&[0x00, 0x15, 0x0d]);
    expected.extend_from_slice(b"a     ");
    assert_eq!(record, Ok(expected));
    let mut empty = b"0000NONE  *".to_vec();
    empty.extend_from_slice(&[0x00, 0x00, 0x0c]);
    empty.extend_from_slice(b"      ");
    assert_eq!(encoded(&codec, "{}"), Ok(empty.clone()));
    assert_eq!(
        encoded(&codec, r#"{"NAME":null,"TAGS":null,"ID":null}"#),
        Ok(empty)
    );
}

#[test]
fn what_a_record_holds_at_first_is_an_option() {
    let book = "01 R.
           05 A PIC 9(2) VALUE 7.
           05 B PIC X(2).
           05 G VALUE ALL 'xy'.
              10 C PIC X(3).
           05 D PIC 9(2) COMP-3 OCCURS 2.
           05 E PIC X(2) VALUE X'0102'.
           05 F PIC X(3) VALUE HIGH-VALUES.";
    let initial = |initial| encoded(&codec(book, |o| o.initial = initial), "{}");
    assert_eq!(
        initial(InitialContents::Values),
        Ok(b"07  xyx\0\x0f\0\x0f\x01\x02\xff\xff\xff".to_vec())
    );
    assert_eq!(
        initial(InitialContents::ByType),
        Ok(b"00     \0\x0f\0\x0f     ".to_vec())
    );
    assert_eq!(initial(InitialContents::LowValues), Ok(vec![0; 16]));
}

#[test]
fn unknown_missing_and_null_are_errors_on_demand() {
    let strict = codec(BOOK, |o| {
        o.missing = MissingMembers::Error;
        o.null = NullPolicy::Error;
    });
    assert_eq!(
        encoded(&strict, r#"{"ID":1,"NOME":2}"#),
        Err("/NOME: no such field".into())
    );
    assert_eq!(
        encoded(&strict, r#"{"ID":1,"NAME":"x","TAGS":["a","b","c"]}"#),
        Err("R.AMOUNT PIC S9(3)V99 (offset 11, length 3): missing".into())
    );
    assert_eq!(
        encoded(&strict, r#"{"ID":null}"#),
        Err("R.ID PIC 9(4) (offset 0, length 4): a number expected, null found".into())
    );
    assert!(encoded(&strict, r#"{"TAGS":["a"]}"#).is_err_and(|e| e.contains("1 elements")));
    let lenient = codec(BOOK, |o| o.unknown = UnknownMembers::Ignore);
    assert!(encoded(&lenient, r#"{"x":{"y":[1,"}"]},"ID":1,"z\u0041":null}"#).is_ok());
    assert!(encoded(&lenient, r#"{"x":{"y":[1,"}"}}"#).is_err());
}

#[test]
fn errors_say_where_and_why() {
    let codec = codec(BOOK, |_| ());
    let error = |json: &str| encoded(&codec, json).expect_err("an error");
    assert_eq!(
        error(r#"{"NAME":"too long"}"#),
        "R.NAME PIC X(6) (offset 4, length 6): the text needs 8 bytes, the field has 6"
    );
    assert_eq!(
        error(r#"{"ID":12345}"#),
        "R.ID PIC 9(4) (offset 0, length 4): 12345 is too large"
    );
    assert_eq!(
        error(r#"{"ID":-1}"#),
        "R.ID PIC 9(4) (offset 0, length 4): -1 is negative, and the field is unsigned"
    );
    assert_eq!(
        error(r#"{"AMOUNT":1.005}"#),
        "R.AMOUNT PIC S9(3)V99 (offset 11, length 3): 1.005 is more decimal places than the field has"
    );
    assert_eq!(
        error(r#"{"TAGS":["a","b",7]}"#),
        "R.TAGS(3) PIC X(2) (offset 18, length 2): a string expected, a number found"
    );
    assert_eq!(
        error(r#"{"TAGS":["a","b","c","d"]}"#),
        "R.TAGS PIC X(2) (offset 20, length 2): 4 elements, the table has from 3 to 3"
    );
    assert_eq!(
        error(r#"{"NAME":"€"}"#),
        "R.NAME PIC X(6) (offset 4, length 6): '€' is not in ASCII"
    );
    assert_eq!(
        error(r#"{"ID":1,"ID":2}"#),
        "R.ID PIC 9(4) (offset 0, length 4): given twice"
    );
    assert_eq!(
        error("{\"ID\":1,\n \"NAME\":oops}"),
        "line 2, column 9: not a value"
    );
    assert_eq!(error("{\"ID\":01}"), "line 1, column 7: not a number");
    assert_eq!(
        error("{\"ID\":1"),
        "line 1, column 8: the text ends too early"
    );
    assert_eq!(error("{} x"), "line 1, column 4: text after the value");
    assert_eq!(
        error("[]"),
        "R (offset 0, length 20): an object expected, an array found"
    );
    let mut area = [0; 20];
    let error = codec
        .encode(br#"{"TAGS":["a","bcd"]}"#, &mut area)
        .expect_err("too long");
    assert_eq!(error.pointer(), Some("/TAGS/1"));
    assert_eq!(
        codec.encode(b"{}", &mut [0; 5]),
        Err(EncodeError::Area {
            actual: 5,
            needed: 20
        })
    );
}

#[test]
fn numbers_are_read_exactly_in_every_form() {
    let codec = codec(
        "01 R.
           05 A PIC S9(16)V99 COMP-3.
           05 B PIC S9(31).
           05 C PIC 9(3)P(2).
           05 D PIC S9(9) COMP-5.
           05 E PIC ZZ,ZZ9.99-.
           05 F COMP-1.",
        |_| (),
    );
    let json = r#"{"A":9007199254740993.01,"B":-9999999999999999999999999999999,"C":1.23e4,"D":-2147483648,"E":-1234.5,"F":0.1}"#;
    let record = encoded(&codec, json).unwrap();
    assert_eq!(
        decoded(&codec, &record),
        Ok(r#"{"A":9007199254740993.01,"B":-9999999999999999999999999999999,"C":12300,"D":-2147483648,"E":" 1,234.50-","F":0.1}"#.into())
    );
    let text = r#"{"A":"9007199254740993.01","B":"-9999999999999999999999999999999","C":" 12300","D":"-2147483648","E":" 1,234.50-","F":"1e-1"}"#;
    assert_eq!(encoded(&codec, text), Ok(record));
    for bad in [
        r#"{"C":12345}"#,
        r#"{"D":2147483648}"#,
        r#"{"A":"12x"}"#,
        r#"{"F":1e39}"#,
        r#"{"A":true}"#,
        r#"{"B":1e31}"#,
    ] {
        assert!(encoded(&codec, bad).is_err(), "{bad}");
    }
}

#[test]
fn what_does_not_fit_can_be_cut() {
    let codec = codec(
        "01 R.
           05 A PIC X(4).
           05 B PIC X(4) JUST.
           05 C PIC 9V9.",
        |o| {
            o.code_page = CodePage::utf8();
            o.overlong = OverlongPolicy::Truncate;
            o.rounding = RoundingMode::Nearest;
        },
    );
    assert_eq!(
        encoded(&codec, r#"{"A":"abcdef","B":"abcdef","C":1.25}"#),
        Ok(b"abcdcdef13".to_vec())
    );
    assert_eq!(
        encoded(&codec, r#"{"A":"abcé","B":"éabc","C":1.24}"#),
        Ok(b"abc  abc12".to_vec())
    );
}

#[test]
fn text_goes_into_the_page_of_the_record() {
    let page = CodePage::by_name("1141").unwrap();
    let codec = codec(
        "01 R.
           05 A PIC X(8).
           05 B PIC S9(2).
           05 C PIC X(4) JUST.",
        |o| o.code_page = page,
    );
    let mut expected = page.encode("Größe €5").unwrap();
    expected.extend_from_slice(&[0xf1, 0xd2]);
    expected.extend(page.encode("  ab").unwrap());
    assert_eq!(
        encoded(&codec, r#"{"A":"Gr\u00f6ße €5","B":-12,"C":"ab"}"#),
        Ok(expected.clone())
    );
    assert_eq!(
        decoded(&codec, &expected),
        Ok(r#"{"A":"Größe €5","B":-12,"C":"ab"}"#.into())
    );
}

#[test]
fn characters_without_a_place_can_be_replaced() {
    let codec = codec("01 A PIC X(4).", |o| {
        o.unmappable = UnmappablePolicy::Substitute
    });
    assert_eq!(encoded(&codec, r#""aé€""#), Ok(b"a\x1a\x1a ".to_vec()));
}

#[test]
fn raw_bytes_come_back_as_they_were() {
    let codec = codec(
        "01 R.
           05 A PIC 9(3).",
        |o| o.invalid = InvalidPolicy::Raw,
    );
    assert_eq!(
        encoded(&codec, r#"{"A":"0x40ff00"}"#),
        Ok(vec![0x40, 0xff, 0])
    );
    assert!(encoded(&codec, r#"{"A":"0x40ff"}"#).is_err());
}

#[test]
fn overpunch_letters_are_written_on_demand() {
    let codec = codec("01 A PIC S9(3).", |o| o.overpunch = Overpunch::Letters);
    assert_eq!(encoded(&codec, "-120"), Ok(b"12}".to_vec()));
    assert_eq!(encoded(&codec, "121"), Ok(b"12A".to_vec()));
}

#[test]
fn names_follow_the_naming_option_in_any_spelling() {
    let book = "01 R.
           05 CUST-NAME PIC X(2).
           05 A1 PIC X.
           05 A2 PIC X.";
    let codec = codec(book, |o| {
        o.naming = NamingStyle::JsonSafe { lowercase: true }
    });
    let json = r#"{"a2":"2","c\u0075st_name":"ab","a1":"1"}"#;
    assert_eq!(encoded(&codec, json), Ok(b"ab12".to_vec()));
    assert_eq!(
        decoded(&codec, b"ab12"),
        Ok(r#"{"cust_name":"ab","a1":"1","a2":"2"}"#.into())
    );
}

#[test]
fn groups_of_hundreds_of_fields_are_found_in_any_order() {
    let mut book = "01 R.\n".to_string();
    for n in 0..300 {
        book += &format!("    05 FIELD-NUMBER-{n} PIC 9(3).\n");
    }
    let codec = codec(&book, |_| ());
    let members: Vec<String> = (0..300)
        .rev()
        .map(|n| format!("\"FIELD-NUMBER-{n}\":{n}"))
        .collect();
    let record = encoded(&codec, &format!("{{{}}}", members.join(","))).unwrap();
    let expected: String = (0..300).map(|n| format!("{n:03}")).collect();
    assert_eq!(record, expected.as_bytes());
    let twice = format!("{{{},\"FIELD-NUMBER-299\":1}}", members.join(","));
    assert!(encoded(&codec, &twice).is_err_and(|e| e.contains("given twice")));
}

#[test]
fn blank_when_zero_is_blank() {
    let codec = codec(
        "01 R.
           05 A PIC 9(3) BLANK WHEN ZERO.
           05 B PIC ZZ9.",
        |_| (),
    );
    assert_eq!(encoded(&codec, r#"{"A":0,"B":0}"#), Ok(b"     0".to_vec()));
    assert_eq!(encoded(&codec, r#"{"A":5,"B":""}"#), Ok(b"005   ".to_vec()));
}
