//! A server session and a terminal, joined: from the first byte to the end.

use std::time::Duration;

use tn3270::session::SendError;
use tn3270::telnet::NegativeReason;
use tn3270::{
    ClientConfig, Emulator, EmulatorEvent, EndReason, KeepAlive, Key, KeyOutcome, LuName,
    RejectReason, ResponseFlag, ScreenSize, ServerConfig, ServerSession, SessionError,
    SessionEvent, SessionFunctions, SessionLimits, StartTls, TerminalModel,
};

use crate::support::{JoinedSessions, bytes, first_screen};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn every_model_is_connected_with_its_size_and_colours() {
    for (model, rows, columns) in [(2, 24, 80), (3, 32, 80), (4, 43, 80), (5, 27, 132)] {
        let joined =
            JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(model));
        assert!(joined.server.is_connected());
        let terminal = joined.server.terminal().unwrap();
        assert_eq!(terminal.alternate, ScreenSize::new(rows, columns).unwrap());
        assert_eq!(terminal.default, ScreenSize::MODEL_2);
        assert!(terminal.tn3270e && terminal.has_color() && terminal.has_highlight());
        assert_eq!(terminal.code_page(), Some(37));
        assert_eq!(terminal.lu.as_str(), "TERM0001");
    }
}

#[test]
fn a_dynamic_terminal_has_the_size_of_its_query_reply() {
    for tn3270e in [true, false] {
        let config = ServerConfig {
            tn3270e,
            ..ServerConfig::default()
        };
        let size = ScreenSize::new(50, 100).unwrap();
        let mut joined = JoinedSessions::connected(config, TerminalModel::dynamic(size));
        assert_eq!(joined.server.terminal().unwrap().alternate, size);
        // Erase/Write Alternate, text and 14-bit addresses.
        let record = bytes("7ec2 111387 1d40");
        let flag = ResponseFlag::AlwaysResponse;
        joined.server.send_record(&record, flag).unwrap();
        joined.run().unwrap();
        assert_eq!(joined.terminal.screen().size(), size);
        assert_eq!(joined.server.screen_size(), size);
        joined.terminal.press(Key::Enter);
        joined.run().unwrap();
        assert_eq!(joined.inputs(), [bytes("7d0000")]);
    }
}

#[test]
fn inputs_outputs_and_keys_go_both_ways() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let flag = ResponseFlag::AlwaysResponse;
    let number = joined.server.send_record(&first_screen(), flag).unwrap();
    joined.run().unwrap();
    let response = SessionEvent::Response {
        sequence: number,
        outcome: Ok(()),
    };
    assert!(joined.server_events.contains(&response));
    joined.terminal.press(Key::SystemRequest);
    joined.terminal.press(Key::Attention);
    joined.terminal.press(Key::Pf(3));
    joined.run().unwrap();
    assert!(joined.server_events.contains(&SessionEvent::SystemRequest));
    assert!(joined.server_events.contains(&SessionEvent::Attention));
    assert_eq!(joined.inputs(), [bytes("f3 c2e9 11c6d9 d4c4e3e2c5e3")]);
}

#[test]
fn a_rejected_record_is_reported_with_its_number() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let flag = ResponseFlag::ErrorResponse;
    let number = joined.server.send_record(&bytes("99"), flag).unwrap();
    joined.run().unwrap();
    let response = SessionEvent::Response {
        sequence: number,
        outcome: Err(NegativeReason::CommandReject),
    };
    assert!(joined.server_events.contains(&response));
}

#[test]
fn tls_inside_the_connection_starts_the_negotiation_afresh() {
    let config = ServerConfig {
        start_tls: StartTls::Required,
        ..ServerConfig::default()
    };
    let joined = JoinedSessions::connected(config.clone(), TerminalModel::display(2));
    assert!(joined.server.is_connected());
    let mut client = ClientConfig::new(TerminalModel::display(2).device_type());
    client.start_tls = false;
    let terminal = Emulator::new(client.clone(), TerminalModel::display(2));
    let mut joined = JoinedSessions::new(config.clone(), terminal);
    joined.run().unwrap();
    assert_eq!(joined.server.end_reason(), Some(EndReason::TlsRefused));
    let offered = ServerConfig {
        start_tls: StartTls::Offered,
        ..config
    };
    let terminal = Emulator::new(client, TerminalModel::display(2));
    let mut joined = JoinedSessions::new(offered, terminal);
    joined.run().unwrap();
    assert!(joined.server.is_connected());
}

