//! What is no refusal, no request, no answer and no loss: probes, resets that nobody takes, a
//! greeting, news that a server sends of its own accord, and a copy that the receiver had.

use capture::synth::Exchange;
use capture::{Confidence, Side};

use crate::changed::{far, played, said, texts};
use crate::talk::{ACK, FIN, RST, SYN, Talk, heard, hello, record, twelve};

/// What is said of an opening with these flags that a reset answers, its acknowledgement changed
/// by so much; and whether the client has a reset for it in turn.
fn refused(flags: u8, off: u32, resets_too: bool) -> Vec<String> {
    let mut talk = Talk::new(40_000, 81);
    talk.say(0, Side::Client, flags, b"");
    talk.say(20_000, Side::Server, RST | ACK, b"");
    let reset = &mut talk.packets[1].0;
    reset.ack = reset.ack.wrapping_sub(off);
    if resets_too {
        talk.say(21_000, Side::Client, RST, b"");
    }
    texts(&heard(&[talk]), "tcp.reset")
}

#[test]
fn a_refusal_acknowledges_an_opening_and_ends_it() {
    let told = ["1 connections to 10.0.0.2:81 were refused with a reset"];
    assert_eq!(refused(SYN, 0, false), told);
    assert_eq!(refused(SYN, 0, true), told);
    // No end takes a reset that acknowledges something else.
    assert_eq!(refused(SYN, 1, false), Vec::<String>::new());
    // What says goodbye with its first word probes the port.
    assert_eq!(refused(SYN | FIN, 0, false), Vec::<String>::new());
}

#[test]
fn a_reset_before_the_opening_cut_no_exchange() {
    let cut = |early: bool| {
        let mut talk = Talk::new(40_000, 80);
        talk.say(0, Side::Client, SYN, b"");
        let syn = talk.packets[0].clone();
        let reset = |talk: &mut Talk, at_us| {
            talk.say(at_us, Side::Server, RST | ACK, b"");
            let (reset, ..) = talk.packets.last_mut().expect("a reset");
            reset.hop_limit = 190;
            if early {
                reset.seq = 0;
            }
        };
        if early {
            reset(&mut talk, 13_000);
            let mut again = syn;
            again.0.at_ns = 500_000_000;
            talk.packets.push(again);
        }
        talk.say(520_000, Side::Server, SYN | ACK, b"");
        talk.say(520_050, Side::Client, ACK, b"");
        talk.say(
            521_000,
            Side::Client,
            ACK,
            b"GET / HTTP/1.1\r\nHost: b\r\n\r\n",
        );
        talk.say(541_000, Side::Server, ACK, b"");
        if !early {
            reset(&mut talk, 600_000);
        }
        said(&heard(&[talk]), "tcp.reset.path")
    };
    assert!(cut(false).is_some());
    assert_eq!(cut(true), None);
}

/// Twelve connections whose server greets, and whose client asks or closes at once.
fn greeted(asks: bool) -> Vec<String> {
    let talks = twelve(5_001, |talk, at, _| {
        if asks {
            talk.say(at + 21_000, Side::Client, ACK, &[1; 90]);
        }
        talk.say(at + 41_000, Side::Server, ACK, &[2; 80]);
        talk.close(at + 42_000);
    });
    texts(&heard(&talks), "tcp.connection-per-request")
}

#[test]
fn a_greeting_is_no_request() {
    assert_eq!(greeted(true).len(), 1);
    assert_eq!(greeted(false), Vec::<String>::new());
}

/// Twelve handshakes; a server that takes a ticket changes its cipher at once.
fn handshakes(resumed: bool) -> Vec<String> {
    let finished = [record(20, &[1]), record(22, &[3; 40])].concat();
    let talks = twelve(443, |talk, at, n| {
        talk.say(at + 21_000, Side::Client, ACK, &hello(1, n, &[]));
        let mut answer = hello(2, n, &[]);
        if resumed {
            answer.extend(&finished);
        }
        talk.say(at + 41_000, Side::Server, ACK, &answer);
        talk.say(at + 42_000, Side::Client, ACK, &finished);
        if !resumed {
            talk.say(at + 62_000, Side::Server, ACK, &finished);
        }
        talk.say(at + 63_000, Side::Client, ACK, &record(23, &[4; 300]));
        talk.say(at + 83_000, Side::Server, ACK, &record(23, &[5; 300]));
        talk.close(at + 84_000);
    });
    texts(&heard(&talks), "tls.no-resumption")
}

