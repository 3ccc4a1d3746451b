//! Reads `tupelo.toml`, and reports every mistake with what its key means and allows.

use std::ops::Range;
use std::path::Path;

use base::suggestion_or_all;
use settings::{
    KeyPlace, KeyPlaces, missing_key, position, read_values, shortened, syntax_mistakes,
    unknown_key, wrong_value, wrong_word,
};
use toml::de::DeTable;

use super::config::Config;
use super::finding::{Finding, Severity};
use super::schema::{Field, SettingsSchema};

/// Reads settings for a check, which continues after mistakes. Returns the settings
/// without the faulty lines, or `None` if the text is not TOML.
pub fn read(name: &str, text: &str) -> (Option<Config>, Vec<Finding>) {
    let (file, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let found = syntax_mistakes(text, &errors);
        let found = found
            .into_iter()
            .take(MOST)
            .map(|found| found.in_file(name));
        return (None, found.collect());
    }
    let (config, mistakes) = read_values::<Config>(&file, MOST);
    let hints = ErrorHints {
        name,
        text,
        places: KeyPlaces::of(text),
        settings: SettingsSchema::new(),
    };
    let findings = mistakes.iter().map(|m| hints.finding(&m.message, &m.span));
    (config, findings.collect())
}

/// The places of the keys of an application's settings; none if they cannot be read.
pub fn places(folder: &Path) -> KeyPlaces {
    KeyPlaces::of(&std::fs::read_to_string(folder.join("tupelo.toml")).unwrap_or_default())
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
                suggestion_or_all(word, &keys, "sections are")
            } else {
                format!("write it below {}", owners.join(" or "))
            };
            return (what, Some(help));
        }
        let (message, help) = unknown_key(&around.join("."), word, keys);
        (message, Some(help))
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
        let found = shortened(self.text.get(span.clone()).unwrap_or_default());
        let choices = field.choices();
        if !choices.is_empty() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let (what, near) = wrong_word(key, &words, &found);
            let help = near.unwrap_or_else(|| {
                let each = choices
                    .iter()
                    .map(|(word, meaning)| format!("\"{word}\": {meaning}"));
                each.collect::<Vec<_>>().join(" ")
            });
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
            _ if address => wrong_value(key, "an address with a port", &found),
            // A text or list with its own format: its reader names the format.
            _ if fits => format!("{key}: {message}"),
            wanted => wrong_value(key, &wanted, &found),
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
    let what = missing_key(&place.path.join("."), word);
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

fn error(file: &str, line: u32, column: u32, message: String, help: Option<String>) -> Finding {
    Finding::new(Severity::Error, (line, column), message)
        .in_file(file)
        .maybe_help(help)
}

/// Most mistakes that are reported; with more the file is not of this kind.
const MOST: usize = 50;

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
    fn an_empty_file_is_the_default() {
        assert_eq!(from_str("t", "").unwrap(), Config::default());
    }
}
