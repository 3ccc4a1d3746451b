//! Reading TOML so that every mistake in it is told at once.
//!
//! The deserializer stops at its first error. This module blanks out the place
//! it complained about and tries again, so that a person gets the whole list
//! with line and column. What was blanked is never used: a file with a mistake
//! gives errors only.

use cics::diagnostic::nearest;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use serde::de::DeserializeOwned;

/// All mistakes of one file.
#[derive(Debug, thiserror::Error)]
#[error("{} {} in {name}", .mistakes.len(), if .mistakes.len() == 1 { "mistake" } else { "mistakes" })]
pub struct TomlErrors {
    name: String,
    source_text: NamedSource<String>,
    /// Message and byte span of each, in the order of the file.
    pub mistakes: Vec<(String, std::ops::Range<usize>)>,
}

impl Diagnostic for TomlErrors {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source_text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.mistakes.iter().map(|(message, span)| {
            LabeledSpan::new_with_span(Some(message.clone()), span.clone())
        })))
    }
}

/// Deserializes `text`; `name` is what errors call it.
pub fn from_str<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Box<TomlErrors>> {
    let mut mistakes = Vec::new();
    let mut work = text.to_owned();
    loop {
        match toml::from_str::<T>(&work) {
            Ok(value) if mistakes.is_empty() => return Ok(value),
            Ok(_) => break,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let known = mistakes.iter().any(|(_, s)| *s == span);
                // Blanking a key of a table that spans lines can leave text
                // that is no longer TOML: what that says is our doing.
                if known || mistakes.len() == MOST {
                    break;
                }
                mistakes.push((taught(error.message().trim()), span.clone()));
                if toml::from_str::<toml::Table>(&work).is_err() || !blank(&mut work, &span) {
                    break;
                }
            }
        }
    }
    mistakes.sort_by_key(|(_, span)| span.start);
    Err(Box::new(TomlErrors {
        name: name.to_owned(),
        source_text: NamedSource::new(name, text.to_owned()),
        mistakes,
    }))
}

/// A message about a name that is not known: the one that is meant, where one
/// is near, instead of all there are.
fn taught(message: &str) -> String {
    // serde quotes the name and then each that it knows.
    let mut names = message.split('`').skip(1).step_by(2);
    let near = match names.next() {
        Some(wrong) if message.starts_with("unknown ") => nearest(wrong, names),
        _ => None,
    };
    match (near, message.split_once(',')) {
        (Some(near), Some((what, _))) => format!("{what}; did you mean `{near}`?"),
        _ => message.to_owned(),
    }
}

/// Overwrites the lines of `span` with blanks; a table header takes its whole
/// table along. Offsets stay as they are.
fn blank(text: &mut String, span: &std::ops::Range<usize>) -> bool {
    let start = text[..span.start.min(text.len())]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
    let mut end = line_end(span.end.max(start).min(text.len()));
    if text[start..].trim_start().starts_with('[') {
        while end < text.len() {
            let next = end + 1;
            if text[next..]
                .trim_start_matches([' ', '\t'])
                .starts_with('[')
            {
                break;
            }
            end = line_end(next);
        }
    }
    if text[start..end].trim().is_empty() {
        return false;
    }
    let blanks: String = text[start..end]
        .bytes()
        .map(|b| if b == b'\n' { '\n' } else { ' ' })
        .collect();
    text.replace_range(start..end, &blanks);
    true
}

/// Mistakes told of one file; past that the file is of another kind.
const MOST: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::Config;

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let text = "[region]\napplid = 7\nmax_taks = 5\n\n[gatway]\nlisten = \"x\"\n\n[store]\nsync = \"no\"\n";
        let errors = from_str::<Config>("tupelo.toml", text).unwrap_err();
        let places: Vec<usize> = errors
            .mistakes
            .iter()
            .map(|(_, span)| 1 + text[..span.start].matches('\n').count())
            .collect();
        assert_eq!(places, [2, 3, 5, 9], "{:?}", errors.mistakes);
    }

    #[test]
    fn a_key_that_is_nearly_one_is_told_by_the_one_that_is_meant() {
        let text = "[gateway]\nacess_log = true\nzzzzzz = 1\n";
        let errors = from_str::<Config>("tupelo.toml", text).unwrap_err();
        let told: Vec<&str> = errors.mistakes.iter().map(|(m, _)| m.as_str()).collect();
        assert_eq!(
            told[0],
            "unknown field `acess_log`; did you mean `access_log`?"
        );
        assert!(told[1].contains("expected one of"), "{told:?}");
    }

    #[test]
    fn a_syntax_error_is_told_once() {
        let errors = from_str::<Config>("tupelo.toml", "[region\napplid = \"A\"\n").unwrap_err();
        assert_eq!(errors.mistakes.len(), 1);
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(from_str::<Config>("t", "").unwrap(), Config::default());
    }
}
