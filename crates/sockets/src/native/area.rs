//! A message as the customer's program sees it, and its answer.
//!
//! ```text
//!   COMMAREA    | length of the message, 0, 2 or 4 bytes | message, blanks |
//!   container   | message |
//! ```
//!
//! The length is binary and big-endian, as `PIC 9(4) BINARY` and
//! `PIC 9(8) BINARY` have it. The program leaves its answer in the same form.
//!
//! Invariant: pure; every output of a program can be read.

use copybook::codepage::CodePage;

/// Most bytes of a COMMAREA.
pub const LONGEST_COMMAREA: usize = 32_763;
/// Most bytes of a message in a container.
pub const LONGEST_CONTAINER: usize = 1 << 20;

/// The place of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageArea {
    /// In the COMMAREA.
    Commarea {
        /// Its bytes; 0 for as many as the message takes.
        bytes: usize,
        /// Bytes of the length before the message: 0, 2 or 4.
        length: usize,
        /// Trailing blanks and nulls of an answer without a length are removed.
        trim: bool,
    },
    /// In a container of the channel.
    Container {
        /// Its name.
        message: String,
        /// The name of the one with the answer.
        answer: String,
    },
}

/// Why an answer is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the program set a length of {length} for its answer, but the COMMAREA has room for {room}"
)]
pub struct AnswerError {
    /// The length that the program left.
    pub length: u64,
    /// The room of the area.
    pub room: usize,
}

impl MessageArea {
    /// The longest message that has room.
    pub fn longest_message(&self) -> usize {
        match self {
            MessageArea::Commarea {
                bytes: 0, length, ..
            } => LONGEST_COMMAREA - length,
            MessageArea::Commarea { bytes, length, .. } => bytes - length,
            MessageArea::Container { .. } => LONGEST_CONTAINER,
        }
    }

    /// Bytes of the area for a message, which is not too long.
    pub fn bytes(&self, message: usize) -> usize {
        match self {
            MessageArea::Commarea {
                bytes: 0, length, ..
            } => length + message,
            MessageArea::Commarea { bytes, .. } => *bytes,
            MessageArea::Container { .. } => message,
        }
    }

    /// Writes a message into an area of [`MessageArea::bytes`].
    pub fn put(&self, message: &[u8], characters: &CharacterPages, area: &mut [u8]) {
        let before = match self {
            MessageArea::Commarea { length, .. } => *length,
            MessageArea::Container { .. } => 0,
        };
        let length = (message.len() as u64).to_be_bytes();
        area[..before].copy_from_slice(&length[8 - before..]);
        let (text, rest) = area[before..].split_at_mut(message.len());
        text.copy_from_slice(message);
        characters.to_program(text);
        rest.fill(b' ');
    }

    /// The answer in what the program left in the COMMAREA.
    pub fn answer<'a>(&self, left: &'a [u8]) -> Result<&'a [u8], AnswerError> {
        let MessageArea::Commarea { length, trim, .. } = self else {
            return Ok(left);
        };
        if *length == 0 {
            let end = left.iter().rposition(|b| !matches!(b, b' ' | 0));
            return Ok(if *trim {
                &left[..end.map_or(0, |end| end + 1)]
            } else {
                left
            });
        }
        // A program may shorten its COMMAREA.
        let (field, text) = left.split_at((*length).min(left.len()));
        let wanted = field.iter().fold(0, |n, b| n << 8 | u64::from(*b));
        let found = usize::try_from(wanted).ok().and_then(|n| text.get(..n));
        found.ok_or(AnswerError {
            length: wanted,
            room: text.len(),
        })
    }
}

/// How the characters of a client and of programs translate into each other;
/// `None` if both have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacterPages(Option<Box<[[u8; 256]; 2]>>);

impl CharacterPages {
    /// The client has the programs' characters.
    pub const SAME: CharacterPages = CharacterPages(None);

    /// The client has EBCDIC, code page 1047.
    pub fn ebcdic() -> CharacterPages {
        let all: Vec<u8> = (0..=255).collect();
        let table = |bytes: Vec<u8>| <[u8; 256]>::try_from(bytes).unwrap_or([0; 256]);
        let to_program = table(crate::listener::header::to_ascii(&all));
        let to_client = table(crate::listener::header::to_ebcdic(&all));
        CharacterPages(Some(Box::new([to_program, to_client])))
    }

    /// A client's bytes become a program's.
    pub fn to_program(&self, bytes: &mut [u8]) {
        self.translate(0, bytes);
    }

