//! 3270 terminals against a small host made of the crate `tn3270`: a menu, and
//! the screen that it leads to.

use crate::peers::{carry_out, plan, serve};
use drive::engine::RequestFailure;
use drive::recording::{RecordSettings, SessionRecorder, record};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tn3270::{Aid, CodeTable, Command, FieldAttribute, InboundRecord, OutboundBuilder};
use tn3270::{LuName, RejectReason, ResponseFlag, ServerConfig, ServerSession, SessionEvent, Wcc};

/// The menu: a title, the last entry, and an input field after `Option`.
fn menu(last: &str, restore: bool) -> Vec<u8> {
    let table = CodeTable::cp037();
    let wcc = Wcc {
        restore_keyboard: restore,
        reset_modified: true,
        ..Wcc::default()
    };
    let mut screen = OutboundBuilder::new(Command::EraseWrite, wcc, 1920);
    screen.address(0).field(FieldAttribute::AUTOSKIP);
    screen.text(&table.encode_text("TEST MENU"));
    screen.address(160).field(FieldAttribute::AUTOSKIP);
    screen.text(&table.encode_text(&format!("Last {last}.")));
    screen.address(320).field(FieldAttribute::AUTOSKIP);
    screen.text(&table.encode_text("Option"));
    screen
        .address(330)
        .field(FieldAttribute::UNPROTECTED)
        .cursor();
    screen.address(339).field(FieldAttribute::AUTOSKIP);
    screen.text(&table.encode_text("Secret"));
    screen.address(350).field(FieldAttribute::parse(HIDDEN));
    screen.address(359).field(FieldAttribute::AUTOSKIP);
    screen.into_record()
}

/// An unprotected field that does not show what is typed.
const HIDDEN: u8 = 0x0C;

/// The behaviour of the host.
#[derive(Clone, Copy, Default)]
pub struct HostBehaviour {
    /// A first record without the keyboard's unlock, and the menu after it.
    pub two_records: bool,
    /// PF3 ends the session.
    pub ends: bool,
    /// The only LU that may be asked for.
    pub unit: Option<&'static str>,
    /// TN3270E is offered.
    pub tn3270e: bool,
}

/// Serves terminals. Returns the address and the number of connections so far.
pub fn host(behaviour: HostBehaviour) -> (SocketAddr, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let address = serve(move |stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        serve_terminal(stream, behaviour);
    });
    (address, count)
}

fn serve_terminal(mut stream: TcpStream, behaviour: HostBehaviour) {
    let start = Instant::now();
    let config = ServerConfig {
        tn3270e: behaviour.tn3270e,
        ..ServerConfig::default()
    };
    let mut session = ServerSession::new(config, Duration::ZERO);
    let mut buffer = [0; 4096];
    loop {
        while let Some(event) = session.poll_event() {
            handle(&mut session, event, behaviour);
        }
        while let Some(bytes) = session.poll_transmit() {
            if stream.write_all(&bytes).is_err() {
                return;
            }
        }
        if session.end_reason().is_some() {
            return;
        }
        let Ok(length @ 1..) = stream.read(&mut buffer) else {
            return;
        };
        if session
            .handle_bytes(&buffer[..length], start.elapsed())
            .is_err()
        {
            return;
        }
    }
}

fn handle(session: &mut ServerSession, event: SessionEvent, behaviour: HostBehaviour) {
    let mut show = |last: &str| {
        if behaviour.two_records {
            let first = menu("nothing yet", false);
            session
                .send_record(&first, ResponseFlag::NoResponse)
                .unwrap();
        }
        let screen = menu(last, true);
        session
            .send_record(&screen, ResponseFlag::NoResponse)
            .unwrap();
    };
    match event {
        SessionEvent::LuRequested { name, .. } => {
            let free = LuName::parse(b"LU000001").unwrap();
            let asked = name.unwrap_or(free);
            if behaviour.unit.is_some_and(|unit| asked.as_str() != unit) {
                session.reject_lu(RejectReason::DeviceInUse).unwrap();
            } else {
                session.assign_lu(asked).unwrap();
            }
        }
        SessionEvent::Connected => show("nothing"),
        SessionEvent::Input(bytes) => {
            let record = InboundRecord::parse(&bytes, 1920).unwrap();
            if record.aid() == Aid::Pf(3) && behaviour.ends {
                return session.close();
            }
            let typed = record.fields().next();
            let typed = typed.map_or(String::new(), |f| CodeTable::cp037().decode_text(f.data));
            show(&format!("{:?} {typed}", record.aid()));
        }
        _ => {}
    }
}

fn population(address: SocketAddr, keys: &str, steps: &str) -> drive::plan::RunPlan {
    plan(&format!(
        "timeout = \"5s\"\n[[population]]\nname = \"users\"\n{keys}\n[population.terminal]\n\
         address = \"{address}\"\n{steps}"
    ))
}

