//! Terminals of a server: `testdata/terminal`, a conversation of three screens,
//! driven by the emulator of the crate `tn3270` and by s3270.

mod builtin;
mod driven;
mod flooded;
mod genapp;
mod page;
mod secure;
mod stepping;
mod teller;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tn3270::screen::KeyboardState;
use tn3270::{
    CodeTable, DeviceType, Emulator, EmulatorEvent, Key, KeyOutcome, LuName, TerminalModel,
};

use crate::http;
use crate::program::{text, until};
use crate::server::Server;

fn application() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/terminal")
}

/// An emulator on a connection.
struct Terminal {
    emulator: Emulator,
    stream: TcpStream,
    table: CodeTable,
}

impl Terminal {
    fn connect(server: &Server, emulator: Emulator) -> Terminal {
        let stream = TcpStream::connect(&server.tn3270).unwrap();
        let pause = Duration::from_millis(200);
        stream.set_read_timeout(Some(pause)).unwrap();
        let mut terminal = Terminal {
            emulator,
            stream,
            table: CodeTable::cp037(),
        };
        terminal.wait_for("Type a transaction");
        terminal
    }

    fn model_2(server: &Server) -> Terminal {
        Terminal::connect(server, Emulator::with_model(TerminalModel::display(2)))
    }

    fn text(&self) -> String {
        self.emulator.screen().screen_text(&self.table)
    }

    /// Exchanges bytes once and returns the events. Returns `None` at the end of the
    /// connection.
    fn exchange(&mut self) -> Option<Vec<EmulatorEvent>> {
        while let Some(bytes) = self.emulator.poll_transmit() {
            self.stream.write_all(&bytes).unwrap();
        }
        let mut events = Vec::new();
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(0) => return None,
            Ok(length) => {
                let bytes = &buffer[..length];
                self.emulator.handle_bytes(bytes, &mut events).unwrap();
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("{error}"),
        }
        Some(events)
    }

    /// Waits until the screen shows a text and the keyboard is unlocked.
    fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let unlocked = self.emulator.screen().keyboard() == KeyboardState::Unlocked;
            if unlocked && self.text().contains(text) {
                return;
            }
            let waited = start.elapsed() < Duration::from_secs(60);
            let alive = self.exchange().is_some();
            assert!(waited && alive, "no {text:?} on\n{}", self.text());
        }
    }

    fn type_text(&mut self, text: &str) {
        let outcome = self.emulator.screen_mut().type_text(text, &self.table);
        assert_eq!(outcome, KeyOutcome::Done, "{text:?} on\n{}", self.text());
    }

    fn press(&mut self, key: Key, then: &str) {
        let outcome = self.emulator.press(key);
        assert!(matches!(outcome, KeyOutcome::Send(_)), "{outcome:?}");
        self.wait_for(then);
    }

    fn cursor(&self) -> (u16, u16) {
        self.emulator.screen().cursor_position()
    }
}

#[test]
fn attn_raises_signal_at_the_next_command_of_the_task() {
    let server = Server::start(&application());
    for pressed in [[true, false], [false, true]] {
        let mut terminal = Terminal::model_2(&server);
        terminal.type_text("attn");
        terminal.press(Key::Enter, "ASKING");
        for (pressed, which) in pressed.into_iter().zip(["FIRST", "SECOND"]) {
            if pressed {
                let outcome = terminal.emulator.press(Key::Attention);
                assert_eq!(outcome, KeyOutcome::Attention);
            }
            let with = if pressed { "WITH" } else { "WITHOUT" };
            terminal.press(Key::Enter, &format!("{which} {with} SIGNAL"));
        }
    }
}

#[test]
fn a_map_is_shown_while_its_task_waits_for_attn_and_assign_gives_its_size_and_place() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("maps");
    terminal.press(Key::Enter, "SMALL PART");
    assert_eq!(
        terminal.text().lines().nth(2).unwrap().find("SMALL"),
        Some(10)
    );
    assert_eq!(
        terminal.emulator.press(Key::Attention),
        KeyOutcome::Attention
    );
    terminal.wait_for("BEFORE  16  5 SIZE   5 40 AT   3 10 SIGNAL  24");
}