#[test]
fn a_server_that_changes_its_cipher_first_resumes_a_session() {
    let told = ["12 TLS handshakes with 10.0.0.2:443, 0 of them resumed a session"];
    assert_eq!(handshakes(false), told);
    assert_eq!(handshakes(true), Vec::<String>::new());
}

/// An answer of which a part comes three seconds later.
fn news(port: u16, request: &[u8], first: &[u8], later: &[u8]) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, port, 0);
    talk.say(21_000, Side::Client, ACK, request);
    talk.say(41_000, Side::Server, ACK, first);
    talk.say(41_050, Side::Client, ACK, b"");
    talk.say(3_041_000, Side::Server, ACK, later);
    talk.say(3_041_050, Side::Client, ACK, b"");
    talk.close(3_200_000);
    said(&heard(&[talk]), "server.think")
}

#[test]
fn what_comes_behind_an_answer_may_be_news() {
    let ask = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n";
    let rest = [b'x'; 200];
    assert_eq!(news(80, ask, head, &rest), Some(Confidence::Medium));
    assert_eq!(
        news(9_000, &[1; 200], &[2; 300], &[3; 24]),
        Some(Confidence::Low)
    );
}

#[test]
fn ports_alone_do_not_tell_who_asks() {
    let said_more = |opened: bool| {
        let mut talk = Talk::opened(40_000, 9_000, 0);
        if !opened {
            talk.packets.clear();
        }
        talk.say(21_000, Side::Client, ACK, &[1; 200]);
        talk.say(41_000, Side::Server, ACK, b"");
        talk.say(2_041_000, Side::Client, ACK, &[2; 500]);
        talk.say(2_061_000, Side::Server, ACK, &[3; 300]);
        talk.close(2_061_100);
        said(&heard(&[talk]), "client.think")
    };
    assert_eq!(said_more(true), Some(Confidence::Medium));
    assert!(said_more(false) < Some(Confidence::Medium));
}

#[test]
fn what_the_receiver_had_twice_was_not_lost() {
    let copied = |denied: bool, goes_on: bool| {
        // Beside the server, 40 ms from the client.
        let mut talk = Talk::new(40_000, 9_000);
        talk.say(0, Side::Client, SYN, b"");
        talk.say(50, Side::Server, SYN | ACK, b"");
        talk.say(40_050, Side::Client, ACK, b"");
        talk.say(41_000, Side::Client, ACK, &[1; 200]);
        talk.say(42_000, Side::Server, ACK, &[2; 500]);
        let mut copy = talk.packets.last().expect("an answer").clone();
        copy.0.at_ns = 342_000_000;
        copy.0.id += 90;
        let (from, to) = (copy.0.seq, copy.0.seq.wrapping_add(500));
        talk.packets.push(copy);
        // The acknowledgement may come with what is asked next, and end the exchange.
        let next: &[u8] = if goes_on { &[3; 200] } else { b"" };
        talk.say(382_300, Side::Client, ACK, next);
        talk.say(382_400, Side::Client, ACK, b"");
        for (segment, ..) in &mut talk.packets {
            if segment.from == Side::Client {
                segment.hop_limit = 57;
            }
        }
        let word = &mut talk.packets.last_mut().expect("a word").0;
        if denied {
            word.sack = vec![(from, to)];
        }
        said(&heard(&[talk]), "tcp.rto")
    };
    for goes_on in [false, true] {
        assert_eq!(copied(false, goes_on), Some(Confidence::Medium));
        assert!(copied(true, goes_on) < Some(Confidence::Medium));
    }
}

