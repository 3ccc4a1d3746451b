//! Sixteen exchanges with s3270 that were recorded, played against both ends.
//!
//! The terminal gets what the server sent and must send what s3270 sent; the
//! server session gets what s3270 sent and must send what the server sent.
//! `testdata/README.md` says how the recordings were made.

use std::time::Duration;

use tn3270::telnet::{DecoderLimits, Header, TelnetDecoder, TelnetEvent};
use tn3270::{
    ClientConfig, CodeTable, Emulator, Key, KeyOutcome, LuName, RejectReason, ResponseFlag,
    ScreenSize, ServerConfig, ServerSession, SessionEvent, SessionFunctions, StartTls,
    TerminalModel,
};

use crate::support::{bytes, hex};

const SCENARIOS: &str = include_str!("../../testdata/scenarios.txt");

/// One line of a scenario.
#[derive(Debug)]
enum ScenarioStep {
    Server(Vec<u8>),
    Client(Vec<u8>),
    /// Query Replies, of which each terminal has its own.
    QueryReply(Vec<u8>),
    Key(String),
    Tls,
}

struct Scenario {
    title: String,
    model: TerminalModel,
    lus: Vec<LuName>,
    steps: Vec<ScenarioStep>,
}

fn scenarios() -> Vec<Scenario> {
    let blocks = SCENARIOS.split("\n### ").skip(1);
    blocks.map(scenario).collect()
}

fn scenario(block: &str) -> Scenario {
    let mut lines = block.lines();
    let mut scenario = Scenario {
        title: lines.next().unwrap().to_owned(),
        model: TerminalModel::display(2),
        lus: Vec::new(),
        steps: Vec::new(),
    };
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let line = line.split(" # ").next().unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "model" => scenario.model = model(rest),
            "lu" => {
                let names = rest
                    .split(' ')
                    .map(|n| LuName::parse(n.as_bytes()).unwrap());
                scenario.lus = names.collect();
            }
            "S" => scenario.steps.push(ScenarioStep::Server(bytes(rest))),
            "C" => scenario.steps.push(ScenarioStep::Client(bytes(rest))),
            "Q" => scenario.steps.push(ScenarioStep::QueryReply(bytes(rest))),
            "key" => scenario.steps.push(ScenarioStep::Key(rest.to_owned())),
            "TLS" => scenario.steps.push(ScenarioStep::Tls),
            _ => panic!("{line}"),
        }
    }
    scenario
}

fn model(text: &str) -> TerminalModel {
    let numbers: Vec<u16> = text.split(' ').filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [columns, rows] => TerminalModel::dynamic(ScreenSize::new(rows, columns).unwrap()),
        _ => TerminalModel::display(numbers[0] as u8),
    }
}

/// Presses keys as `move 6 9; text 12; enter` says.
fn press(terminal: &mut Emulator, keys: &str) {
    for key in keys.split("; ") {
        let (word, rest) = key.split_once(' ').unwrap_or((key, ""));
        let numbers: Vec<u16> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
        let key = match word {
            "text" => {
                let typed = terminal.screen_mut().type_text(rest, &CodeTable::cp037());
                assert_eq!(typed, KeyOutcome::Done);
                continue;
            }
            "move" => {
                let columns = terminal.screen().size().columns();
                let address = numbers[0] * columns + numbers[1];
                terminal.screen_mut().set_cursor(address);
                continue;
            }
            "pf" => Key::Pf(numbers[0] as u8),
            "pa" => Key::Pa(numbers[0] as u8),
            "enter" => Key::Enter,
            "clear" => Key::Clear,
            "sysreq" => Key::SystemRequest,
            "attn" => Key::Attention,
            _ => panic!("{key}"),
        };
        let outcome = terminal.press(key);
        assert!(!matches!(outcome, KeyOutcome::Inhibited(_)), "{outcome:?}");
    }
}

#[test]
fn the_recordings_are_all_there() {
    let titles: Vec<_> = scenarios()
        .iter()
        .map(|s| s.title[..1].to_owned())
        .collect();
    assert_eq!(titles.concat(), "ABCDEFGHIJKMNOPQ");
}

#[test]
fn a_terminal_sends_what_s3270_sent() {
    for scenario in scenarios() {
        let mut config = ClientConfig::new(scenario.model.device_type());
        config.lu_names = scenario.lus.clone();
        let mut terminal = Emulator::new(config, scenario.model);
        let mut sent = Vec::new();
        let mut expected = Vec::new();
        for (number, step) in scenario.steps.iter().enumerate() {
            let mut events = Vec::new();
            match step {
                ScenarioStep::Server(bytes) => {
                    let taken = terminal.handle_bytes(bytes, &mut events).unwrap();
                    assert_eq!(taken, bytes.len());
                }
                ScenarioStep::Client(bytes) => expected.extend(bytes),
                ScenarioStep::QueryReply(theirs) => {
                    let ours = terminal.poll_transmit().unwrap();
                    same_replies(&ours, theirs);
                }
                ScenarioStep::Key(keys) => press(&mut terminal, keys),
                ScenarioStep::Tls => terminal.handle_tls(),
            }
            if matches!(
                scenario.steps.get(number + 1),
                Some(ScenarioStep::QueryReply(_))
            ) {
                // The answer to a query is compared with the next step.
                continue;
            }
            sent.extend(terminal.poll_transmit().unwrap_or_default());
            let length = sent.len().min(expected.len());
            assert_eq!(
                hex(&sent[..length]),
                hex(&expected[..length]),
                "{} step {number}: {step:?}",
                scenario.title
            );
        }
        assert_eq!(hex(&sent), hex(&expected), "{}", scenario.title);
    }
}

