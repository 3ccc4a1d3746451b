//! CICS web support served by a region: requests of a client to programs of `testdata/web`
//! through TCPIPSERVICEs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use crate::http::{self, HttpAnswer};
use crate::program::{tupelo, until};
use crate::server::Server;
use crate::users;

/// A region with the programs of `testdata/web`.
pub struct Region {
    pub server: Server,
    pub folder: tempfile::TempDir,
}

impl Region {
    fn start() -> Region {
        Region::with(|_| ())
    }

    /// `change` edits the folder before the start.
    pub fn with(change: impl Fn(&Path)) -> Region {
        let folder = tempfile::tempdir().unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/web");
        copy(&data, folder.path());
        change(folder.path());
        Region {
            server: Server::start(folder.path()),
            folder,
        }
    }

    /// The same with its log in a file.
    fn logging(log: std::fs::File) -> Region {
        let folder = tempfile::tempdir().unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/web");
        copy(&data, folder.path());
        Region {
            server: Server::start_logging(folder.path(), log),
            folder,
        }
    }

    /// Where a TCPIPSERVICE listens.
    pub fn at(&self, service: &str) -> &str {
        let mut all = self.server.web.iter();
        &all.find(|(name, _)| name == service).expect("it listens").1
    }

    /// Sends a request on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> HttpAnswer {
        let length = body.len();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: test.example\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        http::raw(self.at("WEB"), &request).expect("an answer")
    }

    fn get(&self, path: &str) -> HttpAnswer {
        self.send("GET", path, "", b"")
    }

    /// How many monitoring records a transaction has.
    fn records(&self, transid: &str) -> usize {
        self.monitoring_records(transid).len()
    }

    /// Monitoring records of a transaction.
    fn monitoring_records(&self, transid: &str) -> Vec<serde_json::Value> {
        let path = self.server.in_state("monitoring.jsonl");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
        let of = |r: &serde_json::Value| r["transid"].as_str().map(str::trim_end) == Some(transid);
        lines.filter(of).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to)
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn text(answer: &HttpAnswer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[test]
fn a_program_answers_and_each_of_its_tasks_has_a_record() {
    let region = Region::start();
    let answer = region.send(
        "POST",
        "/echo",
        "Content-Type: text/plain\r\n",
        b"some text",
    );
    assert_eq!((answer.status, text(&answer).as_str()), (200, "some text"));
    assert_eq!(answer.header("content-type"), Some("text/plain"));
    until("both records", || {
        region.records("WECH") == 1 && region.records("CWXN") == 1
    });
    for _ in 0..20 {
        region.get("/echo");
    }
    until("the records", || {
        region.records("CWXN") == 21 && region.records("WECH") == 21
    });
    for record in [
        region.monitoring_records("CWXN"),
        region.monitoring_records("WECH"),
    ]
    .concat()
    {
        let figure = |name: &str| record[name].as_u64().unwrap();
        let used = figure("general_cpu_ns") + figure("offload_cpu_ns");
        assert!(used > 0 && used <= figure("response_ns"), "{record}");
    }

    let answer = region.send(
        "GET",
        "/tell/me?a=1&b=x+y&a=2",
        "X-Test: yes it is\r\n",
        b"",
    );
    let expected = "\
GET /tell/me [a=1&b=x+y&a=2] HTTP/1.1 test.example TELL
HTTP
X-Test  0  0 yes it is
cut 22  2 yes
X-None 13  1
length 0 22  1
no browse 16  4
a  0  0 1
b  0  0 x y
a  0  0 2
end 20  0
browse again 21 10
headers   4
WEB     127.0.0.1
";
    let lines: Vec<String> = text(&answer)
        .lines()
        .map(|l| l.trim_end().to_owned())
        .collect();
    assert_eq!(lines.join("\n") + "\n", expected);
    assert_eq!(answer.status, 201);
    assert!(
        answer.head.starts_with("HTTP/1.1 201 Done"),
        "{}",
        answer.head
    );
    assert_eq!(answer.header("x-answer"), Some("yes"));
}

#[test]
fn forms_are_read_in_either_encoding() {
    let region = Region::start();
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let fields = |answer: &HttpAnswer| -> Vec<String> {
        text(answer)
            .lines()
            .map(|l| l.trim_end().to_owned())
            .collect()
    };
    let answer = region.send("POST", "/form", form, b"who=Ann+B%21&x=1");
    let expected = [
        "who  0  0 Ann B!",
        "who  0  0 Ann B!",
        "x  0  0 1",
        " 20  0",
    ];
    assert_eq!(fields(&answer), expected);
    let form = "Content-Type: multipart/form-data; boundary=XX\r\n";
    let body = b"--XX\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nAnn\r\n--XX--\r\n";
    let answer = region.send("POST", "/form", form, body);
    assert_eq!(
        fields(&answer),
        ["who  0  0 Ann", "who  0  0 Ann", " 20  0"]
    );
    // A form without its last boundary, and a body that is not a form.
    let answer = region.send("POST", "/form", form, &body[..60]);
    assert_eq!(fields(&answer), ["who 16154"]);
    let answer = region.send("POST", "/form", "Content-Type: image/png\r\n", b"who=1");
    assert_eq!(fields(&answer), ["who 16153"]);
}

#[test]
fn answers_come_in_chunks_and_from_documents_files_and_redirections() {
    let region = Region::start();
    let answer = region.get("/chunks");
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    assert_eq!(text(&answer).lines().count(), 40);
    assert!(text(&answer).ends_with("line 40\n"));
    let old = http::raw(region.at("WEB"), b"GET /chunks HTTP/1.0\r\nHost: h\r\n\r\n").unwrap();
    assert_eq!((old.status, text(&old).as_str()), (505, "no chunks"));

    // The announced trailer follows the chunks, for clients that accept trailers.
    for (takes, expected) in [("TE: trailers\r\n", true), ("", false)] {
        let mut stream = TcpStream::connect(region.at("WEB")).unwrap();
        let request =
            format!("GET /chunks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{takes}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut whole = String::new();
        stream.read_to_string(&mut whole).unwrap();
        let trailers = whole.ends_with("\r\n0\r\nx-lines: 40\r\n\r\n");
        assert_eq!(trailers, expected, "{whole}");
        assert!(!whole.contains("x-other"), "{whole}");
    }

    let answer = region.get("/page");
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let page = "<h1>Hello Ann</h1><p>Tupelo</p>\r\n\n<hr>";
    assert_eq!((answer.status, text(&answer).as_str()), (200, page));
    let answer = region.get("/template?who=you");
    assert!(text(&answer).starts_with("<h1>Hello you</h1>"));

    let answer = region.get("/files/plain.txt");
    assert_eq!(
        (answer.status, text(&answer).as_str()),
        (200, "plain text\n")
    );
    let part = region.send("GET", "/files/plain.txt", "Range: bytes=6-9\r\n", b"");
    assert_eq!((part.status, text(&part).as_str()), (206, "text"));
    for path in [
        "/files/../tupelo.toml",
        "/files/%2e%2e/tupelo.toml",
        "/files/none",
        "/files/",
    ] {
        assert_eq!(region.get(path).status, 404, "{path}");
    }
    let answer = region.get("/old");
    assert_eq!(
        (answer.status, answer.header("location")),
        (301, Some("/new"))
    );
    assert_eq!(region.get("/off").status, 503);
    assert_eq!(region.get("/none").status, 404);
    // Its pipeline is not defined.
    assert_eq!(region.send("POST", "/pipe", "", b"<a/>").status, 500);
}

#[test]
fn a_second_answer_takes_the_place_of_one_that_waits() {
    let region = Region::start();
    for (how, status, body, headers) in [
        ("kept", 202, "second", (None, Some("2"))),
        ("now", 200, "second", (None, Some("2"))),
        ("document", 200, "second", (None, Some("2"))),
        ("refused", 201, "first", (Some("1"), None)),
    ] {
        let answer = region.get(&format!("/twice?how={how}"));
        assert_eq!((answer.status, &*text(&answer)), (status, body), "{how}");
        let got = (answer.header("x-first"), answer.header("x-second"));
        assert_eq!(got, headers, "{how}");
    }
}

#[test]
fn a_program_without_an_answer_and_one_that_abends_are_reported() {
    let region = Region::start();
    let answer = region.get("/nothing");
    assert_eq!(answer.status, 500);
    assert!(
        text(&answer).contains("without WEB SEND"),
        "{}",
        text(&answer)
    );
    let answer = region.get("/abend");
    assert_eq!(answer.status, 500);
    assert!(text(&answer).contains("OOPS"), "{}", text(&answer));
}

#[test]
fn connections_stay_open_as_their_service_says() {
    let region = Region::start();
    let request = b"GET /old HTTP/1.1\r\nHost: h\r\n\r\n";
    let mut stream = TcpStream::connect(region.at("WEB")).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    for _ in 0..3 {
        stream.write_all(request).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 301"));
    }
    // SOCKETCLOSE(0): the server closes after its answer.
    let once = http::raw(region.at("ONCE"), request).expect("an answer, and the end");
    assert_eq!(
        (once.status, once.header("connection")),
        (301, Some("close"))
    );
}

#[test]
fn what_is_too_much_is_refused_and_clients_that_vanish_harm_no_other() {
    let region = Region::start();
    let answer = region.send("POST", "/echo", "", &vec![b'x'; 65_537]);
    assert_eq!(answer.status, 413);
    let all = vec![b'x'; 65_536];
    assert_eq!(region.send("POST", "/echo", "", &all).body, all);
    // Chunks without an end are refused when they are too many.
    let mut endless =
        b"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..80 {
        endless.extend_from_slice(b"400\r\n");
        endless.extend_from_slice(&[b'y'; 1024]);
        endless.extend_from_slice(b"\r\n");
    }
    assert_eq!(http::raw(region.at("WEB"), &endless).unwrap().status, 413);
    let mut huge = b"GET /echo HTTP/1.1\r\nHost: h\r\nX: ".to_vec();
    huge.extend_from_slice(&vec![b'h'; 100_000]);
    huge.extend_from_slice(b"\r\n\r\n");
    let refused = http::raw(region.at("WEB"), &huge);
    assert!(refused.is_none_or(|answer| answer.status == 431));
    for _ in 0..20 {
        let mut stream = TcpStream::connect(region.at("WEB")).unwrap();
        let request = b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nabcd";
        stream.write_all(request).unwrap();
        drop(stream);
    }
    let answer = region.send("POST", "/echo", "", b"still here");
    assert_eq!(text(&answer), "still here");
    until("no task is left", || {
        let metrics = http::send(&region.server.admin, "GET", "/metrics", None);
        text(&metrics).contains("tupelo_web_tasks 0")
    });
}

/// The COMMAREA of a transaction of the same application, run by itself, without the port of
/// its server.
fn client(region: &Region, transid: &str) -> Vec<String> {
    client_of(region, "WEB", transid)
}

/// The same of another server.
pub fn client_of(region: &Region, service: &str, transid: &str) -> Vec<String> {
    let port = region.at(service).rsplit(':').next().unwrap();
    let output = tupelo()
        .args(["run", transid])
        .arg(region.folder.path())
        .args(["--json", "--length", "1605", "--commarea"])
        .arg(format!("{port:0>5}"))
        .arg("--state")
        .arg(tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let reply: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    assert!(reply["abend"].is_null(), "{reply}");
    let commarea = reply["commarea"].as_str().unwrap();
    let lines = commarea.as_bytes()[5..].chunks(80);
    let lines = lines.map(|l| String::from_utf8_lossy(l).trim_end().to_owned());
    lines.filter(|l| !l.is_empty()).collect()
}

#[test]
fn a_program_is_a_client_of_another() {
    let region = Region::start();
    let expected = [
        "NOT ALLOWED          70 100",
        "NO HOST              13   1",
        "NO MAP               13  61",
        "OPEN                  0   0",
        "RECEIVE TOO EARLY    16  80",
        "SEND                  0   0",
        "RECEIVE              22  57 201 Done GET /tell/x [a=1] HTTP/1.1",
        "READ HEADER           0   0 yes",
        "CONVERSE              0   0 200 hello there",
        "WRONG PATH           16  63",
        "EXTRACT               0   0 localhost",
        "WRONG TOKEN          19  27",
        "CLOSE                 0   0",
        "CLOSE AGAIN          19  27",
    ];
    assert_eq!(client(&region, "CLNT"), expected);
}

#[test]
fn a_request_is_sent_in_chunks_and_a_response_received_in_parts() {
    let region = Region::start();
    let expected = [
        "NO CERTIFICATE       16  40",
        "OPEN                  0   0",
        "END TOO EARLY        16  86",
        "FIRST                 0   0",
        "NO ANSWER YET        16  80",
        "NO CHUNK             16  86",
        "MORE                  0   0",
        "END                   0   0",
        "RECEIVE               0   0 164 one two two",
        "PIECE                 0   0  12 line 01/line",
        "PIECE                 0   0  12  02/line 03/",
        "FIRST AGAIN           0   0",
        "CLOSE WITHOUT END     0   0",
    ];
    assert_eq!(client(&region, "PART"), expected);
}

#[test]
fn requests_go_out_before_the_answers_to_those_before_are_received() {
    let region = Region::start();
    let expected = [
        "SEND                  0   0",
        "SEND                  0   0",
        "SEND NOTHING          0   0",
        "SEND PARTS            0   0",
        "CONVERSE             16  17",
        "FIRST                 0   0 300 line 01/line",
        "TRAILER               0   0 40",
        "ITS REST              0   0  20  38/line 39/",
        "NEXT                  0   0   6 second",
        "NEXT                  0   0   0",
        "NEXT                  0   0   8 in parts",
        "CONVERSE              0   0   4 last",
        "CLOSE                 0   0",
    ];
    assert_eq!(client(&region, "PIPE"), expected);
}

#[test]
fn trailers_of_requests_and_empty_bodies_are_read() {
    let region = Region::start();
    let ask = |trailer: &str| {
        let request = format!(
            "POST /tail HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\
             Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n{trailer}\r\n"
        );
        let answer = http::raw(region.at("WEB"), request.as_bytes()).unwrap();
        text(&answer).trim_end().to_owned()
    };
    assert_eq!(ask("3\r\nabc\r\n0\r\nX-Sum: 7\r\n"), "003 000 7");
    assert_eq!(ask("3\r\nabc\r\n0\r\nX-Other: 7\r\n"), "003 013");
    assert_eq!(ask("0\r\n"), "000 013");
    let empty = region.send("POST", "/tail", "", b"");
    assert_eq!(text(&empty).trim_end(), "000 013");
    let empty = region.send("POST", "/echo", "Content-Type: text/plain\r\n", b"");
    assert_eq!((empty.status, text(&empty).as_str()), (200, ""));
}

#[test]
fn a_program_disables_a_path_and_sends_it_elsewhere() {
    let region = Region::start();
    let set = |what: &str| {
        text(&region.get(&format!("/set?{what}")))
            .trim_end()
            .to_owned()
    };
    let echo = || region.send("POST", "/echo", "", b"x");
    assert_eq!(set("off"), "000 000");
    assert_eq!(echo().status, 503);
    assert_eq!(set("on"), "000 000");
    assert_eq!(echo().status, 200);
    assert_eq!(set("move"), "000 000 http://h.example/x");
    let moved = echo();
    let location = Some("http://h.example/x");
    assert_eq!((moved.status, moved.header("location")), (302, location));
    assert_eq!(set("part"), "016 003 http://h.example/x");
    assert_eq!(set("back"), "000 000");
    assert_eq!(text(&echo()), "x");
    assert_eq!(set("none"), "013 003");
}

#[test]
fn templates_in_queues_and_files_are_read_by_the_task() {
    let region = Region::start();
    let answer = region.get("/lines");
    let got = text(&answer)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(answer.status, 200, "{got}");
    assert_eq!(got, "<p>Dear Ann, we do 0001 thank you 0002 Ann 013 003");
    // No task reads it for a URIMAP alone.
    let alone = region.get("/inqueue");
    assert_eq!(alone.status, 500);
    assert!(text(&alone).contains("which only"), "{}", text(&alone));
}

#[test]
fn templates_are_given_by_programs_and_kept_from_transient_data() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let region = Region::logging(log.reopen().unwrap());
    let answer = region.get("/given");
    let got = text(&answer);
    assert_eq!(answer.status, 200, "{got}");
    let (start, long) = got.split_once("longlong").unwrap_or((&got, ""));
    let expected = "[Ann GIVEN1][Ann PLAIN0]a good line\r\nanother\r\na good line\r\nanother\r\n\
        NOEXIT  117 0000;REFUSED 117 0000;ENDLESS 117 0000;ABENDS  117 0000;no such text so far";
    assert_eq!(start, expected);
    assert_eq!(long.len() + "longlong".len(), 8_000);
    let log = || std::fs::read_to_string(log.path()).unwrap();
    for why in [
        "EXITPGM NOWHERE of template NOEXIT: there is no such program",
        "EXITPGM WEBEXIT of template REFUSED: it returned 8",
        "EXITPGM WEBEXIT of template ENDLESS: its template grows with every buffer",
        "EXITPGM WEBEXIT of template ABENDS: it ended with abend EXIT",
        "DOCTEMPLATE(NOEXIT): there is no program NOWHERE",
    ] {
        until(why, || log().contains(why));
    }
}

#[test]
fn basic_authentication_asks_the_one_user_store() {
    let region = Region::with(|folder| {
        let csd = folder.join("resources.csd");
        let before = std::fs::read_to_string(&csd).unwrap();
        let service = "DEFINE TCPIPSERVICE(SAFE) GROUP(WEB) PORTNUMBER(0) AUTHENTICATE(BASIC)\n";
        std::fs::write(csd, before + service).unwrap();
        let app = folder.to_str().unwrap();
        let add = ["user", "add", "alice", "--userid", "ALICE", "--app", app];
        assert_eq!(users::enter(&add, "secret of alice\n"), 0);
    });
    let ask = |header: &str| {
        let request = format!("GET /old HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{header}\r\n");
        http::raw(region.at("SAFE"), request.as_bytes()).unwrap()
    };
    let refused = ask("");
    assert_eq!(refused.status, 401);
    let realm = "Basic realm=\"CICS application in region TUPELO\"";
    assert_eq!(refused.header("www-authenticate"), Some(realm));
    assert_eq!(ask("Authorization: Basic YWxpY2U6d3Jvbmc=\r\n").status, 401);
    let right = "Authorization: Basic YWxpY2U6c2VjcmV0IG9mIGFsaWNl\r\n";
    assert_eq!(ask(right).status, 301);
}

/// A program that calls a server which never answers.
const SILENT: &str = include_str!("../../testdata/programs/web/SILENT.cbl");

#[test]
fn a_session_takes_the_connection_of_the_one_before_until_its_time_is_over() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let region = Region::with(|folder| {
        std::fs::write(folder.join("cobol/POOLED.cbl"), POOLED).unwrap();
        let csd = folder.join("resources.csd");
        let before = std::fs::read_to_string(&csd).unwrap();
        let more = format!(
            "DEFINE URIMAP(POOLED) GROUP(WEB) PATH(/pooled) PROGRAM(POOLED)\n\
             DEFINE URIMAP(POOL) GROUP(WEB) USAGE(CLIENT) HOST(127.0.0.1:{port}) PATH(/x)\n\
             \x20      SOCKETCLOSE(000002)\n"
        );
        std::fs::write(&csd, before + &more).unwrap();
    });
    // Answers so many requests of a connection, each as it comes.
    let answers = |stream: &mut TcpStream, requests: usize| {
        for _ in 0..requests {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
            stream.write_all(answer.as_bytes()).unwrap();
        }
    };
    std::thread::scope(|scope| {
        // Two sessions, one connection; then its time is over.
        let answer = scope.spawn(|| region.get("/pooled"));
        let (mut stream, _) = listener.accept().unwrap();
        answers(&mut stream, 2);
        assert_eq!(text(&answer.join().unwrap()), "ok 000 ok 000");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 0, "it is closed");
        // The client does not wait for the answer of a server that sends too many.
        let answer = scope.spawn(|| region.get("/pooled"));
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let flood = "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000);
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            let _ = stream.write_all((flood + ok).as_bytes());
        }
        let shown = text(&answer.join().unwrap());
        assert!(!shown.contains("ok"), "{shown}");
    });
}