#[test]
fn bytes_after_the_start_of_tls_belong_to_the_handshake() {
    let config = ServerConfig {
        start_tls: StartTls::Required,
        ..ServerConfig::default()
    };
    let mut server = ServerSession::new(config, Duration::ZERO);
    let mut input = bytes("fffb2e fffa2e01fff0");
    let follows = input.len();
    input.extend([0x16, 0x03, 0x01]);
    assert_eq!(server.handle_bytes(&input, Duration::ZERO), Ok(follows));
    assert_eq!(server.poll_event(), Some(SessionEvent::StartTls));
    assert_eq!(server.handle_bytes(&[0x16], Duration::ZERO), Ok(0));
}

#[test]
fn a_client_without_tn3270e_gets_plain_tn3270() {
    let mut client = ClientConfig::new(TerminalModel::display(2).device_type());
    client.tn3270e = false;
    client.lu_names = vec![LuName::parse(b"MYLU").unwrap()];
    let terminal = Emulator::new(client, TerminalModel::display(2));
    let mut joined = JoinedSessions::new(ServerConfig::default(), terminal);
    joined.run().unwrap();
    let terminal = joined.server.terminal().unwrap();
    assert!(!terminal.tn3270e);
    assert_eq!(terminal.lu.as_str(), "MYLU");
    assert_eq!(terminal.device.name(), "IBM-3279-2-E");
    joined.terminal.press(Key::SystemRequest);
    joined.run().unwrap();
    assert!(joined.server_events.contains(&SessionEvent::SystemRequest));
}

#[test]
fn a_refused_lu_is_asked_for_by_another_name_or_in_plain_tn3270() {
    let mut client = ClientConfig::new(TerminalModel::display(2).device_type());
    client.lu_names = vec![LuName::parse(b"ONE").unwrap()];
    let mut terminal = Emulator::new(client, TerminalModel::display(2));
    let mut server = ServerSession::new(ServerConfig::default(), Duration::ZERO);
    let mut events = Vec::new();
    for _ in 0..8 {
        let out = server.poll_transmit().unwrap_or_default();
        terminal.handle_bytes(&out, &mut events).unwrap();
        let out = terminal.poll_transmit().unwrap_or_default();
        server.handle_bytes(&out, Duration::ZERO).unwrap();
        while let Some(event) = server.poll_event() {
            if matches!(event, SessionEvent::LuRequested { .. }) {
                server.reject_lu(RejectReason::DeviceInUse).unwrap();
            }
        }
    }
    assert!(events.contains(&EmulatorEvent::Rejected(RejectReason::DeviceInUse)));
    // In plain TN3270 no other name can follow.
    assert_eq!(server.end_reason(), Some(EndReason::LuRefused));
}

#[test]
fn a_peer_that_is_no_terminal_gets_a_text_and_the_end() {
    let mut server = ServerSession::new(ServerConfig::default(), Duration::ZERO);
    server
        .handle_bytes(&bytes("fffc28 fffc18"), Duration::ZERO)
        .unwrap();
    let out = server.poll_transmit().unwrap();
    assert!(out.ends_with(b"This service needs a 3270 terminal emulator.\r\n"));
    assert_eq!(server.end_reason(), Some(EndReason::NotATerminal));
}

#[test]
fn unknown_terminal_types_are_asked_for_the_next() {
    let config = ServerConfig {
        tn3270e: false,
        ..ServerConfig::default()
    };
    let mut server = ServerSession::new(config, Duration::ZERO);
    let mut say = |name: &str| {
        let mut input = bytes("fffa1800");
        input.extend(name.bytes());
        input.extend(bytes("fff0"));
        server.handle_bytes(&input, Duration::ZERO).unwrap();
        server.poll_event()
    };
    assert_eq!(say("ANSI"), None);
    let event = say("IBM-3278-2");
    assert!(matches!(event, Some(SessionEvent::LuRequested { .. })));
    let mut list_end = ServerSession::new(
        ServerConfig {
            tn3270e: false,
            ..ServerConfig::default()
        },
        Duration::ZERO,
    );
    for _ in 0..2 {
        list_end
            .handle_bytes(&bytes("fffa1800 414e5349 fff0"), Duration::ZERO)
            .unwrap();
    }
    assert_eq!(list_end.end_reason(), Some(EndReason::NotATerminal));
}

#[test]
fn contention_resolution_is_refused() {
    let mut server = ServerSession::new(ServerConfig::default(), Duration::ZERO);
    let now = Duration::ZERO;
    server
        .handle_bytes(
            &bytes("fffb28 fffa280207 49424d2d333237382d322d45 fff0"),
            now,
        )
        .unwrap();
    server.poll_event();
    server.assign_lu(LuName::parse(b"A").unwrap()).unwrap();
    server
        .handle_bytes(&bytes("fffa2803070002040506fff0"), now)
        .unwrap();
    let out = server.poll_transmit().unwrap();
    assert!(out.ends_with(&bytes("fffa280307000204fff0")));
    server
        .handle_bytes(&bytes("fffa280304000204fff0"), now)
        .unwrap();
    let terminal = server.terminal().unwrap();
    let all = ServerConfig::default().functions;
    assert_eq!(terminal.functions, all);
}

