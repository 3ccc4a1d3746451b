//! `tupelo drive` under Ctrl-C.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::program::tupelo;

fn drive(args: &[&str]) -> Child {
    let mut command = tupelo();
    command.arg("drive").args(args);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Ctrl-C; the exit status and what else was said.
fn interrupt(mut child: Child, mut said: impl Read) -> (Option<i32>, String) {
    // SAFETY: kill(2) takes any pid; this is the test's child.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code(), text)
}

#[test]
fn an_interrupt_while_the_common_start_is_awaited_begins_nothing() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", server.local_addr().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let start = (now.as_secs() + 86_400).to_string();
    let mut child = drive(&[&url, "--start-at", &start]);
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("beginning at "), "{line}");
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
    // One connection looks whether the server is there, the other has a request.
    let _first = server.accept().unwrap();
    let (mut second, _) = server.accept().unwrap();
    second.read_exact(&mut [0; 1]).unwrap();
    let (status, text) = interrupt(child, said);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("no request was answered"), "{text}");
}
