//! `/health` reports the real state.

use crate::http;
use crate::program::until;
use crate::server::{Server, application, example};

fn health(server: &Server) -> (u16, String, String) {
    let answer = http::send(&server.admin, "GET", "/health/ready", None);
    let word = |key: &str| answer.json()[key].as_str().unwrap_or_default().to_owned();
    (answer.status, word("status"), word("reason"))
}

#[test]
fn a_region_that_cannot_start_a_worker_is_unhealthy_until_it_can() {
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
fn a_store_whose_file_was_deleted_is_reported() {
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

#[test]
fn a_log_that_cannot_be_written_costs_no_request_anything() {
    let nowhere = std::fs::File::create("/dev/full").unwrap();
    let server = Server::start_logging(&example("bank"), nowhere);
    let served = || server.get("/bank/accounts/10000001").status == 200;
    for _ in 0..3 {
        until("an account is read", served);
        for pid in server.workers() {
            // SAFETY: a plain call on a worker of this test's server.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
    until("an account is read", served);
    assert_eq!(health(&server).1, "UP");
}

#[test]
fn a_damaged_record_is_refused_and_reported_and_all_others_are_served() {
    let bank = tempfile::tempdir().unwrap();
    crate::appc::copy(&example("bank"), bank.path());
    let settings = bank.path().join("tupelo.toml");
    let given = std::fs::read_to_string(&settings).unwrap();
    for walk_gib in [0, 4] {
        // Either no page or every page is checked before the store is served.
        let with = format!("{given}\n[store]\nwalk_gib = {walk_gib}\n");
        std::fs::write(&settings, with).unwrap();
        let first = Server::start(bank.path());
        let account = |server: &Server, n| server.get(&format!("/bank/accounts/{n}")).status;
        assert_eq!(account(&first, 10000001), 200);
        let state = first.stop();
        let data = state.path().join("store/data.mdb");
        let mut bytes = std::fs::read(&data).unwrap();
        // The key, and the record with it: the byte after both.
        let both = b"1000000110000001";
        let places: Vec<usize> = (0..bytes.len() - both.len())
            .filter(|at| bytes[*at..].starts_with(both))
            .collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at + both.len()] ^= 0x20;
        }
        std::fs::write(&data, bytes).unwrap();
        let server = Server::start_in(bank.path(), state);
        let refused = account(&server, 10000001);
        assert!(refused >= 500, "{refused}");
        assert_eq!(account(&server, 10000008), 200);
        assert_eq!(account(&server, 99999999), 404);
        let (status, word, reason) = health(&server);
        assert_eq!((status, word.as_str()), (200, "DEGRADED"), "{reason}");
        assert!(
            reason.contains("ACCTFILE") && reason.contains("tupelo file salvage"),
            "{reason}"
        );
        let live = http::send(&server.admin, "GET", "/health", None);
        assert_eq!(live.status, 503);
    }
}

/// Has a store's two meta pages say that so few pages of its map are left, and
/// gives its file the length that goes with that.
fn use_up(data: &std::path::Path, map_bytes: u64, left: u64) {
    use std::os::unix::fs::FileExt;
    // After the page's header: magic, version, address, size, two trees.
    const LAST_PAGE: u64 = 16 + 4 + 4 + 8 + 8 + 2 * 48;
    let page_bytes = 4096;
    let last = map_bytes / page_bytes - 1 - left;
    let file = std::fs::OpenOptions::new().write(true).open(data).unwrap();
    for meta in 0..2 {
        let at = meta * page_bytes + LAST_PAGE;
        file.write_all_at(&last.to_le_bytes(), at).unwrap();
    }
    file.set_len((last + 1) * page_bytes).unwrap();
}

#[test]
fn a_store_whose_map_is_used_up_is_reported_with_its_setting() {
    const MAP_BYTES: u64 = 1 << 30;
    let bank = tempfile::tempdir().unwrap();
    crate::appc::copy(&example("bank"), bank.path());
    let settings = bank.path().join("tupelo.toml");
    let given = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, given + "\n[store]\nmap_gib = 1\n").unwrap();
    let first = Server::start(bank.path());
    assert_eq!(first.get("/bank/accounts/10000001").status, 200);
    let state = first.stop();
    use_up(&state.path().join("store/data.mdb"), MAP_BYTES, 24);
    let server = Server::start_in(bank.path(), state);
    assert_eq!(health(&server).1, "UP");
    let open = |number: u32| {
        let body = format!(
            r#"{{"number": {number}, "holder": "{number}", "kind": "CURRENT", "deposit": 1, "overdraft": 0}}"#
        );
        server.send("POST", "/bank/accounts", Some(&body)).status
    };
    let failed = (0..5000).map(|n| 20_000_001 + n).find(|n| open(*n) != 201);
    assert!(failed.is_some(), "the store is never full");
    let (status, word, reason) = health(&server);
    assert_eq!((status, word.as_str()), (503, "DEGRADED"), "{reason}");
    assert!(
        reason.contains("the store is full") && reason.contains("map_gib"),
        "{reason}"
    );
    // Existing records can still be read.
    assert_eq!(server.get("/bank/accounts/10000001").status, 200);
    assert_eq!(server.get("/bank/accounts/20000001").status, 200);
}
