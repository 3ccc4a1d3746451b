//! The log for people: local time, kind and message; requests, abends and lines that
//! programs display each have their own format.
//!
//! With `TUPELO_LOG_FORMAT=json` each event is a JSON line with its fields. The newest lines
//! are kept for the administration port.
//!
//! Invariant: text from a client or a COBOL program never controls the terminal: its
//! control characters are replaced.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

/// Target of events of `serve` itself.
pub const SERVE: &str = "tupelo::serve";
/// Target of abends.
pub const TASK: &str = "tupelo::task";
/// Target of requests.
const ACCESS: &str = "gateway::access";
/// Target of lines that programs display.
const DISPLAY: &str = "tupelo::stdout";

/// Target of lines that scripts log.
const SCRIPT: &str = "script";

/// Events logged without -v: errors and warnings, abends, lines that programs display and
/// scripts log, and requests if `access_log` is on. Warnings of the HTTP/2 and TLS libraries
/// are omitted, since any client can cause them at will.
const USUAL: &str = "warn,h2=error,rustls=error,tupelo::serve=info,tupelo::task=info,\
    tupelo::stdout=info,script=info,gateway::access=info";

/// Starts logging to standard error. `verbose` counts -v.
pub fn start(verbose: u8) {
    let default = match verbose {
        0 => USUAL,
        1 => "info,h2=error,rustls=error",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("TUPELO_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A failed write would otherwise be reported with a print macro, which panics.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal())
        .event_format(LineFormat {
            json: std::env::var("TUPELO_LOG_FORMAT").is_ok_and(|format| format == "json"),
        })
        .init();
}

/// Number of lines that are kept, and most characters of one.
const KEPT: usize = 500;
const KEPT_CHARS: usize = 2_000;

/// The newest lines, the oldest first.
static NEWEST: Mutex<VecDeque<LogLine>> = Mutex::new(VecDeque::new());

/// A line of the log.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LogLine {
    /// When it was written, in milliseconds since 1970.
    pub unix_ms: u64,
    /// The kind: `error`, `warning`, `info`, `request`, `abend`, `display`.
    pub kind: &'static str,
    /// The message.
    pub text: String,
}

/// The newest lines, at most `most`.
pub fn newest(most: usize) -> Vec<LogLine> {
    let lines = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
    let skipped = lines.len().saturating_sub(most);
    lines.iter().skip(skipped).cloned().collect()
}

fn keep(kind: &'static str, text: &str) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let line = LogLine {
        unix_ms: since.map_or(0, |since| since.as_millis() as u64),
        kind,
        text: text.chars().take(KEPT_CHARS).collect(),
    };
    let mut lines = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() >= KEPT {
        lines.pop_front();
    }
    lines.push_back(line);
}

struct LineFormat {
    json: bool,
}

/// The fields of an event, as text.
#[derive(Default)]
struct EventFields {
    message: String,
    rest: Vec<(&'static str, String)>,
}

impl EventFields {
    /// Removes and returns a field.
    fn take(&mut self, name: &str) -> String {
        let at = self.rest.iter().position(|(known, _)| *known == name);
        at.map_or(String::new(), |at| self.rest.remove(at).1)
    }
}

impl Visit for EventFields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "message" => self.message = text,
            name => self.rest.push((name, text)),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

impl<S, N> FormatEvent<S, N> for LineFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let about = event.metadata();
        if self.json {
            return writeln!(out, "{}", as_json(about.target(), *about.level(), &fields));
        }
        let (word, colour) = word(about.target(), *about.level());
        let colours = out.has_ansi_escapes();
        let paint = |code: &'static str| if colours { code } else { "" };
        let (faint, plain, colour) = (paint("\x1b[2m"), paint("\x1b[0m"), paint(colour));
        let text = event_text(about.target(), &mut fields);
        keep(word, &harmless(&without_colours(text.trim_end())));
        write!(out, "{faint}{}{plain} {colour}{word:<8}{plain}", clock())?;
        // Messages of `serve` are formatted for a terminal already.
        if about.target() == SERVE {
            writeln!(out, "{}", text.trim_end())
        } else {
            writeln!(out, "{}", harmless(text.trim_end()))
        }
    }
}

/// An event as a JSON object: time, level, target, message and its own fields.
fn as_json(target: &str, level: Level, fields: &EventFields) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut object = serde_json::Map::new();
    let seconds = since.map_or(0.0, |since| since.as_millis() as f64 / 1e3);
    object.insert("time".into(), seconds.into());
    object.insert("level".into(), level.as_str().to_ascii_lowercase().into());
    object.insert("target".into(), target.into());
    if !fields.message.is_empty() {
        let message = without_colours(fields.message.trim_end());
        object.insert("message".into(), message.clone().into());
        keep(word(target, level).0, &harmless(&message));
    }
    for (name, text) in &fields.rest {
        let value = match text.parse::<u64>() {
            // `us` and `status` are numbers; a path that looks like one is not.
            Ok(number) if number.to_string() == *text && *name != "path" => number.into(),
            // Data that a script logs with a line is JSON.
            _ if *name == "data" && target == SCRIPT => {
                serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
            }
            _ => text.as_str().into(),
        };
        object.insert((*name).to_owned(), value);
    }
    serde_json::Value::Object(object).to_string()
}

