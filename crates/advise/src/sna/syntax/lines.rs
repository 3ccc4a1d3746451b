//! Texts whose statements are lines: stanzas of AIX profiles, sections of
//! OS/2 files, statements of Networking Services/DOS.
//!
//! The helpers split lines; the kind interprets them.

use super::statement::{KeywordOperand, unquote};
use crate::document::LineColumn;

/// A line without its comment, with the place of its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLine<'a> {
    /// The text without blanks around it.
    pub text: &'a str,
    /// Start of the line's text.
    pub at: LineColumn,
    /// Whether it begins in column 1.
    pub flush: bool,
}

/// The lines that hold something. A comment begins with one of the marks at
/// the beginning of a line, or after a blank where `inside` allows that.
pub fn lines<'a>(
    text: &'a str,
    marks: &'static [char],
    inside: bool,
) -> impl Iterator<Item = SourceLine<'a>> {
    text.lines().enumerate().filter_map(move |(i, line)| {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with(marks) {
            return None;
        }
        // A value may begin with a mark: `mode_name = #BATCH`.
        let comment = trimmed
            .char_indices()
            .zip(trimmed.chars().skip(1))
            .filter(|((_, before), mark)| before.is_whitespace() && marks.contains(mark))
            .map(|((at, _), _)| at)
            .find(|at| inside && !trimmed[..*at].trim_end().ends_with('='));
        let blanks = line.chars().count() - trimmed.chars().count();
        Some(SourceLine {
            text: trimmed[..comment.unwrap_or(trimmed.len())].trim_end(),
            at: LineColumn::from_zero(i, blanks),
            flush: blanks == 0,
        })
    })
}

impl<'a> SourceLine<'a> {
    /// `KEY = VALUE` as an operand, the key in upper case.
    pub fn setting(&self) -> Option<KeywordOperand> {
        let (name, value) = self.text.split_once('=')?;
        Some(KeywordOperand {
            name: name.trim().to_ascii_uppercase(),
            value: unquote(value).to_owned(),
            at: self.at,
        })
    }

    /// The words with their places. Commas part words outside parentheses;
    /// blanks around an equals sign and before a parenthesis do not.
    pub fn words(&self) -> Vec<(&'a str, LineColumn)> {
        self.parted(false)
    }

    /// The words of a command, which no comma separates. A blank or a comma
    /// inside a number does not either, so that the whole number is reported as
    /// wrong.
    pub fn command_words(&self) -> Vec<(&'a str, LineColumn)> {
        self.parted(true)
    }

    fn parted(&self, command: bool) -> Vec<(&'a str, LineColumn)> {
        let mut words: Vec<(&'a str, LineColumn)> = Vec::new();
        let mut start: Option<(usize, usize)> = None;
        let (mut depth, mut last) = (0u32, ' ');
        // Whether the word, or its value, has only digits and commas so
        // far.
        let mut digits = true;
        for (n, (i, c)) in self.text.char_indices().enumerate() {
            let blank = c.is_whitespace() || (c == ',' && !command);
            let rest = self.text[i..].trim_start();
            let joined = depth > 0
                || (last == '=' && !begins_with_setting(rest))
                || rest.starts_with('=')
                || rest.starts_with('(')
                || (command
                    && digits
                    && matches!(last, '0'..='9' | ',')
                    && rest.starts_with(|c: char| c.is_ascii_digit()));
            if blank && !joined {
                if let Some(begun) = start.take() {
                    words.push(self.word(begun, i));
                }
                (digits, last) = (true, ' ');
            } else if !blank || start.is_some() {
                start.get_or_insert((i, n));
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if !blank {
                    digits = c == '=' || (digits && (c.is_ascii_digit() || c == ','));
                    last = c;
                }
            }
        }
        if let Some(begun) = start {
            words.push(self.word(begun, self.text.len()));
        }
        words
    }

    fn word(&self, (from, column): (usize, usize), to: usize) -> (&'a str, LineColumn) {
        let column = self
            .at
            .column
            .saturating_add(u32::try_from(column).unwrap_or(u32::MAX));
        (
            self.text[from..to].trim(),
            LineColumn {
                line: self.at.line,
                column,
            },
        )
    }
}

/// Whether a text begins with its own setting, which is then no value of the
/// keyword before it.
fn begins_with_setting(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end();
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || ",()".contains(c))
    })
}

/// `KEY=VALUE`, `KEY(VALUE)` or a value alone.
pub fn operand(word: &str, at: LineColumn) -> KeywordOperand {
    let pair = word.split_once('=').or_else(|| {
        let (name, value) = word.split_once('(')?;
        Some((name, value.strip_suffix(')').unwrap_or(value)))
    });
    let (name, value) = match pair {
        Some((name, value)) if !name.trim().is_empty() => (name.trim().to_ascii_uppercase(), value),
        _ => (String::new(), word),
    };
    KeywordOperand {
        name,
        value: unquote(value).to_owned(),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_values_and_places() {
        let text = "; links\n  TRLD MAXIN = 2, MAXOUT(2) X=(1, 2)\n";
        let line = lines(text, &[';'], true).next().unwrap();
        let words = line.words();
        assert_eq!(
            words.iter().map(|(w, _)| *w).collect::<Vec<_>>(),
            ["TRLD", "MAXIN = 2", "MAXOUT(2)", "X=(1, 2)"]
        );
        assert_eq!(
            words[2].1,
            LineColumn {
                line: 2,
                column: 19
            }
        );
        let line = lines("TRLD MAXIN= MAXOUT = 2\n", &[';'], true)
            .next()
            .unwrap();
        let words_of: Vec<_> = line.words().into_iter().map(|(w, _)| w).collect();
        assert_eq!(words_of, ["TRLD", "MAXIN=", "MAXOUT = 2"]);
        let o = operand(words[1].0, words[1].1);
        assert_eq!((o.name.as_str(), o.number()), ("MAXIN", Some(2)));
        assert_eq!(operand("MAXOUT(2)", line.at).number(), Some(2));
    }

    #[test]
    fn a_number_in_pieces_is_one_word_of_a_command() {
        let text = "no -o thewall=2,048 -o lowclust= 1, 024 -o x=2 048 y 30 new_30 4\n";
        let line = lines(text, &['#'], true).next().unwrap();
        let words: Vec<_> = line.command_words().into_iter().map(|(w, _)| w).collect();
        let due = [
            "no",
            "-o",
            "thewall=2,048",
            "-o",
            "lowclust= 1, 024",
            "-o",
            "x=2 048",
            "y",
            "30",
            "new_30",
            "4",
        ];
        assert_eq!(words, due);
    }

    #[test]
    fn comments_after_a_blank_are_cut() {
        let line = lines("  send_pacing = 3   # small\n", &['#'], true)
            .next()
            .unwrap();
        let o = line.setting().unwrap();
        assert_eq!(
            (o.name.as_str(), o.value.as_str(), o.at.column),
            ("SEND_PACING", "3", 3)
        );
        let line = lines(" mode_name = #BATCH #bulk\n", &['#'], true)
            .next()
            .unwrap();
        assert_eq!(line.text, "mode_name = #BATCH");
        let line = lines("MODE #BATCH RU=*\n", &[';'], true).next().unwrap();
        assert_eq!(line.text, "MODE #BATCH RU=*");
    }
}
