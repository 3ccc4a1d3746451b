//! Malformed input: the streams of x3270's tests by name, what broke other
//! servers, and a peer that goes away at any step.

use std::time::Duration;

use tn3270::stream::ErrorKind;
use tn3270::telnet::DecodeError;
use tn3270::{
    EndReason, LuName, Screen, ServerConfig, ServerSession, SessionError, SessionEvent,
    TerminalModel,
};

use crate::support::{JoinedSessions, bytes};

/// Each stream that x3270 keeps a trace of, as a record for model 2.
const STREAMS: [(&str, &str); 17] = [
    ("invalid_command", "99"),
    ("invalid_eua", "f1c2 127f7f"),
    ("invalid_ra", "f1c2 3c7f7f40"),
    ("invalid_sba", "f1c2 117f7f"),
    ("no_flags", "f1"),
    ("short_eua", "f1c2 1240"),
    ("short_ge", "f1c2 08"),
    ("short_mf_attr", "f1c2 2c01c0"),
    ("short_mf_count", "f1c2 2c"),
    ("short_ra_addr", "f1c2 3c40"),
    ("short_ra_char", "f1c2 3c4040"),
    ("short_ra_ge", "f1c2 3c404008"),
    ("short_sa", "f1c2 2842"),
    ("short_sba", "f1c2 1140"),
    ("short_sf", "f1c2 1d"),
    ("short_sfe_attr", "f1c2 2901c0"),
    ("short_sfe_count", "f1c2 29"),
];

#[test]
fn the_seventeen_malformed_streams_are_rejected_without_a_change() {
    for (name, stream) in STREAMS {
        let mut screen = Screen::new(TerminalModel::display(2));
        screen
            .handle_record(&bytes("f5c3 1140c1 1d40 c1c2"))
            .unwrap();
        let before = screen.cells().to_vec();
        let error = screen.handle_record(&bytes(stream)).unwrap_err();
        assert_eq!(
            error.is_command_reject(),
            name == "invalid_command",
            "{name}"
        );
        assert_eq!(screen.cells(), before, "{name}");
    }
}

#[test]
fn unknown_structured_fields_are_rejected() {
    let mut screen = Screen::new(TerminalModel::display(2));
    for stream in [
        "f3 0004 77 00",
        "f3 0002 01",
        "f3 00ff 01",
        "f3 00",
        "f3 0005 09 01 00",
    ] {
        assert!(screen.handle_record(&bytes(stream)).is_err(), "{stream}");
    }
}

fn server() -> ServerSession {
    ServerSession::new(ServerConfig::default(), Duration::ZERO)
}

fn handle(server: &mut ServerSession, input: &[u8]) -> Result<usize, SessionError> {
    server.handle_bytes(input, Duration::ZERO)
}

#[test]
fn negotiations_that_never_end_are_bounded() {
    let toggling = bytes("fffb18fffc18").repeat(1000);
    let mut toggled = server();
    let ended = handle(&mut toggled, &toggling[..600]);
    assert_eq!(ended, Err(SessionError::Steps(64)));
    let ended = handle(&mut server(), &bytes("fff1").repeat(5000));
    assert_eq!(ended, Err(SessionError::NegotiationBytes(8192)));
    assert!(toggled.poll_transmit().unwrap().len() < 1024);
    // The server asks for the device type again and again.
    let mut looping = server();
    handle(&mut looping, &bytes("fffb28")).unwrap();
    let request = bytes("fffa280207 58 fff0").repeat(100);
    assert_eq!(handle(&mut looping, &request), Err(SessionError::Steps(64)));
}

#[test]
fn a_negotiation_that_brings_bytes_only_is_bounded() {
    let mut server = server();
    let mut taken = Ok(0);
    for _ in 0..100 {
        taken = handle(&mut server, &[b'x'; 100]);
    }
    // After the end nothing is taken any more.
    assert_eq!(taken, Ok(100));
    assert!(server.is_misbehaved());
}

#[test]
fn a_sub_negotiation_that_ends_with_a_doubled_iac_is_bounded() {
    let mut server = server();
    handle(&mut server, &bytes("fffb28")).unwrap();
    let mut endless = bytes("fffa280207");
    endless.extend([b'I'; 300]);
    endless.extend(bytes("ffff"));
    assert!(handle(&mut server, &endless).is_ok());
    let ended = handle(&mut server, &[b'I'; 300]);
    let limit = DecodeError::SubnegotiationTooLong(512);
    assert_eq!(ended, Err(SessionError::Decode(limit)));
}

#[test]
fn over_long_types_and_names_are_refused() {
    let mut server = server();
    handle(&mut server, &bytes("fffb28")).unwrap();
    server.poll_transmit();
    let mut long = bytes("fffa280207");
    long.extend([b'I'; 100]);
    long.extend(bytes("fff0"));
    handle(&mut server, &long).unwrap();
    // REJECT INV-DEVICE-TYPE.
    assert_eq!(server.poll_transmit(), Some(bytes("fffa2802060504fff0")));
    let mut name = bytes("fffa280207");
    name.extend(b"IBM-3278-2\x01NINECHARS");
    name.extend(bytes("fff0"));
    handle(&mut server, &name).unwrap();
    // REJECT INV-NAME.
    assert_eq!(server.poll_transmit(), Some(bytes("fffa2802060503fff0")));
}

#[test]
fn inputs_that_are_no_data_stream_end_the_session() {
    let cases = [
        ("99", ErrorKind::UnknownAid(0x99)),
        ("7d40", ErrorKind::CutOff("the cursor address")),
        (
            "7d7f7f",
            ErrorKind::Address {
                address: 4095,
                positions: 1920,
            },
        ),
        ("7d4040 1140", ErrorKind::CutOff("SBA")),
    ];
    for (record, kind) in cases {
        let mut joined =
            JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
        let input = bytes(&format!("0000000000 {record} ffef"));
        let error = handle(&mut joined.server, &input).unwrap_err();
        assert!(
            matches!(error, SessionError::Stream(e) if e.kind == kind),
            "{error}"
        );
        assert!(joined.server.is_misbehaved());
    }
}

#[test]
fn empty_and_headless_records_are_dropped() {
    let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
    for record in [
        "ffef",
        "0000ffef",
        "0000000000ffef",
        "6300000000ffef",
        "0200000099ffef",
    ] {
        assert!(handle(&mut joined.server, &bytes(record)).is_ok());
    }
    assert!(joined.server.is_connected());
    assert!(joined.inputs().is_empty());
}

#[test]
fn a_peer_that_goes_away_ends_the_session_at_every_byte() {
    let lu = LuName::parse(b"A").unwrap();
    let steps = bytes(
        "fffb28 fffa28020749424d2d333237382d322d4501544552fff0 fffa280307000204fff0 \
         0000000000 88 000e81808081848586878895a1a6 ffef 0000000001 7d4040 ffef",
    );
    for length in 0..=steps.len() {
        let mut server = server();
        for byte in &steps[..length] {
            handle(&mut server, &[*byte]).unwrap();
            if matches!(server.poll_event(), Some(SessionEvent::LuRequested { .. })) {
                server.assign_lu(lu.clone()).unwrap();
            }
        }
        assert_eq!(server.is_connected(), length > steps.len() - 11, "{length}");
        server.handle_closed();
        server.handle_closed();
        let mut last = None;
        while let Some(event) = server.poll_event() {
            last = Some(event);
        }
        assert_eq!(last, Some(SessionEvent::Ended(EndReason::PeerClosed)));
        assert!(server.send_record(&[0xF1], Default::default()).is_err());
        assert_eq!(server.poll_deadline(), None);
    }
}
