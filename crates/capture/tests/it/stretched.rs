//! What was cut, closed, late or lost is told as no more than the packets show: segments that TCP
//! cut, a window that nobody waited for, a path that grew, bursts of which a part is not there,
//! and a hello in an old format.

use capture::synth::{Action, Exchange, Fault, Select};
use capture::{Confidence, Explanation, Side};

use crate::changed::{far, played, said, texts};
use crate::talk::{ACK, FIN, SYN, Talk, heard, hello, record, twelve};

const PSH: u8 = 0x08;

const ASK: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

/// An answer in thirty pieces of forty bytes, each pushed or the last one alone.
fn pieces(each_pushed: bool) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 80, 0);
    talk.say(21_000, Side::Client, ACK | PSH, ASK);
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1159\r\n\r\n".to_vec();
    answer.resize(1_200, b'x');
    for (n, piece) in answer.chunks(40).enumerate() {
        let last = (n + 1) * 40 == answer.len();
        let flags = if last || each_pushed { ACK | PSH } else { ACK };
        talk.say(41_000 + n as u64 * 20, Side::Server, flags, piece);
    }
    talk.say(42_000, Side::Client, ACK, b"");
    talk.close(50_000);
    said(&heard(&[talk]), "app.tiny-writes")
}

#[test]
fn what_tcp_cut_was_not_written_in_pieces() {
    assert_eq!(pieces(true), Some(Confidence::High));
    assert_eq!(pieces(false), None);
}

/// A client whose window is closed while the server answers; a probe so long behind that.
fn probed(after_us: u64) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    talk.say(21_000, Side::Client, ACK, &[1; 200]);
    talk.packets.last_mut().expect("a request").0.window = 0;
    talk.say(41_000, Side::Server, ACK, b"");
    let mut at = 41_000 + after_us;
    for _ in 0..2 {
        talk.say(at, Side::Server, ACK, b"");
        let probe = &mut talk.packets.last_mut().expect("a probe").0;
        probe.seq = probe.seq.wrapping_sub(1);
        at += 20_000;
    }
    talk.say(at, Side::Client, ACK, b"");
    talk.say(at + 20_000, Side::Server, ACK, &[2; 300]);
    talk.say(at + 20_050, Side::Client, ACK, b"");
    let explanation = heard(&[talk]);
    let first = (explanation.findings.iter())
        .filter(|f| f.rule == "tcp.window.zero")
        .max_by_key(|f| f.cost_ns);
    first.map(|f| f.confidence)
}

#[test]
fn a_probe_that_comes_late_had_nothing_to_send_before() {
    assert_eq!(probed(300_000), Some(Confidence::High));
    assert_eq!(probed(3_800_000), Some(Confidence::Low));
}

/// A client that closes its window when it has asked again and the server has closed, or not.
fn closed(at_the_end: bool) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    talk.say(21_000, Side::Client, ACK, &[1; 200]);
    talk.say(41_000, Side::Server, ACK, &[2; 300]);
    talk.say(61_000, Side::Client, ACK, &[3; 5]);
    if at_the_end {
        talk.say(81_000, Side::Server, FIN | ACK, b"");
    }
    talk.say(81_060, Side::Client, ACK, b"");
    talk.packets.last_mut().expect("a word").0.window = 0;
    talk.say(101_060, Side::Server, ACK, b"");
    let probe = &mut talk.packets.last_mut().expect("a probe").0;
    probe.seq = probe.seq.wrapping_sub(1);
    talk.say(101_100, Side::Client, ACK, b"");
    if !at_the_end {
        talk.say(121_100, Side::Server, ACK, &[4; 300]);
    }
    talk.say(121_150, Side::Client, ACK, b"");
    said(&heard(&[talk]), "tcp.window.zero")
}

#[test]
fn an_end_that_has_closed_waits_for_no_window() {
    assert!(closed(false) > Some(Confidence::Low));
    assert_eq!(closed(true), None);
}