/// Two sessions by one URIMAP, one after the other.
const POOLED: &str = include_str!("../../testdata/programs/web/POOLED.cbl");

#[test]
fn a_purge_ends_the_wait_for_a_server_and_the_worker_goes_on() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    let region = Region::with(|folder| {
        let program = SILENT.replace("PORT-OF-IT", &port);
        std::fs::write(folder.join("cobol/SILENT.cbl"), program).unwrap();
        let csd = folder.join("resources.csd");
        let before = std::fs::read_to_string(&csd).unwrap();
        let more = "DEFINE URIMAP(SILENT) GROUP(WEB) PATH(/silent) PROGRAM(SILENT)\n";
        std::fs::write(&csd, before + more).unwrap();
    });
    let admin = region.server.admin.clone();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| region.get("/silent").status);
        let (mut connection, _) = silent.accept().unwrap();
        // Now the request waits, not the connection.
        connection.read_exact(&mut [0]).unwrap();
        let mut number = 0;
        until("the task", || {
            let tasks = http::send(&admin, "GET", "/tasks", None);
            let tasks: serde_json::Value = serde_json::from_slice(&tasks.body).unwrap();
            let all = tasks.as_array().cloned().unwrap_or_default();
            let waits =
                |t: &&serde_json::Value| t["program"] == "SILENT" && t["status"] == "SUSPENDED";
            let task = all.iter().find(waits);
            number = task.map_or(0, |t| t["task"].as_u64().unwrap());
            number != 0
        });
        let purged =
            crate::program::run(&["task", "purge", &number.to_string(), "--admin", &admin]);
        assert!(purged.status.success(), "{purged:?}");
        assert_eq!(answer.join().unwrap(), 504);
    });
    let metrics = text(&http::send(&admin, "GET", "/metrics", None));
    assert!(metrics.contains("tupelo_region_workers_lost_total 0"));
}

