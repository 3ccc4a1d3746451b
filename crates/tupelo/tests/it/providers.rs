//! One suite for all providers of a gateway: the local region, a region over `ipconn`, and a
//! CICS system that is called over its own HTTP or through its sockets listener. In this suite
//! all of them are Tupelo regions, in ASCII; the gateway's own tests check a mainframe's
//! bytes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};

use crate::authority::TestAuthority;
use crate::http::{self, HttpAnswer};
use crate::ipconn::{ServerProcess, copy};
use crate::ports::ClosedPort;
use crate::program::{text, tupelo, until};
use crate::schemas;

/// The programs of `testdata/mainframe`, with an API on CALC and one on CALCC.
fn application() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mainframe");
    copy(&data, folder.path());
    folder
}

/// Where programs run, and the gateway in front of them.
struct ProgramProvider {
    name: &'static str,
    gateway: ServerProcess,
    http: String,
    /// The region that a connection leads to.
    region: Option<ServerProcess>,
    /// The answer to an abend contains its code.
    reports_abend_codes: bool,
    _folders: Vec<tempfile::TempDir>,
}

impl ProgramProvider {
    /// The region inside the gateway's process.
    fn inside() -> ProgramProvider {
        let folder = application();
        let mut gateway = ServerProcess::start(folder.path(), &["--listen", "127.0.0.1:0"]);
        ProgramProvider {
            name: "inside",
            http: gateway.address("gateway"),
            gateway,
            region: None,
            reports_abend_codes: true,
            _folders: vec![folder],
        }
    }

    /// A gateway that calls a region of its own, by the settings that are made
    /// of it.
    fn remote(
        name: &'static str,
        tells_abends: bool,
        settings: impl Fn(&mut ServerProcess) -> String,
    ) -> ProgramProvider {
        let (back, front) = (application(), tempfile::tempdir().unwrap());
        let options = ["--listen", "127.0.0.1:0", "--ipconn", "127.0.0.1:0"];
        let mut region = ServerProcess::start(back.path(), &options);
        copy(&back.path().join("apis"), &front.path().join("apis"));
        let settings = settings(&mut region);
        std::fs::write(front.path().join("tupelo.toml"), settings).unwrap();
        let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
        let mut gateway = ServerProcess::start(front.path(), &options);
        ProgramProvider {
            name,
            http: gateway.address("gateway"),
            gateway,
            region: Some(region),
            reports_abend_codes: tells_abends,
            _folders: vec![back, front],
        }
    }

    fn ipconn() -> ProgramProvider {
        ProgramProvider::remote("ipconn", true, |region| {
            let address = region.address("ipconn");
            format!("[ipconn.connections.BACK]\naddress = \"{address}\"\n")
        })
    }

    fn web() -> ProgramProvider {
        ProgramProvider::remote("web", true, |region| {
            let address = region.address("web");
            let names = ["CALC", "CALCC"];
            let each = names.map(|name| {
                format!(
                    "[mainframe.connections.{name}]\n\
                     url = \"http://{address}/tupelo/{{program}}\"\ncode_page = \"ascii\"\n"
                )
            });
            each.concat()
        })
    }

    fn sockets() -> ProgramProvider {
        ProgramProvider::remote("sockets", false, |region| {
            let address = region.address("sockets");
            format!(
                "[mainframe.connections.CALC]\naddress = \"{address}\"\n\
                 first = \"RECV\\n\"\nframe = {{ length = 2 }}\ncode_page = \"ascii\"\n\
                 [mainframe.connections.CALCC]\naddress = \"{address}\"\n\
                 first = \"RECC\\n\"\nframe = {{ fixed = 29 }}\ncode_page = \"ascii\"\n\
                 answer_container = \"ANSWER\"\n"
            )
        })
    }

    fn ask(&self, path: &str, body: &str) -> HttpAnswer {
        http::send(&self.http, "POST", path, Some(body))
    }
}

