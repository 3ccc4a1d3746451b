//! Recoverable queues of a region that is killed.

use std::time::{Duration, Instant};

use crate::server::{Server, application};

/// A program that writes (`W`), writes and keeps running (`H`), returns whether such a task has
/// written (`C`), and returns the contents of both queues (`R`).
const PROGRAM: &str = include_str!("../../testdata/programs/queues/HELLO.cbl");

const DEFINITIONS: &str = "
DEFINE TRANSACTION(HELO) GROUP(HELLO) PROGRAM(HELLO)
DEFINE PROGRAM(HELLO) GROUP(HELLO) CONCURRENCY(THREADSAFE)
DEFINE TSMODEL(KEEP) GROUP(HELLO) PREFIX(KEEP) RECOVERY(YES)
DEFINE TDQUEUE(LOGI) GROUP(HELLO) TYPE(INTRA) RECOVSTATUS(LOGICAL)
";

fn greeting(server: &Server, name: &str) -> String {
    let answer = server.get(&format!("/hello/{name}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[test]
fn after_a_kill_recoverable_queues_have_exactly_the_committed_records() {
    let folder = application(&[("cobol/HELLO.cbl", PROGRAM), ("resources.csd", DEFINITIONS)]);
    let server = Server::start(folder.path());
    for name in ["W1", "W2", "W3"] {
        greeting(&server, name);
    }
    let gateway = server.gateway.clone();
    let stays = std::thread::spawn(move || {
        // No answer arrives: the region is killed meanwhile.
        std::panic::catch_unwind(|| crate::http::send(&gateway, "GET", "/hello/H4", None))
    });
    let begin = Instant::now();
    while !greeting(&server, "C").contains("written") {
        assert!(begin.elapsed() < Duration::from_secs(30), "never written");
        std::thread::yield_now();
    }
    let state = server.kill();
    let _ = stays.join();
    let server = Server::start_in(folder.path(), state);
    let contents = greeting(&server, "R");
    assert!(contents.contains("W1W2W3/W1W2W3/"), "{contents}");
    greeting(&server, "W5");
    let contents = greeting(&server, "R");
    assert!(contents.contains("W5/W1W2W3W5/"), "{contents}");
}
