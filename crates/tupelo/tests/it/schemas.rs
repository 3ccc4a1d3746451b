//! The published schemas of `--json`: the output matches them,
//! and has no member that they do not name.

use std::path::PathBuf;

use serde_json::Value;

use crate::node::{Node, good};
use crate::program::{tupelo, until};
use crate::server::{Server, example};
use crate::sockets;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(name: &str) -> Value {
    let path = folder().join(format!("docs/reference/schemas/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"))
}

/// Each value of an output against a schema.
pub fn fits(name: &str, printed: &str) {
    let schema = schema(name);
    let values: Vec<Value> = serde_json::Deserializer::from_str(printed)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap_or_else(|e| panic!("{name}: {e} in {printed}"));
    assert!(!values.is_empty(), "{name} printed nothing");
    let mut wrong = Vec::new();
    for value in &values {
        differences(&schema, &schema, value, "", &mut wrong);
    }
    assert!(wrong.is_empty(), "{name}: {}", wrong.join("; "));
}

/// The keywords that the schemas use: type, enum, required, properties,
/// additionalProperties, items and $ref into $defs.
fn differences(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#'));
        let target = target.unwrap_or_else(|| panic!("{name} is nowhere"));
        return differences(root, target, value, at, wrong);
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is not a type"),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    };
    let listed = schema["enum"]
        .as_array()
        .is_none_or(|all| all.contains(value));
    if !fits || !listed {
        wrong.push(format!("{at} is {value}, not {}", schema["type"]));
        return;
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        differences(root, &schema["items"], item, &format!("{at}/{i}"), wrong);
    }
    let Some(members) = value.as_object() else {
        return;
    };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !members.contains_key(name.as_str().unwrap_or_default()) {
            wrong.push(format!("{at} has no {name}"));
        }
    }
    for (name, member) in members {
        let at = format!("{at}/{name}");
        let known = [&schema["properties"][name], &schema["additionalProperties"]];
        match known.into_iter().find(|s| s.is_object()) {
            Some(schema) => differences(root, schema, member, &at, wrong),
            // A schema without properties describes no members.
            None if schema["properties"].is_null() => {}
            None => wrong.push(format!("{at} is not in the schema")),
        }
    }
}

