//! Spans in the JSON encoding of OTLP.
//!
//! A request is a server span; its task a span below it, from its admission to
//! its end, and the task's EXEC CICS commands spans below that. A program in a
//! region elsewhere is a client span, since only its call is seen here.
//!
//! Reference: OTLP specification 1.5, "JSON Protobuf Encoding";
//! opentelemetry/proto/trace/v1/trace.proto; semantic conventions for HTTP.

use super::context::{random, shown};
use super::{CalledProgram, FinishedRequest, Span};
use region::TraceRecord;
use serde_json::{Value, json};
use std::collections::HashMap;

/// `Span.SpanKind` of the protocol.
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;
/// `Status.StatusCode` of the protocol.
const ERROR: u8 = 2;

/// An export request with the spans of these requests; `commands` are those of
/// their tasks. Returns how many spans it has.
pub(super) fn export(
    service: &str,
    applid: &str,
    requests: &[impl AsRef<FinishedRequest>],
    commands: Vec<TraceRecord>,
) -> (Value, u64) {
    let mut by_task: HashMap<u64, Vec<TraceRecord>> = HashMap::new();
    for command in commands {
        by_task.entry(command.task).or_default().push(command);
    }
    let mut spans = Vec::new();
    for observed in requests {
        add(observed.as_ref(), &mut by_task, &mut spans);
    }
    let count = spans.len() as u64;
    let resource = attributes(vec![
        ("service.name", service.into()),
        (
            "service.instance.id",
            format!("{applid}-{}", std::process::id()).into(),
        ),
        ("service.version", env!("CARGO_PKG_VERSION").into()),
    ]);
    let scope = json!({ "name": "tupelo.gateway", "version": env!("CARGO_PKG_VERSION") });
    let request = json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{ "scope": scope, "spans": spans }],
    }] });
    (request, count)
}

