//! The trace of a running region, as an operator prints it.

use crate::http;
use crate::program::tupelo;
use crate::server::{Server, example};

fn print(server: &Server, options: &[&str]) -> String {
    let mut command = tupelo();
    command.args(["trace", "print", "--admin", &server.admin]);
    let output = command.args(options).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_request_is_found_in_the_trace_with_its_commands_and_their_outcome() {
    let server = Server::start(&example("bank"));
    assert_eq!(server.get("/bank/accounts/99999999").status, 404);
    let text = print(&server, &["--json"]);
    let records: serde_json::Value = serde_json::from_str(&text).unwrap();
    let records = records.as_array().unwrap();
    let is = |r: &serde_json::Value, event: &str, domain: &str| {
        r["event"] == event && r["domain"] == domain
    };
    let read = records
        .iter()
        .find(|r| is(r, "exit", "files"))
        .expect("the program reads a file");
    assert_eq!(read["command"], "READ");
    assert_eq!(read["resp"], "NOTFND");
    assert!(read["elapsed_ns"].as_u64().is_some());
    let task = read["task"].as_u64().unwrap();
    let own = print(&server, &["--json", "--task", &task.to_string()]);
    let own: serde_json::Value = serde_json::from_str(&own).unwrap();
    let own = own.as_array().unwrap();
    assert!(own.iter().all(|r| r["task"] == task));
    assert!(is(own.first().unwrap(), "begin", "kernel"));
    let times: Vec<_> = own.iter().map(|r| r["unix_ns"].as_u64()).collect();
    assert!(times.is_sorted());
}

#[test]
fn filters_leave_only_what_they_name() {
    let server = Server::start(&example("bank"));
    assert_eq!(server.get("/bank/accounts/10000001").status, 200);
    let files = print(&server, &["--domain", "files"]);
    assert!(
        files.contains("READ") && !files.contains("kernel"),
        "{files}"
    );
    let none = print(&server, &["--transaction", "NONE"]);
    assert_eq!(
        none.lines().count(),
        print(&server, &["--last", "0"]).lines().count()
    );
    let wrong = http::send(&server.admin, "GET", "/trace?colour=red", None);
    assert_eq!(wrong.status, 400);
}
