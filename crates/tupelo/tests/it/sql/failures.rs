//! What programs receive when sessions, workers or the SQL server fail; no unit is
//! half done afterwards.
//!
//! A task waits in its unit where its steps have `P`, until the operator replies.

use std::path::Path;

use serde_json::Value;

use super::{is_installed, served, steps};
use crate::operator::ask;
use crate::program::{text, tupelo, until};
use crate::server::Server;

/// Messages that wait for a reply: their numbers and tasks.
fn messages(server: &Server) -> Vec<(String, u64)> {
    let all = ask(server, &["task", "messages"]);
    let all = all.as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    all.iter()
        .map(|m| (number(&m["message"]).to_string(), number(&m["task"])))
        .collect()
}

/// Waits until a task asks the operator; its message and the task.
pub(super) fn asked(server: &Server) -> (String, u64) {
    until("the message", || !messages(server).is_empty());
    messages(server).remove(0)
}

fn reply(server: &Server, message: &str) {
    ask(server, &["task", "reply", message, "YES"]);
}

/// The first value that the SQL server answers to a statement of PostgreSQL.
fn asked_of_server(app: &Path, server: &Server, statement: &str) -> String {
    let output = tupelo()
        .args(["sql", &format!("\\{statement}"), "--app"])
        .arg(app)
        .arg("--state")
        .arg(server.state.path())
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout);
    printed.lines().nth(1).unwrap_or_default().trim().to_owned()
}

/// Waits until a statement waits for a lock.
fn until_a_statement_waits(app: &Path, server: &Server) {
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    until("a statement that waits", || {
        asked_of_server(app, server, waiting) == "1"
    });
}

/// Kills the processes of the server's programs.
fn kill_workers(server: &Server) {
    for pid in server.workers() {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if text(&command).split('\0').any(|word| word == "worker") {
            // SAFETY: kill(2) takes any pid; it is a child of the server.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
}

/// Kills the private PostgreSQL, and waits for its end.
fn kill_sql_server(server: &Server) {
    let file = server.state.path().join("sql/data/postmaster.pid");
    let content = std::fs::read_to_string(file).expect("a server that runs");
    let pid: i32 = content
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .parse()
        .expect("its number");
    // SAFETY: kill(2) takes any pid; it is the server of this test.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    until("its end", || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z")
    });
}

fn is_gone(code: &str) -> bool {
    matches!(code, "-923" | "-924" | "-904")
}

#[test]
fn a_task_that_gets_no_session_in_time_has_sqlcode_904() {
    if !is_installed() {
        return;
    }
    let (_app, server) = served("thread_limit = 1\nthread_wait_ms = 300\n");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| steps(&server, "UP", "BOLT"));
        let (message, _) = asked(&server);
        assert_eq!(steps(&server, "Q", "NUT"), (200, vec!["-904".to_owned()]));
        reply(&server, &message);
        assert_eq!(
            first.join().unwrap(),
            (200, vec!["0".to_owned(), String::new()])
        );
    });
    // The session is free again.
    assert_eq!(steps(&server, "Q", "NUT").1, ["7"]);
    assert_eq!(steps(&server, "Q", "BOLT").1, ["41"]);
}

#[test]
fn a_worker_that_dies_in_a_statement_leaves_no_change_and_no_lock() {
    if !is_installed() {
        return;
    }
    let (app, server) = served("");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| steps(&server, "UP", "BOLT"));
        asked(&server);
        let second = scope.spawn(|| steps(&server, "U", "BOLT"));
        until_a_statement_waits(app.path(), &server);
        kill_workers(&server);
        assert_eq!(first.join().unwrap().0, 500);
        assert_eq!(second.join().unwrap().0, 500);
    });
    until("the end of their transactions", || {
        let held = "SELECT count(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()";
        asked_of_server(app.path(), &server, held) == "0"
    });
    assert_eq!(steps(&server, "UQ", "BOLT").1, ["0", "41"]);
}

#[test]
fn a_task_that_is_purged_in_a_statement_ends_with_aexy() {
    if !is_installed() {
        return;
    }
    let (app, server) = served("");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| steps(&server, "UP", "BOLT"));
        let (message, holder) = asked(&server);
        let body = "{\"steps\":\"U\",\"item\":\"BOLT\"}";
        let second = scope.spawn(|| server.send("POST", "/stock", Some(body)));
        until_a_statement_waits(app.path(), &server);
        let tasks = ask(&server, &["task", "list"]);
        let numbers = tasks
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|task| task["task"].as_u64());
        let waiting: Vec<u64> = numbers.filter(|number| *number != holder).collect();
        assert_eq!(waiting.len(), 1, "{tasks}");
        let purged = ask(&server, &["task", "purge", &waiting[0].to_string()]);
        assert_ne!(purged["purge"], "refused");
        let answer = second.join().unwrap();
        // A task that was purged took too long, as its client sees it.
        assert_eq!(answer.status, 504);
        assert!(
            text(&answer.body).contains("AEXY"),
            "{}",
            text(&answer.body)
        );
        reply(&server, &message);
        assert_eq!(first.join().unwrap().0, 200);
    });
    assert_eq!(steps(&server, "Q", "BOLT").1, ["41"]);
}

#[test]
fn a_server_that_is_killed_between_two_units_is_started_again() {
    if !is_installed() {
        return;
    }
    let (_app, server) = served("");
    assert_eq!(steps(&server, "U", "BOLT").1, ["0"]);
    kill_sql_server(&server);
    until("the server", || {
        let (status, results) = steps(&server, "U", "BOLT");
        let code = results.first().cloned().unwrap_or_default();
        // Its processes outlive the server for a moment: a unit that one of them
        // began cannot be committed (ASP7).
        let is_backed_out = status == 500 && code.is_empty();
        assert!(
            is_backed_out || status == 200 && (code == "0" || is_gone(&code)),
            "{status} {results:?}"
        );
        code == "0"
    });
    assert_eq!(steps(&server, "Q", "BOLT").1, ["42"]);
}

#[test]
fn a_unit_whose_server_was_killed_can_only_be_backed_out() {
    if !is_installed() {
        return;
    }
    let (_app, server) = served("");
    let in_unit = |text: &str| {
        std::thread::scope(|scope| {
            let task = scope.spawn(|| steps(&server, text, "BOLT"));
            let (message, _) = asked(&server);
            kill_sql_server(&server);
            reply(&server, &message);
            task.join().unwrap()
        })
    };
    let (status, results) = in_unit("UWPUUR");
    assert_eq!(status, 200);
    assert_eq!(results, ["0", "", "", "-924", "-918", ""]);
    until("the server", || steps(&server, "Q", "BOLT").1 == ["40"]);
    // A task that continues to its end commits nothing, its queue included.
    assert_eq!(in_unit("UWPU").0, 500);
    until("the server", || steps(&server, "Q", "BOLT").1 == ["40"]);
    assert_eq!(steps(&server, "L", "BOLT").1, [""]);
}

#[test]
fn a_connection_that_is_refused_is_sqlcode_923() {
    let (_app, server) = served("url = \"postgresql://127.0.0.1:1/shop\"\n");
    assert_eq!(
        steps(&server, "QQ", "BOLT"),
        (200, vec!["-923".to_owned(); 2])
    );
}
