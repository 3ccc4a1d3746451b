//! JSON PARSE.
//!
//! Reference: Enterprise COBOL Language Reference, "JSON PARSE statement";
//! Programming Guide, "JSON PARSE conditions and associated codes and runtime
//! messages".

use runtime::markup::descriptor::{Node, Statement, ValueRange, Verb};
use runtime::markup::{CallOperands, StatementCache};

use crate::storage::{OperandArea, OperandStorage, node, nodes};

const GROUP: &str = "
       01  G.
           05  A PIC 9(3).
           05  B PIC X(3).
           05  T PIC X OCCURS 3.
           05  S.
               10  D PIC S9V9.
";

/// The record, JSON-CODE and JSON-STATUS after a text.
fn parse(nodes: Vec<Node>, text: &str) -> (String, i64, i64) {
    let length = nodes[0].length as usize;
    let mut storage = OperandStorage(vec![
        OperandArea::Bytes(Statement::new(Verb::JsonParse, nodes).emit()),
        OperandArea::Bytes(text.as_bytes().to_vec()),
        OperandArea::Bytes(vec![b'.'; length]),
        OperandArea::Int(-7),
        OperandArea::Int(-7),
        OperandArea::Omitted,
        OperandArea::Omitted,
    ]);
    StatementCache::default().serve(&mut storage).unwrap();
    let record = String::from_utf8_lossy(&storage.bytes(2)).into_owned();
    (record, storage.int(3), storage.int(4))
}

#[test]
fn values_go_to_the_items_of_their_names_and_the_registers_say_how() {
    for (text, record, code, status) in [
        (
            r#"  {"g":{"a":7,"B":"xy","T":["1","2","3"],"S":{"D":-2.5}}}   "#,
            "007xy 1232u",
            0,
            0,
        ),
        (r#"{"G":{"a":7}}"#, "007........", 0, 1),
        (r#"{"G":{"a":7,"Q":1},"H":2}"#, "007........", 0, 3),
        (r#"{"G":{"a":7,"a":7}}"#, "007........", 0, 5),
        (r#"{"G":{"a":7,"a":8}}"#, "007........", 103, 0),
        (r#"{"G":{"T":["a","b"]}}"#, "......ab...", 0, 9),
        (r#"{"G":{"T":["a","b","c","d"]}}"#, "......abc..", 0, 17),
        (
            r#"{"G":{"a":null,"T":[null,"b",null]}}"#,
            ".......b...",
            0,
            97,
        ),
        (r#"{"G":{"a":1234}}"#, "234........", 0, 129),
        (r#"{"G":{"B":"wxyz"}}"#, "...wxy.....", 0, 257),
        (r#"{"G":{"B":12}}"#, "...12 .....", 0, 1),
        (r#"{"G":{"B":1.5}}"#, "...........", 104, 0),
        (r#"{"G":{"a":"seven"}}"#, "...........", 104, 0),
        (r#"{"G":{"a":true}}"#, "...........", 107, 0),
        (r#"{"X":{"a":7}}"#, "...........", 106, 3),
        (r#"[{"a":7}]"#, "...........", 108, 0),
        (r#"{"G":{"a":7}"#, "...........", 100, 0),
        ("   ", "...........", 101, 0),
        (r#"{"G":{"a":7}} x"#, "...........", 102, 0),
    ] {
        let found = parse(nodes(GROUP), text);
        assert_eq!(found, (record.to_owned(), code, status), "{text}");
    }
}

/// Storage whose counter is in the first byte of the record.
struct CountedStorage(OperandStorage);

impl CallOperands for CountedStorage {
    fn count(&self) -> usize {
        8
    }

    fn size(&self, at: usize) -> usize {
        self.0.size(at)
    }

    fn address(&self, at: usize) -> usize {
        at
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        self.0.bytes(at)
    }

    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], room: usize) {
        self.0.write(at, offset, bytes, room);
    }

    fn int(&self, at: usize) -> i64 {
        if at == 7 {
            i64::from(self.0.bytes(2)[0] - b'0')
        } else {
            self.0.int(at)
        }
    }

    fn set_int(&mut self, at: usize, value: i64) {
        self.0.set_int(at, value);
    }

    fn has_ebcdic_sign(&self) -> bool {
        false
    }
}

#[test]
fn a_counter_in_the_text_counts_for_what_comes_after_it() {
    let copybook = "       01  G.\n           05  N PIC 9.\n           05  T PIC X OCCURS 0 TO 5 DEPENDING ON N.\n           05  Z PIC X.\n";
    let text = br#"{"G":{"N":3,"T":["a","b","c"],"Z":"z"}}"#;
    let mut storage = CountedStorage(OperandStorage(vec![
        OperandArea::Bytes(Statement::new(Verb::JsonParse, nodes(copybook)).emit()),
        OperandArea::Bytes(text.to_vec()),
        OperandArea::Bytes(b"0......".to_vec()),
        OperandArea::Int(-7),
        OperandArea::Int(-7),
    ]));
    StatementCache::default().serve(&mut storage).unwrap();
    assert_eq!(storage.bytes(2), b"3abcz..");
    assert_eq!((storage.int(3), storage.int(4)), (0, 0));
}

#[test]
fn names_of_name_phrases_match_exactly_and_omitted_ones_match_nothing() {
    let mut renamed = nodes(GROUP);
    let a = node(&mut renamed, "A");
    (a.name, a.is_exact) = (b"amount".to_vec(), true);
    assert_eq!(
        parse(renamed.clone(), r#"{"G":{"amount":5}}"#).0,
        "005........"
    );
    assert_eq!(parse(renamed.clone(), r#"{"G":{"Amount":5}}"#).1, 106);
    node(&mut renamed, "G").name.clear();
    assert_eq!(parse(renamed, r#"{"amount":5}"#).0, "005........");
}

#[test]
fn booleans_become_the_values_of_converting_and_suppressed_items_stay() {
    let mut converting = nodes(GROUP);
    let b = node(&mut converting, "B");
    b.truths = vec![ValueRange {
        low: b"YES".to_vec(),
        high: b"YES".to_vec(),
    }];
    b.falsehood = b"NO".to_vec();
    node(&mut converting, "A").is_hidden = true;
    let found = parse(converting.clone(), r#"{"G":{"B":true,"A":5}}"#);
    assert_eq!(found.0, "...YES.....");
    assert_eq!(parse(converting, r#"{"G":{"B":false}}"#).0, "...NO .....");
}
