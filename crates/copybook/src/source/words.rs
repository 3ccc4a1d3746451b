//! The words of a program's text, for who looks for a statement and not for
//! its meaning: comments and sequence numbers are left out, nothing is copied
//! in, and continued lines are not joined.

use super::format::ReferenceFormat;
use super::reader::columns_of;

/// The words: names, numbers and keywords in upper case, a literal with its
/// quotes as it is written, and every other mark by itself.
///
/// ```
/// let words = copybook::words("           MOVE 'a b' TO X(1).\n");
/// assert_eq!(words, ["MOVE", "'a b'", "TO", "X", "(", "1", ")", "."]);
/// ```
pub fn words(text: &str) -> Vec<String> {
    let format = ReferenceFormat::detect(text);
    let fixed = format == ReferenceFormat::Fixed;
    let mut words = Vec::new();
    for line in text.lines() {
        let line: String = columns_of(line, format)
            .into_iter()
            .map(|(_, c)| c)
            .collect();
        let is_skipped = matches!(line.chars().nth(6), Some('*' | '/' | 'D' | 'd'));
        if fixed && is_skipped {
            continue;
        }
        let line: String = if fixed {
            line.chars().skip(7).take(65).collect()
        } else {
            line.split("*>").next().unwrap_or_default().to_owned()
        };
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '@' | '#' | '$');
            let end = match first {
                '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |n| n + 2),
                c if part(c) => rest.find(|c| !part(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (word, after) = rest.split_at(end);
            words.push(match first {
                '\'' | '"' => word.to_owned(),
                _ => word.to_ascii_uppercase(),
            });
            rest = after.trim_start();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_reaches_the_text_area_of_fixed_format() {
        let text =
            "\tIDENTIFICATION DIVISION.\n\tPROGRAM-ID. P.\n\tmove a to b\n      *\tnot this\n";
        let words = words(text);
        assert_eq!(words[words.len() - 4..], ["MOVE", "A", "TO", "B"]);
        assert_eq!(words[0], "IDENTIFICATION");
    }

    #[test]
    fn text_that_tabs_push_far_right_is_read_to_its_end() {
        let text = "       PROCEDURE DIVISION.\n           IF A\n\t\t\t\t           \" RECEIVED:\" TABLE-SIMPLE(WS-I)\n";
        assert_eq!(words(text).last().unwrap(), ")");
    }
}
