//! The administration port's own OpenAPI document, made from one table.

use serde_json::{Map, Value, json};

/// Path, method, summary, and parameters of the query.
type Row = (&'static str, &'static str, &'static str, &'static [Query]);
/// Name, JSON Schema type, and description; all are optional.
type Query = (&'static str, &'static str, &'static str);

const OPERATION: Query = (
    "operation",
    "string",
    "One operation alone: its operationId, or METHOD /path.",
);
const FILTERS: [Query; 4] = [
    ("task", "integer", "Entries of this task."),
    ("transaction", "transid", "Entries of this transaction."),
    ("domain", "string", "Entries of this domain."),
    ("last", "integer", "Most entries; the newest are returned."),
];

/// Everything that is asked with GET or POST.
const ROWS: &[Row] = &[
    (
        "/health",
        "get",
        "Health of the server, and which APIs it does not serve; the same as /health/ready.",
        &[],
    ),
    ("/health/live", "get", "Whether the process answers.", &[]),
    (
        "/health/ready",
        "get",
        "Whether it runs programs well: 503 while it does not, and while it stops.",
        &[],
    ),
    (
        "/metrics",
        "get",
        "Metrics in the Prometheus text format.",
        &[],
    ),
    (
        "/whoami",
        "get",
        "The caller, and whether they may change something.",
        &[],
    ),
    (
        "/operator/session",
        "post",
        "A token for a browser, in exchange for the key of a printed link, which the header has.",
        &[],
    ),
    (
        "/operator/key",
        "post",
        "A key for a link, good for one browser.",
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
        "Read the project of an API again and serve it; 422 with the problems, and the old one \
         stays in use.",
        &[],
    ),
    (
        "/tasks",
        "get",
        "The tasks of the region by number: all of them, or a page.",
        &[
            ("after", "integer", "Only tasks with higher numbers."),
            ("limit", "integer", "Most tasks."),
        ],
    ),
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
        "/transactions/{name}/purge",
        "post",
        "Purge the tasks of a transaction, and what of it waits to begin.",
        &[],
    ),
    (
        "/transactions/{name}/forcepurge",
        "post",
        "The same by force.",
        &[],
    ),
    (
        "/limits",
        "get",
        "What is used of each limit, and the task that has most.",
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
        "/uow",
        "get",
        "Units of work that another region or a data base decides, or has not acknowledged.",
        &[],
    ),
    (
        "/uow/{unit}/commit",
        "post",
        "Commit one that is in doubt instead of its coordinator.",
        &[],
    ),
    (
        "/uow/{unit}/backout",
        "post",
        "Back out one that is in doubt instead of its coordinator.",
        &[],
    ),
    (
        "/messages",
        "get",
        "Messages of WRITE OPERATOR that wait for a reply.",
        &[],
    ),
    (
        "/messages/{number}/reply",
        "post",
        "Reply to a message; the query is the text of the reply, percent-encoded.",
        &[],
    ),
    (
        "/connections",
        "get",
        "Connections to other regions and to mainframes, and partners.",
        &[],
    ),
    (
        "/terminals/open",
        "post",
        "Open a 3270 terminal for a page; gives the name of its session.",
        &[("model", "integer", "2 to 5.")],
    ),
    (
        "/terminals/{session}/screen",
        "get",
        "The picture of a terminal's screen, once it is another than the last one.",
        &[("after", "integer", "The number of the last picture.")],
    ),
    (
        "/terminals/{session}/keys",
        "post",
        "Press keys; the query is a JSON array of them, percent-encoded.",
        &[],
    ),
    (
        "/terminals/{session}/close",
        "post",
        "Close a terminal.",
        &[],
    ),
    (
        "/logs",
        "get",
        "The newest lines of the log.",
        &[("last", "integer", "Most lines.")],
    ),
    (
        "/trace",
        "get",
        "The newest entries of the trace.",
        &FILTERS,
    ),
    ("/trace/counts", "get", "Commands by transaction.", &[]),
    (
        "/trace/counts",
        "post",
        "The same, and reset the counters.",
        &[],
    ),
    (
        "/trace/file",
        "get",
        "The progress of writing the trace.",
        &[],
    ),
    (
        "/trace/start",
        "post",
        "Write the trace to a file.",
        &[
            ("name", "string", "Name of the file."),
            ("mib", "integer", "Its greatest size in MiB."),
        ],
    ),
    ("/trace/stop", "post", "No longer.", &[]),
    (
        "/partners",
        "get",
        "Links and sessions with APPC partners.",
        &[],
    ),
    (
        "/sockets/list",
        "get",
        "The listeners of sockets, and the work of their transactions.",
        &[],
    ),
    ("/sockets/trace", "get", "The last socket calls.", &[]),
    (
        "/sockets/trace/{switch}",
        "post",
        "Switch the trace of socket calls on or off.",
        &[],
    ),
    (
        "/sockets/start/{listener}",
        "post",
        "Start a listener.",
        &[],
    ),
    ("/sockets/stop/{listener}", "post", "Stop a listener.", &[]),
];