#[test]
fn a_conversation_of_three_screens_runs_at_a_terminal() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("tell");
    terminal.press(Key::Enter, "TELLER MENU");
    assert_eq!(terminal.cursor(), (7, 17));
    // MAPFAIL: nothing was entered.
    terminal.press(Key::Enter, "Choose an option");
    assert_eq!(terminal.cursor(), (7, 17));
    terminal.type_text("7");
    terminal.press(Key::Enter, "There is no such option");
    terminal.type_text("1");
    terminal.press(Key::Enter, "TRANSFER");
    terminal.type_text("Savings");
    terminal.press(Key::Enter, "Enter account and amount");
    // The cursor is where the program put it, in the amount.
    assert_eq!(terminal.cursor(), (4, 20));
    // The account is sent again only if it is typed again, because of FRSET.
    terminal.type_text("1250");
    terminal.emulator.screen_mut().set_cursor(3 * 80 + 20);
    terminal.type_text("savings2");
    terminal.press(Key::Enter, "CONFIRM");
    let shown = terminal.text();
    assert!(shown.contains("Transfer     1,250"), "{shown}");
    assert!(shown.contains("to        savings2"), "{shown}");
    terminal.type_text("y");
    terminal.press(Key::Enter, "Transferred 0001250 to savings2");
    terminal.press(Key::Clear, "TELLER MENU");
    assert!(!terminal.text().contains("Transferred"));
    terminal.press(Key::Pf(3), "Goodbye, T001");
}

#[test]
fn a_task_waits_for_its_user_and_a_missing_map_is_named() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("CHAT");
    // The input that began the task is not the answer to its map.
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.type_text("5");
    terminal.press(Key::Enter, "You chose 5");
    terminal.press(Key::Clear, "");
    terminal.type_text("CHAT");
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.type_text("9");
    terminal.press(Key::Enter, "Transaction CHAT failed with abend ABM0");
    terminal.press(Key::Clear, "");
    terminal.type_text("CHAT");
    terminal.press(Key::Enter, "TELLER MENU");
    // HANDLE AID; then the client leaves a task that waits.
    terminal.press(Key::Pf(3), "");
    terminal.press(Key::Clear, "");
    terminal.type_text("CHAT");
    terminal.press(Key::Enter, "TELLER MENU");
    drop(terminal);
    // With ABM0 before, two.
    until("the task to end", || {
        let metrics = text(&http::send(&server.admin, "GET", "/metrics", None).body);
        metrics.contains("tupelo_region_tasks_abended_total 2")
            && metrics.contains("tupelo_terminals 0")
    });
}

#[test]
fn an_unknown_transaction_is_reported_and_another_can_be_typed() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("nope");
    terminal.press(Key::Enter, "Transaction 'NOPE' is not recognized");
    terminal.type_text("tell");
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.press(Key::Pf(3), "Goodbye");
    // CLEAR at a free terminal empties the screen.
    terminal.press(Key::Clear, "");
    terminal.type_text("TELL");
    terminal.press(Key::Enter, "TELLER MENU");
}

#[test]
fn a_logical_unit_has_one_terminal_and_is_free_when_that_leaves() {
    let server = Server::start(&application());
    let config = || {
        let mut config = tn3270::ClientConfig::new(DeviceType::display(2, true));
        config.lu_names = vec![LuName::parse(b"BRANCH07").unwrap()];
        config
    };
    let asking = || Emulator::new(config(), TerminalModel::display(2));
    let first = Terminal::connect(&server, asking());
    assert!(first.text().contains("terminal CH07"), "{}", first.text());
    let mut second = Terminal {
        emulator: asking(),
        stream: TcpStream::connect(&server.tn3270).unwrap(),
        table: CodeTable::cp037(),
    };
    let rejected = |events: &[EmulatorEvent]| {
        let mut events = events.iter();
        events.any(|event| matches!(event, EmulatorEvent::Rejected(_)))
    };
    while !rejected(&second.exchange().expect("an answer")) {}
    drop(first);
    let start = Instant::now();
    // The connection's end takes a moment to be seen.
    let mut again = loop {
        let mut next = Terminal {
            emulator: asking(),
            stream: TcpStream::connect(&server.tn3270).unwrap(),
            table: CodeTable::cp037(),
        };
        let refused = loop {
            let events = next.exchange().expect("an answer");
            if rejected(&events) || events.contains(&EmulatorEvent::Connected) {
                break rejected(&events);
            }
        };
        if !refused {
            break next;
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the LU is not free"
        );
    };
    again.wait_for("terminal CH07");
}

