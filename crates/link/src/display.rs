//! What programs print, on its way from a worker to the region.
//!
//! A worker writes one record a line into its pipe: the task's number, a blank,
//! the text, a line feed. The text is printable: control characters and bytes
//! that are no characters are written as escapes, so that a line of the log is
//! one line and says nothing to a terminal. The region escapes again what it
//! reads, since it trusts no worker.

use std::fmt::Write;

/// Most bytes of a record; a pipe takes that many at once or none.
pub const RECORD_BYTES: usize = 4096;

/// Most bytes of a record's text, behind the number and before the end.
const TEXT_BYTES: usize = RECORD_BYTES - 32;

/// The record of a line.
pub fn record(task: u64, line: &[u8]) -> String {
    let mut record = format!("{task} ");
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

/// The task of a record without its line feed, and the text, printable
/// whatever wrote it. No task for a line that is no record.
pub fn parse(record: &[u8]) -> (Option<u64>, String) {
    let mut text = String::with_capacity(record.len());
    let digits = record.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&record[..digits]);
    let task = number.ok().and_then(|n| n.parse().ok());
    match (task, record.get(digits)) {
        (Some(task), Some(b' ')) => {
            escape(&record[digits + 1..], &mut text);
            (Some(task), text)
        }
        _ => {
            escape(record, &mut text);
            (None, text)
        }
    }
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

    #[test]
    fn a_line_comes_back_with_its_task() {
        let record = record(4711, "HELLO Wörld  ".as_bytes());
        assert_eq!(record, "4711 HELLO Wörld\n");
        let (task, text) = parse(record.trim_end().as_bytes());
        assert_eq!((task, text.as_str()), (Some(4711), "HELLO Wörld"));
    }

    #[test]
    fn a_line_that_is_no_record_has_no_task() {
        assert_eq!(parse(b"worker: oops"), (None, "worker: oops".to_owned()));
        assert_eq!(parse(b"12x"), (None, "12x".to_owned()));
        assert_eq!(parse(b""), (None, String::new()));
    }

    #[test]
    fn nothing_that_moves_a_cursor_is_left() {
        let record = record(1, b"a\0b\rc\x1b[2Jd\xffe\xc2\x9bf");
        assert_eq!(record, "1 a\\0b\\rc\\u{1b}[2Jd\\xffe\\u{9b}f\n");
    }

    proptest! {
        #[test]
        fn any_bytes_give_one_printable_record_that_a_pipe_takes_at_once(
            task in any::<u64>(), line in proptest::collection::vec(any::<u8>(), 0..6000),
        ) {
            let record = record(task, &line);
            prop_assert!(record.len() <= RECORD_BYTES);
            let body = record.strip_suffix('\n').unwrap();
            prop_assert!(!body.chars().any(char::is_control));
            prop_assert_eq!(parse(body.as_bytes()).0, Some(task));
            let (_, text) = parse(&line);
            prop_assert!(!text.chars().any(char::is_control));
        }
    }
}
