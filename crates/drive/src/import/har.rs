//! HTTP archives of browsers: entries become steps, the pauses between them become
//! think time.
//!
//! Reference: HAR 1.2, <http://www.softwareishard.com/blog/har-12-spec/>.

use super::write::{ImportedGroup, ImportedPlan, Request, belongs_to_driver, literal, scenario};
use super::{ImportError, ImportedScenario};
use crate::url::Url;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Imports an HTTP archive.
pub fn har(text: &str) -> Result<ImportedScenario, ImportError> {
    let json: Value = serde_json::from_str(text).map_err(|e| ImportError::Har(e.to_string()))?;
    let entries = json.pointer("/log/entries").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| ImportError::Har("it has no log.entries".into()))?;
    let mut notes = Vec::new();
    let mut requests: Vec<Request> = Vec::new();
    let mut last_end: Option<f64> = None;
    let mut http2 = false;
    for (i, entry) in entries.iter().enumerate() {
        let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
        let Some(url) = text("/request/url") else {
            notes.push(format!("entry {}: it has no URL", i + 1));
            continue;
        };
        let cached = entry.get("_fromCache").is_some_and(|c| !c.is_null());
        let status = entry.pointer("/response/status").and_then(Value::as_u64);
        if cached || status == Some(0) {
            let why = if cached {
                "came from the browser's cache"
            } else {
                "never had an answer"
            };
            notes.push(format!("entry {}: {url}: it {why} and was left out", i + 1));
            continue;
        }
        if let Err(why) = Url::parse(url) {
            notes.push(format!("entry {}: {url}: {why}", i + 1));
            continue;
        }
        let started = text("/startedDateTime").and_then(milliseconds);
        let took = entry
            .pointer("/time")
            .and_then(Value::as_f64)
            .unwrap_or(0.0);
        if let (Some(end), Some(start)) = (last_end, started)
            && let Some(before) = requests.last_mut()
        {
            before.think_ms = Some((start - end).max(0.0) as u64);
        }
        last_end = started.map(|start| start + took);
        http2 |= text("/request/httpVersion").is_some_and(|v| {
            let v = v.to_ascii_lowercase();
            v.starts_with("h2") || v.starts_with("http/2")
        });
        let (headers, twice) = headers(entry);
        for name in twice {
            notes.push(format!(
                "entry {}: its second header {name} was left out",
                i + 1
            ));
        }
        let body = body(entry);
        if let Err(why) = &body {
            notes.push(format!("entry {}: {url}: {why}", i + 1));
        }
        requests.push(Request {
            method: text("/request/method").unwrap_or("GET").to_owned(),
            url: literal(url.split('#').next().unwrap_or_default()),
            headers,
            body: body.unwrap_or_default(),
            status: status
                .filter(|s| (200..600).contains(s))
                .map(|s| s.to_string())
                .into_iter()
                .collect(),
            ..Request::default()
        });
    }
    if requests.is_empty() {
        return Err(match entries.len() {
            0 => ImportError::Empty,
            requests => ImportError::NoneTaken { requests, notes },
        });
    }
    if requests
        .iter()
        .any(|r| r.headers.iter().any(|h| is_secret(&h.0)))
    {
        notes.push(
            "cookies and authorization headers were copied as recorded; they may have expired"
                .into(),
        );
    }
    notes.push("a browser loads in parallel; here a client sends its requests in sequence".into());
    if http2 {
        notes.push(
            "requests used HTTP/2; set `http2 = true` in the population to do the same".into(),
        );
    }
    notes.push(
        "the scenario runs for 60 s with one client; change `duration` and `clients` as needed"
            .into(),
    );
    let group = ImportedGroup {
        name: "browser".into(),
        requests,
        ..ImportedGroup::default()
    };
    let found = ImportedPlan {
        title: "imported from an HTTP archive".into(),
        duration_s: Some(60),
        groups: vec![group],
        ..ImportedPlan::default()
    };
    Ok(ImportedScenario {
        scenario: scenario(&found),
        notes,
    })
}