/// The output of a command; some end with 1 because they have findings.
fn printed(args: &[&str]) -> String {
    let output = tupelo().args(args).current_dir(folder()).output().unwrap();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{args:?}: {output:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The output of a command about a running server.
fn of_region(server: &Server, command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    printed(&[&words[..], &["--json", "--admin", &server.admin]].concat())
}

#[test]
fn what_is_said_of_files_is_as_published() {
    let web = ["omproute.conf", "profile.tcpip", "region.sit", "web.csd"];
    let web = web.map(|file| format!("examples/advise/web/{file}"));
    let mut advise: Vec<&str> = vec!["advise", "--json"];
    advise.extend(web.iter().map(String::as_str));
    fits("advise", &printed(&advise));
    fits("advise-rules", &printed(&["advise", "--rules", "--json"]));
    fits("advise-kinds", &printed(&["advise", "--kinds", "--json"]));
    for copybook in [
        "examples/bank/copybooks/LISTRPL.cpy",
        "crates/copybook/benches/customer.cpy",
    ] {
        fits(
            "record-layout",
            &printed(&["record", "layout", "--json", copybook]),
        );
    }
    let [before, after] = ["before", "after"].map(|f| format!("examples/capture/{f}.pcapng"));
    fits(
        "capture-explain",
        &printed(&["capture", "explain", "--json", &before]),
    );
    fits(
        "capture-explain",
        &printed(&["capture", "explain", "--json", &after]),
    );
    let compare = ["capture", "explain", "--json", "--compare", &before, &after];
    fits("capture-compare", &printed(&compare));
}

#[test]
fn outputs_of_a_region_match_the_published_schemas() {
    let server = Server::start(&example("bank"));
    assert_eq!(server.get("/bank/accounts/10000001").status, 200);
    fits(
        "trace-print",
        &printed(&["trace", "print", "--json", "--admin", &server.admin]),
    );
    fits(
        "limits",
        &printed(&["limits", "--json", "--admin", &server.admin]),
    );
    fits(
        "locks",
        &printed(&["locks", "--json", "--admin", &server.admin]),
    );
    let url = format!("http://{}/bank/accounts/10000001", server.gateway);
    let drive = [
        "drive", &url, "-c", "2", "-t", "500ms", "--warmup", "0", "--json",
    ];
    let mut load = tupelo()
        .args(["drive", &url, "-c", "8", "-t", "60s", "--quiet"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // A running task is in the output of some rounds only.
    until("a task in the list", || {
        let tasks = printed(&["task", "list", "--json", "--admin", &server.admin]);
        fits("task-list", &tasks);
        tasks.contains("transid")
    });
    fits("top", &of_region(&server, "top --once"));
    load.kill().unwrap();
    load.wait().unwrap();
    for (name, command) in [
        ("top-cpu", "top --actual"),
        ("top-cpu", "top --reset"),
        ("top-cpu", "top --delta"),
        ("console", "console"),
        ("task-done", "task start BLST"),
        ("trace-count", "trace count"),
        ("trace-file", "trace start"),
        ("trace-file", "trace stop"),
        ("connection-list", "connection list"),
        ("api-list", "api list"),
        ("api-done", "api stop accounts"),
        ("api-done", "api redeploy accounts"),
        ("api-done", "api start accounts"),
    ] {
        fits(name, &of_region(&server, command));
    }
    fits("drive", &printed(&drive));
    let compare = ["drive", "compare", &url, &url, "--rounds", "3"];
    let short = ["-t", "200ms", "-c", "1", "--warmup", "0", "--json"];
    fits("drive-compare", &printed(&[&compare[..], &short].concat()));
    let knee = [
        "drive",
        "knee",
        &url,
        "--from",
        "50",
        "--to",
        "100",
        "--steps",
        "2",
        "-t",
        "300ms",
        "--warmup",
        "0",
        "--repeats",
        "1",
        "--precision",
        "50",
        "--json",
    ];
    fits("drive", &printed(&knee));
    let state = server.state.path().display().to_string();
    let app = ["--app", "examples/bank", "--state", &state, "--json"];
    fits(
        "file-stat",
        &printed(&[&["file", "stat"], &app[..]].concat()),
    );
    let state = server.kill();
    let state = state.path().display().to_string();
    let app = ["--app", "examples/bank", "--state", &state, "--json"];
    fits(
        "file-check",
        &printed(&[&["file", "check"], &app[..]].concat()),
    );
    let saved = tempfile::tempdir().unwrap();
    let saved = saved.path().join("saved").display().to_string();
    let salvage = [&["file", "salvage", &saved], &app[..]].concat();
    fits("file-salvage", &printed(&salvage));
    let run = [
        "examples/bank",
        "--channel",
        "LIST",
        "--json",
        "--state",
        &state,
    ];
    fits("run", &printed(&[&["run", "BLST"], &run[..]].concat()));
}

#[test]
fn what_partners_say_is_as_published() {
    let node = Node::start();
    fits("aping", &good(&node.aping(&["--json"])));
    for (name, what) in [
        ("appc-status", "status"),
        ("appc-sessions", "sessions"),
        ("appc-modes", "modes"),
    ] {
        let command = ["appc", what, "--json", "--admin", &node.admin];
        fits(name, &printed(&command));
    }
}

#[test]
fn what_sockets_and_operators_see_is_as_published() {
    let (server, _folder) = sockets::serve();
    for (name, command) in [
        ("sockets-list", "sockets list"),
        ("sockets-tracing", "sockets trace --on"),
    ] {
        fits(name, &of_region(&server, command));
    }
    let mut stream = sockets::connect(&server, "CSKE");
    sockets::talk(&mut stream, "ECHO,hello\r\n", "ECHO,hello\r\n");
    for (name, command) in [
        ("sockets-trace", "sockets trace"),
        ("sockets-control", "sockets stop CSKL"),
        ("sockets-control", "sockets start CSKL"),
    ] {
        fits(name, &of_region(&server, command));
    }
}

#[test]
fn a_self_test_of_the_load_driver_prints_what_its_schema_names() {
    fits(
        "drive-self-test",
        &printed(&["drive", "--self-test", "3", "--json"]),
    );
}

/// Every command with `--json` has a schema whose description names it.
#[test]
fn every_command_that_prints_json_has_a_schema() {
    let described: Vec<String> = std::fs::read_dir(folder().join("docs/reference/schemas"))
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().path().file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "README")
        .map(|name| schema(&name)["description"].as_str().unwrap().to_owned())
        .collect();
    let reference = folder().join("docs/reference/command-line.md");
    let reference = std::fs::read_to_string(reference).unwrap();
    let mut command = "";
    let mut seen = 0;
    for line in reference.lines() {
        if let Some(name) = line.trim_start_matches('#').strip_prefix(" tupelo ") {
            command = name;
        } else if line.starts_with("| `--json` |") {
            seen += 1;
            let named = format!("`tupelo {command} --");
            let has = described.iter().any(|text| text.contains(&named));
            assert!(has, "no schema is described with {named}json`");
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_difference_is_found() {
    let schema = schema("task-list");
    let differs = |value: Value| {
        let mut wrong = Vec::new();
        differences(&schema, &schema, &value, "", &mut wrong);
        wrong.len()
    };
    assert_eq!(differs(serde_json::json!([])), 0);
    assert_eq!(differs(serde_json::json!({})), 1);
    let mut task: serde_json::Map<String, Value> = schema["items"]["properties"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, shape)| {
            let value = match shape["type"].as_str().unwrap() {
                "string" => Value::from(""),
                _ => Value::from(0),
            };
            (name.clone(), value)
        })
        .collect();
    assert_eq!(differs(serde_json::json!([task])), 0);
    task.insert("new".into(), Value::Null);
    assert_eq!(differs(serde_json::json!([task])), 1);
    task.remove("new");
    task.remove("task");
    assert_eq!(differs(serde_json::json!([task])), 1);
}
