//! One finding at a terminal, with the line that it is about.

use crate::{Diagnostic, Severity};
use std::fmt::{self, Write};
use std::path::Path;

/// A finding as it is shown at a terminal: place, message, the line with a caret below
/// it, and the remedy.
///
/// `file` is the file as it is shown, empty for none; `source` is the text of the
/// finding's line, if it can be read. The first line is `file:line:column: severity:
/// message`, which editors and other tools read.
pub fn excerpt(finding: &Diagnostic, file: &Path, source: Option<&str>, colours: bool) -> String {
    let mut out = String::new();
    // A `String` takes everything.
    let _ = write_excerpt(&mut out, finding, file, source, colours);
    out
}

fn write_excerpt(
    out: &mut String,
    finding: &Diagnostic,
    file: &Path,
    source: Option<&str>,
    colours: bool,
) -> fmt::Result {
    let colour = match finding.severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Note => "\x1b[1;36m",
    };
    let paint = |code: &'static str| if colours { code } else { "" };
    let (bold, plain, faint) = (paint("\x1b[1m"), paint("\x1b[0m"), paint("\x1b[2m"));
    let colour = paint(colour);
    if !file.as_os_str().is_empty() {
        write!(out, "{bold}{}", file.display())?;
        if finding.line > 0 {
            write!(out, ":{}", finding.line)?;
            if finding.column > 0 {
                write!(out, ":{}", finding.column)?;
            }
        }
        write!(out, ":{plain} ")?;
    }
    writeln!(
        out,
        "{colour}{}:{plain} {}",
        finding.severity,
        printable(&finding.message)
    )?;
    if let Some(source) = source {
        let number = finding.line.to_string();
        let blank = " ".repeat(number.len());
        let source: String = source.trim_end().chars().take(WIDEST).collect();
        // A tab counts as one column, as it is one character in the text.
        let source = source.replace('\t', " ");
        writeln!(out, "  {faint}{number} |{plain} {}", printable(&source))?;
        let column = match finding.column {
            0 => quoted(&finding.message, &source).or_else(|| named(&finding.message, &source)),
            column => Some(column as usize),
        };
        if let Some(before) = column
            .filter(|column| *column <= WIDEST)
            .map(|column| column - 1)
        {
            let length = caret_length(&source, before);
            let carets = "^".repeat(length);
            writeln!(
                out,
                "  {faint}{blank} |{plain} {}{colour}{carets}{plain}",
                " ".repeat(before)
            )?;
        }
    }
    if let Some(help) = &finding.help {
        writeln!(out, "  {faint}help:{plain} {}", printable(help))?;
    }
    Ok(())
}

/// The column from 1 of the word that a message quotes, if the line contains the
/// word as a whole: the COBOL compiler reports only the line.
fn quoted(message: &str, source: &str) -> Option<usize> {
    let word = message.split('\'').nth(1).filter(|word| !word.is_empty())?;
    whole_word(word, source)
}

/// The column of the last name in capitals: definitions are reported by their line.
fn named(message: &str, source: &str) -> Option<usize> {
    let name = |word: &&str| {
        let letters = word.chars().filter(char::is_ascii_uppercase).count();
        letters > 1 && !word.contains(|c: char| c.is_ascii_lowercase())
    };
    let words = message.split_whitespace().rev();
    let words = words.map(|word| word.trim_end_matches([':', ',', ';', '.']));
    words.filter(name).find_map(|word| whole_word(word, source))
}

fn whole_word(word: &str, source: &str) -> Option<usize> {
    let word = word.to_ascii_uppercase();
    let upper = source.to_ascii_uppercase();
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let whole = |at: usize| {
        let before = upper[..at].chars().next_back();
        let after = upper[at + word.len()..].chars().next();
        let ends = |side: Option<char>, own: Option<char>| {
            !(side.is_some_and(part) && own.is_some_and(part))
        };
        ends(before, word.chars().next()) && ends(after, word.chars().next_back())
    };
    let mut places = upper.match_indices(&word).map(|(at, _)| at);
    let at = places.find(|at| whole(*at))?;
    Some(source[..at].chars().count() + 1)
}

/// The length of the word that begins at a column.
fn caret_length(source: &str, before: usize) -> usize {
    let word = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '$');
    let mut from = source.chars().skip(before);
    if let Some(quote @ ('"' | '\'')) = from.next()
        && let Some(inside) = from.position(|c| c == quote)
    {
        return (inside + 2).min(40);
    }
    source
        .chars()
        .skip(before)
        .take_while(word)
        .count()
        .clamp(1, 40)
}

/// The text without control characters, which would control the terminal.
fn printable(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() && c != '\n' {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// Longer lines are cut.
const WIDEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_shows_its_line_with_a_caret_and_the_remedy() {
        let finding = Diagnostic::new(Severity::Error, (2, 8), "there is no RIDFDL");
        let finding = finding.with_help("did you mean RIDFLD?");
        let shown = |colours| {
            let line = Some("  READ RIDFDL(X)");
            excerpt(&finding, Path::new("a.cbl"), line, colours)
        };
        assert_eq!(
            shown(false),
            "a.cbl:2:8: error: there is no RIDFDL\n  2 |   READ RIDFDL(X)\n    |        ^^^^^^\n  help: did you mean RIDFLD?\n"
        );
        assert!(shown(true).contains("\x1b[1;31m"));
    }

    #[test]
    fn a_line_without_a_column_has_its_caret_where_the_quoted_word_stands() {
        assert_eq!(
            quoted("'NAME-X' is not defined", "  MOVE A TO name-x."),
            Some(13)
        );
        assert_eq!(
            quoted("'NAME' is not defined", "  MOVE WS-NAME TO NAME-2 NAME."),
            Some(26)
        );
        assert_eq!(quoted("'X' is not defined", "  MOVE XX TO X."), Some(14));
        assert_eq!(quoted("syntax error", "  MOVE"), None);
        assert_eq!(quoted("it's 'é'", "é"), None);
    }

    #[test]
    fn a_line_without_a_column_is_marked_at_the_reported_name() {
        let line = "DEFINE TRANSACTION(BINQ) PROGRAM(NONE)";
        assert_eq!(
            named("TRANSACTION(BINQ): there is no program NONE", line),
            Some(34)
        );
        let message = "TRANSACTION(BINQ): there is no TRANCLASS(C), so nothing bounds it";
        assert_eq!(named(message, line), Some(8));
        assert_eq!(named("there is no X", line), None);
    }

    #[test]
    fn a_text_in_quotes_is_marked_as_a_whole() {
        assert_eq!(caret_length("listen = \"8080\"", 9), 6);
        assert_eq!(caret_length("x = \"open", 4), 1);
        assert_eq!(caret_length("x = name-1 y", 4), 6);
    }
}
