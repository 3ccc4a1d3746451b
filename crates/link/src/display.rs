//! The output of programs, on its way from a worker to the region.
//!
//! A worker writes one record a line into its pipe: the task's number, a blank,
//! its transaction in four bytes, the program in control in eight, a blank, the
//! text, a line feed. Control characters of ASCII are written as escapes, so
//! that a record is one line. The region, which trusts no worker, escapes its
//! input again: bytes that are not characters of its code page, and control
//! characters of a terminal.

use std::fmt::Write;

/// Most bytes of a record; a pipe takes that many at once or none.
pub const RECORD_BYTES: usize = 4096;

/// Most bytes of a record's text, after the names and before the end.
const TEXT_BYTES: usize = RECORD_BYTES - 48;

/// Bytes of a transaction's and a program's name.
const TRANSID_BYTES: usize = 4;
const PROGRAM_BYTES: usize = 8;

/// The meaning of the bytes from 0x80 on in a text.
#[derive(Debug, Clone, Default)]
pub enum DisplayCharacters {
    /// UTF-8.
    #[default]
    Utf8,
    /// Each byte is a character of its own, or none.
    Table(Box<[Option<char>; 128]>),
}

/// The program and task that printed a line, as a worker reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplaySource {
    /// The task's number, 0 between tasks.
    pub task: u64,
    /// Its transaction, padded with blanks.
    pub transid: [u8; TRANSID_BYTES],
    /// The program of the task's LINK level, padded with blanks.
    pub program: [u8; PROGRAM_BYTES],
}

/// A printed line with its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisplayLine {
    /// The task's number; `None` for a line that is not a record.
    pub task: Option<u64>,
    /// The transaction without blanks, printable.
    pub transid: String,
    /// The program without blanks, printable.
    pub program: String,
    /// The text, printable.
    pub text: String,
}

/// The record of a line.
pub fn record(source: &DisplaySource, line: &[u8]) -> Vec<u8> {
    let mut record = format!("{} ", source.task).into_bytes();
    let names = source.transid.iter().chain(&source.program);
    record.extend(names.map(|&b| if b.is_ascii_graphic() { b } else { b' ' }));
    record.push(b' ');
    let start = record.len();
    let mut escaped = String::new();
    for byte in line.trim_ascii_end() {
        if byte.is_ascii() {
            escaped.clear();
            show(char::from(*byte), &mut escaped);
            record.extend_from_slice(escaped.as_bytes());
        } else {
            record.push(*byte)
        }
    }
    if record.len() - start > TEXT_BYTES {
        let mut end = start + TEXT_BYTES;
        // Not in the middle of a character, should it be UTF-8.
        for _ in 0..3 {
            end -= usize::from(matches!(record[end], 0x80..=0xbf));
        }
        record.truncate(end);
        record.extend_from_slice(b"...");
    }
    record.push(b'\n');
    record
}

/// Reads a record without its line feed; the result is always printable. A
/// malformed record is text only.
pub fn parse(record: &[u8], characters: &DisplayCharacters) -> DisplayLine {
    of_record(record, characters).unwrap_or_else(|| DisplayLine {
        text: printable(record, characters),
        ..DisplayLine::default()
    })
}

/// Reads a record. Returns `None` if it is malformed.
fn of_record(record: &[u8], characters: &DisplayCharacters) -> Option<DisplayLine> {
    let digits = record.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = record.split_at(digits);
    let task = std::str::from_utf8(number).ok()?.parse().ok()?;
    let (transid, rest) = rest.strip_prefix(b" ")?.split_at_checked(TRANSID_BYTES)?;
    let (program, rest) = rest.split_at_checked(PROGRAM_BYTES)?;
    // A text without a character ends in the blank before it, or without it.
    let text = match rest {
        [] => rest,
        _ => rest.strip_prefix(b" ")?,
    };
    Some(DisplayLine {
        task: Some(task),
        transid: printable(transid, characters),
        program: printable(program, characters),
        text: printable(text, characters),
    })
}

/// A text without trailing blanks, always printable: unprintable characters are
/// escaped.
pub fn printable(line: &[u8], characters: &DisplayCharacters) -> String {
    let line = line.trim_ascii_end();
    let mut text = String::with_capacity(line.len());
    match characters {
        DisplayCharacters::Utf8 => {
            for chunk in line.utf8_chunks() {
                chunk.valid().chars().for_each(|c| show(c, &mut text));
                chunk.invalid().iter().for_each(|b| number(*b, &mut text));
            }
        }
        DisplayCharacters::Table(table) => {
            for byte in line {
                let known = match byte.checked_sub(0x80) {
                    Some(high) => table[usize::from(high)],
                    None => Some(char::from(*byte)),
                };
                match known {
                    Some(c) => show(c, &mut text),
                    None => number(*byte, &mut text),
                }
            }
        }
    }
    text
}

