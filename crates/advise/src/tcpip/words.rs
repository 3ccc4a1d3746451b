//! Words of a configuration text with their places, abbreviated keywords and
//! numbers as the TCP/IP profile writes them.

use crate::document::LineColumn;

/// A word of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedWord {
    /// As written.
    pub text: String,
    /// Where.
    pub at: LineColumn,
    /// Whether it is the first of its line.
    pub first: bool,
}

impl PlacedWord {
    /// Whether the word is a keyword or a valid abbreviation of it. The
    /// capitals of the keyword must all be there, as in `TCPCONFig`.
    pub fn is(&self, keyword: &str) -> bool {
        abbreviates(&self.text, keyword)
    }

    /// Whether the placed word contains a system symbol, so that its value is unknown.
    pub fn is_symbolic(&self) -> bool {
        self.text.contains('&')
    }

    /// The number, with the suffixes K and M of the profile.
    pub fn number(&self) -> Option<u64> {
        number(&self.text)
    }
}

/// Whether a word is a keyword, or an abbreviation that has at least its capitals.
pub(crate) fn abbreviates(word: &str, keyword: &str) -> bool {
    let needed = keyword
        .bytes()
        .take_while(|b| !b.is_ascii_lowercase())
        .count();
    word.len() >= needed
        && word.len() <= keyword.len()
        && keyword.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
}

/// A decimal number, which K multiplies by 1,024 and M by 1,048,576.
pub(crate) fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Splits a text at blanks. A character of `comments` ends its line; each character
/// of `marks` is its own word.
pub(crate) fn words(text: &str, comments: &[char], marks: &[char]) -> Vec<PlacedWord> {
    let mut found: Vec<PlacedWord> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut open: Option<PlacedWord> = None;
        let mut first = true;
        for (column, c) in line.chars().enumerate() {
            let mark = marks.contains(&c);
            if mark || c.is_whitespace() || comments.contains(&c) {
                found.extend(open.take());
            }
            if comments.contains(&c) {
                break;
            }
            if c.is_whitespace() {
                continue;
            }
            if let Some(word) = &mut open {
                word.text.push(c);
                continue;
            }
            let word = PlacedWord {
                text: c.to_string(),
                at: LineColumn::from_zero(number, column),
                first: std::mem::take(&mut first),
            };
            if mark {
                found.push(word);
            } else {
                open = Some(word);
            }
        }
        found.extend(open);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_the_shortest_abbreviation() {
        assert!(abbreviates("tcpconf", "TCPCONFig"));
        assert!(abbreviates("TCPCONFIG", "TCPCONFig"));
        assert!(!abbreviates("TCPCON", "TCPCONFig"));
        assert!(!abbreviates("TCPCONFIGS", "TCPCONFig"));
    }

    #[test]
    fn numbers_take_k_and_m_and_never_overflow() {
        assert_eq!(number("64K"), Some(65_536));
        assert_eq!(number("2M"), Some(2_097_152));
        assert_eq!(number("99999999999999999999"), None);
        assert_eq!(number("18446744073709551615M"), None);
        assert_eq!(number("é"), None);
        assert_eq!(number("K"), None);
    }

    #[test]
    fn comments_end_a_line_and_marks_stand_alone() {
        let found = words("A=1 ; x\n  B", &[';'], &['=']);
        let texts: Vec<(&str, u32, u32, bool)> = found
            .iter()
            .map(|w| (w.text.as_str(), w.at.line, w.at.column, w.first))
            .collect();
        assert_eq!(
            texts,
            [
                ("A", 1, 1, true),
                ("=", 1, 2, false),
                ("1", 1, 3, false),
                ("B", 2, 3, true)
            ]
        );
    }
}