/// A text without colour sequences.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((front, tail)) = rest.split_once("\x1b[") {
        plain.push_str(front);
        let end = tail.find(|c: char| c.is_ascii_alphabetic());
        rest = end.map_or("", |end| &tail[end + 1..]);
    }
    plain + rest
}

/// The kind of an event, and its colour.
fn word(target: &str, level: Level) -> (&'static str, &'static str) {
    match (target, level) {
        (ACCESS, _) => ("request", "\x1b[36m"),
        (DISPLAY, _) => ("display", "\x1b[35m"),
        (TASK, _) => ("abend", "\x1b[1;31m"),
        (_, Level::ERROR) => ("error", "\x1b[1;31m"),
        (_, Level::WARN) => ("warning", "\x1b[1;33m"),
        (_, Level::INFO) => ("info", "\x1b[32m"),
        _ => ("debug", "\x1b[2m"),
    }
}

/// An event's message with its fields.
fn event_text(target: &str, fields: &mut EventFields) -> String {
    match target {
        ACCESS => {
            let us: f64 = fields.take("us").parse().unwrap_or_default();
            let [method, path] = ["method", "path"].map(|name| fields.take(name));
            let user = fields.take("user");
            let user = if user.is_empty() {
                user
            } else {
                format!("  {user}")
            };
            let [status, bytes] = ["status", "bytes"].map(|name| fields.take(name));
            format!(
                "{status} {:>9.3} ms {bytes:>8} B  {method} {path}{user}",
                us / 1e3
            )
        }
        DISPLAY | "tupelo::stderr" => {
            let [task, transid, program] =
                ["task", "transid", "program"].map(|name| fields.take(name));
            format!(
                "task {task:<6} {transid:<4} {program:<8}  {}",
                fields.message
            )
        }
        _ => {
            let mut text = std::mem::take(&mut fields.message);
            for (name, value) in &fields.rest {
                let _ = write!(text, "  {name}={value}");
            }
            text
        }
    }
}

/// The text without control characters except line ends.
fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => '\n',
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The local time of day, to the millisecond.
fn clock() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    time_of_day(now.unwrap_or_default())
}

/// The local time of day, to the millisecond, of a moment given as the time since 1970:
/// `14:03:59.120`.
pub fn time_of_day(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs() as libc::time_t;
    // SAFETY: `tm` is plain data, for which zeros are a value; localtime_r
    // reads one argument, writes the other, and keeps neither.
    let time = unsafe {
        let mut time: libc::tm = std::mem::zeroed();
        libc::localtime_r(&raw const seconds, &raw mut time);
        time
    };
    let millis = since_1970.subsec_millis();
    format!(
        "{:02}:{:02}:{:02}.{millis:03}",
        time.tm_hour, time.tm_min, time.tm_sec
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_aligned_and_a_display_line_names_task_transaction_and_program() {
        let fields = |pairs: &[(&'static str, &str)]| EventFields {
            message: "HELLO\x1b[2J".into(),
            rest: pairs.iter().map(|(n, v)| (*n, (*v).to_owned())).collect(),
        };
        let request = [
            ("method", "GET"),
            ("path", "/a"),
            ("status", "200"),
            ("bytes", "37"),
            ("us", "1500"),
        ];
        let text = event_text(ACCESS, &mut fields(&request));
        assert_eq!(text, "200     1.500 ms       37 B  GET /a");
        let display = [
            ("worker", "0"),
            ("task", "12"),
            ("transid", "ACC"),
            ("program", "ACCOUNT"),
        ];
        let text = event_text(DISPLAY, &mut fields(&display));
        assert_eq!(
            harmless(&text),
            "task 12     ACC  ACCOUNT   HELLO\u{fffd}[2J"
        );
    }

    #[test]
    fn an_event_is_a_json_object_with_its_own_fields() {
        let fields = EventFields {
            message: "\x1b[1mbold\x1b[0m \"text\"\n".into(),
            rest: vec![
                ("status", "200".into()),
                ("path", "7".into()),
                ("user", "ada".into()),
            ],
        };
        let line = as_json(ACCESS, Level::INFO, &fields);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["message"], "bold \"text\"");
        assert_eq!(value["status"], 200);
        assert_eq!(value["path"], "7");
        assert_eq!(value["level"], "info");
    }

    #[test]
    fn data_of_a_scripts_line_is_json_within_json() {
        for (data, wanted) in [("{\"order\":7}", 7), ("not JSON", 0)] {
            let fields = EventFields {
                message: "paid".into(),
                rest: vec![("data", data.into())],
            };
            let line = as_json(SCRIPT, Level::INFO, &fields);
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(value["data"]["order"].as_u64().unwrap_or(0), wanted);
            assert!(value["data"].is_object() || value["data"] == data);
        }
    }

    #[test]
    fn the_newest_lines_are_kept_and_no_more() {
        for n in 0..KEPT + 10 {
            keep("info", &format!("line {n}"));
        }
        let lines = newest(usize::MAX);
        assert_eq!(lines.len(), KEPT);
        assert!(newest(3).len() == 3);
        let long = "x".repeat(3 * KEPT_CHARS);
        keep("info", &long);
        assert!(
            newest(KEPT)
                .iter()
                .all(|line| line.text.len() <= KEPT_CHARS)
        );
    }
}
