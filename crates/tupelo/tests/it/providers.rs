//! One suite for all that runs programs for a gateway: the region inside, a
//! region over `ipconn`, and a CICS that is called over its own HTTP or through
//! its sockets listener. Here all of them are regions of ours, in ASCII; what
//! a mainframe's bytes are is shown in the gateway's own tests.

use std::path::{Path, PathBuf};

use crate::http::{self, Answer};
use crate::ipconn::{Process, copy};
use crate::program::{text, until};

/// The programs of `testdata/mainframe`, with an API on CALC and one on CALCC.
fn application() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mainframe");
    copy(&data, folder.path());
    folder
}

/// Where programs run, and the gateway in front of them.
struct Provider {
    name: &'static str,
    gateway: Process,
    http: String,
    /// The region behind a connection.
    region: Option<Process>,
    /// An abend is told with its code.
    tells_abends: bool,
    _folders: Vec<tempfile::TempDir>,
}

impl Provider {
    /// The region inside the gateway's process.
    fn inside() -> Provider {
        let folder = application();
        let mut gateway = Process::start(folder.path(), &["--listen", "127.0.0.1:0"]);
        Provider {
            name: "inside",
            http: gateway.address("gateway"),
            gateway,
            region: None,
            tells_abends: true,
            _folders: vec![folder],
        }
    }

    /// A gateway that calls a region of its own, by the settings that are made
    /// of it.
    fn behind(
        name: &'static str,
        tells_abends: bool,
        settings: impl Fn(&mut Process) -> String,
    ) -> Provider {
        let (behind, front) = (application(), tempfile::tempdir().unwrap());
        let options = ["--listen", "127.0.0.1:0", "--ipconn", "127.0.0.1:0"];
        let mut region = Process::start(behind.path(), &options);
        copy(&behind.path().join("apis"), &front.path().join("apis"));
        let settings = settings(&mut region);
        std::fs::write(front.path().join("tupelo.toml"), settings).unwrap();
        let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
        let mut gateway = Process::start(front.path(), &options);
        Provider {
            name,
            http: gateway.address("gateway"),
            gateway,
            region: Some(region),
            tells_abends,
            _folders: vec![behind, front],
        }
    }

    fn ipconn() -> Provider {
        Provider::behind("ipconn", true, |region| {
            let address = region.address("ipconn");
            format!("[ipconn.connections.BACK]\naddress = \"{address}\"\n")
        })
    }

    fn web() -> Provider {
        Provider::behind("web", true, |region| {
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

    fn sockets() -> Provider {
        Provider::behind("sockets", false, |region| {
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

    fn ask(&self, path: &str, body: &str) -> Answer {
        http::send(&self.http, "POST", path, Some(body))
    }
}

fn body(op: &str, count: i32) -> String {
    format!(
        r#"{{"calc_op":"{op}","calc_name":"ann-e","calc_count":{count},"calc_price":-12.34,"calc_total":7}}"#
    )
}

/// What every provider must do.
fn conforms(provider: &Provider) {
    let name = provider.name;
    for path in ["/calc", "/calcc"] {
        // More than one connection's worth, so that connections are used again.
        for count in [1, 41, -99999] {
            let answer = provider.ask(path, &body("ADD", count));
            let told = format!("{name} {path}: {} {}", answer.status, text(&answer.body));
            assert_eq!(answer.status, 200, "{told}");
            let json = answer.json();
            assert_eq!(json["calc_name"].as_str().map(str::trim), Some("ANN-E"), "{told}");
            assert_eq!(json["calc_count"], count + 1, "{told}");
            assert_eq!(json["calc_price"], -24.68, "{told}");
            assert_eq!(json["calc_total"], -993, "{told}");
        }
        // What does not fit is the client's fault, whoever would run it.
        assert_eq!(provider.ask(path, &body("ADD", 123_456)).status, 400, "{name}");
    }
    let abend = provider.ask("/calc", &body("ABND", 1));
    let told = format!("{name}: {} {}", abend.status, text(&abend.body));
    match provider.tells_abends {
        true => {
            assert_eq!(abend.status, 500, "{told}");
            assert!(text(&abend.body).contains("OOPS"), "{told}");
        }
        false => assert_eq!(abend.status, 502, "{told}"),
    }
    // An abend costs its own request.
    assert_eq!(provider.ask("/calc", &body("ADD", 5)).status, 200, "{name}");
}

#[test]
fn every_provider_runs_programs_in_the_same_way() {
    let mut inside = Provider::inside();
    conforms(&inside);
    inside.gateway.kill();
    for make in [Provider::ipconn, Provider::web, Provider::sockets] {
        let mut provider = make();
        provider.ready();
        conforms(&provider);
        // The region goes away: the gateway says so, and answers on.
        provider.region.take().unwrap().kill();
        for _ in 0..2 {
            let answer = provider.ask("/calc", &body("ADD", 1));
            let told = format!("{}: {} {}", provider.name, answer.status, text(&answer.body));
            assert_eq!(answer.status, 502, "{told}");
        }
    }
}

impl Provider {
    /// Waits until its connections are made; those of others are made by the
    /// first request.
    fn ready(&mut self) {
        let http = self.http.clone();
        until("a first answer", || {
            http::send(&http, "POST", "/calc", Some(&body("ADD", 1))).status == 200
        });
    }
}

/// A gateway before a server of the test's own, which answers each request
/// with the status and the headers it is given.
fn before(answers: &'static str, settings: &str) -> (Process, String, tempfile::TempDir) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut bytes = [0; 4096];
            let _ = std::io::Read::read(&mut stream, &mut bytes);
            let _ = std::io::Write::write_all(&mut stream, answers.as_bytes());
        }
    });
    let front = tempfile::tempdir().unwrap();
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/mainframe/apis");
    copy(&data, &front.path().join("apis"));
    let text = format!(
        "[mainframe.connections.CALC]\nurl = \"http://{address}/run/{{program}}\"\n{settings}"
    );
    std::fs::write(front.path().join("tupelo.toml"), text).unwrap();
    let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
    let mut process = Process::start(front.path(), &options);
    let http = process.address("gateway");
    (process, http, front)
}

#[test]
fn what_a_server_answers_has_its_meaning() {
    for (answer, status, said) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
            200,
            "",
        ),
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
        (
            "HTTP/1.1 404 No\r\ncontent-length: 7\r\n\r\nCALC  ?",
            500,
            "404",
        ),
        (
            "HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n",
            500,
            "401",
        ),
        (
            "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n",
            503,
            "503",
        ),
        (
            "HTTP/1.1 500 No\r\ncontent-length: 4\r\n\r\noops",
            502,
            "may have run",
        ),
        ("no HTTP at all\r\n\r\n", 502, "may have run"),
        ("", 502, "may have run"),
    ] {
        let (mut process, http, _front) = before(answer, "");
        let asked = http::send(&http, "POST", "/calc", Some(&body("ADD", 1)));
        let told = format!("{answer:?}: {} {}", asked.status, text(&asked.body));
        assert_eq!(asked.status, status, "{told}");
        assert!(text(&asked.body).contains(said), "{told}");
        process.kill();
    }
}
