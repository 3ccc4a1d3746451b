//! OCCURS DEPENDING ON.

use copybook::codec::ShortRecord;

use super::{codec, decoded, encoded};

const MIDDLE: &str = "01 R.
           05 N PIC 9(1).
           05 T OCCURS 0 TO 4 DEPENDING ON N.
              10 A PIC X(2).
           05 M PIC 9(1).
           05 U PIC 9 OCCURS 1 TO 3 DEPENDING ON M.
           05 TAIL PIC X(3).";

#[test]
fn what_follows_a_short_table_slides_and_counters_follow_arrays() {
    let codec = codec(MIDDLE, |_| ());
    let json = r#"{"N":2,"T":[{"A":"ab"},{"A":"cd"}],"M":1,"U":[7],"TAIL":"xyz"}"#;
    assert_eq!(decoded(&codec, b"2abcd17xyz"), Ok(json.into()));
    assert_eq!(encoded(&codec, json), Ok(b"2abcd17xyz".to_vec()));
    // The array decides, wherever it is and whatever the counter's value.
    let reversed = r#"{"TAIL":"xyz","U":[7],"T":[{"A":"ab"},{"A":"cd"}],"N":4}"#;
    assert_eq!(encoded(&codec, reversed), Ok(b"2abcd17xyz".to_vec()));
    // A counter alone makes elements with initial values; without it there are as few as possible.
    assert_eq!(
        encoded(&codec, r#"{"N":1,"TAIL":"x"}"#),
        Ok(b"1  10x  ".to_vec())
    );
    assert_eq!(codec.record_len(b"2abcd17xyz").unwrap(), 10);
    assert_eq!(codec.max_len(), 16);
}

#[test]
fn counters_outside_their_bounds_are_errors() {
    let codec = codec(MIDDLE, |_| ());
    assert_eq!(
        decoded(&codec, b"5ababababab11xyz"),
        Err("R.N PIC 9(1) (offset 0, length 1): the counter is 5, the table has from 0 to 4 elements".into())
    );
    assert_eq!(
        decoded(&codec, b"1ab?1xyz"),
        Err("R.M PIC 9(1) (offset 3, length 1): the counter is [3f], the table has from 1 to 3 elements".into())
    );
    // Programs use zero for an empty table even if the minimum is one.
    let none = decoded(&codec, b"1ab0xyz").unwrap();
    assert!(none.contains("[]"), "{none}");
    assert!(decoded(&codec, b"").is_err_and(|e| e.contains("after the end of the record")));
    assert!(encoded(&codec, r#"{"M":0}"#).is_err_and(|e| e.contains("the counter is 0")));
    assert!(encoded(&codec, r#"{"U":[]}"#).is_err_and(|e| e.contains("0 elements")));
    assert!(encoded(&codec, r#"{"U":[1,2,3,4]}"#).is_err_and(|e| e.contains("4 elements")));
}

#[test]
fn nested_tables_share_one_count_per_counter() {
    let book = "01 R.
           05 N PIC 9.
           05 M PIC 9.
           05 ROWS OCCURS 1 TO 3 DEPENDING ON N.
              10 ID PIC X.
              10 CELLS PIC 9 OCCURS 0 TO 4 DEPENDING ON M.
              10 Z PIC X.
           05 TAIL PIC X(2).";
    let codec = codec(book, |_| ());
    let json = r#"{"N":2,"M":3,"ROWS":[{"ID":"a","CELLS":[1,2,3],"Z":"y"},{"ID":"b","CELLS":[4,5,6],"Z":"z"}],"TAIL":"TT"}"#;
    assert_eq!(decoded(&codec, b"23a123yb456zTT"), Ok(json.into()));
    assert_eq!(encoded(&codec, json), Ok(b"23a123yb456zTT".to_vec()));
    let uneven = r#"{"ROWS":[{"CELLS":[1]},{"CELLS":[1,2]}]}"#;
    assert!(encoded(&codec, uneven).is_err_and(|e| e.contains("R.ROWS(2).CELLS")));
    let mut area = vec![b'.'; codec.max_len()];
    codec.expand(b"23a123yb456zTT", &mut area).unwrap();
    assert_eq!(codec.finish(&mut area), Ok(14));
    assert_eq!(&area[..14], b"23a123yb456zTT");
}

#[test]
fn fixed_tables_of_varying_elements_slide_too() {
    let book = "01 R.
           05 M PIC 9.
           05 ROWS OCCURS 2.
              10 CELLS PIC X OCCURS 0 TO 4 DEPENDING ON M.
              10 Z PIC 9.
           05 TAIL PIC X(2).";
    let codec = codec(book, |_| ());
    let json =
        r#"{"M":2,"ROWS":[{"CELLS":["a","b"],"Z":1},{"CELLS":["c","d"],"Z":2}],"TAIL":"TT"}"#;
    assert_eq!(decoded(&codec, b"2ab1cd2TT"), Ok(json.into()));
    assert_eq!(encoded(&codec, json), Ok(b"2ab1cd2TT".to_vec()));
}

#[test]
fn a_short_record_may_end_before_a_counter() {
    let codec = codec(MIDDLE, |o| o.short_record = ShortRecord::Absent);
    assert_eq!(
        decoded(&codec, b"1ab"),
        Ok(r#"{"N":1,"T":[{"A":"ab"}],"U":[]}"#.into())
    );
}

#[test]
fn tables_that_share_a_counter_must_agree() {
    let book = "01 R.
           05 N PIC 9.
           05 T PIC X OCCURS 0 TO 4 DEPENDING ON N.
           05 U PIC X OCCURS 0 TO 4 DEPENDING ON N.";
    let codec = codec(book, |_| ());
    assert_eq!(
        encoded(&codec, r#"{"T":["a","b"],"U":["c","d"]}"#),
        Ok(b"2abcd".to_vec())
    );
    assert_eq!(encoded(&codec, r#"{"T":["a","b"]}"#), Ok(b"2ab  ".to_vec()));
    assert!(
        encoded(&codec, r#"{"T":["a"],"U":["c","d"]}"#).is_err_and(|e| e.contains("same counter"))
    );
}
