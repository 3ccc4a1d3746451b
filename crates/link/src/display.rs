//! What programs print, on its way from a worker to the region.
//!
//! A worker writes one record a line into its pipe: the task's number, a blank,
//! its transaction in four bytes, the program in control in eight, a blank, the
//! text, a line feed. The text is printable: control characters and bytes that
//! are no characters are written as escapes, so that a line of the log is one
//! line and says nothing to a terminal. The region escapes again what it reads,
//! since it trusts no worker.

use std::fmt::Write;

/// Most bytes of a record; a pipe takes that many at once or none.
pub const RECORD_BYTES: usize = 4096;

/// Most bytes of a record's text, behind the names and before the end.
const TEXT_BYTES: usize = RECORD_BYTES - 48;

/// Bytes of a transaction's and a program's name.
const TRANSID_BYTES: usize = 4;
const PROGRAM_BYTES: usize = 8;

/// Who printed a line, as a worker tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The task's number, 0 between tasks.
    pub task: u64,
    /// Its transaction, padded with blanks.
    pub transid: [u8; TRANSID_BYTES],
    /// The program of the task's LINK level, padded with blanks.
    pub program: [u8; PROGRAM_BYTES],
}

/// Who printed a line, and what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The task's number; none for a line that is no record.
    pub task: Option<u64>,
    /// The transaction without blanks, printable.
    pub transid: String,
    /// The program without blanks, printable.
    pub program: String,
    /// The text, printable.
    pub text: String,
}

/// The record of a line.
pub fn record(source: &Source, line: &[u8]) -> String {
    let mut record = format!("{} ", source.task);
    let names = source.transid.iter().chain(&source.program);
    record.extend(names.map(|&b| if b.is_ascii_graphic() { b as char } else { ' ' }));
    record.push(' ');
    let start = record.len();
    escape(line, &mut record);
    if record.len() - start > TEXT_BYTES {
        let mut end = start + TEXT_BYTES;
        while !record.is_char_boundary(end) {
            end -= 1;
        }
        record.truncate(end);
        record.push('…');
    }
    record.push('\n');
    record
}

/// What a record without its line feed says, printable whatever wrote it. A
/// line that is no record is text alone.
pub fn parse(record: &[u8]) -> Line {
    of_record(record).unwrap_or_else(|| Line {
        text: printable(record),
        ..Line::default()
    })
}

/// What a record says; none for a line that is none.
fn of_record(record: &[u8]) -> Option<Line> {
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
    Some(Line {
        task: Some(task),
        transid: printable(transid),
        program: printable(program),
        text: printable(text),
    })
}

/// A text without the blanks at its end, printable whatever it holds.
pub fn printable(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    escape(line, &mut text);
    text
}

/// Appends a text without the blanks at its end, with escapes for what is not
/// printable.
fn escape(line: &[u8], into: &mut String) {
    for chunk in line.trim_ascii_end().utf8_chunks() {
        for c in chunk.valid().chars() {
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
        for byte in chunk.invalid() {
            let _ = write!(into, "\\x{byte:02x}");
        }
    }
}

/// Characters that end a line or change the direction of what follows.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{61C}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: Source = Source {
        task: 4711,
        transid: *b"ACC ",
        program: *b"ACCOUNT ",
    };

    #[test]
    fn a_line_comes_back_with_task_transaction_and_program() {
        let record = record(&SOURCE, "HELLO Wörld  ".as_bytes());
        assert_eq!(record, "4711 ACC ACCOUNT  HELLO Wörld\n");
        let line = parse(record.strip_suffix('\n').unwrap().as_bytes());
        let whole = Line {
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
            let line = parse(text.as_bytes());
            assert_eq!((line.task, line.text.as_str()), (None, text));
        }
    }

    #[test]
    fn nothing_that_moves_a_cursor_is_left() {
        let record = record(&SOURCE, b"a\0b\rc\x1b[2Jd\xffe\xc2\x9bf");
        let text = parse(record.trim_end().as_bytes()).text;
        assert_eq!(text, "a\\0b\\rc\\u{1b}[2Jd\\xffe\\u{9b}f");
        let names = parse(b"1 A\x1b[2J\x07PROGR  text");
        assert_eq!(
            (names.transid.as_str(), names.program.as_str()),
            ("A\\u{1b}[2", "J\\u{7}PROGR")
        );
    }

    proptest! {
        #[test]
        fn any_bytes_give_one_printable_record_that_a_pipe_takes_at_once(
            task in any::<u64>(),
            transid in any::<[u8; 4]>(),
            program in any::<[u8; 8]>(),
            line in proptest::collection::vec(any::<u8>(), 0..6000),
        ) {
            let record = record(&Source { task, transid, program }, &line);
            prop_assert!(record.len() <= RECORD_BYTES);
            let body = record.strip_suffix('\n').unwrap();
            prop_assert!(!body.chars().any(char::is_control));
            prop_assert_eq!(parse(body.as_bytes()).task, Some(task));
            let Line { transid, program, text, .. } = parse(&line);
            let shown = transid + &program + &text;
            prop_assert!(!shown.chars().any(char::is_control));
        }
    }
}