#[test]
fn steps_fill_fields_press_keys_and_check_the_screen() {
    for tn3270e in [true, false] {
        let (address, connections) = host(HostBehaviour {
            tn3270e,
            two_records: true,
            ..HostBehaviour::default()
        });
        let steps = "[[population.step]]\nfields = { Option = \"{{client}}-{{iteration}}\" }\n\
                     wait_for = \"Last Enter\"\ncontains = \"Last Enter \"\n\
                     capture = { last = { regex = \"Last Enter (.*)\\\\.\" } }\n\
                     [[population.step]]\ntype = \"{{last}}!\"\nkey = \"pf5\"\n\
                     matches = \"Last Pf.5. [01]-[0-5]!\\\\.\"\n\
                     [[population.step]]\nfields = { \"5,13\" = \"z\" }\ncontains = \"Last Enter z.\"\n";
        let plan = population(address, "clients = 2\niterations = 6", steps);
        let outcome = carry_out(&plan);
        let sum = outcome.sum();
        assert_eq!(sum.measured.answered, 18, "{:?}", outcome.messages());
        assert_eq!(sum.measured.checks_failed, 0);
        assert_eq!(connections.load(Ordering::SeqCst), 2);
        assert_eq!(sum.whole.connects, 2);
        assert!(sum.whole.bytes_in > 18 * 50 && sum.whole.bytes_out > 18 * 8);
    }
}

#[test]
fn a_session_that_the_host_ended_begins_again_with_the_next_iteration() {
    let (address, connections) = host(HostBehaviour {
        ends: true,
        ..HostBehaviour::default()
    });
    let steps = "[[population.step]]\ntype = \"a\"\ncontains = \"Last Enter a\"\n\
                 [[population.step]]\nkey = \"pf3\"\nreply = false\nthink = \"20ms\"\n";
    let plan = population(
        address,
        "clients = 1\niterations = 3\nthink = \"50ms\"",
        steps,
    );
    let outcome = carry_out(&plan);
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 6, "{:?}", outcome.messages());
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[test]
fn each_iteration_has_a_connection_of_its_own_where_none_is_kept() {
    let (address, connections) = host(HostBehaviour::default());
    let steps = "[[population.step]]\ntype = \"a\"\n";
    let plan = population(
        address,
        "clients = 1\niterations = 4\nkeep_alive = false",
        steps,
    );
    assert_eq!(carry_out(&plan).sum().measured.answered, 4);
    assert_eq!(connections.load(Ordering::SeqCst), 4);
}

#[test]
fn what_fails_at_a_terminal_has_its_reason() {
    let (address, _) = host(HostBehaviour {
        ends: true,
        unit: Some("BRANCH01"),
        tn3270e: true,
        ..HostBehaviour::default()
    });
    let failed = |keys: &str, steps: &str| {
        let keys = format!("clients = 1\niterations = 1\n{keys}");
        let mut plan = population(address, &keys, steps);
        plan.populations[0].timeout_ns = 500_000_000;
        let outcome = carry_out(&plan);
        let sum = outcome.sum();
        let kind = RequestFailure::ALL
            .into_iter()
            .find(|f| sum.measured.failed[*f as usize] > 0);
        (kind, format!("{:?}", outcome.messages()))
    };
    let lu = "lu = [\"BRANCH01\"]\n";
    let (kind, text) = failed(
        "",
        &format!("{lu}[[population.step]]\nfields = {{ Name = \"x\" }}\n"),
    );
    assert_eq!(kind, Some(RequestFailure::Malformed));
    assert!(
        text.contains("no input field after `Name`; the first line of the screen is `TEST MENU`"),
        "{text}"
    );
    let (kind, text) = failed("", &format!("{lu}[[population.step]]\nkey = \"pf3\"\n"));
    assert_eq!(kind, Some(RequestFailure::Closed));
    assert!(text.contains("closed the connection"), "{text}");
    let (kind, _) = failed(
        "",
        &format!("{lu}[[population.step]]\nwait_for = \"never\"\n"),
    );
    assert_eq!(kind, Some(RequestFailure::Timeout));
    let (kind, text) = failed(
        "",
        "lu = [\"BRANCH02\"]\n[[population.step]]\ntype = \"a\"\n",
    );
    assert_eq!(kind, Some(RequestFailure::Connect));
    assert!(text.contains("rejected the terminal"), "{text}");
}

