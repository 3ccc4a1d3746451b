//! Programs that start others without end: their conditions, the response times of others
//! meanwhile, and what operators see and can do.

use std::fmt::Write;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http;
use crate::others::OtherClients;
use crate::program::{tupelo, until};
use crate::server::{Server, application};

/// Three tasks of the transaction, which do the same.
const STARTS: &str = "           PERFORM 3 TIMES
             EXEC CICS START TRANSID('BOMB') NOHANDLE END-EXEC
           END-PERFORM";
/// Three children, and a wait for one of them.
const RUNS: &str = "           PERFORM 3 TIMES
             EXEC CICS RUN TRANSID('BOMB') CHILD(T) NOHANDLE END-EXEC
           END-PERFORM
           EXEC CICS FETCH ANY(T) COMPSTATUS(S) NOHANDLE END-EXEC";

/// More children than a task may have at once; each ends at once.
const CHILDREN: &str = "           IF EIBTRNID = 'BOMB'
             PERFORM 150 TIMES
               EXEC CICS RUN TRANSID('KIDS') CHILD(T) END-EXEC
             END-PERFORM
             PERFORM 150 TIMES
               EXEC CICS FETCH ANY(T) COMPSTATUS(S) END-EXEC
             END-PERFORM
           END-IF";

/// Serves the example with a program that does `statements`, and few tasks.
fn served(statements: &str) -> (tempfile::TempDir, Server) {
    served_with(&[("cobol/BOMB.cbl", &program(statements))])
}

fn served_with(files: &[(&str, &str)]) -> (tempfile::TempDir, Server) {
    let app = application(files);
    let settings = app.path().join("tupelo.toml");
    let before = std::fs::read_to_string(&settings).unwrap_or_default();
    let limits = "max_tasks = 4\nmax_queued = 40\nshutdown_s = 2\n";
    let text = if before.contains("[region]") {
        before.replacen("[region]", &format!("[region]\n{limits}"), 1)
    } else {
        format!("{before}\n[region]\n{limits}")
    };
    std::fs::write(&settings, text).expect("written");
    define(app.path());
    let server = Server::start(app.path());
    (app, server)
}

fn program(statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. BOMB.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 T PIC X(16).
       01 S PIC S9(8) COMP.
       PROCEDURE DIVISION.
{statements}
           EXEC CICS RETURN END-EXEC.
"
    )
}

fn define(folder: &Path) {
    let csd = folder.join("resources.csd");
    let mut text = std::fs::read_to_string(&csd).unwrap_or_default();
    let _ = writeln!(
        text,
        "DEFINE TRANSACTION(BOMB) GROUP(BOUNDS) PROGRAM(BOMB)\n\
         DEFINE TRANSACTION(KIDS) GROUP(BOUNDS) PROGRAM(BOMB)\n\
         DEFINE PROGRAM(BOMB) GROUP(BOUNDS) CONCURRENCY(THREADSAFE)"
    );
    std::fs::write(csd, text).expect("written");
}

fn asked(server: &Server, words: &[&str]) -> Output {
    let mut command = tupelo();
    command.args(words).args(["--admin", &server.admin]);
    command.output().expect("the program")
}

fn limit(server: &Server, name: &str) -> Value {
    let output = asked(server, &["limits", "--json"]);
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut rows = rows.as_array().expect("rows").iter();
    rows.find(|row| row["name"] == name).expect("a row").clone()
}

fn count(server: &Server, name: &str) -> u64 {
    limit(server, name)["count"].as_u64().expect("a number")
}

fn health(server: &Server, part: &str) -> http::HttpAnswer {
    http::send(&server.admin, "GET", &format!("/health{part}"), None)
}