fn body(op: &str, count: i32) -> String {
    format!(
        r#"{{"calc_op":"{op}","calc_name":"ann-e","calc_count":{count},"calc_price":-12.34,"calc_total":7}}"#
    )
}

/// Checks what every provider must do.
fn conforms(provider: &ProgramProvider) {
    let name = provider.name;
    for path in ["/calc", "/calcc"] {
        // More than one connection's worth, so that connections are used again.
        for count in [1, 41, -99999] {
            let answer = provider.ask(path, &body("ADD", count));
            let shown_answer = format!("{name} {path}: {} {}", answer.status, text(&answer.body));
            assert_eq!(answer.status, 200, "{shown_answer}");
            let json = answer.json();
            assert_eq!(
                json["calc_name"].as_str().map(str::trim),
                Some("ANN-E"),
                "{shown_answer}"
            );
            assert_eq!(json["calc_count"], count + 1, "{shown_answer}");
            assert_eq!(json["calc_price"], -24.68, "{shown_answer}");
            assert_eq!(json["calc_total"], -993, "{shown_answer}");
        }
        // A value that does not fit is the client's error, with every provider.
        assert_eq!(
            provider.ask(path, &body("ADD", 123_456)).status,
            400,
            "{name}"
        );
    }
    let abend = provider.ask("/calc", &body("ABND", 1));
    let shown_answer = format!("{name}: {} {}", abend.status, text(&abend.body));
    if provider.reports_abend_codes {
        assert_eq!(abend.status, 500, "{shown_answer}");
        assert!(text(&abend.body).contains("OOPS"), "{shown_answer}");
    } else {
        assert_eq!(abend.status, 502, "{shown_answer}")
    }
    // An abend affects its own request only.
    assert_eq!(provider.ask("/calc", &body("ADD", 5)).status, 200, "{name}");
}

#[test]
fn every_provider_runs_programs_in_the_same_way() {
    let mut inside = ProgramProvider::inside();
    conforms(&inside);
    inside.gateway.kill();
    for make in [
        ProgramProvider::ipconn,
        ProgramProvider::web,
        ProgramProvider::sockets,
    ] {
        let mut provider = make();
        provider.ready();
        conforms(&provider);
        if provider.name == "ipconn" {
            let log = provider.region.as_ref().unwrap().log();
            assert!(
                log.contains("OOPS task"),
                "the region logs its abends: {log}"
            );
        }
        // The region ends: the gateway reports it, and continues to answer.
        provider.region.take().unwrap().kill();
        for _ in 0..2 {
            let answer = provider.ask("/calc", &body("ADD", 1));
            let shown_answer = format!(
                "{}: {} {}",
                provider.name,
                answer.status,
                text(&answer.body)
            );
            assert_eq!(answer.status, 502, "{shown_answer}");
        }
    }
}

impl ProgramProvider {
    /// Waits until its connections are made; those of others are made by the
    /// first request.
    fn ready(&mut self) {
        let http = self.http.clone();
        until("a first answer", || {
            http::send(&http, "POST", "/calc", Some(&body("ADD", 1))).status == 200
        });
    }
}

/// A server of the test that answers every request on a separate connection;
/// returns its address and the received requests.
fn server(answer: &'static [u8]) -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, seen) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut all = Vec::new();
            let mut piece = [0; 4096];
            // The body has 29 bytes; before it are a head, or a length.
            while !all.ends_with(b"\r\n\r\n") {
                let read = stream.read(&mut piece).unwrap_or(0);
                all.extend_from_slice(&piece[..read]);
                let head = all.windows(4).position(|w| w == b"\r\n\r\n");
                let whole = head.map_or(2 + 29, |at| at + 4 + 29);
                if read == 0 || all.len() >= whole {
                    break;
                }
            }
            let _ = sender.send(all);
            let _ = stream.write_all(answer);
        }
    });
    (address, seen)
}

