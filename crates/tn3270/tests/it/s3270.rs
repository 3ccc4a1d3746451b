//! The server session live, with s3270 as the terminal, over loopback.
//!
//! The test is skipped where s3270 is not installed. Sockets, threads and the
//! clock are the test's; the session has none.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tn3270::stream::InboundRecord;
use tn3270::{Aid, LuName, ResponseFlag, ServerConfig, ServerSession, SessionEvent, TerminalInfo};

use crate::support::{bytes, first_screen, hex};

/// s3270 with its pipes.
struct S3270 {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl S3270 {
    /// Starts it. Returns `None`, and counts the test as skipped, if it is not
    /// installed.
    fn start(arguments: &[&str]) -> Option<S3270> {
        let started = Command::new("s3270")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(mut child) => {
                let answers = BufReader::new(child.stdout.take().unwrap());
                Some(S3270 { child, answers })
            }
            Err(error) => {
                skipped::lacking("s3270", error);
                None
            }
        }
    }

    /// Sends an action without waiting for its answer.
    fn begin(&mut self, action: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{action}").unwrap();
    }

    /// The data lines of the answer to an action.
    fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "s3270 ended");
            match line.trim_end() {
                "ok" => return lines,
                "error" => panic!("{lines:?}"),
                line => lines.extend(line.strip_prefix("data: ").map(str::to_owned)),
            }
        }
    }

    fn run(&mut self, action: &str) -> Vec<String> {
        self.begin(action);
        self.answer()
    }
}

impl Drop for S3270 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server session on a socket.
struct TestHost {
    session: ServerSession,
    socket: TcpStream,
    start: Instant,
}

impl TestHost {
    fn accept(listener: &TcpListener, config: ServerConfig) -> TestHost {
        let socket = accepted(listener);
        socket
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        TestHost {
            session: ServerSession::new(config, Duration::ZERO),
            socket,
            start: Instant::now(),
        }
    }

    fn flush(&mut self) {
        while let Some(out) = self.session.poll_transmit() {
            self.socket.write_all(&out).unwrap();
        }
    }

    /// Reads until an event comes; gives LUs.
    fn event(&mut self) -> SessionEvent {
        let mut buffer = [0; 4096];
        loop {
            self.flush();
            match self.session.poll_event() {
                Some(SessionEvent::LuRequested { name, .. }) => {
                    let any = LuName::parse(b"LU000001").unwrap();
                    self.session.assign_lu(name.unwrap_or(any)).unwrap();
                    continue;
                }
                Some(event) => return event,
                None => {}
            }
            let length = self.socket.read(&mut buffer).unwrap();
            assert_ne!(length, 0, "s3270 closed the connection");
            let now = self.start.elapsed();
            self.session.handle_bytes(&buffer[..length], now).unwrap();
        }
    }

    fn connected(&mut self) -> TerminalInfo {
        assert_eq!(self.event(), SessionEvent::Connected);
        self.session.terminal().unwrap().clone()
    }

    fn send(&mut self, record: &[u8]) {
        let flag = ResponseFlag::NoResponse;
        self.session.send_record(record, flag).unwrap();
        self.flush();
    }

    fn input(&mut self) -> Vec<u8> {
        match self.event() {
            SessionEvent::Input(record) => record,
            other => panic!("{other:?}"),
        }
    }
}

/// The next connection; panics if none comes within ten seconds.
fn accepted(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((socket, _)) => {
                socket.set_nonblocking(false).unwrap();
                return socket;
            }
            Err(error) => assert!(start.elapsed() < Duration::from_secs(60), "{error}"),
        }
        std::thread::yield_now();
    }
}

/// A terminal that shows the first screen.
fn shown(
    arguments: &[&str],
    config: ServerConfig,
    lu: &str,
) -> Option<(S3270, TestHost, TerminalInfo)> {
    let mut terminal = S3270::start(arguments)?;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    terminal.begin(&format!("Connect(\"{lu}127.0.0.1:{port}\")"));
    let mut host = TestHost::accept(&listener, config);
    let info = host.connected();
    host.send(&first_screen());
    terminal.answer();
    terminal.run("Wait(5,InputField)");
    Some((terminal, host, info))
}

#[test]
fn s3270_shows_a_screen_and_sends_what_was_typed() {
    let config = ServerConfig::default();
    let Some((mut terminal, mut host, info)) = shown(&["-model", "3279-4-E"], config, "") else {
        return;
    };
    assert_eq!(info.alternate.rows(), 43);
    assert!(info.tn3270e && info.has_color());
    assert_eq!(info.code_page(), Some(37));
    assert_eq!(terminal.run("Query(LuName)"), ["LU000001"]);
    assert_eq!(terminal.run("Query(Cursor)"), ["2 9"]);
    assert_eq!(terminal.run("Ascii(0,0,8)"), ["  TITLE"]);
    terminal.run("String(\"ab1\")");
    // s3270 answers a key when the host has unlocked the keyboard.
    terminal.begin("Enter()");
    let input = host.input();
    assert_eq!(hex(&input), "7dc26c11c2e98182f111c6d9d4c4e3e2c5e3");
    let parsed = InboundRecord::parse(&input, 1920).unwrap();
    assert_eq!((parsed.aid(), parsed.fields().count()), (Aid::Enter, 2));
    host.send(&bytes("f1c2"));
    terminal.answer();
    terminal.begin("Clear()");
    assert_eq!(host.input(), [0x6D]);
    host.send(&bytes("7ec2 1140401d60"));
    terminal.answer();
    assert_eq!(terminal.run("Query(ScreenCurSize)"), ["43 80"]);
    terminal.begin("Attn()");
    assert_eq!(host.event(), SessionEvent::Attention);
    terminal.begin("SysReq()");
    assert_eq!(host.event(), SessionEvent::SystemRequest);
}

#[test]
fn s3270_without_tn3270e_and_with_an_lu_name_is_served() {
    let config = ServerConfig {
        tn3270e: false,
        ..ServerConfig::default()
    };
    let arguments = ["-model", "3279-2-E", "-oversize", "100x50"];
    let Some((mut terminal, mut host, info)) = shown(&arguments, config, "MYLU@") else {
        return;
    };
    assert_eq!(info.device.name(), "IBM-DYNAMIC");
    assert_eq!((info.alternate.rows(), info.alternate.columns()), (50, 100));
    assert_eq!(info.lu.as_str(), "MYLU");
    terminal.begin("PF(24)");
    assert_eq!(host.input()[0], 0x4C);
}

#[test]
fn s3270_answers_every_record_and_rejects_malformed_ones() {
    let config = ServerConfig::default();
    let Some((_terminal, mut host, info)) = shown(&["-model", "3279-2-E"], config, "TERM01@")
    else {
        return;
    };
    assert_eq!(info.lu.as_str(), "TERM01");
    assert!(info.functions.responses && info.functions.bind_image);
    for (record, accepted) in [("f1c2", true), ("f1c2117f7f", false), ("99", false)] {
        let flag = ResponseFlag::AlwaysResponse;
        let number = host.session.send_record(&bytes(record), flag).unwrap();
        let SessionEvent::Response { sequence, outcome } = host.event() else {
            panic!("{record}");
        };
        assert_eq!((sequence, outcome.is_ok()), (number, accepted), "{record}");
    }
}
