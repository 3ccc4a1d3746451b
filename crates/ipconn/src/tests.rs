//! Two ends joined by a wire that cuts bytes at random places.

use super::*;
use proptest::prelude::*;

fn hello(name: &str, sessions: u16) -> HelloMessage {
    HelloMessage {
        sessions,
        unasked_bytes: 1000,
        max_message_bytes: 1 << 20,
        ..HelloMessage::named(name).unwrap()
    }
}

/// Both ends, greeted, with so many sessions.
fn joined(sessions: u16) -> (Connection, Connection) {
    let mut caller = Connection::caller(hello("GATE", sessions), 0);
    let mut server = Connection::server(hello("REGION", 999), 0);
    carry(&mut caller, &mut server, usize::MAX);
    assert!(matches!(
        server.poll_event(),
        Some(ConnectionEvent::Greeted(_))
    ));
    server.welcome(500);
    carry(&mut server, &mut caller, usize::MAX);
    assert_eq!(caller.poll_event(), Some(ConnectionEvent::Open));
    (caller, server)
}

/// Transfers the output of one end to the other, in pieces of at most `cut` bytes.
/// Returns `false` if there was nothing.
fn carry(from: &mut Connection, to: &mut Connection, cut: usize) -> bool {
    let mut some = false;
    while from.gather(0) {
        let [a, b] = from.pieces();
        let piece = if a.is_empty() { b } else { a };
        let bytes = piece[..piece.len().min(cut)].to_vec();
        from.wrote(bytes.len(), 0);
        to.handle_input(0, &bytes).unwrap();
        some = true;
    }
    some
}

fn exchange(caller: &mut Connection, server: &mut Connection, cut: usize) {
    while carry(caller, server, cut) | carry(server, caller, cut) {}
}

fn events(of: &mut Connection) -> Vec<ConnectionEvent> {
    std::iter::from_fn(|| of.poll_event()).collect()
}

#[test]
fn sessions_are_the_fewest_that_either_end_names() {
    let (caller, server) = joined(7);
    assert_eq!((caller.sessions(), server.sessions()), (7, 7));
    let (caller, _) = joined(999);
    assert_eq!(caller.sessions(), 500);
}

#[test]
fn requests_are_answered_out_of_order_and_sessions_come_back() {
    let (mut caller, mut server) = joined(2);
    let first = caller.request(Bytes::from_static(b"one")).unwrap();
    let second = caller.request(Bytes::from_static(b"two")).unwrap();
    assert!(!caller.is_free());
    assert_eq!(caller.request(Bytes::new()), None);
    exchange(&mut caller, &mut server, 5);
    let came = [
        ConnectionEvent::Request(first, b"one".to_vec()),
        ConnectionEvent::Request(second, b"two".to_vec()),
    ];
    assert_eq!(events(&mut server), came);
    server.reply(second, Bytes::from_static(b"2"));
    exchange(&mut caller, &mut server, 5);
    assert_eq!(
        events(&mut caller),
        [ConnectionEvent::Reply(second, b"2".to_vec())]
    );
    assert!(caller.is_free());
    assert_eq!((caller.in_use(), server.in_use()), (1, 1));
}

#[test]
fn a_large_message_waits_for_its_grant_and_lets_small_ones_pass() {
    let (mut caller, mut server) = joined(10);
    let large: Vec<u8> = (0..300_000_u32).map(|n| n as u8).collect();
    let big = caller.request(Bytes::from(large.clone())).unwrap();
    carry(&mut caller, &mut server, usize::MAX);
    assert_eq!(events(&mut server), []);
    // A granted message is cut; a later request does not wait for it.
    carry(&mut server, &mut caller, usize::MAX);
    assert!(caller.gather(0));
    let small = caller.request(Bytes::from_static(b"small")).unwrap();
    exchange(&mut caller, &mut server, 4096);
    let came = [
        ConnectionEvent::Request(small, b"small".to_vec()),
        ConnectionEvent::Request(big, large),
    ];
    assert_eq!(events(&mut server), came);
}

#[test]
fn a_request_that_is_given_up_frees_its_session_when_the_server_confirms() {
    let (mut caller, mut server) = joined(1);
    let id = caller.request(Bytes::from_static(b"one")).unwrap();
    exchange(&mut caller, &mut server, 99);
    caller.cancel(id);
    assert!(!caller.is_free());
    assert_eq!(
        events(&mut server),
        [ConnectionEvent::Request(id, b"one".to_vec())]
    );
    // The reply crosses the cancel.
    server.reply(id, Bytes::from_static(b"late"));
    exchange(&mut caller, &mut server, 99);
    assert!(caller.is_free());
    assert_eq!(events(&mut caller), [ConnectionEvent::Freed(id)]);
    assert_eq!(events(&mut server), [ConnectionEvent::Cancelled(id)]);
    let unsent = caller.request(Bytes::from_static(b"two")).unwrap();
    assert!(caller.is_unsent(unsent));
    caller.cancel(unsent);
    assert!(caller.is_free() && !caller.gather(0));
}

