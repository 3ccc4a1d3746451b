//! What one connection does not show by itself: a subflow of Multipath TCP, a connection that was
//! opened ahead and asked for nothing, one that the capture has twice, a goodbye, and packets that
//! are no conversation.

use std::net::SocketAddr;

use capture::{Confidence, Explanation, Side};

use crate::changed::{said, texts};
use crate::talk::{ACK, FIN, RST, Talk, heard, hello, record, twelve};

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A request that the server answers with a reset.
fn cut_off() -> Talk {
    let mut talk = Talk::opened(40_000, 80, 0);
    talk.say(21_000, Side::Client, ACK, REQUEST);
    talk.say(41_000, Side::Server, ACK, b"");
    talk.say(900_000, Side::Server, RST | ACK, b"");
    talk
}

#[test]
fn a_reset_of_a_subflow_ends_no_exchange() {
    let alone = cut_off();
    let mut subflow = alone.clone();
    for (segment, ..) in &mut subflow.packets {
        segment.multipath = Some(2);
    }
    assert_eq!(said(&heard(&[alone]), "tcp.reset"), Some(Confidence::High));
    assert_eq!(said(&heard(&[subflow]), "tcp.reset"), None);
}

#[test]
fn a_closed_subflow_is_no_closed_side() {
    let mut alone = Talk::opened(40_000, 80, 0);
    alone.say(21_000, Side::Client, ACK, REQUEST);
    alone.say(22_000, Side::Client, FIN | ACK, b"");
    alone.say(42_000, Side::Server, ACK, ANSWER);
    alone.say(43_000, Side::Client, ACK, b"");
    let mut subflow = alone.clone();
    for (segment, ..) in &mut subflow.packets {
        segment.multipath = Some(2);
    }
    assert!(said(&heard(&[alone]), "tcp.half-close").is_some());
    assert_eq!(said(&heard(&[subflow]), "tcp.half-close"), None);
}

/// The extension that names HTTP/2.
const HTTP2: &[u8] = &[0, 16, 0, 5, 0, 3, 2, b'h', b'2'];

/// A connection with TLS whose client says records of these lengths, and a goodbye.
fn closed_talk(talk: &mut Talk, at: u64, random: u8, records: &[usize]) {
    let closing = [record(20, &[1]), record(22, &[3; 40])].concat();
    talk.say(at + 21_000, Side::Client, ACK, &hello(1, random, HTTP2));
    talk.say(at + 41_000, Side::Server, ACK, &hello(2, random, HTTP2));
    talk.say(at + 42_000, Side::Client, ACK, &closing);
    talk.say(at + 62_000, Side::Server, ACK, &closing);
    for (n, length) in (0_u64..).zip(records) {
        let bytes = record(23, &vec![5; *length]);
        talk.say(at + 63_000 + n * 100, Side::Client, ACK, &bytes);
    }
    let settings = [record(23, &[6; 64]), record(23, &[6; 33])].concat();
    talk.say(at + 84_000, Side::Server, ACK, &settings);
    talk.say(at + 85_000, Side::Client, ACK, &record(21, &[7; 26]));
    talk.close(at + 85_100);
}

/// What is said of twelve such connections.
fn of_twelve(records: &[usize]) -> Vec<String> {
    let talks = twelve(443, |talk, at, n| closed_talk(talk, at, n, records));
    texts(&heard(&talks), "tls.handshake-per-connection")
}

#[test]
fn a_connection_that_was_opened_ahead_carried_no_request() {
    let told = ["12 of 12 TLS connections to 10.0.0.2:443 carried one request each"];
    // The first words of HTTP/2 alone, with a receipt of settings.
    assert_eq!(of_twelve(&[189]), Vec::<String>::new());
    assert_eq!(of_twelve(&[189, 38]), Vec::<String>::new());
    // Those, and a request; or both in one record.
    assert_eq!(of_twelve(&[189, 90]), told);
    assert_eq!(of_twelve(&[400]), told);
}

#[test]
fn both_sides_of_a_translated_address_count_once() {
    let outside = |talk: &Talk| {
        let port = talk.ends[0].port();
        talk.behind(SocketAddr::from(([192, 0, 2, 9], port)))
    };
    let mut talks = twelve(80, |talk, at, _| {
        talk.say(at + 21_000, Side::Client, ACK, REQUEST);
        talk.say(at + 41_000, Side::Server, ACK, ANSWER);
        talk.close(at + 42_000);
    });
    talks.extend(twelve(443, |talk, at, n| closed_talk(talk, at, n, &[400])));
    let twins: Vec<Talk> = talks.iter().map(outside).collect();
    talks.extend(twins);
    let explanation = heard(&talks);
    assert_eq!(
        texts(&explanation, "tcp.connection-per-request"),
        ["12 of 12 connections to 10.0.0.2:80 carried one request each; the client closes them"]
    );
    assert_eq!(
        texts(&explanation, "tls.handshake-per-connection"),
        ["12 of 12 TLS connections to 10.0.0.2:443 carried one request each"]
    );
    assert_eq!(
        texts(&explanation, "tls.no-resumption"),
        ["12 TLS handshakes with 10.0.0.2:443, 0 of them resumed a session"]
    );
}

/// Something was said and acknowledged; two seconds later the client says more.
fn said_more(bytes: usize, answered: bool) -> Explanation {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    talk.say(21_000, Side::Client, ACK, &[1; 200]);
    talk.say(41_000, Side::Server, ACK, b"");
    talk.say(2_041_000, Side::Client, ACK, &vec![2; bytes]);
    if answered {
        talk.say(2_061_000, Side::Server, ACK, &[3; 300]);
    }
    talk.close(2_061_100);
    heard(&[talk])
}

#[test]
fn a_goodbye_is_no_question() {
    let rule = "client.think";
    assert_eq!(said(&said_more(25, true), rule), Some(Confidence::Medium));
    assert_eq!(said(&said_more(500, false), rule), Some(Confidence::Medium));
    // That the client had nothing to ask meanwhile is all that is left.
    assert_eq!(said(&said_more(25, false), rule), Some(Confidence::Low));
}

#[test]
fn packets_without_any_flag_close_no_window() {
    let invented = |flags: u8| {
        let mut talk = Talk::new(40_000, 9_000);
        for n in 0..12 {
            let from = match n {
                0 | 1 => Side::Server,
                _ => Side::Client,
            };
            talk.say(1_000 + n * 300_000, from, flags, &[4; 100]);
        }
        for (segment, ..) in &mut talk.packets {
            segment.window = 0;
        }
        said(&heard(&[talk]), "tcp.window.zero")
    };
    assert!(invented(ACK).is_some());
    assert_eq!(invented(0), None);
}