/// The headers as templates, and the names of duplicate headers.
fn headers(entry: &Value) -> (Vec<(String, String)>, Vec<String>) {
    let list = entry.pointer("/request/headers").and_then(Value::as_array);
    let pairs = list.into_iter().flatten().filter_map(|header| {
        let name = header.get("name")?.as_str()?;
        let value = header.get("value")?.as_str()?;
        (!belongs_to_driver(name)).then(|| (name.to_owned(), literal(value)))
    });
    let (mut headers, mut twice) = (Vec::<(String, String)>::new(), Vec::new());
    for (name, value) in pairs {
        if headers.iter().any(|h| h.0.eq_ignore_ascii_case(&name)) {
            twice.push(name)
        } else {
            headers.push((name, value))
        }
    }
    (headers, twice)
}

/// The body as a template: its text, or the fields of a form.
fn body(entry: &Value) -> Result<Option<String>, &'static str> {
    let Some(data) = entry.pointer("/request/postData") else {
        return Ok(None);
    };
    if data.get("encoding").and_then(Value::as_str) == Some("base64") {
        return Err("its body is binary and was left out (`body_file` sends one)");
    }
    let text = data.get("text").and_then(Value::as_str).unwrap_or_default();
    if !text.is_empty() {
        return Ok(Some(literal(text)));
    }
    let fields = data.get("params").and_then(Value::as_array);
    let mut pairs = Vec::new();
    for field in fields.into_iter().flatten() {
        let get = |key: &str| field.get(key).and_then(Value::as_str);
        if get("fileName").is_some() {
            return Err("it uploads a file; the whole form was left out");
        }
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let (name, value) = (get("name").unwrap_or_default(), get("value"));
        pairs.push(format!(
            "{}={}",
            encoded(name),
            encoded(value.unwrap_or_default())
        ));
    }
    Ok((!pairs.is_empty()).then(|| pairs.join("&")))
}

fn is_secret(name: &str) -> bool {
    name.eq_ignore_ascii_case("cookie") || name.eq_ignore_ascii_case("authorization")
}

/// The time of day in milliseconds of an ISO 8601 time, and the date: enough for
/// differences within one recording.
fn milliseconds(time: &str) -> Option<f64> {
    let (date, clock) = time.split_once('T')?;
    let day: f64 = date.rsplit('-').next()?.parse().ok()?;
    let mut parts = clock.splitn(3, ':');
    let hours: f64 = parts.next()?.parse().ok()?;
    let minutes: f64 = parts.next()?.parse().ok()?;
    let rest = parts.next()?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
    let seconds: f64 = rest[..end.unwrap_or(rest.len())].parse().ok()?;
    Some((((day * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds) * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn braces_of_a_recording_stay_text() {
        let text = r#"{"log":{"entries":[{"request":{"method":"POST","url":"http://127.0.0.1/a?t={{x}}&v=${y}",
             "headers":[],"postData":{"text":"{{{a}}} ${b} {{"}}}]}}"#;
        let imported = har(text).unwrap();
        let scenario = crate::scenario::read(&imported.scenario, Path::new(".")).unwrap();
        let request = &scenario.variants[0].plan.populations[0].steps[0].request;
        let sent = String::from_utf8(request.fixed().unwrap().to_vec()).unwrap();
        assert!(
            sent.starts_with("POST /a?t={{x}}&v=${y} HTTP/1.1"),
            "{sent}"
        );
        assert!(sent.ends_with("{{{a}}} ${b} {{"), "{sent}");
    }

    #[test]
    fn a_recording_becomes_a_scenario_that_reads() {
        let text = r#"{"log":{"entries":[
            {"startedDateTime":"2026-01-02T03:04:05.000Z","time":50,"request":{"method":"GET","url":"http://127.0.0.1/a#x",
             "headers":[{"name":"Host","value":"x"},{"name":"X-Q","value":"say \"hi\""}]},"response":{"status":200}},
            {"request":{"method":"GET","url":"ws://x"}},
            {"startedDateTime":"2026-01-02T03:04:06.050Z","time":1,"request":{"method":"POST","url":"http://127.0.0.1/b",
             "headers":[],"postData":{"text":"{\"a\":1}"}},"response":{"status":201}}]}}"#;
        let imported = har(text).unwrap();
        assert!(imported.notes.iter().any(|n| n.contains("ws://x")));
        assert!(
            imported.scenario.contains("think = \"1000ms\""),
            "{}",
            imported.scenario
        );
        let scenario = crate::scenario::read(&imported.scenario, Path::new(".")).unwrap();
        assert_eq!(scenario.variants[0].plan.populations[0].steps.len(), 2);
        assert!(har("{}").is_err() && har("").is_err());
    }
}