/// Names of transactions in a path, as a pattern.
const TRANSID: &str = "^[A-Za-z0-9@#$]{1,4}$";
/// Most MiB of a file with the trace.
const MAX_TRACE_MIB: u64 = 65_536;

/// Requests that need a region; a gateway without one returns 404.
const OF_REGION: [&str; 13] = [
    "limits",
    "operator",
    "tasks",
    "transactions",
    "top",
    "locks",
    "uow",
    "messages",
    "partners",
    "trace",
    "sockets",
    "terminals",
    "apis",
];

/// The methods of a path, in lower case; empty for an unknown path.
pub fn methods(path: &str) -> Vec<&'static str> {
    let asked: Vec<&str> = path.trim_matches('/').split('/').collect();
    let fits = |row: &str| {
        let known: Vec<&str> = row.trim_matches('/').split('/').collect();
        let same = |(known, asked): (&&str, &&str)| known.starts_with('{') || known == asked;
        known.len() == asked.len() && known.iter().zip(&asked).all(same)
    };
    let rows = ROWS.iter().filter(|(row, ..)| fits(row));
    rows.map(|(_, method, ..)| *method).collect()
}

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
            "description": "What the administration port answers. Reading needs the role read, \
                changing something the role operations; admin may do both. Requests that \
                change something need the header x-tupelo-operator, which a page of another \
                origin cannot send. Without users its value is the token of the state \
                folder.",
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
        Some(json!({ "name": name, "in": "path", "required": true, "schema": in_path_schema(path, name) }))
    });
    let in_query = query.iter().map(|(name, kind, about)| {
        let schema = match *kind {
            "integer" if *name == "mib" => {
                json!({ "type": kind, "minimum": 1, "maximum": MAX_TRACE_MIB })
            }
            "integer" if *name == "model" => json!({ "type": kind, "minimum": 2, "maximum": 5 }),
            "integer" => json!({ "type": kind, "minimum": 0, "maximum": u64::MAX }),
            "transid" => json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]{1,4}$" }),
            _ if *name == "name" => json!({ "type": kind, "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
            _ => json!({ "type": kind }),
        };
        json!({ "name": name, "in": "query", "description": about, "schema": schema })
    });
    let mut parameters: Vec<Value> = in_path.chain(in_query).collect();
    let (health, change) = (path.starts_with("/health"), method == "post");
    let mut responses = json!({ "200": { "description": "Done, or the requested data." } });
    let mut also = |status: &str, why: &str| responses[status] = json!({ "description": why });
    if change {
        parameters.push(json!({
            "name": super::OPERATOR, "in": "header", "required": true,
            "schema": { "type": "string" },
        }));
        also("409", "Not possible in the present state.");
    }
    if !query.is_empty() || change && path.contains('{') {
        also("400", "A parameter has an invalid value.");
    }
    let part = path.split('/').nth(1).unwrap_or_default();
    if OF_REGION.contains(&part) && path != "/apis" {
        also(
            "404",
            "The name does not exist, or this process has no region.",
        );
    }
    if path == "/terminals/open" {
        also("503", "There are too many sessions.");
    }
    if path.ends_with("/redeploy") {
        also("422", "The project has errors; the old one stays in use.");
    }
    if health {
        also("503", "Unhealthy, or stopping.")
    } else {
        also("401", "The caller must authenticate.");
        also(
            "421",
            "The port does not authenticate callers, and Host is a name that others could map to it.",
        );
        also(
            "403",
            "The caller lacks the role, or x-tupelo-operator is missing or has no valid token.",
        );
    }
    let mut made = json!({ "summary": summary, "parameters": parameters, "responses": responses });
    if !health {
        made["security"] = json!([{ "basic": [] }, { "bearer": [] }, { "key": [] }, {}]);
    }
    made
}

/// The schema of a part of a path.
fn in_path_schema(path: &str, name: &str) -> Value {
    match name {
        "number" => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        "switch" => json!({ "type": "string", "enum": ["on", "off"] }),
        "name" if path.starts_with("/transactions") => {
            json!({ "type": "string", "pattern": TRANSID })
        }
        _ => json!({ "type": "string", "minLength": 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_methods_of_its_rows() {
        assert_eq!(methods("/tasks"), ["get"]);
        assert_eq!(methods("/tasks/7/purge/"), ["post"]);
        assert_eq!(methods("/apis/bank"), ["get"]);
        assert_eq!(methods("/sockets/trace"), ["get"]);
        assert_eq!(methods("/trace/counts"), ["get", "post"]);
        assert!(methods("/tasks/7").is_empty());
        assert!(methods("/").is_empty());
    }
}
