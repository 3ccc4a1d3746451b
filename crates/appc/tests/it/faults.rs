//! Peers that break off, flood, or send what is not DLSw: each costs its own
//! connection, and the others keep on.

use crate::support::{client, client_with, server, server_with};
use appc::aping::{self, ApingOptions};
use appc::config::ModeConfig;
use appc::{AllocateRequest, AppcConfig, Error, IncomingAttach, NodeHost};
use sna::TpDefinition;
use sna::conversation::code::{DeallocateType, PrepareToReceiveType, ReturnCode, StatusReceived};
use sna::dlc::caps::{self, Exchange, SwitchCapabilities};
use sna::dlc::ssp::{Kind, SspMessage};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

fn connect(server: &NodeHost) -> TcpStream {
    TcpStream::connect(server.listening().unwrap()).unwrap()
}

fn still_answers(server: &NodeHost, name: &str) {
    let client = client(name, server);
    aping::run(&client, &ApingOptions::new(server.lu()), |_| true).unwrap();
}

/// Waits until something holds, a minute at most.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !holds() {
        assert!(
            begin.elapsed().as_secs() < 60,
            "not within a minute: {what}"
        );
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Reads until the peer closes.
fn drain(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}

#[test]
fn bytes_that_are_no_dlsw_close_their_connection_only() {
    let server = server("NET.SERVER");
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[0x31, 99, 0, 0, 0],
        &[0x31, 16, 0xFF, 0xFF],
    ] {
        let mut stream = connect(&server);
        stream.write_all(garbage).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        drain(&mut stream);
    }
    still_answers(&server, "NET.CLIENT");
    assert!(server.status().links.len() <= 1);
}

#[test]
fn an_endless_message_and_an_idle_connection_delay_no_other_call() {
    let server = server("NET.SERVER");
    let mut half = connect(&server);
    half.write_all(&[0x31, 72, 0, 200, 0, 0]).unwrap();
    let _silent = connect(&server);
    still_answers(&server, "NET.CLIENT");
}

#[test]
fn a_flood_of_circuits_is_bounded_and_others_keep_on() {
    let server = server("NET.SERVER");
    let mut stream = connect(&server);
    let mut flood = Vec::new();
    caps::message(
        &Exchange::Request(SwitchCapabilities::default()),
        &mut flood,
    );
    caps::message(&Exchange::Accepted, &mut flood);
    let mut message = SspMessage::new(Kind::CanYouReach);
    if let Some(control) = &mut message.control {
        control.stations.target_mac = appc::config::mac_of("NET.SERVER");
        control.stations.target_sap = 4;
        control.from_origin = true;
    }
    for correlator in 0..5000 {
        if let Some(control) = &mut message.control {
            control.origin.correlator = correlator;
        }
        message.emit(&mut flood);
    }
    stream.write_all(&flood).unwrap();
    still_answers(&server, "NET.CLIENT");
    assert!(server.status().links.len() <= 1025);
}

#[test]
fn a_partner_that_vanishes_ends_the_conversation_with_a_resource_failure() {
    let server = server("NET.SERVER");
    let doomed = client("NET.DOOMED", &server);
    let survivor = client("NET.SURVIVOR", &server);
    let mut conversation = doomed
        .allocate(&AllocateRequest::new("NET.SERVER", "APINGD"))
        .unwrap();
    conversation.send(b"\x01\x02\x2b").unwrap();
    server.stop();
    let mut buffer = [0; 100];
    let code = loop {
        match conversation.receive(&mut buffer) {
            Ok(got) if got.ended => panic!("a normal end"),
            Ok(_) => {}
            Err(error) => break error.code(),
        }
    };
    let expected = [
        ReturnCode::ResourceFailureRetry,
        ReturnCode::ResourceFailureNoRetry,
        ReturnCode::DeallocatedAbend,
    ];
    assert!(
        code.is_some_and(|code| expected.contains(&code)),
        "{code:?}"
    );
    let error = survivor
        .allocate(&AllocateRequest::new("NET.SERVER", "APINGD"))
        .err();
    assert!(
        matches!(error, Some(Error::Connect { .. } | Error::Link { .. })),
        "{error:?}"
    );
}