/// Beside the server, 2 ms to the client when it opens. Of two segments the second comes 90 ms
/// behind the acknowledgement of the first; it echoes that, or what was said before it.
fn long_path(heard_it: bool) -> Option<Confidence> {
    let mut talk = Talk::new(40_000, 9_000);
    talk.say(0, Side::Client, SYN, b"");
    talk.say(50, Side::Server, SYN | ACK, b"");
    talk.say(2_050, Side::Client, ACK, b"");
    talk.say(3_000, Side::Client, ACK, &[1; 1_448]);
    talk.say(3_100, Side::Server, ACK, b"");
    talk.say(13_100, Side::Client, ACK, &[2; 1_448]);
    talk.say(13_200, Side::Server, ACK, b"");
    talk.say(103_200, Side::Client, ACK, &[3; 1_448]);
    talk.say(103_300, Side::Server, ACK, b"");
    talk.say(104_300, Side::Server, ACK, &[4; 300]);
    talk.say(106_300, Side::Client, ACK, b"");
    let mut server = 7_000;
    let late = talk.packets.len() - 4;
    for (n, (segment, ..)) in talk.packets.iter_mut().enumerate() {
        let ms = (segment.at_ns / 1_000_000) as u32;
        segment.stamp = Some(match segment.from {
            Side::Client if n == late && !heard_it => (900 + ms, 7_003),
            Side::Client => (900 + ms, server),
            Side::Server => {
                server = 7_000 + ms;
                (server, 900 + ms)
            }
        });
    }
    let explanation = heard(&[talk]);
    let waited = (explanation.findings.iter())
        .filter(|f| f.rule == "client.think" && f.cost_ns > 50_000_000);
    waited.map(|f| f.confidence).max()
}

#[test]
fn what_left_before_the_last_word_came_was_kept_by_the_path() {
    assert_eq!(long_path(true), Some(Confidence::Medium));
    assert_eq!(long_path(false), None);
}

/// What is told of the first pause.
fn first(explanation: &Explanation) -> String {
    let mut told = (explanation.findings.iter())
        .filter(|f| f.rule == "tcp.slow-start")
        .collect::<Vec<_>>();
    told.sort_by_key(|f| f.at_ns);
    told.first().expect("a pause").text.clone()
}

#[test]
fn a_burst_of_which_some_was_lost_is_told_as_no_less() {
    let lost = |nth: Option<u64>| {
        let mut c = far(vec![Exchange::new(300, 2_000, 60_000)]);
        c.path.faults = nth
            .map(|nth| Fault {
                from: Side::Server,
                select: Select::Data(nth as u32),
                action: Action::Lose,
            })
            .into_iter()
            .collect();
        first(&played(&[c], |_| {}))
    };
    let whole = lost(None);
    assert!(
        whole.contains("the server sent 14480 bytes in 10 segments"),
        "{whole}"
    );
    assert!(!whole.contains("at least"), "{whole}");
    let part = lost(Some(8));
    assert!(
        part.contains("the server sent at least 13032 bytes in 9 segments"),
        "{part}"
    );
}

/// A client sends fifteen segments; the server answers with a few bytes in the middle of what the
/// pause set free, and the exchange ends there.
fn upload(interrupted: bool) -> String {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    for n in 0..10 {
        talk.say(21_000 + n * 10, Side::Client, ACK, &[1; 1_460]);
    }
    let base = talk.packets[3].0.seq;
    talk.say(41_000, Side::Server, ACK, b"");
    for n in 0..2 {
        talk.say(41_050 + n * 10, Side::Client, ACK, &[2; 1_460]);
    }
    if interrupted {
        talk.say(41_300, Side::Server, ACK, &[3; 42]);
        talk.packets.last_mut().expect("a word").0.ack = base.wrapping_add(10 * 1_460);
    }
    for n in 0..10 {
        talk.say(41_350 + n * 10, Side::Client, ACK, &[2; 1_460]);
    }
    talk.say(62_000, Side::Server, ACK, b"");
    talk.say(63_000, Side::Server, ACK, &[4; 500]);
    talk.say(63_050, Side::Client, ACK, b"");
    talk.close(70_000);
    first(&heard(&[talk]))
}