#[test]
fn a_program_that_starts_itself_fills_its_part_and_clients_are_served() {
    let (_app, server) = served(STARTS);
    assert!(asked(&server, &["task", "start", "BOMB"]).status.success());
    let begun = Instant::now();
    let ((), others) = OtherClients::during(&server, "/hello/x", || {
        while begun.elapsed() < Duration::from_secs(3) {
            assert!(count(&server, "waiting_starts") <= 40);
        }
    });
    println!("starts: {others}");
    assert_eq!(others.errors, 0, "a client is refused");
    let purged = asked(&server, &["task", "forcepurge", "--transaction", "BOMB"]);
    assert!(purged.status.success(), "{purged:?}");
    assert!(count(&server, "waiting_starts") <= 40);
}

/// Waits when it is asked to be slow.
const SLOW: &str = include_str!("../../testdata/programs/bounds/HELLO.cbl");
/// More clients than tasks and places in the queue.
const FLOOD: usize = 100;

#[test]
fn requests_beyond_the_queue_get_503_until_there_is_room() {
    let (_app, server) = served_with(&[
        ("cobol/HELLO.cbl", SLOW),
        ("cobol/BOMB.cbl", &program("           CONTINUE")),
    ]);
    let flood = || {
        let begun = Instant::now();
        let mut answers = [0, 0];
        while begun.elapsed() < Duration::from_secs(2) {
            let answer = server.get("/hello/slow");
            let is_refused = answer.status == 503 && answer.header("retry-after").is_some();
            assert!(answer.status == 200 || is_refused, "{answer:?}");
            answers[usize::from(is_refused)] += 1;
        }
        answers
    };
    let (answers, others) = OtherClients::during(&server, "/hello/x", || {
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..FLOOD).map(|_| scope.spawn(flood)).collect();
            let each = clients.into_iter().map(|client| client.join().unwrap());
            each.fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
        })
    });
    println!(
        "a flood: {} answered, {} refused; {others}",
        answers[0], answers[1]
    );
    assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
    assert_eq!(server.get("/hello/x").status, 200);
}

#[test]
fn a_parent_of_many_children_waits_for_them_and_clients_are_served() {
    let (_app, server) = served(CHILDREN);
    let tasks = || count(&server, "tasks") + count(&server, "waiting_starts");
    let ((), others) = OtherClients::during(&server, "/hello/x", || {
        assert!(asked(&server, &["task", "start", "BOMB"]).status.success());
        until("all children have ended", || tasks() == 0);
    });
    println!("children: {others}");
    assert_eq!(others.errors, 0, "a client is refused");
}

#[test]
fn parents_without_end_are_reported_and_purged_and_the_server_ends() {
    let (_app, server) = served(RUNS);
    assert!(asked(&server, &["task", "start", "BOMB"]).status.success());
    until("all places of children are held by parents", || {
        health(&server, "").status == 503
    });
    let state = health(&server, "").json();
    let reason = state["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("wait for their children"), "{state}");
    // A place is kept for requests.
    assert_eq!(health(&server, "/ready").status, 200);
    let ((), others) = OtherClients::during(&server, "/hello/x", || {
        std::thread::sleep(Duration::from_secs(1));
    });
    println!("parents: {others}");
    assert_eq!(others.errors, 0, "a client is refused");
    let workers = limit(&server, "workers");
    assert!(workers["count"].as_u64() <= Some(4 + 4), "{workers}");
    // Waiting tasks are refused, and so are later children of the parents.
    let purged = |at_most| {
        asked(&server, &["task", "forcepurge", "--transaction", "BOMB"]);
        count(&server, "tasks") <= at_most && count(&server, "waiting_starts") == 0
    };
    let ((), others) = OtherClients::during(&server, "/hello/x", || {
        // One of them may be the client's own.
        until("places are free", || purged(1));
    });
    println!("parents that are purged: {others}");
    assert_eq!(others.errors, 0, "a client is refused");
    until("nothing of it is left", || purged(0));
    assert_eq!(server.get("/hello/x").status, 200);
    let begun = Instant::now();
    server.stop();
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}