#[test]
fn mistakes_in_steps_of_terminals_are_found() {
    let text = "[[population]]\nname = \"a\"\nclients = 1\nhttp2 = true\n[population.terminal]\n\
                address = \"127.0.0.1:1\"\nmodel = \"9\"\nlu = [\"much-too-long-name\"]\n\
                code_page = \"819\"\n[[population.step]]\nkey = \"pf25\"\nsize = 3\n\
                [[population.step]]\nrequest = \"GET /\"\n[[population.step]]\ncursor = \"x\"\n\
                [[population.step]]\nwait_for = \"a\"\nreply = false\n\
                [[population]]\nname = \"b\"\nclients = 1\n[[population.step]]\n\
                request = \"GET http://127.0.0.1:1/\"\nfields = { a = \"b\" }\n";
    let mistakes = drive::scenario::read(text, std::path::Path::new(".")).unwrap_err();
    let all: Vec<String> = mistakes
        .iter()
        .map(|m| format!("{}: {}", m.line, m.message))
        .collect();
    let all = all.join("\n");
    for expected in [
        "4: `http2` cannot be used",
        "7: `model` must be",
        "8: an LU name",
        "9: 819 is not an EBCDIC code page",
        "11: `key` must be",
        "12: `size` cannot be used",
        "13: a population with `terminal` can have screen steps only",
        "16: write `cursor`",
        "18: give either `wait_for`",
        "25: `fields` can be used only in a `terminal` population",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
}

#[test]
fn a_recorded_session_runs_as_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("session.toml");
    for tn3270e in [true, false] {
        let (address, _) = host(HostBehaviour {
            tn3270e,
            two_records: true,
            ..HostBehaviour::default()
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        let settings = RecordSettings {
            server: address,
            server_name: address.to_string(),
            code_page: ("037".into(), CodeTable::cp037()),
        };
        let written = out.clone();
        let recorder = std::thread::spawn(move || record(&settings, &listener, &written));
        let steps = "[[population.step]]\nfields = { Option = \"first\", Secret = \"geheim\" }\n\
                     [[population.step]]\ntype = \"ab\"\ncursor = \"5,13\"\nkey = \"pf5\"\n\
                     [[population.step]]\nkey = \"pa1\"\n";
        let keys = "clients = 1\niterations = 1\nthink = \"30ms\"";
        let outcome = carry_out(&population(proxy, keys, steps));
        let sum = outcome.sum();
        assert_eq!(sum.measured.answered, 3, "{:?}", outcome.messages());
        assert_eq!(recorder.join().unwrap().unwrap(), 3);
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.contains("\"Option\" = \"first\""), "{text}");
        assert!(text.contains("\"Secret\" = \"CHANGEME\""), "{text}");
        assert!(!text.contains("geheim"), "{text}");
        assert!(text.contains("wait_for = \"Last Enter first.\""), "{text}");
        assert!(
            text.contains("key = \"pf5\"") && text.contains("key = \"pa1\""),
            "{text}"
        );
        let outcome = carry_out(&plan(&text));
        let sum = outcome.sum();
        assert_eq!(sum.measured.answered, 3, "{:?}\n{text}", outcome.messages());
    }
}

#[test]
fn what_is_typed_on_a_screen_without_fields_is_recorded() {
    let table = CodeTable::cp037();
    let mut recorder = SessionRecorder::new(table.clone());
    let mut session = ServerSession::new(ServerConfig::default(), Duration::ZERO);
    let mut emulator = tn3270::Emulator::with_model(tn3270::TerminalModel::display(2));
    let mut exchange = |recorder: &mut SessionRecorder, emulator: &mut tn3270::Emulator| {
        loop {
            while let Some(event) = session.poll_event() {
                match event {
                    SessionEvent::LuRequested { .. } => {
                        session.assign_lu(LuName::parse(b"LU1").unwrap()).unwrap();
                    }
                    SessionEvent::Connected => {
                        let mut screen =
                            OutboundBuilder::new(Command::EraseWrite, Wcc::RESTORE, 1920);
                        screen.text(&table.encode_text("READY "));
                        screen.cursor();
                        let record = screen.into_record();
                        session
                            .send_record(&record, ResponseFlag::NoResponse)
                            .unwrap();
                    }
                    _ => {}
                }
            }
            let to_emulator = session.poll_transmit();
            if let Some(bytes) = &to_emulator {
                recorder.handle_server(bytes, Duration::ZERO).unwrap();
                emulator.handle_bytes(bytes, &mut Vec::new()).unwrap();
            }
            let to_server = emulator.poll_transmit();
            if let Some(bytes) = &to_server {
                recorder
                    .handle_emulator(bytes, Duration::from_secs(2))
                    .unwrap();
                session.handle_bytes(bytes, Duration::ZERO).unwrap();
            }
            if to_emulator.is_none() && to_server.is_none() {
                return;
            }
        }
    };
    exchange(&mut recorder, &mut emulator);
    emulator
        .screen_mut()
        .type_text("INQ 12", &CodeTable::cp037());
    emulator.press(tn3270::Key::Enter);
    exchange(&mut recorder, &mut emulator);
    recorder.finish();
    assert_eq!(recorder.steps().len(), 1);
    assert_eq!(recorder.steps()[0].typed, "INQ 12");
    assert_eq!(recorder.steps()[0].cursor, None);
}