#[test]
fn functions_of_which_none_is_agreed_need_no_bind() {
    let config = ServerConfig {
        functions: SessionFunctions::default(),
        ..ServerConfig::default()
    };
    let mut joined = JoinedSessions::connected(config, TerminalModel::display(2));
    assert_eq!(
        joined
            .server
            .send_unbind(tn3270::telnet::UnbindReason::Normal),
        Err(SendError::NotAgreed)
    );
    let flag = ResponseFlag::AlwaysResponse;
    assert_eq!(joined.server.send_record(&first_screen(), flag), Ok(0));
    joined.run().unwrap();
    assert!(joined.terminal.screen().is_formatted());
}

#[test]
fn deadlines_end_a_session_that_does_not_go_on() {
    let config = ServerConfig {
        limits: SessionLimits {
            idle: Some(60 * SECOND),
            silence: Some(90 * SECOND),
            ..SessionLimits::default()
        },
        keep_alive: Some((KeepAlive::TimingMark, 20 * SECOND)),
        ..ServerConfig::default()
    };
    let mut server = ServerSession::new(config.clone(), SECOND);
    assert_eq!(server.poll_deadline(), Some(21 * SECOND));
    server.handle_timeout(31 * SECOND);
    assert_eq!(server.end_reason(), Some(EndReason::NegotiationTimeout));
    assert_eq!(server.poll_deadline(), None);

    let mut joined = JoinedSessions::connected(config, TerminalModel::display(2));
    joined.server.handle_timeout(20 * SECOND);
    let mark = joined.server.poll_transmit();
    assert_eq!(mark, Some(bytes("fffd06")));
    joined
        .server
        .handle_bytes(&bytes("fffc06"), 21 * SECOND)
        .unwrap();
    assert_eq!(joined.server.poll_transmit(), None);
    joined.server.handle_timeout(60 * SECOND);
    assert_eq!(joined.server.end_reason(), Some(EndReason::IdleTimeout));
}

#[test]
fn a_query_without_an_answer_leaves_the_device_type() {
    let mut server = ServerSession::new(
        ServerConfig {
            tn3270e: false,
            ..ServerConfig::default()
        },
        Duration::ZERO,
    );
    let input = bytes("fffb18 fffa1800 49424d2d333237392d332d45 fff0");
    server.handle_bytes(&input, Duration::ZERO).unwrap();
    server.poll_event();
    server.assign_lu(LuName::parse(b"A").unwrap()).unwrap();
    server
        .handle_bytes(&bytes("fffb19fffd19fffb00fffd00"), Duration::ZERO)
        .unwrap();
    assert!(!server.is_connected());
    server.handle_timeout(server.poll_deadline().unwrap());
    assert!(server.is_connected());
    let terminal = server.terminal().unwrap();
    assert!(terminal.has_color() && terminal.query.is_none());
    assert_eq!(terminal.alternate, ScreenSize::new(32, 80).unwrap());
}

#[test]
fn a_flood_of_keys_before_the_unlock_ends_the_session() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let mut flood = Vec::new();
    for _ in 0..9 {
        flood.extend(bytes("0000000000 7d4040 ffef"));
    }
    let ended = joined.server.handle_bytes(&flood, Duration::ZERO);
    assert_eq!(ended, Err(SessionError::Inputs(8)));
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let attention = bytes("fff4").repeat(1000);
    let ended = joined.server.handle_bytes(&attention, Duration::ZERO);
    assert_eq!(ended, Err(SessionError::Events(64)));
}

#[test]
fn output_that_no_client_takes_is_bounded() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let record = vec![0xF1; 60_000];
    let mut sent = 0;
    let error = loop {
        match joined.server.send_record(&record, ResponseFlag::NoResponse) {
            Ok(_) => sent += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SendError::OutputFull(_)) && sent < 20);
}

#[test]
fn an_idle_terminal_holds_little_memory() {
    let joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    let held = joined.server.held_bytes() + size_of::<ServerSession>();
    assert!(held < 4096, "{held}");
}

#[test]
fn a_closed_session_unbinds_its_terminal() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    joined.server.close();
    joined.run().unwrap();
    assert!(joined.terminal_events.contains(&EmulatorEvent::Unbound));
    assert_eq!(joined.server.end_reason(), Some(EndReason::Closed));
    assert!(matches!(
        joined.terminal.press(Key::Reset),
        KeyOutcome::Done
    ));
}
