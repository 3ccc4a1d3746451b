//! Requests to start tasks over the loss and the normal end of the server.
//!
//! The program of GET /hello/{name} requests a task with NAME as its data, protected or not, or
//! returns whether that task has left a record. The task of a name that begins with `S` is
//! still running when the server is lost.

use crate::program::until;
use crate::server::{Server, application};

const HELLO: &str = include_str!("../../testdata/programs/starts/HELLO.cbl");

const NOTE: &str = include_str!("../../testdata/programs/starts/NOTE.cbl");

const DEFINITIONS: &str = "
DEFINE TRANSACTION(HELO) GROUP(HELLO) PROGRAM(HELLO)
DEFINE TRANSACTION(NOTE) GROUP(HELLO) PROGRAM(NOTE)
DEFINE PROGRAM(HELLO) GROUP(HELLO)
DEFINE PROGRAM(NOTE) GROUP(HELLO)
DEFINE FILE(NOTES) GROUP(HELLO) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)
       ADD(YES) READ(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(MARKS) GROUP(HELLO) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)
       ADD(YES) READ(YES) RECOVERY(NONE)
";

const SETTINGS: &str = "[files.NOTES]\nkey_offset = 0\n\n[files.MARKS]\nkey_offset = 0\n";

fn notes() -> tempfile::TempDir {
    application(&[
        ("cobol/HELLO.cbl", HELLO),
        ("cobol/NOTE.cbl", NOTE),
        ("resources.csd", DEFINITIONS),
        ("tupelo.toml", SETTINGS),
    ])
}

/// The EIBRESP of the command with that name.
fn ask(server: &Server, name: &str) -> i64 {
    let answer = server.get(&format!("/hello/{name}"));
    assert_eq!(
        answer.status,
        200,
        "{}",
        String::from_utf8_lossy(&answer.body)
    );
    let json = answer.json();
    let task = &json["task"];
    task.as_i64()
        .unwrap_or_else(|| panic!("no response in {json}"))
}

const NORMAL: i64 = 0;
const NOTFND: i64 = 13;

#[test]
fn a_protected_start_is_there_after_the_server_was_lost() {
    let app = notes();
    let server = Server::start(app.path());
    assert_eq!(ask(&server, "p-KEPT"), NORMAL);
    assert_eq!(ask(&server, "u-LOST"), NORMAL);
    let server = Server::start_in(app.path(), server.kill());
    until("the protected task", || ask(&server, "r-KEPT") == NORMAL);
    // Had it outlived the server, it would have begun long before this one.
    assert_eq!(ask(&server, "p-LATER"), NORMAL);
    until("a later task", || ask(&server, "r-LATER") == NORMAL);
    assert_eq!(ask(&server, "r-LOST"), NOTFND);
    // It has begun once: after another start of the server it does not begin again.
    let server = Server::start_in(app.path(), server.kill());
    assert_eq!(ask(&server, "p-AFTER"), NORMAL);
    until("another one", || ask(&server, "r-AFTER") == NORMAL);
}

#[test]
fn a_protected_task_that_was_running_begins_again() {
    let app = notes();
    let server = Server::start(app.path());
    assert_eq!(ask(&server, "n-SLOW"), NORMAL);
    // It leaves a mark and waits for an hour.
    until("its mark", || ask(&server, "m-BLOW") == NORMAL);
    let server = Server::start_in(app.path(), server.kill());
    until("the task", || ask(&server, "r-SLOW") == NORMAL);
}