    /// A program's bytes become a client's.
    pub fn to_client(&self, bytes: &mut [u8]) {
        self.translate(1, bytes);
    }

    /// A blank as the client has it.
    pub fn blank(&self) -> u8 {
        let mut blank = [b' '];
        self.to_client(&mut blank);
        blank[0]
    }

    fn translate(&self, which: usize, bytes: &mut [u8]) {
        if let Some(tables) = &self.0 {
            let table = &tables[which];
            bytes.iter_mut().for_each(|b| *b = table[usize::from(*b)]);
        }
    }
}

/// A delimiter's characters as an EBCDIC client has them: `\u0085` is NL (15),
/// `\n` is LF (25). `None` for a character that code page 1047 does not have.
pub fn delimiter_in_ebcdic(text: &str) -> Option<Vec<u8>> {
    let page = CodePage::by_ccsid(1047).ok()?;
    text.chars().map(|c| page.byte_of(c)).collect()
}

/// As above for a client with the programs' own characters.
pub fn delimiter_in_ascii(text: &str) -> Option<Vec<u8>> {
    let byte = |c: char| u8::try_from(u32::from(c)).ok();
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn commarea(bytes: usize, length: usize, trim: bool) -> MessageArea {
        MessageArea::Commarea {
            bytes,
            length,
            trim,
        }
    }

    #[test]
    fn a_message_follows_its_length_and_blanks_follow_it() {
        let area = commarea(12, 2, true);
        assert_eq!(area.longest_message(), 10);
        let mut bytes = vec![0; area.bytes(5)];
        area.put(b"hello", &CharacterPages::SAME, &mut bytes);
        assert_eq!(bytes, b"\x00\x05hello     ");
        assert_eq!(area.answer(&bytes), Ok(&b"hello"[..]));
        let own = commarea(0, 0, true);
        let mut bytes = vec![0; own.bytes(5)];
        own.put(b"hello", &CharacterPages::SAME, &mut bytes);
        assert_eq!(bytes, b"hello");
        assert_eq!(own.answer(b"yes \0 "), Ok(&b"yes"[..]));
        assert_eq!(commarea(0, 0, false).answer(b"yes "), Ok(&b"yes "[..]));
    }

    #[test]
    fn a_length_that_a_program_left_and_has_no_room_for_is_an_error() {
        let area = commarea(12, 2, true);
        let error = area.answer(b"\x00\x0Bhello     ").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the program set a length of 11 for its answer, but the COMMAREA has room for 10"
        );
        assert_eq!(
            area.answer(b"\x01"),
            Err(AnswerError { length: 1, room: 0 })
        );
        assert_eq!(area.answer(b""), Ok(&b""[..]));
    }

    #[test]
    fn an_ebcdic_client_is_understood_and_answered() {
        let characters = CharacterPages::ebcdic();
        let mut text = [0xC8, 0x85, 0x93, 0x93, 0x96, 0x40];
        characters.to_program(&mut text);
        assert_eq!(&text, b"Hello ");
        characters.to_client(&mut text);
        assert_eq!(text, [0xC8, 0x85, 0x93, 0x93, 0x96, 0x40]);
        assert_eq!(
            (characters.blank(), CharacterPages::SAME.blank()),
            (0x40, b' ')
        );
        assert_eq!(delimiter_in_ebcdic("\u{85}"), Some(vec![0x15]));
        assert_eq!(delimiter_in_ebcdic("\n"), Some(vec![0x25]));
        assert_eq!(delimiter_in_ascii("\r\n"), Some(vec![13, 10]));
        assert_eq!(delimiter_in_ascii("€"), None);
    }

    proptest! {
        #[test]
        fn what_is_put_is_what_is_there(
            message in prop::collection::vec(any::<u8>(), 0..50),
            length in prop_oneof![Just(2usize), Just(4)],
        ) {
            let area = commarea(60, length, true);
            let mut bytes = vec![0xAA; area.bytes(message.len())];
            area.put(&message, &CharacterPages::SAME, &mut bytes);
            prop_assert_eq!(area.answer(&bytes), Ok(&message[..]));
        }

        #[test]
        fn nothing_that_a_program_leaves_makes_it_panic(
            left in prop::collection::vec(any::<u8>(), 0..80),
            length in prop_oneof![Just(0usize), Just(2), Just(4)],
            trim in any::<bool>(),
        ) {
            let _ = commarea(0, length, trim).answer(&left);
        }
    }
}
