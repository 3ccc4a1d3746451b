//! Text in lines of limited width.

/// The words of a text in lines of at most `columns` characters, the first one after
/// `first` and the others after `further`. A longer word has a line of its own. Every
/// line ends with a line feed; a text without words has no line.
pub fn wrapped(text: &str, [first, further]: [&str; 2], columns: usize) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let needs = line.chars().count() + 1 + word.chars().count();
        if !is_empty && needs > columns {
            out += &line;
            out.push('\n');
            further.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    if !is_empty {
        out += &line;
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_word_that_does_not_fit() {
        let text = wrapped("one two three  four é five", ["- ", "  "], 9);
        assert_eq!(text, "- one two\n  three\n  four é\n  five\n");
        assert_eq!(
            wrapped("much-too-long a", ["", " "], 5),
            "much-too-long\n a\n"
        );
        assert_eq!(wrapped(" ", ["- ", ""], 5), "");
    }
}
