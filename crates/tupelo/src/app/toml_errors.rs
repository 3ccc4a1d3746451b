//! Reads TOML so that every mistake is reported at once.
//!
//! The deserializer stops at its first error. This module blanks out the place of the
//! error and tries again, so that the user gets the whole list with line and column.
//! The blanked text is never used: a file with a mistake gives only errors.

use std::ops::Range;

use base::nearest;
use toml::de::DeTable;

use super::config::Config;
use super::finding::{Finding, Severity};
use super::schema::{Field, SettingsSchema};
use super::toml_places::{KeyPlace, KeyPlaces, position};

/// Reads settings for a check, which continues after mistakes. Returns the settings
/// without the faulty lines, or `None` if the text is not TOML.
pub fn read(name: &str, text: &str) -> (Option<Config>, Vec<Finding>) {
    let (_, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        let mut found: Vec<Finding> = Vec::new();
        let mut last = None;
        for error in syntax.iter().take(MOST) {
            let finding = of_syntax(name, text, error);
            // Errors on the line after a reported one follow from it, and
            // several lines of prose are one mistake.
            if last.is_none_or(|last: u32| last + 1 < finding.line) {
                last = Some(finding.line);
                found.push(finding);
            } else {
                last = last.max(Some(finding.line));
            }
        }
        return (None, found);
    }
    let mut mistakes: Vec<(String, Range<usize>)> = Vec::new();
    let mut work = text.to_owned();
    let config = loop {
        match toml::from_str::<Config>(&work) {
            Ok(value) => break Some(value),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let known = mistakes.iter().any(|(_, s)| *s == span);
                // Blanking a key of a table that spans lines can leave text
                // that is not TOML: such an error is caused by the blanking.
                let ours = toml::from_str::<toml::Table>(&work).is_err();
                if known || ours || mistakes.len() == MOST {
                    break None;
                }
                mistakes.push((error.message().trim().to_owned(), span.clone()));
                if !blank(&mut work, &span) {
                    break None;
                }
            }
        }
    };
    mistakes.sort_by_key(|(_, span)| span.start);
    let teacher = ErrorHints {
        name,
        text,
        places: KeyPlaces::of(text),
        settings: SettingsSchema::new(),
    };
    let findings = mistakes.iter().map(|(m, span)| teacher.finding(m, span));
    (config, findings.collect())
}

/// Makes the message and the hint for a mistake from the meaning of its key.
struct ErrorHints<'a> {
    name: &'a str,
    text: &'a str,
    places: KeyPlaces,
    settings: SettingsSchema,
}

