//! Servers that misbehave over HTTP/2, frame by frame: every request is
//! accounted for, nothing hangs, and the failure names its cause.
//!
//! Reference: RFC 9113, sections 4.1 and 6.

use crate::peers::serve;
use drive::engine::{LoadOutcome, RequestFailure};
use drive::load::HttpLoad;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
/// `:status: 200` in HPACK.
const STATUS_200: &[u8] = &[0x88];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Serves connections with these settings; `answer` is called with each
/// request's stream.
fn server(
    settings: &'static [u8],
    answer: impl Fn(&mut TcpStream, u32) -> io::Result<()> + Send + Sync + 'static,
) -> HttpLoad {
    let address = serve(move |mut stream| {
        let _ = converse(&mut stream, settings, &answer);
    });
    let mut load = HttpLoad::new(format!("http://{address}/"));
    load.http2 = true;
    load.iterations = Some(4);
    load.clients = 2;
    load.timeout = Duration::from_millis(300);
    load
}

fn converse(
    stream: &mut TcpStream,
    settings: &[u8],
    answer: &dyn Fn(&mut TcpStream, u32) -> io::Result<()>,
) -> io::Result<()> {
    stream.read_exact(&mut [0; 24])?;
    stream.write_all(&frame(SETTINGS, 0, 0, settings))?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload)?;
        match (head[3], head[4] & ACK) {
            (SETTINGS, 0) => stream.write_all(&frame(SETTINGS, ACK, 0, &[]))?,
            (HEADERS, _) => {
                let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                answer(stream, id)?;
            }
            _ => {}
        }
    }
}

fn ok(stream: &mut TcpStream, id: u32) -> io::Result<()> {
    stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200))
}

fn failed(outcome: &LoadOutcome, kind: RequestFailure) -> u64 {
    outcome.sum().measured.failed[kind as usize]
}

#[test]
fn a_server_that_says_goodbye_between_two_requests_fails_none() {
    let load = server(&[], |stream, id| {
        let last = [id.to_be_bytes(), 0u32.to_be_bytes()].concat();
        let mut both = frame(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200);
        both.extend(frame(GOAWAY, 0, 0, &last));
        stream.write_all(&both)
    });
    let outcome = load.run().unwrap();
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 4, "{:?}", outcome.messages());
    assert_eq!(sum.whole.connects, 4);
}

#[test]
fn refused_streams_and_lost_connections_say_what_the_server_did() {
    let refused = 7u32.to_be_bytes();
    let calm = [0u32.to_be_bytes(), 11u32.to_be_bytes()].concat();
    for (kind, on_stream, payload, part) in [
        (
            RST_STREAM,
            true,
            refused.to_vec(),
            "RST_STREAM, REFUSED_STREAM",
        ),
        (GOAWAY, false, calm, "GOAWAY, ENHANCE_YOUR_CALM"),
    ] {
        let load = server(&[], move |stream, id| {
            let id = if on_stream { id } else { 0 };
            stream.write_all(&frame(kind, 0, id, &payload))
        });
        let outcome = load.run().unwrap();
        assert_eq!(failed(&outcome, RequestFailure::Reset), 4);
        let messages = outcome.messages();
        assert!(messages.keys().all(|m| m.contains(part)), "{messages:?}");
    }
}

#[test]
fn endless_headers_and_endless_empty_data_are_malformed() {
    let endless_headers = server(&[], |stream, id| {
        stream.write_all(&frame(HEADERS, 0, id, STATUS_200))?;
        // A literal field of 200 bytes, repeatedly.
        let field = [&[0, 1, b'a', 0x7f, 0x49][..], &[b'b'; 200]].concat();
        loop {
            stream.write_all(&frame(CONTINUATION, 0, id, &field))?;
        }
    });
    let endless_nothing = server(&[], |stream, id| {
        stream.write_all(&frame(HEADERS, END_HEADERS, id, STATUS_200))?;
        loop {
            stream.write_all(&frame(DATA, 0, id, &[]))?;
        }
    });
    for load in [endless_headers, endless_nothing] {
        let outcome = load.run().unwrap();
        assert_eq!(
            failed(&outcome, RequestFailure::Malformed),
            4,
            "{:?}",
            outcome.messages()
        );
    }
}

#[test]
fn endless_bodies_and_windows_that_never_open_time_out() {
    let endless_body = server(&[], |stream, id| {
        stream.write_all(&frame(HEADERS, END_HEADERS, id, STATUS_200))?;
        loop {
            stream.write_all(&frame(DATA, 0, id, &[b'x'; 16_384]))?;
        }
    });
    // SETTINGS_MAX_CONCURRENT_STREAMS 0, SETTINGS_INITIAL_WINDOW_SIZE 0.
    let closed = server(&[0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0], |_, _| Ok(()));
    let half = server(&[0, 4, 0, 0, 0, 0], |_, _| Ok(()));
    for mut load in [endless_body, closed, half] {
        load.method = "POST".into();
        load.body = b"hello".to_vec();
        let outcome = load.run().unwrap();
        assert_eq!(
            failed(&outcome, RequestFailure::Timeout),
            4,
            "{:?}",
            outcome.messages()
        );
    }
}

#[test]
fn floods_of_pings_and_settings_lose_no_count() {
    for (kind, payload) in [
        (PING, &b"12345678"[..]),
        (SETTINGS, &[0, 4, 0, 0, 255, 255]),
    ] {
        let load = server(&[], move |stream, id| {
            let flood = frame(kind, 0, 0, payload).repeat(500);
            let mut both = flood.clone();
            both.extend(frame(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200));
            both.extend(flood);
            stream.write_all(&both)
        });
        let sum = load.run().unwrap().sum().measured;
        assert_eq!((sum.sent, sum.answered + sum.failures()), (4, 4));
        assert!(sum.answered > 0, "{kind}");
    }
}

#[test]
fn a_server_that_dies_in_the_middle_loses_no_count() {
    let load = server(&[], |stream, id| match id {
        1 => ok(stream, id),
        _ => Err(io::ErrorKind::ConnectionAborted.into()),
    });
    let outcome = load.run().unwrap();
    let sum = outcome.sum().measured;
    assert_eq!(sum.sent, 4);
    assert_eq!(sum.answered + sum.failures(), 4);
    assert!(
        failed(&outcome, RequestFailure::Reset) > 0,
        "{:?}",
        outcome.messages()
    );
}
