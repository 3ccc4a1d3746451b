//! The administration port's own OpenAPI document, made from one table.

use serde_json::{Map, Value, json};

/// Path, method, what it does, and its parameters of the query.
type Row = (&'static str, &'static str, &'static str, &'static [Query]);
/// Name, whether it is needed, and what it is.
type Query = (&'static str, bool, &'static str);

const OPERATION: Query = (
    "operation",
    false,
    "One operation alone: its operationId, or METHOD /path.",
);
const FILTERS: [Query; 4] = [
    ("task", false, "Entries of this task."),
    ("transaction", false, "Entries of this transaction."),
    ("domain", false, "Entries of this domain."),
    ("last", false, "At most so many, the newest."),
];

/// Everything that is asked with GET or POST.
const ROWS: &[Row] = &[
    (
        "/health",
        "get",
        "How the server is, and which APIs it does not serve; the same as /health/ready.",
        &[],
    ),
    (
        "/health/live",
        "get",
        "Whether the process answers at all.",
        &[],
    ),
    (
        "/health/ready",
        "get",
        "Whether it runs programs well: 503 while it does not, and while it stops.",
        &[],
    ),
    (
        "/metrics",
        "get",
        "Figures in the Prometheus text format.",
        &[],
    ),
    (
        "/whoami",
        "get",
        "Who asks, and whether they may change something.",
        &[],
    ),
    ("/openapi.json", "get", "This document.", &[]),
    (
        "/apis",
        "get",
        "The APIs with their states and operations.",
        &[],
    ),
    ("/apis/{name}", "get", "One API.", &[]),
    (
        "/apis/{name}/openapi.json",
        "get",
        "The document of an API.",
        &[],
    ),
    (
        "/apis/{name}/stop",
        "post",
        "Stop an API or one operation: callers get 503.",
        &[OPERATION],
    ),
    (
        "/apis/{name}/start",
        "post",
        "Start it again.",
        &[OPERATION],
    ),
    (
        "/apis/{name}/redeploy",
        "post",
        "Read the project of an API again and put it in force; 422 with what is wrong, and the old one stays.",
        &[],
    ),
    ("/tasks", "get", "The tasks of the region.", &[]),
    ("/tasks/{number}/purge", "post", "Purge a task.", &[]),
    (
        "/tasks/{number}/forcepurge",
        "post",
        "Purge a task by force.",
        &[],
    ),
    (
        "/transactions/{name}/start",
        "post",
        "Start a transaction, as EXEC CICS START does.",
        &[],
    ),
    (
        "/top",
        "get",
        "Tasks, classes, files, queues, counters and CPU time.",
        &[],
    ),
    ("/top/actual", "get", "CPU time by kind of engine.", &[]),
    ("/top/delta", "get", "The same since the baseline.", &[]),
    ("/top/reset", "post", "Make the counters the baseline.", &[]),
    ("/locks", "get", "Locks, their owners and waiters.", &[]),
    (
        "/messages",
        "get",
        "Messages of WRITE OPERATOR that wait for a reply.",
        &[],
    ),
    (
        "/messages/{number}/reply",
        "post",
        "Reply to one; the query is the text, percent-encoded.",
        &[],
    ),
    (
        "/connections",
        "get",
        "Connections to other regions and to mainframes, and partners.",
        &[],
    ),
    (
        "/logs",
        "get",
        "The newest lines of the log.",
        &[("last", false, "At most so many.")],
    ),
    (
        "/trace",
        "get",
        "The newest entries of the trace.",
        &FILTERS,
    ),
    ("/trace/counts", "get", "Commands by transaction.", &[]),
    (
        "/trace/start",
        "post",
        "Write the trace to a file.",
        &[
            ("name", false, "Name of the file."),
            ("mib", false, "Most MiB of it."),
        ],
    ),
    ("/trace/stop", "post", "No longer.", &[]),
];

/// The document.
pub fn administration() -> Value {
    let mut paths = Map::new();
    for (path, method, summary, query) in ROWS {
        let entry = paths.entry(*path).or_insert_with(|| json!({}));
        entry[*method] = operation(path, method, summary, query);
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Administration",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What the administration port answers. Looking takes the role read, \
                changing something the role operations; admin may do both. Requests that change \
                something carry the header x-tupelo-operator, which a page of another origin \
                cannot send.",
        },
        "paths": paths,
        "components": { "securitySchemes": {
            "basic": { "type": "http", "scheme": "basic" },
            "bearer": { "type": "http", "scheme": "bearer" },
            "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
        } },
    })
}

fn operation(path: &str, method: &str, summary: &str, query: &[Query]) -> Value {
    let in_path = path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        Some(
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }),
        )
    });
    let in_query = query.iter().map(|(name, required, about)| {
        json!({
            "name": name, "in": "query", "required": required, "description": about,
            "schema": { "type": "string" },
        })
    });
    let mut parameters: Vec<Value> = in_path.chain(in_query).collect();
    let health = path.starts_with("/health");
    let mut responses = json!({ "200": { "description": "Done, or what was asked for." } });
    if method == "post" {
        parameters.push(json!({
            "name": "x-tupelo-operator", "in": "header", "required": true,
            "schema": { "type": "string" },
        }));
    }
    if !in_path_is_empty(path) {
        responses["404"] = json!({ "description": "There is none of that name." });
    }
    if health {
        responses["503"] = json!({ "description": "Not well, or stopping." });
    } else {
        responses["401"] = json!({ "description": "The caller must say who they are." });
        responses["403"] = json!({ "description": "The caller has no role that may." });
    }
    if method == "post" {
        responses["409"] = json!({ "description": "It cannot be done as things are." });
    }
    let mut made = json!({ "summary": summary, "parameters": parameters, "responses": responses });
    if !health {
        made["security"] = json!([{ "basic": [] }, { "bearer": [] }, { "key": [] }, {}]);
    }
    made
}

fn in_path_is_empty(path: &str) -> bool {
    !path.contains('{')
}