impl ErrorHints<'_> {
    fn finding(&self, message: &str, span: &Range<usize>) -> Finding {
        let place = self.places.at(span);
        let field = place.and_then(|p| self.settings.at(&p.path));
        let (message, help) = match place {
            _ if message.starts_with("unknown field") => self.unknown(message, place),
            Some(place) if message.starts_with("missing field") => missing(message, place, field),
            Some(place) => match field {
                Some(field) => self.value(message, place, field, span),
                None => (message.to_owned(), None),
            },
            None => (message.to_owned(), None),
        };
        let (line, column) = position(self.text, span.start);
        error(self.name, line, column, message, help)
    }

    /// An unknown key.
    fn unknown(&self, message: &str, place: Option<&KeyPlace>) -> (String, Option<String>) {
        let word = message.split('`').nth(1).unwrap_or_default();
        let path = place.map_or(&[][..], |p| &p.path);
        let around = &path[..path.len().saturating_sub(1)];
        let Some(field) = self.settings.at(around) else {
            return (message.to_owned(), None);
        };
        let keys = field.keys();
        let near = nearest(word, keys.iter().copied()).map(|near| format!("did you mean {near}?"));
        if around.is_empty() {
            let what = match place {
                Some(place) if place.table => format!("there is no section [{word}]"),
                _ => format!("{word} is in no section"),
            };
            let owners: Vec<String> = keys
                .iter()
                .filter(|section| {
                    let section = self.settings.at(&[(**section).to_owned()]);
                    section.is_some_and(|section| section.keys().contains(&word))
                })
                .map(|section| format!("[{section}]"))
                .collect();
            let help = if owners.is_empty() {
                near.unwrap_or_else(|| format!("sections are {}", keys.join(", ")))
            } else {
                format!("write it below {}", owners.join(" or "))
            };
            return (what, Some(help));
        }
        let help = near.unwrap_or_else(|| format!("the section has {}", keys.join(", ")));
        (
            format!("[{}] has no key {word}", around.join(".")),
            Some(help),
        )
    }

    /// A value that its key does not allow.
    fn value(
        &self,
        message: &str,
        place: &KeyPlace,
        field: Field<'_>,
        span: &Range<usize>,
    ) -> (String, Option<String>) {
        let key = place.path.last().map_or("", String::as_str);
        let found: String = self
            .text
            .get(span.clone())
            .unwrap_or_default()
            .chars()
            .take(LONGEST)
            .collect();
        let choices = field.choices();
        if !choices.is_empty() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let word = found.trim_matches(['"', '\'']);
            let help = match nearest(word, words.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => {
                    let each = choices
                        .iter()
                        .map(|(word, meaning)| format!("\"{word}\": {meaning}"));
                    each.collect::<Vec<_>>().join(" ")
                }
            };
            let what = format!("{key} is one of {}, not {found}", words.join(", "));
            return (what, Some(help));
        }
        let kind = field.type_name();
        let fits = match kind.as_str() {
            "string" => found.starts_with(['"', '\'']),
            "boolean" | "integer" | "number" => false,
            "object" => place.table,
            _ => found.starts_with('['),
        };
        let address = field
            .default
            .as_str()
            .is_some_and(|d| d.parse::<std::net::SocketAddr>().is_ok());
        let what = match wanted(&kind, field) {
            _ if address => format!("{key} is an address with a port, not {found}"),
            // A text or list with its own format: its reader names the format.
            _ if fits => format!("{key}: {message}"),
            wanted => format!("{key} is {wanted}, not {found}"),
        };
        let meaning = field.meaning();
        let help = match field.default {
            serde_json::Value::Null => meaning,
            serde_json::Value::Object(_) => meaning,
            default => format!("{key} = {default} is the default. {meaning}"),
        };
        (what, Some(help).filter(|h| !h.is_empty()))
    }
}

/// A required key that is missing.
fn missing(message: &str, place: &KeyPlace, field: Option<Field<'_>>) -> (String, Option<String>) {
    let word = message.split('`').nth(1).unwrap_or_default();
    let what = format!("[{}] has no {word}, which it needs", place.path.join("."));
    let inner = field.and_then(|field| field.inner(word));
    (
        what,
        inner.map(|field| format!("{word}: {}", field.meaning())),
    )
}

/// The values of a type, as text.
fn wanted(kind: &str, field: Field<'_>) -> String {
    let shape = field.shape();
    let bound = |name: &str| shape[name].as_i64().or(field.field[name].as_i64());
    let most = bound("maximum").or(match shape["format"].as_str() {
        Some("uint32") => Some(i64::from(u32::MAX)),
        _ => None,
    });
    match kind {
        "integer" => match (bound("minimum"), most) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number, {least} or more"),
            _ => "a whole number".to_owned(),
        },
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "a text in quotes".to_owned(),
        "object" => "a table".to_owned(),
        "list of string" => "a list of texts, such as [\"a\", \"b\"]".to_owned(),
        other => format!("a {other}"),
    }
}

/// A text that is not TOML.
fn of_syntax(name: &str, text: &str, wrong: &toml::de::Error) -> Finding {
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
    let mistake = |message: String, help: &str| (message, Some(help.to_owned()));
    let (message, help) = match reason {
        "duplicate key" => {
            let word = wrong.span().and_then(|span| text.get(span)).unwrap_or(key);
            mistake(format!("{word} is set twice"), "remove one of the two")
        }
        _ if source.trim_start().starts_with('[') && !source.contains(']') => mistake(
            "the heading of the section is not closed".to_owned(),
            &format!("write {}]", source.trim()),
        ),
        _ if !source.contains('=') => mistake(
            "this is not a line of TOML".to_owned(),
            "lines are [section], key = value, or a comment after #",
        ),
        _ if value.is_empty() => mistake(
            format!("{key} has no value"),
            "write key = value, or remove the line",
        ),
        _ if bare => mistake(
            format!("{value} is neither a number nor true or false"),
            &format!("strings need quotes: {key} = \"{value}\""),
        ),
        _ if value.starts_with(['"', '\'']) && !closed(value) => mistake(
            "the quote is not closed".to_owned(),
            "a string ends with the quote that it began with, on the same line",
        ),
        _ if value.starts_with(['"']) && value.contains('\\') => mistake(
            format!("a backslash begins an escape: {reason}"),
            "write \\\\ for a backslash, or put the text in single quotes",
        ),
        _ => (reason.to_owned(), None),
    };
    error(name, line, column, message, help)
}

