//! Code pages: characters of programs to those of terminals and back.
//!
//! Programs have one byte a character, ASCII with the letters of Latin-1;
//! terminals have an EBCDIC page with one byte a character. Data streams have orders between characters:
//! those and their addresses stay as they are.
//! Reference: 3270 Data Stream Programmer's Reference, "Orders".

use std::sync::Arc;

use bms::TerminalPage;
use copybook::codepage::CodePage;
use tn3270::CodeTable;

use crate::config::TerminalConfig;

/// A pair of pages as two tables of bytes.
#[derive(Debug, Clone)]
pub struct PageTables {
    to_terminal: [u8; 256],
    to_program: [u8; 256],
}

impl Default for PageTables {
    fn default() -> Self {
        PageTables::new(&CodeTable::cp037())
    }
}

/// The code pages of a region's terminals.
#[derive(Debug)]
pub struct PageTable {
    usual: Arc<PageTables>,
    /// By the name of a logical unit, or what it begins with before an asterisk.
    named: Vec<(String, Arc<PageTables>)>,
}

impl PageTable {
    /// The pages of the settings, which were checked.
    pub fn new(config: &TerminalConfig) -> PageTable {
        let page = |name: &String| {
            Arc::new(
                code_table(name).map_or_else(|_| PageTables::default(), |t| PageTables::new(&t)),
            )
        };
        let named = config.code_pages.iter();
        PageTable {
            usual: page(&config.code_page),
            named: named
                .map(|(unit, name)| (unit.clone(), page(name)))
                .collect(),
        }
    }

    /// The page of a logical unit: the longest name that fits counts.
    pub fn of(&self, unit: &str) -> Arc<PageTables> {
        let fits = |name: &str| match name.strip_suffix('*') {
            Some(start) => unit.starts_with(start),
            None => unit == name,
        };
        let fitting = self.named.iter().filter(|(name, _)| fits(name));
        let found = fitting.max_by_key(|(name, _)| name.len());
        found.map_or(&self.usual, |(_, page)| page).clone()
    }
}

/// The table of a code page by its name.
///
/// # Errors
/// There is no EBCDIC page of this name with one byte a character.
pub fn code_table(name: &str) -> Result<CodeTable, String> {
    let page = CodePage::by_name(name).map_err(|e| e.to_string())?;
    if !page.is_ebcdic() {
        return Err(format!("{name} is not an EBCDIC code page"));
    }
    Ok(CodeTable::from_fn(|byte| match byte {
        0..0x40 | 0xFF => None,
        _ => page.char_of(byte),
    }))
}

impl PageTables {
    /// The page of a table.
    pub fn new(table: &CodeTable) -> PageTables {
        let mut page = PageTables {
            to_terminal: [SUBSTITUTE; 256],
            to_program: [b'?'; 256],
        };
        for byte in 0..=u8::MAX {
            let index = usize::from(byte);
            if let Some(encoded) = table.encode(char::from(byte)) {
                page.to_terminal[index] = encoded;
            } else if byte < 0x40 {
                // Nulls and controls are the same on both sides.
                page.to_terminal[index] = byte;
            }
            let character = table.decode(byte).map(u32::from);
            if byte < 0x40 {
                page.to_program[index] = byte;
            } else if let Some(found) = character.and_then(|c| u8::try_from(c).ok()) {
                page.to_program[index] = found;
            }
        }
        page
    }
}

impl TerminalPage for PageTables {
    fn encode(&self, character: char) -> u8 {
        let byte = u8::try_from(u32::from(character));
        byte.map_or(SUBSTITUTE, |byte| self.to_terminal(byte))
    }

    fn to_terminal(&self, byte: u8) -> u8 {
        self.to_terminal[usize::from(byte)]
    }

    fn to_program(&self, byte: u8) -> u8 {
        self.to_program[usize::from(byte)]
    }
}

impl PageTables {
    /// A data stream of a program as the terminal reads it. Some orders are
    /// printable characters in ASCII; they count as orders where no text could
    /// follow as it does. Nothing after a cut-off order is converted.
    pub fn stream(&self, stream: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(stream.len());
        let mut rest = stream;
        while let Some(&code) = rest.first() {
            let Some(length) = order_length(rest) else {
                out.push(displayable(self.to_terminal(code)));
                rest = &rest[1..];
                continue;
            };
            let (order, after) = rest.split_at(length.min(rest.len()));
            out.extend(order);
            if code == RA && order.len() == 4 {
                out.pop();
                out.push(self.to_terminal(order[3]));
            }
            rest = after;
        }
        out
    }

    /// Characters of a message.
    pub fn text(&self, text: &str) -> Vec<u8> {
        text.chars().map(|c| self.encode(c)).collect()
    }
}

/// Bytes of the order that a program's stream begins with. Returns `None` if it
/// begins with a character.
fn order_length(stream: &[u8]) -> Option<usize> {
    let byte = |at: usize| stream.get(at).copied().unwrap_or(0);
    let is_text = |byte: u8| (0x20..0x7F).contains(&byte);
    match byte(0) {
        SBA | EUA => Some(3),
        SF | GE => Some(2),
        IC | PT => Some(1),
        SA if byte(2) == 0 || byte(2) >= 0xF0 => Some(3),
        SFE | MF if (1..=8).contains(&byte(1)) => Some(2 + 2 * usize::from(byte(1))),
        RA if !is_text(byte(1)) || !is_text(byte(2)) => Some(4),
        _ => None,
    }
}

/// A character that is not an order on the terminal.
fn displayable(byte: u8) -> u8 {
    match byte {
        SBA | EUA | SF | GE | IC | PT | SA | SFE | MF | RA => 0x40,
        other => other,
    }
}

/// What stands for a character that the page lacks: a question mark.
const SUBSTITUTE: u8 = 0x6F;
const PT: u8 = 0x05;
const GE: u8 = 0x08;
const SBA: u8 = 0x11;
const EUA: u8 = 0x12;
const IC: u8 = 0x13;
const SF: u8 = 0x1D;
const SA: u8 = 0x28;
const SFE: u8 = 0x29;
const MF: u8 = 0x2C;
const RA: u8 = 0x3C;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_both_sides_come_back() {
        let page = PageTables::default();
        assert_eq!(page.to_terminal(b'A'), 0xC1);
        assert_eq!(page.to_program(0xC1), b'A');
        for byte in b' '..=b'~' {
            assert_eq!(page.to_program(page.to_terminal(byte)), byte);
        }
        // Orders of a program's stream stay, and parentheses are text.
        let stream = page.stream(b"\x11\xC1\xC2\x1D\xF0a(b),\x3C\x40\xC1*");
        let wanted = b"\x11\xC1\xC2\x1D\xF0\x81\x4D\x82\x5D\x6B\x3C\x40\xC1\x5C";
        assert_eq!(stream, wanted);
        assert_eq!((page.to_terminal(0), page.to_program(0)), (0, 0));
    }
}