/// A gateway with these settings and files.
fn front(settings: &str, files: &[(&str, &str)]) -> (ServerProcess, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mainframe/apis");
    copy(&data, &folder.path().join("apis"));
    std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
    let mut process = ServerProcess::start(folder.path(), &options);
    let http = process.address("gateway");
    (process, http, folder)
}

/// OK, ÄNN, -5, 1.50, 258 as a mainframe with code page 273 has them.
const GERMAN: &[u8] = b"\xD6\xD2\x40\x40\x4A\xD5\xD5\x40\x40\x40\x40\x40\x40\x40\x40\x40\
    \xF0\xF0\xF0\xF0\xD5\x00\x00\x15\x0C\x00\x00\x01\x02";

#[test]
fn a_mainframes_bytes_are_in_the_code_page_that_a_policy_chooses() {
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-length: 29\r\nconnection: close\r\n\r\n".to_vec();
    answer.extend_from_slice(GERMAN);
    let (address, seen) = server(Box::leak(answer.into_boxed_slice()));
    let settings = format!(
        "[gateway]\npolicy = \"pages.xml\"\n\
         [mainframe.connections.CALC]\nurl = \"http://{address}/run/{{program}}?t={{transid}}\"\n\
         basic = {{ user = \"ann\", password_file = \"pw\" }}\n"
    );
    let policy = "<ruleset><rule name=\"germany\"><conditions>\
        <header name=\"page\" match=\"ANY_VALUE\"/></conditions><actions>\
        <set property=\"cicsCcsid\" value=\"${page}\"/></actions></rule></ruleset>";
    let files = [("pages.xml", policy), ("pw", "secret\n")];
    let (mut process, http, _folder) = front(&settings, &files);
    let ask = |page: &str| {
        let body = r#"{"calc_op":"ADD","calc_name":"Änn","calc_count":-5,"calc_price":1.5,"calc_total":258}"#;
        let request = format!(
            "POST /calc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{page}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        http::raw(&http, request.as_bytes()).unwrap()
    };
    let german = ask("page: 273\r\n");
    assert_eq!(german.status, 200, "{}", text(&german.body));
    assert_eq!(
        german.json(),
        serde_json::json!({"calc_name": "ÄNN", "calc_count": -5,
            "calc_price": 1.5, "calc_total": 258})
    );
    let came = seen.recv().unwrap();
    let (head, body) = came.split_at(came.len() - 29);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    assert!(head.starts_with("post /run/calc?t=calc http/1.1"), "{head}");
    // ann:secret
    assert!(
        head.contains("authorization: basic yw5uonnly3jlda=="),
        "{head}"
    );
    assert!(!process.log().contains("secret"), "{}", process.log());
    assert_eq!(&body[..4], b"\xC1\xC4\xC4\x40");
    assert_eq!(&body[4..8], b"\x4A\x95\x95\x40");
    assert_eq!(&body[16..], &GERMAN[16..]);
    // Without the header the connection's own page counts, 037.
    let usual = ask("");
    assert_eq!(usual.json()["calc_name"], "¢NN");
    let came = seen.recv().unwrap();
    assert_eq!(&came[came.len() - 25..][..3], b"\x63\x95\x95");
    let wrong = ask("page: latin\r\n");
    assert_eq!(wrong.status, 400);
    assert!(text(&wrong.body).contains("CCSID"), "{}", text(&wrong.body));
    let listed = listed(&mut process);
    assert!(listed.contains("HTTP"), "{listed}");
    assert!(listed.contains(&format!("{address}  ACQUIRED")), "{listed}");
}

/// What `tupelo connection list` shows of a process; the JSON is as published.
fn listed(process: &mut ServerProcess) -> String {
    let admin = process.address("admin");
    let list = |more: &[&str]| {
        let asked = ["connection", "list", "--admin", &admin];
        let output = tupelo().args(asked).args(more).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    schemas::fits("connection-list", &list(&["--json"]));
    list(&[])
}

#[test]
fn connections_that_are_not_there_are_listed_with_the_reason() {
    let closed = ClosedPort::new();
    let address = closed.address();
    let settings = format!(
        "[mainframe.connections.CALC]\naddress = \"{address}\"\nframe = {{ length = 2 }}\nsessions = 7\n"
    );
    let (mut process, http, _folder) = front(&settings, &[]);
    let before = listed(&mut process);
    assert!(before.contains("SOCKETS"), "{before}");
    assert!(before.contains("RELEASED"), "{before}");
    let answer = http::send(&http, "POST", "/calc", Some(r#"{"calc_op":"ADD"}"#));
    assert_eq!(answer.status, 502, "{}", text(&answer.body));
    let after = listed(&mut process);
    assert!(after.contains("OBTAINING"), "{after}");
    assert!(after.contains("refused"), "{after}");
}

#[test]
fn a_listener_is_spoken_to_in_frames_of_bytes() {
    let mut answer = b"\0\x1D".to_vec();
    answer.extend_from_slice(GERMAN);
    let (address, seen) = server(Box::leak(answer.into_boxed_slice()));
    let settings = format!(
        "[mainframe.connections.CALC]\naddress = \"{address}\"\nframe = {{ length = 2 }}\n\
         code_page = \"cp273\"\n"
    );
    let (_process, http, _folder) = front(&settings, &[]);
    let answer = http::send(
        &http,
        "POST",
        "/calc",
        Some(r#"{"calc_op":"ADD","calc_name":"ÄNN"}"#),
    );
    assert_eq!(answer.json()["calc_name"], "ÄNN", "{}", text(&answer.body));
    let came = seen.recv().unwrap();
    assert_eq!(came.len(), 31);
    assert_eq!(&came[..2], b"\0\x1D");
    assert_eq!(&came[6..18], &GERMAN[4..16]);
}

#[test]
fn bytes_after_an_answer_are_no_answer_to_the_next_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut answer = b"\0\x1D".to_vec();
    answer.extend_from_slice(GERMAN);
    std::thread::spawn(move || {
        for (connection, mut stream) in listener.incoming().flatten().enumerate() {
            let mut message = [0; 31];
            // The first connection sends half an answer, and the rest of it
            // when the next message comes.
            let mut rest: &[u8] = &[];
            while stream.read_exact(&mut message).is_ok() {
                let (more, later) = match connection {
                    0 => answer.split_at(12),
                    _ => (&[][..], &[][..]),
                };
                let sent = [rest, &answer, more].concat();
                rest = later;
                let _ = stream.write_all(&sent);
            }
        }
    });
    let settings = format!(
        "[mainframe.connections.CALC]\naddress = \"{address}\"\nframe = {{ length = 2 }}\n\
         code_page = \"cp273\"\n[gateway]\nthreads = 1\n"
    );
    let (process, http, _folder) = front(&settings, &[]);
    for _ in 0..3 {
        let answer = http::send(&http, "POST", "/calc", Some(&body("ADD", 1)));
        assert_eq!(answer.json()["calc_name"], "ÄNN", "{}", text(&answer.body));
    }
    let log = process.log();
    assert_eq!(
        log.matches("sent bytes after an answer").count(),
        1,
        "{log}"
    );
}

#[test]
fn a_server_with_tls_is_called_when_its_authority_is_trusted() {
    let answer = [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 29\r\n\r\n"[..],
        GERMAN,
    ];
    let answer: &'static [u8] = Box::leak(answer.concat().into_boxed_slice());
    let (ours, theirs) = (TestAuthority::new(), TestAuthority::new());
    for (authority, status) in [(&ours, 200), (&theirs, 502)] {
        let port = authority.answering("localhost", 2099, answer);
        let settings = format!(
            "[mainframe.connections.CALC]\nurl = \"https://localhost:{port}/{{program}}\"\n\
             code_page = \"cp273\"\ntrusted = \"ours.pem\"\n"
        );
        let (_process, http, _folder) = front(&settings, &[("ours.pem", ours.pem.as_str())]);
        let answer = http::send(&http, "POST", "/calc", Some(r#"{"calc_op":"ADD"}"#));
        assert_eq!(answer.status, status, "{}", text(&answer.body));
    }
}

#[test]
fn impossible_connections_are_reported_before_anything_is_served() {
    for (settings, expected) in [
        ("", "expected either url, for HTTP, or address"),
        ("url = \"http://x/run\"", "it must contain {program}"),
        ("address = \"x:1\"", "frame: address needs it"),
        (
            "address = \"x\"\nframe = { length = 2 }",
            "is not host:port",
        ),
        ("address = \"x:1\"\nframe = { length = 3 }", "1, 2 or 4"),
        (
            "url = \"http://x/{program}\"\ntls = true",
            "go with address",
        ),
        (
            "url = \"http://x/{program}\"\ncode_page = \"klingon\"",
            "code_page",
        ),
        (
            "url = \"http://x/{program}\"\ncertificate = \"c\"",
            "go together",
        ),
        ("url = \"http://x/{program}\"\ntrusted = \"c\"", "https://"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text_of = format!("[mainframe.connections.CALC]\n{settings}\n");
        std::fs::write(folder.path().join("tupelo.toml"), text_of).unwrap();
        let ran = crate::program::run(&["check", folder.path().to_str().unwrap()]);
        let said = text(&ran.stdout) + &text(&ran.stderr);
        assert!(
            !ran.status.success() && said.contains(expected),
            "{settings}: {said}"
        );
        assert!(said.contains("[mainframe.connections.CALC]"), "{said}");
    }
}

#[test]
fn responses_of_a_server_have_their_meaning() {
    let flood: &'static str = "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000).leak();
    for (answer, status, said) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", 200, ""),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n0123456789012345678901234567890123456789",
            502,
            "40 bytes",
        ),
        (
            "HTTP/1.1 500 No\r\ncics-abend: ASRA CALC\r\ncontent-length: 0\r\n\r\n",
            500,
            "ASRA",
        ),
        // A header counts as an abend whatever the status is.
        (
            "HTTP/1.1 200 OK\r\ncics-abend: \u{e9} CALC\r\ncontent-length: 3\r\n\r\nabc",
            500,
            "ended abnormally",
        ),
        ("HTTP/1.1 204 No\r\n\r\n", 502, "returned no data"),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            502,
            "returned no data",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: Text/HTML; charset=utf-8\r\ncontent-length: 3\r\n\r\nabc",
            502,
            "text/html",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
            502,
            "gzip",
        ),
        (
            "HTTP/1.1 404 No\r\ncontent-length: 7\r\n\r\nCALC  ?",
            500,
            "404",
        ),
        ("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n", 500, "401"),
        ("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n", 503, "503"),
        (
            "HTTP/1.1 500 No\r\ncontent-length: 4\r\n\r\noops",
            502,
            "may have run",
        ),
        ("no HTTP at all\r\n\r\n", 502, "may have run"),
        ("", 502, "may have run"),
        (flood, 502, "more than 32 answers of status 1xx"),
    ] {
        let (address, _seen) = server(answer.as_bytes());
        let settings = format!(
            "[mainframe.connections.CALC]\nurl = \"http://{address}/run/{{program}}\"\n\
             code_page = \"ascii\"\n"
        );
        let (mut process, http, _front) = front(&settings, &[]);
        let asked = http::send(&http, "POST", "/calc", Some(&body("ADD", 1)));
        let shown: String = answer.chars().take(80).collect();
        let shown_answer = format!("{shown:?}: {} {}", asked.status, text(&asked.body));
        assert_eq!(asked.status, status, "{shown_answer}");
        assert!(text(&asked.body).contains(said), "{shown_answer}");
        process.kill();
    }
}