/// Whether a quoted text has its closing quote.
fn closed(value: &str) -> bool {
    let quote = value.chars().next().unwrap_or('"');
    value.chars().skip(1).any(|c| c == quote)
}

fn error(file: &str, line: u32, column: u32, message: String, help: Option<String>) -> Finding {
    Finding::new(Severity::Error, (line, column), message)
        .in_file(file)
        .maybe_help(help)
}

/// Overwrites the lines of `span` with blanks; a table header takes its whole
/// table along. Offsets stay as they are.
fn blank(text: &mut String, span: &Range<usize>) -> bool {
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

/// Most mistakes that are reported; with more the file is not of this kind.
const MOST: usize = 50;

/// Characters of a wrong value that are shown.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn from_str(name: &str, text: &str) -> Result<Config, Vec<Finding>> {
        let (config, mistakes) = read(name, text);
        match config {
            Some(config) if mistakes.is_empty() => Ok(config),
            _ => Err(mistakes),
        }
    }

    /// Each mistake as `line:column message / help`.
    fn shown_mistakes(text: &str) -> Vec<String> {
        let found = from_str("tupelo.toml", text).unwrap_err();
        let line = |f: &Finding| {
            format!(
                "{}:{} {} / {}",
                f.line,
                f.column,
                f.message,
                f.help.as_deref().unwrap_or("-")
            )
        };
        found.iter().map(line).collect()
    }

    #[test]
    fn every_mistake_is_reported_with_its_place() {
        let text = "[region]\napplid = 7\nmax_taks = 5\n\n[gatway]\nlisten = \"x\"\n\n[store]\nsync = \"no\"\n";
        let found = from_str("tupelo.toml", text).unwrap_err();
        let lines: Vec<u32> = found.iter().map(|f| f.line).collect();
        assert_eq!(lines, [2, 3, 5, 9], "{found:?}");
    }

    #[test]
    fn a_wrong_value_is_reported_with_what_is_allowed_and_what_its_key_means() {
        let all = shown_mistakes(
            "[region]\nmax_tasks = \"many\"\nworker_nice = 300\nsandbox = \"of\"\ntrace = \"yes\"\n[gateway]\nlisten = \"8080\"\ncors_origins = \"x\"\n[requester.apis.B]\n",
        );
        let starts = [
            "2:13 max_tasks is a whole number from 0 to 4294967295, not \"many\" / max_tasks = 250 is the default. Most tasks",
            "3:15 worker_nice is a whole number from 0 to 255, not 300 / worker_nice = 5 is the default. Steps of nice(2), 0 to 19,",
            "4:11 sandbox is one of required, best-effort, off, not \"of\" / did you mean \"off\"?",
            "5:9 trace is true or false, not \"yes\" / trace = true is the default. ",
            "7:10 listen is an address with a port, not \"8080\" / listen = \"127.0.0.1:8080\" is the default. Address for HTTP.",
            "8:16 cors_origins is a list of texts, such as [\"a\", \"b\"], not \"x\" / cors_origins = [] is the default. ",
            "9:1 [requester.apis.B] has no url, which it needs / url: The address",
        ];
        assert_eq!(all.len(), starts.len(), "{all:#?}");
        for (mistake, start) in all.iter().zip(starts) {
            assert!(mistake.starts_with(start), "{mistake}\nis not\n{start}");
        }
    }

    #[test]
    fn an_unknown_key_is_reported_with_a_similar_one() {
        assert_eq!(
            shown_mistakes("listen = 1\n[gateway]\nacess_log = true\n[regoin]\n"),
            [
                "1:1 listen is in no section / write it below [gateway] or [admin] or [appc] or [sockets] or [ipconn] or [terminal]",
                "3:1 [gateway] has no key acess_log / did you mean access_log?",
                "4:2 there is no section [regoin] / did you mean region?",
            ]
        );
        let all = shown_mistakes("[store]\nzzzzzz = 1\n");
        assert_eq!(
            all,
            ["2:1 [store] has no key zzzzzz / the section has path, map_gib, sync, walk_gib"]
        );
    }

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
            let found = from_str("tupelo.toml", text).unwrap_err();
            let line = |f: &Finding| {
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

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(from_str("t", "").unwrap(), Config::default());
    }
}
