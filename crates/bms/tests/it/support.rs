//! Helpers: cards with marks in column 72, a code page, hexadecimal.

use bms::{MapLayout, MapSource, TerminalPage, parse};

/// A source of cards. A line that ends in `~` is marked in column 72.
pub fn cards(text: &str) -> String {
    let card = |line: &str| match line.strip_suffix('~') {
        Some(text) => format!("{text:<71}X\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(card).collect()
}

/// A set of one map M with these fields and operands of DFHMSD and DFHMDI.
pub fn source(set: &str, map: &str, fields: &str) -> MapSource {
    parse(&text(set, map, fields))
}

/// The cards of [`source`]. Operands of DFHMSD, DFHMDI and of fields that do not
/// end in `~` go to a card each.
pub fn text(set: &str, map: &str, fields: &str) -> String {
    let head = format!("{:<71}X\n", "S        DFHMSD TYPE=&SYSPARM,LANG=COBOL,");
    let head = head + &continued(" ".repeat(15), set);
    let map = statement("M", "DFHMDI", &format!("SIZE=(24,80){map}"));
    let end = "         DFHMSD TYPE=FINAL\n         END\n";
    format!("{head}{map}{}{end}", cards(fields))
}

/// A statement on cards, continued where the operands do not fit.
pub fn statement(name: &str, operation: &str, operands: &str) -> String {
    continued(format!("{name:<8} {operation} "), operands)
}

fn continued(mut line: String, operands: &str) -> String {
    let mut lines = Vec::new();
    let (mut depth, mut quoted) = (0, false);
    for c in operands.chars() {
        line.push(c);
        match c {
            '\'' => quoted = !quoted,
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 && !quoted && line.len() > 30 => {
                lines.push(format!("{line:<71}X\n"));
                line = " ".repeat(15);
            }
            _ => {}
        }
    }
    lines.push(format!("{line}\n"));
    lines.concat()
}

/// The layout of the only map of a source without errors.
pub fn layout(source: &MapSource) -> MapLayout {
    assert!(!source.has_errors(), "{:#?}", source.diagnostics);
    MapLayout::new(&source.sets[0].maps[0])
}

/// ASCII programs and the letters, digits and some signs of page 037.
pub struct AsciiPage;

const SIGNS: &[(u8, u8)] = &[
    (b' ', 0x40),
    (b'.', 0x4B),
    (b'<', 0x4C),
    (b'(', 0x4D),
    (b'+', 0x4E),
    (b'&', 0x50),
    (b'*', 0x5C),
    (b')', 0x5D),
    (b'-', 0x60),
    (b'/', 0x61),
    (b',', 0x6B),
    (b'%', 0x6C),
    (b':', 0x7A),
    (b'#', 0x7B),
    (b'@', 0x7C),
    (b'\'', 0x7D),
    (b'=', 0x7E),
];

impl TerminalPage for AsciiPage {
    fn encode(&self, character: char) -> u8 {
        u8::try_from(character).map_or(0x3F, |byte| self.to_terminal(byte))
    }

    fn to_terminal(&self, byte: u8) -> u8 {
        match byte {
            b'A'..=b'I' => byte - b'A' + 0xC1,
            b'J'..=b'R' => byte - b'J' + 0xD1,
            b'S'..=b'Z' => byte - b'S' + 0xE2,
            b'a'..=b'i' => byte - b'a' + 0x81,
            b'j'..=b'r' => byte - b'j' + 0x91,
            b's'..=b'z' => byte - b's' + 0xA2,
            b'0'..=b'9' => byte - b'0' + 0xF0,
            0..=0x1F => byte,
            _ => SIGNS
                .iter()
                .find(|(a, _)| *a == byte)
                .map_or(0x3F, |(_, e)| *e),
        }
    }

    fn to_program(&self, byte: u8) -> u8 {
        (0..=0x7F)
            .find(|a| self.to_terminal(*a) == byte)
            .unwrap_or(0x1A)
    }
}

pub use base::hex::upper as hex;

/// A text in the terminal's page.
pub fn ebcdic(text: &str) -> Vec<u8> {
    text.bytes()
        .map(|byte| AsciiPage.to_terminal(byte))
        .collect()
}