#[test]
fn a_client_that_dies_in_the_middle_of_its_bind_leaves_the_server_whole() {
    let server = server("NET.SERVER");
    for _ in 0..10 {
        let client = client("NET.DOOMED", &server);
        // The BIND leaves with the allocation; the host is gone before the answer.
        let waiting = client.clone();
        let thread = std::thread::spawn(move || {
            let _ = waiting.allocate(&AllocateRequest::new("NET.SERVER", "APINGD"));
        });
        client.stop();
        thread.join().unwrap();
    }
    still_answers(&server, "NET.CLIENT");
}

/// Rejecting a program drops nothing that takes the node's lock: the node would
/// hang forever.
#[test]
fn one_program_too_many_is_refused_and_the_node_goes_on() {
    let server = server_with(AppcConfig {
        max_programs: 1,
        ..AppcConfig::named("NET.SERVER").unwrap()
    });
    let client = client("NET.CLIENT", &server);
    let call = AllocateRequest::new("NET.SERVER", "APINGD");
    let mut running = client.allocate(&call).unwrap();
    running.flush().unwrap();
    until("the program runs", || server.status().running == 1);
    for _ in 0..3 {
        let mut refused = client.allocate(&call).unwrap();
        let _ = refused.prepare_to_receive(PrepareToReceiveType::Flush);
        let error = refused.receive(&mut [0; 100]).unwrap_err();
        assert_eq!(
            error.code(),
            Some(ReturnCode::TpNotAvailableRetry),
            "{error}"
        );
    }
    drop(running);
    until("the program ends", || server.status().running == 0);
    still_answers(&server, "NET.OTHER");
}

#[test]
fn stopping_a_host_ends_the_verbs_that_wait() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let mut conversation = client
        .allocate(&AllocateRequest::new("NET.SERVER", "APINGD"))
        .unwrap();
    conversation.send(b"\x01\x02\x2b").unwrap();
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; 100];
        while conversation.receive(&mut buffer).is_ok() {}
    });
    client.stop();
    thread.join().unwrap();
}

#[test]
fn a_switch_that_accepts_the_connection_and_sends_nothing_fails_the_call() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = NodeHost::start(AppcConfig {
        activation_timeout_s: 1,
        ..AppcConfig::named("NET.CLIENT").unwrap()
    })
    .unwrap();
    let address = silent.local_addr().unwrap().to_string();
    client.define_partner("NET.SILENT", &address).unwrap();
    let error = client
        .allocate(&AllocateRequest::new("NET.SILENT", "APINGD"))
        .err();
    assert!(matches!(error, Some(Error::Link { .. })), "{error:?}");
}

#[test]
fn a_session_serves_the_next_conversation_once_its_end_is_confirmed() {
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    let one = ModeConfig {
        sessions: Some(1),
        winners: Some(0),
        ..ModeConfig::default()
    };
    config.modes.insert("ONE".into(), one.clone());
    let server = server_with(config);
    // The server's program ends each conversation and wants that confirmed.
    let program = |mut incoming: IncomingAttach| {
        let conversation = &mut incoming.conversation;
        conversation.accept().unwrap();
        let mut buffer = [0; 10];
        while conversation.receive(&mut buffer).unwrap().status != StatusReceived::Send {}
        incoming
            .conversation
            .deallocate(DeallocateType::Confirm)
            .unwrap();
    };
    let tp = TpDefinition::new("ENDS".parse().unwrap());
    server.define_program(tp, Arc::new(program));
    let mut config = AppcConfig::named("NET.CLIENT").unwrap();
    let winner = ModeConfig {
        winners: Some(1),
        ..one
    };
    config.modes.insert("ONE".into(), winner);
    let client = client_with(config, &server);
    let call = AllocateRequest::new("NET.SERVER", "ENDS").with_mode("ONE");
    for _ in 0..300 {
        let mut conversation = client.allocate(&call).unwrap();
        conversation
            .prepare_to_receive(PrepareToReceiveType::Flush)
            .unwrap();
        let got = conversation.receive(&mut [0; 10]).unwrap();
        assert_eq!(got.status, StatusReceived::ConfirmDeallocate);
        // The next Attach follows the confirmation at once, before the server's
        // program has run again.
        conversation.confirmed().unwrap();
    }
    let sessions = client.status().sessions;
    assert_eq!(sessions.iter().filter(|s| s.mode == "ONE").count(), 1);
}

