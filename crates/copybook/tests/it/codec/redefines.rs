//! Storage with several descriptions.

use copybook::codec::{RedefinesChoice, RedefinesRule};

use super::{codec, decoded, encoded};

const BOOK: &str = "01 R.
           05 KIND PIC X.
           05 ITEM OCCURS 2.
              10 TYP PIC X(2).
              10 BODY PIC X(6).
              10 MONEY REDEFINES BODY.
                 15 AMOUNT PIC 9(4)V99.
              10 FILLER REDEFINES BODY.
                 15 NUM PIC S9(5) COMP-3.
                 15 FILLER PIC X(3).";

fn with(choice: RedefinesChoice) -> copybook::RecordCodec {
    codec(BOOK, |o| {
        o.redefines = vec![RedefinesRule {
            item: "ITEM.BODY".into(),
            choice,
        }];
    })
}

#[test]
fn the_redefined_item_counts_unless_set_otherwise() {
    let plain = codec(BOOK, |_| ());
    assert_eq!(
        decoded(&plain, b"kaa001250bbXYZ   "),
        Ok(
            r#"{"KIND":"k","ITEM":[{"TYP":"aa","BODY":"001250"},{"TYP":"bb","BODY":"XYZ"}]}"#
                .into()
        )
    );
    assert!(
        encoded(&plain, r#"{"ITEM":[{"MONEY":{}}]}"#)
            .is_err_and(|e| e == "/ITEM/0/MONEY: no such field")
    );
}

#[test]
fn one_description_can_be_named_or_numbered() {
    let money = with(RedefinesChoice::Named("money".into()));
    assert_eq!(
        decoded(&money, b"kaa001250bb000000"),
        Ok(r#"{"KIND":"k","ITEM":[{"TYP":"aa","MONEY":{"AMOUNT":12.50}},{"TYP":"bb","MONEY":{"AMOUNT":0.00}}]}"#.into())
    );
    assert_eq!(
        encoded(&money, r#"{"ITEM":[{"MONEY":{"AMOUNT":3}}]}"#),
        Ok(b"   000300  000000".to_vec())
    );
    let number = with(RedefinesChoice::Named("#2".into()));
    assert_eq!(
        encoded(&number, "{}"),
        Ok(b"   \0\0\x0c     \0\0\x0c   ".to_vec())
    );
}

#[test]
fn a_value_in_the_same_element_decides() {
    let codec = with(RedefinesChoice::ByValue {
        field: "TYP".into(),
        cases: vec![("M".into(), "MONEY".into()), ("N".into(), "#2".into())],
        otherwise: Some("BODY".into()),
    });
    assert_eq!(
        decoded(&codec, b"kM 001250N \x12\x34\x5d   "),
        Ok(r#"{"KIND":"k","ITEM":[{"TYP":"M","MONEY":{"AMOUNT":12.50}},{"TYP":"N","FILLER":{"NUM":-12345}}]}"#.into())
    );
    assert!(
        decoded(&codec, b"kM 0x1250x free  ").is_err_and(|e| e.contains("R.ITEM(1).MONEY.AMOUNT"))
    );
    let json =
        r#"{"KIND":"k","ITEM":[{"TYP":"M","MONEY":{"AMOUNT":12.5}},{"TYP":"?","BODY":"free"}]}"#;
    assert_eq!(encoded(&codec, json), Ok(b"kM 001250? free  ".to_vec()));
}

#[test]
fn a_value_outside_all_tables_decides() {
    let codec = with(RedefinesChoice::ByValue {
        field: "KIND".into(),
        cases: vec![("m".into(), "MONEY".into())],
        otherwise: None,
    });
    assert_eq!(
        decoded(&codec, b"maa001250bb000001"),
        Ok(r#"{"KIND":"m","ITEM":[{"TYP":"aa","MONEY":{"AMOUNT":12.50}},{"TYP":"bb","MONEY":{"AMOUNT":0.01}}]}"#.into())
    );
    assert_eq!(
        decoded(&codec, b"?aa001250bb000001"),
        Ok(r#"{"KIND":"?","ITEM":[{"TYP":"aa"},{"TYP":"bb"}]}"#.into())
    );
}

#[test]
fn every_valid_description_can_be_shown_and_read_back() {
    let codec = codec(BOOK, |o| o.other_redefines = RedefinesChoice::AllValid);
    let record = b"kaa001250bb\x00\x00\x1c   ";
    let json = concat!(
        r#"{"KIND":"k","ITEM":[{"TYP":"aa","BODY":"001250","MONEY":{"AMOUNT":12.50}},"#,
        r#"{"TYP":"bb","BODY":"\u0000\u0000\u001c","FILLER":{"NUM":1}}]}"#
    );
    assert_eq!(decoded(&codec, record), Ok(json.into()));
    assert_eq!(encoded(&codec, json), Ok(record.to_vec()));
    let neither = "01 R.
           05 A PIC 9(2).
           05 B REDEFINES A PIC S9(3) COMP-3.";
    let codec = super::codec(neither, |o| o.other_redefines = RedefinesChoice::AllValid);
    assert_eq!(
        decoded(&codec, b"  "),
        Err("R.A PIC 9(2) (offset 0, length 2): no description of this storage fits: bytes [20, 20]".into())
    );
}

#[test]
fn options_that_name_nothing_are_refused() {
    let layout = super::layout(BOOK);
    let build = |item: &str, choice| {
        let options = copybook::CodecOptions {
            redefines: vec![RedefinesRule {
                item: item.into(),
                choice,
            }],
            ..Default::default()
        };
        copybook::RecordCodec::build(&layout, &options)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    assert!(build("NOPE", RedefinesChoice::AllValid).is_err_and(|e| e.contains("NOPE")));
    assert!(build("KIND", RedefinesChoice::AllValid).is_err_and(|e| e.contains("not redefined")));
    assert!(build("BODY", RedefinesChoice::Named("KIND".into())).is_err());
    let field = RedefinesChoice::ByValue {
        field: "ITEM".into(),
        cases: vec![],
        otherwise: None,
    };
    assert!(build("BODY", field).is_err());
    let value = RedefinesChoice::ByValue {
        field: "KIND".into(),
        cases: vec![("KK".into(), "BODY".into())],
        otherwise: None,
    };
    assert!(build("BODY", value).is_err_and(|e| e.contains("\"KK\" is a value that")));
}

#[test]
fn a_number_decides_by_its_value() {
    let book = "01 R.
           05 KIND PIC S9V9.
           05 BODY PIC X(2).
           05 NUM REDEFINES BODY PIC 9(2).";
    for value in ["1", "01", "+1.0"] {
        let codec = codec(book, |o| {
            o.redefines = vec![RedefinesRule {
                item: "BODY".into(),
                choice: RedefinesChoice::ByValue {
                    field: "KIND".into(),
                    cases: vec![(value.into(), "NUM".into())],
                    otherwise: Some("BODY".into()),
                },
            }];
        });
        let shown = r#"{"KIND":1.0,"NUM":42}"#;
        assert_eq!(decoded(&codec, b"1042"), Ok(shown.into()), "{value}");
        assert_eq!(encoded(&codec, shown), Ok(b"1042".to_vec()), "{value}");
    }
}