#[test]
fn five_thousand_clients_that_say_nothing_keep_no_terminal_out() {
    let server = Server::start(&application());
    let mut silent = Vec::new();
    for _ in 0..5_000 {
        match TcpStream::connect(&server.tn3270) {
            Ok(stream) => silent.push(stream),
            Err(error) if error.raw_os_error() == Some(OUT_OF_DESCRIPTORS) => {
                return skipped::lacking("descriptors", "5,000 connections may not be opened");
            }
            Err(error) => panic!("{error}"),
        }
    }
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("tell");
    terminal.press(Key::Enter, "TELLER MENU");
}

#[test]
fn a_client_may_leave_in_every_state_and_its_logical_unit_is_free() {
    let server = Server::start(&application());
    // A client's half of the negotiation, and its first input.
    let mut sent = vec![0xFF, 0xFB, 0x28, 0xFF, 0xFA, 0x28, 0x02, 0x07];
    sent.extend(b"IBM-3278-2-E\x01BRANCH07");
    sent.extend([0xFF, 0xF0, 0xFF, 0xFA, 0x28, 0x03, 0x07, 0xFF, 0xF0]);
    sent.extend([0, 0, 0, 0, 0, 0x7D, 0x40, 0x40, 0xFF, 0xEF]);
    for length in 0..=sent.len() {
        let mut stream = TcpStream::connect(&server.tn3270).unwrap();
        // The server may have closed it already.
        let _ = stream.write_all(&sent[..length]);
    }
    let states: [&[(&str, Key, &str)]; 7] = [
        &[("", Key::Clear, "")],
        &[("CHAT", Key::Enter, "TELLER MENU")],
        &[("TELL", Key::Enter, "TELLER MENU")],
        &[("cemt i ta", Key::Enter, "STATUS")],
        &[(
            "ceci WRITEQ TS QUEUE(A) FROM(B)",
            Key::Enter,
            "ABOUT TO EXECUTE",
        )],
        &[
            ("cedf", Key::Enter, "EDF MODE ON"),
            ("", Key::Clear, ""),
            ("step", Key::Enter, "PROGRAM INITIATION"),
        ],
        &[("nope", Key::Enter, "is not recognized")],
    ];
    for steps in states {
        let mut terminal = Terminal::model_2(&server);
        for (typed, key, then) in steps {
            terminal.type_text(typed);
            terminal.press(*key, then);
        }
    }
    // One leaves with a key under way.
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("TELL");
    terminal.emulator.press(Key::Enter);
    while let Some(bytes) = terminal.emulator.poll_transmit() {
        terminal.stream.write_all(&bytes).unwrap();
    }
    drop(terminal);
    until("all terminals to be gone", || {
        let metrics = text(&http::send(&server.admin, "GET", "/metrics", None).body);
        metrics.contains("tupelo_terminals 0")
    });
    let config = || {
        let mut config = tn3270::ClientConfig::new(DeviceType::display(2, true));
        config.lu_names = vec![LuName::parse(b"BRANCH07").unwrap()];
        config
    };
    let emulator = Emulator::new(config(), TerminalModel::display(2));
    let mut terminal = Terminal::connect(&server, emulator);
    assert!(terminal.text().contains("terminal CH07"));
    terminal.type_text("TELL");
    terminal.press(Key::Enter, "TELLER MENU");
}

/// EMFILE.
const OUT_OF_DESCRIPTORS: i32 = 24;

#[test]
fn plain_tn3270_clients_are_served_too() {
    let server = Server::start(&application());
    let mut config = tn3270::ClientConfig::new(DeviceType::display(3, false));
    config.tn3270e = false;
    let emulator = Emulator::new(config, TerminalModel::display(3));
    let mut terminal = Terminal::connect(&server, emulator);
    terminal.type_text("TELL");
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.press(Key::Pf(3), "Goodbye");
}

