//! The bytes of a connection at either end, and the messages in it: taken or
//! refused, the same however they are cut, never a panic.
#![no_main]

use ipconn::wire::{HelloMessage, EndNotice, ReplyMessage, Request};
use ipconn::{Connection, ConnectionEvent};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = HelloMessage::parse(bytes);
    let _ = EndNotice::parse(bytes);
    if let Ok(request) = Request::parse(bytes) {
        let _ = request.commarea();
        for entry in &request.containers {
            let _ = request.bytes(entry);
        }
    }
    if let Ok(reply) = ReplyMessage::parse(bytes.to_vec()) {
        let _ = reply.commarea();
        for entry in &reply.containers {
            let _ = reply.bytes(entry);
        }
    }
    let Some((cut, rest)) = bytes.split_first() else {
        return;
    };
    let (first, second) = rest.split_at(usize::from(*cut).min(rest.len()));
    for caller in [false, true] {
        assert_eq!(events(caller, &[rest]), events(caller, &[first, second]));
    }
});

/// What an open connection makes of bytes in pieces.
fn events(caller: bool, pieces: &[&[u8]]) -> (Vec<ConnectionEvent>, Option<String>) {
    let hello = |name| HelloMessage {
        unasked_bytes: 100,
        max_message_bytes: 10_000,
        sessions: 3,
        ..HelloMessage::named(name).expect("a name")
    };
    let mut a = Connection::caller(hello("GATE"), 0);
    let mut b = Connection::server(hello("REGION"), 0);
    carry(&mut a, &mut b);
    let _ = b.poll_event();
    b.welcome(3);
    carry(&mut b, &mut a);
    let _ = a.poll_event();
    let _ = a.request(bytes::Bytes::from_static(b"x"));
    let end = if caller { &mut a } else { &mut b };
    let fault = pieces.iter().find_map(|p| end.handle_input(0, p).err());
    let events = std::iter::from_fn(|| end.poll_event()).collect();
    (events, fault.map(|f| f.to_string()))
}

fn carry(from: &mut Connection, to: &mut Connection) {
    while from.gather(0) {
        let bytes = from.pieces().concat();
        from.wrote(bytes.len(), 0);
        let _ = to.handle_input(0, &bytes);
    }
}