#[test]
fn the_server_receives_the_cancel_while_it_works() {
    let (mut caller, mut server) = joined(3);
    let id = caller.request(Bytes::from_static(b"one")).unwrap();
    exchange(&mut caller, &mut server, 99);
    events(&mut server);
    caller.cancel(id);
    exchange(&mut caller, &mut server, 99);
    assert_eq!(events(&mut server), [ConnectionEvent::Cancelled(id)]);
    server.reply(id, Bytes::from_static(b"the caller cancelled it"));
    assert!(!server.gather(0));
    assert_eq!((caller.in_use(), server.in_use()), (0, 0));
}

#[test]
fn a_draining_server_ends_what_is_under_way() {
    let (mut caller, mut server) = joined(3);
    let id = caller.request(Bytes::from_static(b"one")).unwrap();
    exchange(&mut caller, &mut server, 99);
    server.drain();
    exchange(&mut caller, &mut server, 99);
    assert_eq!(events(&mut caller), [ConnectionEvent::Draining]);
    assert!(!caller.is_free() && !server.is_drained());
    server.reply(id, Bytes::new());
    exchange(&mut caller, &mut server, 99);
    assert_eq!(
        events(&mut caller),
        [ConnectionEvent::Reply(id, Vec::new())]
    );
    assert!(server.is_drained());
}

#[test]
fn a_silent_partner_is_pinged_and_then_disconnected() {
    let (mut caller, mut server) = joined(3);
    let keepalive = u64::from(hello("A", 1).keepalive_ms);
    assert_eq!(caller.poll_timeout(), keepalive);
    caller.handle_timeout(keepalive).unwrap();
    exchange(&mut caller, &mut server, 99);
    assert_eq!(caller.poll_timeout(), keepalive);
    caller.handle_timeout(keepalive).unwrap();
    assert_eq!(caller.poll_timeout(), keepalive * 3);
    assert!(matches!(
        caller.handle_timeout(keepalive * 3),
        Err(Fault::Silent(_))
    ));
    assert!(matches!(
        server.handle_timeout(keepalive * 3),
        Err(Fault::Silent(_))
    ));
}

#[test]
fn a_peer_that_reads_nothing_is_given_up() {
    let (mut caller, _) = joined(3);
    caller.request(Bytes::from_static(b"one")).unwrap();
    assert!(caller.gather(1000));
    caller.last_received_ms = 1000 + STALLED_MS;
    assert!(caller.handle_timeout(1000 + STALLED_MS - 1).is_ok());
    let fault = caller.handle_timeout(1000 + STALLED_MS).unwrap_err();
    assert_eq!(fault, Fault::Silent("the partner reads nothing"));
}

#[test]
fn a_greeting_that_never_comes_is_not_waited_for() {
    let mut server = Connection::server(hello("REGION", 9), 0);
    assert_eq!(server.poll_timeout(), GREETING_MS);
    assert!(server.handle_timeout(GREETING_MS).is_err());
}

#[test]
fn another_version_is_refused_with_a_notice() {
    let strange = HelloMessage {
        versions: (VERSION + 1, 9),
        ..hello("GATE", 1)
    };
    let mut caller = Connection::caller(strange, 0);
    let mut server = Connection::server(hello("REGION", 9), 0);
    caller.gather(0);
    let bytes = caller.pieces().concat();
    let fault = server.handle_input(0, &bytes).unwrap_err();
    let reported = format!(
        "GATE supports versions {} to 9, this side version {VERSION}",
        VERSION + 1
    );
    assert_eq!(fault.to_string(), reported);
    server.gather(0);
    let reported = caller.handle_input(0, &server.pieces().concat());
    assert!(
        matches!(reported, Err(Fault::Notified(EndNotice::Version(_)))),
        "{reported:?}"
    );
}

#[test]
fn violations_of_the_format_are_reported_with_their_frame() {
    use crate::wire::Header;
    let frame = |kind, id, payload: &[u8]| {
        let header = Header {
            length: payload.len(),
            kind,
            id,
        };
        [&header.emit()[..], payload].concat()
    };
    let mut one = vec![0, 0, 0, 9];
    one.extend_from_slice(b"part");
    let too_long = [&[0, 0xFF, 0, 0][..], b"x"].concat();
    for (bytes, word) in [
        (frame(FrameKind::Data, 7, b"x"), "no message under way"),
        (frame(FrameKind::Reply, 7, &one), "invalid number"),
        (frame(FrameKind::Hello, 0, b""), "Hello"),
        (frame(FrameKind::Request, 7, b"xx"), "without the length"),
        (frame(FrameKind::Request, 7, &too_long), "are allowed"),
        (
            [
                frame(FrameKind::Request, 7, &one),
                frame(FrameKind::Request, 7, &one),
            ]
            .concat(),
            "invalid number",
        ),
        (
            [
                frame(FrameKind::Request, 7, &one),
                frame(FrameKind::Data, 7, b"123456"),
            ]
            .concat(),
            "at most 5 are expected",
        ),
        (
            [1, 2, 3, 4]
                .map(|id| frame(FrameKind::Request, id, &one))
                .concat(),
            "exceeds the 3 sessions",
        ),
    ] {
        let (mut caller, mut server) = joined(3);
        let fault = server.handle_input(0, &bytes).unwrap_err();
        assert!(fault.to_string().contains(word), "{fault}: {word}");
        assert!(fault.to_string().starts_with("frame "), "{fault}");
        server.gather(0);
        let reported = caller.handle_input(0, &server.pieces().concat());
        assert!(
            matches!(reported, Err(Fault::Notified(EndNotice::Violation(_)))),
            "{reported:?}"
        );
    }
}

