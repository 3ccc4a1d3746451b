//! One field at a time.

use copybook::codec::{BlankTrimming, ShortRecord};

use super::codec;

const BOOK: &str = "01 REC.
           05 LEN-TO-RETURN PIC 9(4).
           05 HEAD.
              10 CODE PIC S9(4) COMP.
              10 MSG PIC X(6).
           05 ROWS OCCURS 3.
              10 AMT PIC S9(3)V9.
              10 TAG PIC X(2) OCCURS 2.";

#[test]
fn fields_groups_and_tables_are_written_alone() {
    let codec = codec(BOOK, |_| ());
    let record = b"0042\xff\xfehello 0010aabb0025ccdd003yeeff";
    let shown = |path: &str| {
        let mut out = b">".to_vec();
        codec
            .field(path)
            .unwrap()
            .write_json(record, &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(shown("LEN-TO-RETURN"), ">42");
    assert_eq!(shown("REC.HEAD"), r#">{"CODE":-2,"MSG":"hello"}"#);
    assert_eq!(shown("head.msg"), r#">"hello""#);
    assert_eq!(shown("MSG"), r#">"hello""#);
    assert_eq!(shown("ROWS(2)"), r#">{"AMT":2.5,"TAG":["cc","dd"]}"#);
    assert_eq!(shown("ROWS(3).TAG(2)"), r#">"ff""#);
    assert_eq!(shown("ROWS(3).AMT"), ">-3.9");
    let rows = codec.field("ROWS").unwrap();
    assert!(rows.is_table());
    assert_eq!(rows.count(record), Ok(3));
    let amt = rows.element(1).unwrap().child("AMT").unwrap();
    assert_eq!(
        (amt.offset(), amt.max_len(), amt.is_numeric()),
        (20, 4, true)
    );
    assert_eq!(amt.path(), "REC.ROWS(2).AMT");
}

#[test]
fn paths_that_lead_nowhere_say_why() {
    let codec = codec(BOOK, |_| ());
    let error = |path: &str| codec.field(path).unwrap_err().to_string();
    assert!(error("NOPE").contains("NOPE"));
    assert!(error("ROWS(4)").contains("beyond"));
    assert!(error("ROWS(0)").contains("not a subscript"));
    assert!(error("ROWS.AMT").contains("no subscript"));
    assert!(error("HEAD(1)").contains("no table"));
    assert!(error("AMT").contains("AMT"));
}

#[test]
fn values_go_in_one_by_one() {
    let codec = codec(BOOK, |o| o.trim = BlankTrimming::Keep);
    let mut area = vec![0; codec.max_len()];
    codec.initialise(&mut area).unwrap();
    codec
        .field("LEN-TO-RETURN")
        .unwrap()
        .read_text("17", &mut area)
        .unwrap();
    codec
        .field("MSG")
        .unwrap()
        .read_text("a\"é".trim_end_matches('é'), &mut area)
        .unwrap();
    codec
        .field("CODE")
        .unwrap()
        .read_json(b" -3 ", &mut area)
        .unwrap();
    codec
        .field("ROWS(2)")
        .unwrap()
        .read_json(br#"{"AMT":"1.5","TAG":["x"]}"#, &mut area)
        .unwrap();
    assert_eq!(codec.finish(&mut area), Ok(area.len()));
    assert_eq!(area, b"0017\xff\xfda\"    0000    0015x   0000    ");
    let error = codec
        .field("LEN-TO-RETURN")
        .unwrap()
        .read_text("12 a", &mut area)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "REC.LEN-TO-RETURN PIC 9(4) (offset 0, length 4): a number expected, other text found"
    );
    let error = codec
        .field("ROWS(2).TAG(1)")
        .unwrap()
        .read_json(b"\"xyz\"", &mut area)
        .unwrap_err();
    assert_eq!(error.pointer(), Some("/ROWS/1/TAG/0"));
    assert!(
        codec
            .field("ROWS(2)")
            .unwrap()
            .read_json(b"{} x", &mut area)
            .is_err()
    );
    assert!(
        codec
            .field("HEAD")
            .unwrap()
            .read_text("x", &mut area)
            .is_err()
    );
}

#[test]
fn varying_tables_can_be_filled_and_read_by_field() {
    let codec = codec(
        "01 R.
           05 N PIC 9.
           05 T PIC X OCCURS 0 TO 5 DEPENDING ON N.
           05 TAIL PIC X(2).",
        |_| (),
    );
    let mut area = vec![0; codec.max_len()];
    codec.initialise(&mut area).unwrap();
    codec
        .field("TAIL")
        .unwrap()
        .read_text("zz", &mut area)
        .unwrap();
    codec
        .field("T")
        .unwrap()
        .read_json(br#"["a","b","c"]"#, &mut area)
        .unwrap();
    let len = codec.finish(&mut area).unwrap();
    assert_eq!(&area[..len], b"3abczz");
    let shown = |path: &str| {
        let mut out = Vec::new();
        codec
            .field(path)
            .unwrap()
            .write_json(&area[..len], &mut out)
            .map_err(|e| e.to_string())?;
        Ok::<_, String>(String::from_utf8(out).unwrap())
    };
    assert_eq!(shown("TAIL"), Ok(r#""zz""#.into()));
    assert_eq!(shown("T(3)"), Ok(r#""c""#.into()));
    assert!(shown("T(4)").is_err_and(|e| e.contains("no element with this subscript")));
}

#[test]
fn a_cut_container_gives_what_is_there() {
    let codec = codec(
        "01 R.
           05 HEAD PIC 9(2).
           05 RESPONSE-DATA PIC X(8000000).
           05 AFTER PIC 9(3).",
        |o| o.short_record = ShortRecord::Absent,
    );
    let shown = |path: &str| {
        let mut out = Vec::new();
        codec
            .field(path)
            .unwrap()
            .write_json(b"07abc", &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(shown("RESPONSE-DATA"), r#""abc""#);
    assert_eq!(shown("HEAD"), "7");
    assert_eq!(shown("AFTER"), "null");
}