/// The replies that both terminals send must be equal, except the list of them.
fn same_replies(ours: &[u8], theirs: &[u8]) {
    let replies = |bytes: &[u8]| {
        let record = only_record(bytes);
        let fields = tn3270::stream::StructuredFields::new(&record[6..]);
        let owned = fields.map(|field| field.unwrap().1.to_vec());
        owned.filter(|reply| reply[0] != 0x80).collect::<Vec<_>>()
    };
    let theirs = replies(theirs);
    let ours = replies(ours);
    assert_eq!(ours.len(), 7);
    for reply in ours {
        assert!(theirs.contains(&reply), "{}", hex(&reply));
    }
}

fn only_record(bytes: &[u8]) -> Vec<u8> {
    records(bytes).remove(0)
}

fn records(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut decoder = TelnetDecoder::new(DecoderLimits::default());
    decoder.set_records(true);
    let mut input = bytes;
    let mut records = Vec::new();
    while let Some(event) = decoder.next(&mut input).unwrap() {
        if let TelnetEvent::Record(record) = event {
            records.push(record);
        }
    }
    records
}

/// The settings with which the server of the recordings was.
fn server_config(scenario: &Scenario) -> ServerConfig {
    let plain = matches!(&scenario.steps[0], ScenarioStep::Server(first) if first[2] == 0x18);
    let tls = matches!(&scenario.steps[0], ScenarioStep::Server(first) if first[2] == 0x2E);
    let mut config = ServerConfig {
        tn3270e: !plain,
        query: false,
        plu_name: bytes("e3e4d7d3d6"),
        ..ServerConfig::default()
    };
    if tls {
        config.start_tls = StartTls::Required;
    }
    if scenario.title.starts_with('O') {
        config.functions = SessionFunctions::default();
    }
    config
}

#[test]
fn a_server_sends_what_the_recorded_server_sent() {
    for scenario in scenarios() {
        // C and the end of O break the protocol, J has a BIND of a fixed size.
        if scenario.title.starts_with(['C', 'J']) {
            continue;
        }
        let mut server = ServerSession::new(server_config(&scenario), Duration::ZERO);
        let mut sent = server.poll_transmit().unwrap_or_default();
        let mut expected = Vec::new();
        let mut lus = scenario.lus.clone();
        for (number, step) in scenario.steps.iter().enumerate() {
            let context = format!("{} step {number}: {step:?}", scenario.title);
            match step {
                ScenarioStep::Client(bytes) | ScenarioStep::QueryReply(bytes) => {
                    let taken = server.handle_bytes(bytes, Duration::ZERO).unwrap();
                    assert_eq!(taken, bytes.len(), "{context}");
                }
                ScenarioStep::Tls => server.handle_tls(Duration::ZERO),
                ScenarioStep::Key(_) => continue,
                ScenarioStep::Server(bytes) if bytes.starts_with(&[4]) => {
                    if scenario.title.starts_with('O') {
                        break;
                    }
                    let reason = tn3270::telnet::UnbindReason::Normal;
                    // s3270 waits 15 s for the next BIND.
                    server.send_unbind(reason).unwrap();
                    // The recording has another reason: BIND forthcoming is 02.
                    expected.extend(bytes);
                    sent.extend(server.poll_transmit().unwrap());
                    continue;
                }
                ScenarioStep::Server(bytes) => {
                    expected.extend(bytes);
                    if server.is_connected() {
                        send(&mut server, bytes, scenario.title.starts_with(['B', 'P']));
                    }
                }
            }
            while let Some(event) = server.poll_event() {
                answer(&mut server, &event, &mut lus, &scenario);
            }
            sent.extend(server.poll_transmit().unwrap_or_default());
        }
        if scenario.title.starts_with('N') {
            // The recorded server stopped; the session continues in plain TN3270.
            expected.extend(bytes("fffe28 fffd18"));
        }
        assert_eq!(hex(&sent), hex(&expected), "{}", scenario.title);
    }
}

/// Sends the records of a step through the session.
fn send(server: &mut ServerSession, bytes: &[u8], plain: bool) {
    for record in records(bytes) {
        if plain {
            server
                .send_record(&record, ResponseFlag::NoResponse)
                .unwrap();
            continue;
        }
        let (header, data) = Header::parse(&record).unwrap();
        // The BIND comes from the session itself.
        if header.data_type == Some(tn3270::telnet::DataType::Data3270) {
            let number = server.send_record(data, header.wanted_response()).unwrap();
            assert_eq!(number, header.sequence);
        }
    }
}

fn answer(
    server: &mut ServerSession,
    event: &SessionEvent,
    lus: &mut Vec<LuName>,
    scenario: &Scenario,
) {
    let SessionEvent::LuRequested { name, .. } = event else {
        return;
    };
    let in_use = scenario.title.starts_with('N');
    let Some(name) = name else {
        let any = LuName::parse(b"LU000001").unwrap();
        server.assign_lu(any).unwrap();
        return;
    };
    assert_eq!(*name, lus.remove(0));
    if in_use {
        server.reject_lu(RejectReason::DeviceInUse).unwrap();
    } else if lus.is_empty() {
        server.assign_lu(name.clone()).unwrap();
    } else {
        server.reject_lu(RejectReason::InvName).unwrap();
    }
}
