//! Records to JSON text.

use copybook::CodePage;
use copybook::codec::{
    BlankTrimming, EditedForm, InvalidPolicy, LongRecord, NumberForm, ShortRecord, SourceMachine,
    UnmappablePolicy,
};

use super::{codec, decoded};

#[test]
fn groups_are_objects_and_tables_are_arrays() {
    let codec = codec(
        "01 REC.
           05 NAME PIC X(5).
           05 FILLER PIC X(2).
           05 POS OCCURS 2.
              10 X PIC S9(2).
              10 Y PIC 9V9.
           05 TAGS PIC X OCCURS 3.",
        |_| (),
    );
    assert_eq!(
        decoded(&codec, b"Ann  ??01201q34ab "),
        Ok(
            r#"{"NAME":"Ann","POS":[{"X":1,"Y":2.0},{"X":-11,"Y":3.4}],"TAGS":["a","b",""]}"#
                .into()
        )
    );
}

#[test]
fn text_is_escaped_where_json_demands_it() {
    let codec = codec("01 T PIC X(20).", |o| o.code_page = CodePage::utf8());
    let text = "a\"b\\c\n\u{1}d\té€/\u{7f}";
    let record = format!("{text:<20}");
    let mut padded = record.into_bytes();
    padded.truncate(20);
    padded.resize(20, b' ');
    assert_eq!(
        decoded(&codec, &padded),
        Ok(r#""a\"b\\c\n\u0001d\té€/"#.to_string() + "\u{7f}\"")
    );
}

#[test]
fn every_digit_of_the_longest_numbers_is_kept() {
    let codec = codec(
        "01 R.
           05 A PIC S9(31) COMP-3.
           05 B PIC 9(18)V9(18).
           05 C PIC S9(18) COMP.
           05 D PIC 9(3)P(4).
           05 E PIC VP(2)9(3).",
        |_| (),
    );
    let mut record = vec![0x12; 15];
    record.push(0x3d);
    record.extend_from_slice(b"123456789012345678000000000000000009");
    record.extend_from_slice(&(-999_999_999_999_999_999i64).to_be_bytes());
    record.extend_from_slice(b"012");
    record.extend_from_slice(b"007");
    assert_eq!(
        decoded(&codec, &record),
        Ok(concat!(
            r#"{"A":-1212121212121212121212121212123,"B":123456789012345678.000000000000000009,"#,
            r#""C":-999999999999999999,"D":120000,"E":0.00007}"#
        )
        .into())
    );
}

#[test]
fn ebcdic_records_are_read_in_their_page() {
    let codec = codec(
        "01 R.
           05 A PIC X(6).
           05 B PIC S9(3).
           05 C PIC S9(2) SIGN LEADING SEPARATE.
           05 D PIC ZZ9.9-.",
        |o| {
            o.code_page = CodePage::by_name("037").unwrap();
            o.edited = EditedForm::Number;
        },
    );
    let mut record = CodePage::by_name("037").unwrap().encode("Zoë\"  ").unwrap();
    record.extend_from_slice(&[0xf1, 0xf2, 0xd3, 0x60, 0xf4, 0xf5]);
    record.extend(CodePage::by_name("037").unwrap().encode(" 12.5-").unwrap());
    assert_eq!(
        decoded(&codec, &record),
        Ok(r#"{"A":"Zoë\"","B":-123,"C":-45,"D":-12.5}"#.into())
    );
}

#[test]
fn numbers_and_edited_items_take_the_form_asked_for() {
    let book = "01 R.
           05 A PIC 9(3)V99.
           05 B PIC $$,$$9.99.
           05 C COMP-2.";
    let mut record = b"01250   $12.50".to_vec();
    record.pop();
    record.truncate(5);
    record.extend_from_slice(b"   $12.50");
    record.extend_from_slice(&0.1f64.to_ne_bytes());
    let plain = codec(book, |_| ());
    assert_eq!(
        decoded(&plain, &record),
        Ok(r#"{"A":12.50,"B":"   $12.50","C":0.1}"#.into())
    );
    let text = codec(book, |o| {
        o.numbers = NumberForm::Text;
        o.edited = EditedForm::Number;
    });
    assert_eq!(
        decoded(&text, &record),
        Ok(r#"{"A":"12.50","B":"12.50","C":"0.1"}"#.into())
    );
}

#[test]
fn blanks_are_trimmed_as_the_options_say() {
    let book = "01 R.
           05 A PIC X(5).
           05 B PIC X(5) JUSTIFIED RIGHT.";
    let shown = |trim| decoded(&codec(book, |o| o.trim = trim), b" a b  c d ");
    assert_eq!(
        shown(BlankTrimming::Keep),
        Ok(r#"{"A":" a b ","B":" c d "}"#.into())
    );
    assert_eq!(
        shown(BlankTrimming::Padding),
        Ok(r#"{"A":" a b","B":"c d "}"#.into())
    );
    assert_eq!(
        shown(BlankTrimming::Both),
        Ok(r#"{"A":"a b","B":"c d"}"#.into())
    );
}

#[test]
fn empty_fields_groups_and_tables_can_be_left_out() {
    let codec = codec(
        "01 R.
           05 A PIC X(2).
           05 G.
              10 B PIC X.
              10 C PIC X(2).
           05 T PIC X OCCURS 2.
           05 N PIC 9.",
        |o| o.omit_empty = true,
    );
    assert_eq!(
        decoded(&codec, b"  \0  ab0"),
        Ok(r#"{"T":["a","b"],"N":0}"#.into())
    );
    assert_eq!(
        decoded(&codec, b"x  yz  0"),
        Ok(r#"{"A":"x","G":{"C":"yz"},"T":["",""],"N":0}"#.into())
    );
}

#[test]
fn invalid_data_is_an_error_null_or_raw() {
    let book = "01 R.
           05 G OCCURS 2.
              10 A PIC S9(3) COMP-3.
           05 B PIC 9(2).";
    let record = [0x12, 0x3c, 0x40, 0x40, b'1', b' '];
    let shown = |invalid| decoded(&codec(book, |o| o.invalid = invalid), &record);
    assert_eq!(
        shown(InvalidPolicy::Error),
        Err("R.G(2).A PIC S9(3) (offset 2, length 2): not a valid sign: bytes [40, 40]".into())
    );
    assert_eq!(
        shown(InvalidPolicy::Null),
        Ok(r#"{"G":[{"A":123},{"A":null}],"B":null}"#.into())
    );
    assert_eq!(
        shown(InvalidPolicy::Raw),
        Ok(r#"{"G":[{"A":123},{"A":"0x4040"}],"B":"0x3120"}"#.into())
    );
}

#[test]
fn bytes_that_are_no_characters_are_named_or_replaced() {
    let book = "01 R.
           05 A PIC X(8).";
    for page in [CodePage::ascii(), CodePage::utf8()] {
        let strict = codec(book, |o| o.code_page = page);
        let error = decoded(&strict, b"a\xc3\xa9\xc3b   ");
        let at = if page == CodePage::utf8() { 3 } else { 1 };
        let message =
            format!("R.A PIC X(8) (offset 0, length 8): byte {at} is not a character of {page}");
        assert!(
            error.clone().is_err_and(|e| e.starts_with(&message)),
            "{error:?}"
        );
    }
    let lenient = codec(book, |o| {
        o.code_page = CodePage::utf8();
        o.unmappable = UnmappablePolicy::Substitute;
    });
    assert_eq!(
        decoded(&lenient, b"a\xc3\xa9\xc3b\xff\xc3 "),
        Ok("{\"A\":\"aé\u{fffd}b\u{fffd}\u{fffd}\"}".into())
    );
    assert_eq!(
        decoded(&lenient, b"a\xc3\xa9\xc3b\xff\xe2\x82"),
        Ok("{\"A\":\"aé\u{fffd}b\u{fffd}\u{fffd}\"}".into())
    );
}

#[test]
fn national_text_is_utf16() {
    let codec = codec(
        "01 R.
           05 A PIC N(4).",
        |_| (),
    );
    let units = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!(decoded(&codec, &units("é😀 ")), Ok(r#"{"A":"é😀"}"#.into()));
    let mut lone = units("ab");
    lone.extend_from_slice(&[0xd8, 0x3d, 0, 0x41]);
    assert!(decoded(&codec, &lone).is_err_and(|e| e.contains("byte 4 ")));
}

#[test]
fn records_of_other_lengths_are_errors_or_partly_read() {
    let book = "01 R.
           05 A PIC X(4).
           05 N PIC 9(2).
           05 T PIC X(2) OCCURS 3.";
    let strict = codec(book, |_| ());
    assert_eq!(
        decoded(&strict, b"ab"),
        Err("the record has 2 bytes, its layout needs 12".into())
    );
    assert_eq!(
        decoded(&strict, b"abcd12aabbccx"),
        Err("the record has 13 bytes, its layout ends at 12".into())
    );
    let lenient = codec(book, |o| {
        o.short_record = ShortRecord::Absent;
        o.long_record = LongRecord::Ignore;
    });
    assert_eq!(decoded(&lenient, b""), Ok(r#"{"T":[]}"#.into()));
    assert_eq!(decoded(&lenient, b"ab"), Ok(r#"{"A":"ab","T":[]}"#.into()));
    assert_eq!(
        decoded(&lenient, b"abcd1"),
        Ok(r#"{"A":"abcd","T":[]}"#.into())
    );
    assert_eq!(
        decoded(&lenient, b"abcd12aab"),
        Ok(r#"{"A":"abcd","N":12,"T":["aa","b"]}"#.into())
    );
    assert_eq!(
        decoded(&lenient, b"abcd12aabbccx"),
        Ok(r#"{"A":"abcd","N":12,"T":["aa","bb","cc"]}"#.into())
    );
}

#[test]
fn slack_after_a_short_table_ends_with_the_layout() {
    let book = "01 R.
           05 N PIC 9.
           05 T PIC X(2) OCCURS 1 TO 4 DEPENDING ON N.";
    let slack = codec(book, |o| o.long_record = LongRecord::Slack);
    assert_eq!(
        decoded(&slack, b"1AA    "),
        Ok(r#"{"N":1,"T":["AA"]}"#.into())
    );
    assert_eq!(
        decoded(&slack, b"1AA       "),
        Err("the record has 10 bytes, its layout ends at 9".into())
    );
}

#[test]
fn mainframe_floats_and_integers_are_read_as_such() {
    let book = "01 R.
           05 F COMP-1.
           05 D COMP-2.
           05 N PIC S9(4) COMP-5.";
    let codec = codec(book, |o| o.machine = SourceMachine::Mainframe);
    let mut record = 0xc276_a000u32.to_be_bytes().to_vec();
    record.extend_from_slice(&0x4110_0000_0000_0000u64.to_be_bytes());
    record.extend_from_slice(&[0xff, 0xfe]);
    assert_eq!(
        decoded(&codec, &record),
        Ok(r#"{"F":-118.625,"D":1,"N":-2}"#.into())
    );
    assert_eq!(
        super::encoded(&codec, r#"{"F":-118.625,"D":1,"N":-2}"#),
        Ok(record)
    );
}

#[test]
fn an_elementary_record_is_its_bare_value() {
    let codec = codec("01 N PIC 9(3).", |_| ());
    assert_eq!(decoded(&codec, b"042"), Ok("42".into()));
    assert_eq!(super::encoded(&codec, " 7 "), Ok(b"007".to_vec()));
}
