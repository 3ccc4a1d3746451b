//! Wrong input and broken programs: the client that causes a fault gets a clear answer, and
//! no other client is affected.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::http;
use crate::others::OtherClients;
use crate::program::until;
use crate::server::{Server, application, example};

/// A program whose PROCEDURE DIVISION is `body`, called by GET /hello/{name}.
fn program(body: &str) -> tempfile::TempDir {
    program_with("", body)
}

fn program_with(storage: &str, body: &str) -> tempfile::TempDir {
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n       DATA DIVISION.\n       \
         WORKING-STORAGE SECTION.\n       01  WS-INDEX PIC S9(8) COMP VALUE 1.\n       01  WS-TABLE.\n           \
         05  WS-ITEM PIC X(4) OCCURS 10 TIMES.\n{storage}       LINKAGE SECTION.\n       01  DFHCOMMAREA PIC X.\n       \
         COPY HELLO.\n       PROCEDURE DIVISION.\n           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA\n\
         {body}"
    );
    application(&[("cobol/HELLO.cbl", &text)])
}

fn title(answer: &http::HttpAnswer) -> String {
    let json = answer.json();
    format!("{} {}", json["title"], json["detail"])
}

#[test]
fn wrong_requests_are_answered_with_the_wrong_field() {
    let bank = Server::start(&example("bank"));
    for (method, path, body, status, word) in [
        ("GET", "/bank/accounts/abc", None, 400, "number"),
        ("GET", "/bank/accounts/123456789", None, 400, "number"),
        ("GET", "/bank/accounts?limit=0", None, 400, "limit"),
        ("GET", "/nothing", None, 404, "/nothing"),
        ("DELETE", "/bank/accounts/10000001", None, 405, "GET"),
        ("POST", "/bank/accounts", Some("{\"number\": "), 400, "JSON"),
        (
            "POST",
            "/bank/accounts",
            Some("{\"number\": 5, \"kind\": \"CURRENT\"}"),
            400,
            "holder",
        ),
        (
            "POST",
            "/bank/accounts",
            Some(
                "{\"number\": 5, \"holder\": \"0123456789012345678901234567890\", \"kind\": \"CURRENT\"}",
            ),
            400,
            "holder",
        ),
        (
            "POST",
            "/bank/transfers",
            Some("{\"from\": 10000001, \"to\": 10000008, \"amount\": 1.005}"),
            400,
            "amount",
        ),
    ] {
        let answer = bank.send(method, path, body);
        let text = String::from_utf8_lossy(&answer.body).into_owned() + &answer.head;
        assert_eq!(answer.status, status, "{method} {path} {body:?}: {text}");
        assert!(text.contains(word), "{method} {path} {body:?}: {text}");
        if status == 400 {
            assert_eq!(
                answer.header("content-type"),
                Some("application/problem+json"),
                "{text}"
            );
        }
    }
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
}

#[test]
fn slow_and_half_open_clients_disturb_no_other() {
    let bank = Server::start(&example("bank"));
    let mut silent = TcpStream::connect(&bank.gateway).unwrap();
    silent
        .write_all(b"POST /bank/accounts HTTP/1.1\r\nhost: x\r\ncontent-le")
        .unwrap();
    let mut short = TcpStream::connect(&bank.gateway).unwrap();
    short
        .write_all(b"POST /bank/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{")
        .unwrap();
    for _ in 0..10 {
        assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    }
    let garbage = http::raw(&bank.gateway, b"\x16\x03\x01\x02\x00garbage\r\n\r\n");
    assert!(garbage.is_none_or(|a| a.status == 400));
    let mut reset = TcpStream::connect(&bank.gateway).unwrap();
    reset
        .write_all(b"GET /bank/accounts/10000001 HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    reset.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    reset.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
}

#[test]
fn a_subscript_out_of_range_ends_its_task_alone() {
    let app = program(
        "           MOVE -20 TO WS-INDEX\n           IF HELLO-NAME = 'bad'\n               MOVE 'XXXX' TO WS-ITEM(WS-INDEX)\n           END-IF\n           MOVE 'fine' TO HELLO-GREETING\n           EXEC CICS RETURN END-EXEC.\n",
    );
    let server = Server::start(app.path());
    for _ in 0..3 {
        let answer = server.get("/hello/bad");
        assert_eq!(answer.status, 500, "{answer:?}");
        assert!(title(&answer).contains("ASRA"), "{}", title(&answer));
        let answer = server.get("/hello/good");
        assert_eq!(answer.json()["greeting"], "fine");
    }
}

#[test]
fn stop_run_is_a_return() {
    let app = program("           MOVE 'stopped' TO HELLO-GREETING\n           STOP RUN.\n");
    let server = Server::start(app.path());
    for _ in 0..3 {
        assert_eq!(server.get("/hello/x").json()["greeting"], "stopped");
    }
}

#[test]
fn a_call_of_the_shell_is_refused() {
    let app = program(
        "           CALL 'SYSTEM' USING HELLO-NAME\n           EXEC CICS RETURN END-EXEC.\n",
    );
    let server = Server::start(app.path());
    let answer = server.get("/hello/x");
    assert_eq!(answer.status, 500, "{answer:?}");
}

#[test]
fn a_program_that_loops_abends_with_aica() {
    let app = program(
        "           PERFORM UNTIL 1 = 2\n               CONTINUE\n           END-PERFORM\n           EXEC CICS RETURN END-EXEC.\n",
    );
    std::fs::write(
        app.path().join("tupelo.toml"),
        "[region]\nrunaway_ms = 300\n",
    )
    .unwrap();
    let server = Server::start(app.path());
    let answer = server.get("/hello/x");
    assert_eq!(answer.status, 500, "{answer:?}");
    assert!(title(&answer).contains("AICA"), "{}", title(&answer));
}

/// The log's line of a program that displays 'M', X'FC' and 'ller', in a region of this page.
fn displayed_in(code_page: &str) -> String {
    let app = program(
        "           DISPLAY 'seen by M' X'FC' 'ller'\n           MOVE 'quiet' TO HELLO-GREETING\n           EXEC CICS RETURN END-EXEC.\n",
    );
    let toml = app.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&toml).unwrap();
    let page = format!("[region]\ncode_page = \"{code_page}\"\n");
    std::fs::write(&toml, settings.replacen("[region]\n", &page, 1)).unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(app.path(), log.reopen().unwrap());
    assert_eq!(server.get("/hello/x").json()["greeting"], "quiet");
    // The last lines are read when the server ends.
    drop(server);
    let log = std::fs::read_to_string(log.path()).unwrap();
    let mut lines = log.lines().filter(|line| line.contains("seen by"));
    lines.next().unwrap_or(&log).to_owned()
}