#[test]
fn what_is_typed_on_an_empty_screen_may_have_an_address() {
    let server = Server::start(&application());
    let mut config = tn3270::ClientConfig::new(DeviceType::display(2, true));
    config.tn3270e = false;
    let emulator = Emulator::new(config, TerminalModel::display(2));
    let mut terminal = Terminal::connect(&server, emulator);
    terminal.press(Key::Clear, "");
    // tnz sends SBA in front of "nope" here; s3270 does not.
    let record = [
        0x7D, 0x40, 0xC4, 0x11, 0x40, 0x40, 0x95, 0x96, 0x97, 0x85, 0xFF, 0xEF,
    ];
    terminal.stream.write_all(&record).unwrap();
    terminal.wait_for("Transaction 'NOPE' is not recognized");
    // The message has a screen of its own, with a field to type into.
    assert_eq!(terminal.cursor(), (0, 1));
    terminal.type_text("tell");
    terminal.press(Key::Enter, "TELLER MENU");
}

/// s3270 with its pipes.
struct S3270 {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl S3270 {
    /// Starts it. Returns `None`, and counts the test as skipped, if it is not
    /// installed.
    fn start() -> Option<S3270> {
        S3270::start_with(&[])
    }

    fn start_with(more: &[&str]) -> Option<S3270> {
        let started = Command::new("s3270")
            .args(["-model", "3279-2-E"])
            .args(more)
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

    /// The data lines of the answer to an action.
    fn run(&mut self, action: &str) -> Vec<String> {
        writeln!(self.child.stdin.as_mut().unwrap(), "{action}").unwrap();
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.answers.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "s3270 ended at {action}");
            match line.trim_end() {
                "ok" => return lines,
                "error" => panic!("{action}: {lines:?}"),
                line => lines.extend(line.strip_prefix("data: ").map(str::to_owned)),
            }
        }
    }

    fn shows(&mut self, text: &str) {
        self.run("Wait(30,Unlock)");
        let screen = self.run("Ascii()").join("\n");
        assert!(screen.contains(text), "no {text:?} on\n{screen}");
    }
}

impl Drop for S3270 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn s3270_shows_the_same_screens() {
    let Some(mut terminal) = S3270::start() else {
        return;
    };
    let server = Server::start(&application());
    terminal.run(&format!("Connect({})", server.tn3270));
    terminal.run("Wait(30,InputField)");
    terminal.shows("Type a transaction");
    terminal.run("String(tell)");
    terminal.run("Enter()");
    terminal.shows("TELLER MENU");
    assert_eq!(terminal.run("Query(Cursor)"), ["7 17"]);
    terminal.run("String(1)");
    terminal.run("Enter()");
    terminal.shows("TRANSFER");
    terminal.run("String(current)");
    terminal.run("Tab()");
    terminal.run("String(75)");
    terminal.run("Enter()");
    terminal.shows("Transfer        75");
    terminal.run("String(n)");
    terminal.run("Enter()");
    terminal.shows("Nothing is transferred");
    terminal.run("PF(3)");
    terminal.shows("Goodbye, T001");
}

#[test]
fn clients_that_say_nothing_give_way_to_a_terminal_and_the_longest_idle_after_them() {
    let folder = tempfile::tempdir().unwrap();
    crate::operator::copy(&application(), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let limited = text.replace("[terminal]\n", "[terminal]\nmax_connections = 3\n");
    assert_ne!(limited, text);
    std::fs::write(settings, limited).unwrap();
    let server = Server::start(folder.path());
    let mut silent: Vec<TcpStream> = (0..3)
        .map(|_| TcpStream::connect(&server.tn3270).unwrap())
        .collect();
    let mut terminals: Vec<Terminal> = (0..4).map(|_| Terminal::model_2(&server)).collect();
    for stream in &mut silent {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    }
    // The first terminal has been idle for longest.
    let mut first = terminals.remove(0);
    until("the first terminal's end", || first.exchange().is_none());
    for terminal in &mut terminals {
        assert!(terminal.exchange().is_some());
    }
}