/// Beside a server, 40 ms from its client: the second of six segments is lost and sent again
/// after three askings, and the server goes on with new data behind the copy or stands still.
/// What is said of the time before the copy's answer.
fn answered(goes_on: bool) -> Option<Confidence> {
    let mut talk = Talk::new(40_000, 9_000);
    talk.say(0, Side::Client, SYN, b"");
    talk.say(50, Side::Server, SYN | ACK, b"");
    talk.say(40_050, Side::Client, ACK, b"");
    talk.say(41_000, Side::Client, ACK, &[1; 200]);
    let first = talk.packets.len();
    for n in 0..6 {
        talk.say(42_000 + n * 10, Side::Server, ACK, &[2; 1_460]);
    }
    let hole = talk.packets[first + 1].0.seq;
    for n in 0..5 {
        talk.say(82_100 + n * 10, Side::Client, ACK, b"");
        talk.packets.last_mut().expect("a word").0.ack = hole;
    }
    let mut copy = talk.packets[first + 1].clone();
    copy.0.at_ns = 82_160_000;
    copy.0.id += 90;
    talk.packets.push(copy);
    let copy = talk.packets.len() as u64;
    if goes_on {
        talk.say(90_000, Side::Server, ACK, &[4; 1_460]);
    }
    talk.say(122_200, Side::Client, ACK, b"");
    let answer = talk.packets.len() - 1;
    talk.packets[answer].0.ack = hole.wrapping_add(5 * 1_460);
    talk.say(122_300, Side::Server, ACK, &[5; 500]);
    talk.say(162_400, Side::Client, ACK, b"");
    let explanation = heard(&[talk]);
    let waited = (explanation.findings.iter())
        .filter(|f| f.rule == "tcp.retransmit.fast" && f.packets[0] >= copy);
    waited.map(|f| f.confidence).max()
}

#[test]
fn an_end_that_goes_on_behind_a_copy_does_not_wait_for_its_answer() {
    assert_eq!(answered(false), Some(Confidence::Medium));
    assert!(answered(true) < Some(Confidence::Medium));
}

/// Beside a server whose packets queue: 20 ms to its client when it opens, far more with sixteen
/// segments under way. One is lost and sent again; then each acknowledgement of two, a round trip
/// of the opening behind the one before, sets one segment free, or all are acknowledged at once
/// and one is sent.
fn after_a_loss(more_under_way: bool) -> Option<Confidence> {
    let mut talk = Talk::new(40_000, 9_000);
    let mut acks: Vec<(usize, u32)> = Vec::new();
    talk.say(0, Side::Client, SYN, b"");
    talk.say(50, Side::Server, SYN | ACK, b"");
    talk.say(20_050, Side::Client, ACK, b"");
    talk.say(21_000, Side::Client, ACK, &[1; 200]);
    let first = talk.packets.len();
    for n in 0..16 {
        talk.say(22_000 + n * 10, Side::Server, ACK, &[2; 1_460]);
    }
    let base = talk.packets[first].0.seq;
    let lost = talk.packets[first].clone();
    for n in 0..4 {
        talk.say(42_100 + n * 10, Side::Client, ACK, b"");
        acks.push((talk.packets.len() - 1, base));
    }
    let mut copy = lost;
    copy.0.at_ns = 42_150_000;
    copy.0.id += 90;
    talk.packets.push(copy);
    // What was under way is acknowledged; then the rounds that count.
    let (mut acked, step) = match more_under_way {
        true => (base.wrapping_add(1_460), 2 * 1_460),
        false => (base.wrapping_add(16 * 1_460), 1_460),
    };
    for round in 0..6 {
        let at = 62_200 + round * 20_200;
        talk.say(at, Side::Client, ACK, b"");
        acks.push((talk.packets.len() - 1, acked));
        talk.say(at + 50, Side::Server, ACK, &[3; 1_460]);
        acked = acked.wrapping_add(step);
    }
    for (at, ack) in acks {
        talk.packets[at].0.ack = ack;
    }
    said(&heard(&[talk]), "tcp.congestion-window")
}

#[test]
fn what_acknowledgements_set_free_one_by_one_is_no_window() {
    assert_eq!(after_a_loss(false), Some(Confidence::Medium));
    assert!(after_a_loss(true) < Some(Confidence::Medium));
}

#[test]
fn a_burst_longer_than_what_is_remembered_is_told_as_no_less() {
    let mut c = far(vec![Exchange::new(300, 2_000, 3_000_000)]);
    c.client_end().receive_bytes = 16 << 20;
    let told = texts(&played(&[c], |_| {}), "tcp.slow-start");
    let mut whole = 0;
    for text in &told {
        let (_, rest) = text.split_once("the server sent ").expect("a sentence");
        if rest.starts_with("at least") {
            continue;
        }
        let (bytes, _) = rest.split_once(' ').expect("a number");
        let bytes: u32 = bytes.parse().expect("a number");
        assert_eq!(bytes % 14_480, 0, "{text}");
        whole += 1;
    }
    assert!(whole > 2, "{told:?}");
}
