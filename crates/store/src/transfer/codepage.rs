//! Records that are text from end to end, in another code page.
//!
//! Byte for byte, so lengths stay; records with packed or binary fields need a
//! copybook ([`ThroughCopybook`](super::ThroughCopybook)).

use copybook::CodePage;

use super::convert::{ConvertError, RecordConverter};

/// Translates every byte between two code pages.
#[derive(Debug, Clone)]
pub struct PageTranslation {
    inward: Table,
    outward: Table,
}

/// The translation of each byte.
#[derive(Debug, Clone)]
struct Table {
    to: [Option<u8>; 256],
    ccsid: u16,
}

impl PageTranslation {
    /// From the code page outside to the file's. Of UTF-8, only the characters
    /// of one byte have a place.
    pub fn new(outside: CodePage, inside: CodePage) -> Self {
        Self {
            inward: Table::new(outside, inside),
            outward: Table::new(inside, outside),
        }
    }
}

impl RecordConverter for PageTranslation {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.inward.translate(outside, record)
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.outward.translate(record, outside)
    }
}

impl Table {
    fn new(from: CodePage, to: CodePage) -> Self {
        let byte = |at| from.char_of(at as u8).and_then(|char| to.byte_of(char));
        Self {
            to: std::array::from_fn(byte),
            ccsid: to.ccsid(),
        }
    }

    fn translate(&self, from: &[u8], to: &mut Vec<u8>) -> Result<(), ConvertError> {
        for (offset, byte) in from.iter().enumerate() {
            let translated = self.to[usize::from(*byte)].ok_or_else(|| {
                ConvertError(format!(
                    "X'{byte:02X}' at offset {offset} is not a character of code page {}",
                    self.ccsid
                ))
            })?;
            to.push(translated);
        }
        Ok(())
    }
}

/// The byte of the other page for `byte`, for storage that has no type; a byte
/// without an equivalent becomes the page's substitute.
pub(super) fn translate_loosely(from: CodePage, to: CodePage, byte: u8) -> u8 {
    from.char_of(byte)
        .and_then(|char| to.byte_of(char))
        .unwrap_or_else(|| to.substitute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_translated_both_ways() {
        let translate = PageTranslation::new(CodePage::by_ccsid(37).unwrap(), CodePage::ascii());
        let mut record = Vec::new();
        translate.inward(b"\xC1\xC2\x40\xF1", &mut record).unwrap();
        assert_eq!(record, b"AB 1");
        let mut outside = Vec::new();
        translate.outward(&record, &mut outside).unwrap();
        assert_eq!(outside, b"\xC1\xC2\x40\xF1");
    }

    #[test]
    fn a_byte_without_character_is_named() {
        let translate = PageTranslation::new(CodePage::ascii(), CodePage::by_ccsid(37).unwrap());
        let error = translate.inward(b"A\xE9", &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "X'E9' at offset 1 is not a character of code page 37"
        );
    }
}
