//! Lines of scripts for the log, each of bounded length. The region limits
//! their number, since programs share them.

use std::borrow::Cow;

/// Most bytes of a line.
const LONGEST: usize = 16 << 10;

/// A line that is not too long.
pub fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return text.into();
    }
    let ends = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=LONGEST).rev().find(ends).unwrap_or(0);
    format!("{} ({} more bytes)", &text[..end], text.len() - end).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        let long = "é".repeat(LONGEST);
        let line = cut(&long);
        assert!(line.len() < LONGEST + 40, "{}", line.len());
        assert!(
            line.ends_with(" (16384 more bytes)"),
            "{}",
            &line[LONGEST..]
        );
    }
}
