//! Files of records.

use copybook::codec::stream::{StreamError, StreamFraming, decode_lines, encode_lines};

use super::codec;

const BOOK: &str = "01 R.
           05 N PIC 9.
           05 T PIC X OCCURS 0 TO 5 DEPENDING ON N.
           05 M PIC 9.
           05 U PIC X OCCURS 0 TO 5 DEPENDING ON M.
           05 TAIL PIC X(2).";

const LINES: &str = concat!(
    r#"{"N":3,"T":["a","b","c"],"M":1,"U":["d"],"TAIL":"xy"}"#,
    "\n",
    r#"{"N":0,"T":[],"M":0,"U":[],"TAIL":"z"}"#,
    "\n"
);

#[test]
fn every_framing_gives_the_lines_back() {
    let codec = codec(BOOK, |_| ());
    for (framing, bytes) in [
        (StreamFraming::SelfDescribing, &b"3abc1dxy00z "[..]),
        (StreamFraming::Rdw, b"\0\x0c\0\x003abc1dxy\0\x08\0\x0000z "),
        (
            StreamFraming::GnuCobol,
            b"\0\x08\0\x003abc1dxy\0\x04\0\x0000z ",
        ),
    ] {
        let mut records = Vec::new();
        assert_eq!(
            encode_lines(&codec, framing, LINES.as_bytes(), &mut records).unwrap(),
            2
        );
        assert_eq!(records, bytes, "{framing:?}");
        let mut lines = Vec::new();
        assert_eq!(
            decode_lines(&codec, framing, &records[..], &mut lines).unwrap(),
            2
        );
        assert_eq!(String::from_utf8(lines).unwrap(), LINES, "{framing:?}");
    }
}

#[test]
fn fixed_records_are_filled_up() {
    let codec = super::codec("01 A PIC X(3).", |o| {
        o.long_record = copybook::codec::LongRecord::Ignore;
    });
    let mut records = Vec::new();
    encode_lines(
        &codec,
        StreamFraming::Fixed(5),
        &b"\"ab\"\n\n\"cde\""[..],
        &mut records,
    )
    .unwrap();
    assert_eq!(records, b"ab \0\0cde\0\0");
    let mut lines = Vec::new();
    decode_lines(&codec, StreamFraming::Fixed(5), &records[..], &mut lines).unwrap();
    assert_eq!(lines, b"\"ab\"\n\"cde\"\n");
    assert!(matches!(
        encode_lines(&codec, StreamFraming::Fixed(2), &b"\"ab\""[..], Vec::new()),
        Err(StreamError::TooLong {
            record: 1,
            len: 3,
            max: 2
        })
    ));
}

#[test]
fn records_of_blocks_are_read_without_their_block_descriptor_words() {
    let codec = super::codec("01 R. 05 A PIC X(4). 05 B PIC X(4).", |_| ());
    let record = |text: &[u8; 8]| [&[0, 12, 0, 0], &text[..]].concat();
    let block = |records: &[Vec<u8>]| {
        let records = records.concat();
        [&[0, records.len() as u8 + 4, 0, 0], &records[..]].concat()
    };
    let (one, two) = (record(b"aaaabbbb"), record(b"ccccdddd"));
    let file = [block(&[one.clone(), two.clone()]), block(&[one])].concat();
    let read = |file: &[u8]| {
        let mut lines = Vec::new();
        let read = decode_lines(&codec, StreamFraming::Rdw, file, &mut lines);
        read.map(|_| String::from_utf8(lines).unwrap())
    };
    assert_eq!(
        read(&file).unwrap(),
        "{\"A\":\"aaaa\",\"B\":\"bbbb\"}\n{\"A\":\"cccc\",\"B\":\"dddd\"}\n{\"A\":\"aaaa\",\"B\":\"bbbb\"}\n"
    );
    // A later block without a valid length, and a truncated one.
    let broken = [
        block(std::slice::from_ref(&two)),
        vec![0, 12, 0, 0],
        b"no words".to_vec(),
    ]
    .concat();
    assert!(matches!(
        read(&broken),
        Err(StreamError::Descriptor { record: 2, .. })
    ));
    assert!(matches!(
        read(&file[..file.len() - 1]),
        Err(StreamError::Cut { record: 3, .. })
    ));
}

#[test]
fn broken_files_name_the_record() {
    let codec = codec(BOOK, |_| ());
    let read = |framing, bytes: &[u8]| decode_lines(&codec, framing, bytes, Vec::new());
    assert!(matches!(
        read(StreamFraming::SelfDescribing, b"00z 3ab"),
        Err(StreamError::Cut {
            record: 2,
            actual: 3,
            needed: 5
        })
    ));
    assert!(matches!(
        read(StreamFraming::SelfDescribing, b"00z 9"),
        Err(StreamError::Decode { record: 2, .. })
    ));
    assert!(matches!(
        read(StreamFraming::Rdw, b"\0\x03\0\0abc"),
        Err(StreamError::Descriptor { .. })
    ));
    assert!(matches!(
        read(StreamFraming::Rdw, b"\0\x08\0\x0100z "),
        Err(StreamError::Descriptor { .. })
    ));
    assert!(matches!(
        read(StreamFraming::Rdw, b"\0\x08\0"),
        Err(StreamError::Cut { .. })
    ));
    assert!(matches!(
        read(StreamFraming::Fixed(0), b"a"),
        Err(StreamError::Cut { .. })
    ));
    let error = encode_lines(
        &codec,
        StreamFraming::Rdw,
        &b"{}\n{\"N\":9}\n"[..],
        Vec::new(),
    );
    assert!(matches!(error, Err(StreamError::Encode { line: 2, .. })));
}
