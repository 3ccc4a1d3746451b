//! SEND TEXT: text in lines of the terminal's width.
//!
//! Each line begins with an attribute byte, which looks like a blank. A word that
//! does not fit goes to the next line; a single blank between two words at the
//! end of a line is dropped; everything else is copied as it is. Text longer than
//! the screen becomes several pages.
//! Reference: CICS application programming guide, "Text lines".

use super::{begin, target_size};
use crate::attribute::FieldAttribute;
use crate::codepage::{BLANK, TerminalPage, displayable};
use crate::model::Control;
use crate::stream::OutboundStream;
use crate::terminal::{EraseOption, TerminalProfile};

/// A SEND TEXT command.
#[derive(Debug, Clone, Copy)]
pub struct SendText<'a> {
    /// FROM, of LENGTH bytes in the program's code page.
    pub text: &'a [u8],
    /// ERASE.
    pub erase: EraseOption,
    /// FREEKB, ALARM, PRINT.
    pub control: Control,
    /// CURSOR; without it the cursor goes to the first position.
    pub cursor: Option<u16>,
}

/// Formats a SEND TEXT: one stream for each page, at least one.
pub fn send_text(
    command: &SendText,
    terminal: &TerminalProfile,
    page: &dyn TerminalPage,
) -> Vec<OutboundStream> {
    let screen = target_size(terminal, command.erase);
    let width = usize::from(screen.columns).saturating_sub(1).max(1);
    let convert = |byte: &u8| match page.to_terminal(*byte) {
        0x00 => BLANK,
        other => displayable(other),
    };
    let parts = command.text.split(|byte| NEW_LINES.contains(byte));
    let parts: Vec<Vec<u8>> = parts
        .map(|part| part.iter().map(convert).collect())
        .collect();
    let lines: Vec<&[u8]> = parts
        .iter()
        .flat_map(|part| match text_lines(part, width) {
            lines if lines.is_empty() && parts.len() > 1 => vec![&part[..]],
            lines => lines,
        })
        .collect();
    let pages = lines.chunks(usize::from(screen.lines).max(1));
    let mut streams: Vec<OutboundStream> = pages
        .map(|lines| text_page(command, terminal, lines, width))
        .collect();
    if streams.is_empty() {
        streams.push(text_page(command, terminal, &[], width));
    }
    streams
}

fn text_page(
    command: &SendText,
    terminal: &TerminalProfile,
    lines: &[&[u8]],
    width: usize,
) -> OutboundStream {
    let mut stream = begin(terminal, command.erase, command.control);
    let screen = stream.screen;
    let erased = command.erase.erases_screen() || terminal.cleared;
    for (number, line) in (0u32..).zip(lines) {
        stream.go_to(screen.wrap(number * u32::from(screen.columns)));
        stream.start_field(FieldAttribute::PROTECTED.byte());
        stream.write(line);
        // What the screen showed must not stay at the end of the line.
        if !erased && line.len() < width {
            stream.write(&vec![BLANK; width - line.len()]);
        }
    }
    let cursor = stream.screen.wrap(u32::from(command.cursor.unwrap_or(0)));
    if !(erased && cursor == 0) {
        stream.go_to(cursor);
        stream.cursor();
    }
    stream
}

/// Bytes of a program that begin another line: new line as the 3270 has it, which
/// programs write as a hexadecimal literal, and line feed.
const NEW_LINES: [u8; 2] = [0x15, 0x0A];

/// Breaks text into lines of at most `width` bytes.
fn text_lines(text: &[u8], width: usize) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut rest = text;
    while rest.len() > width {
        let (line, next) = split_line(rest, width);
        lines.push(line);
        rest = next;
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// The first line of a longer text, and the text after it.
fn split_line(text: &[u8], width: usize) -> (&[u8], &[u8]) {
    let is_blank = |index: usize| text.get(index).is_none_or(|byte| *byte == BLANK);
    if is_blank(width) {
        // The line ends with a word. One blank alone separates it from the next.
        let single = !is_blank(width - 1) && !is_blank(width + 1);
        return (&text[..width], &text[width + usize::from(single)..]);
    }
    if is_blank(width - 1) {
        return text.split_at(width);
    }
    // The line ends inside a word; a word longer than a line is cut.
    match text[..width].iter().rposition(|byte| *byte == BLANK) {
        Some(blank) => text.split_at(blank + 1),
        None => text.split_at(width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<String> {
        let text: Vec<u8> = text
            .bytes()
            .map(|b| if b == b' ' { BLANK } else { b | 0x80 })
            .collect();
        let show = |line: &&[u8]| {
            let bytes = line.iter().map(|b| {
                if *b == BLANK {
                    ' '
                } else {
                    char::from(b & 0x7F)
                }
            });
            bytes.collect()
        };
        text_lines(&text, width).iter().map(show).collect()
    }

    #[test]
    fn words_are_not_broken_and_blanks_are_copied() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 6), ["one ", "two ", "three"]);
        assert_eq!(lines("one  two", 4), ["one ", " two"]);
        assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(lines("", 5), Vec::<String>::new());
        assert_eq!(lines("abc  d", 3), ["abc", "  d"]);
    }
}