#[test]
fn an_analyzer_chooses_what_serves_a_request() {
    let region = Region::start();
    let ask = |path: &str, body: &str| http::post_text(region.at("ANALYZED"), path, body);
    // Converter, program, transaction and token are the analyzer's, and so is
    // what it has changed in the body.
    let (status, shown) = ask("/analyzed/yes", "an+old%21 body");
    assert_eq!((status, shown.as_str()), (202, "0044 01 an new! body"));
    until("the record of the alias", || region.records("WECH") == 1);
    let (status, shown) = ask("/analyzed/no", "x");
    assert_eq!(status, 400, "{shown}");
    assert!(shown.contains("response 4, reason 42"), "{shown}");
    let (status, shown) = ask("/analyzed/dead", "x");
    assert!(status == 500 && shown.contains("ANLZ"), "{status} {shown}");
    // Without a URIMAP the analyzer may still accept the path.
    assert_eq!(ask("/nowhere/else", "an echo"), (200, "an echo".to_owned()));
    assert_eq!(ask("/nowhere/at/all", "x").0, 400);
    // The sample analyzer reads converter, transaction and program of the path.
    let sample = |path: &str| http::post_text(region.at("SAMPLE"), path, "by path");
    assert_eq!(sample("/cics/wech/webecho"), (200, "by path".to_owned()));
    assert_eq!(
        sample("/webcnvt/cwba/webplain/ignored?token"),
        (202, "0044 01 by path".to_owned())
    );
    assert_eq!(sample("/cics").0, 400);
    assert_eq!(sample("/echo"), (200, "by path".to_owned()));
}