#[test]
fn a_flood_of_pings_whose_answers_are_not_read_ends_the_connection() {
    let (_, mut server) = joined(3);
    let header = crate::wire::Header {
        length: 0,
        kind: FrameKind::Ping,
        id: 0,
    };
    let flood = header.emit().repeat(MOST_CONTROL / 12 + 2);
    assert!(server.handle_input(0, &flood).is_err());
}

/// A step of a caller in the property test.
#[derive(Debug, Clone)]
enum CallerStep {
    Request(usize),
    Reply(usize, usize),
    Cancel(usize),
    Carry(bool, usize),
}

fn step() -> impl Strategy<Value = CallerStep> {
    prop_oneof![
        (0..40_000_usize).prop_map(CallerStep::Request),
        (any::<usize>(), 0..40_000_usize).prop_map(|(n, b)| CallerStep::Reply(n, b)),
        any::<usize>().prop_map(CallerStep::Cancel),
        (any::<bool>(), 1..30_000_usize).prop_map(|(way, cut)| CallerStep::Carry(way, cut)),
    ]
}

proptest! {
    /// For every sequence of requests, answers and cancellations, in any
    /// pieces: each request has its own reply, and in the end every session is
    /// free.
    #[test]
    fn every_request_has_its_reply_or_was_given_up(steps in proptest::collection::vec(step(), 1..80)) {
        let (mut caller, mut server) = joined(5);
        let (mut open, mut working) = (Vec::new(), Vec::new());
        let mut answered = std::collections::HashMap::new();
        for step in steps {
            match step {
                CallerStep::Request(bytes) => {
                    if let Some(id) = caller.request(Bytes::from(vec![bytes as u8; bytes])) {
                        open.push(id);
                    }
                }
                CallerStep::Reply(n, bytes) if !working.is_empty() => {
                    let id: u32 = working.swap_remove(n % working.len());
                    answered.insert(id, bytes);
                    server.reply(id, Bytes::from(vec![id as u8; bytes]));
                }
                CallerStep::Cancel(n) if !open.is_empty() => {
                    let id = open.swap_remove(n % open.len());
                    caller.cancel(id);
                }
                CallerStep::Carry(true, cut) => { carry(&mut caller, &mut server, cut); }
                CallerStep::Carry(false, cut) => { carry(&mut server, &mut caller, cut); }
                _ => {}
            }
            for event in events(&mut server) {
                match event {
                    ConnectionEvent::Request(id, _) => working.push(id),
                    ConnectionEvent::Cancelled(id) => working.retain(|w| *w != id),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            for event in events(&mut caller) {
                let ConnectionEvent::Reply(id, bytes) = event else { continue };
                prop_assert_eq!(answered.get(&id), Some(&bytes.len()));
                prop_assert!(bytes.iter().all(|b| *b == id as u8));
                prop_assert!(open.contains(&id));
                open.retain(|o| *o != id);
            }
        }
        loop {
            exchange(&mut caller, &mut server, usize::MAX);
            for event in events(&mut server) {
                match event {
                    ConnectionEvent::Request(id, _) => working.push(id),
                    ConnectionEvent::Cancelled(id) => working.retain(|w| *w != id),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            let Some(id) = working.pop() else { break };
            server.reply(id, Bytes::new());
        }
        exchange(&mut caller, &mut server, usize::MAX);
        prop_assert_eq!((caller.in_use(), server.in_use()), (0, 0));
    }

    #[test]
    fn any_bytes_are_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (mut caller, mut server) = joined(3);
        let id = caller.request(Bytes::from_static(b"x")).unwrap();
        for end in [&mut caller, &mut server] {
            let _ = end.handle_input(0, &bytes);
            let _ = events(end);
        }
        for kind in 1..=11_u8 {
            let (mut caller, mut server) = joined(3);
            caller.request(Bytes::from_static(b"x")).unwrap();
            let mut frame = vec![0, 0, 0, bytes.len().min(255) as u8, kind, 0, 0, 0];
            frame.extend_from_slice(&id.to_be_bytes());
            frame.extend_from_slice(&bytes);
            let _ = caller.handle_input(0, &frame);
            let _ = server.handle_input(0, &frame);
        }
    }
}
