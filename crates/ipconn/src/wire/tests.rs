//! Messages are read as they were written, and no other bytes are accepted.

use super::*;
use proptest::prelude::*;
use region::{ContainerName, ContainerType, ProgramName, TransId, UserId};

fn name(text: &str) -> ContainerName {
    ContainerName::new(text).unwrap()
}

fn put(builder: &mut RequestBuilder, container: &str, most: usize, data: &[u8]) {
    let what = (name(container), ContainerType::Bit, 0);
    let put = builder.put(what, most, |area| {
        area[..data.len()].copy_from_slice(data);
        Ok::<usize, ()>(data.len())
    });
    assert_eq!(put, Some(Ok(())));
}

#[test]
fn a_request_means_what_was_written_into_it() {
    let head = RequestHead {
        transid: TransId::new("CSMI").unwrap(),
        program: ProgramName::new("PROG").unwrap(),
        user: UserId::new("ANN").unwrap(),
        timeout_ms: 500,
        ..RequestHead::default()
    };
    let mut builder = RequestBuilder::new(head, 10);
    put(&mut builder, "A", 5, b"first");
    put(&mut builder, "B", 100, b"second");
    put(&mut builder, "A", 20, b"again");
    let request = Request::parse(builder.finish()).unwrap();
    assert!(request.head.channel && request.head.timeout_ms == 500);
    assert_eq!(request.head.user.as_str(), "ANN");
    let all: Vec<_> = request
        .containers
        .iter()
        .map(|e| (e.name.to_string(), request.bytes(e).to_vec()))
        .collect();
    assert_eq!(
        all,
        [
            ("B".into(), b"second".to_vec()),
            ("A".into(), b"again".to_vec())
        ]
    );
}

#[test]
fn a_commarea_goes_and_comes_back() {
    let mut builder = RequestBuilder::new(RequestHead::default(), 0);
    let set = builder.set_commarea(6, |area| {
        area[..3].copy_from_slice(b"abc");
        Ok::<(), ()>(())
    });
    set.unwrap();
    let request = Request::parse(builder.finish()).unwrap();
    assert_eq!(request.commarea(), b"abc\0\0\0");
    let head = ReplyHead {
        ending: RequestEnding::Abend(*b"ASRA"),
        text: "it broke".into(),
        task: 7,
        ..ReplyHead::default()
    };
    let reply = ReplyMessage::parse(emit_reply(&head, b"xyz", &[])).unwrap();
    assert_eq!((reply.head.clone(), reply.commarea()), (head, &b"xyz"[..]));
}

#[test]
fn lengths_that_lie_are_refused() {
    let mut builder = RequestBuilder::new(RequestHead::default(), 0);
    put(&mut builder, "A", 4, b"data");
    let good = builder.finish();
    assert!(Request::parse(&good).is_ok());
    for cut in 0..good.len() {
        assert!(Request::parse(&good[..cut]).is_err(), "{cut}");
    }
    let mut long = good.clone();
    let last = long.len() - 1;
    long[last] += 1;
    assert_eq!(
        Request::parse(&long).unwrap_err().what,
        "the lengths do not add up to the message's length"
    );
    let mut many = good;
    many[68..72].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(Request::parse(&many).is_err());
}

proptest! {
    #[test]
    fn any_message_is_parsed_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        head in proptest::collection::vec(prop_oneof![Just(b' '), Just(0u8), Just(b'A')], 60..90),
    ) {
        for message in [bytes.clone(), [head, bytes].concat()] {
            if let Ok(request) = Request::parse(&message) {
                let _ = request.commarea();
                for entry in &request.containers {
                    let _ = request.bytes(entry);
                }
            }
            if let Ok(reply) = ReplyMessage::parse(message) {
                let _ = reply.commarea();
                for entry in &reply.containers {
                    let _ = reply.bytes(entry);
                }
            }
        }
    }
}
