//! A single-byte EBCDIC code page as two tables, given by the caller.
//!
//! The crate knows page 037 only; any other page comes in as a function from
//! byte to character, such as the code pages of `copybook`. Format controls of
//! the data stream are not characters: [`CodeTable::display`] shows them as a
//! terminal does.
//! Reference: 3270 Data Stream Programmer's Reference (GA23-0059), character
//! sets.

use std::collections::HashMap;

/// Which characters the 256 bytes of a code page are.
#[derive(Clone, Debug)]
pub struct CodeTable {
    characters: [Option<char>; 256],
    /// What a display shows for each byte.
    shown: [char; 256],
    bytes: HashMap<char, u8>,
}

impl CodeTable {
    /// A table from a function that gives the character of a byte. When two
    /// bytes have one character, the higher byte is used to encode it.
    pub fn from_fn(character: impl Fn(u8) -> Option<char>) -> CodeTable {
        let mut characters = [None; 256];
        let mut bytes = HashMap::new();
        for byte in 0..=255u8 {
            let found = character(byte);
            characters[usize::from(byte)] = found;
            // Bytes below X'40' are orders and format controls, never text.
            if let Some(found) = found.filter(|_| byte >= SPACE) {
                bytes.insert(found, byte);
            }
        }
        let shown = std::array::from_fn(|byte| match byte {
            0x1C => '*',
            0x1E => ';',
            _ => characters[byte]
                .filter(|_| byte >= usize::from(SPACE))
                .unwrap_or(' '),
        });
        CodeTable {
            characters,
            shown,
            bytes,
        }
    }

    /// Code page 037.
    pub fn cp037() -> CodeTable {
        CodeTable::from_fn(|byte| match byte {
            0..SPACE | 0xFF => None,
            _ => CP037.chars().nth(usize::from(byte - SPACE)),
        })
    }

    /// The character of this byte. Returns `None` if the page has none.
    pub fn decode(&self, byte: u8) -> Option<char> {
        self.characters[usize::from(byte)]
    }

    /// The byte of this character, X'40' or higher. Returns `None` if the page
    /// has none.
    pub fn encode(&self, character: char) -> Option<u8> {
        self.bytes.get(&character).copied()
    }

    /// The bytes of a text; a character that the page lacks becomes X'6F'.
    pub fn encode_text(&self, text: &str) -> Vec<u8> {
        text.chars()
            .map(|c| self.encode(c).unwrap_or(SUBSTITUTE))
            .collect()
    }

    /// The characters of these bytes as [`CodeTable::display`] shows them.
    pub fn decode_text(&self, bytes: &[u8]) -> String {
        bytes.iter().map(|byte| self.display(*byte)).collect()
    }

    /// What a display shows for this byte: nulls and controls are blanks, DUP
    /// is an asterisk and FIELD MARK a semicolon.
    pub fn display(&self, byte: u8) -> char {
        self.shown[usize::from(byte)]
    }
}

impl Default for CodeTable {
    fn default() -> CodeTable {
        CodeTable::cp037()
    }
}

/// EBCDIC blank.
pub const SPACE: u8 = 0x40;
/// EBCDIC question mark, for characters that a page lacks.
pub const SUBSTITUTE: u8 = 0x6F;

/// X'40' to X'FE' of page 037.
const CP037: &str = concat!(
    " \u{a0}âäàáãåçñ¢.<(+|",
    "&éêëèíîïìß!$*);¬",
    "-/ÂÄÀÁÃÅÇÑ¦,%_>?",
    "øÉÊËÈÍÎÏÌ`:#@'=\"",
    "Øabcdefghi«»ðýþ±",
    "°jklmnopqrªºæ¸Æ¤",
    "µ~stuvwxyz¡¿ÐÝÞ®",
    "^£¥·©§¶¼½¾[]¯¨´×",
    "{ABCDEFGHI\u{ad}ôöòóõ",
    "}JKLMNOPQR¹ûüùúÿ",
    "\\÷STUVWXYZ²ÔÖÒÓÕ",
    "0123456789³ÛÜÙÚ",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_037_has_the_bytes_of_the_recorded_exchanges() {
        let table = CodeTable::cp037();
        assert_eq!(
            table.encode_text("TITLE ab1"),
            [0xE3, 0xC9, 0xE3, 0xD3, 0xC5, 0x40, 0x81, 0x82, 0xF1]
        );
        assert_eq!(table.decode_text(&[0xC1, 0, 0x1C, 0x1E, 0x6F]), "A *;?");
    }

    #[test]
    fn page_037_maps_every_character_back_to_its_byte() {
        let table = CodeTable::cp037();
        for byte in SPACE..=0xFE {
            let character = table.decode(byte).unwrap();
            assert_eq!(table.encode(character), Some(byte), "{byte:02X}");
        }
        assert_eq!(table.encode('€'), None);
    }
}