/// Appends a character, or an escape for one that is not printable.
fn show(c: char, into: &mut String) {
    match c {
        '\0' => into.push_str("\\0"),
        '\r' => into.push_str("\\r"),
        '\n' => into.push_str("\\n"),
        '\t' => into.push_str("\\t"),
        c if c.is_control() || turns_text(c) => {
            // Writing to a string does not fail.
            let _ = write!(into, "\\u{{{:x}}}", u32::from(c));
        }
        c => into.push(c),
    }
}

/// Appends a byte that is not a character.
fn number(byte: u8, into: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(into, "\\x{byte:02x}");
}

/// Characters that end a line or change the direction of what follows.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{61C}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: DisplaySource = DisplaySource {
        task: 4711,
        transid: *b"ACC ",
        program: *b"ACCOUNT ",
    };

    #[test]
    fn a_line_comes_back_with_task_transaction_and_program() {
        let record = record(&SOURCE, "HELLO Wörld  ".as_bytes());
        assert_eq!(record, "4711 ACC ACCOUNT  HELLO Wörld\n".as_bytes());
        let line = parse(record.trim_ascii_end(), &DisplayCharacters::Utf8);
        let whole = DisplayLine {
            task: Some(4711),
            transid: "ACC".into(),
            program: "ACCOUNT".into(),
            text: "HELLO Wörld".into(),
        };
        assert_eq!(line, whole);
    }

    #[test]
    fn a_line_that_is_no_record_has_no_task() {
        for text in ["worker: oops", "12x", "", "12 too short"] {
            let line = parse(text.as_bytes(), &DisplayCharacters::Utf8);
            assert_eq!((line.task, line.text.as_str()), (None, text));
        }
    }

    #[test]
    fn nothing_that_moves_a_cursor_is_left() {
        let record = record(&SOURCE, b"a\0b\rc\x1b[2Jd\xffe\xc2\x9bf");
        let text = parse(record.trim_ascii_end(), &DisplayCharacters::Utf8).text;
        assert_eq!(text, "a\\0b\\rc\\u{1b}[2Jd\\xffe\\u{9b}f");
        let names = parse(b"1 A\x1b[2J\x07PROGR  text", &DisplayCharacters::Utf8);
        assert_eq!(
            (names.transid.as_str(), names.program.as_str()),
            ("A\\u{1b}[2", "J\\u{7}PROGR")
        );
    }

    /// ISO 8859-1, except for one byte that maps to no character.
    fn latin1() -> DisplayCharacters {
        let mut table: [_; 128] = std::array::from_fn(|high| Some(char::from(high as u8 + 0x80)));
        table[0x7f] = None;
        DisplayCharacters::Table(Box::new(table))
    }

    #[test]
    fn bytes_are_characters_of_the_code_page() {
        let line = b"M\xfcller, \xc3\xbc \x9b\xff\x1b";
        let record = record(&SOURCE, line);
        let read = |characters: &DisplayCharacters| parse(record.trim_ascii_end(), characters).text;
        assert_eq!(read(&latin1()), "Müller, Ã¼ \\u{9b}\\xff\\u{1b}");
        let utf8 = "M\\xfcller, ü \\x9b\\xff\\u{1b}";
        assert_eq!(read(&DisplayCharacters::Utf8), utf8);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let record = record(&SOURCE, "ü".repeat(4_000).as_bytes());
        let text = parse(record.trim_ascii_end(), &DisplayCharacters::Utf8).text;
        let cut = text.strip_suffix("...").expect("the mark of a cut");
        assert!(cut.chars().all(|c| c == 'ü'), "{}", &cut[cut.len() - 8..]);
    }

    proptest! {
        #[test]
        fn any_bytes_give_one_printable_record_that_a_pipe_takes_at_once(
            task in any::<u64>(),
            transid in any::<[u8; 4]>(),
            program in any::<[u8; 8]>(),
            line in proptest::collection::vec(any::<u8>(), 0..6000),
        ) {
            let record = record(&DisplaySource { task, transid, program }, &line);
            prop_assert!(record.len() <= RECORD_BYTES);
            let body = record.strip_suffix(b"\n").unwrap();
            prop_assert!(!body.iter().any(u8::is_ascii_control));
            for characters in [DisplayCharacters::Utf8, latin1()] {
                prop_assert_eq!(parse(body, &characters).task, Some(task));
                let DisplayLine { transid, program, text, .. } = parse(&line, &characters);
                let shown = transid + &program + &text;
                prop_assert!(!shown.chars().any(char::is_control));
            }
        }
    }
}
