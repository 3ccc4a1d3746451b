//! The trace of a running region, as an operator prints it.

use crate::http;
use crate::program::tupelo;
use crate::server::{Server, application, example};

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
fn filters_show_only_matching_entries() {
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

#[test]
fn entries_of_a_program_are_shown_among_those_of_its_commands() {
    let program = include_str!("../../testdata/programs/trace/HELLO.cbl");
    let app = application(&[("cobol/HELLO.cbl", program)]);
    let server = Server::start(app.path());
    server.get("/hello/you");
    let own = print(&server, &["--json", "--domain", "user"]);
    let own: serde_json::Value = serde_json::from_str(&own).unwrap();
    let points = own.as_array().unwrap().iter();
    let points: Vec<_> = points
        .map(|r| (r["event"].as_str().unwrap(), r["command"].as_str().unwrap()))
        .collect();
    assert_eq!(points, [("tracenum", "17 BEFORE T"), ("tracenum", "199")]);
    let all = print(&server, &["--task", &own[0]["task"].to_string()]);
    // A number may be in a time as well.
    let is_in = |line: &str, what: &str| {
        line.contains("tracenum") == (what != "ASKTIME") && line.contains(what)
    };
    let at = |what: &str| {
        let at = all.lines().position(|line| is_in(line, what));
        at.unwrap_or_else(|| panic!("{what} in {all}"))
    };
    assert!(at("BEFORE T") < at("ASKTIME") && at("ASKTIME") < at("199"));
}

/// What the region's workers have counted, by transaction and command.
fn counted(server: &Server, options: &[&str]) -> Vec<(String, String, u64)> {
    let mut command = tupelo();
    command.args(["trace", "count", "--json", "--admin", &server.admin]);
    let output = command.args(options).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let counts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |v: &serde_json::Value| v.as_str().unwrap().trim_end().to_owned();
    let all = counts.as_array().unwrap().iter().map(|c| {
        let number = c["count"].as_u64().unwrap();
        (text(&c["transid"]), text(&c["command"]), number)
    });
    all.collect()
}

#[test]
fn commands_are_counted_exactly_also_those_of_workers_that_are_gone() {
    let server = Server::start(&example("bank"));
    // More than the ring of a worker has entries for.
    const REQUESTS: u64 = 1500;
    let ask = |n: u64| {
        for _ in 0..n {
            assert_eq!(server.get("/bank/accounts/10000001").status, 200);
        }
    };
    ask(REQUESTS);
    let of = |counts: &[(String, String, u64)], command: &str| {
        let of_inquiry = |c: &&(String, String, u64)| c.0 == "BINQ" && c.1 == command;
        counts.iter().find(of_inquiry).map_or(0, |c| c.2)
    };
    let counts = counted(&server, &[]);
    assert_eq!(of(&counts, "READ"), REQUESTS);
    assert_eq!(of(&counts, "RETURN"), REQUESTS);
    for pid in server.workers() {
        // SAFETY: a plain call on a worker of this test's server.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    let all = || of(&counted(&server, &[]), "READ");
    crate::program::until("the dead workers' are there", || all() == REQUESTS);
    ask(10);
    assert_eq!(all(), REQUESTS + 10);
    assert_eq!(of(&counted(&server, &["--reset"]), "READ"), REQUESTS + 10);
    ask(3);
    let counts = counted(&server, &["--domain", "files"]);
    assert_eq!(of(&counts, "READ"), 3);
    assert!(counts.iter().all(|c| c.1 == "READ"), "{counts:?}");
}