#[test]
fn what_follows_a_pause_is_told_as_no_less_where_the_exchange_ends_in_it() {
    let whole = upload(false);
    assert!(whole.ends_with("then sent 17520"), "{whole}");
    let part = upload(true);
    assert!(part.contains("then sent at least "), "{part}");
}

/// An answer of 12,000 bytes to a client that takes 256 in a segment, in segments of so many.
fn small(bytes: usize) -> Vec<String> {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    talk.say(21_000, Side::Client, ACK, &[1; 80]);
    for (n, piece) in [2; 12_000].chunks(bytes).enumerate() {
        talk.say(41_000 + n as u64 * 20, Side::Server, ACK, piece);
    }
    talk.say(60_000, Side::Client, ACK, b"");
    talk.close(70_000);
    talk.packets[0].0.mss = 256;
    for (segment, ..) in &mut talk.packets {
        segment.stamp = Some((900 + (segment.at_ns / 1_000_000) as u32, 1));
    }
    texts(&heard(&[talk]), "tcp.mss.small")
}

#[test]
fn packets_of_more_are_counted_with_timestamps_and_only_where_the_announcement_bound() {
    let told = "10.0.0.1 announced an MSS of 256: 1 packets of data for the request and 50 for the \
                response, 41 more than with 1460";
    assert_eq!(small(244), [told]);
    assert_eq!(small(48), Vec::<String>::new());
}

/// Twelve connections that begin with a hello in the format of SSL 2; with a request or without.
fn old_hellos(asks: bool) -> Vec<String> {
    let finished = [record(20, &[1]), record(22, &[3; 40])].concat();
    let talks = twelve(443, |talk, at, n| {
        let mut old = vec![0x80, 0x92, 1, 3, 1];
        old.resize(0x92 + 2, n);
        talk.say(at + 21_000, Side::Client, ACK, &old);
        talk.say(at + 41_000, Side::Server, ACK, &hello(2, n, &[]));
        talk.say(at + 42_000, Side::Client, ACK, &finished);
        talk.say(at + 62_000, Side::Server, ACK, &finished);
        if asks {
            talk.say(at + 63_000, Side::Client, ACK, &record(23, &[4; 300]));
            talk.say(at + 83_000, Side::Server, ACK, &record(23, &[5; 300]));
        }
        talk.close(at + 84_000);
    });
    texts(&heard(&talks), "tls.handshake-per-connection")
}

#[test]
fn a_hello_in_an_old_format_is_no_request() {
    let told = ["12 of 12 TLS connections to 10.0.0.2:443 carried one request each"];
    assert_eq!(old_hellos(true), told);
    assert_eq!(old_hellos(false), Vec::<String>::new());
}

/// Twelve connections on which this is said behind a request's first line, and how sure it is
/// that each carried one request.
fn each(asked: &[u8], answered: &[u8], then: &[u8]) -> Option<Confidence> {
    let talks = twelve(9_696, |talk, at, _| {
        talk.say(at + 21_000, Side::Client, ACK | PSH, asked);
        talk.say(at + 21_100, Side::Client, ACK | PSH, then);
        talk.say(at + 41_000, Side::Server, ACK | PSH, answered);
        talk.say(at + 41_050, Side::Client, ACK, b"");
        talk.close(at + 60_000);
    });
    said(&heard(&talks), "tcp.connection-per-request")
}

#[test]
fn a_tunnel_disguised_as_a_request_is_none() {
    const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(each(ASK, OK, b""), Some(Confidence::High));
    // In lower case, and with a letter that could begin a method.
    assert_eq!(each(ASK, OK, &[0x17; 40]), None);
    assert_eq!(each(ASK, OK, b"Q\x00\x01\x02\x03\x04\x05\x06"), None);
    assert_eq!(each(ASK, b"\x00\x01\x02\x03\x04\x05\x06\x07", b""), None);
    assert_eq!(each(b"GET /a b\r\n\r\n", OK, b""), None);
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
    assert_eq!(each(ASK, switch, b""), None);
    let cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n";
    assert_eq!(each(ASK, cut, b""), None);
}