#[test]
fn what_a_program_displays_goes_to_the_log_in_the_regions_code_page() {
    for (code_page, shown) in [
        ("latin-1", "seen by Müller"),
        ("ibm850", "seen by M³ller"),
        ("utf-8", "seen by M\\xfcller"),
    ] {
        let line = displayed_in(code_page);
        assert!(line.contains(shown), "{code_page}: {line}");
    }
}

#[test]
fn a_missing_program_is_named() {
    let app = application(&[]);
    std::fs::remove_file(app.path().join("cobol/HELLO.cbl")).unwrap();
    let server = Server::start(app.path());
    let answer = server.get("/hello/x");
    assert_eq!(answer.status, 500, "{answer:?}");
    assert!(
        String::from_utf8_lossy(&answer.body).contains("HELLO"),
        "{answer:?}"
    );
}

#[test]
fn killing_every_worker_costs_only_the_tasks_they_ran() {
    let bank = Server::start(&example("bank"));
    let stop = AtomicBool::new(false);
    let good = AtomicU32::new(0);
    let lost = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let answer = bank.get("/bank/accounts/10000001");
                    match answer.status {
                        200 => good.fetch_add(1, Ordering::Relaxed),
                        500 => lost.fetch_add(1, Ordering::Relaxed),
                        other => panic!("{other}: {answer:?}"),
                    };
                }
            });
        }
        let mut killed = 0;
        while killed < 20 {
            let seen = good.load(Ordering::Relaxed);
            for pid in bank.workers() {
                // SAFETY: kill(2) takes any pid.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                killed += 1;
            }
            until("answers", || good.load(Ordering::Relaxed) >= seen + 50);
        }
        stop.store(true, Ordering::Relaxed);
        // A worker runs one task: no more can be lost than workers were killed.
        assert!(lost.load(Ordering::Relaxed) <= killed);
    });
}

#[test]
fn a_full_disk_refuses_updates_and_loses_none() {
    let Some(bank) = Server::start_on_small_disk(&example("bank"), "12m") else {
        return;
    };
    let open = |number: u32| {
        let body =
            format!("{{\"number\": {number}, \"holder\": \"A holder\", \"kind\": \"CURRENT\"}}");
        bank.send("POST", "/bank/accounts", Some(&body))
    };
    assert_eq!(open(20_000_000).status, 201);
    let filler = bank.in_state("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    for block in [64 << 10, 4096, 512] {
        while file.write_all(&vec![0; block]).is_ok() {}
    }
    let mut kept = vec![20_000_000];
    let (refused, others) = OtherClients::during(&bank, "/bank/accounts/20000000", || {
        (20_000_001..20_020_000).find_map(|number| {
            let answer = open(number);
            match answer.status {
                201 => kept.push(number),
                _ => return Some(answer),
            }
            None
        })
    });
    println!("a full disk: {others}");
    assert_eq!(others.errors, 0, "a client that reads is refused");
    let refused = refused.expect("the disk is full");
    let text = String::from_utf8_lossy(&refused.body).into_owned();
    assert!((500..600).contains(&refused.status), "{text}");
    let failing = || {
        let metrics = http::send(&bank.admin, "GET", "/metrics", None);
        let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
        !metrics.contains("tupelo_region_store_failures 0\n")
    };
    assert!(failing());
    // Everything that was acknowledged is there, and reads continue.
    for number in &kept {
        let path = format!("/bank/accounts/{number}");
        assert_eq!(bank.get(&path).status, 200, "{number}");
    }
    drop(file);
    std::fs::remove_file(&filler).unwrap();
    let again = open(20_030_000);
    let text = String::from_utf8_lossy(&again.body).into_owned();
    assert_eq!(again.status, 201, "{text}");
    assert!(!failing());
}
