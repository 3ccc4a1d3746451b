//! `/health` tells the truth.

use crate::http;
use crate::program::until;
use crate::server::{Server, application, example};

fn health(server: &Server) -> (u16, String, String) {
    let answer = http::send(&server.admin, "GET", "/health/ready", None);
    let word = |key: &str| answer.json()[key].as_str().unwrap_or_default().to_owned();
    (answer.status, word("status"), word("reason"))
}

#[test]
fn a_region_that_cannot_start_a_worker_says_so_until_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let (program, away) = (folder.path().join("tupelo"), folder.path().join("away"));
    std::fs::copy(env!("CARGO_BIN_EXE_tupelo"), &program).unwrap();
    let app = application(&[]);
    let server = Server::start_copy(&program, app.path());
    assert_eq!(server.get("/hello/x").status, 200);
    assert_eq!(health(&server), (200, "UP".into(), String::new()));
    std::fs::rename(&program, &away).unwrap();
    for pid in server.workers() {
        // SAFETY: a plain call on a worker of this test's server.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    until("it says that no worker runs", || {
        let (status, word, reason) = health(&server);
        status == 503 && word == "DEGRADED" && reason.contains("no COBOL worker")
    });
    std::fs::rename(&away, &program).unwrap();
    until("a request is served again", || {
        server.get("/hello/x").status == 200
    });
    assert_eq!(health(&server).1, "UP");
}

#[test]
fn a_store_whose_file_is_gone_is_told() {
    let server = Server::start(&example("bank"));
    let data = server.state.path().join("store/data.mdb");
    let away = server.state.path().join("away.mdb");
    assert_eq!(health(&server).1, "UP");
    std::fs::rename(&data, &away).unwrap();
    let (status, word, reason) = health(&server);
    assert_eq!((status, word.as_str()), (503, "DEGRADED"));
    assert!(reason.contains("data.mdb"), "{reason}");
    std::fs::rename(&away, &data).unwrap();
    assert_eq!(health(&server).1, "UP");
}
