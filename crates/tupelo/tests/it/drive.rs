//! `tupelo drive` under Ctrl-C and SIGTERM.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::http;
use crate::program::{text, tupelo, until};

fn drive(args: &[&str]) -> Child {
    let mut command = tupelo();
    command.arg("drive").args(args);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Sends Ctrl-C. Returns the exit status and the output.
fn interrupt(child: Child, said: impl Read) -> (Option<i32>, String) {
    end_by(libc::SIGINT, child, said)
}

fn end_by(signal: i32, mut child: Child, mut said: impl Read) -> (Option<i32>, String) {
    // SAFETY: kill(2) takes any pid; this is the test's child.
    unsafe { libc::kill(child.id() as i32, signal) };
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code(), text)
}

/// The next connection; the program is ended when none comes within a minute.
fn accept(server: &TcpListener, child: &mut Child) -> TcpStream {
    server.set_nonblocking(true).unwrap();
    let begin = Instant::now();
    loop {
        match server.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            Err(_) if begin.elapsed() < Duration::from_secs(60) => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => {
                let _ = child.kill();
                panic!("no connection within a minute: {error}");
            }
        }
    }
}

#[test]
fn an_interrupt_before_the_common_start_ends_the_run() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", server.local_addr().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let start = (now.as_secs() + 86_400).to_string();
    let mut child = drive(&[&url, "--start-at", &start]);
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("the run starts at "), "{line}");
    let (status, text) = interrupt(child, said);
    assert_eq!(status, Some(2));
    assert!(text.contains("nothing was begun"), "{text}");
}

#[test]
fn an_interrupted_run_without_any_answer_is_no_success() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", server.local_addr().unwrap());
    let mut child = drive(&[&url, "--warmup", "0s"]);
    let said = child.stderr.take().unwrap();
    // One connection checks that the server is there, the other has a request.
    let _first = accept(&server, &mut child);
    let mut second = accept(&server, &mut child);
    second.read_exact(&mut [0; 1]).unwrap();
    let (status, text) = interrupt(child, said);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("no request was answered"), "{text}");
}

/// Takes this many connections, answers the first `answers` requests of each, and
/// says when one has been read.
fn answering(server: TcpListener, connections: usize, answers: usize) -> Receiver<()> {
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for mut stream in server.incoming().take(connections).flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                let mut answered = 0;
                while stream.read(&mut request).is_ok_and(|n| n > 0) {
                    let _ = sender.send(());
                    if answered < answers {
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                        let _ = stream.write_all(answer);
                        answered += 1;
                    }
                }
            });
        }
    });
    requests
}

/// SIGTERM, as at the end of a container: the report is still written.
#[test]
fn a_terminated_run_leaves_its_report() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", server.local_addr().unwrap());
    let requests = answering(server, usize::MAX, 3);
    let mut command = tupelo();
    command.args(["drive", &url, "-c", "1", "--warmup", "0s", "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let written = child.stdout.take().unwrap();
    for _ in 0..4 {
        if requests.recv_timeout(Duration::from_secs(60)).is_err() {
            let _ = child.kill();
            panic!("no request within a minute");
        }
    }
    let (status, report) = end_by(libc::SIGTERM, child, written);
    assert_eq!(status, Some(0), "{report}");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["title"].is_string(), "{report}");
}

#[test]
fn a_search_whose_server_dies_reports_what_was_tried() {
    let server = TcpListener::bind("127.77.5.1:0").unwrap();
    let url = format!("http://{}/", server.local_addr().unwrap());
    // The check that the server is there, and the client of the first level.
    let _server = answering(server, 2, usize::MAX);
    let mut command = tupelo();
    command.args(["drive", "knee", &url, "-c", "1", "--from", "20"]);
    command.args(["--repeats", "1", "-t", "200ms", "--warmup", "0s"]);
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    let error = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}{error}");
    assert!(said.contains("The search was interrupted"), "{said}");
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let unreachable = format!("{address} cannot be reached");
    assert!(error.contains(&unreachable), "{error}");
}

/// Tasks that a server has run to their normal end.
fn answered(admin: &str) -> u64 {
    let metrics = http::send(admin, "GET", "/metrics", None);
    let metrics = text(&metrics.body);
    let counter = "tupelo_region_tasks_ok_total ";
    let count = metrics.lines().find_map(|l| l.strip_prefix(counter));
    count.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}

/// The process that is driven ends after a part of the run: its answers are
/// those of that part, and the run is not a success.
#[test]
fn a_server_that_dies_mid_run_is_reported_first() {
    let app = crate::server::application(&[]);
    let server = crate::first_hour::WatchedServer::start(app.path(), &[]);
    let url = format!("http://{}/hello/world", server.address("gateway"));
    let pid = server.pid().to_string();
    let mut command = tupelo();
    command.args(["drive", &url, "--rate", "20", "--warmup", "0s"]);
    command.args(["-t", "12s", "--quiet", "--pid", &pid]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let admin = server.address("admin");
    until("the first answers", || answered(&admin) >= 20);
    drop(server);
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    let error = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}{error}");
    assert!(
        said.contains("\nNo request was answered in the last "),
        "{said}"
    );
    assert!(said.contains("could not be read from"), "{said}");
    assert!(
        error.contains("error: no request was answered in the last"),
        "{error}"
    );
}
