//! Texts that are not TOML: the mistakes with what to write instead.

use base::{Diagnostic, Severity};
use toml::de::Error;

use crate::places::position;

/// The mistakes that the parser found in a text, with their places. Errors on the line
/// after a reported one follow from it, and several lines of prose are one mistake.
pub fn syntax_mistakes(text: &str, errors: &[Error]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut last = None;
    for error in errors {
        let mistake = mistake(text, error);
        if last.is_none_or(|last: u32| last + 1 < mistake.line) {
            last = Some(mistake.line);
            found.push(mistake);
        } else {
            last = last.max(Some(mistake.line));
        }
    }
    found
}

fn mistake(text: &str, wrong: &Error) -> Diagnostic {
    let at = wrong.span().map_or(0, |span| span.start).min(text.len());
    let (line, column) = position(text, at);
    let source = text.lines().nth(line as usize - 1).unwrap_or_default();
    let reason = wrong.message().trim();
    let (key, value) = source.split_once('=').unwrap_or((source, ""));
    let (key, value) = (
        key.trim(),
        value.split('#').next().unwrap_or_default().trim(),
    );
    let bare = value.starts_with(|c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~')
    });
    let with_help = |message: String, help: &str| (message, Some(help.to_owned()));
    let (message, help) = match reason {
        "duplicate key" => {
            let word = wrong.span().and_then(|span| text.get(span)).unwrap_or(key);
            with_help(format!("{word} is set twice"), "remove one of the two")
        }
        _ if source.trim_start().starts_with('[') && !source.contains(']') => with_help(
            "the heading of the section is not closed".to_owned(),
            &format!("write {}]", source.trim()),
        ),
        _ if !source.contains('=') => with_help(
            "this is not a line of TOML".to_owned(),
            "lines are [section], key = value, or a comment after #",
        ),
        _ if value.is_empty() => with_help(
            format!("{key} has no value"),
            "write key = value, or remove the line",
        ),
        _ if bare => with_help(
            format!("{value} is neither a number nor true or false"),
            &format!("strings need quotes: {key} = \"{value}\""),
        ),
        _ if value.starts_with(['"', '\'']) && !closed(value) => with_help(
            "the quote is not closed".to_owned(),
            "a string ends with the quote that it began with, on the same line",
        ),
        _ if value.starts_with(['"']) && value.contains('\\') => with_help(
            format!("a backslash begins an escape: {reason}"),
            "write \\\\ for a backslash, or put the text in single quotes",
        ),
        _ => (reason.to_owned(), None),
    };
    Diagnostic::new(Severity::Error, (line, column), message).maybe_help(help)
}

/// Whether a quoted text has its closing quote.
fn closed(value: &str) -> bool {
    let quote = value.chars().next().unwrap_or('"');
    value.chars().skip(1).any(|c| c == quote)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    #[test]
    fn a_text_that_is_not_toml_is_reported_once_with_the_fix() {
        for (text, wanted) in [
            (
                "[region\napplid = \"A\"\n",
                "1 the heading of the section is not closed / write [region]",
            ),
            (
                "[gateway]\nlisten = 127.0.0.1:8080\n",
                "2 127.0.0.1:8080 is neither a number nor true or false / strings need quotes: listen = \"127.0.0.1:8080\"",
            ),
            (
                "[region]\napplid = \n",
                "2 applid has no value / write key = value, or remove the line",
            ),
            (
                "[region]\nmax_tasks = 1\nmax_tasks = 2\n",
                "3 max_tasks is set twice / remove one of the two",
            ),
            (
                "What this folder\nis, and who\nwrote it.\n",
                "1 this is not a line of TOML / lines are [section], key = value, or a comment after #",
            ),
            (
                "[region]\napplid = \"A\n",
                "2 the quote is not closed / a string ends with the quote that it began with, on the same line",
            ),
        ] {
            let found = syntax_mistakes(text, &DeTable::parse_recoverable(text).1);
            let line = |f: &Diagnostic| {
                format!(
                    "{} {} / {}",
                    f.line,
                    f.message,
                    f.help.as_deref().unwrap_or("-")
                )
            };
            assert_eq!(found.iter().map(line).collect::<Vec<_>>(), [wanted]);
        }
    }
}