/// A value of an attribute.
enum Attribute {
    Text(String),
    Number(i64),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Attribute {
        Attribute::Text(text.to_owned())
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Attribute {
        Attribute::Text(text)
    }
}

impl From<u64> for Attribute {
    fn from(number: u64) -> Attribute {
        Attribute::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

fn attributes(all: Vec<(&str, Attribute)>) -> Vec<Value> {
    let one = |(key, value): (&str, Attribute)| match value {
        Attribute::Text(text) => json!({ "key": key, "value": { "stringValue": text } }),
        // The encoding has 64-bit numbers as text.
        Attribute::Number(n) => json!({ "key": key, "value": { "intValue": n.to_string() } }),
    };
    all.into_iter().map(one).collect()
}

/// A span's own fields.
struct SpanFields<'s> {
    trace_id: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    name: String,
    kind: u8,
    times: (u64, u64),
    attributes: Vec<(&'s str, Attribute)>,
    error: Option<String>,
}

fn put(made: SpanFields<'_>, out: &mut Vec<Value>) {
    let (start, end) = made.times;
    let mut span = json!({
        "traceId": shown(&made.trace_id),
        "spanId": shown(&made.id),
        "name": made.name,
        "kind": made.kind,
        "startTimeUnixNano": start.to_string(),
        "endTimeUnixNano": end.max(start).to_string(),
        "attributes": attributes(made.attributes),
    });
    if let Some(parent) = made.parent {
        span["parentSpanId"] = shown(&parent).into();
    }
    if let Some(error) = made.error {
        span["status"] = json!({ "code": ERROR, "message": error });
    }
    out.push(span);
}

fn add(
    seen: &FinishedRequest,
    commands: &mut HashMap<u64, Vec<TraceRecord>>,
    out: &mut Vec<Value>,
) {
    let Some(Span {
        trace_id,
        parent,
        id,
    }) = seen.span
    else {
        return;
    };
    let route = seen.route();
    let mut about: Vec<(&str, Attribute)> = vec![
        ("http.request.method", seen.method.as_str().into()),
        (
            "url.scheme",
            if seen.secure { "https" } else { "http" }.into(),
        ),
        ("url.path", seen.uri.path().into()),
        ("client.address", seen.client.to_string().into()),
        ("http.response.status_code", u64::from(seen.status).into()),
        ("http.request.body.size", (seen.request_bytes as u64).into()),
        (
            "http.response.body.size",
            (seen.response_bytes as u64).into(),
        ),
    ];
    if let Some(route) = &route {
        about.push(("http.route", route.clone().into()));
    }
    if let Some((api, _)) = &seen.api {
        about.push(("tupelo.api", api.name.clone().into()));
    }
    if let Some(user) = &seen.user {
        about.push(("user.name", user.name.clone().into()));
    }
    let failed = seen.status >= 500;
    if failed {
        about.push(("error.type", seen.status.to_string().into()));
    }
    let name = match route {
        Some(route) => format!("{} {route}", seen.method),
        None => seen.method.to_string(),
    };
    put(
        SpanFields {
            trace_id,
            id,
            parent,
            name,
            kind: SERVER,
            times: (seen.started_ns, seen.ended_ns),
            attributes: about,
            error: failed.then(String::new),
        },
        out,
    );
    if let Some(called) = &seen.called {
        add_called((trace_id, id), called, commands, out);
    }
}

fn add_called(
    (trace_id, parent): ([u8; 16], [u8; 8]),
    called: &CalledProgram,
    commands: &mut HashMap<u64, Vec<TraceRecord>>,
    out: &mut Vec<Value>,
) {
    let id = random().to_be_bytes();
    let mut about: Vec<(&str, Attribute)> = vec![
        ("cics.transaction", called.transid.as_str().into()),
        ("cics.program", called.program.as_str().into()),
    ];
    if let Some(connection) = &called.connection {
        about.push(("cics.connection", (**connection).into()));
    }
    let mut of_task = Vec::new();
    let (kind, times) = match called.costs {
        Some(costs) => {
            of_task = commands.remove(&costs.task).unwrap_or_default();
            about.push(("cics.task", costs.task.into()));
            about.push(("tupelo.cpu_ns", costs.cpu_ns.into()));
            about.push(("tupelo.admission_wait_ns", costs.admission_wait_ns.into()));
            about.push(("tupelo.dispatch_wait_ns", costs.dispatch_wait_ns.into()));
            about.push(("tupelo.commands", u64::from(costs.commands).into()));
            let end = costs.start_unix_ns.saturating_add(costs.response_ns);
            (INTERNAL, (costs.start_unix_ns, end))
        }
        None => (CLIENT, (called.sent_ns, called.received_ns)),
    };
    put(
        SpanFields {
            trace_id,
            id,
            parent: Some(parent),
            name: format!("{} {}", called.transid, called.program),
            kind,
            times,
            attributes: about,
            error: called.abend.as_deref().map(|code| format!("abend {code}")),
        },
        out,
    );
    add_commands((trace_id, id), of_task, out);
}

/// Commands that ran within others, such as those of a program that LINK
/// called, are below them.
fn add_commands(
    (trace_id, task): ([u8; 16], [u8; 8]),
    mut commands: Vec<TraceRecord>,
    out: &mut Vec<Value>,
) {
    // The outer of two that begin together is the longer one.
    commands.sort_by_key(|c| (c.start_unix_ns(), std::cmp::Reverse(c.unix_ns)));
    let mut around: Vec<(u64, [u8; 8])> = Vec::new();
    for command in commands {
        while around.last().is_some_and(|(end, _)| *end < command.unix_ns) {
            around.pop();
        }
        let id = random().to_be_bytes();
        let parent = around.last().map_or(task, |(_, id)| *id);
        around.push((command.unix_ns, id));
        let times = (command.start_unix_ns(), command.unix_ns);
        let mut about: Vec<(&str, Attribute)> = vec![("cics.domain", command.domain.into())];
        if let Some(resp) = command.resp {
            about.push(("cics.resp", resp.into()));
        }
        put(
            SpanFields {
                trace_id,
                id,
                parent: Some(parent),
                name: format!("EXEC CICS {}", command.command),
                kind: INTERNAL,
                times,
                attributes: about,
                error: command.abend.map(|code| format!("abend {code}")),
            },
            out,
        );
    }
}

impl FinishedRequest {
    /// The template of its path.
    pub fn route(&self) -> Option<String> {
        match &self.api {
            Some((api, operation)) => {
                let operation = api.operations.get(*operation)?;
                Some(format!("{}{}", api.base_path, operation.path))
            }
            None => self.service.as_deref().map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, start: u64, end: u64) -> TraceRecord {
        TraceRecord {
            unix_ns: end,
            task: 7,
            transid: region::TransId::BLANK,
            worker: None,
            domain: "files",
            event: "exit",
            command: name.to_owned(),
            resp: Some("NORMAL".into()),
            resp2: None,
            abend: None,
            elapsed_ns: Some(end - start),
        }
    }

    #[test]
    fn commands_of_a_program_are_below_the_link_that_called_it() {
        let commands = vec![
            command("READ", 20, 30),
            command("LINK", 10, 50),
            command("RETURN", 60, 61),
            command("REWRITE", 35, 40),
        ];
        let mut spans = Vec::new();
        add_commands(([1; 16], [2; 8]), commands, &mut spans);
        let named = |name: &str| {
            let name = format!("EXEC CICS {name}");
            spans.iter().find(|span| span["name"] == name).unwrap()
        };
        let task = shown(&[2; 8]);
        assert_eq!(named("LINK")["parentSpanId"], task);
        assert_eq!(named("RETURN")["parentSpanId"], task);
        for inner in ["READ", "REWRITE"] {
            assert_eq!(named(inner)["parentSpanId"], named("LINK")["spanId"]);
        }
        assert_eq!(named("READ")["startTimeUnixNano"], "20");
        assert_eq!(named("READ")["traceId"], "01".repeat(16));
    }
}
