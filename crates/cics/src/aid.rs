//! Attention identifiers: names of HANDLE AID, values of EIBAID.
//!
//! Reference: CICS API reference, "DFHAID" and "HANDLE AID". The values are
//! those of a 3270 data stream, shown as characters of the region's code page.

/// A key that HANDLE AID names, and its bytes of EIBAID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aid {
    /// Number in the pairs of a command block.
    pub number: u16,
    /// The name as programs write it.
    pub name: &'static str,
    /// Value of EIBAID as a character; `None` for names of more
    /// than one key.
    pub value: Option<char>,
}

const fn aid(number: u16, name: &'static str, value: char) -> Aid {
    Aid {
        number,
        name,
        value: Some(value),
    }
}

/// Every name that HANDLE AID takes.
pub const AIDS: &[Aid] = &[
    Aid {
        number: 1,
        name: "ANYKEY",
        value: None,
    },
    aid(2, "CLEAR", '_'),
    aid(3, "CLRPARTN", '¦'),
    aid(4, "ENTER", '\''),
    aid(5, "LIGHTPEN", '='),
    aid(6, "OPERID", 'W'),
    aid(7, "PA1", '%'),
    aid(8, "PA2", '>'),
    aid(9, "PA3", ','),
    aid(10, "TRIGGER", '"'),
    aid(11, "PF1", '1'),
    aid(12, "PF2", '2'),
    aid(13, "PF3", '3'),
    aid(14, "PF4", '4'),
    aid(15, "PF5", '5'),
    aid(16, "PF6", '6'),
    aid(17, "PF7", '7'),
    aid(18, "PF8", '8'),
    aid(19, "PF9", '9'),
    aid(20, "PF10", ':'),
    aid(21, "PF11", '#'),
    aid(22, "PF12", '@'),
    aid(23, "PF13", 'A'),
    aid(24, "PF14", 'B'),
    aid(25, "PF15", 'C'),
    aid(26, "PF16", 'D'),
    aid(27, "PF17", 'E'),
    aid(28, "PF18", 'F'),
    aid(29, "PF19", 'G'),
    aid(30, "PF20", 'H'),
    aid(31, "PF21", 'I'),
    aid(32, "PF22", '¢'),
    aid(33, "PF23", '.'),
    aid(34, "PF24", '<'),
];

/// The AID of a name in upper case.
pub fn by_name(name: &str) -> Option<&'static Aid> {
    AIDS.iter().find(|a| a.name == name)
}

/// Number of the name that covers every key except ENTER.
pub const ANYKEY: u16 = 1;

/// The AIDs by their bytes in the 3270 data stream, in the order of [`AIDS`],
/// which has [`ANYKEY`] before them.
const STREAM: [u8; 33] = [
    0x6D, 0x6A, 0x7D, 0x7E, 0xE6, 0x6C, 0x6E, 0x6B, 0x7F, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7,
    0xF8, 0xF9, 0x7A, 0x7B, 0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B,
    0x4C,
];

/// The AID that the 3270 data stream, EIBAID and DFHAID have as this byte.
pub fn by_stream(byte: u8) -> Option<&'static Aid> {
    let at = STREAM.iter().position(|b| *b == byte)?;
    AIDS.get(at + 1)
}

impl Aid {
    /// Whether ANYKEY covers it: PA and PF keys and CLEAR.
    pub fn is_any_key(&self) -> bool {
        self.name == "CLEAR" || self.name.starts_with("PA") || self.name.starts_with("PF")
    }
}

/// The AID of a number in a command block.
pub fn by_number(number: u16) -> Option<&'static Aid> {
    AIDS.iter().find(|a| a.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_unique() {
        for (i, a) in AIDS.iter().enumerate() {
            assert_eq!(usize::from(a.number), i + 1);
            assert_eq!(by_name(a.name), Some(a));
        }
        assert_eq!(by_number(22).unwrap().name, "PF12");
    }

    #[test]
    fn keys_are_known_by_their_bytes_in_the_data_stream() {
        let name = |byte| by_stream(byte).map(|aid| aid.name);
        assert_eq!(name(0x7D), Some("ENTER"));
        assert_eq!(name(0x6B), Some("PA3"));
        assert_eq!(name(0x7C), Some("PF12"));
        assert_eq!(name(0x4C), Some("PF24"));
        assert_eq!(STREAM.len() + 1, AIDS.len());
    }
}