#[test]
fn a_converter_makes_the_commarea_and_the_answer() {
    let region = Region::start();
    let ask = |body: &str| http::post_text(region.at("WEB"), "/convert", body);
    let answer = region.send("POST", "/convert", "Content-Type: text/plain\r\n", b"hello");
    assert_eq!(
        (answer.status, text(&answer).as_str()),
        (202, "0044 01 hello")
    );
    assert!(
        answer.head.starts_with("HTTP/1.1 202 Converted"),
        "{}",
        answer.head
    );
    assert_eq!(answer.header("content-type"), Some("text/plain"));
    // Encode may ask for decode and the program again, but not for ever.
    assert_eq!(ask("twice: x"), (202, "0088 02 twice: x".to_owned()));
    assert_eq!(ask("again: x").0, 500);
    for (body, status) in [
        ("wrong: x", 400),
        ("guard: x", 403),
        ("other: x", 501),
        ("crash: x", 500),
        ("lost:  x", 404),
        ("mute:  x", 501),
    ] {
        assert_eq!(ask(body).0, status, "{body}");
    }
    // An empty body is accepted.
    assert_eq!(ask(""), (202, "0044 01 ".to_owned()));
    // A program that uses WEB commands answers with them.
    assert_eq!(ask("self:  x"), (200, "self:  x".to_owned()));
}