#[test]
fn a_conversation_without_a_session_reports_the_reason() {
    let closed = ModeConfig {
        sessions: Some(0),
        ..ModeConfig::default()
    };
    let small = ModeConfig {
        ru_bytes: Some(8),
        ..ModeConfig::default()
    };
    let modes = |modes: &[(&str, &ModeConfig)]| {
        let mut config = AppcConfig::named("NET.CLIENT").unwrap();
        for (name, mode) in modes {
            config.modes.insert((*name).to_owned(), (*mode).clone());
        }
        config
    };
    let cases = [
        (modes(&[("#INTER", &closed)]), "#INTER", "this node's mode"),
        (
            modes(&[("OURS", &small)]),
            "OURS",
            "is not defined at the partner",
        ),
        (modes(&[("#INTER", &small)]), "#INTER", "offset 10"),
    ];
    let server = server("NET.SERVER");
    for (config, mode, why) in cases {
        let client = client_with(config, &server);
        let call = AllocateRequest::new("NET.SERVER", "APINGD").with_mode(mode);
        let error = client.allocate(&call).err().unwrap();
        assert_eq!(error.code(), Some(ReturnCode::AllocateFailureNoRetry));
        assert!(error.to_string().contains(why), "{error}");
    }
    let keeps_none = AppcConfig {
        modes: [("#INTER".to_owned(), closed)].into(),
        ..AppcConfig::named("NET.CLOSED").unwrap()
    };
    let server = server_with(keeps_none);
    let client = client("NET.CLIENT", &server);
    let call = AllocateRequest::new("NET.CLOSED", "APINGD");
    let error = client.allocate(&call).err().unwrap();
    assert!(error.to_string().contains("limit at zero"), "{error}");
}

/// A client's connection that passes through a thread, which may cut it.
struct Wire {
    at: String,
    cut: std::sync::mpsc::Sender<()>,
}

fn wire(to: std::net::SocketAddr) -> Wire {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().to_string();
    let (cut, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(to).unwrap();
        for (mut from, mut to) in [
            (client.try_clone().unwrap(), server.try_clone().unwrap()),
            (server.try_clone().unwrap(), client.try_clone().unwrap()),
        ] {
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
            });
        }
        let _ = wait.recv();
        let _ = client.shutdown(std::net::Shutdown::Both);
        let _ = server.shutdown(std::net::Shutdown::Both);
    });
    Wire { at, cut }
}

#[test]
fn a_conversation_that_fails_with_its_link_reports_which_connection_ended_and_how() {
    let server = server("NET.SERVER");
    let wire = wire(server.listening().unwrap());
    let client = NodeHost::start(AppcConfig::named("NET.CLIENT").unwrap()).unwrap();
    client.define_partner("NET.SERVER", &wire.at).unwrap();
    let mut conversation = client
        .allocate(&AllocateRequest::new("NET.SERVER", "APINGD"))
        .unwrap();
    conversation.send(b"\x01\x02\x2b").unwrap();
    conversation
        .prepare_to_receive(PrepareToReceiveType::Flush)
        .unwrap();
    let mut buffer = [0; 100];
    while conversation.receive(&mut buffer).unwrap().status != StatusReceived::Send {}
    wire.cut.send(()).unwrap();
    let error = loop {
        let sent = conversation.send(&[1; 2000]);
        if let Err(error) = sent.and_then(|_| conversation.confirm()) {
            break error;
        }
    };
    assert_eq!(error.code(), Some(ReturnCode::ResourceFailureRetry));
    let reported = error.to_string();
    for part in ["the link went down", &wire.at, "bytes sent and"] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
    // A link that is up again has no such story.
    client
        .define_partner("NET.SERVER", &server.listening().unwrap().to_string())
        .unwrap();
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
}
