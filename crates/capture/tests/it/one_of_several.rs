//! What one connection does not show by itself: a subflow of Multipath TCP, a connection that was
//! opened ahead and asked for nothing, one that the capture has twice, a goodbye, and packets that
//! are no conversation.

use std::net::SocketAddr;

use capture::{Confidence, Explanation, Side};

use crate::changed::{said, texts};
use crate::talk::{ACK, FIN, RST, SYN, Talk, heard, hello, record, twelve};

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

/// A request of two segments whose first is sent again at growing distances, until both are
/// acknowledged; what the receiver says of the second when it comes, if it says it.
fn taken_at_last(with_the_second: bool, told: bool) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    for (segment, ..) in talk.packets.iter_mut().take(2) {
        segment.scale = Some(0);
    }
    talk.say(21_000, Side::Client, ACK, &[1; 1_380]);
    let first = talk.packets.last().expect("a request").clone();
    talk.say(21_100, Side::Client, ACK, &[2; 340]);
    let second = &talk.packets.last().expect("its end").0;
    let range = (second.seq, second.seq.wrapping_add(340));
    if told {
        talk.say(41_100, Side::Server, ACK, b"");
        let word = &mut talk.packets.last_mut().expect("a word").0;
        (word.ack, word.sack) = (first.0.seq, vec![range]);
    }
    for (nth, at_ms) in [400, 1_200, 2_800].into_iter().enumerate() {
        let mut copy = first.clone();
        copy.0.at_ns = at_ms * 1_000_000;
        copy.0.id += 50 + nth as u16;
        talk.packets.push(copy);
    }
    talk.say(2_820_000, Side::Server, ACK, b"");
    if !with_the_second {
        talk.packets.last_mut().expect("an answer").0.ack = range.0;
        talk.say(2_821_000, Side::Client, ACK, b"");
        let again = &mut talk.packets.last_mut().expect("the end").0;
        (again.seq, again.len) = (range.0, 340);
        talk.packets.last_mut().expect("the end").2 = vec![2; 340];
        talk.say(2_841_000, Side::Server, ACK, b"");
    }
    talk.say(2_860_000, Side::Server, ACK, &[3; 300]);
    talk.close(2_880_000);
    said(&heard(&[talk]), "tcp.rto")
}

#[test]
fn who_takes_later_bytes_without_a_word_had_no_hole() {
    assert_eq!(taken_at_last(false, false), Some(Confidence::High));
    assert_eq!(taken_at_last(true, true), Some(Confidence::High));
    assert_eq!(taken_at_last(true, false), Some(Confidence::Low));
}

/// A connection on a path of this round trip.
fn opened_over(port: u16, path_us: u64) -> Talk {
    let mut talk = Talk::new(40_000, port);
    talk.say(0, Side::Client, SYN, b"");
    talk.say(path_us, Side::Server, SYN | ACK, b"");
    talk.say(path_us + 50, Side::Client, ACK, b"");
    talk
}

#[test]
fn no_timer_runs_shorter_than_the_path() {
    let timers = |again_us: u64| {
        let mut talk = opened_over(9_000, 300_000);
        talk.say(301_000, Side::Client, ACK, &[1; 1_000]);
        let first = talk.packets.last().expect("a request").clone();
        for (nth, at_us) in [1_000_000, again_us].into_iter().enumerate() {
            let mut copy = first.clone();
            copy.0.at_ns = at_us * 1_000;
            copy.0.id += 50 + nth as u16;
            talk.packets.push(copy);
        }
        talk.say(again_us + 300_000, Side::Server, ACK, &[2; 300]);
        talk.close(again_us + 301_000);
        texts(&heard(&[talk]), "tcp.rto").len()
    };
    assert_eq!(timers(1_400_000), 2);
    assert_eq!(timers(1_200_000), 1);
}

#[test]
fn a_clock_that_begins_with_zero_is_echoed_as_zero() {
    let asked_again = |echo: u32| {
        let mut talk = Talk::new(40_000, 9_000);
        talk.say(0, Side::Client, SYN, b"");
        let mut again = talk.packets[0].clone();
        talk.packets[0].0.stamp = Some((0, 0));
        (again.0.at_ns, again.0.id, again.0.stamp) = (3_000_000_000, 90, Some((4, 0)));
        talk.packets.push(again);
        talk.say(3_020_000, Side::Server, SYN | ACK, b"");
        talk.packets[2].0.stamp = Some((700, echo));
        talk.say(3_020_050, Side::Client, ACK, b"");
        talk.say(3_021_000, Side::Client, ACK, REQUEST);
        talk.say(3_041_000, Side::Server, ACK, ANSWER);
        for (packet, _, _) in &mut talk.packets[3..] {
            packet.stamp = Some((704, 704));
        }
        talk.close(3_042_000);
        said(&heard(&[talk]), "tcp.syn.lost")
    };
    assert_eq!(asked_again(4), Some(Confidence::High));
    assert_eq!(asked_again(0), Some(Confidence::Low));
}

#[test]
fn who_closed_first_is_not_told_where_both_did() {
    let closed = |heard_of: bool| {
        let talks = twelve(80, |talk, at, _| {
            talk.say(at + 21_000, Side::Client, ACK, REQUEST);
            talk.say(at + 41_000, Side::Server, ACK, ANSWER);
            talk.close(at + 42_000);
            if !heard_of {
                let last = talk.packets.len() - 2;
                talk.packets[last].0.ack -= 1;
            }
        });
        texts(&heard(&talks), "tcp.connection-per-request")
    };
    let each = "12 of 12 connections to 10.0.0.2:80 carried one request each";
    assert_eq!(closed(true), [format!("{each}; the client closes them")]);
    assert_eq!(closed(false), [each]);
}

/// Rounds of five full segments and a shorter one over a line that takes 5 ms for each: every
/// second one is acknowledged at once, or the last pair when a timer of 40 ms has run; the client
/// goes on when all is acknowledged.
fn rounds(timer_us: u64) -> Option<Confidence> {
    let mut talk = opened_over(9_000, 120_000);
    for (segment, ..) in talk.packets.iter_mut().take(2) {
        segment.mss = 1_380;
    }
    talk.packets[2].0.at_ns += 700_000;
    let mut at = 122_000;
    for _ in 0..8 {
        for nth in 0..6 {
            let bytes = if nth == 5 { 1_292 } else { 1_380 };
            talk.say(at + nth * 20, Side::Client, ACK, &vec![1; bytes]);
        }
        let end = talk.packets.last().expect("data").0.clone();
        for pair in 0..3_u64 {
            let late = if pair == 2 { timer_us } else { 0 };
            talk.say(at + 130_000 + pair * 10_000 + late, Side::Server, ACK, b"");
            let word = &mut talk.packets.last_mut().expect("a word").0;
            word.ack = end.seq.wrapping_add(1_292) - (2 - pair as u32) * 2_760;
            if pair == 1 {
                word.ack = end.seq.wrapping_sub(1_380);
            }
        }
        at += 151_010 + timer_us;
    }
    talk.say(at, Side::Server, ACK, &[2; 300]);
    talk.close(at + 1_000);
    said(&heard(&[talk]), "tcp.ack.delayed")
}

#[test]
fn a_pair_on_a_slow_line_waited_for_no_timer() {
    assert_eq!(rounds(15_000), None);
}