#[test]
fn a_map_whose_program_is_a_script_serves_it_at_a_services_address() {
    let script = "
export function GET(request, response) {
  if (request.query.has('fail')) nowhere();
  if (request.query.has('parts')) { response.write('one ').flush(); return 'two'; }
  return { method: request.method, path: request.path, host: request.headers.get('host') };
}
export function POST(request, response) { response.status = 201; return request.text(); }
";
    let region = Region::with(|folder| {
        std::fs::create_dir_all(folder.join("scripts")).unwrap();
        std::fs::write(folder.join("scripts/greet.js"), script).unwrap();
        let csd = folder.join("resources.csd");
        let before = std::fs::read_to_string(&csd).unwrap();
        let maps = "DEFINE URIMAP(GREETMAP) GROUP(WEB) USAGE(SERVER) PATH(/greet) PROGRAM(GREET)\n\
                    DEFINE URIMAP(NOTHERE) GROUP(WEB) USAGE(SERVER) PATH(/nothere) PROGRAM(NOTHERE)\n\
                    DEFINE URIMAP(GREETCNV) GROUP(WEB) USAGE(SERVER) PATH(/convertgreet) PROGRAM(GREET) CONVERTER(NOTHERE)\n";
        std::fs::write(csd, before + maps).unwrap();
    });
    let answer = region.get("/greet?a=b");
    let expected = r#"{"method":"GET","path":"/greet","host":"test.example"}"#;
    assert_eq!((answer.status, text(&answer).as_str()), (200, expected));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let answer = region.send("POST", "/greet", "", b"a body");
    assert_eq!((answer.status, text(&answer).as_str()), (201, "a body"));
    assert_eq!(region.send("DELETE", "/greet", "", b"").status, 405);
    assert_eq!(text(&region.get("/greet?parts")), "one two");
    let answer = region.get("/greet?fail");
    let shown = text(&answer);
    assert!(
        answer.status == 500 && shown.contains("AJST") && shown.contains("greet.js:3"),
        "{shown}"
    );
    assert_eq!(region.get("/nothere").status, 500);
    assert_eq!(region.get("/convertgreet").status, 500);
    until("its record", || region.records("CJSR") == 5);
}
